/**
 * Tests that requests in flight while their sandbox is reset or restored get a reply from the state in which
 * they arrived, and do not change the new state.
 */
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { startServer } from '../../src/serve.ts'
import { open } from '../call.ts'

const base = 'https://gateway.example/api/v1'
const authorization = 'Bearer any'

/** Starts a PATCH whose body is sent when the returned function is called. */
function arrive(gateway: ReturnType<typeof createGateway>, changes: object) {
  const body = new TransformStream<Uint8Array, Uint8Array>()
  const reply = gateway.fetch(
    new Request(`${base}/workspaces/production`, {
      method: 'PATCH',
      headers: { authorization, 'content-type': 'application/json' },
      body: body.readable,
      duplex: 'half',
    } as RequestInit),
  )
  return async () => {
    const writer = body.writable.getWriter()
    await writer.write(new TextEncoder().encode(JSON.stringify(changes)))
    await writer.close()
    return reply
  }
}

/** Reads the default sandbox's observable state. */
async function look(gateway: ReturnType<typeof createGateway>) {
  return {
    workspaces: await gateway.db.workspaces.list(),
    calls: gateway.journal.entries().map(({ id }) => id),
    now: gateway.clock.read().now,
    unused: gateway.unusedRules().map(({ scenario, rule }) => `${scenario}#${rule}`),
  }
}

describe.each(['reset', 'restore'] as const)('a request in flight during a %s', (kind) => {
  const make = () => {
    const gateway = createGateway()
    const snapshot = gateway.snapshot()
    return { gateway, goBack: () => (kind === 'reset' ? gateway.reset() : gateway.restore(snapshot)) }
  }

  it('gets a reply, but changes no row, clock or journal', async () => {
    const { gateway, goBack } = make()
    const before = await look(gateway)
    const finish = arrive(gateway, { name: 'Late', slug: 'late' })
    goBack()
    const reply = await finish()
    expect(reply.status).toBe(200)
    expect((await reply.json()).data).toMatchObject({ name: 'Late', slug: 'late' })
    expect(await look(gateway)).toEqual(before)
    expect(await gateway.db.workspaces.get('late')).toBeUndefined()
  })

  it('matches rules that were active on arrival, and consumes none added later', async () => {
    const { gateway, goBack } = make()
    gateway.fail(503, { times: 1 })
    const finish = arrive(gateway, { name: 'Late' })
    goBack()
    gateway.fail(402, { times: 1 })
    expect((await finish()).status).toBe(503)
    expect(gateway.unusedRules()).toHaveLength(1)
    expect((await open(gateway, 'GET /providers')).status).toBe(402)
  })

  it('is not counted as an earlier occurrence of the same request', async () => {
    const { gateway, goBack } = make()
    const patch = async () => {
      const finish = arrive(gateway, { name: 'Same' })
      return (await finish()).headers.get('x-request-id')
    }
    const first = await patch()
    goBack()
    const finish = arrive(gateway, { name: 'Same' })
    goBack()
    expect((await finish()).headers.get('x-request-id')).toBe(first)
    expect(await patch()).toBe(first)
  })

  it('leaves no trace, regardless of the step its write has reached', async () => {
    for (let turns = 0; turns < 40; turns++) {
      const { gateway, goBack } = make()
      const before = await look(gateway)
      const moved = gateway.db.workspaces.update('staging', { slug: 'moved' })
      const patched = open(gateway, 'PATCH /workspaces/production', { body: { slug: 'elsewhere' } })
      for (let turn = 0; turn < turns; turn++) await undefined
      goBack()
      expect((await moved).slug).toBe('moved')
      expect((await patched).status).toBe(200)
      expect((await look(gateway)).workspaces).toEqual(before.workspaces)
      await gateway.db.workspaces.update('staging', { slug: 'moved' })
      expect(await gateway.db.workspaces.get('staging')).toBeUndefined()
      expect(await gateway.db.workspaces.list({ slug: 'moved' })).toHaveLength(1)
    }
  })

  it('does not block later writes', async () => {
    const { gateway, goBack } = make()
    const finish = arrive(gateway, { name: 'Late' })
    goBack()
    await gateway.db.workspaces.update('production', { name: 'After' })
    await finish()
    expect((await gateway.db.workspaces.get('production'))?.name).toBe('After')
  })
})

describe('a request on a socket', () => {
  it('uses the sandbox state from when its headers were read', async () => {
    await using server = await startServer({ port: 0 })
    const { gateway, baseUrl } = server
    const sending = request(`${baseUrl}/workspaces/production`, {
      method: 'PATCH',
      headers: {
        authorization,
        'content-type': 'application/json',
        'content-length': 15,
        expect: '100-continue',
      },
    })
    const replied = new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      sending.on('response', async (reply) => resolve({ status: reply.statusCode, body: await text(reply) }))
      sending.on('error', reject)
    })
    sending.flushHeaders()
    await new Promise((resolve) => sending.once('continue', resolve))
    gateway.reset()
    sending.end('{"name":"Late"}')
    const { status, body } = await replied
    expect([status, JSON.parse(body).data.name]).toEqual([200, 'Late'])
    expect((await gateway.db.workspaces.get('production'))?.name).toBe('Production')
    expect(gateway.journal.entries()).toEqual([])
  })
})

describe('a stream in flight during a restore', () => {
  it('is recorded to its end, in its own entry only', async () => {
    const gateway = createGateway({ timeScale: 0 })
    const snapshot = gateway.snapshot()
    const reply = await open(gateway, 'POST /responses', {
      body: '{"model":"aurora/dawn-2","input":"Hi","stream":true}',
    })
    gateway.restore(snapshot)
    await reply.text()
    expect(gateway.journal.entries().map(({ delivery }) => delivery)).toEqual(['complete'])
  })
})

describe('a sandbox', () => {
  it('is disposed at the end of its block with using and await using', async () => {
    const gateway = createGateway()
    const ids: string[] = []
    {
      using sandbox = gateway.createSandbox()
      await using other = gateway.createSandbox()
      ids.push(sandbox.id, other.id)
      expect(gateway.sandboxes.listLive()).toHaveLength(2)
    }
    expect(gateway.sandboxes.listLive()).toEqual([])
    expect(ids).toHaveLength(2)
  })

  it('keeps its clock and collection objects across a reset', async () => {
    const sandbox = createGateway().createSandbox()
    const { clock, db, journal } = sandbox
    clock.advance(1000)
    await db.workspaces.update('staging', { name: 'Mine' })
    sandbox.reset()
    expect(clock.read().now).toBe('2026-01-01T00:00:00.000Z')
    expect((await db.workspaces.get('staging'))?.name).toBe('Staging')
    expect(journal.entries()).toEqual([])
    clock.advance(5)
    expect(sandbox.clock.read().now).toBe('2026-01-01T00:00:00.005Z')
  })
})
