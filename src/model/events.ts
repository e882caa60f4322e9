/**
 * A response as the events that tell it, one delta for each token. Spec: Events; the events beyond the documented
 * ones are those that published clients know, in the order in which all of them accept them.
 */
import type { StreamEvent } from '../http/reply.ts'
import type {
  FunctionCall,
  OutputMessage,
  OutputText,
  ResponseObject,
  WebSearchCall,
} from '../resources/response.ts'
import { tokenize } from './tokens.ts'

/** An event, and whether a token is told by it: those are what a paced stream waits for. */
export function* responseEvents(response: ResponseObject): Generator<StreamEvent> {
  const begun = inProgress(response)
  yield { type: 'response.created', response: begun }
  yield { type: 'response.in_progress', response: begun }
  for (const [index, item] of response.output.entries()) {
    if (item.type === 'message') yield* messageEvents(item, index)
    else if (item.type === 'function_call') yield* functionCallEvents(item, index)
    else yield* webSearchEvents(item, index)
  }
  yield { type: `response.${response.status}`, response }
}

/** The response before anything of it is there. */
function inProgress(response: ResponseObject): ResponseObject {
  return {
    ...response,
    status: 'in_progress',
    completed_at: null,
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
    yield* textEvents(part, { item_id: item.id, output_index, content_index })
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
  yield { type: 'response.web_search_call.completed', ...position }
  yield done(item, output_index)
}

function added(item: object, output_index: number): StreamEvent {
  return { type: 'response.output_item.added', output_index, item }
}

function done(item: object, output_index: number): StreamEvent {
  return { type: 'response.output_item.done', output_index, item }
}
