/**
 * Converts a response to events, with one delta per token. Spec: Events; the undocumented events are those that
 * published clients know, in an order that all of them accept.
 */
import type { StreamEvent } from '../../http/reply.ts'
import { tokenize } from '../../model/tokens.ts'
import type { Answer, ChoiceItem } from '../../resources/answer.ts'
import type { ImageGenerationCall } from '../../resources/response.ts'
import type {
  FunctionCall,
  OutputItem,
  OutputMessage,
  OutputRefusal,
  OutputText,
  Reasoning,
  ResponseObject,
  WebSearchCall,
} from './response-object.ts'

/** Iterates over all events, in order. Deltas are created on demand. */
export function responseEvents(
  response: ResponseObject,
  { choices: [{ items }], isInterleaved }: Pick<Answer, 'choices' | 'isInterleaved'>,
): Iterable<StreamEvent> {
  const started = inProgress(response)
  const parts = response.output.map((item, index) => itemEvents(item, index, previewsOf(items[index])))
  return inTurn([
    { type: 'response.created', response: started },
    { type: 'response.in_progress', response: started },
    ...(isInterleaved ? alternating(parts.map(inTurn)) : parts.flat()),
    { type: lastEvent(response), response },
  ])
}

function previewsOf(choice: ChoiceItem | undefined): readonly string[] | undefined {
  return choice?.item.type === 'image_generation_call' ? choice.item.previews : undefined
}

/** An event, or the delta events of a text. */
type StreamPart = StreamEvent | (() => Generator<StreamEvent>)

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

/** Statuses other than incomplete, failed and completed have no event, only a response object. */
function lastEvent({ status }: ResponseObject): string {
  return status === 'incomplete' || status === 'failed' ? `response.${status}` : 'response.completed'
}

/** Interleaves iterators, one event at a time. */
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

function itemEvents(item: OutputItem, index: number, previews: readonly string[] | undefined): StreamPart[] {
  switch (item.type) {
    case 'message':
      return messageEvents(item, index)
    case 'reasoning':
      return reasoningEvents(item, index)
    case 'function_call':
      return functionCallEvents(item, index)
    case 'web_search_call':
      return webSearchEvents(item, index)
    case 'image_generation_call':
      return imageEvents(item, index, previews)
  }
}

/** Returns the response without output, as sent in the first two events. */
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
      return part.type === 'refusal' ? refusalEvents(part, position) : textEvents(part, position)
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
  return [
    { type: 'response.content_part.added', ...position, part: { ...part, text: '', annotations: [] } },
    deltas(part.text, (delta) => ({ type, item_id, output_index, content_index, delta, logprobs: [] })),
    ...part.annotations.map((annotation, annotation_index) => ({
      type: 'response.output_text.annotation.added',
      ...position,
      annotation_index,
      annotation,
    })),
    { type: 'response.output_text.done', ...position, text: part.text, logprobs: [] },
    { type: 'response.content_part.done', ...position, part },
  ]
}

function refusalEvents(part: OutputRefusal, position: Position): StreamPart[] {
  return [
    { type: 'response.content_part.added', ...position, part: { ...part, refusal: '' } },
    deltas(part.refusal, (delta) => ({ type: 'response.refusal.delta', ...position, delta })),
    { type: 'response.refusal.done', ...position, refusal: part.refusal },
    { type: 'response.content_part.done', ...position, part },
  ]
}

function reasoningEvents(item: Reasoning, output_index: number): StreamPart[] {
  const { id: item_id, summary, content = [] } = item
  const { content: _, ...empty } = { ...item, summary: [] }
  return [
    added(item.status ? { ...empty, status: 'in_progress' } : empty, output_index),
    ...summary.flatMap((part, summary_index): StreamPart[] => {
      const position = { item_id, output_index, summary_index }
      const { text } = part
      const type = 'response.reasoning_summary_text.delta'
      return [
        { type: 'response.reasoning_summary_part.added', ...position, part: { ...part, text: '' } },
        deltas(text, (delta) => ({ type, ...position, delta })),
        { type: 'response.reasoning_summary_text.done', ...position, text },
        { type: 'response.reasoning_summary_part.done', ...position, part },
      ]
    }),
    ...content.flatMap((part, content_index): StreamPart[] => {
      const position = { item_id, output_index, content_index }
      const { text } = part
      return [
        { type: 'response.content_part.added', ...position, part: { ...part, text: '' } },
        deltas(text, (delta) => ({ type: 'response.reasoning_text.delta', ...position, delta })),
        { type: 'response.reasoning_text.done', ...position, text },
        { type: 'response.content_part.done', ...position, part },
      ]
    }),
    done(item, output_index),
  ]
}

function functionCallEvents(item: FunctionCall, output_index: number): StreamPart[] {
  const { id: item_id, name } = item
  const type = 'response.function_call_arguments.delta'
  return [
    added({ ...item, status: 'in_progress', arguments: '' }, output_index),
    deltas(item.arguments, (delta) => ({ type, item_id, output_index, delta })),
    {
      type: 'response.function_call_arguments.done',
      item_id,
      output_index,
      name,
      arguments: item.arguments,
    },
    done(item, output_index),
  ]
}

function webSearchEvents(item: WebSearchCall, output_index: number): StreamPart[] {
  const position = { item_id: item.id, output_index }
  return [
    added({ ...item, status: 'in_progress' }, output_index),
    { type: 'response.web_search_call.in_progress', ...position },
    { type: 'response.web_search_call.searching', ...position },
    ...(item.status === 'completed' ? [{ type: 'response.web_search_call.completed', ...position }] : []),
    done(item, output_index),
  ]
}

function imageEvents(
  item: ImageGenerationCall,
  output_index: number,
  previews: readonly string[] = [],
): StreamPart[] {
  const position = { item_id: item.id, output_index }
  return [
    added({ ...item, status: 'in_progress', result: null }, output_index),
    { type: 'response.image_generation_call.in_progress', ...position },
    { type: 'response.image_generation_call.generating', ...position },
    ...previews.map((partial_image_b64, partial_image_index) => ({
      type: 'response.image_generation_call.partial_image',
      ...position,
      partial_image_index,
      partial_image_b64,
    })),
    ...(item.status === 'completed'
      ? [{ type: 'response.image_generation_call.completed', ...position }]
      : []),
    done(item, output_index),
  ]
}

function added(item: object, output_index: number): StreamEvent {
  return { type: 'response.output_item.added', output_index, item }
}

function done(item: object, output_index: number): StreamEvent {
  return { type: 'response.output_item.done', output_index, item }
}
