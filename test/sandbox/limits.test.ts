/** Tests journal limits, which a gateway's sandboxes share, and sizes that a sandbox must support. */
import { describe, expect, it } from 'vitest'
import { createGateway, type Gateway } from '../../src/index.ts'
import { startServer } from '../../src/serve.ts'
import { call } from '../call.ts'

async function ask(gateway: Gateway, apiKey: string, body: object): Promise<string> {
  const { text } = await call({ fetch: gateway.fetch, apiKey }, 'POST /responses', {
    body: { model: 'aurora/dawn-2', input: 'Grüße, 世界 🌍?', ...body },
  })
  return text
}

describe('journal limits', () => {
  it('allow a body sent in thousands of chunks to be stored in full', async () => {
    const gateway = createGateway({ timeScale: 0 })
    const reply = { text: 'Zoë 🙂 '.repeat(50) }
    gateway.use({ on: 'createResponse', reply, fault: { name: 'stream-split', bytes: 3 } })
    const text = await ask(gateway, 'any', { stream: true })
    expect(gateway.journal.last('createResponse')?.responseBody).toEqual({ text, truncatedBytes: 0 })
    expect(text).not.toContain('\uFFFD')
  })

  it('evict the oldest calls first, across all sandboxes', async () => {
    const gateway = createGateway({ limits: { journalEntries: 5 } })
    const [first, second] = [gateway.createSandbox(), gateway.createSandbox()]
    const models = ({ journal }: typeof first) =>
      journal.entries().map(({ body }) => (body as { model: string }).model)
    for (let turn = 1; turn <= 4; turn++)
      for (const { apiKey } of [first, second]) await ask(gateway, apiKey, { model: `aurora/dawn-${turn}` })
    expect(models(first)).toEqual(['aurora/dawn-3', 'aurora/dawn-4'])
    expect(models(second)).toEqual(['aurora/dawn-2', 'aurora/dawn-3', 'aurora/dawn-4'])
    expect([first.journal.evictedCount, second.journal.evictedCount]).toEqual([2, 1])
  })

  it('cap the total size of stored bodies, including streams in flight', async () => {
    const gateway = createGateway({ limits: { journalBytes: 100_000 } })
    const sandboxes = [gateway.createSandbox(), gateway.createSandbox()]
    const { store } = gateway.sandboxes
    const input = 'x'.repeat(20_000)
    for (let turn = 0; turn < 5; turn++)
      for (const { apiKey } of sandboxes) {
        await ask(gateway, apiKey, { input, stream: turn % 2 === 0 })
        expect(store.bytes).toBeLessThanOrEqual(100_000)
      }
    expect(store.bytes).toBeGreaterThan(50_000)
  })
})

describe('a sandbox with 20,000 active rules', () => {
  const full = 'at most 20000 active rules'
  const rule = { on: 'listProviders', fault: 'status' } as const
  const name = 'many'
  const rules = Array.from({ length: 10_000 }, () => rule)

  it('rejects another rule, in process and over HTTP, until a scenario is deactivated', async () => {
    await using server = await startServer()
    const { gateway } = server
    const put = () =>
      fetch(`${server.url}/__understudy/sandboxes/default/scenarios/one`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'one', rules: [rule] }),
      })
    const many = gateway.use({ name, rules })
    gateway.use({ name, rules })
    expect(() => gateway.use(rule)).toThrow(full)
    const refused = await put()
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining(full)])
    many[Symbol.dispose]()
    expect((await put()).ok).toBe(true)
  })
})

describe('a 1 MB name', () => {
  it('is rejected for a scenario, operation, fault or field without comparing it with every known name', async () => {
    const long = 'x'.repeat(1_000_000)
    const gateway = createGateway()
    expect(() => gateway.use(long as never)).toThrow()
    expect(() => gateway.use({ on: long, fault: 'status' } as never)).toThrow()
    expect(() => gateway.use({ on: 'listProviders', fault: long } as never)).toThrow()
    expect(() => gateway.use({ on: 'listProviders', fault: 'status', [long]: 1 } as never)).toThrow()
    expect(() => gateway.use({ name: long, rules: [{ on: 'listProviders', fault: 'status' }] })).toThrow()
  })
})
