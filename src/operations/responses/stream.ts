/** Encodes response streams, and locates their parts for faults. Spec: Events. */
import { encodeEvent } from '../../http/encode.ts'
import type { Frame, StreamEvent } from '../../http/reply.ts'
import { fieldsOf, isObject, listOf } from '../../lib/json.ts'
import { editAt, readPath } from '../../lib/value-path.ts'
import type { AnswerPart, StreamOptions, StreamPlaces } from '../../resources/protocol.ts'

/** Returns a function that numbers a stream's events, and drops undocumented ones if the options exclude them. */
export function responsesWriter({ stream }: StreamOptions): (event: StreamEvent) => Frame | undefined {
  const toWire = deltaWriter()
  let sequence = 0
  return (event) => {
    const sent = stream.events === 'all' ? event : documented(event)
    if (!sent) return undefined
    sent.sequence_number = sequence++
    return isToken(event) ? { kind: 'event', event, wire: toWire(event) } : { kind: 'event', event: sent }
  }
}

interface Delta extends StreamEvent {
  delta: string
  output_index?: unknown
  content_index?: unknown
  summary_index?: unknown
}

function isToken(event: StreamEvent): event is Delta {
  return String(event.type).endsWith('.delta') && !(event as { logprobs?: unknown[] }).logprobs?.length
}

/** Encodes deltas. The deltas of a part differ in two fields, so the other fields are encoded once. */
function deltaWriter(): (event: Delta) => string {
  let last: Delta | undefined
  let before = ''
  let after = ''
  return (event) => {
    const isOfSamePart =
      event.output_index === last?.output_index &&
      event.content_index === last?.content_index &&
      event.summary_index === last?.summary_index
    if (!last || !isOfSamePart) {
      last = event
      const { sequence_number: _, ...rest } = event
      const sample = encodeEvent({ ...rest, delta: '' })
      const place = sample.indexOf('"delta":""') + '"delta":"'.length
      before = sample.slice(0, place)
      after = sample.slice(place, -end.length)
    }
    const { delta } = event
    const json = plain.test(delta) ? delta : JSON.stringify(delta).slice(1, -1)
    return `${before}${json}${after},"sequence_number":${event.sequence_number}${end}`
  }
}

const plain = /^[ !#-[\]-~]*$/

const end = '}\n\n'

/** Returns an event's documented form, if it has one. All final events become `response.completed`. */
function documented(event: StreamEvent): StreamEvent | undefined {
  switch (event.type) {
    case 'response.output_item.added':
    case 'response.completed':
      return event
    case 'response.incomplete':
    case 'response.failed':
      return { ...event, type: 'response.completed' }
    default:
      return undefined
  }
}

export const responsesPlaces: StreamPlaces = {
  owns: ({ type = '' }) => type.startsWith('response.'),
  isDelta: ({ type = '' }) => /^response\.\w+\.delta$/.test(type),
  isReasoningDelta: ({ type = '' }) => /^response\.reasoning\w*\.delta$/.test(type),
  isFinal: ({ type = '' }) => /^response\.(completed|incomplete|failed)$/.test(type),
  ended(value, reason) {
    if (reason === 'stop') return value
    const { type, item, response } = value as StreamEvent
    if (type === 'response.output_item.done') return { ...value, item: incompleteItem(item, reason) }
    if (type === 'response.completed' && isObject(response))
      return { ...value, type: 'response.incomplete', response: incompleteResponse(response, reason) }
    return 'output' in value ? incompleteResponse(value, reason) : value
  },
  partsOf(value) {
    const { output_index, item, response, output, type } = value as StreamEvent
    if (output_index === undefined) {
      const items = listOf(response ? fieldsOf(response)['output'] : output)
      return items.map((each, index) => {
        const at = `${response ? 'response.' : ''}output.${index}`
        const texts = [`${at}.arguments`, `${at}.content.*.text`]
        return { kind: kindOf(each), of: `${index}`, at, texts, id: `${at}.call_id`, name: `${at}.name` }
      })
    }
    const isDelta = responsesPlaces.isDelta({ type })
    const name = item ? 'item.name' : 'name'
    const shared = { of: `${output_index}`, at: '', id: 'item.call_id', name, index: 'output_index' }
    const kind = item ? kindOf(item) : undefined
    return [{ ...shared, kind, isDelta, texts: isDelta ? ['delta'] : textsOfEvents }]
  },
  refused(value) {
    const { type, text, logprobs: _, ...event } = value as StreamEvent
    if (type?.startsWith('response.output_text.annotation')) return undefined
    if (type?.startsWith('response.output_text.')) {
      const refused = { ...event, type: type.replace('output_text', 'refusal') }
      return text === undefined ? refused : { ...refused, refusal: text }
    }
    return contents.reduce((changed, path) => fieldsOf(editAt(changed, path, refusedPart)), value)
  },
  failure({ form, code = 'server_error', message }, { response, sequence }) {
    if (form === 'error' || !response)
      return { type: 'error', code, message, param: null, sequence_number: sequence }
    return {
      type: 'response.failed',
      sequence_number: sequence,
      response: {
        ...response,
        status: 'failed',
        completed_at: null,
        output: [],
        error: { code, message },
        incomplete_details: null,
      },
    }
  },
  heartbeat(kind, { response, sequence }) {
    if (kind !== 'in_progress' || !response) return undefined
    return { type: 'response.in_progress', response, sequence_number: sequence }
  },
}

/** Paths of an item's text in events that contain the full text. */
const textsOfEvents = ['arguments', 'text', 'part.text', 'item.arguments', 'item.content.*.text']

const contents = ['output.*.content.*', 'response.output.*.content.*', 'item.content.*', 'part'].map(readPath)

function refusedPart(part: unknown): unknown {
  const { type, text } = fieldsOf(part)
  return type === 'output_text' ? { type: 'refusal', refusal: text } : part
}

function kindOf(item: unknown): AnswerPart['kind'] {
  const { type } = fieldsOf(item)
  if (type === 'reasoning') return type
  if (type === 'message') return 'text'
  return type === 'function_call' || type === 'custom_tool_call' ? 'call' : 'other'
}

type Reason = 'length' | 'content_filter'

function incompleteResponse(response: object, reason: Reason): object {
  const { output } = response as { output?: unknown }
  return {
    ...response,
    status: 'incomplete',
    completed_at: null,
    incomplete_details: { reason: reason === 'length' ? 'max_output_tokens' : reason },
    output: Array.isArray(output) ? output.map((item) => incompleteItem(item, reason)) : output,
  }
}

function incompleteItem(item: unknown, reason: Reason): unknown {
  const ended = reason === 'length' ? 'function_call' : 'message'
  return isObject(item) && item['type'] === ended ? { ...item, status: 'incomplete' } : item
}
