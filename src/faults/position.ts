/**
 * The position in a stream at which a fault acts: at an event, after some deltas, at a byte, or after a time.
 */
import type * as z from 'zod'
import { encodeFrame, toBytes } from '../http/encode.ts'
import type { Frame } from '../http/reply.ts'
import { count, Duration } from '../lib/numbers.ts'
import type { FaultContext } from './fault.ts'

const places = ['atEvent', 'afterDeltas', 'atByte', 'afterMs'] as const

/** Parameters for the position; a rule gives at most one of them. */
export const position = () => ({
  atEvent: count().optional().describe('Number of events sent before the fault.'),
  afterDeltas: count()
    .optional()
    .describe(
      'Number of pieces of text or arguments sent before the fault. Default: 3, or all but the last if there are fewer. With other faults in the rule, it also waits until those have acted.',
    ),
  atByte: count().optional().describe('Number of bytes sent before the fault.'),
  afterMs: Duration.optional().describe("Milliseconds of the stream's pace before the fault."),
})

/** Returns the parameters of a fault that acts at one position. */
export function atOnePlace<Params extends z.ZodObject>(params: Params): Params {
  const given = (position: Position) => places.filter((place) => position[place] !== undefined)
  return params.refine((position) => given(position).length <= 1, {
    error: `a fault acts at one position: give one of ${places.join(', ')}`,
  })
}

export interface Position {
  atEvent?: number | undefined
  afterDeltas?: number | undefined
  atByte?: number | undefined
  afterMs?: number | undefined
}

export type EventFrame = Frame & { kind: 'event' }

export function isEvent(frame: Frame): frame is EventFrame {
  return frame.kind === 'event'
}

/** Returns what is sent instead of the rest of a stream. */
type ChangeRest = (rest: Iterable<Frame>) => Iterable<Frame>

/**
 * Yields the frames before a position, then what `change` makes of the rest. The position is between two events and
 * before the final one. A stream that ends before its position passes unchanged, and the fault has not acted.
 */
export function at(
  { atEvent, afterDeltas, atByte, afterMs }: Position,
  frames: Iterable<Frame>,
  context: FaultContext,
  change: ChangeRest,
): Iterable<Frame> {
  const events = (frame: Frame) => (isEvent(frame) ? 1 : 0)
  const deltas = (frame: Frame) => (isEvent(frame) && context.protocol.isDelta(frame.event) ? 1 : 0)
  const pauses = (frame: Frame) => (frame.kind === 'wait' ? frame.ms : 0)
  const upTo = (limit: number, measure: (frame: Frame) => number, has: (seen: number) => string) =>
    between(meter(limit, measure), frames, context, change, (seen) =>
      context.missed(`${has(seen)} before its last event, not ${limit}`),
    )
  if (atEvent !== undefined) return upTo(atEvent, events, (seen) => `the stream has ${seen} events`)
  if (afterDeltas !== undefined)
    return upTo(afterDeltas, deltas, (seen) => `the stream has ${seen} pieces of text or arguments`)
  if (atByte !== undefined) return upTo(atByte, sizeOf, (seen) => `the stream has ${seen} bytes`)
  if (afterMs !== undefined) return upTo(afterMs, pauses, (seen) => `the pace of the stream takes ${seen} ms`)
  if (context.isFirst) return inTheMiddle(frames, context, change)
  const usual = meter(usualDeltas, deltas)
  // After the other faults have acted, so that both are seen.
  const others = { ...usual, reached: () => usual.reached() && context.othersActed() }
  return between(others, frames, context, change)
}

const usualDeltas = 3

/** Measures a stream on its way to a position. */
interface Meter {
  reached(): boolean
  pass(frame: Frame): void
  seen(): number
}

function meter(limit: number, measure: (frame: Frame) => number): Meter {
  let seen = 0
  return {
    reached: () => seen >= limit,
    pass(frame) {
      seen += measure(frame)
    },
    seen: () => seen,
  }
}

