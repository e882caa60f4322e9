/** Tests what the ledger counts: cached prompts, and streams that end before their answers. */
import { describe, expect, it } from 'vitest'
import { createGateway, type Sandbox } from '../../../src/index.ts'
import { call, open } from '../../call.ts'

const model = 'aurora/dawn-2'
const five = { type: 'ephemeral' }
const hour = { type: 'ephemeral', ttl: '1h' }
const text = (words: string, cache_control?: object) => ({ type: 'text', text: words, cache_control })

describe('POST /messages with cache_control', () => {
  const gateway = createGateway({ timeScale: 0 })

  /** Returns uncached, read and written tokens, those written for five minutes, and those for an hour. */
  async function ask(body: object, { apiKey } = gateway.createSandbox()) {
    const sent = { model, max_tokens: 5, messages: [{ role: 'user', content: 'one two' }], ...body }
    const { body: message } = await call({ fetch: gateway.fetch, apiKey }, 'POST /messages', { body: sent })
    const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, cache_creation } =
      message.usage
    const { ephemeral_5m_input_tokens = 0, ephemeral_1h_input_tokens = 0 } = cache_creation ?? {}
    expect(ephemeral_5m_input_tokens + ephemeral_1h_input_tokens).toBe(cache_creation_input_tokens)
    return [input_tokens, cache_read_input_tokens, ephemeral_5m_input_tokens, ephemeral_1h_input_tokens]
  }
  const system = [text('a b c d', five)]

  it('writes at first, and reads for five minutes since the last use', async () => {
    const sandbox = gateway.createSandbox()
    expect(await ask({ system }, sandbox)).toEqual([2, 0, 4, 0])
    sandbox.clock.advance('4m')
    expect(await ask({ system }, sandbox)).toEqual([2, 4, 0, 0])
    sandbox.clock.advance('4m')
    expect(await ask({ system }, sandbox)).toEqual([2, 4, 0, 0])
    sandbox.clock.advance('6m')
    expect(await ask({ system }, sandbox)).toEqual([2, 0, 4, 0])
    expect(sandbox.usage()).toMatchObject({ inputTokens: 24, cachedTokens: 8, cacheWriteTokens: 8 })
  })

  // The line break between the blocks of a system prompt is a token, too.
  it('keeps a prompt for an hour with ttl, and the rest for five minutes', async () => {
    const sandbox = gateway.createSandbox()
    const body = { system: [text('a b c d', hour), text(' e f', five)] }
    expect(await ask(body, sandbox)).toEqual([3, 0, 2, 4])
    sandbox.clock.advance('59m')
    expect(await ask(body, sandbox)).toEqual([3, 4, 2, 0])
    expect(sandbox.usage()).toMatchObject({ cacheWriteTokens: 8, cacheWriteTokens1h: 4 })
  })

  it('finds what an earlier breakpoint wrote, as the conversation goes on', async () => {
    const sandbox = gateway.createSandbox()
    const first = { role: 'user', content: [text('a b', five)] }
    const later = [
      { role: 'user', content: 'a b' },
      { role: 'assistant', content: 'c' },
    ]
    expect(await ask({ messages: [first] }, sandbox)).toEqual([0, 0, 2, 0])
    const next = { role: 'user', content: [text('d', five)] }
    expect(await ask({ messages: [...later, next] }, sandbox)).toEqual([0, 2, 2, 0])
    const many = Array.from({ length: 20 }, () => text('e'))
    const far = { role: 'user', content: [text('d'), ...many, text('f', five)] }
    expect(await ask({ messages: [...later, far] }, sandbox)).toEqual([0, 0, 25, 0])
  })

  it.each([
    [
      'in a tool result',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 't', content: [text('a b', five)] }],
          },
        ],
      },
      [0, 0, 2, 0],
    ],
    ['in the request itself', { cache_control: hour }, [0, 0, 0, 2]],
    ['nowhere', { system: 'a b' }, [4, 0, 0, 0]],
  ])('finds a breakpoint %s', async (_, body, usage) => {
    expect(await ask(body)).toEqual(usage)
  })

  it('caches by model, is restored with a snapshot, and is forgotten by a reset', async () => {
    const sandbox = gateway.createSandbox()
    const empty = sandbox.snapshot()
    await ask({ system }, sandbox)
    const full = sandbox.snapshot()
    expect(await ask({ system, model: 'borealis/polar-4' }, sandbox)).toEqual([2, 0, 4, 0])
    sandbox.restore(empty)
    expect(await ask({ system }, sandbox)).toEqual([2, 0, 4, 0])
    sandbox.restore(full)
    expect(await ask({ system }, sandbox)).toEqual([2, 4, 0, 0])
    sandbox.reset()
    expect(await ask({ system }, sandbox)).toEqual([2, 0, 4, 0])
  })

  it('charges for reading and writing by the model, by default in proportion to the input', async () => {
    const sandbox = gateway.createSandbox()
    const ttls = { system: [text('a b', hour), text(' c', five)], messages: [{ role: 'user', content: 'd' }] }
    const price = { prompt: '1', completion: '0', image: '0', request: '0' }
    await sandbox.db.models.update(model, { pricing: price })
    await ask(ttls, sandbox)
    await ask(ttls, sandbox)
    const prices = { input_cache_read: '10', input_cache_write: '100', input_cache_write_1h: '1000' }
    await sandbox.db.models.update(model, { pricing: { ...price, ...prices } })
    await ask(ttls, sandbox)
    sandbox.clock.advance('2h')
    await ask(ttls, sandbox)
    expect(sandbox.journal.entries().map(({ usage }) => usage?.cost)).toEqual([
      2 * 2 + 1.25 + 2,
      0.1 * 3 + 2,
      10 * 3 + 2,
      2 * 1000 + 100 + 2,
    ])
  })

  it('takes the usage from a script', async () => {
    const sandbox = gateway.createSandbox()
    const details = { cached_tokens: 3, cache_write_tokens: 5, cache_write_1h_tokens: 4 }
    sandbox.reply({ text: 'Hi', usage: { input_tokens: 10, input_tokens_details: details, cost: 0.125 } })
    expect(await ask({ system }, sandbox)).toEqual([2, 3, 1, 4])
    const { body } = await call({ fetch: gateway.fetch, apiKey: sandbox.apiKey }, 'POST /chat/completions', {
      body: { model, messages: [{ role: 'user', content: 'Hi' }] },
    })
    expect(body.usage.prompt_tokens_details).toEqual({ cached_tokens: 3, cache_write_tokens: 5 })
    expect(sandbox.usage()).toMatchObject({ cacheWriteTokens: 10, cacheWriteTokens1h: 8, cost: 0.25 })
  })
})

