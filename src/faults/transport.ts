/** Transport faults: the body's encoding, length, speed and chunks, the response head, and the connection. */
import { toBytes } from '../http/encode.ts'
import { HeaderValue } from '../http/header-record.ts'
import type { Frame, HangUp, Reply } from '../http/reply.ts'
import { between, count, Duration } from '../lib/numbers.ts'
import { byteFrames, gzipped, pieces, type RawFrame, readWhole, withFrames } from './body-bytes.ts'
import { defineFault, type FaultContext } from './fault.ts'
import { endAtByteOrTime } from './position.ts'
import { noReply } from './replacing.ts'

export const transportFaults = [
  defineFault('wrong-content-type', 'bytes', {
    summary: 'The body is correct, but the `Content-Type` is wrong.',
    params: () => ({ contentType: HeaderValue.default('text/plain').describe('`Content-Type` to send.') }),
    apply({ contentType }, context, reply) {
      if (reply.headers['content-type'] === contentType)
        context.missed(`the content type is '${contentType}'`)
      else context.acted()
      return { ...reply, headers: { ...reply.headers, 'content-type': contentType } }
    },
  }),
  defineFault('gzip-body', 'bytes', {
    summary: 'The body is sent with `Content-Encoding: gzip`, even if the client does not accept it.',
    apply: (_params, context, reply) => encodeGzip(reply, context, 0),
  }),
  defineFault('broken-gzip', 'bytes', {
    summary: 'The gzip body has a wrong checksum, so reading it fails at the end.',
    apply: (_params, context, reply) => encodeGzip(reply, context, 1),
  }),
  endOfBody(
    'truncated-body',
    'close',
    'The body ends before its `Content-Length`, or without the last chunk, and the connection closes.',
  ),
  endOfBody('body-stall', 'stall', 'The head and part of the body are sent; the connection stays open.'),
  defineFault('short-content-length', 'bytes', {
    summary: '`Content-Length` is too small, so the last bytes are not part of the body.',
    params: () => ({ by: count(1).default(10).describe('How many bytes too low `Content-Length` is.') }),
    apply({ by }, context, reply) {
      const { frames, length } = measure(reply, context)
      if (by > length) {
        context.missed(`the body has ${length} bytes, so Content-Length cannot be ${by} less`)
        return withFrames(reply, frames, lengthOf(reply))
      }
      context.acted()
      const headers = { 'content-length': String(length - by) }
      // Without a connection, nothing would separate the extra bytes from the body, so they are omitted.
      const cut = () => endAtByteOrTime({ afterBytes: length - by }, frames, context, () => [])
      return withFrames(reply, context.hasConnection ? frames : cut(), headers)
    },
  }),
  defineFault('slow-body', 'bytes', {
    summary: 'The response head is sent immediately, and the body follows slowly, in chunks of equal size.',
    params: () => ({
      ms: Duration.default(2000).describe('Total time to send the body, in milliseconds.'),
      chunks: between(1, 10_000).default(10).describe('Number of chunks.'),
    }),
    apply({ ms, chunks }, context, reply) {
      const { bytes, waitedMs, ending } = readWhole(reply.body)
      if (bytes.length > 0 && ms > 0) context.acted()
      else context.missed('its duration is 0')
      const size = Math.max(1, Math.ceil(bytes.length / chunks))
      const pause = (ms + waitedMs) / Math.max(1, Math.ceil(bytes.length / size))
      const frames = splitBytes([{ kind: 'bytes', bytes }, ...ending], size, (piece) => delayed(pause, piece))
      return withFrames(reply, frames, lengthOf(reply))
    },
  }),
  defineFault('bandwidth', 'bytes', {
    summary: 'The body is sent at a limited rate.',
    params: () => ({ bytesPerSecond: count(1).default(1000).describe('Speed in bytes per second.') }),
    apply({ bytesPerSecond }, context, reply) {
      // Sends twenty pieces per second, so that low rates are smooth.
      const size = Math.max(1, Math.floor(bytesPerSecond / 20))
      const frames = splitBytes(byteFrames(reply.body), size, (piece) => {
        context.acted()
        return delayed((piece.length / bytesPerSecond) * 1000, piece)
      })
      return withFrames(reply, frames, lengthOf(reply))
    },
  }),
  defineFault('stream-joined', 'chunks', {
    summary: 'The head and all events are sent in one chunk at the end, as through a buffering proxy.',
    params: () => ({
      ms: Duration.default(1000).describe('Minimum delay in milliseconds, even for shorter streams.'),
    }),
    apply({ ms }, context, reply) {
      const { bytes, waitedMs, ending } = readWhole(reply.body)
      const delayMs = Math.max(ms, waitedMs)
      if (delayMs > 0) context.acted()
      else context.missed('the delay is 0')
      return {
        ...withFrames(reply, [{ kind: 'bytes', bytes }, ...ending]),
        transport: { ...reply.transport, delayMs },
      }
    },
  }),
  defineFault('stream-split', 'chunks', {
    summary: 'The stream is split into chunks of this many bytes, even within a line or a character.',
    params: () => ({ bytes: count(1).default(1).describe('Chunk length in bytes.') }),
    apply({ bytes }, context, reply) {
      context.acted()
      // A wait of 0 ms marks a chunk boundary.
      const frames = splitBytes(byteFrames(reply.body), bytes, (piece) => [
        { kind: 'bytes', bytes: piece },
        { kind: 'wait', ms: 0 },
      ])
      return withFrames(reply, frames)
    },
  }),
  defineFault('slow-head', 'connection', {
    summary:
      'The status line and headers are sent slowly, in small pieces. With MSW and `gateway.fetch`, the promise resolves late.',
    params: () => ({ ms: Duration.default(2000).describe('Total time to send the head, in milliseconds.') }),
    apply({ ms }, context, reply) {
      if (ms > 0) context.acted()
      else context.missed('its duration is 0')
      return { ...reply, transport: { ...reply.transport, headMs: ms } }
    },
  }),
  defineFault('truncated-head', 'connection', {
    summary:
      'The connection closes after the status line, in the middle of the headers. With MSW and `gateway.fetch`, the `fetch` call rejects.',
    apply(_params, context, reply) {
      context.acted()
      return { ...reply, transport: { ...reply.transport, headIsCut: true } }
    },
  }),
  defineFault('idle-connection-closed', 'connection', {
    summary: 'The reply announces a keep-alive connection, which closes before the next request.',
    params: () => ({
      afterMs: Duration.default(0).describe('Delay after the end of the reply, in milliseconds.'),
    }),
    apply({ afterMs }, context, reply) {
      if (!context.hasConnection) {
        context.missed('MSW and gateway.fetch have no connection to keep alive')
        return reply
      }
      context.acted()
      return { ...reply, transport: { ...reply.transport, closeAfterMs: afterMs } }
    },
  }),
  defineFault('lost-reply', 'connection', {
    summary:
      'The operation runs, including its writes, but the connection is reset before the reply is sent.',
    apply(_params, context): Reply {
      context.acted()
      return noReply('reset')
    },
  }),
] as const

