/**
 * Which assumptions an answer of POST /responses rests on, as far as request and response show it.
 */
import type { AssumptionName } from '../assumptions.ts'
import type { CreateResponseBody, InputItem } from '../resources/create-response-body.ts'
import type { ResponseObject } from '../resources/response.ts'

export function assumptionsOf(
  body: CreateResponseBody,
  { status, output, usage }: ResponseObject,
): AssumptionName[] {
  const { input, tools, max_output_tokens, x_search_filter: filter } = body
  const names: AssumptionName[] = []
  if (typeof input !== 'string' && !input.every(isSpecified)) names.push('inputItems')
  if (tools && tools.length > 0) names.push('toolShape')
  if (max_output_tokens != null) names.push('tokens')
  if (filter?.from_date != null || filter?.to_date != null) names.push('dates')
  if (usage.output_tokens_details.reasoning_tokens > 0) names.push('reasoning')
  if (output.some(({ type }) => type === 'web_search_call')) names.push('webSearchItem')
  if (status !== 'completed') names.push('responseStatus')
  return names
}

/** Whether an item is as the specification has it: a message with its type, and parts of text. */
function isSpecified(item: InputItem): boolean {
  if (item.type !== 'message' || typeof item.content === 'string') return false
  const own = item.role === 'assistant' ? 'output_text' : 'input_text'
  return item.content.every(({ type }) => type === own)
}
