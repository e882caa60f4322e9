/** Reads replies without any code under test: with `fetch`, or byte by byte from a socket. */
import { connect } from 'node:net'
import { constants, createGunzip } from 'node:zlib'
import { createParser } from 'eventsource-parser'

/**
 * Ending of a reply. `broken`: ended early. `open`: no end within the time limit. `rejected`: connection closed
 * before the status line. `unanswered`: no byte within the time limit.
 */
export type Ending = 'complete' | 'broken' | 'open' | 'rejected' | 'unanswered'

export interface Wire {
  ending: Ending
  /** HTTP status; 0 without a status line. */
  status: number
  headers: Record<string, string>
  /** The body as sent. */
  raw: Buffer
  /** The body after decoding its content encoding. */
  body: Buffer
  text: string
  chunks: Buffer[]
  /** Milliseconds from sending the request to the end of the head. */
  headMs: number
  /** Milliseconds from sending the request to the end of the reply. */
  endMs: number
  /** Number of reads for the head. Socket only. */
  headPieces?: number
  /** If true, the connection closed after a complete reply. Socket only. */
  closed?: boolean
  /** Number of bytes after the head, without chunk framing. Socket only. */
  sentBytes?: number
  /** Event data of a stream, from an independent parser. */
  data: string[]
  /** Event data as JSON; null if invalid. */
  events: ({ type: string; sequence_number?: number; [field: string]: unknown } | null)[]
  types: string[]
}

export interface WireRequest {
  url: string
  key: string
  body: object
  /** Maximum time to the first byte, in milliseconds, after which the ending is `unanswered`. */
  answerMs: number
  /** Maximum time without data after the first byte, in milliseconds, after which the ending is `open`. */
  patienceMs: number
  /** If true, waits for the end of the connection after the reply. */
  untilClosed?: boolean
}

export async function overFetch(fetch: typeof globalThis.fetch, request: WireRequest): Promise<Wire> {
  const from = performance.now()
  const since = () => performance.now() - from
  const patience = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const wait = () => {
    clearTimeout(timer)
    timer = setTimeout(() => patience.abort(), chunks.length === 0 ? request.answerMs : request.patienceMs)
  }
  const chunks: Buffer[] = []
  const head = { status: 0, headers: {} as Record<string, string>, headMs: 0 }
  const end = (ending: Ending) => {
    clearTimeout(timer)
    return toWire({ ...head, ending, chunks, raw: Buffer.concat(chunks), endMs: since() })
  }
  wait()
  let response: Response
  try {
    response = await fetch(request.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${request.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(request.body),
      signal: patience.signal,
    })
  } catch {
    return end(patience.signal.aborted ? 'unanswered' : 'rejected')
  }
  head.status = response.status
  head.headers = Object.fromEntries(response.headers)
  head.headMs = since()
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(Buffer.from(chunk))
      wait()
    }
    return end('complete')
  } catch {
    return end(patience.signal.aborted ? 'open' : 'broken')
  }
}

export function overSocket(request: WireRequest): Promise<Wire> {
  const { hostname, port, pathname } = new URL(request.url)
  const body = Buffer.from(JSON.stringify(request.body))
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${hostname}:${port}`,
    `authorization: Bearer ${request.key}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ]
  return new Promise((resolve) => {
    const from = performance.now()
    const since = () => performance.now() - from
    const socket = connect(Number(port), hostname)
    const pieces: Buffer[] = []
    let headMs: number | undefined
    let headPieces = 0
    let isChunked = false
    let timer: ReturnType<typeof setTimeout> | undefined
    let wholeMs: number | undefined
    let over = false
    const finish = async (ending: Ending) => {
      if (over) return
      over = true
      clearTimeout(timer)
      socket.destroy()
      const { length, complete, ...parsed } = parseHttp(Buffer.concat(pieces))
      const none: Ending = ending === 'open' ? 'unanswered' : 'rejected'
      const wire = await toWire({
        ...parsed,
        ending: pieces.length === 0 ? none : complete ? 'complete' : ending,
        headMs: headMs ?? 0,
        headPieces,
        endMs: wholeMs ?? since(),
        sentBytes: length,
        closed: complete && ending === 'broken',
      })
      resolve(wire)
    }
    const wait = () => {
      clearTimeout(timer)
      timer = setTimeout(() => finish('open'), pieces.length === 0 ? request.answerMs : request.patienceMs)
    }
    socket.on('data', (piece) => {
      pieces.push(piece)
      wait()
      if (headMs === undefined) {
        headPieces++
        const head = Buffer.concat(pieces)
        if (!head.includes('\r\n\r\n')) return
        headMs = since()
        isChunked = /\r\ntransfer-encoding: chunked\r\n/i.test(head.toString('latin1'))
      }
      // A chunked body is parsed only when the last read looks like its end.
      if (
        isChunked &&
        piece.length >= lastChunk.length &&
        !piece.subarray(-lastChunk.length).equals(lastChunk)
      )
        return
      if (!parseHttp(Buffer.concat(pieces)).complete) return
      wholeMs ??= since()
      if (!request.untilClosed) finish('complete')
    })
    socket.on('end', () => finish('broken'))
    socket.on('error', () => finish('broken'))
    wait()
    socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]))
  })
}

