/**
 * Faults to the bytes of a body, whatever they mean: how they are encoded, how many come, and in which pieces.
 */
import * as z from 'zod'
import { encodeFrame, toBytes } from '../http/encode.ts'
import { HeaderValue } from '../http/header-record.ts'
import type { Frame, Reply } from '../http/reply.ts'
import { byteFrames, pieces, whole, withFrames } from './body.ts'
import { defineFault, type FaultContext } from './fault.ts'
import { gzipped } from './gzip.ts'

export const wrongContentType = defineFault({
  name: 'wrong-content-type',
  layer: 'bytes',
  summary: 'The right body under another content type.',
  decides: ['type'],
  params: () =>
    z.strictObject({
      contentType: HeaderValue.default('text/plain').describe('The `Content-Type` instead.'),
    }),
  apply({ contentType }, context, reply) {
    if (reply.headers['content-type'] === contentType) context.missed(`the content type is '${contentType}'`)
    else context.acted()
    return { ...reply, headers: { ...reply.headers, 'content-type': contentType } }
  },
})

export const gzipBody = defineFault({
  name: 'gzip-body',
  layer: 'bytes',
  summary: 'The body comes as gzip, with `Content-Encoding: gzip`, also to a client that did not ask for it.',
  decides: ['encoding'],
  params: () => z.strictObject({}),
  apply: (_params, context, reply) => asGzip(reply, context, 0),
})

export const brokenGzip = defineFault({
  name: 'broken-gzip',
  layer: 'bytes',
  summary:
    'The body comes as gzip whose checksum is wrong: it fails at its end, when all of it has been read.',
  decides: ['encoding', 'end'],
  removes: ['json'],
  params: () => z.strictObject({}),
  apply: (_params, context, reply) => asGzip(reply, context, 1),
})

export const truncatedBody = defineFault({
  name: 'truncated-body',
  layer: 'bytes',
  summary:
    'The body ends too early, against its `Content-Length` or without the end of its chunks, and the connection closes.',
  decides: ['end', 'length', 'connection'],
  removes: ['json', 'tail', 'final', 'done'],
  params: () =>
    z.strictObject({
      atByte: z.int().min(0).optional().describe('Bytes that are sent. Default: half of them.'),
    }),
  apply({ atByte }, context, reply) {
    const { frames, length, actedAt } = measured(reply, context)
    const end = atByte ?? Math.min(Math.max(length >> 1, actedAt), length - 1)
    if (end >= length) {
      context.missed(`the body has ${length} bytes, and it was to end after ${end}`)
      return withFrames(reply, frames, promised(reply, length))
    }
    context.acted()
    return withFrames(
      reply,
      [...upTo(frames, end), { kind: 'hang-up', how: 'close' }],
      promised(reply, length),
    )
  },
})

export const shortContentLength = defineFault({
  name: 'short-content-length',
  layer: 'bytes',
  summary: '`Content-Length` is too short: the last bytes of the body are none of it.',
  decides: ['end', 'length'],
  removes: ['json', 'tail', 'done'],
  params: () =>
    z.strictObject({ by: z.int().min(1).default(10).describe('Bytes that the length is too short.') }),
  apply({ by }, context, reply) {
    const { frames, length } = measured(reply, context)
    if (by > length) {
      context.missed(`the body has ${length} bytes, and the length was to be ${by} less`)
      return withFrames(reply, frames, promised(reply, length))
    }
    context.acted()
    const headers = { 'content-length': String(length - by) }
    // Without a connection of its own, nobody is there to see the bytes after those that were promised.
    return withFrames(reply, context.hasConnection ? frames : upTo(frames, length - by), headers)
  },
})

export const slowBody = defineFault({
  name: 'slow-body',
  layer: 'bytes',
  summary: 'The head comes at once; the body dribbles in, in equal pieces.',
  decides: ['chunks'],
  params: () =>
    z.strictObject({
      ms: z.number().min(0).default(2000).describe('Milliseconds that the body takes.'),
      chunks: z.int().min(1).max(10_000).default(10).describe('In how many pieces.'),
    }),
  apply({ ms, chunks }, context, reply) {
    const { bytes, waitedMs, ending } = whole(reply.body)
    if (bytes.length > 0 && ms > 0) context.acted()
    else context.missed('it takes no time')
    const size = Math.max(1, Math.ceil(bytes.length / chunks))
    const pause = (ms + waitedMs) / Math.max(1, Math.ceil(bytes.length / size))
    return withFrames(
      reply,
      dribble(pieces(bytes, size), () => pause, ending),
      promised(reply, bytes.length),
    )
  },
})

export const bandwidth = defineFault({
  name: 'bandwidth',
  layer: 'bytes',
  summary: 'The body comes at so many bytes per second.',
  params: () =>
    z.strictObject({
      bytesPerSecond: z.int().min(1).default(1000).describe('Bytes of the body in a second.'),
    }),
  apply({ bytesPerSecond }, context, reply) {
    const headers = reply.body.kind === 'json' ? promised(reply, whole(reply.body).bytes.length) : {}
    return withFrames(reply, throttled(reply, bytesPerSecond, context), headers)
  },
})

