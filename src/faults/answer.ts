/**
 * Faults to the answer: the operation has answered, and its reply is changed on the way.
 */
import * as z from 'zod'
import { toBytes } from '../http/encode.ts'
import type { Frame, Reply, StreamEvent } from '../http/reply.ts'
import { edited, type Path, readPath } from '../lib/value-path.ts'
import { byteFrames, pieces, whole, withFrames } from './body.ts'
import { defineFault } from './fault.ts'

const path = () =>
  z
    .string()
    .refine((text) => readPath(text).length > 0, 'a path names a field: `data.0.slug`')
    .describe('The field by its path: `data.0.slug`; `*` stands for any of them. In a stream, of each event.')

export const truncatedBody = defineFault({
  name: 'truncated-body',
  family: 'answer',
  summary: 'The body ends too early: `Content-Length` promises all of it, and the connection closes.',
  params: () =>
    z.strictObject({
      atByte: z.int().min(0).optional().describe('Bytes that are sent. Default: half of them.'),
    }),
  apply({ atByte }, _context, reply) {
    const { bytes } = whole(reply.body)
    const sent = bytes.subarray(0, atByte ?? bytes.length >> 1)
    return withFrames(
      reply,
      [
        { kind: 'bytes', bytes: sent },
        { kind: 'hang-up', how: 'end' },
      ],
      promised(reply, bytes),
    )
  },
})

export const wrongContentType = defineFault({
  name: 'wrong-content-type',
  family: 'answer',
  summary: 'The right body under another content type.',
  params: () => z.strictObject({ contentType: z.string().min(1).default('text/plain') }),
  apply({ contentType }, _context, reply) {
    return { ...reply, headers: { ...reply.headers, 'content-type': contentType } }
  },
})

export const slowBody = defineFault({
  name: 'slow-body',
  family: 'answer',
  summary: 'The head comes at once; the body dribbles in, in equal pieces.',
  params: () =>
    z.strictObject({
      ms: z.number().min(0).default(2000).describe('Milliseconds that the body takes.'),
      chunks: z.int().min(1).max(10_000).default(10).describe('In how many pieces.'),
    }),
  apply({ ms, chunks }, _context, reply) {
    const { bytes, waitedMs, ending } = whole(reply.body)
    const size = Math.max(1, Math.ceil(bytes.length / chunks))
    const pause = (ms + waitedMs) / Math.max(1, Math.ceil(bytes.length / size))
    return withFrames(
      reply,
      dribble(pieces(bytes, size), () => pause, ending),
      promised(reply, bytes),
    )
  },
})

export const bandwidth = defineFault({
  name: 'bandwidth',
  family: 'answer',
  summary: 'The body comes at so many bytes per second.',
  params: () => z.strictObject({ bytesPerSecond: z.int().min(1).default(1000) }),
  apply({ bytesPerSecond }, _context, reply) {
    return withFrames(reply, throttled(reply, bytesPerSecond))
  },
})

export const missingField = defineFault({
  name: 'missing-field',
  family: 'answer',
  summary: 'A field of the answer is not there, against the contract.',
  params: () => z.strictObject({ path: path() }),
  apply({ path }, context, reply) {
    return editedReply(reply, path, () => undefined, context.warn)
  },
})

const types = ['string', 'number', 'boolean', 'null', 'array', 'object'] as const

export const wrongType = defineFault({
  name: 'wrong-type',
  family: 'answer',
  summary: 'A field of the answer has another type than the contract says.',
  params: () =>
    z.strictObject({
      path: path(),
      as: z.enum(types).optional().describe('Default: a string becomes a number, everything else a string.'),
    }),
  apply({ path, as }, context, reply) {
    return editedReply(reply, path, (value) => retyped(value, as), context.warn)
  },
})

/** Changes the values at a path, in a JSON body or in the events of a stream; says so when there were none. */
function editedReply(
  reply: Reply,
  text: string,
  change: (value: unknown) => unknown,
  warn: (message: string) => void,
): Reply {
  const path = readPath(text)
  if (reply.body.kind === 'frames') return withFrames(reply, editedFrames(reply.body.frames, path, change))
  if (reply.body.kind !== 'json') return reply
  const { value, places } = edited(reply.body.value, path, change)
  if (places === 0) warn(`The fault had nothing to change: the answer has no field '${text}'`)
  return { ...reply, body: { kind: 'json', value } }
}

function* editedFrames(
  frames: Iterable<Frame>,
  path: Path,
  change: (value: unknown) => unknown,
): Generator<Frame> {
  for (const frame of frames) {
    // An edited event is still an object: a path has at least one step.
    yield frame.kind === 'event'
      ? { kind: 'event', event: edited(frame.event, path, change).value as StreamEvent }
      : frame
  }
}

function retyped(
  value: unknown,
  as: (typeof types)[number] = typeof value === 'string' ? 'number' : 'string',
): unknown {
  switch (as) {
    case 'string':
      return typeof value === 'object' ? JSON.stringify(value) : String(value)
    case 'number':
      return 42
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array':
      return [value]
    case 'object':
      return { value }
  }
}

/** A length is promised for a body that is all known; an event stream has none. */
function promised(reply: Reply, bytes: Uint8Array): Record<string, string> {
  return reply.body.kind === 'json' ? { 'content-length': String(bytes.length) } : {}
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
function* throttled({ body }: Reply, bytesPerSecond: number): Generator<Frame> {
  const size = Math.max(1, Math.floor(bytesPerSecond / 20))
  const pauseFor = (part: Uint8Array) => (part.length / bytesPerSecond) * 1000
  for (const frame of byteFrames(body)) {
    if (frame.kind === 'bytes') yield* dribble(pieces(toBytes(frame.bytes), size), pauseFor)
    else yield frame
  }
}
