/**
 * Stream faults: events are malformed, repeated, moved or added; the stream is slow or ends incorrectly; or events
 * use unusual but valid syntax.
 */
import * as z from 'zod'
import { encodeFrame } from '../http/encode.ts'
import type { Frame, HangUp } from '../http/reply.ts'
import { isObject, parseJson } from '../lib/json.ts'
import { between, count, Duration } from '../lib/numbers.ts'
import { heartbeats, type StreamSoFar } from '../resources/protocol.ts'
import { defineFault, type FaultContext, type Layer } from './fault.ts'
import { actAt, type EventFrame, endAtByteOrTime, isEvent, type Position, position } from './position.ts'

export const streamFaults = [
  defineFault('stream-sequence-gap', 'events', {
    summary: 'Sequence numbers skip ahead after one event, as if events had been lost.',
    params: () => ({
      ...eventPosition(),
      missing: count(1).default(5).describe('Number of missing sequence numbers.'),
    }),
    apply: ({ missing, ...where }, context, frames) =>
      actAt(where, frames, context, function* (rest) {
        for (const frame of rest) {
          yield renumber(frame, missing)
          if (isEvent(frame) && typeof frame.event.sequence_number === 'number') context.acted()
        }
        context.missed("this protocol's events have no sequence numbers")
      }),
  }),
  defineFault('stream-reordered-events', 'events', {
    summary: 'Two consecutive events are in the wrong order.',
    params: eventPosition,
    apply: (where, context, frames) => actAt(where, frames, context, (rest) => swapNext(rest, context)),
  }),
  defineFault('stream-huge-event', 'events', {
    summary: 'One event has an additional long field, `padding`.',
    params: () => ({
      ...eventPosition(),
      bytes: between(1, 16 * 1024 * 1024)
        .default(1024 * 1024)
        .describe('Field length in bytes.'),
    }),
    apply: ({ bytes, ...where }, context, frames) =>
      changeNext(where, context, frames, ({ event }) => [
        { kind: 'event', event: { ...event, padding: 'x'.repeat(bytes) } },
      ]),
  }),
  defineFault('stream-malformed-event', 'events', {
    summary: 'One event contains invalid JSON; the stream continues.',
    params: eventPosition,
    apply: (where, context, frames) => changeNext(where, context, frames, (frame) => [breakJson(frame)]),
  }),
  defineFault('stream-duplicate-event', 'events', {
    summary: 'One event is sent twice, with the same sequence number.',
    params: eventPosition,
    apply: (where, context, frames) => changeNext(where, context, frames, (frame) => [frame, frame]),
  }),
  defineFault('stream-unknown-event', 'events', {
    summary: 'An event of an unknown type is added, with a sequence number if the protocol uses them.',
    params: () => ({
      ...eventPosition(),
      type: z.string().min(1).default('response.unknown_event').describe('Event type.'),
    }),
    apply({ type, ...where }, context, frames) {
      const addBefore = (frame: EventFrame): Frame[] => {
        const { sequence_number: number } = frame.event
        const event = { type, ...(number !== undefined && { sequence_number: number }) }
        return [{ kind: 'event', event }, renumber(frame, 1)]
      }
      return changeNext(where, context, frames, addBefore, 1)
    },
  }),
  defineFault('stream-empty-data', 'events', {
    summary: 'An event with an empty `data:` line is added.',
    params: eventPosition,
    apply: (where, context, frames) =>
      actAt(where, frames, context, function* (rest) {
        yield { kind: 'bytes', bytes: 'data:\n\n' }
        context.acted()
        yield* rest
      }),
  }),
  defineFault('stream-error-event', 'events', {
    summary: 'The stream reports a failure partway through and ends.',
    params: () => ({
      ...position(),
      form: z
        .enum(['failed', 'error'])
        .default('failed')
        .describe('`response.failed` with the full Response object, or the flat `error` event.'),
      code: z
        .string()
        .optional()
        .describe(
          '`error.code` in responses, `error.metadata.error_type` in chat completions, `error.type` in messages. Default: server_error; in POST /messages, overloaded_error.',
        ),
      message: z.string().default('Provider returned error').describe('`error.message`.'),
    }),
    *apply({ form, code, message, ...place }, context, frames) {
      const seen: StreamSoFar = { response: undefined, sequence: 0 }
      yield* actAt(place, trackProgress(frames, seen), context, function* () {
        yield { kind: 'event', event: context.protocol.failure({ form, code, message }, seen) }
        if (!context.protocol.endsWithoutDone) yield { kind: 'done' }
        context.acted()
      })
    },
  }),
  defineFault('stream-without-completed', 'events', {
    summary: 'The final event, which contains the full response, is missing, but `[DONE]` is sent.',
    apply: (_params, context, frames) =>
      dropFrames(frames, context, (frame) => isEvent(frame) && context.protocol.isFinal(frame.event)),
  }),
  defineFault('stream-without-done', 'events', {
    summary: "The stream's last line, `[DONE]`, is missing.",
    apply: (_params, context, frames) => dropFrames(frames, context, ({ kind }) => kind === 'done'),
  }),
  defineFault('stream-data-after-done', 'events', {
    summary: "The stream's first event is sent again after `[DONE]`.",
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
  }),
  defineFault('slow-stream', 'events', {
    summary: 'The response head is sent immediately, but the events are delayed.',
    params: () => ({
      firstToken: Duration.default(0).describe('Delay before the first event, in milliseconds.'),
      perToken: Duration.default(200).describe('Delay before each subsequent event, in milliseconds.'),
    }),
    *apply({ firstToken, perToken }, context, frames) {
      let ms = firstToken
      for (const frame of frames) {
        if (isEvent(frame)) {
          yield { kind: 'wait', ms }
          if (ms > 0) context.acted()
          ms = perToken
        }
        yield frame
      }
      context.missed(firstToken + perToken > 0 ? 'the stream has no later JSON event' : 'its delays are 0')
    },
  }),
  endOfStream('stream-cut', 'end', 'The stream ends cleanly, but without a final event or `[DONE]`.'),
  endOfStream(
    'stream-reset',
    'reset',
    'The connection is reset in the middle of the stream. With MSW and `gateway.fetch`, reading the body fails.',
  ),
  defineFault('stream-stall', 'events', {
    layerOf: ({ heartbeat, ...place }) => (heartbeat ? 'events' : layerOfEnd(place)),
    summary: 'The stream stops sending partway through, and the connection stays open.',
    params: () => ({
      ...position(),
      heartbeat: z
        .enum(['comment', ...heartbeats])
        .optional()
        .describe(
          'Heartbeats that keep the stalled stream alive: comments, `ping` (Messages), `response.in_progress` (Responses), or chunks without text (Chat). The stream then stalls between two events. Default: none.',
        ),
      every: Duration.optional().describe('Milliseconds between the 1000 heartbeats. Default: 15000.'),
    }),
    problem: ({ heartbeat, every }) =>
      every !== undefined && !heartbeat
        ? "`every` requires `heartbeat`, as in { name: 'stream-stall', heartbeat: 'comment', every: '5s' }"
        : undefined,
    apply({ heartbeat, every = 15_000, ...place }, context, frames) {
      if (!heartbeat) return endAt(place, 'stall', context, frames)
      const seen: StreamSoFar = { response: undefined, sequence: 0 }
      return actAt(place, trackProgress(frames, seen), context, function* (rest) {
        for (let sent = 0; sent < maxHeartbeats; sent++) {
          const event = heartbeat === 'comment' ? undefined : context.protocol.heartbeat?.(heartbeat, seen)
          if (!event && heartbeat !== 'comment') {
            context.missed(`this protocol has no heartbeat '${heartbeat}'`)
            return yield* rest
          }
          context.acted()
          yield { kind: 'wait', ms: every }
          yield event ? { kind: 'event', event } : { kind: 'bytes', bytes: ': keep-alive\n\n' }
          seen.sequence++
        }
        yield { kind: 'hang-up', how: 'stall' }
      })
    },
  }),
  otherSyntax('stream-multiline-data', "Each event's JSON is split over several `data:` lines.", splitLines),
  otherSyntax('stream-no-space', 'There is no space after `data:`.', (text) =>
    text.replace(/^data: /gm, 'data:'),
  ),
  defineFault('stream-comments', 'text', {
    summary: 'A comment line precedes each event, like the keep-alive comments of real gateways.',
    params: () => ({
      comment: z
        .string()
        .regex(/^[^\r\n]*$/, 'a comment must be a single line')
        .default('keep-alive')
        .describe('Comment text.'),
    }),
    apply: ({ comment }, context, frames) =>
      rewriteText(frames, context, (text, frame) =>
        frame.kind === 'event' ? `: ${comment}\n\n${text}` : text,
      ),
  }),
  defineFault('stream-bom', 'text', {
    summary: 'The stream starts with a byte order mark.',
    apply(_params, context, frames) {
      let mark = '\uFEFF'
      return rewriteText(frames, context, (text) => {
        const marked = mark + text
        mark = ''
        return marked
      })
    },
  }),
  otherSyntax('stream-crlf', 'Lines end in CR LF.', (text) => text.replace(lineEnds, '\r\n')),
  otherSyntax('stream-lone-cr', 'Lines end in CR only.', (text) => text.replace(lineEnds, '\r')),
  defineFault('stream-split-crlf', 'text', {
    summary: 'Lines end in CR LF, and chunks end between CR and LF.',
    *apply(_params, context, frames) {
      for (const frame of frames) {
        const text = encodedText(frame)
        if (text === undefined) yield frame
        else {
          for (const piece of text.replace(lineEnds, '\r\n').split(/(?<=\r)/)) {
            yield { kind: 'bytes', bytes: piece }
            yield { kind: 'wait', ms: 0 }
          }
          context.acted()
        }
      }
    },
  }),
] as const

