/**
 * Faults of events that leave the stream running: one event is broken, repeated, moved, added, or its number is wrong.
 */
import * as z from 'zod'
import { encodeFrame } from '../http/encode.ts'
import type { Frame, StreamEvent } from '../http/reply.ts'
import { defineFault, type FaultContext } from './fault.ts'
import { at, atOnePlace, isEvent, position } from './position.ts'

/** These faults act on an event, so a byte or a time is no place for them. */
const place = () => {
  const { atEvent, afterDeltas } = position()
  return { atEvent, afterDeltas }
}

export const streamSequenceGap = defineFault({
  name: 'stream-sequence-gap',
  layer: 'events',
  summary: 'From one event on, the sequence numbers are too high: as if events had been lost.',
  params: () =>
    atOnePlace(
      z.strictObject({
        ...place(),
        missing: z.int().min(1).default(5).describe('Numbers that are left out.'),
      }),
    ),
  apply: ({ missing, ...where }, context, frames) =>
    at(where, frames, context, (rest) => gapped(rest, missing, context)),
})

export const streamReorderedEvents = defineFault({
  name: 'stream-reordered-events',
  layer: 'events',
  summary: 'Two neighbouring events come in the wrong order.',
  params: () => atOnePlace(z.strictObject(place())),
  apply: (where, context, frames) => at(where, frames, context, (rest) => swapNext(rest, context)),
})

export const streamHugeEvent = defineFault({
  name: 'stream-huge-event',
  layer: 'events',
  summary: 'One event has an additional field, `padding`, and is as long as that makes it.',
  params: () =>
    atOnePlace(
      z.strictObject({
        ...place(),
        bytes: z
          .int()
          .min(1)
          .max(16 * 1024 * 1024)
          .default(1024 * 1024)
          .describe('Length of the field, in bytes.'),
      }),
    ),
  apply: ({ bytes, ...where }, context, frames) =>
    at(where, frames, context, (rest) =>
      changeNext(rest, context, ({ event }) => [
        { kind: 'event', event: { ...event, padding: 'x'.repeat(bytes) } },
      ]),
    ),
})

export const streamMalformedEvent = defineFault({
  name: 'stream-malformed-event',
  layer: 'events',
  summary: 'The JSON of one event is broken; the stream goes on.',
  params: () => atOnePlace(z.strictObject(place())),
  apply: (where, context, frames) =>
    at(where, frames, context, (rest) => changeNext(rest, context, (frame) => [broken(frame)])),
})

export const streamDuplicateEvent = defineFault({
  name: 'stream-duplicate-event',
  layer: 'events',
  summary: 'One event comes twice, with the same sequence number.',
  params: () => atOnePlace(z.strictObject(place())),
  apply: (where, context, frames) =>
    at(where, frames, context, (rest) => changeNext(rest, context, (frame) => [frame, frame])),
})

export const streamUnknownEvent = defineFault({
  name: 'stream-unknown-event',
  layer: 'events',
  summary: 'An event of a type that no client knows comes in between, with a sequence number of its own.',
  params: () =>
    atOnePlace(
      z.strictObject({
        ...place(),
        type: z.string().min(1).default('response.unknown_event').describe('The type of the event.'),
      }),
    ),
  apply: ({ type, ...where }, context, frames) =>
    at(where, frames, context, (rest) => actedAfterFirst(withUnknown(rest, type), context)),
})

export const streamEmptyData = defineFault({
  name: 'stream-empty-data',
  layer: 'events',
  summary: 'An event with nothing in its `data:` line comes in between.',
  params: () => atOnePlace(z.strictObject(place())),
  apply: (where, context, frames) =>
    at(where, frames, context, (rest) => actedAfterFirst(withEmpty(rest), context)),
})

