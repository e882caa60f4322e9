/**
 * Which assumptions an answer rests on, as far as request and answer show it.
 */
import type { AssumptionName } from '../assumptions.ts'
import type { CreateResponseBody, InputItem } from '../resources/create-response-body.ts'
import type { AnsweredRequest } from './answer-request.ts'

/** @param inItems Whether request and reply show their items one by one, as those of POST /responses do. */
export function assumptionsOf(
  body: CreateResponseBody,
  { answer, end, usage }: Pick<AnsweredRequest, 'answer' | 'end' | 'usage'>,
  inItems: boolean,
): AssumptionName[] {
  const { input, tools, max_output_tokens, x_search_filter: filter } = body
  const names: AssumptionName[] = []
  if (inItems && typeof input !== 'string' && !input.every(isSpecified)) names.push('inputItems')
  if (tools && tools.length > 0) names.push('toolShape')
  if (max_output_tokens != null) names.push('tokens')
  if (filter?.from_date != null || filter?.to_date != null) names.push('dates')
  if (usage.reasoningTokens > 0) names.push('reasoning')
  if (inItems && answer.items.some(({ item }) => item.type === 'web_search_call')) names.push('webSearchItem')
  if (end.status !== 'completed') names.push('responseStatus')
  return names
}

/** Whether an item is as the specification has it: a message with its type, and parts of text. */
function isSpecified(item: InputItem): boolean {
  if (item.type !== 'message' || typeof item.content === 'string') return false
  const own = item.role === 'assistant' ? 'output_text' : 'input_text'
  return item.content.every(({ type }) => type === own)
}