/** Event stream line endings. Recorded streams can use any of these. */
const lineEnds = /\r\n|\n|\r/g

/** Parameters for a position between events: a number of events or deltas, but not bytes or milliseconds. */
function eventPosition() {
  const { afterEvents, afterDeltas } = position()
  return { afterEvents, afterDeltas }
}

/** Replaces the next event after a position. @param shift Added to the sequence numbers of all later events. */
function changeNext(
  where: Position,
  context: FaultContext,
  frames: Iterable<Frame>,
  change: (frame: EventFrame) => Frame[],
  shift = 0,
): Iterable<Frame> {
  return actAt(where, frames, context, function* (rest) {
    let isChanged = false
    for (const frame of rest) {
      if (isChanged) yield renumber(frame, shift)
      else if (!isEvent(frame)) yield frame
      else {
        yield* change(frame)
        context.acted()
        isChanged = true
      }
    }
  })
}

/** Swaps the next two events, but never the final one. */
function* swapNext(frames: Iterable<Frame>, context: FaultContext): Generator<Frame> {
  /** The first of the two events, and any pauses after it. Undefined after the swap, or if no swap is possible. */
  let held: Frame[] | undefined = []
  for (const frame of frames) {
    const isMovable = isEvent(frame) && !context.protocol.isFinal(frame.event)
    const [first, ...between] = held ?? []
    if (isMovable && first) {
      yield* [...between, frame, first]
      context.acted()
      held = undefined
    } else if (held && (isMovable || (first && frame.kind === 'wait'))) held.push(frame)
    else {
      yield* held ?? []
      yield frame
      if (frame.kind !== 'wait') held = undefined
    }
  }
  yield* held ?? []
  context.missed('the stream has no two consecutive events before the final one')
}

