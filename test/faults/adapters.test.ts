/**
 * Tests every fault through every adapter, as a client sees it. `socket.test.ts` covers effects that are
 * visible only on a raw socket.
 */

import { createParser } from 'eventsource-parser'
import { describe, expect, it } from 'vitest'
import type { Fault } from '../../src/faults/index.ts'
import type { OperationName } from '../../src/scenarios/names.ts'
import { describeAdapters, type Entrance } from '../describe-adapters.ts'

const question = { model: 'aurora/dawn-1', input: 'Why is the sky blue?' }
const streamed = { ...question, stream: true }
const searching = { ...streamed, tools: [{ type: 'gateway:web_search' }] }

/** Reads a stream to its end with an independent parser. */
async function readStream(response: Response) {
  const events: { type: string; [field: string]: unknown }[] = []
  const broken: string[] = []
  let done = false
  const comments: string[] = []
  const parser = createParser({
    onEvent({ data }) {
      if (data === '[DONE]') done = true
      else
        try {
          events.push(JSON.parse(data))
        } catch {
          broken.push(data)
        }
    },
    onComment: (comment) => comments.push(comment),
  })
  const chunks: number[] = []
  let failure: unknown
  const decoder = new TextDecoder()
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk.length)
      parser.feed(decoder.decode(chunk, { stream: true }))
    }
  } catch (error) {
    failure = error
  }
  return { events, types: events.map(({ type }) => type), broken, done, comments, chunks, failure }
}

function helpers(entrance: Entrance) {
  return {
    use: (fault: Fault | Fault[], on: OperationName = 'createResponse') =>
      entrance.sandbox.use({ on, fault: [fault].flat() }),
    stream: async (body: object = streamed) => readStream(await entrance.open('POST /responses', { body })),
    providers: () => entrance.call('GET /providers'),
  }
}