function endOfBody<const Name extends string>(name: Name, how: HangUp, summary: string) {
  return defineFault(name, 'bytes', {
    summary,
    params: () => ({
      afterBytes: count().optional().describe('Number of bytes sent. Default: half of the body.'),
    }),
    apply({ afterBytes }, context, reply) {
      const { frames, length, actedAt } = measure(reply, context)
      const end = afterBytes ?? Math.min(Math.max(length >> 1, actedAt), length - 1)
      if (end >= length) {
        context.missed(`the body has ${length} bytes, so it cannot end after ${end}`)
        return withFrames(reply, frames, lengthOf(reply))
      }
      context.acted()
      const start = endAtByteOrTime({ afterBytes: end }, frames, context, () => [])
      return withFrames(reply, [...start, { kind: 'hang-up', how }], lengthOf(reply))
    },
  })
}

function encodeGzip(reply: Reply, context: FaultContext, damage: number): Reply {
  context.acted()
  const headers = { 'content-encoding': 'gzip' }
  if (reply.body.kind !== 'json') return withFrames(reply, gzipped(reply.body, damage), headers)
  const frames = [...gzipped(reply.body, damage)]
  const { bytes } = readWhole({ kind: 'frames', frames })
  return withFrames(reply, frames, { ...headers, 'content-length': String(bytes.length) })
}

/** Returns the `Content-Length` header for a JSON body, or no headers for other bodies. */
function lengthOf({ body }: Reply): Record<string, string> {
  return body.kind === 'json' ? { 'content-length': String(readWhole(body).bytes.length) } : {}
}

/** Reads a body. `actedAt` is the number of bytes after which all earlier faults have taken effect. */
function measure(
  reply: Reply,
  context: FaultContext,
): { frames: RawFrame[]; length: number; actedAt: number } {
  const frames: RawFrame[] = []
  let length = 0
  let actedAt: number | undefined
  for (const frame of byteFrames(reply.body)) {
    // The effects of faults that have acted are in the frames so far.
    if (context.othersActed()) actedAt ??= length
    frames.push(frame)
    if (frame.kind === 'bytes') length += toBytes(frame.bytes).length
  }
  return { frames, length, actedAt: actedAt ?? length }
}

function* splitBytes(
  frames: Iterable<RawFrame>,
  size: number,
  toFrames: (piece: Uint8Array) => Frame[],
): Generator<Frame> {
  for (const frame of frames) {
    if (frame.kind !== 'bytes') yield frame
    else for (const piece of pieces(toBytes(frame.bytes), size)) yield* toFrames(piece)
  }
}

/** Returns a wait followed by bytes. The wait comes first, so that the first piece of a slow body is also delayed. */
function delayed(ms: number, bytes: Uint8Array): Frame[] {
  return [
    { kind: 'wait', ms },
    { kind: 'bytes', bytes },
  ]
}
