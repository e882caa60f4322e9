/** Faults of streams, usage and fields, over a socket, as the official client of each protocol sees them. */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Fault, Sandbox } from '../../../src/index.ts'
import { readAt, readPath } from '../../../src/lib/value-path.ts'
import { type RunningServer, startServer } from '../../../src/serve.ts'

const model = 'aurora/dawn-2'
const content = 'How do tides work?'
const messages = [{ role: 'user' as const, content }]
const ask = { model, messages, max_tokens: 1000 }

let server: RunningServer
beforeAll(async () => {
  server = await startServer({ timeScale: 0 })
})
afterAll(() => server.close())

type Protocol = 'responses' | 'chat' | 'messages'
type Send = (fetch: typeof globalThis.fetch, apiKey: string, signal: AbortSignal) => Promise<unknown>

const openai = (fetch: typeof globalThis.fetch, apiKey: string) =>
  new OpenAI({ apiKey, fetch, baseURL: server.baseUrl, maxRetries: 0 })
const anthropic = (fetch: typeof globalThis.fetch, authToken: string) =>
  new Anthropic({ authToken, apiKey: null, fetch, baseURL: server.baseUrl.slice(0, -3), maxRetries: 0 })

/** Each sends one request, and returns the reply or an iterable of events. */
const clients: Record<Protocol, Record<'json' | 'stream', Send>> = {
  responses: {
    json: (fetch, key, signal) => openai(fetch, key).responses.create({ model, input: content }, { signal }),
    stream: (fetch, key, signal) =>
      openai(fetch, key).responses.create({ model, input: content, stream: true }, { signal }),
  },
  chat: {
    json: (fetch, key, signal) => openai(fetch, key).chat.completions.create(ask, { signal }),
    stream: (fetch, key, signal) =>
      openai(fetch, key).chat.completions.create(
        { ...ask, stream: true, stream_options: { include_usage: true } },
        { signal },
      ),
  },
  messages: {
    json: (fetch, key, signal) => anthropic(fetch, key).messages.create(ask, { signal }),
    stream: (fetch, key, signal) =>
      anthropic(fetch, key).messages.create({ ...ask, stream: true }, { signal }),
  },
}

// biome-ignore lint/suspicious/noExplicitAny: replies and events of three protocols, right and wrong ones
type Value = any

interface Seen {
  /** The reply that the client returned, or the events of a stream. */
  values: Value[]
  /** The body as sent. */
  raw: string
  error: string | undefined
  warnings: readonly string[]
}

/** Calls a client on a new sandbox. Aborts the call once `isEnough` is true of the bytes received. */
async function see(
  [protocol, form]: [Protocol, 'json' | 'stream'],
  fault: Fault,
  isEnough: (raw: string) => boolean = () => false,
): Promise<Seen> {
  const sandbox = server.gateway.createSandbox() as Sandbox
  sandbox.use({ on: '*', fault })
  const controller = new AbortController()
  const seen: Seen = { values: [], raw: '', error: undefined, warnings: [] }
  const decoder = new TextDecoder()
  const watched = async (...args: Parameters<typeof fetch>) => {
    const response = await fetch(...args)
    const tap = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, body) {
        seen.raw += decoder.decode(chunk, { stream: true })
        body.enqueue(chunk)
        if (isEnough(seen.raw)) controller.abort()
      },
    })
    return new Response(response.body?.pipeThrough(tap), response)
  }
  try {
    const reply = await clients[protocol][form](watched, sandbox.apiKey, controller.signal)
    if (form === 'json') seen.values.push(reply)
    else for await (const event of reply as AsyncIterable<unknown>) seen.values.push(event)
  } catch (error) {
    seen.error = (error as Error).constructor.name
  }
  seen.warnings = sandbox.journal.entries()[0]?.warnings ?? []
  return seen
}

const protocols = ['responses', 'chat', 'messages'] as const

/** Whole heartbeats on the wire, with the comments that only the bytes show. */
const beats = {
  comment: /^: keep-alive\n\n/gm,
  ping: /^event: ping\ndata: \{"type":"ping"\}\n\n/gm,
  in_progress: /^data: \{"type":"response\.in_progress","response":\{.*,"sequence_number":\d+\}\n\n/gm,
  'empty-delta':
    /^data: \{"id":.*"delta":\{"content":""\},.*"finish_reason":null,"logprobs":null\}\]\}\n\n/gm,
}
const heartbeatOf = { responses: 'in_progress', chat: 'empty-delta', messages: 'ping' }

it.each(
  protocols.flatMap((protocol) =>
    Object.entries(beats).map(([kind, beat]) => [protocol, kind, beat] as const),
  ),
)('stream-stall: in %s, the heartbeat %s', async (protocol, heartbeat, beat) => {
  const fault = { name: 'stream-stall', afterDeltas: 2, heartbeat, every: '5s' } as Fault
  const own = protocol === 'messages' && heartbeat === 'ping' ? 1 : 0
  const { raw, values, warnings } = await see(
    [protocol, 'stream'],
    fault,
    (text) => (text.match(beat)?.length ?? 0) >= 20 + own,
  )
  const isFinal = /response\.completed|"finish_reason":"stop"|message_stop/.test(raw)
  if (heartbeat !== 'comment' && heartbeat !== heartbeatOf[protocol]) {
    expect(warnings).toEqual([
      `'stream-stall' found nothing to act on: this protocol has no heartbeat '${heartbeat}'`,
    ])
    expect(isFinal).toBe(true)
    return
  }
  expect([isFinal, warnings]).toEqual([false, []])
  expect(raw.match(/"(delta|content|text)":"[^"]/g)).toHaveLength(2)
  const numbers = values.map(({ sequence_number }) => sequence_number)
  if (protocol === 'responses') expect(numbers).toEqual([...numbers.keys()])
})

