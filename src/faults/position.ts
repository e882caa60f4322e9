/**
 * Where in a stream a fault falls: at an event, after pieces of the answer, at a byte, or after a time.
 */
import * as z from 'zod'
import { encodeFrame, toBytes } from '../http/encode.ts'
import type { Frame } from '../http/reply.ts'
import type { FaultContext } from './fault.ts'

const places = ['atEvent', 'afterDeltas', 'atByte', 'afterMs'] as const

/** At most one of them. */
export const position = () => ({
  atEvent: z.int().min(0).optional().describe('Events that are delivered before it.'),
  afterDeltas: z
    .int()
    .min(0)
    .optional()
    .describe(
      'Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need.',
    ),
  atByte: z.int().min(0).optional().describe('Bytes that are delivered before it.'),
  afterMs: z.number().min(0).optional().describe('Milliseconds of the pace of the stream before it.'),
})

/** Parameters of a fault that falls at one place. */
export function atOnePlace<Params extends z.ZodObject>(params: Params): Params {
  const given = (position: Position) => places.filter((place) => position[place] !== undefined)
  return params.refine((position) => given(position).length <= 1, {
    error: `a fault falls at one place: give one of ${places.join(', ')}`,
  })
}

export interface Position {
  atEvent?: number | undefined
  afterDeltas?: number | undefined
  atByte?: number | undefined
  afterMs?: number | undefined
}

/** Gets what would have followed. */
type Rest = (rest: Iterable<Frame>) => Iterable<Frame>

/**
 * Lets everything before a position through and leaves the rest to `fault`. The position lies between two events and
 * before the final one; in a stream that has no such place everything passes, and the fault has not happened.
 */
export function at(
  position: Position,
  frames: Iterable<Frame>,
  context: FaultContext,
  fault: Rest,
): Iterable<Frame> {
  const { atEvent, afterDeltas, atByte, afterMs } = position
  const { isDelta } = context.protocol
  if (atEvent !== undefined) return between(counted(atEvent, 'events', isEvent), frames, context, fault)
  if (afterDeltas !== undefined) {
    const counts = (frame: Frame) => isEvent(frame) && isDelta(frame.event)
    return between(counted(afterDeltas, 'pieces of text or arguments', counts), frames, context, fault)
  }
  if (atByte !== undefined) return between(byteMeter(atByte), frames, context, fault)
  if (afterMs !== undefined) return between(timeMeter(afterMs), frames, context, fault)
  return context.isFirst ? inTheMiddle(frames, context, fault) : afterOthers(frames, context, fault)
}

/** How far a stream has come on its way to a position. */
interface Meter {
  reached(): boolean
  pass(frame: Frame): void
  /** Says where the stream is too short, once all of it has passed. */
  missed(): string
}

function* between(
  meter: Meter,
  frames: Iterable<Frame>,
  context: FaultContext,
  fault: Rest,
): Generator<Frame> {
  const reader = frames[Symbol.iterator]()
  for (let next = reader.next(); !next.done; next = reader.next()) {
    const frame = next.value
    if (meter.reached()) return yield* fault(chained([frame], reader))
    if (isLast(frame, context)) {
      context.missed(meter.missed())
      return yield* chained([frame], reader)
    }
    meter.pass(frame)
    yield frame
  }
  context.missed(meter.missed())
}

function counted(count: number, what: string, counts: (frame: Frame) => boolean): Meter {
  let seen = 0
  return {
    reached: () => seen >= count,
    pass(frame) {
      if (counts(frame)) seen++
    },
    missed: () => `the stream has ${seen} ${what} before its last event, not ${count}`,
  }
}

function byteMeter(count: number): Meter {
  let seen = 0
  return {
    reached: () => seen >= count,
    pass(frame) {
      if (frame.kind !== 'wait' && frame.kind !== 'hang-up') seen += toBytes(encodeFrame(frame)).length
    },
    missed: () => `the stream has ${seen} bytes before its last event, not ${count}`,
  }
}

function timeMeter(ms: number): Meter {
  let seen = 0
  return {
    reached: () => seen >= ms,
    pass(frame) {
      if (frame.kind === 'wait') seen += frame.ms
    },
    missed: () => `the pace of the stream takes ${seen} ms before its last event, not ${ms}`,
  }
}

/** Before the fourth delta; in a shorter stream before the last one, and without any before the final event. */
function* inTheMiddle(frames: Iterable<Frame>, context: FaultContext, fault: Rest): Generator<Frame> {
  const reader = frames[Symbol.iterator]()
  /** The newest delta, and what came after it. */
  const held: Frame[] = []
  let passed = 0
  for (let next = reader.next(); !next.done; next = reader.next()) {
    const frame = next.value
    if (isLast(frame, context)) return yield* fault(chained([...held, frame], reader))
    if (isEvent(frame) && context.protocol.isDelta(frame.event)) {
      if (held.length > 0) passed++
      yield* held.splice(0)
      if (passed >= usualDeltas) return yield* fault(chained([frame], reader))
      held.push(frame)
    } else if (held.length > 0) held.push(frame)
    else yield frame
  }
  if (held.length > 0) yield* fault(held)
}

const usualDeltas = 3

/** After the third delta and after what the other faults of the rule do, so that both are seen. */
function* afterOthers(frames: Iterable<Frame>, context: FaultContext, fault: Rest): Generator<Frame> {
  const reader = frames[Symbol.iterator]()
  let passed = 0
  for (let next = reader.next(); !next.done; next = reader.next()) {
    const frame = next.value
    const isThere = passed >= usualDeltas && context.othersActed()
    if (isThere || isLast(frame, context)) return yield* fault(chained([frame], reader))
    if (isEvent(frame) && context.protocol.isDelta(frame.event)) passed++
    yield frame
  }
}

/**
 * Lets so many bytes, or milliseconds, through, also in the middle of an event or of a pause, and leaves the rest to
 * `fault`: for the faults of a connection, which knows no events. Where nothing is left, the fault has not happened.
 */
export function* onTheWire(
  { atByte = Number.POSITIVE_INFINITY, afterMs = Number.POSITIVE_INFINITY }: Position,
  frames: Iterable<Frame>,
  context: FaultContext,
  fault: Rest,
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
        return yield* fault(chained([{ kind: 'wait', ms: frame.ms - msLeft }], reader))
      }
      msLeft -= frame.ms
      yield frame
      continue
    }
    if (bytesLeft <= 0 || msLeft <= 0) return yield* fault(chained([frame], reader))
    const bytes = toBytes(encodeFrame(frame))
    if (bytes.length > bytesLeft) {
      yield { kind: 'bytes', bytes: bytes.subarray(0, bytesLeft) }
      return yield* fault(chained([{ kind: 'bytes', bytes: bytes.subarray(bytesLeft) }], reader))
    }
    bytesLeft -= bytes.length
    yield frame
  }
  context.missed(
    Number.isFinite(atByte)
      ? `the body has ${atByte - bytesLeft} bytes, and it was to fall after ${atByte}`
      : `the body takes ${afterMs - msLeft} ms, and it was to fall after ${afterMs}`,
  )
}

type EventFrame = Frame & { kind: 'event' }

export function isEvent(frame: Frame): frame is EventFrame {
  return frame.kind === 'event'
}

/** The final event, or what ends a stream that has none. */
function isLast(frame: Frame, { protocol }: FaultContext): boolean {
  if (frame.kind === 'event') return protocol.isFinal(frame.event)
  return frame.kind === 'done' || frame.kind === 'hang-up'
}

function* chained(first: readonly Frame[], rest: Iterator<Frame>): Generator<Frame> {
  yield* first
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value
}
