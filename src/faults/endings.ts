/**
 * Faults to how a stream ends: too early, with a failure, without its last lines, or not at its end.
 */
import * as z from 'zod'
import type { Frame, HangUp, StreamEvent } from '../http/reply.ts'
import { defineFault, type FaultContext, type Layer } from './fault.ts'
import { at, atOnePlace, isEvent, onTheWire, type Position, position } from './position.ts'

const positioned = () => atOnePlace(z.strictObject(position()))

/** Where the place is told in events, the sender stops there; a byte or a time is a matter of the connection. */
function layerOf({ atByte, afterMs }: Position): Layer {
  return atByte === undefined && afterMs === undefined ? 'events' : 'connection'
}

function endsAt(how: HangUp) {
  return (place: Position, context: FaultContext, frames: Iterable<Frame>): Iterable<Frame> => {
    const end = function* (): Generator<Frame> {
      context.acted()
      yield { kind: 'hang-up', how }
    }
    return layerOf(place) === 'events'
      ? at(place, frames, context, end)
      : onTheWire(place, frames, context, end)
  }
}

export const streamErrorEvent = defineFault({
  name: 'stream-error-event',
  layer: 'events',
  summary: 'The stream reports a failure in its middle and ends.',
  needs: ['tail'],
  decides: ['final'],
  removes: ['final'],
  params: () =>
    atOnePlace(
      z.strictObject({
        ...position(),
        form: z
          .enum(['failed', 'error'])
          .default('failed')
          .describe('`response.failed` with the whole Response, or the flat `error` event. Default: failed.'),
        code: z.string().default('server_error').describe('`error.code`.'),
        message: z.string().default('Provider returned error').describe('`error.message`.'),
      }),
    ),
  *apply({ form, code, message, ...place }, context, frames) {
    const seen: Seen = { response: undefined, sequence: 0 }
    yield* at(place, noted(frames, seen), context, function* () {
      yield { kind: 'event', event: context.protocol.failure({ form, code, message }, seen) }
      if (!context.protocol.endsWithoutDone) yield { kind: 'done' }
      context.acted()
    })
  },
})

export const streamWithoutCompleted = defineFault({
  name: 'stream-without-completed',
  layer: 'events',
  summary: 'The final event, with the whole answer, is missing; `[DONE]` comes.',
  needs: ['tail'],
  decides: ['final'],
  removes: ['final'],
  params: () => z.strictObject({}),
  apply: (_params, context, frames) =>
    without(frames, context, (frame) => isEvent(frame) && context.protocol.isFinal(frame.event)),
})

export const streamWithoutDone = defineFault({
  name: 'stream-without-done',
  layer: 'events',
  summary: 'The stream is complete, but its last line, `[DONE]`, is missing.',
  decides: ['done'],
  removes: ['done'],
  params: () => z.strictObject({}),
  apply: (_params, context, frames) => without(frames, context, ({ kind }) => kind === 'done'),
})

export const streamDataAfterDone = defineFault({
  name: 'stream-data-after-done',
  layer: 'events',
  summary: 'After `[DONE]` the first event of the stream comes once more.',
  needs: ['done', 'tail'],
  params: () => z.strictObject({}),
  *apply(_params, context, frames) {
    let first: Frame | undefined
    for (const frame of frames) {
      if (isEvent(frame)) first ??= frame
      yield frame
      if (frame.kind !== 'done' || !first) continue
      yield first
      context.acted()
    }
    context.missed('the stream has no [DONE]')
  },
})

export const streamCut = defineFault({
  name: 'stream-cut',
  layer: 'events',
  layerOf,
  summary: 'The stream ends cleanly in the middle: no final event, no `[DONE]`.',
  decides: ['end'],
  removes: ['final', 'done', 'tail'],
  params: positioned,
  apply: endsAt('end'),
})

export const streamReset = defineFault({
  name: 'stream-reset',
  layer: 'events',
  layerOf,
  summary:
    'The connection is reset in the middle of the stream; through MSW and fetch, the body fails to read on.',
  decides: ['end', 'connection'],
  removes: ['final', 'done', 'tail'],
  params: positioned,
  apply: endsAt('reset'),
})

export const streamStall = defineFault({
  name: 'stream-stall',
  layer: 'events',
  layerOf,
  summary: 'The stream goes silent in the middle and stays open.',
  decides: ['end', 'connection'],
  removes: ['final', 'done', 'tail'],
  params: positioned,
  apply: endsAt('silence'),
})

function* without(
  frames: Iterable<Frame>,
  context: FaultContext,
  drops: (frame: Frame) => boolean,
): Generator<Frame> {
  for (const frame of frames) {
    if (drops(frame)) context.acted()
    else yield frame
  }
  context.missed('the stream has none')
}

/** What a stream has told so far. */
interface Seen {
  /** The newest event. */
  last?: StreamEvent
  /** The newest whole answer. */
  response: object | undefined
  /** The sequence number that comes next. */
  sequence: number
}

/** Notes in passing the newest answer and sequence number of a stream. */
function* noted(frames: Iterable<Frame>, seen: Seen): Generator<Frame> {
  for (const frame of frames) {
    if (!isEvent(frame)) {
      yield frame
      continue
    }
    const { response, sequence_number } = frame.event
    const answer = typeof response === 'object' && response !== null ? response : undefined
    seen.last = frame.event
    // A failure before the first event has to look at that for its answer; otherwise only what has passed counts.
    seen.response ??= answer
    yield frame
    seen.response = answer ?? seen.response
    if (typeof sequence_number === 'number') seen.sequence = sequence_number + 1
  }
}
