/**
 * The events of a streamed response, as the document of the API describes them. Spec: Events; all but
 * `response.output_item.added` and `response.completed` are known from published clients.
 */
import * as z from 'zod'
import {
  OutputRefusal,
  OutputText,
  ReasoningText,
  ResponseObject,
  SummaryText,
  UrlCitation,
} from './response.ts'

export const ResponseStreamEvent = z.lazy(() => {
  // The schema itself, built once: `unwrap()` would build another one of the same name.
  const response = ResponseObject._zod.innerType
  const item = response.shape.output.element
  const index = z.int().nonnegative()
  const ofItem = { item_id: z.string(), output_index: index }
  const ofPart = { ...ofItem, content_index: index }
  const ofSummary = { ...ofItem, summary_index: index }
  const part = z.discriminatedUnion('type', [OutputText, OutputRefusal, ReasoningText])
  const event = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
    z.strictObject({ type: z.literal(type), sequence_number: index, ...fields })
  return z
    .discriminatedUnion('type', [
      event('response.created', { response }),
      event('response.in_progress', { response }),
      event('response.output_item.added', { output_index: index, item }),
      event('response.content_part.added', { ...ofPart, part }),
      event('response.output_text.delta', { ...ofPart, delta: z.string(), logprobs: z.array(z.unknown()) }),
      event('response.output_text.annotation.added', {
        ...ofPart,
        annotation_index: index,
        annotation: UrlCitation,
      }),
      event('response.output_text.done', { ...ofPart, text: z.string(), logprobs: z.array(z.unknown()) }),
      event('response.content_part.done', { ...ofPart, part }),
      event('response.refusal.delta', { ...ofPart, delta: z.string() }),
      event('response.refusal.done', { ...ofPart, refusal: z.string() }),
      event('response.reasoning_summary_part.added', { ...ofSummary, part: SummaryText }),
      event('response.reasoning_summary_text.delta', { ...ofSummary, delta: z.string() }),
      event('response.reasoning_summary_text.done', { ...ofSummary, text: z.string() }),
      event('response.reasoning_summary_part.done', { ...ofSummary, part: SummaryText }),
      event('response.reasoning_text.delta', { ...ofPart, delta: z.string() }),
      event('response.reasoning_text.done', { ...ofPart, text: z.string() }),
      event('response.function_call_arguments.delta', { ...ofItem, delta: z.string() }),
      event('response.function_call_arguments.done', { ...ofItem, name: z.string(), arguments: z.string() }),
      event('response.web_search_call.in_progress', ofItem),
      event('response.web_search_call.searching', ofItem),
      event('response.web_search_call.completed', ofItem),
      event('response.image_generation_call.in_progress', ofItem),
      event('response.image_generation_call.generating', ofItem),
      event('response.image_generation_call.partial_image', {
        ...ofItem,
        partial_image_index: index,
        partial_image_b64: z.string(),
      }),
      event('response.image_generation_call.completed', ofItem),
      event('response.output_item.done', { output_index: index, item }),
      event('response.completed', { response }),
      event('response.incomplete', { response }),
      event('response.failed', { response }),
    ])
    .meta({ id: 'ResponseStreamEvent', description: 'One event of a stream, by its type.' })
})
