/** Tests the control API over plain HTTP. Sandbox behaviour is tested in `test/remote/sandbox.test.ts`. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { controlOperations } from '../../src/control/control.ts'
import type { Reply } from '../../src/http/reply.ts'
import { createGateway } from '../../src/index.ts'
import { connectGateway } from '../../src/remote.ts'
import { type RunningServer, startServer } from '../../src/serve.ts'
import { call, open } from '../call.ts'

let server: RunningServer
let id: string
beforeAll(async () => {
  server = await startServer({ timeScale: 0, limits: { requestBodyBytes: 100_000 } })
})
beforeEach(() => {
  id = server.gateway.createSandbox().id
})
afterAll(() => server.close())

async function control(line: string, body?: unknown, headers: Record<string, string> = {}) {
  const target = { baseUrl: `${server.url}/__understudy` }
  const options = { body, headers: { authorization: null, ...headers } }
  const reply = await call(target, line.replace('{id}', id), options)
  return { status: reply.status, body: reply.body }
}

const statusOf = async (path: string) =>
  (await open({ baseUrl: `${server.url}/sandboxes/${id}/api/v1` }, `GET ${path}`)).status

describe('sandboxes in the control API', () => {
  it('are created without a request body; the reply contains their URL', async () => {
    const { status, body } = await control('POST /sandboxes')
    expect(status).toBe(201)
    expect(body).toEqual({
      data: {
        id: expect.stringMatching(/^s\d+$/),
        apiKey: expect.stringMatching(/^us-s\d+-[0-9a-f]{16}$/),
        baseUrl: `${server.url}/sandboxes/${body.data.id}/api/v1`,
      },
    })
  })

  it('are created with an id of your own without a request body', async () => {
    const baseUrl = `${server.url}/sandboxes/own/api/v1`
    expect(await control('PUT /sandboxes/own')).toEqual({
      status: 200,
      body: { data: { id: 'own', apiKey: expect.any(String), baseUrl } },
    })
  })

  it('have a name, which their list contains', async () => {
    const remote = await connectGateway(server.url)
    const bob = await remote.createSandbox({ name: 'bob' })
    const fork = await bob.fork('fork-of-bob', "bob's fork")
    await control('PUT /sandboxes/alice', { name: 'alice' })
    expect((await control('PUT /sandboxes/alice', { name: 'bob' })).status).toBe(409)
    expect((await control('POST /sandboxes', { name: 'x'.repeat(201) })).status).toBe(400)
    expect([bob.name, fork.name, remote.name]).toEqual(['bob', "bob's fork", undefined])
    const names = new Map((await remote.sandboxes()).map(({ id, name }) => [id, name]))
    expect([bob.id, fork.id, 'alice'].map((id) => names.get(id))).toEqual(['bob', "bob's fork", 'alice'])
    await open(bob, 'GET /providers')
    const { log } = await bob.journal.har()
    expect(log.entries).toMatchObject([{ _sandbox: { id: bob.id, name: 'bob' } }])
  })

  it('have up to 1,000 snapshots, of which the oldest are evicted', async () => {
    const gateway = createGateway()
    const operations = await controlOperations(gateway)
    const run = async (operationId: string, body?: object) => {
      const operation = operations.find((each) => each.id === operationId)
      return (await operation?.resolve({ gateway, params: { sandbox: 'default' }, body } as never)) as Reply
    }
    const ids: string[] = []
    const take = async () => {
      const { body } = await run('createSnapshot')
      ids.push(Reflect.get(body, 'value').data.id)
    }
    for (let count = 0; count < 1000; count++) await take()
    expect(ids.slice(0, 2)).toEqual(['default-1', 'default-2'])
    await run('restoreSnapshot', { id: ids[0] })
    await take()
    await expect(run('restoreSnapshot', { id: ids[0] })).rejects.toMatchObject({ status: 409 })
    await run('restoreSnapshot', { id: ids[1] })
    await run('restoreSnapshot', { id: ids[1000] })
  })

  it("have URLs with the request's host name", async () => {
    const url = server.url.replace('127.0.0.1', 'localhost')
    const response = await fetch(`${url}/__understudy/sandboxes/${id}`)
    expect((await response.json()).data.baseUrl).toBe(`${url}/sandboxes/${id}/api/v1`)
  })

  it('are listed with the default sandbox first', async () => {
    const { data } = (await control('GET /sandboxes')).body
    expect(data[0]).toEqual({ id: 'default', apiKey: expect.any(String), baseUrl: `${server.url}/api/v1` })
    expect(data.map((sandbox: { id: string }) => sandbox.id)).toContain(id)
  })

  it('return 204 when deleted and 410 afterwards, or 409 for the default sandbox', async () => {
    expect(await control('DELETE /sandboxes/{id}')).toEqual({ status: 204, body: undefined })
    expect((await control('GET /sandboxes/{id}')).status).toBe(410)
    expect((await control('DELETE /sandboxes/{id}')).status).toBe(410)
    expect((await control('DELETE /sandboxes/default')).status).toBe(409)
  })
})

describe('the journal in the control API', () => {
  const query = async (body: object) => (await control('POST /sandboxes/{id}/journal/query', body)).body

  it('is queried by operation and fields', async () => {
    await statusOf('/providers')
    expect(await query({ operation: 'listProviders', match: { status: 404 } })).toEqual({ data: [] })
    expect(await query({ operation: 'getPreset' })).toEqual({ data: [] })
    expect((await query({ match: { status: 200 } })).data).toHaveLength(1)
    expect((await query({ operation: 'listProviders' })).data).toHaveLength(1)
    expect((await query({ match: { stat: 200 } })).error.message).toMatchInlineSnapshot(
      `"A call has no field 'stat'; did you mean 'status'?"`,
    )
  })

  it('is waited for up to ten minutes', async () => {
    await statusOf('/providers')
    const wait = async (timeout: number) =>
      (await control('POST /sandboxes/{id}/journal/wait', { operation: 'listProviders', timeout })).status
    expect([await wait(600_000), await wait(600_001)]).toEqual([200, 400])
  })
})

describe('scenarios in the control API', () => {
  it('are activated by name without a body, only once if the request is repeated', async () => {
    for (let turn = 0; turn < 2; turn++)
      expect((await control('PUT /sandboxes/{id}/scenarios/provider-outage')).status).toBe(200)
    expect((await control('GET /sandboxes/{id}/scenarios')).body.data).toMatchObject([
      { name: 'provider-outage' },
    ])
    expect(await statusOf('/providers')).toBe(500)
    expect((await control('DELETE /sandboxes/{id}/scenarios/provider-outage')).status).toBe(204)
    expect(await statusOf('/providers')).toBe(200)
  })

  it('are activated from a body under the name in the path, replacing the previous version', async () => {
    for (const status of [418, 503]) {
      const rules = [{ on: '*', fault: { name: 'status', status } }]
      expect((await control('PUT /sandboxes/{id}/scenarios/mine', { rules })).status).toBe(200)
      expect(await statusOf('/providers')).toBe(status)
    }
    expect((await control('GET /sandboxes/{id}/scenarios')).body.data).toMatchObject([{ name: 'mine' }])
  })

  it('stay active when the new version is invalid', async () => {
    await control('PUT /sandboxes/{id}/scenarios/provider-outage')
    const { status, body } = await control('PUT /sandboxes/{id}/scenarios/provider-outage', {
      rules: [{ on: 'listProvider' }],
    })
    expect(status).toBe(400)
    expect(body.error.message).toContain(
      "rule 1 of 'provider-outage': on: unknown operation 'listProvider'; did you mean 'listProviders'? (and rule 1 of 'provider-outage': the rule has no effect",
    )
    expect(await statusOf('/providers')).toBe(500)
  })

  it('return 404 when an inactive scenario is deleted', async () => {
    const { status, body } = await control('DELETE /sandboxes/{id}/scenarios/flaky')
    expect([status, body.error.message]).toEqual([404, "No active scenario 'flaky'; active scenarios: none"])
  })
})

describe('invalid control requests', () => {
  it.each([
    ['GET /nowhere', undefined, 404],
    ['POST /health', undefined, 405],
    ['POST /sandboxes', '{', 400],
    ['POST /sandboxes', '[]', 400],
    ['POST /sandboxes', { fork: 3 }, 400],
    ['POST /sandboxes', { recordCounts: {} }, 400],
    ['POST /sandboxes', { fixtures: { provider: [] } }, 400],
    ['POST /sandboxes', { seed: 1.5 }, 400],
    ['POST /sandboxes/{id}/restore', undefined, 400],
    ['POST /sandboxes/{id}/restore', { id: 'none' }, 409],
    ['POST /sandboxes/{id}/scenarios', 'null', 400],
    ['POST /sandboxes/{id}/scenarios', '"nope"', 400],
    ['POST /sandboxes/{id}/scenarios', '"./scenarios/flaky.json"', 400],
    ['POST /sandboxes/{id}/clock/advance', { ms: -1 }, 400],
    ['POST /sandboxes/{id}/clock/advance', { ms: '1' }, 400],
    ['POST /sandboxes/{id}/clock/advance', { ms: '400000d' }, 400],
    ['POST /sandboxes/{id}/journal/wait', { operation: 'listProviders', count: 0 }, 400],
    ['POST /sandboxes/{id}/journal/wait', { operation: 'listProviders', timeout: 1 }, 408],
    ['GET /sandboxes/{id}/database/provider', undefined, 400],
    ['GET /sandboxes/{id}/database/providers?equals=3', undefined, 400],
    ['GET /sandboxes/{id}/database/providers?equal={}', undefined, 400],
    ['GET /sandboxes/{id}/database/providers/%', undefined, 400],
    ['POST /sandboxes/{id}/database/providers', { nam: 'x' }, 400],
    ['POST /sandboxes', ' '.repeat(100_001), 413],
  ])('$0 with the body $1 returns an error envelope', async (line, body, expected) => {
    const { status, body: answer } = await control(line, body)
    expect(status).toBe(expected)
    expect(answer.error).toMatchObject({ code: expected, message: expect.any(String) })
  })

  it('return every violation with its path', async () => {
    const { body } = await control('POST /sandboxes', { fork: 3, recordCounts: {} })
    expect(body.error.metadata.violations.map(({ path }: { path: string }) => path)).toEqual([
      'body.fork',
      'body.recordCounts',
    ])
  })
})

describe('connectGateway', () => {
  it('returns a gateway whose default sandbox cannot be disposed', async () => {
    await using other = await startServer()
    const gateway = await connectGateway(other.url)
    await expect(gateway.dispose()).rejects.toMatchObject({ status: 409 })
  })

  it('returns the default sandbox', async () => {
    const gateway = await connectGateway(server.url)
    expect(gateway).toMatchObject({ id: 'default', baseUrl: server.baseUrl })
    await gateway.reset()
    await open(gateway, 'GET /providers')
    expect(await gateway.journal.entries()).toHaveLength(1)
  })

  it('accepts a base URL as well as a server URL', async () => {
    expect((await connectGateway(server.baseUrl)).baseUrl).toBe(server.baseUrl)
  })

  it('sends the token', async () => {
    await using wide = await startServer({ token: 'secret' })
    const gateway = await connectGateway(wide.url, { token: 'secret' })
    expect((await gateway.createSandbox()).id).toBe('s1')
    await expect(connectGateway(wide.url)).rejects.toMatchObject({ status: 401 })
  })

  it('rejects with a hint if no server is running', async () => {
    const closed = await startServer()
    await closed.close()
    await expect(connectGateway(closed.url)).rejects.toThrow(
      `No gateway is running at ${closed.url}: start one with \`npx gateway-understudy\``,
    )
  })

  it('names the request during which a connection broke', async () => {
    const breaking = createServer(({ socket }) => void socket.destroy()).listen(0, '127.0.0.1')
    await once(breaking, 'listening')
    const url = `http://127.0.0.1:${(breaking.address() as AddressInfo).port}`
    await expect(connectGateway(url)).rejects.toThrow(
      `The gateway at ${url} closed the connection before it replied to GET /sandboxes/default`,
    )
    breaking.close()
  })
})
