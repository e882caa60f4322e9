/**
 * Every fault through every adapter, as a client sees it. What only a socket can show is in `socket.test.ts`.
 */

import { createParser } from 'eventsource-parser'
import { describe, expect, it } from 'vitest'
import type { FaultInput } from '../../src/faults/index.ts'
import type { OperationName } from '../../src/scenarios/names.ts'
import { describeAdapters, type Entrance } from '../describe-adapters.ts'

const question = { model: 'aurora/dawn-1', input: 'Why is the sky blue?' }
const streamed = { ...question, stream: true }
const searching = { ...streamed, tools: [{ type: 'gateway:web_search' }] }

/** The events of a stream, by an independent parser; how it ended. */
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

function lines(entrance: Entrance) {
  return {
    use: (fault: FaultInput | FaultInput[], on: OperationName = 'createResponse') =>
      entrance.sandbox.use({ on, faults: [fault].flat() }),
    stream: async (body: object = streamed) => readStream(await entrance.open('POST /responses', { body })),
    providers: () => entrance.call('GET /providers'),
  }
}

describeAdapters('Faults', (entrance) => {
  const { use, stream, providers } = lines(entrance)
  describe('before an answer', () => {
    it('latency', async () => {
      use({ name: 'latency', ms: 40 }, 'listProviders')
      const from = performance.now()
      expect((await providers()).status).toBe(200)
      expect(performance.now() - from).toBeGreaterThanOrEqual(39)
    })

    it('timeout', async () => {
      use('timeout', 'listProviders')
      const gone = entrance.open('GET /providers', { signal: AbortSignal.timeout(40) })
      await expect(gone).rejects.toMatchObject({ name: 'TimeoutError' })
    })

    for (const name of ['connection-reset', 'empty-response'] as const) {
      it(name, async () => {
        use(name, 'listProviders')
        await expect(providers()).rejects.toThrow(TypeError)
      })
    }
  })

  describe('instead of the answer', () => {
    it('status', async () => {
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

    it('rate-limit', async () => {
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

    it('malformed-body', async () => {
      use('malformed-body', 'listProviders')
      const { status, headers, body } = await providers()
      expect([status, headers.get('content-type'), body]).toEqual([200, 'application/json', undefined])
    })

    it('html-error-page', async () => {
      use('html-error-page', 'listProviders')
      const { status, headers, text } = await providers()
      expect([status, headers.get('content-type')]).toEqual([502, 'text/html'])
      expect(text).toMatch(/^<html>/)
    })

    it('random-bytes', async () => {
      use({ name: 'random-bytes', bytes: 99 }, 'listProviders')
      const bytes = await (await entrance.open('GET /providers')).bytes()
      expect(bytes).toHaveLength(99)
    })
  })

  describe('to the answer', () => {
    it('truncated-body', async () => {
      use({ name: 'truncated-body', atByte: 20 }, 'listProviders')
      const response = await entrance.open('GET /providers')
      expect(response.status).toBe(200)
      await expect(response.text()).rejects.toThrow('terminated')
    })

    it('wrong-content-type', async () => {
      use('wrong-content-type', 'listProviders')
      const { headers, body } = await providers()
      expect(headers.get('content-type')).toBe('text/plain')
      expect(body.data.length).toBeGreaterThan(0)
    })

    for (const [name, setting] of [
      ['slow-body', { name: 'slow-body', ms: 40, chunks: 4 }],
      ['bandwidth', { name: 'bandwidth', bytesPerSecond: 50_000 }],
    ] as const) {
      it(name, async () => {
        const { text } = await providers()
        use(setting, 'listProviders')
        const from = performance.now()
        expect((await providers()).text).toBe(text)
        // 2.5 kB take 50 ms; timers are early by a fraction of a millisecond at times.
        expect(performance.now() - from).toBeGreaterThan(36)
      })
    }

    it('missing-field', async () => {
      use({ name: 'missing-field', path: 'data.*.slug' }, 'listProviders')
      const { body } = await providers()
      expect(body.data[0]).toHaveProperty('name')
      expect(body.data.some((provider: object) => 'slug' in provider)).toBe(false)
    })

    it('wrong-type', async () => {
      use({ name: 'wrong-type', path: 'data' }, 'listProviders')
      expect(typeof (await providers()).body.data).toBe('string')
    })
  })

  describe('to citations', () => {
    const added = 'response.output_text.annotation.added'

    it('citation-out-of-range', async () => {
      use('citation-out-of-range')
      const { body } = await entrance.call('POST /responses', { body: { ...searching, stream: false } })
      const [part] = body.output.at(-1).content
      expect(part.annotations.length).toBeGreaterThan(0)
      for (const { start_index, end_index } of part.annotations) {
        expect(start_index).toBeGreaterThan(part.text.length)
        expect(end_index).toBeGreaterThan(start_index)
      }
    })

    it('citation-missing-field', async () => {
      use('citation-missing-field')
      const { events } = await stream(searching)
      const annotations = events.filter(({ type }) => type === added)
      expect(annotations.length).toBeGreaterThan(0)
      for (const { annotation } of annotations) expect(annotation).not.toHaveProperty('url')
    })

    it('citation-late', async () => {
      const before = await stream(searching)
      expect(before.types.indexOf(added)).toBeLessThan(before.types.indexOf('response.output_text.done'))
      use('citation-late')
      const { types, done } = await stream(searching)
      expect(types.indexOf(added)).toBe(types.indexOf('response.output_text.done') + 1)
      expect(done).toBe(true)
    })

    it('citation-dropped-in-stream', async () => {
      use('citation-dropped-in-stream')
      const { events } = await stream(searching)
      expect(JSON.stringify(events.slice(0, -1))).not.toContain('url_citation')
      expect(JSON.stringify(events.at(-1))).toContain('url_citation')
    })
  })

  describe('to a stream', () => {
    const first = [
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
    ]

    it('stream-cut', async () => {
      use({ name: 'stream-cut', atEvent: 4 })
      expect(await stream()).toMatchObject({ types: first, done: false, failure: undefined })
    })

    it('stream-reset', async () => {
      use({ name: 'stream-reset', atEvent: 4 })
      const { types, failure } = await stream()
      expect(types).toEqual(first)
      expect(failure).toBeInstanceOf(TypeError)
    })

    it('stream-stall', async () => {
      use({ name: 'stream-stall', atEvent: 4 })
      const response = await entrance.open('POST /responses', {
        body: streamed,
        signal: AbortSignal.timeout(60),
      })
      const { types, failure } = await readStream(response)
      expect(types).toEqual(first)
      expect(failure).toMatchObject({ name: 'TimeoutError' })
    })

    it('stream-error-event', async () => {
      use({ name: 'stream-error-event', atEvent: 4 })
      const { events, types, done } = await stream()
      expect(types).toEqual([...first, 'response.failed'])
      expect(events.at(-1)).toMatchObject({
        response: { object: 'response', status: 'failed', error: { code: 'server_error' } },
      })
      expect(done).toBe(true)

      use({ name: 'stream-error-event', atEvent: 4, form: 'error' })
      expect((await stream()).events.at(-1)).toMatchObject({ type: 'error', code: 'server_error' })
    })

    it('stream-without-done', async () => {
      use('stream-without-done')
      const { types, done, failure } = await stream()
      expect([types.at(-1), done, failure]).toEqual(['response.completed', false, undefined])
    })

    it('stream-without-completed', async () => {
      use('stream-without-completed')
      const { types, done } = await stream()
      expect([types.at(-1), done]).toEqual(['response.output_item.done', true])
    })

    it('stream-malformed-event', async () => {
      use({ name: 'stream-malformed-event', atEvent: 3 })
      const { types, broken, done } = await stream()
      expect(broken).toHaveLength(1)
      expect(types.slice(0, 3)).toEqual(first.slice(0, 3))
      expect(types).not.toContain('response.content_part.added')
      expect(done).toBe(true)
    })

    it('stream-duplicate-event', async () => {
      use({ name: 'stream-duplicate-event', atEvent: 2 })
      expect((await stream()).types.slice(0, 5)).toEqual(first.toSpliced(2, 0, 'response.output_item.added'))
    })

    it('stream-reordered-events', async () => {
      use({ name: 'stream-reordered-events', atEvent: 2 })
      expect((await stream()).types.slice(0, 4)).toEqual([...first.slice(0, 2), first[3], first[2]])
    })

    it('stream-split', async () => {
      const { types } = await stream()
      use({ name: 'stream-split', bytes: 3 })
      const split = await stream()
      expect(split).toMatchObject({ types, broken: [], done: true })
      // Between a socket and its reader chunks may be joined; `socket.test.ts` looks closer.
      if (entrance.adapter === 'fetch') expect(Math.max(...split.chunks)).toBe(3)
    })

    it('stream-joined', async () => {
      use({ name: 'stream-joined', ms: 20 })
      const { types, chunks } = await stream()
      expect(types.at(-1)).toBe('response.completed')
      expect(chunks).toHaveLength(1)
    })

    it('stream-crlf', async () => {
      use('stream-crlf')
      const text = await (await entrance.open('POST /responses', { body: streamed })).text()
      expect(text).toMatch(/data: \[DONE\]\r\n\r\n$/)
      expect(text.replaceAll('\r\n', '')).not.toContain('\n')
    })

    it('stream-comments', async () => {
      use('stream-comments')
      const { types, comments } = await stream()
      expect(comments).toHaveLength(types.length)
    })

    it('slow-stream', async () => {
      use({ name: 'slow-stream', firstEventMs: 40, everyMs: 0 })
      const from = performance.now()
      const response = await entrance.open('POST /responses', { body: streamed })
      const { done } = await readStream(response)
      expect(performance.now() - from).toBeGreaterThanOrEqual(39)
      expect(done).toBe(true)
    })
  })

  describe('next to a reply in one rule', () => {
    it('sends the scripted text and cuts it in the middle', async () => {
      entrance.sandbox.use({
        on: 'createResponse',
        reply: { text: 'one two three four five six' },
        fault: 'stream-cut',
      })
      const { text } = await entrance.call('POST /responses', { body: streamed })
      const deltas = [...text.matchAll(/"delta":"([^"]*)"/g)].map(([, delta]) => delta)
      expect(deltas.join('')).toBe('one two three')
      expect(text).not.toContain('response.completed')
      expect(entrance.sandbox.journal.last('createResponse')?.rule?.faults).toEqual(['stream-cut'])
    })

    it('does the same in a step of a sequence', async () => {
      entrance.sandbox.use({
        on: 'listProviders',
        sequence: [{ reply: { body: { data: [] } }, fault: { name: 'wrong-type', path: 'data' } }, 'pass'],
      })
      expect((await entrance.call('GET /providers')).body).toEqual({ data: '[]' })
      expect((await entrance.call('GET /providers')).body.data.length).toBeGreaterThan(0)
    })
  })

  describe('that keep a connection silent', () => {
    const ends = [
      ['reset', () => entrance.sandbox.reset()],
      ['deleted', () => entrance.sandbox.dispose()],
    ] as const

    it.each(ends)('ends when its sandbox is %s, before an answer', async (_what, end) => {
      const { sandbox } = entrance
      sandbox.use({ on: '*', fault: 'timeout' })
      const silent = entrance.open('GET /providers')
      silent.catch(() => {})
      await sandbox.journal.waitFor('listProviders')
      end()
      await expect(silent).rejects.toThrow(TypeError)
    })

    it.each(ends)('ends when its sandbox is %s, in the middle of a stream', async (_what, end) => {
      entrance.sandbox.use({ on: '*', fault: 'stream-stall' })
      const response = await entrance.open('POST /responses', { body: streamed })
      end()
      await expect(response.text()).rejects.toThrow(TypeError)
    })
  })
})