function sizeOf(frame: Frame): number {
  return frame.kind === 'wait' || frame.kind === 'hang-up' ? 0 : toBytes(encodeFrame(frame)).length
}

/**
 * @param missed Called if the stream ends before its position. Default: the position is before the final event then.
 */
function* between(
  { reached, pass, seen }: Meter,
  frames: Iterable<Frame>,
  context: FaultContext,
  change: ChangeRest,
  missed?: (seen: number) => void,
): Generator<Frame> {
  const reader = frames[Symbol.iterator]()
  for (let next = reader.next(); !next.done; next = reader.next()) {
    const frame = next.value
    const ends = isLast(frame, context)
    if (reached() || (ends && !missed)) return yield* change(chained([frame], reader))
    if (ends) {
      missed?.(seen())
      return yield* chained([frame], reader)
    }
    pass(frame)
    yield frame
  }
  missed?.(seen())
}

/** Acts before the fourth delta; in a shorter stream before the last one, or before the final event. */
function* inTheMiddle(frames: Iterable<Frame>, context: FaultContext, change: ChangeRest): Generator<Frame> {
  const reader = frames[Symbol.iterator]()
  /** The newest delta and the frames since. */
  const held: Frame[] = []
  let passed = 0
  for (let next = reader.next(); !next.done; next = reader.next()) {
    const frame = next.value
    if (isLast(frame, context)) return yield* change(chained([...held, frame], reader))
    if (isEvent(frame) && context.protocol.isDelta(frame.event)) {
      if (held.length > 0) passed++
      yield* held.splice(0)
      if (passed >= usualDeltas) return yield* change(chained([frame], reader))
      held.push(frame)
    } else if (held.length > 0) held.push(frame)
    else yield frame
  }
  if (held.length > 0) yield* change(held)
}

/**
 * Yields a number of bytes, or the frames of some milliseconds, then what `change` makes of the rest. The position may
 * be in the middle of an event or of a pause, since a connection knows no events. If nothing is left, the fault has
 * not acted.
 */
export function* onTheWire(
  { atByte = Number.POSITIVE_INFINITY, afterMs = Number.POSITIVE_INFINITY }: Position,
  frames: Iterable<Frame>,
  context: FaultContext,
  change: ChangeRest,
): Generator<Frame> {
  const reader = frames[Symbol.iterator]()
  let bytesLeft = atByte
  let msLeft = afterMs
  for (let next = reader.next(); !next.done; next = reader.next()) {
    const frame = next.value
    if (frame.kind === 'hang-up') {
      yield frame
      return
    }
    if (frame.kind === 'wait') {
      if (frame.ms >= msLeft) {
        yield { kind: 'wait', ms: msLeft }
        return yield* change(chained([{ kind: 'wait', ms: frame.ms - msLeft }], reader))
      }
      msLeft -= frame.ms
      yield frame
      continue
    }
    if (bytesLeft <= 0 || msLeft <= 0) return yield* change(chained([frame], reader))
    const bytes = toBytes(encodeFrame(frame))
    if (bytes.length > bytesLeft) {
      yield { kind: 'bytes', bytes: bytes.subarray(0, bytesLeft) }
      return yield* change(chained([{ kind: 'bytes', bytes: bytes.subarray(bytesLeft) }], reader))
    }
    bytesLeft -= bytes.length
    yield frame
  }
  context.missed(
    Number.isFinite(atByte)
      ? `the body has ${atByte - bytesLeft} bytes, so the fault cannot act after ${atByte}`
      : `the body takes ${afterMs - msLeft} ms, so the fault cannot act after ${afterMs}`,
  )
}

/** Returns true for the final event, and for the end of a stream without one. */
function isLast(frame: Frame, { protocol }: FaultContext): boolean {
  if (frame.kind === 'event') return protocol.isFinal(frame.event)
  return frame.kind === 'done' || frame.kind === 'hang-up'
}

function* chained(first: readonly Frame[], rest: Iterator<Frame>): Generator<Frame> {
  yield* first
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value
}
