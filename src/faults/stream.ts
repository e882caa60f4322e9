/**
 * Faults to a stream: its frames are changed, dropped, held back or ended, one at a time, as they are read.
 */
import * as z from 'zod'
import { encodeFrame, toBytes } from '../http/encode.ts'
import type { Frame, StreamEvent } from '../http/reply.ts'
import { byteFrames, pieces, whole } from './body.ts'
import { defineFault } from './fault.ts'
import { at, atOnePlace, position } from './position.ts'

const positioned = () => atOnePlace(z.strictObject(position()))
/** For the faults that change an event, and so cannot fall inside one. */
const atAnEvent = () => atOnePlace(z.strictObject(position()).pick({ atEvent: true, afterDeltas: true }))

export const streamCut = defineFault({
  name: 'stream-cut',
  family: 'stream',
  summary: 'The stream ends cleanly in the middle: no final event, no `[DONE]`.',
  params: positioned,
  apply: (place, _context, frames) => at(place, frames, () => [{ kind: 'hang-up', how: 'end' }]),
})

export const streamReset = defineFault({
  name: 'stream-reset',
  family: 'stream',
  summary:
    'The connection is reset in the middle of the stream; through MSW and fetch, the body fails to read on.',
  params: positioned,
  apply: (place, _context, frames) => at(place, frames, () => [{ kind: 'hang-up', how: 'reset' }]),
})

export const streamStall = defineFault({
  name: 'stream-stall',
  family: 'stream',
  summary: 'The stream goes silent in the middle and stays open.',
  params: positioned,
  apply: (place, _context, frames) => at(place, frames, () => [{ kind: 'hang-up', how: 'silence' }]),
})

export const streamErrorEvent = defineFault({
  name: 'stream-error-event',
  family: 'stream',
  summary: 'The stream reports a failure in its middle and ends.',
  params: () =>
    atOnePlace(
      z.strictObject({
        ...position(),
        form: z
          .enum(['failed', 'error'])
          .default('failed')
          .describe('`response.failed` with the whole Response, or the flat `error` event. Default: failed.'),
        code: z.string().default('server_error'),
        message: z.string().default('Provider returned error'),
      }),
    ),
  *apply({ form, code, message, ...place }, _context, frames) {
    const seen: { response?: object; sequence?: number } = {}
    const failure = (rest: Iterable<Frame>): Frame[] => {
      const sequence_number = (seen.sequence ?? -1) + 1
      const response = seen.response ?? firstResponse(rest)
      const event: StreamEvent =
        form === 'failed' && response
          ? { type: 'response.failed', sequence_number, response: failed(response, code, message) }
          : { type: 'error', code, message, param: null, sequence_number }
      return [{ kind: 'event', event }, { kind: 'done' }]
    }
    yield* at(place, noted(frames, seen), failure)
  },
})

export const streamMalformedEvent = defineFault({
  name: 'stream-malformed-event',
  family: 'stream',
  summary: 'The JSON of one event is broken; the stream goes on.',
  params: atAnEvent,
  apply: (place, _context, frames) =>
    at(place, frames, (rest) => changeNext(rest, (event) => [broken(event)])),
})

export const streamDuplicateEvent = defineFault({
  name: 'stream-duplicate-event',
  family: 'stream',
  summary: 'One event comes twice, with the same sequence number.',
  params: atAnEvent,
  apply: (place, _context, frames) =>
    at(place, frames, (rest) => changeNext(rest, (event) => [event, event])),
})

export const streamReorderedEvents = defineFault({
  name: 'stream-reordered-events',
  family: 'stream',
  summary: 'Two neighbouring events come in the wrong order.',
  params: atAnEvent,
  apply: (place, _context, frames) => at(place, frames, swapNext),
})

export const streamWithoutDone = defineFault({
  name: 'stream-without-done',
  family: 'stream',
  summary: 'The stream is complete, but its last line, `[DONE]`, is missing.',
  params: () => z.strictObject({}),
  apply: (_params, _context, frames) => without(frames, ({ kind }) => kind === 'done'),
})

export const streamWithoutCompleted = defineFault({
  name: 'stream-without-completed',
  family: 'stream',
  summary: 'The final event, with the whole Response, is missing; `[DONE]` comes.',
  params: () => z.strictObject({}),
  apply: (_params, _context, frames) => without(frames, isFinal),
})

export const streamSplit = defineFault({
  name: 'stream-split',
  family: 'stream',
  summary: 'The stream comes in chunks of so many bytes: also inside a line, and inside a character.',
  params: () => z.strictObject({ bytes: z.int().min(1).default(1) }),
  *apply({ bytes: size }, _context, frames) {
    // A wait of no time between two chunks: the one before it has left, so they arrive as two.
    for (const frame of byteFrames({ kind: 'frames', frames })) {
      if (frame.kind !== 'bytes') yield frame
      else
        for (const bytes of pieces(toBytes(frame.bytes), size))
          yield* [
            { kind: 'bytes', bytes },
            { kind: 'wait', ms: 0 },
          ] as const
    }
  },
})

