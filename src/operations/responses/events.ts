/**
 * Converts a response to events, with one delta per token. Spec: Events. The undocumented events are those
 * that published clients know, in an order that all these clients accept.
 */
import type { StreamEvent } from '../../http/reply.ts'
import { fieldsOf, listOf } from '../../lib/json.ts'
import { tokenize } from '../../model/tokens.ts'
import type { Answer, AnswerItem } from '../../resources/answer.ts'
import { itemKindOf, textEventOf } from './item-kinds.ts'
import {
  isMessage,
  isReasoning,
  type OutputItem,
  type OutputMessage,
  type OutputText,
  type Reasoning,
  type ResponseObject,
} from './response-object.ts'

export function responseEvents(
  response: ResponseObject,
  { choices: [{ items }], isInterleaved }: Pick<Answer, 'choices' | 'isInterleaved'>,
): Iterable<StreamEvent> {
  const started = inProgress(response)
  const parts = response.output.map((item, index) => itemEvents(item, index, items[index]?.item))
  const { status } = response
  // Other statuses have no event of their own.
  const ending = status === 'incomplete' || status === 'failed' ? status : 'completed'
  return inTurn([
    { type: 'response.created', response: started },
    { type: 'response.in_progress', response: started },
    ...(isInterleaved ? alternating(parts.map(inTurn)) : parts.flat()),
    { type: `response.${ending}`, response },
  ])
}

type StreamPart = StreamEvent | (() => Iterable<StreamEvent>)

function* inTurn(parts: readonly StreamPart[]): Generator<StreamEvent> {
  for (const part of parts) {
    if (typeof part === 'function') yield* part()
    else yield part
  }
}

/** Returns one delta event per token, created during iteration. */
function deltas(text: string, toEvent: (delta: string) => StreamEvent): StreamPart {
  return function* () {
    for (const token of tokenize(text)) yield toEvent(token)
  }
}

function* alternating(items: readonly Iterator<StreamEvent>[]): Generator<StreamEvent> {
  for (let open = [...items]; open.length > 0; ) {
    const still: Iterator<StreamEvent>[] = []
    for (const events of open) {
      const { done, value } = events.next()
      if (done) continue
      yield value
      still.push(events)
    }
    open = still
  }
}

function itemEvents(item: OutputItem, index: number, source: AnswerItem | undefined): StreamPart[] {
  if (isMessage(item)) return messageEvents(item, index)
  if (isReasoning(item)) return reasoningEvents(item, index)
  return otherEvents(item, index, source?.type === 'image_generation_call' ? source.previews : [])
}

function inProgress(response: ResponseObject): ResponseObject {
  return {
    ...response,
    status: 'in_progress',
    completed_at: null,
    error: null,
    incomplete_details: null,
    output: [],
    usage: {
      ...response.usage,
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: response.usage.input_tokens,
    },
  }
}

function messageEvents(item: OutputMessage, output_index: number): StreamPart[] {
  return [
    added({ ...item, status: 'in_progress', content: [] }, output_index),
    ...item.content.flatMap((part, content_index) => {
      const position = { item_id: item.id, output_index, content_index }
      return part.type === 'refusal'
        ? partEvents(part, position, 'refusal', 'refusal')
        : textEvents(part, position)
    }),
    done(item, output_index),
  ]
}

interface Position {
  item_id: string
  output_index: number
  content_index: number
}

function textEvents(part: OutputText, position: Position): StreamPart[] {
  const { item_id, output_index, content_index } = position
  const type = 'response.output_text.delta'
  const { logprobs = [] } = part
  const empty = { text: '', annotations: [], ...(part.logprobs && { logprobs: [] }) }
  // Scripted log probabilities are sent with their tokens, if these are the text.
  const isWhole = logprobs.length > 0 && logprobs.map(({ token }) => token).join('') === part.text
  return [
    { type: 'response.content_part.added', ...position, part: { ...part, ...empty } },
    isWhole
      ? () => logprobs.map((logprob) => ({ type, ...position, delta: logprob.token, logprobs: [logprob] }))
      : deltas(part.text, (delta) => ({ type, item_id, output_index, content_index, delta, logprobs: [] })),
    ...part.annotations.map((annotation, annotation_index) => ({
      type: 'response.output_text.annotation.added',
      ...position,
      annotation_index,
      annotation,
    })),
    { type: 'response.output_text.done', ...position, text: part.text, logprobs },
    { type: 'response.content_part.done', ...position, part },
  ]
}

