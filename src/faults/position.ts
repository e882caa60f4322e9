/**
 * Where in a stream a fault falls: at an event, after words, at a byte, or after a time.
 */
import * as z from 'zod'
import { encodeFrame, toBytes } from '../http/encode.ts'
import type { Frame } from '../http/reply.ts'

const places = ['atEvent', 'afterDeltas', 'atByte', 'afterMs'] as const

/** At most one of them; without any, before the fourth piece of text. */
export const position = () => ({
  atEvent: z.int().min(0).optional().describe('Events that are delivered before it.'),
  afterDeltas: z.int().min(0).optional().describe('Pieces of text that are delivered before it. Default: 3.'),
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

/**
 * Lets everything before a position through and leaves the rest to `fault`.
 *
 * In a stream that is shorter, the position is before `[DONE]`; one in words is before the final event too.
 *
 * @param fault Gets what would have followed.
 */
export function* at(
  position: Position,
  frames: Iterable<Frame>,
  fault: (rest: Iterable<Frame>) => Iterable<Frame>,
): Generator<Frame> {
  const reader = frames[Symbol.iterator]()
  const meter = meterOf(position)
  const held: Frame[] = []
  if (!meter.reached()) {
    for (let next = reader.next(); !next.done; next = reader.next()) {
      const { through, back } = meter.take(next.value)
      yield* through
      if (back) held.push(...back)
      if (back || meter.reached()) break
    }
  }
  yield* fault(chained(held, reader))
}

/** Counts frames until the position. */
interface Meter {
  reached(): boolean
  /** What of a frame lies before the position; `back` where the rest of it, or all, lies behind. */
  take(frame: Frame): { through: Frame[]; back?: Frame[] }
}

function meterOf({ atEvent, afterDeltas, atByte, afterMs }: Position): Meter {
  if (atByte !== undefined) return byteMeter(atByte)
  if (afterMs !== undefined) return timeMeter(afterMs)
  if (atEvent !== undefined)
    return eventMeter(
      atEvent,
      () => true,
      () => false,
    )
  return eventMeter(afterDeltas ?? 3, ({ event }) => event.type === 'response.output_text.delta', isFinal)
}

type EventFrame = Frame & { kind: 'event' }

function isFinal({ event }: EventFrame): boolean {
  return /^response\.(completed|incomplete|failed)$/.test(event.type)
}

function eventMeter(
  count: number,
  counts: (frame: EventFrame) => boolean,
  stopsAt: (frame: EventFrame) => boolean,
): Meter {
  let seen = 0
  return {
    reached: () => seen >= count,
    take(frame) {
      if (ends(frame) || (frame.kind === 'event' && stopsAt(frame))) return { through: [], back: [frame] }
      if (frame.kind === 'event' && counts(frame)) seen++
      return { through: [frame] }
    },
  }
}

function byteMeter(count: number): Meter {
  let left = count
  return {
    reached: () => left <= 0,
    take(frame) {
      if (frame.kind === 'wait') return { through: [frame] }
      if (frame.kind === 'hang-up') return { through: [], back: [frame] }
      const bytes = toBytes(encodeFrame(frame))
      const through: Frame[] = [{ kind: 'bytes', bytes: bytes.subarray(0, left) }]
      const back: Frame[] = [{ kind: 'bytes', bytes: bytes.subarray(left) }]
      left -= bytes.length
      return left < 0 ? { through, back } : { through: [frame] }
    },
  }
}

function timeMeter(ms: number): Meter {
  let left = ms
  return {
    reached: () => left <= 0,
    take(frame) {
      if (ends(frame)) return { through: [], back: [frame] }
      if (frame.kind !== 'wait') return { through: [frame] }
      const wait = Math.min(left, frame.ms)
      left -= frame.ms
      return {
        through: [{ kind: 'wait', ms: wait }],
        ...(left < 0 && { back: [{ kind: 'wait', ms: -left }] }),
      }
    },
  }
}

function ends(frame: Frame): boolean {
  return frame.kind === 'done' || frame.kind === 'hang-up'
}

function* chained(first: readonly Frame[], rest: Iterator<Frame>): Generator<Frame> {
  yield* first
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value
}
