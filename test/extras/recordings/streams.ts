/**
 * Generates synthetic event streams in three protocols, and plays them byte by byte: with comments, CR LF,
 * characters split between chunks, mid-stream errors, and resets.
 */
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import { random } from '../../../src/lib/seed.ts'

export interface SyntheticStream {
  readonly path: string
  readonly body: object
  readonly chunks: readonly { readonly waitMs: number; readonly bytes: Buffer }[]
  readonly end: 'fin' | 'reset'
}

const words = ['tide', 'Wörter', '日本語', '🌊🌊', 'naïve', '"quoted"', 'line\nbreak', 'Ünïcode', '\u2028']

/** Generates streams that depend only on the seed. */
export function syntheticStreams(count: number, seed = 1): SyntheticStream[] {
  return Array.from({ length: count }, (_, index) => synthetic(index, `${seed}-${index}`))
}

function synthetic(index: number, seed: string): SyntheticStream {
  const next = random('stream', seed)
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(next() * items.length)] as Item
  const protocol = (['responses', 'chat', 'messages'] as const)[index % 3]
  const texts = Array.from({ length: 3 + Math.floor(next() * 12) }, () => `${pick(words)} `)
  const lineEnd = index % 4 === 1 ? '\r\n' : '\n'
  const events = protocols[protocol ?? 'chat'](texts)
  if (index % 7 === 3)
    events.splice(2, 0, { data: { error: { code: 502, message: 'Provider returned error' } } })
  const written = events.flatMap(({ event, data }) => {
    const lines = [
      ...(event ? [`event: ${event}`] : []),
      `data: ${typeof data === 'string' ? data : JSON.stringify(data)}`,
    ]
    const comment = next() < 0.2 ? `: PROCESSING${lineEnd}${lineEnd}` : ''
    return `${comment}${lines.join(lineEnd)}${lineEnd}${lineEnd}`
  })
  const all = Buffer.from(written.join(''))
  const end = index % 6 === 5 ? 'reset' : 'fin'
  const bytes = end === 'reset' ? all.subarray(0, Math.floor(all.length * 0.7)) : all
  const chunks = []
  for (let at = 0; at < bytes.length; ) {
    // Every fifth stream has an event in each chunk; chunks of the others can end in the middle of a character.
    const length: number =
      index % 5 === 0 ? Buffer.byteLength(written[chunks.length] ?? '  ') : 1 + Math.floor(next() * 90)
    chunks.push({ waitMs: Math.floor(next() * 12), bytes: bytes.subarray(at, at + length) })
    at += length
  }
  const path = { responses: '/responses', chat: '/chat/completions', messages: '/messages' }[
    protocol ?? 'chat'
  ]
  return { path, body: { model: 'aurora/dawn-2', stream: true, input: `Question ${seed}` }, chunks, end }
}

interface WireEvent {
  event?: string
  data: object | string
}

const response = { id: 'resp_1' }
const chunk = (choice: object) => ({ data: { id: 'gen-1', choices: [{ index: 0, ...choice }] } })
const typed = (type: string, more: object = {}) => ({ event: type, data: { type, ...more } })

