/**
 * Faults to citations: the `url_citation` annotations of an answer and of its events.
 */
import * as z from 'zod'
import type { Frame, Reply, StreamEvent } from '../http/reply.ts'
import { withFrames } from './body.ts'
import { renumbered } from './events.ts'
import { defineFault, type FaultContext } from './fault.ts'
import { mapped } from './mapped.ts'
import { isEvent } from './position.ts'

/** A citation of Responses and of Messages; of Chat also what stands in its `url_citation`. */
type Citation = Record<string, unknown>

const uncited = 'the answer cites nothing'

export const citationOutOfRange = defineFault({
  name: 'citation-out-of-range',
  layer: 'answer',
  summary: 'The offsets of each citation lie past the end of the text.',
  needs: ['own', 'json'],
  generated: true,
  params: () =>
    z.strictObject({
      by: z
        .int()
        .min(1)
        .default(1_000_000)
        .describe('Characters between the end of the text and the beginning of the citation.'),
    }),
  apply({ by }, context, reply) {
    // Where a text ends is known when all of it is: the frames are looked at before they are sent.
    const frames = reply.body.kind === 'frames' ? [...reply.body.frames] : undefined
    const longest = longestText(frames ?? reply.body)
    const read = frames ? withFrames(reply, frames) : reply
    return changed(read, context, (citation) => {
      if (!Object.hasOwn(citation, 'start_index')) return citation
      const from = longest + by
      const span = Number(citation['end_index']) - Number(citation['start_index'])
      return { ...citation, start_index: from, end_index: from + (span > 0 ? span : 1) }
    })
  },
})

export const citationOutOfOrder = defineFault({
  name: 'citation-out-of-order',
  layer: 'answer',
  summary: 'The citations of a text come in the reverse of their order.',
  needs: ['own', 'json'],
  generated: true,
  params: () => z.strictObject({}),
  apply(_params, context, reply) {
    const turned = mapped(reply, context, 'no text of the answer has two citations', (value) =>
      reversed(value),
    )
    return turned.body.kind === 'frames'
      ? withFrames(turned, reversedAnnotations(turned.body.frames, context))
      : turned
  },
})

export const citationMissingField = defineFault({
  name: 'citation-missing-field',
  layer: 'answer',
  summary: 'A field of each citation is not there.',
  needs: ['own', 'json'],
  generated: true,
  params: () =>
    z.strictObject({
      field: z
        .enum(['type', 'url', 'title', 'start_index', 'end_index', 'content'])
        .default('url')
        .describe('The field that is left out.'),
    }),
  apply: ({ field }, context, reply) =>
    changed(reply, context, (citation) => {
      const { [field]: _missing, ...rest } = citation
      return Object.hasOwn(citation, field) ? rest : citation
    }),
})

export const citationLate = defineFault({
  name: 'citation-late',
  layer: 'events',
  summary: 'The citations of a stream come after its text is done.',
  needs: ['own'],
  decides: ['citations'],
  generated: true,
  params: () => z.strictObject({}),
  *apply(_params, context, frames) {
    const { isAnnotation, isTextDone } = context.protocol
    const late: Frame[] = []
    let sequence: number | undefined
    for (const frame of frames) {
      if (isEvent(frame) && isAnnotation(frame.event)) {
        sequence ??= Number(frame.event.sequence_number)
        late.push(frame)
      } else if (isEvent(frame) && isTextDone(frame.event) && late.length > 0) {
        yield* inOrder([frame, ...late.splice(0)], sequence)
        context.acted()
        sequence = undefined
      } else yield frame
    }
    yield* late
    context.missed(uncited)
  },
})

export const citationDroppedInStream = defineFault({
  name: 'citation-dropped-in-stream',
  layer: 'events',
  summary: 'The citations of a stream are nowhere but in the final answer.',
  needs: ['own'],
  decides: ['citations'],
  generated: true,
  params: () => z.strictObject({}),
  *apply(_params, context, frames) {
    const { isAnnotation, isFinal } = context.protocol
    let dropped = 0
    for (const frame of frames) {
      if (isEvent(frame) && isAnnotation(frame.event)) {
        dropped++
        continue
      }
      if (dropped === 0) yield frame
      else {
        yield* renumbered([isEvent(frame) && !isFinal(frame.event) ? uncitedEvent(frame) : frame], -dropped)
        context.acted()
      }
    }
    context.missed(uncited)
  },
})

