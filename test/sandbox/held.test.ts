/**
 * What a gateway holds for its callers is bounded: all sandboxes together, by what it takes in memory.
 */
import { describe, expect, it, vi } from 'vitest'
import { createGateway, type Gateway } from '../../src/index.ts'
import { startServer } from '../../src/serve.ts'

function ask(gateway: Gateway, key: string, body: object) {
  return gateway.fetch('https://gateway.example/api/v1/responses', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'aurora/dawn-2', input: 'Grüße, 世界 🌍?', ...body }),
  })
}

const tooMuch = expect.objectContaining({ status: 503, message: expect.stringContaining('maxHeldBytes') })

describe('a body of thousands of parts', () => {
  it('takes little more memory in the journal than its text, and is whole', async () => {
    const gateway = createGateway({ timeScale: 0 })
    const reply = { text: 'Zoë 🙂 '.repeat(50) }
    gateway.use({ on: 'createResponse', reply, fault: { name: 'stream-split', bytes: 3 } })
    const before = gateway.sandboxes.held.bytes
    const text = await (await ask(gateway, 'any', { stream: true })).text()
    expect(gateway.journal.last('createResponse')?.replyBody).toEqual({ text, cut: 0 })
    expect(text).not.toContain('\uFFFD')
    expect(gateway.sandboxes.held.bytes - before).toBeLessThan(text.length + 10_000)
  })
})

describe('maxHeldBytes', () => {
  const input = 'x'.repeat(20_000)

  it('lets the oldest calls of all sandboxes go first', async () => {
    const gateway = createGateway({ maxHeldBytes: 300_000 })
    const [first, second] = [gateway.createSandbox(), gateway.createSandbox()]
    for (let turn = 0; turn < 10; turn++)
      for (const { apiKey } of [first, second]) await (await ask(gateway, apiKey, { input })).text()
    expect(gateway.sandboxes.held.bytes).toBeLessThanOrEqual(300_000)
    for (const { journal } of [first, second]) {
      expect(journal.dropped()).toBeGreaterThan(2)
      expect(journal.entries().length).toBeGreaterThan(2)
    }
  })

  it('counts the times of a paced stream while its call is kept, and no longer', async () => {
    const gateway = createGateway({ journal: { entries: 1 } })
    const { held } = gateway.sandboxes
    gateway.use({ on: 'createResponse', fault: { name: 'slow-stream', everyMs: 2 } })
    const list = async () => {
      const headers = { authorization: 'Bearer any' }
      await (await gateway.fetch('https://gateway.example/api/v1/providers', { headers })).text()
      return held.bytes
    }
    const stream = async () => (await ask(gateway, 'any', { input: 'ok', stream: true })).text()
    // That a request has come before is remembered.
    await stream()
    const before = await list()
    await stream()
    expect(held.bytes).toBeGreaterThan(before)
    expect(await list()).toBe(before)
  })

  it('then refuses rules, rows and sandboxes with 503 and the way out; the API still answers', async () => {
    const gateway = createGateway({ maxHeldBytes: 200_000 })
    const sandbox = gateway.createSandbox()
    const rule = {
      on: 'createResponse',
      when: { input: 'never' },
      reply: { text: 'x'.repeat(20_000) },
    } as const
    expect(() => {
      for (let count = 0; count < 100; count++) sandbox.use(rule)
    }).toThrow(tooMuch)
    const before = await gateway.db.providers.list()
    await expect(async () => {
      for (let count = 0; count < 1000; count++)
        await gateway.db.providers.create({
          name: 'x'.repeat(5000),
          slug: `p-${count}`,
          privacy_policy_url: null,
        })
    }).rejects.toThrow(tooMuch)
    expect(() => {
      for (let count = 0; count < 1000; count++) gateway.createSandbox()
    }).toThrow(tooMuch)
    expect((await ask(gateway, 'any', {})).status).toBe(200)
    for (const { id } of gateway.sandboxes.list()) gateway.sandboxes.dispose(id)
    gateway.reset()
    expect(await gateway.db.providers.list()).toHaveLength(before.length)
    sandbox.dispose()
    expect(gateway.createSandbox()).toBeDefined()
  })

  it('is free again to the last byte when all is disposed of and reset', async () => {
    const gateway = createGateway()
    const before = gateway.sandboxes.held.bytes
    const sandbox = gateway.createSandbox()
    sandbox.use('flaky')
    sandbox.use({ on: 'listProviders', fault: 'status' })
    await sandbox.db.providers.create({ name: 'One', slug: 'one', privacy_policy_url: null })
    await sandbox.db.providers.delete('one')
    sandbox.restore(sandbox.snapshot())
    await (await ask(gateway, sandbox.apiKey, { stream: true })).text()
    await (await ask(gateway, 'any', { stream: true })).text()
    expect(gateway.sandboxes.held.bytes).toBeGreaterThan(before)
    sandbox.dispose()
    await (await ask(gateway, sandbox.apiKey, {})).text()
    gateway.reset()
    expect(gateway.sandboxes.held.bytes).toBe(before)
    expect(sandbox.journal.entries()).toHaveLength(1)
  })
})