const protocols: Record<'responses' | 'chat' | 'messages', (texts: string[]) => WireEvent[]> = {
  responses: (texts) => [
    { data: { type: 'response.created', response } },
    ...texts.map((delta) => ({ data: { type: 'response.output_text.delta', item_id: 'msg_1', delta } })),
    { data: { type: 'response.completed', response } },
    { data: '[DONE]' },
  ],
  chat: (texts) => [
    ...texts.map((content) => chunk({ delta: { content } })),
    chunk({ delta: {}, finish_reason: 'stop' }),
    { data: '[DONE]' },
  ],
  messages: (texts) => [
    typed('message_start', { message: { id: 'msg_1' } }),
    ...texts.map((text) => typed('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
    typed('message_stop'),
  ],
}

/** A server on a free local port. */
export interface Upstream extends AsyncDisposable {
  readonly url: URL
  readonly requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[]
}

export type Answer = (
  request: { method: string; url: string; headers: IncomingMessage['headers']; body: string },
  response: import('node:http').ServerResponse,
) => void | Promise<void>

export async function startUpstream(answer: Answer): Promise<Upstream> {
  const requests: Upstream['requests'] = []
  const server = createServer(async (incoming, response) => {
    const parts: Buffer[] | undefined = await incoming.toArray().catch(() => undefined)
    // The client disconnected before its request was complete.
    if (!parts) return
    const { method = '', url = '', headers } = incoming
    const received = { method, url, headers, body: Buffer.concat(parts).toString() }
    requests.push(received)
    response.socket?.setNoDelay(true)
    await answer(received, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: new URL(`http://127.0.0.1:${port}/api/v1`),
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Starts an upstream that sends the first event of a stream immediately, and `[DONE]` after `finish` is called. */
export async function startHeldStream(isCompressed = false): Promise<Upstream & { finish(): void }> {
  const { promise, resolve: finish } = Promise.withResolvers<void>()
  const upstream = await startUpstream(async (_, response) => {
    const encoding = isCompressed && { 'content-encoding': 'gzip' }
    response.writeHead(200, { 'content-type': 'text/event-stream', ...encoding })
    const body = isCompressed ? createGzip({ flush: constants.Z_SYNC_FLUSH }) : new PassThrough()
    body.pipe(response)
    body.write('data: first\n\n')
    await promise
    body.end('data: [DONE]\n\n')
  })
  return { ...upstream, finish }
}

/** Starts a server that plays the stream for the received body. */
export function startStreams(streams: readonly SyntheticStream[]): Promise<Upstream> {
  return startUpstream(async ({ body }, response) => {
    const stream = streams.find((each) => JSON.stringify(each.body) === body)
    if (!stream) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'up-1' })
    response.flushHeaders()
    for (const { waitMs, bytes } of stream.chunks) {
      await new Promise((resolve) => setTimeout(resolve, waitMs + 1))
      response.write(bytes)
    }
    if (stream.end === 'fin') return void response.end()
    await new Promise((resolve) => setTimeout(resolve, 25))
    response.socket?.resetAndDestroy()
  })
}

/** A reply as a client receives it on a socket. */
export interface ReceivedReply {
  status: number
  headers: IncomingMessage['headers']
  chunks: { ms: number; bytes: Buffer }[]
  end: 'fin' | 'reset'
}

/** Sends a request over a socket and records each chunk. */
export function ask(
  baseUrl: string,
  path: string,
  { body, headers = {}, method }: { body?: unknown; headers?: Record<string, string>; method?: string } = {},
  onChunk: (seen: ReceivedReply, stop: () => void) => void = () => {},
): Promise<ReceivedReply> {
  return new Promise((resolve) => {
    const seen: ReceivedReply = { status: 0, headers: {}, chunks: [], end: 'reset' }
    const sent = request(
      baseUrl + path,
      {
        // A connection kept alive may belong to a recorder that has closed.
        agent: false,
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          authorization: 'Bearer any',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      (reply) => {
        seen.status = reply.statusCode ?? 0
        seen.headers = reply.headers
        reply.on('data', (bytes: Buffer) => {
          seen.chunks.push({ ms: performance.now() - at, bytes })
          onChunk(seen, () => sent.destroy())
        })
        reply.on('end', () => {
          seen.end = reply.complete ? 'fin' : 'reset'
          resolve(seen)
        })
        reply.on('error', () => resolve(seen))
      },
    )
    sent.on('error', () => resolve(seen))
    const at = performance.now()
    sent.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body))
  })
}

export function joined(chunks: readonly { bytes: Uint8Array }[]): string {
  return Buffer.concat(chunks.map(({ bytes }) => bytes)).toString('latin1')
}

/** Returns the offsets at which chunks of a body end. */
export function splitPoints(chunks: readonly { bytes: Uint8Array }[]): number[] {
  let at = 0
  return chunks.map(({ bytes }) => {
    at += bytes.length
    return at
  })
}
