/**
 * Faults to citations: the `url_citation` annotations of an answer and of its events.
 */
import * as z from 'zod'
import type { Frame, Reply, StreamEvent } from '../http/reply.ts'
import { withFrames } from './body.ts'
import { defineFault } from './fault.ts'

interface Citation {
  type: 'url_citation'
  [field: string]: unknown
}

export const citationOutOfRange = defineFault({
  name: 'citation-out-of-range',
  family: 'citations',
  summary: 'The offsets of each citation lie past the end of the text.',
  params: () =>
    z.strictObject({
      by: z
        .int()
        .min(1)
        .default(1_000_000)
        .describe('Characters that both offsets move; more than a text is long.'),
    }),
  apply({ by }, _context, reply) {
    return changed(reply, (citation) => ({
      ...citation,
      start_index: Number(citation.start_index) + by,
      end_index: Number(citation.end_index) + by,
    }))
  },
})

export const citationMissingField = defineFault({
  name: 'citation-missing-field',
  family: 'citations',
  summary: 'A field of each citation is not there.',
  params: () =>
    z.strictObject({
      field: z.enum(['type', 'url', 'title', 'start_index', 'end_index', 'content']).default('url'),
    }),
  apply({ field }, _context, reply) {
    return changed(reply, ({ [field]: _missing, ...rest }) => rest)
  },
})

export const citationLate = defineFault({
  name: 'citation-late',
  family: 'citations',
  streamed: true,
  summary: 'The citations of a stream come after its text is done.',
  params: () => z.strictObject({}),
  apply: (_params, _context, reply) => onFrames(reply, annotationsAfterText),
})

export const citationDroppedInStream = defineFault({
  name: 'citation-dropped-in-stream',
  family: 'citations',
  streamed: true,
  summary: 'The citations of a stream are nowhere but in the final Response.',
  params: () => z.strictObject({}),
  apply: (_params, _context, reply) => onFrames(reply, annotationsAtTheEnd),
})

const annotationAdded = 'response.output_text.annotation.added'
const final = /^response\.(completed|incomplete|failed)$/

function* annotationsAfterText(frames: Iterable<Frame>): Generator<Frame> {
  const late: StreamEvent[] = []
  for (const frame of frames) {
    if (frame.kind !== 'event') yield frame
    else if (frame.event.type === annotationAdded) late.push(frame.event)
    else if (frame.event.type === 'response.output_text.done')
      yield* inOrder([frame.event, ...late.splice(0)])
    else yield frame
  }
}

/** Events in another order, with the sequence numbers of the old one: they still grow. */
function inOrder(events: readonly StreamEvent[]): Frame[] {
  const numbers = events.map((event) => Number(event.sequence_number)).sort((left, right) => left - right)
  return events.map((event, index) => ({
    kind: 'event',
    event: { ...event, sequence_number: numbers[index] },
  }))
}

function* annotationsAtTheEnd(frames: Iterable<Frame>): Generator<Frame> {
  for (const frame of frames) {
    if (frame.kind !== 'event' || final.test(frame.event.type)) yield frame
    else if (frame.event.type !== annotationAdded)
      yield { kind: 'event', event: mapCitations(frame.event, () => undefined) }
  }
}

/** The reply with each citation changed, wherever it stands: in the body, or in the events of a stream. */
function changed(reply: Reply, change: (citation: Citation) => unknown): Reply {
  if (reply.body.kind === 'json') {
    return { ...reply, body: { kind: 'json', value: mapCitations(reply.body.value, change) } }
  }
  return onFrames(reply, function* (frames) {
    for (const frame of frames) {
      yield frame.kind === 'event' ? { kind: 'event', event: mapCitations(frame.event, change) } : frame
    }
  })
}

function onFrames(reply: Reply, distort: (frames: Iterable<Frame>) => Iterable<Frame>): Reply {
  return reply.body.kind === 'frames' ? withFrames(reply, distort(reply.body.frames)) : reply
}

/** A copy in which every citation is what `change` makes of it; undefined takes it off its list. */
function mapCitations<Value>(value: Value, change: (citation: Citation) => unknown): Value {
  // What comes out has the outer shape of what went in: only citations, deep inside, are exchanged.
  const map = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(map).filter((item) => item !== undefined)
    if (typeof inner !== 'object' || inner === null) return inner
    if (isCitation(inner)) return change(inner)
    return Object.fromEntries(Object.entries(inner).map(([key, each]) => [key, map(each)]))
  }
  return map(value) as Value
}

function isCitation(value: object): value is Citation {
  return 'type' in value && value.type === 'url_citation'
}