export const streamJoined = defineFault({
  name: 'stream-joined',
  family: 'stream',
  summary: 'All events come at the end in one chunk, as through a proxy that buffers.',
  params: () => z.strictObject({}),
  *apply(_params, _context, frames) {
    const { bytes, waitedMs, ending } = whole({ kind: 'frames', frames })
    yield { kind: 'wait', ms: waitedMs }
    yield { kind: 'bytes', bytes }
    yield* ending
  },
})

export const streamCrlf = defineFault({
  name: 'stream-crlf',
  family: 'stream',
  summary: 'Lines end in CR LF.',
  params: () => z.strictObject({}),
  *apply(_params, _context, frames) {
    for (const frame of frames) {
      yield frame.kind === 'event' || frame.kind === 'done'
        ? text(String(encodeFrame(frame)).replaceAll('\n', '\r\n'))
        : frame
    }
  },
})

export const streamComments = defineFault({
  name: 'stream-comments',
  family: 'stream',
  summary: 'A comment line stands before each event, as gateways send to keep a connection alive.',
  params: () =>
    z.strictObject({
      comment: z
        .string()
        .regex(/^[^\r\n]*$/, 'a comment is one line')
        .default('keep-alive'),
    }),
  *apply({ comment }, _context, frames) {
    for (const frame of frames) {
      if (frame.kind === 'event') yield text(`: ${comment}\n\n`)
      yield frame
    }
  },
})

export const slowStream = defineFault({
  name: 'slow-stream',
  family: 'stream',
  summary: 'The head comes at once, the events slowly.',
  params: () =>
    z.strictObject({
      firstEventMs: z.number().min(0).default(0).describe('Milliseconds before the first event.'),
      everyMs: z.number().min(0).default(200).describe('Milliseconds before each other event.'),
    }),
  *apply({ firstEventMs, everyMs }, _context, frames) {
    let ms = firstEventMs
    for (const frame of frames) {
      if (frame.kind === 'event') {
        yield { kind: 'wait', ms }
        ms = everyMs
      }
      yield frame
    }
  },
})

function isFinal(frame: Frame): boolean {
  return frame.kind === 'event' && /^response\.(completed|incomplete|failed)$/.test(frame.event.type)
}

function* without(frames: Iterable<Frame>, drops: (frame: Frame) => boolean): Generator<Frame> {
  for (const frame of frames) if (!drops(frame)) yield frame
}

/** Exchanges the next event. */
function* changeNext(frames: Iterable<Frame>, change: (event: Frame) => Frame[]): Generator<Frame> {
  let changed = false
  for (const frame of frames) {
    if (changed || frame.kind !== 'event') yield frame
    else yield* change(frame)
    if (frame.kind === 'event') changed = true
  }
}

/** Exchanges the places of the next two events. */
function* swapNext(frames: Iterable<Frame>): Generator<Frame> {
  let first: Frame | undefined
  let swapped = false
  for (const frame of frames) {
    if (swapped || frame.kind === 'wait') yield frame
    else if (frame.kind === 'event' && !first) first = frame
    else {
      yield* frame.kind === 'event' ? [frame, first as Frame] : [...(first ? [first] : []), frame]
      swapped = true
    }
  }
}

/** An event whose JSON stops in the middle. */
function broken(frame: Frame): Frame {
  const json = JSON.stringify((frame as Frame & { kind: 'event' }).event)
  return text(`data: ${json.slice(0, json.length >> 1)}\n\n`)
}

function text(bytes: string): Frame {
  return { kind: 'bytes', bytes }
}

/** Notes in passing the newest Response and sequence number of a stream. */
function* noted(frames: Iterable<Frame>, seen: { response?: object; sequence?: number }): Generator<Frame> {
  for (const frame of frames) {
    if (frame.kind === 'event') {
      const { response, sequence_number } = frame.event
      if (typeof sequence_number === 'number') seen.sequence = sequence_number
      if (typeof response === 'object' && response !== null) seen.response = response
    }
    yield frame
  }
}

function firstResponse(frames: Iterable<Frame>): object | undefined {
  for (const frame of frames) {
    if (frame.kind === 'event' && typeof frame.event.response === 'object')
      return frame.event.response ?? undefined
  }
  return undefined
}

/** A Response that has failed: nothing of it is complete. */
function failed(response: object, code: string, message: string): object {
  return {
    ...response,
    status: 'failed',
    completed_at: null,
    output: [],
    error: { code, message },
    incomplete_details: null,
  }
}
