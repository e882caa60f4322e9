/**
 * A response as the events that tell it, one delta for each token. Spec: Events; the events beyond the documented
 * ones are those that published clients know, in the order in which all of them accept them.
 */
import type { StreamEvent } from '../http/reply.ts'
import type {
  FunctionCall,
  ImageGenerationCall,
  OutputItem,
  OutputMessage,
  OutputRefusal,
  OutputText,
  Reasoning,
  ResponseObject,
  WebSearchCall,
} from '../resources/response.ts'
import { tokenize } from './tokens.ts'

export interface Telling {
  /** Base64 by the place of the image in the output: what is shown before it. */
  readonly previews?: ReadonlyMap<number, readonly string[]>
  /** Whether the events of the items alternate. Default: one item after the other. */
  readonly isInterleaved?: boolean | undefined
}

export function* responseEvents(
  response: ResponseObject,
  { previews, isInterleaved }: Telling = {},
): Generator<StreamEvent> {
  const begun = inProgress(response)
  yield { type: 'response.created', response: begun }
  yield { type: 'response.in_progress', response: begun }
  const items = response.output.map((item, index) => itemEvents(item, index, previews?.get(index)))
  if (isInterleaved) yield* alternating(items)
  else for (const events of items) yield* events
  yield { type: lastEvent(response), response }
}

/** No client knows an event of its own for the other statuses: the response says it. */
function lastEvent({ status }: ResponseObject): string {
  return status === 'incomplete' || status === 'failed' ? `response.${status}` : 'response.completed'
}

/** One of each in turn, until all are at their end. */
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

function itemEvents(
  item: OutputItem,
  index: number,
  previews: readonly string[] | undefined,
): Generator<StreamEvent> {
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

/** The response before anything of it is there. */
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

function* messageEvents(item: OutputMessage, output_index: number): Generator<StreamEvent> {
  yield added({ ...item, status: 'in_progress', content: [] }, output_index)
  for (const [content_index, part] of item.content.entries()) {
    const position = { item_id: item.id, output_index, content_index }
    if (part.type === 'refusal') yield* refusalEvents(part, position)
    else yield* textEvents(part, position)
  }
  yield done(item, output_index)
}

interface Position {
  item_id: string
  output_index: number
  content_index: number
}

function* textEvents(part: OutputText, position: Position): Generator<StreamEvent> {
  const { item_id, output_index, content_index } = position
  yield { type: 'response.content_part.added', ...position, part: { ...part, text: '', annotations: [] } }
  for (const delta of tokenize(part.text)) {
    yield { type: 'response.output_text.delta', item_id, output_index, content_index, delta, logprobs: [] }
  }
  for (const [annotation_index, annotation] of part.annotations.entries()) {
    yield { type: 'response.output_text.annotation.added', ...position, annotation_index, annotation }
  }
  yield { type: 'response.output_text.done', ...position, text: part.text, logprobs: [] }
  yield { type: 'response.content_part.done', ...position, part }
}

function* refusalEvents(part: OutputRefusal, position: Position): Generator<StreamEvent> {
  yield { type: 'response.content_part.added', ...position, part: { ...part, refusal: '' } }
  for (const delta of tokenize(part.refusal)) yield { type: 'response.refusal.delta', ...position, delta }
  yield { type: 'response.refusal.done', ...position, refusal: part.refusal }
  yield { type: 'response.content_part.done', ...position, part }
}

function* reasoningEvents(item: Reasoning, output_index: number): Generator<StreamEvent> {
  const { id: item_id, summary, content = [] } = item
  const { content: _, ...empty } = { ...item, summary: [] }
  yield added(item.status ? { ...empty, status: 'in_progress' } : empty, output_index)
  for (const [summary_index, part] of summary.entries()) {
    const position = { item_id, output_index, summary_index }
    const { text } = part
    yield { type: 'response.reasoning_summary_part.added', ...position, part: { ...part, text: '' } }
    for (const delta of tokenize(text))
      yield { type: 'response.reasoning_summary_text.delta', ...position, delta }
    yield { type: 'response.reasoning_summary_text.done', ...position, text }
    yield { type: 'response.reasoning_summary_part.done', ...position, part }
  }
  for (const [content_index, part] of content.entries()) {
    const position = { item_id, output_index, content_index }
    const { text } = part
    yield { type: 'response.content_part.added', ...position, part: { ...part, text: '' } }
    for (const delta of tokenize(text)) yield { type: 'response.reasoning_text.delta', ...position, delta }
    yield { type: 'response.reasoning_text.done', ...position, text }
    yield { type: 'response.content_part.done', ...position, part }
  }
  yield done(item, output_index)
}

function* functionCallEvents(item: FunctionCall, output_index: number): Generator<StreamEvent> {
  const { id: item_id, name } = item
  yield added({ ...item, status: 'in_progress', arguments: '' }, output_index)
  for (const delta of tokenize(item.arguments)) {
    yield { type: 'response.function_call_arguments.delta', item_id, output_index, delta }
  }
  yield {
    type: 'response.function_call_arguments.done',
    item_id,
    output_index,
    name,
    arguments: item.arguments,
  }
  yield done(item, output_index)
}

function* webSearchEvents(item: WebSearchCall, output_index: number): Generator<StreamEvent> {
  const position = { item_id: item.id, output_index }
  yield added({ ...item, status: 'in_progress' }, output_index)
  yield { type: 'response.web_search_call.in_progress', ...position }
  yield { type: 'response.web_search_call.searching', ...position }
  if (item.status === 'completed') yield { type: 'response.web_search_call.completed', ...position }
  yield done(item, output_index)
}

function* imageEvents(
  item: ImageGenerationCall,
  output_index: number,
  previews: readonly string[] = [],
): Generator<StreamEvent> {
  const position = { item_id: item.id, output_index }
  yield added({ ...item, status: 'in_progress', result: null }, output_index)
  yield { type: 'response.image_generation_call.in_progress', ...position }
  yield { type: 'response.image_generation_call.generating', ...position }
  for (const [partial_image_index, partial_image_b64] of previews.entries()) {
    yield {
      type: 'response.image_generation_call.partial_image',
      ...position,
      partial_image_index,
      partial_image_b64,
    }
  }
  if (item.status === 'completed') yield { type: 'response.image_generation_call.completed', ...position }
  yield done(item, output_index)
}

function added(item: object, output_index: number): StreamEvent {
  return { type: 'response.output_item.added', output_index, item }
}

function done(item: object, output_index: number): StreamEvent {
  return { type: 'response.output_item.done', output_index, item }
}
