/**
 * Faults to the answer: its form, its fields, and what a model says about it.
 */
import * as z from 'zod'
import type { Reply, StreamEvent } from '../http/reply.ts'
import { edited, readPath } from '../lib/value-path.ts'
import { defineFault, type FaultContext } from './fault.ts'
import { mapped } from './mapped.ts'

const path = () =>
  z
    .string()
    .refine((text) => readPath(text).length > 0, 'a path names a field: `data.0.slug`')
    .describe('The field by its path: `data.0.slug`; `*` stands for any of them. In a stream, of each event.')

export const missingField = defineFault({
  name: 'missing-field',
  layer: 'answer',
  summary: 'A field of the answer is not there, against the contract.',
  needs: ['json'],
  params: () => z.strictObject({ path: path() }),
  apply: ({ path }, context, reply) => editedReply(reply, context, path, () => undefined),
})

const types = ['string', 'number', 'boolean', 'null', 'array', 'object'] as const

export const wrongType = defineFault({
  name: 'wrong-type',
  layer: 'answer',
  summary: 'A field of the answer has another type than the contract says.',
  needs: ['json'],
  params: () =>
    z.strictObject({
      path: path(),
      as: z.enum(types).optional().describe('Default: a string becomes a number, everything else a string.'),
    }),
  apply: ({ path, as }, context, reply) => editedReply(reply, context, path, (value) => retyped(value, as)),
})

export const duplicateResponseId = defineFault({
  name: 'duplicate-response-id',
  layer: 'answer',
  summary: 'Every answer has the same id.',
  needs: ['own', 'json'],
  generated: true,
  params: () =>
    z.strictObject({
      id: z.string().min(1).default('resp_duplicate').describe('The id that every response has.'),
    }),
  apply: ({ id }, context, reply) => mapAnswer(reply, context, (answer) => ({ ...answer, id }), 'id'),
})

export const missingUsage = defineFault({
  name: 'missing-usage',
  layer: 'answer',
  summary: 'The answer does not say how many tokens it took: `usage` is not there.',
  needs: ['own', 'json', 'final'],
  generated: true,
  params: () => z.strictObject({}),
  apply: (_params, context, reply) =>
    mapAnswer(reply, context, ({ usage: _usage, ...rest }) => rest, 'usage'),
})

export const contentFilter = defineFault({
  name: 'content-filter',
  layer: 'answer',
  summary: 'The answer is `incomplete` with the reason `content_filter`; its text is as far as it got.',
  needs: ['own', 'json', 'final'],
  decides: ['final'],
  generated: true,
  params: () => z.strictObject({}),
  apply(_params, context, reply) {
    const filtered = (answer: Fields) => ({
      ...answer,
      status: 'incomplete',
      completed_at: null,
      incomplete_details: { reason: 'content_filter' },
      output: Array.isArray(answer['output']) ? answer['output'].map(incomplete) : answer['output'],
    })
    const { filtered: ownEnd } = context.protocol
    return mapped(reply, context, 'the answer is not whole', (value, isEvent) => {
      if (ownEnd) return isFields(value) ? ownEnd(value) : value
      if (!isEvent) return isFields(value) && 'output' in value ? filtered(value) : value
      const event = value as StreamEvent
      if (event.type === 'response.output_item.done') return { ...event, item: incomplete(event['item']) }
      if (event.type !== 'response.completed' || !isFields(event['response'])) return event
      return { ...event, type: 'response.incomplete', response: filtered(event['response']) }
    })
  },
})

export const jsonInsteadOfStream = defineFault({
  name: 'json-instead-of-stream',
  layer: 'request',
  summary: 'Asked for a stream, the gateway answers with JSON.',
  needs: ['own', 'reply', 'body'],
  decides: ['form'],
  removes: ['stream'],
  asked: 'stream',
  generated: true,
  params: () => z.strictObject({}),
  apply: () => ({ stream: false }),
})

export const streamInsteadOfJson = defineFault({
  name: 'stream-instead-of-json',
  layer: 'request',
  summary: 'Asked for JSON, the gateway answers with an event stream.',
  needs: ['own', 'reply', 'body'],
  decides: ['form'],
  asked: 'json',
  generated: true,
  params: () => z.strictObject({}),
  apply: () => ({ stream: true }),
})

type Fields = Record<string, unknown>

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Changes the values at a path, in a JSON body or in each event of a stream. */
function editedReply(
  reply: Reply,
  context: FaultContext,
  text: string,
  change: (value: unknown) => unknown,
): Reply {
  const path = readPath(text)
  return mapped(reply, context, `the answer has no field '${text}'`, (value) => {
    const { value: copy, places } = edited(value, path, change)
    return places > 0 ? copy : value
  })
}

/** Changes the answer as a whole: the JSON body, or what the events of a stream carry as `response`. */
function mapAnswer(
  reply: Reply,
  context: FaultContext,
  change: (answer: Fields) => Fields,
  field: string,
): Reply {
  const changed = (answer: unknown) => (isFields(answer) && field in answer ? change(answer) : answer)
  return mapped(reply, context, `the answer has no ${field}`, (value) => {
    if (!isFields(value)) return value
    for (const place of ['response', 'message']) {
      if (!isFields(value[place])) continue
      const whole = changed(value[place])
      return whole === value[place] ? value : { ...value, [place]: whole }
    }
    // Other protocols have events that are parts of the answer themselves.
    return changed(value)
  })
}

function incomplete(item: unknown): unknown {
  return isFields(item) && item['type'] === 'message' ? { ...item, status: 'incomplete' } : item
}

function retyped(
  value: unknown,
  as: (typeof types)[number] = typeof value === 'string' ? 'number' : 'string',
): unknown {
  switch (as) {
    case 'string':
      return typeof value === 'object' ? JSON.stringify(value) : String(value)
    case 'number':
      return 42
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array':
      return [value]
    case 'object':
      return { value }
  }
}
