/** A fault's position in a stream: at an event, after some deltas, at a byte, or after a time. */
import type * as z from 'zod'
import { encodeFrame, toBytes } from '../http/encode.ts'
import type { Frame } from '../http/reply.ts'
import { count, Duration } from '../lib/numbers.ts'
import type { StreamPlaces } from '../resources/protocol.ts'
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

interface Unit {
  measure(frame: Frame, context: FaultContext): number
  /** Describes a stream that ends before the position. */
  has(seen: number): string
}

const units: Readonly<Record<keyof Position, Unit>> = {
  afterEvents: { measure: (frame) => (isEvent(frame) ? 1 : 0), has: (seen) => `has ${seen} events` },
  afterDeltas: {
    measure: (frame, context) => (isTextDelta(frame, context.protocol) ? 1 : 0),
    has: (seen) => `has ${seen} deltas of text or arguments`,
  },
  afterBytes: { measure: sizeOf, has: (seen) => `has ${seen} bytes` },
  afterMs: {
    measure: (frame) => (frame.kind === 'wait' ? frame.ms : 0),
    has: (seen) => `lasts ${seen} ms`,
  },
}

/**
 * Yields the frames before a position, then the result of `change` for the rest. The position is between two
 * events, before the final event. If the stream ends before the position, the stream is unchanged and the
 * fault has no effect. The default position is after three deltas. In a shorter stream, the default is before
 * the last delta. After other faults, it is before the final event, so that the client sees all effects.
 */
export function* actAt(
  position: Position,
  frames: Iterable<Frame>,
  context: FaultContext,
  change: (rest: Iterable<Frame>) => Iterable<Frame>,
): Generator<Frame> {
  const place = places.find((each) => position[each] !== undefined)
  const { measure, has } = units[place ?? 'afterDeltas']
  const limit = (place && position[place]) ?? 3
  const reader = frames[Symbol.iterator]()
  /** The latest delta and the frames after it, held because it may be the last delta. */
  const held: Frame[] = []
  let seen = 0
  function* pass(passed: Frame[]): Generator<Frame> {
    for (const frame of passed) seen += measure(frame, context)
    yield* passed
  }
  for (let next = reader.next(); !next.done; next = reader.next()) {
    const frame = next.value
    const isEnd = isLast(frame, context)
    if (!isEnd && isTextDelta(frame, context.protocol)) yield* pass(held.splice(0))
    const isReached = seen >= limit && (place || context.othersActed())
    if (isReached || (isEnd && !place)) return yield* change(concat([...held, frame], reader))
    if (isEnd) {
      context.missed(`the stream ${has(seen)} before its last event, not ${limit}`)
      return yield* concat([frame], reader)
    }
    if (!place && context.isFirst && (held.length > 0 || isTextDelta(frame, context.protocol)))
      held.push(frame)
    else yield* pass([frame])
  }
  if (place) context.missed(`the stream ${has(seen)} before its last event, not ${limit}`)
  else if (held.length > 0) yield* change(held)
}

/** Returns true for a delta of text or arguments, but not of reasoning. */
export function isTextDelta(frame: Frame, { isDelta, isReasoningDelta }: StreamPlaces): boolean {
  return isEvent(frame) && isDelta(frame.event) && !isReasoningDelta(frame.event)
}

function sizeOf(frame: Frame): number {
  return frame.kind === 'wait' || frame.kind === 'hang-up' ? 0 : toBytes(encodeFrame(frame)).length
}

/**
 * Yields the first `afterBytes` bytes or `afterMs` milliseconds of a stream, then the frames of `end` instead of the rest.
 * The position may be in the middle of an event or a pause, because a connection does not distinguish events. If
 * nothing remains after the position, the fault has no effect.
 */
export function* endAtByteOrTime(
  { afterBytes, afterMs = 0 }: Position,
  frames: Iterable<Frame>,
  context: FaultContext,
  end: () => Iterable<Frame>,
): Generator<Frame> {
  const { measure, has } = afterBytes === undefined ? units.afterMs : units.afterBytes
  const limit = afterBytes ?? afterMs
  let left = limit
  for (const frame of frames) {
    if (frame.kind === 'hang-up') return yield frame
    if (left <= 0 && frame.kind !== 'wait') return yield* end()
    const size = measure(frame, context)
    if (size > left) {
      if (frame.kind === 'wait') yield { kind: 'wait', ms: left }
      else yield { kind: 'bytes', bytes: toBytes(encodeFrame(frame)).subarray(0, left) }
      return yield* end()
    }
    left -= size
    yield frame
  }
  context.missed(`the body ${has(limit - left)}, so the fault cannot act after ${limit}`)
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