/** Cuts an event's JSON in half. Faults that count events still count this event. */
function breakJson({ event, wire = '' }: EventFrame): Frame {
  const json = JSON.stringify(event)
  const [name = ''] = /^event:.*(?:\r\n|\n|\r)/m.exec(wire) ?? []
  return { kind: 'event', event, wire: `${name}data: ${json.slice(0, json.length >> 1)}\n\n` }
}

function renumber(frame: Frame, by: number): Frame {
  if (by === 0 || !isEvent(frame) || typeof frame.event.sequence_number !== 'number') return frame
  const number = frame.event.sequence_number + by
  const event = { ...frame.event, sequence_number: number }
  if (frame.wire === undefined) return { ...frame, event }
  // Edits the text, because a malformed event's JSON must stay invalid.
  const wire = frame.wire.replace(/(?<="sequence_number": ?)\d+(?=[,}])/, String(number))
  return { ...frame, event, wire }
}

function* dropFrames(
  frames: Iterable<Frame>,
  context: FaultContext,
  drops: (frame: Frame) => boolean,
): Generator<Frame> {
  for (const frame of frames) {
    if (drops(frame)) context.acted()
    else yield frame
  }
  context.missed('the stream has no such event')
}

function* trackProgress(frames: Iterable<Frame>, seen: StreamSoFar): Generator<Frame> {
  for (const frame of frames) {
    if (!isEvent(frame)) {
      yield frame
      continue
    }
    const { response, sequence_number } = frame.event
    const answer = isObject(response) ? response : undefined
    seen.last = frame.event
    // A failure before the first event uses that event's response; a later failure uses only events already sent.
    seen.response ??= answer
    yield frame
    seen.response = answer ?? seen.response
    if (typeof sequence_number === 'number') seen.sequence = sequence_number + 1
  }
}