export const streamJoined = defineFault({
  name: 'stream-joined',
  layer: 'bytes',
  summary:
    'Head and events of a stream come together at its end, in one chunk, as through a proxy that buffers.',
  needs: ['stream'],
  decides: ['chunks'],
  params: () =>
    z.strictObject({
      ms: z
        .number()
        .min(0)
        .default(1000)
        .describe('Milliseconds that a stream is held back which itself takes less.'),
    }),
  apply({ ms }, context, reply) {
    const { bytes, waitedMs, ending } = whole(reply.body)
    const delayMs = Math.max(ms, waitedMs)
    if (delayMs > 0) context.acted()
    else context.missed('the stream takes no time')
    const joinedReply = withFrames(reply, [{ kind: 'bytes', bytes }, ...ending])
    return { ...joinedReply, transport: { ...reply.transport, delayMs } }
  },
})

export const streamSplit = defineFault({
  name: 'stream-split',
  layer: 'bytes',
  summary: 'The stream comes in chunks of so many bytes: also inside a line, and inside a character.',
  needs: ['stream'],
  decides: ['chunks'],
  params: () => z.strictObject({ bytes: z.int().min(1).default(1).describe('Bytes of each chunk.') }),
  apply({ bytes }, context, reply) {
    context.acted()
    return withFrames(reply, split(reply, bytes))
  },
})

function asGzip(reply: Reply, context: FaultContext, damage: number): Reply {
  context.acted()
  const headers = { 'content-encoding': 'gzip' }
  if (reply.body.kind !== 'json') return withFrames(reply, gzipped(reply.body, damage), headers)
  const frames = [...gzipped(reply.body, damage)]
  const { bytes } = whole({ kind: 'frames', frames })
  return withFrames(reply, frames, { ...headers, 'content-length': String(bytes.length) })
}

/** A length is promised for a body that is all known, where none is yet; an event stream has none. */
function promised(reply: Reply, length: number): Record<string, string> {
  return reply.body.kind === 'json' ? { 'content-length': String(length) } : {}
}

/** All frames of a body, how many bytes they are, and how many had come when the faults before had acted. */
function measured(reply: Reply, context: FaultContext): { frames: Frame[]; length: number; actedAt: number } {
  const frames: Frame[] = []
  let length = 0
  let actedAt: number | undefined
  for (const frame of byteFrames(reply.body)) {
    // What has acted by now has shown itself in the frames before this one.
    if (context.othersActed()) actedAt ??= length
    frames.push(frame)
    if (frame.kind === 'bytes') length += toBytes(frame.bytes).length
  }
  return { frames, length, actedAt: actedAt ?? length }
}

/** The first so many bytes of a body, with the waits between them. */
function upTo(frames: readonly Frame[], length: number): Frame[] {
  const first: Frame[] = []
  let left = length
  for (const frame of frames) {
    if (left <= 0) break
    if (frame.kind === 'wait' || frame.kind === 'hang-up') first.push(frame)
    else {
      const bytes = toBytes(encodeFrame(frame))
      first.push({ kind: 'bytes', bytes: bytes.subarray(0, left) })
      left -= bytes.length
    }
  }
  return first
}

/** Each piece after its pause. A pause comes first: a body that is slow is not half there at once. */
function* dribble(
  parts: Iterable<Uint8Array>,
  pauseFor: (part: Uint8Array) => number,
  ending: readonly Frame[] = [],
): Generator<Frame> {
  for (const bytes of parts) {
    yield { kind: 'wait', ms: pauseFor(bytes) }
    yield { kind: 'bytes', bytes }
  }
  yield* ending
}

/** At most twenty pieces a second, so that slow is smooth. */
function* throttled({ body }: Reply, bytesPerSecond: number, context: FaultContext): Generator<Frame> {
  const size = Math.max(1, Math.floor(bytesPerSecond / 20))
  const pauseFor = (part: Uint8Array) => (part.length / bytesPerSecond) * 1000
  for (const frame of byteFrames(body)) {
    if (frame.kind === 'bytes') {
      context.acted()
      yield* dribble(pieces(toBytes(frame.bytes), size), pauseFor)
    } else yield frame
  }
}

function* split({ body }: Reply, size: number): Generator<Frame> {
  // A wait of no time between two chunks: the one before it has left, so they arrive as two.
  for (const frame of byteFrames(body)) {
    if (frame.kind !== 'bytes') yield frame
    else {
      for (const bytes of pieces(toBytes(frame.bytes), size)) {
        yield { kind: 'bytes', bytes }
        yield { kind: 'wait', ms: 0 }
      }
    }
  }
}
