/** Faults in the format and content of generated answers: fields, id, status and citations. */
import * as z from 'zod'
import type { Frame, Reply, StreamEvent } from '../http/reply.ts'
import { fieldsOf, isObject } from '../lib/json.ts'
import { count } from '../lib/numbers.ts'
import { editAt, mapInside, readAll, readPath } from '../lib/value-path.ts'
import { withFrames } from './body-bytes.ts'
import { defineFault, type FaultContext } from './fault.ts'
import { isEvent } from './position.ts'

export const answerFaults = [
  defineFault('json-instead-of-stream', 'form', {
    summary: 'A request for a stream gets a JSON reply.',
    requested: 'stream',
  }),
  defineFault('stream-instead-of-json', 'form', {
    summary: 'A request for JSON gets an event stream.',
    requested: 'json',
  }),
  defineFault('field', 'fields', {
    summary: 'The field at `path` is missing, null or wrong, in the reply or in stream events.',
    params: () => ({
      path: path(),
      event: z
        .union([z.string().min(1), count()])
        .optional()
        .describe('Type of the events to change, or the zero-based position of one event. Default: all.'),
      to: z
        .union([z.enum(['absent', 'null', 'wrong-type']), z.strictObject({ value: z.json() })])
        .default('absent')
        .describe(
          'Change to make. `wrong-type` replaces a string with a number, and other types with a string. `{ value }` sends any JSON value.',
        ),
    }),
    apply({ path, event, to }, context, reply) {
      const place = readPath(path)
      const nothing = event === undefined ? 'the answer has no' : `no event '${event}' has a`
      return changeJson(reply, context, `${nothing} field '${path}'`, (whole, index) => {
        if (event !== undefined && event !== index && event !== fieldsOf(whole)['type']) return whole
        // A copy would count as a change.
        if (readAll(whole, place).length === 0) return whole
        return editAt(whole, place, (before) => changed(before, to))
      })
    },
  }),
  defineFault('duplicate-response-id', 'answer', {
    summary: 'All answers have the same id.',
    params: () => ({ id: z.string().min(1).default('resp_duplicate').describe('The shared id.') }),
    apply: ({ id }, context, reply) => changeAnswer(reply, context, 'id', (answer) => ({ ...answer, id })),
  }),
  defineFault('content-filter', 'answer', {
    summary: 'The answer is `incomplete` with the reason `content_filter`; its text is unchanged.',
    apply: (_params, context, reply) =>
      changeJson(reply, context, 'the answer is not complete', (value) =>
        isObject(value) ? context.protocol.ended(value, 'content_filter') : value,
      ),
  }),
  defineFault('citation-out-of-range', 'answer', {
    summary: 'Each citation has offsets beyond the end of the text.',
    params: () => ({
      by: z.int().min(1).default(1_000_000).describe("Number added to the citation's offsets."),
    }),
    apply: ({ by }, context, reply) =>
      changeCitations(reply, context, 'start_index', (citation) => {
        const { start_index: start, end_index: end = start } = citation
        return { ...citation, start_index: Number(start) + by, end_index: Number(end) + by }
      }),
  }),
  defineFault('citation-missing-field', 'answer', {
    summary: 'Each citation lacks one of its fields.',
    params: () => ({
      field: z
        .enum(['type', 'url', 'title', 'start_index', 'end_index', 'content'])
        .default('url')
        .describe('The missing field.'),
    }),
    apply: ({ field }, context, reply) =>
      changeCitations(reply, context, field, ({ [field]: _missing, ...rest }) => rest),
  }),
] as const

const path = () =>
  z
    .string()
    .refine((text) => readPath(text).length > 0, 'a path must name a field, as in `data.0.slug`')
    .describe('Field path, such as `data.0.slug`; `*` matches every key. In streams, a path in each event.')

/** The fields of an answer or of a citation (in Chat, of the object in `url_citation`). */
export type Fields = Record<string, unknown>

/** Changes a reply's JSON, or the event at an index. Returns its argument if nothing changes. */
type Change = (value: unknown, index?: number) => unknown

/** @param nothing Reason to report if nothing changes. */
export function changeBody(
  reply: Reply,
  context: FaultContext,
  nothing: string,
  change: { frames(frames: Iterable<Frame>): Iterable<Frame>; value(value: unknown): unknown },
): Reply {
  context.missed(nothing)
  const { body } = reply
  if (body.kind === 'frames') return withFrames(reply, change.frames(body.frames))
  const value = body.kind === 'json' ? change.value(body.value) : undefined
  if (body.kind !== 'json' || value === body.value) return reply
  context.acted()
  return { ...reply, body: { kind: 'json', value } }
}

function changeJson(reply: Reply, context: FaultContext, nothing: string, value: Change): Reply {
  return changeBody(reply, context, nothing, {
    value,
    frames: (frames) => changeEach(frames, context, value),
  })
}

function* changeEach(frames: Iterable<Frame>, context: FaultContext, change: Change): Generator<Frame> {
  let index = 0
  for (const frame of frames) {
    // A changed event is still an object.
    const event = isEvent(frame) ? (change(frame.event, index++) as StreamEvent) : undefined
    if (!event || (isEvent(frame) && event === frame.event)) yield frame
    else {
      yield { kind: 'event', event }
      context.acted()
    }
  }
}

export function changeAnswer(
  reply: Reply,
  context: FaultContext,
  field: string,
  change: (answer: Fields) => Fields,
): Reply {
  return changeJson(reply, context, `the answer has no ${field}`, (value) => {
    const answer = answerIn(value)
    return field in answer ? withAnswer(value, change(answer)) : value
  })
}

/** Returns the answer in a JSON body or in an event: its `response` or `message`, or the value itself. */
export function answerIn(value: unknown): Fields {
  const place = placeIn(value)
  return fieldsOf(place ? fieldsOf(value)[place] : value)
}

export function withAnswer(value: unknown, answer: Fields): Fields {
  const place = placeIn(value)
  return place ? { ...fieldsOf(value), [place]: answer } : answer
}

function placeIn(value: unknown): string | undefined {
  return ['response', 'message'].find((place) => isObject(fieldsOf(value)[place]))
}

function changed(value: unknown, to: 'absent' | 'null' | 'wrong-type' | { value: unknown }): unknown {
  if (typeof to === 'object') return to.value
  if (to === 'wrong-type') return otherType(value)
  return to === 'null' ? null : undefined
}

export function otherType(value: unknown): unknown {
  return typeof value === 'string' ? 42 : JSON.stringify(value)
}

function changeCitations(
  reply: Reply,
  context: FaultContext,
  field: string,
  change: (citation: Fields) => Fields,
): Reply {
  const changeInside = (inner: unknown) => {
    if (!isCitation(inner)) return inner
    if (Object.hasOwn(inner, field)) return change(inner)
    context.missed(`the answer's citations have no '${field}'`)
    return inner
  }
  return changeJson(reply, context, 'the answer has no citations', (value) => mapInside(value, changeInside))
}

function isCitation(value: unknown): value is Fields {
  const { type, url, start_index } = fieldsOf(value)
  if (type === 'url_citation' || type === 'web_search_result_location') return true
  return type === undefined && url !== undefined && start_index !== undefined
}