/** Faults at an event act in the event layer; faults at a byte or after a time act on the connection. */
function layerOfEnd({ afterBytes, afterMs }: Position): Layer {
  return afterBytes === undefined && afterMs === undefined ? 'events' : 'connection'
}

function endOfStream<const Name extends string>(name: Name, how: HangUp, summary: string) {
  return defineFault(name, 'events', {
    layerOf: layerOfEnd,
    summary,
    params: position,
    apply: (place, context, frames) => endAt(place, how, context, frames),
  })
}

function endAt(
  place: Position,
  how: HangUp,
  context: FaultContext,
  frames: Iterable<Frame>,
): Iterable<Frame> {
  const act = layerOfEnd(place) === 'events' ? actAt : endAtByteOrTime
  return act(place, frames, context, function* () {
    context.acted()
    yield { kind: 'hang-up', how }
  })
}

/** Number of heartbeats before complete silence: without delays, a client would otherwise read them forever. */
const maxHeartbeats = 1000

function otherSyntax<const Name extends string>(
  name: Name,
  summary: string,
  rewrite: (text: string) => string,
) {
  return defineFault(name, 'text', {
    summary,
    apply: (_params, context, frames) => rewriteText(frames, context, rewrite),
  })
}

/** Returns a frame's encoded text, or undefined for raw bytes, waits and hang-ups. */
function encodedText(frame: Frame): string | undefined {
  if (frame.kind === 'wait' || frame.kind === 'hang-up') return undefined
  const text = encodeFrame(frame)
  return typeof text === 'string' ? text : undefined
}

function* rewriteText(
  frames: Iterable<Frame>,
  context: FaultContext,
  rewrite: (text: string, frame: Frame) => string,
): Generator<Frame> {
  for (const frame of frames) {
    const text = encodedText(frame)
    const changed = text === undefined ? undefined : rewrite(text, frame)
    if (changed === undefined || changed === text) {
      yield frame
      continue
    }
    yield frame.kind === 'event' || frame.kind === 'done'
      ? { ...frame, wire: changed }
      : { kind: 'bytes', bytes: changed }
    context.acted()
  }
}

/** Splits JSON between tokens, so that readers can rejoin the lines. Malformed JSON is unchanged. */
function splitLines(text: string): string {
  return text.replace(/^data: ?([[{].*)$/gm, (line, json: string) => {
    const value = parseJson(json)
    return value === undefined ? line : JSON.stringify(value, null, 1).replace(/^/gm, 'data: ')
  })
}