it.each(protocols.flatMap((protocol) => [[protocol, 'json'] as const, [protocol, 'stream'] as const]))(
  'body-stall: in %s, a %s body has its head and 100 bytes',
  async (...where) => {
    const fault: Fault = { name: 'body-stall', afterBytes: 100 }
    const { raw, values, error, warnings } = await see(where, fault, (text) => text.length >= 100)
    expect([raw.length, values.length, warnings]).toEqual([100, 0, []])
    // The clients end a stream without an error if the caller aborts it.
    expect(error !== undefined).toBe(where[1] === 'json')
  },
)

/** Events that have usage (u) and that do not (.), as the client sees them. */
const patterns = {
  missing: [/^\.+$/, /^\.+$/, /^\.+$/],
  null: [/^\.+$/, /^\.+$/, /^\.+$/],
  'every-event': [/^u+$/, /^u+$/, /^u+$/],
  'start-and-end': [/^uu\.+u$/, /^u\.+u$/, /^u\.+u\.$/],
  twice: [/^uu\.+uu$/, /^\.+uu$/, /^u\.+uu\.$/],
  'after-finish': [/^uu\.+$/, /^\.+$/, /^u\.+u$/],
}
const usageOf = (value: Value) => (value.response ?? value.message ?? value).usage

it.each(
  Object.entries(patterns).flatMap(([form, expected]) =>
    protocols.map((protocol, index) => [form, protocol, expected[index] as RegExp] as const),
  ),
)('usage: %s in %s', async (form, protocol, pattern) => {
  const fault = { name: 'usage', form } as Fault
  const { values, raw, error, warnings } = await see([protocol, 'stream'], fault)
  expect(error).toBeUndefined()
  expect(values.map((value) => (usageOf(value) ? 'u' : '.')).join('')).toMatch(pattern)
  const isUsual = form === 'start-and-end' && protocol !== 'chat'
  const reason = `only a stream whose usage is at its end can have the form '${form}'`
  const missed = [`'usage' found nothing to act on: ${reason}`]
  expect(warnings).toEqual(isUsual ? missed : [])
  const outputs = values.map((value) => usageOf(value)?.output_tokens ?? usageOf(value)?.completion_tokens)
  if (form === 'every-event') expect(outputs).toEqual(outputs.toSorted((left, right) => left - right))
  expect([form, raw.includes('"usage"'), raw.includes('"usage":null')]).toEqual([
    form,
    form !== 'missing',
    form === 'null',
  ])
  expect(/"usage":\{[^\n]*\n\n$/.test(raw)).toBe(
    form === 'after-finish' || (form === 'every-event' && protocol === 'messages'),
  )

  const json = await see([protocol, 'json'], fault)
  const shown = { missing: undefined, null: null }[form as 'null']
  if (form in { missing: 0, null: 0 }) expect(json.values[0].usage).toBe(shown)
  else expect(json.warnings).toEqual(missed)
})

const fields = {
  responses: { json: { path: 'status' }, stream: { path: 'response.status', event: 'response.completed' } },
  chat: { json: { path: 'choices.0.finish_reason' }, stream: { path: 'choices.0.delta.content', event: 3 } },
  messages: { json: { path: 'stop_reason' }, stream: { path: 'delta.stop_reason', event: 'message_delta' } },
} as const
const changes = [
  ['absent', undefined],
  ['null', null],
  ['wrong-type', 42],
  [{ value: { any: ['value'] } }, { any: ['value'] }],
] as const

it.each(protocols.flatMap((protocol) => changes.map(([to, expected]) => [protocol, to, expected] as const)))(
  'field: in %s, to %j',
  async (protocol, to, expected) => {
    for (const form of ['json', 'stream'] as const) {
      const place = fields[protocol][form]
      const valuesWith = async (fault: Fault) => {
        const { values, warnings } = await see([protocol, form], fault)
        expect(warnings).toEqual([])
        return values.map((value) => readAt(value, readPath(place.path)))
      }
      const usual = await valuesWith({ name: 'latency', ms: 1 })
      const seen = await valuesWith({ name: 'field', ...place, to } as Fault)
      const different = seen.filter((value, index) => JSON.stringify(value) !== JSON.stringify(usual[index]))
      expect(different).toEqual([expected])
    }
  },
)

it('field: a field or an event that the reply does not have is reported', async () => {
  for (const [where, event, why] of [
    ['json', undefined, "the answer has no field 'none'"],
    ['stream', 'response.created', "no event 'response.created' has a field 'none'"],
    ['json', 0, "no event '0' has a field 'none'"],
  ] as const) {
    const { warnings } = await see(['responses', where], { name: 'field', path: 'none', event } as Fault)
    expect(warnings).toEqual([`'field' found nothing to act on: ${why}`])
  }
})
