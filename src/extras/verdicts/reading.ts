/** Reads what a client received: how a reply ended, its text, and its function calls. */
import { readEvents } from '../../faults/raw-events.ts'
import { announcesEvents } from '../../http/reply.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import { fieldsOf, isObject, listOf, parseJson, textOf } from '../../lib/json.ts'

/**
 * `rejected` is a 4xx or 5xx, `error` a failure within a 2xx, `incomplete` a whole reply that says that its answer is
 * not, and `cut` a reply without its end. `unknown` replies are not stored, or still being sent.
 */
export type Ending = 'whole' | 'incomplete' | 'error' | 'cut' | 'rejected' | 'none' | 'unknown'

export interface Reading {
  readonly ending: Ending
  /** Text received, without function calls. The raw body if it is cut JSON. */
  readonly text: string
  /** Arguments of function calls as received, by call id. */
  readonly calls: ReadonlyMap<string, string>
  /** If true, the reply is an event stream. Default: false. */
  readonly isStream?: boolean
}

export function readReply(entry: JournalEntry): Reading {
  const { status, delivery, operation, responseHeaders, responseBody } = entry
  const { text, truncatedBytes } = responseBody
  const nothing = { text: '', calls: new Map() }
  if (status === 0) return { ...nothing, ending: delivery === 'pending' ? 'unknown' : 'none' }
  if (status >= 400) return { ...nothing, ending: 'rejected' }
  if (truncatedBytes > 0) return { ...nothing, ending: 'unknown' }
  if (announcesEvents(responseHeaders) || eventStart.test(text)) return readStream(text, delivery)
  const value = parseJson(text)
  const isJson = operation !== null || /json/i.test(responseHeaders['content-type'] ?? '')
  if (isObject(value)) return { ...readJson(value), ending: endingOf(value) ?? 'whole' }
  if (value !== undefined || status === 204 || !isJson) return { ...nothing, ending: 'whole' }
  return { ...nothing, text, ending: delivery === 'pending' ? 'unknown' : 'cut' }
}

const eventStart = /^\uFEFF?(?:data|event|id|retry)?:/

function readStream(wire: string, delivery: JournalEntry['delivery']): Reading {
  const calls = new Map<string, string>()
  /** Id of the call at a place in the answer. */
  const ids = new Map<unknown, string>()
  const texts: string[] = []
  let last: Record<string, unknown> | undefined
  let ending: Ending | undefined
  for (const frame of readEvents([{ kind: 'bytes', bytes: wire }])) {
    if (frame.kind !== 'event') continue
    const { event } = frame
    ending = endingOf(event) ?? ending
    last = isObject(event['response']) ? event['response'] : last
    for (const { place, id, text, args } of partsOf(event)) {
      if (id) ids.set(place, id)
      texts.push(text ?? '')
      const call = ids.get(place)
      if (call !== undefined) calls.set(call, (calls.get(call) ?? '') + (args ?? ''))
    }
  }
  ending ??= delivery === 'pending' ? 'unknown' : 'cut'
  // Streams without undocumented events have their content only in the last one.
  if (last && texts.length === 0 && ending === 'whole') return { ...readJson(last), ending, isStream: true }
  return { ending, text: texts.join(''), calls, isStream: true }
}

interface Part {
  readonly place: unknown
  readonly id?: string
  readonly text?: string
  readonly args?: string
}

/** Returns what an event of any protocol adds to the answer. */
function partsOf(event: Record<string, unknown>): Part[] {
  const { type, delta, output_index, item, index, content_block, choices } = event
  const [choice] = listOf(choices).map(fieldsOf)
  if (choice) {
    const { content, tool_calls } = fieldsOf(choice['delta'])
    const called = listOf(tool_calls).map(fieldsOf)
    return [
      { place: 'text', text: textOf(content) },
      ...called.map((call) => ({
        place: call['index'],
        id: textOf(call['id']),
        args: textOf(fieldsOf(call['function'])['arguments']),
      })),
    ]
  }
  if (type === 'response.output_text.delta') return [{ place: 'text', text: textOf(delta) }]
  if (type === 'response.output_item.added')
    return [{ place: output_index, id: textOf(fieldsOf(item)['call_id']) }]
  if (type === 'response.function_call_arguments.delta') return [{ place: output_index, args: textOf(delta) }]
  if (type === 'content_block_start')
    return fieldsOf(content_block)['type'] === 'tool_use'
      ? [{ place: index, id: textOf(fieldsOf(content_block)['id']) }]
      : []
  if (type !== 'content_block_delta') return []
  const { text, partial_json } = fieldsOf(delta)
  return [{ place: index, text: textOf(text), args: textOf(partial_json) }]
}

/** Reads an answer of any protocol: output items, choices or content blocks. */
function readJson({ output, choices, content }: Record<string, unknown>): Omit<Reading, 'ending'> {
  const messages = listOf(choices).map((choice) => fieldsOf(fieldsOf(choice)['message']))
  const parts = [...listOf(output), ...messages, ...listOf(content)].map(fieldsOf)
  const called = [...parts, ...messages.flatMap(({ tool_calls }) => listOf(tool_calls).map(fieldsOf))]
  const calls = called.flatMap(({ type, id, call_id, input, arguments: args, function: inner }) => {
    if (type === 'tool_use') return [[textOf(id), JSON.stringify(input)] as const]
    const callId = textOf(call_id) || textOf(inner && id)
    return callId ? [[callId, textOf(args ?? fieldsOf(inner)['arguments'])] as const] : []
  })
  const text = parts.map((part) => textOf(part['content'] ?? part['text'])).join('')
  return { text, calls: new Map(calls) }
}

/** Returns how an event or a whole reply says that its answer ended; undefined if it does not say. */
function endingOf(value: Record<string, unknown>): Ending | undefined {
  const { type, error, status, response, stop_reason, delta, choices } = value
  if (type === 'error' || isObject(error)) return 'error'
  const ofChoices = listOf(choices).map((choice) => fieldsOf(choice)['finish_reason'])
  const reasons = [
    status,
    fieldsOf(response)['status'],
    stop_reason,
    fieldsOf(delta)['stop_reason'],
    ...ofChoices,
  ]
  const reason = reasons.find((each) => typeof each === 'string')
  if (reason === undefined || /^(?:in_progress|queued)$/.test(reason)) return undefined
  if (/^(?:failed|error|cancelled)$/.test(reason)) return 'error'
  return /^(?:incomplete|length|content_filter|max_tokens|refusal)$/.test(reason) ? 'incomplete' : 'whole'
}
