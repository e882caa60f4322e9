/**
 * Tests three nodes behind nginx and HAProxy with the printed configurations.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { open } from '../../call.ts'
import { hasProgram } from '../../has-program.ts'
import { cases, isFullRun } from '../../suite-size.ts'
import { Client, type Cluster, createSandbox, type MadeSandbox, quantile, startCluster } from './cluster.ts'

const clients = 50
/** Number of API requests per sandbox. */
const requestsEach = 10

describe.skipIf(!hasProgram('nginx'))('three nodes behind nginx (Debian package nginx)', () => {
  describeBalancer('nginx', cases(1000, 10_000))
})
describe.skipIf(!hasProgram('haproxy'))('three nodes behind HAProxy (Debian package haproxy)', () => {
  describeBalancer('haproxy', cases(300, 1000))
})

function describeBalancer(engine: 'nginx' | 'haproxy', sandboxes: number): void {
  let cluster: Cluster
  let client: Client
  beforeAll(async () => {
    cluster = await startCluster(engine, ['n1', 'n2', 'n3'])
    client = new Client(8)
  })
  afterAll(async () => {
    client.close()
    await cluster[Symbol.asyncDispose]()
  })

  /** Simulates one test: renames a workspace, reads its name by path and by key, and counts the recorded calls. */
  async function useSandbox(own: Client, name: string): Promise<MadeSandbox> {
    const { url } = cluster
    const sandbox = await createSandbox(own, url)
    const below = `/sandboxes/${sandbox.id}/api/v1`
    const rename = await own.send(`PATCH ${below}/workspaces/production`, url, { body: { name } })
    expect(JSON.parse(rename.text).data.name).toBe(name)
    for (let turn = 1; turn < requestsEach; turn++) {
      const key = sandbox.apiKey
      const again = { key, body: {} }
      const { text } =
        turn % 2 === 0
          ? await own.send('PATCH /api/v1/workspaces/production', url, again)
          : await own.send(`PATCH ${below}/workspaces/production`, url, { body: {} })
      expect(JSON.parse(text).data.name).toBe(name)
    }
    const journal = await own.send(`GET /__understudy/sandboxes/${sandbox.id}/journal`, url)
    expect(JSON.parse(journal.text).data).toHaveLength(requestsEach)
    return sandbox
  }

  it(`route ${clients} clients with ${sandboxes} sandboxes to the right nodes, isolated from each other`, async () => {
    const made: string[] = []
    let next = 0
    const work = async () => {
      const own = new Client()
      for (let number = next++; number < sandboxes; number = next++)
        made.push((await useSandbox(own, `Name ${number}`)).id)
      own.close()
    }
    await Promise.all(Array.from({ length: clients }, work))
    expect(new Set(made).size).toBe(sandboxes)
    const perNode = Map.groupBy(made, (id) => id.slice(0, 2))
    expect([...perNode.keys()].sort()).toEqual(['n1', 'n2', 'n3'])
  })

  it('deliver each event when it is written', async () => {
    const { url } = cluster
    const sandbox = await createSandbox(client, url)
    const frames = Array.from({ length: 40 }, (_, number) => [
      { event: { type: 'tick', number } },
      { wait: 25 },
    ]).flat()
    const rule = { on: 'createResponse', reply: { frames: [...frames, { done: true }] } }
    await client.send(`POST /__understudy/sandboxes/${sandbox.id}/scenarios`, url, { body: rule })
    const response = await open({ baseUrl: `${url}/sandboxes/${sandbox.id}/api/v1` }, 'POST /responses', {
      body: { model: 'aurora/dawn-2', input: 'Hello', stream: true },
    })
    const chunks: { at: number; text: string }[] = []
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? [])
      chunks.push({ at: performance.now(), text: decoder.decode(bytes) })
    const ticks = chunks.filter(({ text }) => text.includes('tick'))
    const begun = ticks[0]?.at ?? 0
    const late = ticks.map(({ at }, place) => Math.abs(at - begun - place * 25))
    const p99 = quantile(late, 0.99).toFixed(1)
    console.info(`${engine}: 40 events came in ${ticks.length} chunks, p99 ${p99} ms from their time`)
    // A buffering balancer would deliver one chunk. A busy machine may merge a few.
    expect(ticks.length).toBeGreaterThan(isFullRun ? 35 : 5)
  })

  it('turn a reset into an error that names the node, without affecting other tests', async () => {
    const { url } = cluster
    const broken = await createSandbox(client, url)
    const rule = { on: '*', fault: 'connection-reset' }
    await client.send(`POST /__understudy/sandboxes/${broken.id}/scenarios`, url, { body: rule })
    const others = await Promise.all(Array.from({ length: 9 }, () => createSandbox(client, url)))
    const resets = cases(100, 1000)
    const failing = async () => {
      for (let turn = 0; turn < resets / 10; turn++) {
        // After a reset, HAProxy responds only to a connection's first request, and closes the connection on later
        // ones.
        const own = engine === 'haproxy' ? new Client() : client
        const answer = await own.send(`GET /sandboxes/${broken.id}/api/v1/providers`, url)
        expect(answer.status).toBe(502)
        expect(answer.headers['x-understudy-node']).toBe(broken.id.slice(0, 2))
        if (own !== client) own.close()
      }
    }
    const well = others.map(async ({ id }) => {
      for (let turn = 0; turn < resets / 10; turn++)
        expect((await client.send(`GET /sandboxes/${id}/api/v1/providers`, url)).status).toBe(200)
    })
    await Promise.all([...Array.from({ length: 10 }, failing), ...well])
    const journal = await client.send(`GET /__understudy/sandboxes/${broken.id}/journal`, url)
    expect(JSON.parse(journal.text).data).toHaveLength(resets)
    // A client that bypasses the balancer sees the reset.
    await expect(client.send('GET /providers', broken.directUrl)).rejects.toThrow('ECONNRESET')
  })

  it('reject sandboxes on unknown nodes', async () => {
    const answer = await client.send('GET /sandboxes/n9s1xabcdefgh/api/v1/providers', cluster.url)
    expect(answer.status).toBe(421)
    const byKey = await client.send('GET /api/v1/providers', cluster.url, { key: 'us-n9s1xabcdefgh-0' })
    expect(byKey.status).toBe(421)
  })

  it('accept a fourth node under load without moving sandboxes', async () => {
    const { url } = cluster
    const sandboxes = await Promise.all(Array.from({ length: 20 }, () => createSandbox(client, url)))
    let isOver = false
    const load = sandboxes.map(async ({ id }) => {
      const own = new Client()
      while (!isOver) {
        const answer = await own.send(`GET /sandboxes/${id}/api/v1/providers`, url).catch(() => undefined)
        // A reload closes idle connections, so a request at that moment is retried.
        if (answer) expect(answer.status).toBe(200)
      }
      own.close()
    })
    try {
      await cluster.join('n4')
      const nodes = new Set<string>()
      while (!nodes.has('n4')) nodes.add((await createSandbox(client, url)).id.slice(0, 2))
    } finally {
      isOver = true
    }
    await Promise.all(load)
    for (const { id } of sandboxes)
      expect((await client.send(`GET /sandboxes/${id}/api/v1/providers`, url)).status).toBe(200)
  })

  it("lose only a killed node's sandboxes, and name the node in errors", async () => {
    const { url } = cluster
    const sandboxes = await Promise.all(Array.from({ length: 24 }, () => createSandbox(client, url)))
    const isLost = ({ id }: MadeSandbox) => id.startsWith('n2')
    const rounds = isFullRun ? 200 : 40
    const measure = async () => {
      const times: number[] = []
      const living = sandboxes.filter((sandbox) => !isLost(sandbox))
      for (let round = 0; round < rounds; round++) {
        const answers = await Promise.all(
          living.map(({ id }) => client.send(`GET /sandboxes/${id}/api/v1/providers`, url)),
        )
        for (const { status, ms } of answers) {
          expect(status).toBe(200)
          times.push(ms)
        }
      }
      return quantile(times, 0.99)
    }
    const before = await measure()
    const victim = cluster.nodes.find(({ name }) => name === 'n2')
    const ended = new Promise((resolve) => victim?.process.once('exit', resolve))
    victim?.process.kill('SIGKILL')
    await ended
    const after = await measure()
    console.info(
      `${engine}: p99 ${before.toFixed(1)} ms before a node was killed, ${after.toFixed(1)} ms after`,
    )
    for (const { id } of sandboxes.filter(isLost)) {
      const answer = await client.send(`GET /sandboxes/${id}/api/v1/providers`, url)
      expect(answer.status).toBeGreaterThanOrEqual(502)
      expect(answer.headers['x-understudy-node']).toBe('n2')
      expect(answer.text).toContain('Node n2')
    }
    // New sandboxes are created on the other nodes.
    for (let turn = 0; turn < 8; turn++) expect((await createSandbox(client, url)).id).not.toMatch(/^n2/)
  })
}
