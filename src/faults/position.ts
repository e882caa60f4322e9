/** A fault's position in a stream: at an event, after some deltas, at a byte, or after a time. */
import type * as z from 'zod'
import { encodeFrame, toBytes } from '../http/encode.ts'
import type { Frame } from '../http/reply.ts'
import { count, Duration } from '../lib/numbers.ts'
import type { FaultContext } from './fault.ts'

const places = ['afterEvents', 'afterDeltas', 'afterBytes', 'afterMs'] as const

/** Position parameters. At most one may be set. */
export const position = () => ({
  afterEvents: count().optional().describe('Number of events sent before the fault.'),
  afterDeltas: count()
    .optional()
    .describe(
      'Number of text or argument deltas sent before the fault. Default: 3 or, in shorter streams, all but the last. If the rule has other faults, this one acts after them.',
    ),
  afterBytes: count().optional().describe('Number of bytes sent before the fault.'),
  afterMs: Duration.optional().describe('Milliseconds of streaming before the fault.'),
})

export function positionProblem(params: object): string | undefined {
  const isAtOnePlace = places.filter((place) => Reflect.get(params, place) !== undefined).length <= 1
  return isAtOnePlace ? undefined : `a fault acts at one position: set only one of ${places.join(', ')}`
}

export type Position = z.infer<z.ZodObject<ReturnType<typeof position>>>

export type EventFrame = Frame & { kind: 'event' }

export function isEvent(frame: Frame): frame is EventFrame {
  return frame.kind === 'event'
}

type ChangeRest = (rest: Iterable<Frame>) => Iterable<Frame>

/**
 * Yields the frames before a position, then the result of `change` for the rest. The position is between two events,
 * before the final event. If the stream ends before the position, the stream is unchanged and the fault has no effect.
 */
export function actAt(
  { afterEvents, afterDeltas, afterBytes, afterMs }: Position,
  frames: Iterable<Frame>,
  context: FaultContext,
  change: ChangeRest,
): Iterable<Frame> {
  const events = (frame: Frame) => (isEvent(frame) ? 1 : 0)
  const deltas = (frame: Frame) => (isEvent(frame) && context.protocol.isDelta(frame.event) ? 1 : 0)
  const pauses = (frame: Frame) => (frame.kind === 'wait' ? frame.ms : 0)
  const upTo = (limit: number, measure: (frame: Frame) => number, has?: (seen: number) => string) =>
    between({ limit, measure, has }, frames, context, change)
  if (afterEvents !== undefined) return upTo(afterEvents, events, (seen) => `has ${seen} events`)
  if (afterDeltas !== undefined)
    return upTo(afterDeltas, deltas, (seen) => `has ${seen} deltas of text or arguments`)
  if (afterBytes !== undefined) return upTo(afterBytes, sizeOf, (seen) => `has ${seen} bytes`)
  if (afterMs !== undefined) return upTo(afterMs, pauses, (seen) => `lasts ${seen} ms`)
  return context.isFirst ? actInTheMiddle(frames, context, change) : upTo(defaultDeltas, deltas)
}

const defaultDeltas = 3

function sizeOf(frame: Frame): number {
  return frame.kind === 'wait' || frame.kind === 'hang-up' ? 0 : toBytes(encodeFrame(frame)).length
}

interface Limit {
  readonly limit: number
  measure(frame: Frame): number
  /**
   * Describes a stream that ends before the limit. Default: acts before the final event instead, and after the
   * preceding faults, so that the client sees all effects.
   */
  readonly has: ((seen: number) => string) | undefined
}

function* between(
  { limit, measure, has }: Limit,
  frames: Iterable<Frame>,
  context: FaultContext,
  change: ChangeRest,
): Generator<Frame> {
  const reader = frames[Symbol.iterator]()
  let seen = 0
  for (let next = reader.next(); !next.done; next = reader.next()) {
    const frame = next.value
    const isEnd = isLast(frame, context)
    const isReached = seen >= limit && (has !== undefined || context.othersActed())
    if (isReached || (isEnd && !has)) return yield* change(concat([frame], reader))
    if (isEnd) {
      context.missed(`the stream ${has?.(seen)} before its last event, not ${limit}`)
      return yield* concat([frame], reader)
    }
    seen += measure(frame)
    yield frame
  }
  if (has) context.missed(`the stream ${has(seen)} before its last event, not ${limit}`)
}

/** Acts before the fourth delta; in shorter streams before the last delta or, without deltas, the final event. */
function* actInTheMiddle(
  frames: Iterable<Frame>,
  context: FaultContext,
  change: ChangeRest,
): Generator<Frame> {
  const reader = frames[Symbol.iterator]()
  /** The latest delta and the frames after it. */
  const held: Frame[] = []
  let passed = 0
  for (let next = reader.next(); !next.done; next = reader.next()) {
    const frame = next.value
    if (isLast(frame, context)) return yield* change(concat([...held, frame], reader))
    if (isEvent(frame) && context.protocol.isDelta(frame.event)) {
      if (held.length > 0) passed++
      yield* held.splice(0)
      if (passed >= defaultDeltas) return yield* change(concat([frame], reader))
      held.push(frame)
    } else if (held.length > 0) held.push(frame)
    else yield frame
  }
  if (held.length > 0) yield* change(held)
}

/**
 * Yields the first `afterBytes` bytes or `afterMs` milliseconds of a stream, then the frames of `end` instead of the rest.
 * The position may be in the middle of an event or a pause, because a connection does not distinguish events. If
 * nothing remains after the position, the fault has no effect.
 */
export function* endAtByteOrTime(
  { afterBytes = Number.POSITIVE_INFINITY, afterMs = Number.POSITIVE_INFINITY }: Position,
  frames: Iterable<Frame>,
  context: FaultContext,
  end: () => Iterable<Frame>,
): Generator<Frame> {
  let bytesLeft = afterBytes
  let msLeft = afterMs
  for (const frame of frames) {
    if (frame.kind === 'hang-up') return yield frame
    if (frame.kind === 'wait') {
      if (frame.ms > msLeft) {
        yield { kind: 'wait', ms: msLeft }
        return yield* end()
      }
      msLeft -= frame.ms
    } else {
      if (bytesLeft <= 0 || msLeft <= 0) return yield* end()
      const bytes = toBytes(encodeFrame(frame))
      if (bytes.length > bytesLeft) {
        yield { kind: 'bytes', bytes: bytes.subarray(0, bytesLeft) }
        return yield* end()
      }
      bytesLeft -= bytes.length
    }
    yield frame
  }
  context.missed(
    Number.isFinite(afterBytes)
      ? `the body has ${afterBytes - bytesLeft} bytes, so the fault cannot act after ${afterBytes}`
      : `the body lasts ${afterMs - msLeft} ms, so the fault cannot act after ${afterMs}`,
  )
}

/** Returns true for the final event, and for the end of a stream without one. */
function isLast(frame: Frame, { protocol }: FaultContext): boolean {
  if (frame.kind === 'event') return protocol.isFinal(frame.event)
  return frame.kind === 'done' || frame.kind === 'hang-up'
}

function* concat(first: readonly Frame[], rest: Iterator<Frame>): Generator<Frame> {
  yield* first
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value
}