describeAdapters('faults', (entrance) => {
  const { use, stream, providers } = helpers(entrance)
  describe('before the reply', () => {
    it('latency: delays the reply', async () => {
      use({ name: 'latency', ms: 40 }, 'listProviders')
      const from = performance.now()
      expect((await providers()).status).toBe(200)
      expect(performance.now() - from).toBeGreaterThanOrEqual(39)
    })

    it('timeout: never replies', async () => {
      use('timeout', 'listProviders')
      const response = entrance.open('GET /providers', { signal: AbortSignal.timeout(40) })
      await expect(response).rejects.toMatchObject({ name: 'TimeoutError' })
    })

    for (const name of ['connection-reset', 'empty-response'] as const) {
      it(`${name}: rejects the request`, async () => {
        use(name, 'listProviders')
        await expect(providers()).rejects.toThrow(TypeError)
      })
    }
  })

  describe('instead of the reply', () => {
    it('status: responds with the status and the error envelope', async () => {
      use({ name: 'status', status: 529, metadata: { error_type: 'provider_overloaded' } }, 'listProviders')
      const { status, body, headers } = await providers()
      expect(status).toBe(529)
      expect(headers.get('content-type')).toBe('application/json')
      expect(body.error).toEqual({
        code: 529,
        message: 'Provider overloaded',
        metadata: { error_type: 'provider_overloaded' },
      })
    })

    it('rate-limit: responds with 429 and Retry-After', async () => {
      entrance.sandbox.use({
        on: 'listProviders',
        rateLimit: { requests: 1, per: 60_000 },
        fault: 'rate-limit',
      })
      const first = await providers()
      expect([first.status, first.headers.get('x-ratelimit-remaining')]).toEqual([200, '0'])
      const second = await providers()
      expect([second.status, second.body.error.message]).toEqual([429, 'Rate limit exceeded'])
      expect(second.headers.get('retry-after')).toBe('60')
    })

    it('malformed-body: sends a body that is not valid JSON', async () => {
      use('malformed-body', 'listProviders')
      const { status, headers, body } = await providers()
      expect([status, headers.get('content-type'), body]).toEqual([200, 'application/json', undefined])
    })

    it('html-error-page: sends an HTML page', async () => {
      use('html-error-page', 'listProviders')
      const { status, headers, text } = await providers()
      expect([status, headers.get('content-type')]).toEqual([502, 'text/html'])
      expect(text).toMatch(/^<html>/)
    })

    it('random-bytes: sends n bytes', async () => {
      use({ name: 'random-bytes', bytes: 99 }, 'listProviders')
      const bytes = await (await entrance.open('GET /providers')).bytes()
      expect(bytes).toHaveLength(99)
    })
  })

  describe('in the body of a reply', () => {
    it('truncated-body: ends the body early', async () => {
      use({ name: 'truncated-body', afterBytes: 20 }, 'listProviders')
      const response = await entrance.open('GET /providers')
      expect(response.status).toBe(200)
      await expect(response.text()).rejects.toThrow('terminated')
    })

    it('wrong-content-type: changes Content-Type and keeps the body', async () => {
      use('wrong-content-type', 'listProviders')
      const { headers, body } = await providers()
      expect(headers.get('content-type')).toBe('text/plain')
      expect(body.data.length).toBeGreaterThan(0)
    })

    for (const [name, setting] of [
      ['slow-body', { name: 'slow-body', ms: 40, chunks: 4 }],
      ['bandwidth', { name: 'bandwidth', bytesPerSecond: 50_000 }],
    ] as const) {
      it(`${name}: sends the body slowly`, async () => {
        const { text } = await providers()
        use(setting, 'listProviders')
        const from = performance.now()
        expect((await providers()).text).toBe(text)
        // `slow-body` takes 40 ms, and `bandwidth` about 50 ms. Timers may fire early.
        expect(performance.now() - from).toBeGreaterThan(36)
      })
    }

    it('missing-field: removes a field', async () => {
      use({ name: 'missing-field', path: 'data.*.slug' }, 'listProviders')
      const { body } = await providers()
      expect(body.data[0]).toHaveProperty('name')
      expect(body.data.some((provider: object) => 'slug' in provider)).toBe(false)
    })

    it('wrong-type: changes the type of a field', async () => {
      use({ name: 'wrong-type', path: 'data' }, 'listProviders')
      expect(typeof (await providers()).body.data).toBe('string')
    })
  })

  describe('in citations', () => {
    const added = 'response.output_text.annotation.added'

    it('citation-out-of-range: moves offsets past the end of the text', async () => {
      use('citation-out-of-range')
      const { body } = await entrance.call('POST /responses', { body: { ...searching, stream: false } })
      const [part] = body.output.at(-1).content
      expect(part.annotations.length).toBeGreaterThan(0)
      for (const { start_index, end_index } of part.annotations) {
        expect(start_index).toBeGreaterThan(part.text.length)
        expect(end_index).toBeGreaterThan(start_index)
      }
    })

    it('citation-missing-field: removes the URL', async () => {
      use('citation-missing-field')
      const { events } = await stream(searching)
      const annotations = events.filter(({ type }) => type === added)
      expect(annotations.length).toBeGreaterThan(0)
      for (const { annotation } of annotations) expect(annotation).not.toHaveProperty('url')
    })
  })

  describe('in a stream', () => {
    const first = [
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
    ]

    it('stream-cut: ends the stream early, without an error', async () => {
      use({ name: 'stream-cut', afterEvents: 4 })
      expect(await stream()).toMatchObject({ types: first, done: false, failure: undefined })
    })

    it('stream-reset: fails the stream', async () => {
      use({ name: 'stream-reset', afterEvents: 4 })
      const { types, failure } = await stream()
      expect(types).toEqual(first)
      expect(failure).toBeInstanceOf(TypeError)
    })

    it('stream-stall: stops sending and stays open', async () => {
      use({ name: 'stream-stall', afterEvents: 4 })
      const response = await entrance.open('POST /responses', {
        body: streamed,
        signal: AbortSignal.timeout(60),
      })
      const { types, failure } = await readStream(response)
      expect(types).toEqual(first)
      expect(failure).toMatchObject({ name: 'TimeoutError' })
    })

    it('stream-error-event: sends response.failed or an error event', async () => {
      use({ name: 'stream-error-event', afterEvents: 4 })
      const { events, types, done } = await stream()
      expect(types).toEqual([...first, 'response.failed'])
      expect(events.at(-1)).toMatchObject({
        response: { object: 'response', status: 'failed', error: { code: 'server_error' } },
      })
      expect(done).toBe(true)

      use({ name: 'stream-error-event', afterEvents: 4, form: 'error' })
      expect((await stream()).events.at(-1)).toMatchObject({ type: 'error', code: 'server_error' })
    })

    it('stream-without-done: omits [DONE]', async () => {
      use('stream-without-done')
      const { types, done, failure } = await stream()
      expect([types.at(-1), done, failure]).toEqual(['response.completed', false, undefined])
    })

    it('stream-without-completed: omits response.completed', async () => {
      use('stream-without-completed')
      const { types, done } = await stream()
      expect([types.at(-1), done]).toEqual(['response.output_item.done', true])
    })

    it('stream-malformed-event: corrupts the JSON of one event', async () => {
      use({ name: 'stream-malformed-event', afterEvents: 3 })
      const { types, broken, done } = await stream()
      expect(broken).toHaveLength(1)
      expect(types.slice(0, 3)).toEqual(first.slice(0, 3))
      expect(types).not.toContain('response.content_part.added')
      expect(done).toBe(true)
    })

    it('stream-duplicate-event: sends one event twice', async () => {
      use({ name: 'stream-duplicate-event', afterEvents: 2 })
      expect((await stream()).types.slice(0, 5)).toEqual(first.toSpliced(2, 0, 'response.output_item.added'))
    })

    it('stream-reordered-events: swaps two events', async () => {
      use({ name: 'stream-reordered-events', afterEvents: 2 })
      expect((await stream()).types.slice(0, 4)).toEqual([...first.slice(0, 2), first[3], first[2]])
    })

    it('stream-split: sends chunks of n bytes', async () => {
      const { types } = await stream()
      use({ name: 'stream-split', bytes: 3 })
      const split = await stream()
      expect(split).toMatchObject({ types, broken: [], done: true })
      // A socket may merge chunks; `socket.test.ts` checks them exactly.
      if (entrance.adapter === 'fetch') expect(Math.max(...split.chunks)).toBe(3)
    })

    it('stream-joined: sends the whole stream in one chunk', async () => {
      use({ name: 'stream-joined', ms: 20 })
      const { types, chunks } = await stream()
      expect(types.at(-1)).toBe('response.completed')
      expect(chunks).toHaveLength(1)
    })

    it('stream-crlf: ends lines with CR LF', async () => {
      use('stream-crlf')
      const text = await (await entrance.open('POST /responses', { body: streamed })).text()
      expect(text).toMatch(/data: \[DONE\]\r\n\r\n$/)
      expect(text.replaceAll('\r\n', '')).not.toContain('\n')
    })

    it('stream-comments: adds a comment before each event', async () => {
      use('stream-comments')
      const { types, comments } = await stream()
      expect(comments).toHaveLength(types.length)
    })

    it('slow-stream: delays the first event', async () => {
      use({ name: 'slow-stream', firstToken: 40, perToken: 0 })
      const from = performance.now()
      const response = await entrance.open('POST /responses', { body: streamed })
      const { done } = await readStream(response)
      expect(performance.now() - from).toBeGreaterThanOrEqual(39)
      expect(done).toBe(true)
    })
  })

  describe('combined with a reply in one rule', () => {
    it('cut the stream of the scripted text', async () => {
      entrance.sandbox.use({
        on: 'createResponse',
        reply: { text: 'one two three four five six' },
        fault: 'stream-cut',
      })
      const { text } = await entrance.call('POST /responses', { body: streamed })
      const deltas = [...text.matchAll(/"delta":"([^"]*)"/g)].map(([, delta]) => delta)
      expect(deltas.join('')).toBe('one two three')
      expect(text).not.toContain('response.completed')
      expect(entrance.sandbox.journal.last('createResponse')?.rules[0]?.faults).toEqual(['stream-cut'])
    })

    it('change the scripted body in a sequence step', async () => {
      entrance.sandbox.use({
        on: 'listProviders',
        sequence: [{ reply: { body: { data: [] } }, fault: { name: 'wrong-type', path: 'data' } }, 'pass'],
      })
      expect((await entrance.call('GET /providers')).body).toEqual({ data: '[]' })
      expect((await entrance.call('GET /providers')).body.data.length).toBeGreaterThan(0)
    })
  })

  describe('that never end a reply', () => {
    const ends = [
      ['reset', () => entrance.sandbox.reset()],
      ['deleted', () => entrance.sandbox.dispose()],
    ] as const

    it.each(ends)('timeout: ends if the sandbox is %s', async (_action, end) => {
      const { sandbox } = entrance
      sandbox.use({ on: '*', fault: 'timeout' })
      const silent = entrance.open('GET /providers')
      silent.catch(() => {})
      await sandbox.journal.waitFor('listProviders')
      end()
      await expect(silent).rejects.toThrow(TypeError)
    })

    it.each(ends)('stream-stall: ends if the sandbox is %s', async (_action, end) => {
      entrance.sandbox.use({ on: '*', fault: 'stream-stall' })
      const response = await entrance.open('POST /responses', { body: streamed })
      end()
      await expect(response.text()).rejects.toThrow(TypeError)
    })
  })
})