describe('what is held', () => {
  it('counts the requests that a sandbox remembers', async () => {
    const gateway = createGateway({ journal: { entries: 1 } })
    await (await ask(gateway, 'any', { metadata: { turn: -1 } })).text()
    const before = gateway.sandboxes.held.bytes
    for (let turn = 0; turn < 50; turn++) await (await ask(gateway, 'any', { metadata: { turn } })).text()
    expect(gateway.sandboxes.held.bytes - before).toBeGreaterThan(50 * 100)
  })

  describe.each(['in this process', 'far away'])('by snapshots %s', (where) => {
    const name = 'x'.repeat(50_000)

    async function setUp() {
      const server = await startServer()
      const { gateway, url } = server
      const kept: unknown[] = []
      const take = async () => {
        if (where === 'in this process') return kept.push(gateway.snapshot())
        const made = await fetch(`${url}/__understudy/sandboxes/default/snapshots`, { method: 'POST' })
        return kept.push(expect(made.status).toBe(201))
      }
      await gateway.db.providers.create({ name, slug: 'long', privacy_policy_url: null })
      return { server, gateway, kept, take, held: gateway.sandboxes.held }
    }

    it('are the rows that only they have, once', async () => {
      const { server, gateway, kept, take, held } = await setUp()
      await take()
      const before = held.bytes
      for (let turn = 0; turn < 5; turn++) await take()
      expect(held.bytes - before).toBeLessThan(name.length)
      for (let turn = 0; turn < 5; turn++) {
        await gateway.db.providers.update('long', { privacy_policy_url: `https://a.example/${turn}` })
        await take()
      }
      expect(held.bytes - before).toBeGreaterThan(5 * name.length)
      expect(held.bytes - before).toBeLessThan(20 * name.length)
      expect(kept).toHaveLength(11)
      await server.close()
    })

    it('are counted once, however often one is restored and written over', async () => {
      const { server, gateway, take, held } = await setUp()
      await take()
      const snapshot = gateway.snapshot()
      const weights: number[] = []
      for (let turn = 0; turn < 4; turn++) {
        await gateway.db.providers.create({ name: 'Other', slug: 'other', privacy_policy_url: null })
        weights.push(held.bytes)
        gateway.restore(snapshot)
      }
      expect(weights.slice(2)).toEqual([weights[1], weights[1]])
      await server.close()
    })

    it('are not those of the sandbox that was forked', async () => {
      const { server, gateway, take, held } = await setUp()
      await take()
      const before = held.bytes
      const fork = gateway.sandboxes.default.fork()
      await fork.db.providers.create({ name: 'Other', slug: 'other', privacy_policy_url: null })
      const own = fork.snapshot()
      // Its own copy of the long row, of two bytes a character, once.
      expect(held.bytes - before).toBeGreaterThan(2 * name.length)
      expect(held.bytes - before).toBeLessThan(3 * name.length)
      expect(own.id).toBeTruthy()
      fork.dispose()
      await server.close()
    })

    it('are none of them when the sandbox is gone', async () => {
      const { server, gateway, take, held } = await setUp()
      await take()
      const before = held.bytes
      const sandbox = gateway.createSandbox()
      const kept = [sandbox.snapshot()]
      await sandbox.db.providers.create({ name, slug: 'other', privacy_policy_url: null })
      kept.push(sandbox.snapshot())
      await sandbox.db.providers.delete('other')
      expect(held.bytes - before).toBeGreaterThan(name.length)
      sandbox.dispose()
      expect(held.bytes).toBe(before)
      expect(kept).toHaveLength(2)
      await server.close()
    })
  })

  it('is refused with 503 where a sandbox takes snapshot after snapshot, and frees what they hold with it', async () => {
    const gateway = createGateway({ maxHeldBytes: 500_000 })
    const sandbox = gateway.createSandbox()
    const kept: unknown[] = []
    const fill = async () => {
      for (let turn = 0; turn < 100; turn++) {
        kept.push(sandbox.snapshot())
        await sandbox.db.providers.create({
          name: 'x'.repeat(5000),
          slug: `p${turn}`,
          privacy_policy_url: null,
        })
      }
    }
    await expect(fill).rejects.toThrow(tooMuch)
    sandbox.dispose()
    expect(gateway.createSandbox().snapshot()).toBeDefined()
    expect(kept.length).toBeGreaterThan(3)
  })

  it('counts responses that are stored, and prompts that are remembered', async () => {
    const gateway = createGateway({ storedResponses: true, promptCache: true, journal: { entries: 1 } })
    const before = gateway.sandboxes.held.bytes
    for (let turn = 0; turn < 3; turn++)
      await (await ask(gateway, 'any', { store: true, input: `${turn} ${'word '.repeat(5000)}` })).text()
    expect(gateway.sandboxes.held.bytes - before).toBeGreaterThan(3 * 2 * 25_000)
  })
})