describe('a stream that ends early', () => {
  const gateway = createGateway({ timeScale: 0 })
  const messages = [{ role: 'user', content: 'Why do tides come twice a day?' }]
  const bodies = {
    responses: { input: messages[0]?.content },
    'chat/completions': { messages },
    messages: { messages, max_tokens: 500 },
  }
  const target = ({ apiKey }: Sandbox) => ({ fetch: gateway.fetch, apiKey })
  const paths = Object.keys(bodies) as (keyof typeof bodies)[]
  /** Aborts a stream after some of its events. */
  const abortAfter = async (events: number, sandbox: Sandbox, path: keyof typeof bodies) => {
    using gate = sandbox.hold('text', { at: 'event', after: events })
    const abort = new AbortController()
    const body = { model, stream: true, ...bodies[path] }
    const response = await open(target(sandbox), `POST /${path}`, { body, signal: abort.signal })
    const reading = response.text().catch(() => {})
    await gate.arrived()
    abort.abort()
    await reading
  }
  const isDelta =
    /^data: .*("type":"(?:response.output_text.delta|content_block_delta)"|"delta":\{"content":"[^"])/gm

  describe.each(paths)('of POST /%s', (path) => {
    const body = { model, stream: true, ...bodies[path] }

    it.each([
      ['stream-cut', { name: 'stream-cut', afterDeltas: 7 }],
      ['stream-reset', { name: 'stream-reset', afterDeltas: 7 }],
      ['stream-error-event', { name: 'stream-error-event', afterDeltas: 7 }],
    ] as const)('counts the deltas that were sent before %s', async (_, fault) => {
      const sandbox = gateway.createSandbox()
      sandbox.use({ on: 'text', fault })
      const response = await open(target(sandbox), `POST /${path}`, { body })
      let wire = ''
      const reader = response.body?.pipeThrough(new TextDecoderStream()) ?? []
      await (async () => {
        for await (const part of reader) wire += part
      })().catch(() => {})
      const [entry] = sandbox.journal.entries()
      const sent = wire.match(isDelta)?.length
      expect(sent).toBeGreaterThan(2)
      expect(entry?.usage).toMatchObject({ inputTokens: 8, outputTokens: sent })
      expect(sandbox.usage()).toMatchObject({
        inputTokens: 8,
        outputTokens: sent,
        requests: 1,
        cost: entry?.usage?.cost,
      })
    })

    it('counts the deltas that were sent before the client aborts', async () => {
      const sandbox = gateway.createSandbox()
      await abortAfter(4, sandbox, path)
      expect(sandbox.usage()).toMatchObject({ inputTokens: 8, outputTokens: 4, requests: 1 })
    })

    it.skipIf(path === 'responses')('costs nothing if it fails before it begins', async () => {
      const sandbox = gateway.createSandbox()
      sandbox.reply({ error: { message: 'No' } })
      const { status } = await call(target(sandbox), `POST /${path}`, { body: { ...body, stream: false } })
      expect([status >= 500, sandbox.usage().requests]).toEqual([true, 0])
    })

    it('costs nothing if a fault replaces the reply', async () => {
      const sandbox = gateway.createSandbox()
      sandbox.fail(503, { times: 1 })
      await call(target(sandbox), `POST /${path}`, { body })
      expect(sandbox.usage()).toMatchObject({ requests: 0, inputTokens: 0, cost: 0 })
    })

    it('keeps the usage of a whole answer, whatever becomes of its end', async () => {
      const sandbox = gateway.createSandbox()
      sandbox.reply({ text: 'a b c', usage: { input_tokens: 1000, output_tokens: 500 } })
      sandbox.use({ on: 'text', fault: { name: 'usage', form: 'null' } })
      await call(target(sandbox), `POST /${path}`, { body })
      expect(sandbox.usage()).toMatchObject({ inputTokens: 1000, outputTokens: 500 })
    })
  })

  it('tells reasoning from text', async () => {
    for (const path of paths) {
      const sandbox = gateway.createSandbox()
      sandbox.reply({ output: [{ type: 'reasoning', content: 'a b c' }], text: 'd e f g h i' })
      await abortAfter(2, sandbox, path)
      expect([path, sandbox.usage()]).toMatchObject([path, { outputTokens: 5, reasoningTokens: 3 }])
    }
  })
})
