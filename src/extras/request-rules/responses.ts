/** Rules that OpenAI applies to valid response requests. */
import { fieldsOf, listOf, textOf } from '../../lib/json.ts'
import { expandInput } from '../../operations/responses/stored.ts'
import {
  checkDefinitions,
  checkIds,
  checkTemperature,
  definitionSources,
  hasFixedTemperature,
  unsupported,
} from './openai.ts'
import type { Facts, Fields, Rules } from './rule.ts'
import { breach, lacksParameter, leastTokens, pairsIn } from './rule.ts'

const sources = {
  'previous-response-missing': 'https://github.com/maximhq/bifrost/issues/2441',
  'unstored-item': 'https://github.com/can1357/oh-my-pi/issues/41',
  'tool-result-without-call': 'https://github.com/continuedev/continue/issues/10092',
  'tool-call-without-result': 'https://github.com/openai/openai-agents-python/issues/673',
  'duplicate-item-id': 'https://github.com/vercel/ai/issues/13307',
  'reasoning-without-item': 'https://github.com/openai/openai-agents-js/issues/326',
  'item-without-reasoning': 'https://github.com/mastra-ai/mastra/issues/8738',
  ...definitionSources,
  'parameter-unsupported': 'https://github.com/BerriAI/litellm/pull/38842',
  'context-window': 'https://github.com/dyad-sh/dyad/issues/1672',
}

export const rules: Rules<keyof typeof sources> = {
  sources,
  *check(body, facts) {
    yield* checkItems(body, facts)
    const isNamed = ({ type }: Fields) => /^(function|custom)$/.test(textOf(type))
    const tools = listOf(body['tools']).map((tool, at) => ({ ...fieldsOf(tool), path: `tools[${at}]` }))
    const [choice, { format }] = [fieldsOf(body['tool_choice']), fieldsOf(body['text'])]
    const sent = { ...fieldsOf(format), path: 'text.format.schema' }
    const names = { max: 128, forced: isNamed(choice) && choice['name'] }
    yield* checkDefinitions(tools.filter(isNamed), sent, names, body, facts)
    yield* checkTemperature(body, facts)
    const { temperature, top_p, reasoning, truncation } = body
    const { effort } = fieldsOf(reasoning)
    const isReasoning = ['reasoning', 'reasoning_effort'].some((name) => !lacksParameter(facts, name))
    const lacksTemperature = (temperature ?? 1) !== 1 && lacksParameter(facts, 'temperature')
    yield (lacksTemperature || hasFixedTemperature(body, facts)) && unsupported('temperature')
    yield (top_p ?? 1) !== 1 && lacksParameter(facts, 'top_p') && unsupported('top_p')
    yield (effort ?? 'none') !== 'none' && !isReasoning && unsupported('reasoning.effort')
    const window = truncation === 'auto' ? Infinity : (facts.model?.context_length ?? Infinity)
    const isTooLong = leastTokens(facts, window) > window
    const found = 'Your input exceeds the context window of this model.'
    yield isTooLong && breach('context-window', 'input', `${found} Please adjust your input and try again.`)
  },
}

function* checkItems(body: Fields, { stored }: Facts) {
  const items = expandInput(body, stored)
  yield* checkIds('input', items)
  const { previous_response_id: previous, conversation, input } = body
  const isLost = previous != null && !stored?.find(textOf(previous))
  const lost = items.filter(({ type }) => type === 'item_reference')
  const noResponse = `Previous response with id '${previous}' not found.`
  yield stored && isLost && breach('previous-response-missing', 'previous_response_id', noResponse)
  for (const { id } of stored ? lost : [])
    yield breach('unstored-item', 'input', `Item with id '${id}' not found.`, 404)
  // A response, conversation or item that is not stored here could contain a call or its result.
  const isPartial = conversation != null || isLost || lost.length > 0
  const steps = (isPartial ? [] : items).flatMap(({ type: sent, call_id: id }) => {
    const type = textOf(sent)
    if (typeof id !== 'string' || !/_(call|output)$/.test(type)) return []
    return { kind: type.endsWith('_call') ? 'call' : 'result', id, type } as const
  })
  const { orphans, unanswered } = pairsIn(steps)
  for (const { id, type } of orphans) {
    const message = `No tool call found for function call output with call_id ${id}.`
    yield type === 'function_call_output' && breach('tool-result-without-call', 'input', message)
  }
  for (const { id, type } of unanswered) {
    const message = `No tool output found for ${type.replaceAll('_', ' ')} ${id}.`
    const isChecked = /^(function|custom_tool)_call$/.test(type)
    yield isChecked && breach('tool-call-without-result', 'input', message)
  }
  const sent = listOf(input).map(fieldsOf)
  for (const [at, { type, id, encrypted_content: content }] of sent.entries()) {
    // Other vendors, whose ids differ, accept reasoning anywhere.
    if (type !== 'reasoning' || !textOf(id).startsWith('rs_')) continue
    const next = sent[at + 1] ?? { role: 'user' }
    const isLast = next['role'] === 'user' || /_call_output$/.test(textOf(next['type']))
    const hasLostId = !content && /_call$/.test(textOf(next['type'])) && next['id'] == null
    const message = `Item '${id}' of type 'reasoning' was provided without its required following item.`
    yield (isLast || hasLostId) && breach('reasoning-without-item', 'input', message)
  }
  const ids = new Set(items.map(({ id }) => textOf(id)))
  const before = stored?.before(ids)
  for (const [at, { id, type = 'message' }] of items.entries()) {
    const { type: typeBefore, id: idBefore } = fieldsOf(before?.get(textOf(id)))
    if (typeBefore !== 'reasoning' || ids.has(textOf(idBefore))) continue
    const subject = `Item '${id}' of type '${type}' was provided without its required 'reasoning' item`
    const isAfterOther = items[at - 1]?.['type'] !== 'reasoning'
    yield isAfterOther && breach('item-without-reasoning', 'input', `${subject}: '${idBefore}'.`)
  }
}