const lastChunk = Buffer.from('0\r\n\r\n')

/** Parses status, headers and body, as far as received. */
function parseHttp(bytes: Buffer) {
  const end = bytes.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = bytes
    .subarray(0, Math.max(end, 0) || bytes.length)
    .toString('latin1')
    .split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1] ?? 0)
  const headers = Object.fromEntries(
    lines.flatMap((line) => {
      const colon = line.indexOf(':')
      return colon > 0 ? [[line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]] : []
    }),
  )
  const rest = end === -1 ? Buffer.alloc(0) : bytes.subarray(end + 4)
  if (headers['transfer-encoding'] === 'chunked') {
    const { chunks, complete } = dechunked(rest)
    return {
      status,
      headers,
      chunks,
      raw: Buffer.concat(chunks),
      complete,
      length: Buffer.concat(chunks).length,
    }
  }
  const length = Number(
    headers['content-length'] ?? (end === -1 || status === 204 ? 0 : Number.POSITIVE_INFINITY),
  )
  const raw = rest.subarray(0, length)
  const complete = end !== -1 && rest.length >= length
  return { status, headers, chunks: raw.length > 0 ? [raw] : [], raw, complete, length: rest.length }
}

function dechunked(bytes: Buffer): { chunks: Buffer[]; complete: boolean } {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const line = bytes.indexOf('\r\n', at)
    if (line === -1) break
    const size = Number.parseInt(bytes.subarray(at, line).toString(), 16)
    if (size === 0) return { chunks, complete: true }
    chunks.push(bytes.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
  return { chunks, complete: false }
}

type RawReply = Omit<Wire, 'body' | 'text' | 'data' | 'events' | 'types'>

async function toWire(reply: RawReply): Promise<Wire> {
  const isGzip = reply.raw[0] === 0x1f && reply.raw[1] === 0x8b
  const { body, failed } = isGzip ? await gunzipped(reply.raw) : { body: reply.raw, failed: false }
  const text = body.toString()
  const data: string[] = []
  const parser = createParser({ onEvent: (event) => data.push(event.data) })
  parser.feed(text)
  const events = data.filter((each) => each !== '[DONE]' && each !== '').map(toEvent)
  const types = events.flatMap((event) => (event ? [event.type] : []))
  const ending = failed && reply.ending === 'complete' ? 'broken' : reply.ending
  return { ...reply, ending, body, text, data, events, types }
}

function toEvent(data: string): Wire['events'][number] {
  try {
    return JSON.parse(data)
  } catch {
    return null
  }
}

/** Decompresses as much as possible. `failed` is true if the checksum is wrong. */
function gunzipped(bytes: Buffer): Promise<{ body: Buffer; failed: boolean }> {
  return new Promise((resolve) => {
    const parts: Buffer[] = []
    const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })
    const end = (failed: boolean) => resolve({ body: Buffer.concat(parts), failed })
    gunzip.on('data', (part: Buffer) => parts.push(part))
    gunzip.on('end', () => end(false))
    gunzip.on('error', () => end(true))
    // Writes the checksum last, so that the body is emitted even if the checksum is wrong.
    gunzip.write(bytes.subarray(0, -8), () => gunzip.end(bytes.subarray(-8)))
  })
}