function uncitedEvent(frame: Frame & { kind: 'event' }): Frame {
  return { kind: 'event', event: mapCitations(frame.event, () => undefined) }
}

/** Events in another order, numbered from `first`: their numbers still grow. */
function inOrder(frames: readonly Frame[], first: number | undefined): Frame[] {
  return frames.map((frame, index) => {
    if (!isEvent(frame) || first === undefined || Number.isNaN(first)) return frame
    return { kind: 'event', event: { ...frame.event, sequence_number: first + index } }
  })
}

/** The reply with each citation changed, wherever it stands: in the body, or in the events of a stream. */
function changed(reply: Reply, context: FaultContext, change: (citation: Citation) => unknown): Reply {
  return mapped(reply, context, uncited, (value) => mapCitations(value, change))
}

/** The value with each list of citations in reverse; the value itself where that changes nothing. */
function reversed<Value>(value: Value): Value {
  return mapInside(value, (inner) => {
    if (!Array.isArray(inner) || inner.length < 2 || !inner.every(isCitation)) return inner
    return inner.toReversed()
  })
}

/** The events that add citations, with the citations of each text in reverse. */
function* reversedAnnotations(frames: Iterable<Frame>, context: FaultContext): Generator<Frame> {
  const run: (Frame & { kind: 'event' })[] = []
  const turned = function* (): Generator<Frame> {
    const events = run.splice(0)
    for (const [index, frame] of events.entries()) {
      const other = events[events.length - 1 - index] as typeof frame
      if (events.length < 2) yield frame
      // Without numbers and indexes of their own, events change their places as they are.
      else if (!Object.hasOwn(frame.event, 'annotation')) yield other
      else yield { kind: 'event', event: { ...frame.event, annotation: other.event['annotation'] } }
    }
    if (events.length > 1) context.acted()
  }
  for (const frame of frames) {
    if (isEvent(frame) && context.protocol.isAnnotation(frame.event)) run.push(frame)
    else {
      yield* turned()
      yield frame
    }
  }
  yield* turned()
}

/** A copy in which every citation is what `change` makes of it; undefined takes it off its list. */
function mapCitations<Value>(value: Value, change: (citation: Citation) => unknown): Value {
  return mapInside(value, (inner) => (isCitation(inner) ? change(inner) : inner))
}

/** A copy with values deep inside exchanged; the value itself where nothing changed. */
function mapInside<Value>(value: Value, change: (inner: unknown) => unknown): Value {
  const map = (inner: unknown): unknown => {
    const replaced = change(inner)
    if (replaced !== inner || typeof inner !== 'object' || inner === null) return replaced
    const entries = Object.entries(inner).map(([key, each]) => [key, each, map(each)] as const)
    if (entries.every(([, before, after]) => before === after)) return inner
    if (!Array.isArray(inner)) return Object.fromEntries(entries.map(([key, , after]) => [key, after]))
    return entries.flatMap(([, , after]) => (after === undefined ? [] : [after]))
  }
  // What comes out has the outer shape of what went in: only what lies deep inside is exchanged.
  return map(value) as Value
}

function longestText(value: unknown): number {
  let longest = 0
  /** Of the pieces of a text together, for streams in which nothing has it whole. */
  let pieces = 0
  mapInside(value, (inner) => {
    const { text, content } = typeof inner === 'object' && inner !== null ? (inner as StreamEvent) : {}
    if (typeof text === 'string') longest = Math.max(longest, text.length)
    if (typeof content === 'string') pieces += content.length
    return inner
  })
  return longest || pieces
}

function isCitation(value: unknown): value is Citation {
  if (typeof value !== 'object' || value === null) return false
  const { type, url, start_index } = value as Citation
  if (type === 'url_citation' || type === 'web_search_result_location') return true
  return type === undefined && url !== undefined && start_index !== undefined
}