describe('a sandbox with 1,001 scenarios', () => {
  it('can still end the first by its id, however many came after it', () => {
    const other = createGateway().sandboxes.default
    const sandbox = createGateway().sandboxes.default
    const uses = Array.from({ length: 1001 }, () => sandbox.use({ on: 'listProviders', fault: 'status' }))
    expect(sandbox.rules.end(uses[0]?.id ?? '')).toBe(1)
    expect(sandbox.rules.names()).toHaveLength(1000)
    expect(other.rules.end(uses[1]?.id ?? '')).toBe(0)
  })
})

describe('a name of 1 MB', () => {
  it('of a scenario, an operation or a field is refused without comparing it with every other', async () => {
    const long = 'x'.repeat(1_000_000)
    const gateway = createGateway()
    expect(() => gateway.use(long as never)).toThrow()
    expect(() => gateway.use({ on: long, fault: 'status' } as never)).toThrow()
    expect(() => gateway.use({ on: 'listProviders', fault: long } as never)).toThrow()
    expect(() => gateway.use({ on: 'listProviders', fault: 'status', [long]: 1 } as never)).toThrow()
    expect(() => gateway.use({ name: long, rules: [{ on: 'listProviders', fault: 'status' }] })).toThrow()
  })
})

describe('the journal of 10,000 rules', () => {
  it('tells a hundred near misses of each call, counts the others, and explains all', async () => {
    const gateway = createGateway()
    const rules = Array.from({ length: 10_000 }, (_, index) => ({
      on: 'createResponse' as const,
      when: { input: `never ${index}` },
      fault: 'status' as const,
    }))
    gateway.use({ name: 'many', rules })
    for (let call = 0; call < 3; call++) await (await ask(gateway, 'any', {})).text()
    for (const { nearMisses } of gateway.journal.entries()) {
      expect(nearMisses).toHaveLength(101)
      expect(nearMisses.at(-1)?.reason).toBe("rule 101 of 'many' did not happen either, nor did 9899 more")
    }
    const last = gateway.journal.last('createResponse')
    expect(gateway.journal.explain(last as { id: string })).toContain("rule 10000 of 'many'")
  })
})

describe('who waits for a call over HTTP', () => {
  it('leaves nothing behind when it leaves', async () => {
    await using server = await startServer()
    const left = new AbortController()
    const waiting = fetch(`${server.url}/__understudy/sandboxes/default/journal/wait`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ operation: 'listProviders', timeoutMs: 600_000 }),
      signal: left.signal,
    })
    const { journal } = server.gateway
    await vi.waitFor(() => expect(journal.waiting).toBe(1))
    left.abort()
    await expect(waiting).rejects.toThrow()
    await vi.waitFor(() => expect(journal.waiting).toBe(0))
  })
})
