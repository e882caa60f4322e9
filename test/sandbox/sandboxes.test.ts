/** Tests a gateway's live sandboxes: limits, expiry, snapshots and disposal. */
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createGateway, type Gateway, type GatewayOptions, type Sandbox } from '../../src/index.ts'
import { intercept } from '../../src/node.ts'
import { startServer } from '../../src/serve.ts'
import { call, open } from '../call.ts'

/** Creates a gateway and a function that sends requests with any API key. */
function setUp(options: GatewayOptions) {
  const gateway = createGateway(options)
  const ask = (apiKey: string, path = '/api/v1/providers') =>
    open({ fetch: gateway.fetch, baseUrl: 'https://gateway.example', apiKey }, `GET ${path}`)
  return { gateway, ask }
}

/** These tests control real time, by which sandboxes expire. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})
const age = (ms: number) => vi.advanceTimersByTime(ms)

it.each([
  [1000, '1 s'],
  [3_599_000, '3599 s'],
  [3_600_000, '1 h'],
  [7_200_000, '2 h'],
])('a sandbox limit of %i ms is reported as %s', async (sandboxIdle, expected) => {
  const { fetch } = createGateway({ limits: { sandboxIdle } })
  const baseUrl = 'https://gateway.example/sandboxes/lost/api/v1'
  const { status, body } = await call({ fetch, apiKey: 'any', baseUrl }, 'GET /providers')
  expect(status).toBe(410)
  expect(body.error.message).toContain(`was disposed, expired after ${expected} idle, or was never created`)
})

describe('sandboxes', () => {
  it('keep their data separate, even if there are 10,000', async () => {
    const { gateway, ask } = setUp({})
    const sandboxes = Array.from({ length: 10_000 }, () => gateway.createSandbox())
    expect(new Set(sandboxes.map(({ apiKey }) => apiKey)).size).toBe(10_000)
    for (const index of [0, 5000, 9999]) {
      const sandbox = sandboxes[index]
      await sandbox?.db.workspaces.update('production', { name: `Number ${index}` })
      expect((await ask(sandbox?.apiKey as string)).status).toBe(200)
      expect(sandbox?.journal.entries()).toHaveLength(1)
    }
    expect((await sandboxes[5000]?.db.workspaces.get('production'))?.name).toBe('Number 5000')
    expect((await sandboxes[1]?.db.workspaces.get('production'))?.name).toBe('Production')
  })

  it('are limited by limits.sandboxes, beyond which creation is rejected with 429', () => {
    const { gateway } = setUp({ limits: { sandboxes: 2 } })
    const first = gateway.createSandbox()
    gateway.createSandbox()
    const refusal = expect.objectContaining({
      status: 429,
      message: expect.stringMatching(
        /: Limit of 2 sandboxes reached: dispose one, or raise limits.sandboxes$/,
      ),
    })
    expect(() => gateway.createSandbox()).toThrow(refusal)
    expect(() => first.fork()).toThrow(refusal)
    first.dispose()
    expect(gateway.createSandbox().id).toBe('s3')
  })

  it('are evicted when idle, to make room for new ones', () => {
    const { gateway } = setUp({ limits: { sandboxes: 1, sandboxIdle: 1000 } })
    gateway.createSandbox()
    age(1001)
    expect(gateway.createSandbox().id).toBe('s2')
    age(900)
    expect(gateway.sandboxes.listLive()).toHaveLength(1)
    // The last check was only 101 ms ago, but creating a sandbox at the limit checks again.
    age(101)
    expect(gateway.createSandbox().id).toBe('s3')
  })

  it('expire after the idle time without requests, and then return 410', async () => {
    const { gateway, ask } = setUp({ limits: { sandboxIdle: 1000 } })
    const expired = gateway.createSandbox()
    const { id, apiKey } = expired
    age(1000)
    expect((await ask(apiKey)).status).toBe(200)
    age(1000)
    expect((await ask(apiKey)).status).toBe(200)
    age(1001)
    for (const gone of [await ask(apiKey), await ask('any', `/sandboxes/${id}/api/v1/providers`)]) {
      expect(gone.status).toBe(410)
      expect((await gone.json()).error.message).toBe(
        `Sandbox '${id}' was disposed, expired after 1 s idle, or was never created: create one with createSandbox() or POST /__understudy/sandboxes`,
      )
    }
    expect(() => expired.journal).toThrow(`Sandbox '${id}' expired after 1 s idle`)
  })

  it('expire by real time multiplied by timeScale, independent of any sandbox clock', async () => {
    const { gateway, ask } = setUp({ limits: { sandboxIdle: 1000 }, timeScale: 10 })
    const { apiKey, clock } = gateway.createSandbox()
    gateway.clock.advance(1e11)
    clock.advance(1e11)
    expect((await ask(apiKey)).status).toBe(200)
    age(101)
    expect((await ask(apiKey)).status).toBe(410)
  })

  it('do not expire while a reply is in flight', async () => {
    const { gateway, ask } = setUp({ limits: { sandboxIdle: 1000 } })
    const sandbox = gateway.createSandbox()
    sandbox.use({ on: 'listProviders', fault: 'timeout' })
    const leaving = new AbortController()
    const unread = open({ fetch: gateway.fetch, apiKey: sandbox.apiKey }, 'GET /providers', {
      signal: leaving.signal,
    })
    await sandbox.journal.waitFor('listProviders')
    age(5000)
    expect((await ask(sandbox.apiKey, '/api/v1/benchmarks')).status).toBe(200)
    leaving.abort()
    await expect(unread).rejects.toThrow()
    age(1001)
    expect((await ask(sandbox.apiKey)).status).toBe(410)
  })

  it('never expire if they are the default sandbox', async () => {
    const { gateway, ask } = setUp({ limits: { sandboxIdle: 1 } })
    age(1000)
    expect((await ask('any')).status).toBe(200)
    age(1000)
    expect((await ask('any', '/sandboxes/default/api/v1/providers')).status).toBe(200)
    age(1000)
    expect(gateway.sandboxes.find('default')).toBe(gateway.sandboxes.default)
    expect(() => gateway.sandboxes.default.dispose()).toThrow(
      'The default sandbox cannot be disposed: use reset() instead',
    )
  })

  it('return 401, not 410, for a forged key in their format', async () => {
    const { gateway, ask } = setUp({})
    const { id } = gateway.createSandbox()
    expect((await ask(`us-${id}-0000000000000000`)).status).toBe(401)
  })

  it('are selected by path first, then by API key', async () => {
    const { gateway, ask } = setUp({})
    const [byPath, byKey] = [gateway.createSandbox(), gateway.createSandbox()]
    await ask(byKey.apiKey, `/sandboxes/${byPath.id}/api/v1/providers`)
    expect([byPath.journal.entries().length, byKey.journal.entries().length]).toEqual([1, 0])
  })

  it("start with the gateway's scenarios", async () => {
    const { gateway, ask } = setUp({ scenarios: ['provider-outage'] })
    const sandbox = gateway.createSandbox()
    expect((await ask(sandbox.apiKey)).status).toBe(500)
    sandbox.fail(402)
    sandbox.resetScenarios()
    expect((await ask(sandbox.apiKey)).status).toBe(500)
  })

  it('keep their initial scenario when another of the same name is disposed after a reset', async () => {
    const { gateway, ask } = setUp({ scenarios: ['provider-outage'] })
    const sandbox = gateway.createSandbox()
    const outage = sandbox.use('provider-outage')
    sandbox.reset()
    outage[Symbol.dispose]()
    expect((await ask(sandbox.apiKey)).status).toBe(500)
  })
})

describe('a snapshot', () => {
  it('restores scenarios that can still be deactivated', async () => {
    const { gateway, ask } = setUp({})
    const sandbox = gateway.createSandbox()
    const outage = sandbox.use('provider-outage')
    const snapshot = sandbox.snapshot()
    sandbox.resetScenarios()
    sandbox.restore(snapshot)
    expect((await ask(sandbox.apiKey)).status).toBe(500)
    outage[Symbol.dispose]()
    expect((await ask(sandbox.apiKey)).status).toBe(200)
  })
})

describe('a disposed sandbox', () => {
  it('throws a 410 whenever it is used in process', async () => {
    const gateway = createGateway()
    const sandbox = gateway.createSandbox()
    const { db } = sandbox
    sandbox.dispose()
    const uses: (() => unknown)[] = [
      () => sandbox.journal.entries(),
      () => db.providers.list(),
      () => sandbox.clock.read(),
      () => sandbox.use('flaky'),
      () => sandbox.reply('Hello'),
      () => sandbox.snapshot(),
      () => sandbox.fork(),
      () => sandbox.reset(),
      () => sandbox.usage(),
      () => sandbox.run(() => 1),
      () => sandbox.clock.advance(1),
      () => sandbox.db.providers.create({} as never),
    ]
    for (const use of uses) await expect(async () => use()).rejects.toMatchObject({ status: 410 })
  })

  it('does not dispose a later sandbox of the same name', () => {
    const gateway = createGateway()
    const first = gateway.createSandbox({ id: 'checkout' })
    first.dispose()
    const second = gateway.createSandbox({ id: 'checkout' })
    first.dispose()
    expect(second.journal.size).toBe(0)
    expect(() => first.journal).toThrow("Sandbox 'checkout' was disposed")
  })
})

describe('sandbox.baseUrl', () => {
  it("points to the gateway's first running server", async () => {
    const gateway = createGateway()
    const sandbox = gateway.createSandbox()
    const first = await startServer({ gateway })
    await using second = await startServer({ gateway })
    expect([sandbox.baseUrl, gateway.baseUrl]).toEqual([`${first.url}/sandboxes/s1/api/v1`, first.baseUrl])
    expect((await call({ baseUrl: sandbox.baseUrl }, 'GET /providers')).status).toBe(200)
    expect([sandbox.journal.size, gateway.journal.size]).toEqual([1, 0])
    await first.close()
    expect(sandbox.baseUrl).toBe(`${second.url}/sandboxes/s1/api/v1`)
  })

  it("uses the gateway's base URL during an interception", async () => {
    const gateway = createGateway({ baseUrl: 'https://models.example/api/v1' })
    const sandbox = gateway.createSandbox()
    const interception = intercept(gateway)
    expect(sandbox.baseUrl).toBe('https://models.example/sandboxes/s1/api/v1')
    expect((await call({ baseUrl: sandbox.baseUrl }, 'GET /providers')).status).toBe(200)
    interception.close()
    expect(() => sandbox.baseUrl).toThrow("Sandbox 's1' has no baseUrl")
  })

  it('throws without a server, but not when sandboxes are compared or printed', () => {
    const [one, two] = [createGateway().createSandbox(), createGateway().createSandbox()]
    expect(() => one.baseUrl).toThrow('start one with startServer({ gateway })')
    expect(() => expect(one).toEqual(two)).not.toThrow('has no baseUrl')
    expect(inspect(one, { depth: 9, getters: false })).not.toContain('baseUrl:')
    expect({ ...one }).not.toHaveProperty('baseUrl')
  })
})

describe('run()', () => {
  const ask = async (gateway: Gateway) => {
    const { status, body } = await call({ fetch: gateway.fetch }, 'GET /providers')
    return { status, message: body.error?.message }
  }

  it('routes requests to its sandbox, and to the default sandbox when called on the gateway', async () => {
    const gateway = createGateway()
    const sandbox = gateway.createSandbox()
    await sandbox.run(() => ask(gateway))
    expect([sandbox.journal.size, gateway.journal.size]).toEqual([1, 0])
    await gateway.run(sandbox, () => ask(gateway))
    expect(sandbox.journal.size).toBe(2)
    await sandbox.run(() => gateway.run(() => ask(gateway)))
    expect([sandbox.journal.size, gateway.journal.size]).toEqual([2, 1])
  })

  it('throws for anything other than a live sandbox of the same gateway', () => {
    const gateway = createGateway()
    const run = (sandbox: unknown) => () => gateway.run(sandbox as Sandbox, () => 'ran')
    expect(run('s1')).toThrow(
      new TypeError("run() expects a sandbox from createSandbox() of the same gateway, got 's1'"),
    )
    gateway.createSandbox()
    expect(run(createGateway().createSandbox())).toThrow(
      'run() expects a sandbox from createSandbox() of the same gateway, got a Sandbox',
    )
    const disposed = gateway.createSandbox()
    disposed.dispose()
    expect(run(disposed)).toThrow(
      expect.objectContaining({
        status: 410,
        message: expect.stringMatching(/^Sandbox 's2' was disposed: use it/),
      }),
    )
    expect(() => disposed.run(() => 'ran')).toThrow("Sandbox 's2' was disposed")
    expect(() => gateway.run('work' as never)).toThrow('run() expects a function')
  })

  it('rejects requests with 410 after its sandbox was disposed', async () => {
    const gateway = createGateway()
    const sandbox = gateway.createSandbox({ id: 'checkout' })
    const late = sandbox.run(async () => {
      await undefined
      return ask(gateway)
    })
    sandbox.dispose()
    // A new sandbox of the same name does not receive the request.
    const next = gateway.createSandbox({ id: 'checkout' })
    expect(await late).toEqual({
      status: 410,
      message: expect.stringMatching(
        /^Sandbox 'checkout' was disposed: .* in the async context of this sandbox: await it before the test ends.* serial: true/,
      ),
    })
    expect(next.journal.size).toBe(0)
  })
})

describe('the gateway', () => {
  it('acts as its own default sandbox', async () => {
    const { gateway, ask } = setUp({})
    gateway.fail(503, { times: 1 })
    expect((await ask('any')).status).toBe(503)
    const fork = gateway.fork()
    expect(fork.journal.size).toBe(0)
    expect(gateway.journal.size).toBe(1)
    expect(() => gateway.dispose()).toThrow('use reset() instead')
  })

  it('throws when used as a sandbox if the default sandbox is disabled', () => {
    const gateway = createGateway({ limits: { defaultSandbox: false } })
    expect(() => gateway.journal).toThrow('This gateway has no default sandbox')
    expect(() => gateway.use('flaky')).toThrow('This gateway has no default sandbox')
    expect(gateway.createSandbox().journal.size).toBe(0)
  })
})

describe('createSandbox() with an existing id', () => {
  const rows = [{ name: 'Aurora', slug: 'aurora', privacy_policy_url: null }]

  it('returns the live sandbox if the data is equal or omitted', () => {
    const gateway = createGateway()
    const sandbox = gateway.createSandbox({ id: 'checkout', seed: 7, fixtures: { providers: rows } })
    expect(gateway.createSandbox({ id: 'checkout' })).toBe(sandbox)
    expect(gateway.createSandbox({ id: 'checkout', seed: 7, fixtures: { providers: rows } })).toBe(sandbox)
  })

  it.each([
    ['seed', { seed: 8 }],
    ['fixtures', { fixtures: { providers: [] } }],
    ['fork', { fork: 'default' }],
  ])('throws for a %s that would be ignored', (name, data) => {
    const gateway = createGateway()
    gateway.createSandbox({ id: 'checkout', seed: 7 })
    expect(() => gateway.createSandbox({ id: 'checkout', ...data })).toThrow(
      `Sandbox 'checkout' already exists, so its ${name} cannot be set: dispose it first, or omit ${name}`,
    )
  })

  it('returns 409 over HTTP if the seed differs', async () => {
    await using server = await startServer()
    const put = (body: object) =>
      fetch(`${server.url}/__understudy/sandboxes/checkout`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    expect((await put({ seed: 7 })).status).toBe(200)
    expect((await put({ seed: 7 })).status).toBe(200)
    expect((await put({ seed: 8 })).status).toBe(409)
  })
})
