/** Reads what a client received: how a reply ended, its text, and its function calls. */
import { readEvents } from '../../faults/raw-events.ts'
import { announcesEvents, type StreamEvent } from '../../http/reply.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import { fieldsOf, isObject, listOf, parseJson, textOf } from '../../lib/json.ts'

export interface Reading {
  /**
   * `rejected` is a 4xx or 5xx, `error` a failure within a 2xx, `incomplete` a whole reply that says that its answer is
   * not, and `cut` a reply without its end. `unknown` replies are not stored, or not over.
   */
  readonly ending: 'whole' | 'incomplete' | 'error' | 'cut' | 'rejected' | 'none' | 'unknown'
  /** Text received, without white space and function calls. The raw body if it is cut JSON. */
  readonly text: string
  /** Arguments of function calls as received, by call id. */
  readonly calls: ReadonlyMap<string, string>
  readonly isStream: boolean
}

export function readReply({ status, durationMs, ...entry }: JournalEntry): Reading {
  const { text, truncatedBytes } = entry.responseBody
  const reading = { text: '', calls: new Map<string, string>(), isStream: false }
  const early = durationMs === null ? 'unknown' : 'cut'
  if (status === 0) return { ...reading, ending: durationMs === null ? 'unknown' : 'none' }
  if (status >= 400) return { ...reading, ending: 'rejected' }
  if (truncatedBytes > 0 || entry.responseHeaders['content-encoding'])
    return { ...reading, ending: 'unknown' }
  if (announcesEvents(entry.responseHeaders) || /^\uFEFF?(?:data|event|id|retry)?:/.test(text)) {
    const events = eventsIn(text)
    const ending = events.map(endingOf).findLast((each) => each !== undefined) ?? early
    return { ...answerIn(events), ending, isStream: true }
  }
  const value = parseJson(text)
  if (isObject(value)) return { ...reading, ...answerIn([value]), ending: endingOf(value) ?? 'whole' }
  const isJson = entry.operation !== null || /json/i.test(entry.responseHeaders['content-type'] ?? '')
  const isWhole = value !== undefined || status === 204 || !isJson
  return isWhole ? { ...reading, ending: 'whole' } : { ...reading, text: squeezed(text), ending: early }
}

export function eventsIn(text: string): StreamEvent[] {
  const frames = [...readEvents([{ kind: 'bytes', bytes: text }])]
  return frames.flatMap((frame) => (frame.kind === 'event' ? [frame.event] : []))
}

/** Adds up the answer in the events, or the whole reply, of any protocol. */
function answerIn(values: readonly Record<string, unknown>[]): Pick<Reading, 'text' | 'calls'> {
  const texts: string[] = []
  const calls = new Map<string, string>()
  const ids = new Map<unknown, string>()
  /** @param place Position of the call in the answer, because only its first event has its id. */
  const add = (place: unknown, id: unknown, args: unknown) => {
    // An id that is used for another call begins again.
    if (textOf(id) && ids.get(place) !== id) calls.set(textOf(id), '')
    const call = textOf(id) || ids.get(place)
    if (!call) return
    ids.set(place, call)
    calls.set(call, (calls.get(call) ?? '') + (isObject(args) ? JSON.stringify(args) : textOf(args)))
  }
  for (const { type, delta, item, output, output_index, index, content, content_block, choices } of values) {
    if (type === 'response.output_text.delta') texts.push(textOf(delta))
    else if (type === 'response.function_call_arguments.delta') add(output_index, '', delta)
    else if (type === 'response.output_item.added') add(output_index, fieldsOf(item)['call_id'], '')
    const { id, type: blockType } = fieldsOf(content_block)
    if (blockType === 'tool_use') add(index, id, '')
    const { text, partial_json } = type === 'content_block_delta' ? fieldsOf(delta) : {}
    texts.push(textOf(text))
    if (partial_json) add(index, '', partial_json)
    for (const choice of listOf(choices).slice(0, 1).map(fieldsOf)) {
      const { content, tool_calls } = fieldsOf(choice['delta'] ?? choice['message'])
      texts.push(textOf(content))
      for (const [place, call] of listOf(tool_calls).map(fieldsOf).entries())
        add(call['index'] ?? place, call['id'], fieldsOf(call['function'])['arguments'])
    }
    for (const part of [...listOf(output), ...listOf(content)].map(fieldsOf)) {
      texts.push(textOf(part['content'] ?? part['text']))
      add(part, part['call_id'], part['arguments'])
      if (part['type'] === 'tool_use') add(part, part['id'], part['input'])
    }
  }
  return { text: squeezed(texts.join('')), calls }
}

/** Returns how an event or a whole reply says that its answer ended; undefined if it does not say. */
function endingOf(value: Record<string, unknown>): 'whole' | 'incomplete' | 'error' | undefined {
  const { type, error, status, response, stop_reason, delta, choices } = value
  if (type === 'error' || isObject(error)) return 'error'
  const finished = listOf(choices).map((choice) => fieldsOf(choice)['finish_reason'])
  const said = [
    status,
    fieldsOf(response)['status'],
    stop_reason,
    fieldsOf(delta)['stop_reason'],
    ...finished,
  ]
  const reason = said.find((each) => typeof each === 'string')
  if (reason === undefined || /^(?:in_progress|queued)$/.test(reason)) return undefined
  if (/^(?:failed|error|cancelled)$/.test(reason)) return 'error'
  return /^(?:incomplete|length|content_filter|max_tokens|refusal)$/.test(reason) ? 'incomplete' : 'whole'
}

export function squeezed(text: string): string {
  return text.replace(/\s+/g, '')
}