export const slowStream = defineFault({
  name: 'slow-stream',
  layer: 'events',
  summary: 'The head comes at once, the events slowly.',
  params: () =>
    z.strictObject({
      firstEventMs: z.number().min(0).default(0).describe('Milliseconds before the first event.'),
      everyMs: z.number().min(0).default(200).describe('Milliseconds before each other event.'),
    }),
  *apply({ firstEventMs, everyMs }, context, frames) {
    let ms = firstEventMs
    for (const frame of frames) {
      if (isEvent(frame)) {
        yield { kind: 'wait', ms }
        if (ms > 0) context.acted()
        ms = everyMs
      }
      yield frame
    }
    context.missed('it takes no time')
  },
})

type EventFrame = Frame & { kind: 'event' }

function* gapped(frames: Iterable<Frame>, missing: number, context: FaultContext): Generator<Frame> {
  for (const frame of renumbered(frames, missing)) {
    yield frame
    if (isEvent(frame) && typeof frame.event.sequence_number === 'number') context.acted()
  }
  context.missed('events of this protocol have no sequence numbers')
}

function* changeNext(
  frames: Iterable<Frame>,
  context: FaultContext,
  change: (frame: EventFrame) => Frame[],
): Generator<Frame> {
  let changed = false
  for (const frame of frames) {
    if (changed || !isEvent(frame)) yield frame
    else {
      yield* change(frame)
      context.acted()
      changed = true
    }
  }
}

/** Exchanges the places of the next two events; the final one stays the last. */
function* swapNext(frames: Iterable<Frame>, context: FaultContext): Generator<Frame> {
  /** The first of the two, and what came after it. */
  const held: Frame[] = []
  let swapped = false
  for (const frame of frames) {
    if (swapped) yield frame
    else if (isEvent(frame) && held.length > 0 && !context.protocol.isFinal(frame.event)) {
      const [first, ...between] = held.splice(0) as [Frame, ...Frame[]]
      yield* [...between, frame, first]
      context.acted()
      swapped = true
    } else if (frame.kind === 'wait' && held.length > 0) held.push(frame)
    else if (isEvent(frame) && held.length === 0 && !context.protocol.isFinal(frame.event)) held.push(frame)
    else {
      yield* held.splice(0)
      yield frame
      if (frame.kind !== 'wait') swapped = true
    }
  }
  yield* held
  context.missed('no two events stand beside each other there, before the final one')
}

/** An event whose JSON stops in the middle: still an event for the faults that count them. */
function broken({ event, wire = '' }: EventFrame): Frame {
  const json = JSON.stringify(event)
  const [name = ''] = /^event: .*\n/.exec(wire) ?? []
  return { kind: 'event', event, wire: `${name}data: ${json.slice(0, json.length >> 1)}\n\n` }
}

function* withUnknown(rest: Iterable<Frame>, type: string): Generator<Frame> {
  let added = false
  for (const frame of renumbered(rest, 1)) {
    if (!added && isEvent(frame)) {
      const { sequence_number } = frame.event
      const number = typeof sequence_number === 'number' ? { sequence_number: sequence_number - 1 } : {}
      yield { kind: 'event', event: { type, ...number } }
      added = true
    }
    yield frame
  }
}

function* withEmpty(rest: Iterable<Frame>): Generator<Frame> {
  yield { kind: 'bytes', bytes: 'data:\n\n' }
  yield* rest
}

/** Calls the fault done when what comes after its first frame is asked for. */
function* actedAfterFirst(frames: Iterable<Frame>, context: FaultContext): Generator<Frame> {
  for (const frame of frames) {
    yield frame
    if (frame.kind !== 'wait') context.acted()
  }
}

/** The events with their sequence numbers moved; a broken one stays as it is. */
export function* renumbered(frames: Iterable<Frame>, by: number): Generator<Frame> {
  for (const frame of frames) yield isEvent(frame) ? { ...frame, ...moved(frame, by) } : frame
}

function moved(frame: EventFrame, by: number): { event: StreamEvent; wire?: string } {
  const { event } = frame
  if (typeof event.sequence_number !== 'number') return frame
  const number = event.sequence_number + by
  const change = { event: { ...event, sequence_number: number } }
  if (frame.wire === undefined) return change
  const wire = String(encodeFrame(frame)).replace(
    /("sequence_number":)\d+(?=[,}])/,
    (_, name: string) => `${name}${number}`,
  )
  return { ...change, wire }
}