function reasoningEvents(item: Reasoning, output_index: number): StreamPart[] {
  const { id: item_id, summary, content = [] } = item
  const { content: _, ...empty } = { ...item, summary: [] }
  return [
    added({ ...empty, status: 'in_progress' }, output_index),
    ...summary.flatMap((part, summary_index) => {
      const position = { item_id, output_index, summary_index }
      return partEvents(part, position, 'text', 'reasoning_summary_text', 'reasoning_summary_part')
    }),
    ...content.flatMap((part, content_index) =>
      partEvents(part, { item_id, output_index, content_index }, 'text', 'reasoning_text'),
    ),
    done(item, output_index),
  ]
}

/** Returns a part's events. Its text is in `field`; `name` occurs in the text events' names, `place` in the part's. */
function partEvents<Field extends string>(
  part: Record<Field, string>,
  position: object,
  field: Field,
  name: string,
  place = 'content_part',
): StreamPart[] {
  const type = `response.${name}.delta`
  return [
    { type: `response.${place}.added`, ...position, part: { ...part, [field]: '' } },
    deltas(part[field], (delta) => ({ type, ...position, delta })),
    { type: `response.${name}.done`, ...position, [field]: part[field] },
    { type: `response.${place}.done`, ...position, part },
  ]
}

function otherEvents(item: OutputItem, output_index: number, previews: readonly string[]): StreamPart[] {
  const { before = [], after = [], ends = [], text: path, late = [] } = itemKindOf(item.type)
  const { id: item_id, type, status = item['error'] ? 'failed' : 'completed' } = item
  const position = { item_id, output_index }
  const toEvent = (state: string) => ({ type: `response.${type}.${state}`, ...position })
  const [field = '', within] = path?.split('.').reverse() ?? []
  const holder = within === undefined ? item : fieldsOf(item[within])
  const text = holder[field]
  const texts: StreamPart[] = type === 'shell_call' ? commandEvents(item, output_index) : []
  const start: Record<string, unknown> = { ...item, ...(item.status && { status: 'in_progress' }) }
  for (const name of late) if (name in item) start[name] = Array.isArray(item[name]) ? [] : null
  if (type === 'shell_call') start['action'] = { ...fieldsOf(item['action']), commands: [] }
  if (path !== undefined && typeof text === 'string') {
    const event = textEventOf(type, path)
    const name = type === 'function_call' && { name: item['name'] }
    texts.push(deltas(text, (delta) => ({ type: `${event}.delta`, ...position, delta })))
    texts.push({ type: `${event}.done`, ...position, ...name, [field]: text })
    start[within ?? field] = within === undefined ? '' : { ...holder, [field]: '' }
  }
  return [
    added(start, output_index),
    ...before.map(toEvent),
    ...texts,
    ...after.map(toEvent),
    ...previews.map((partial_image_b64, partial_image_index) => ({
      ...toEvent('partial_image'),
      partial_image_index,
      partial_image_b64,
    })),
    ...ends.filter((end) => end === status).map(toEvent),
    done(item, output_index),
  ]
}

function commandEvents({ action }: OutputItem, output_index: number): StreamPart[] {
  const event = 'response.shell_call_command'
  return listOf(fieldsOf(action)['commands']).flatMap((command, command_index): StreamPart[] => {
    const position = { output_index, command_index }
    return [
      { type: `${event}.added`, ...position, command: '' },
      deltas(String(command), (delta) => ({ type: `${event}.delta`, ...position, delta })),
      { type: `${event}.done`, ...position, command },
    ]
  })
}

function added(item: object, output_index: number): StreamEvent {
  return { type: 'response.output_item.added', output_index, item }
}

function done(item: object, output_index: number): StreamEvent {
  return { type: 'response.output_item.done', output_index, item }
}
