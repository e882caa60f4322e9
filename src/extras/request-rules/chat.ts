/** Rules of OpenAI, and of gateways in front of other vendors, for valid requests for chat completions. */
import { fieldsOf, listOf, textOf } from '../../lib/json.ts'
import { checkDefinitions, checkIds, definitionSources, unsupported } from './openai.ts'
import type { Facts, Fields, Rules, Step } from './rule.ts'
import { breach, lacksParameter, leastTokens, pairsIn } from './rule.ts'

const sources = {
  'tool-call-without-result': 'https://github.com/BerriAI/litellm/issues/10083',
  'tool-result-without-call': 'https://github.com/run-llama/llama_index/issues/10493',
  'duplicate-result': 'https://github.com/agno-agi/agno/issues/5116',
  'duplicate-item-id': 'https://github.com/OpenRouterTeam/ai-sdk-provider/issues/254',
  'reasoning-content-missing': 'https://api-docs.deepseek.com/guides/thinking_mode',
  'too-many-tools': 'https://github.com/musistudio/claude-code-router/issues/686',
  'tools-empty': 'https://github.com/JetBrains/koog/issues/786',
  'tool-choice-without-tools': 'https://github.com/writer/writer-framework/issues/1013',
  'parameter-unsupported': 'https://github.com/langchain-ai/langchainjs/issues/8641',
  'modality-unsupported': 'https://github.com/browser-use/web-ui/issues/274',
  'context-window': 'https://github.com/crewAIInc/crewAI-examples/issues/121',
  'max-output': 'https://github.com/ChatGPTNextWeb/NextChat/issues/3195',
  ...definitionSources,
}

export const rules: Rules<keyof typeof sources> = {
  sources,
  *check(body, facts) {
    const messages = listOf(body['messages']).map(fieldsOf)
    yield* checkPairs(messages)
    yield* checkReasoning(body, messages, facts)
    yield* checkTools(body, facts)
    yield* checkModel(body, messages, facts)
    const called = (each: unknown): Fields => fieldsOf(fieldsOf(each)[textOf(fieldsOf(each)['type'])])
    const tools = listOf(body['tools']).map((tool, at) => {
      const { type } = fieldsOf(tool)
      return { ...called(tool), type, path: `tools[${at}].${textOf(type)}` }
    })
    const { json_schema: format } = fieldsOf(body['response_format'])
    const definitions = { tools, maxName: 64, format: { ...fieldsOf(format), path: 'response_format' } }
    yield* checkDefinitions({ ...definitions, forced: called(body['tool_choice'])['name'] }, body, facts)
  },
}

function* checkPairs(messages: readonly Fields[]) {
  for (const steps of toolTurns(messages)) {
    const { unanswered, orphans, repeated } = pairsIn(steps)
    const next = Math.min((steps.at(-1)?.at ?? 0) + 1, messages.length - 1)
    const ids = unanswered.map(({ id }) => id).join(', ')
    const must = "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
    const missing = `The following tool_call_ids did not have response messages: ${ids}`
    const message = `${must} 'tool_call_id'. ${missing}`
    if (unanswered[0]) yield breach('tool-call-without-result', `messages.[${next}].role`, message)
    for (const { at } of orphans) {
      const must = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
      yield breach('tool-result-without-call', `messages.[${at}].role`, `Invalid parameter: ${must}`)
    }
    for (const [first, { id, at }] of repeated.result) {
      const found = `'tool_call_id' of '${id}', in messages[${first.at}] and messages[${at}].`
      const message = `Invalid parameter: Duplicate value for ${found}`
      yield breach('duplicate-result', `messages.[${at}].tool_call_id`, message)
    }
  }
}

/** Returns each message's calls with the results that follow it directly. */
function toolTurns(messages: readonly Fields[]) {
  const turns: (Step & { readonly at: number })[][] = [[]]
  for (const [at, { role, tool_calls, tool_call_id }] of messages.entries()) {
    const calls = role === 'assistant' ? listOf(tool_calls).map(fieldsOf) : []
    if (role === 'tool') turns.at(-1)?.push({ kind: 'result', id: textOf(tool_call_id), at })
    else turns.push(calls.map(({ id }) => ({ kind: 'call', id: textOf(id), at })))
  }
  return turns
}

function* checkReasoning(body: Fields, messages: readonly Fields[], { model }: Facts) {
  const { thinking, reasoning, reasoning_effort } = body
  const { enabled, effort = reasoning_effort } = fieldsOf(reasoning)
  const isOff = fieldsOf(thinking)['type'] === 'disabled' || enabled === false || effort === 'none'
  const mustReturn = !isOff && model?.supported_parameters.includes('reasoning_content')
  for (const [at, message] of messages.entries()) {
    const { reasoning_details, reasoning_content, reasoning, tool_calls } = message
    const isLost = listOf(tool_calls)[0] && (reasoning_content ?? reasoning_details ?? reasoning) == null
    const text = 'The `reasoning_content` in the thinking mode must be passed back to the API.'
    const param = `messages.[${at}].reasoning_content`
    if (mustReturn && isLost) yield breach('reasoning-content-missing', param, text)
  }
  const details = messages.flatMap(({ reasoning_details }) => listOf(reasoning_details).map(fieldsOf))
  const encrypted = details.filter(({ type }) => type === 'reasoning.encrypted')
  yield* checkIds('messages', encrypted)
}

function* checkTools({ tools, tool_choice: choice }: Fields, { isVendor }: Facts) {
  const { length } = listOf(tools)
  const most = 'array too long. Expected an array with maximum length 128,'
  const tooLong = `Invalid 'tools': ${most} but got an array with length ${length} instead.`
  yield length > 128 && breach('too-many-tools', 'tools', tooLong)
  if (isVendor) return
  const least = 'empty array. Expected an array with minimum length 1, but got an empty array instead.'
  const isEmpty = Array.isArray(tools) && length === 0
  yield isEmpty && breach('tools-empty', 'tools', `Invalid 'tools': ${least}`)
  const isChoice = tools == null && (choice ?? 'none') !== 'none'
  const message = "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."
  yield isChoice && breach('tool-choice-without-tools', 'tool_choice', message)
}

function* checkModel(body: Fields, messages: readonly Fields[], facts: Facts) {
  const { model, max_tokens, temperature, tools, tool_choice: choice, transforms, plugins } = body
  const { isVendor, model: record } = facts
  const hasSuccessor = !lacksParameter(facts, 'max_completion_tokens')
  // OpenAI's reasoning models have no record, but their name shows what they refuse.
  const isReasoner = !isVendor && /^(openai\/)?(o\d|gpt-5(?!-chat))/.test(textOf(model))
  const isSucceeded = isReasoner || (hasSuccessor && lacksParameter(facts, 'max_tokens'))
  yield max_tokens != null && isSucceeded && unsupported('max_tokens')
  yield (temperature ?? 1) !== 1 && lacksParameter(facts, 'temperature') && unsupported('temperature')

  const noEndpoints = 'No endpoints found that support'
  const lacks = (name: string) =>
    isVendor && listOf(tools).length > 0 && record?.supported_parameters.includes(name) === false
  const isForced = !/^(auto|none)$/.test(textOf(choice ?? 'auto'))
  if (lacks('tools')) yield breach('parameter-unsupported', 'tools', `${noEndpoints} tool use.`, 404)
  else if (isForced && lacks('tool_choice')) {
    const message = `${noEndpoints} the provided 'tool_choice' value.`
    yield breach('parameter-unsupported', 'tool_choice', message, 404)
  }

  const isBlind = record?.architecture.input_modalities.includes('image') === false
  const noImage = 'Invalid content type. image_url is only supported by certain models.'
  const message = isVendor ? `${noEndpoints} image input` : noImage
  for (const [at, { content }] of isBlind ? messages.entries() : []) {
    const place = listOf(content).findIndex((part) => fieldsOf(part)['type'] === 'image_url')
    const param = `messages.[${at}].content.[${place}].type`
    yield place >= 0 && breach('modality-unsupported', param, message, isVendor ? 404 : 400)
  }

  const window = record?.context_length ?? Infinity
  // OpenRouter also counts the output, and can compress the prompt.
  const output = isVendor ? Number(max_tokens ?? 0) : 0
  const input = transforms || plugins ? 0 : leastTokens(facts, window - output)
  const [subject, found] = isVendor
    ? ['endpoint', `you requested about ${input + output} tokens`]
    : ['model', `your messages resulted in ${input} tokens`]
  const tooLong = `This ${subject}'s maximum context length is ${window} tokens. However, ${found}.`
  yield input > 0 && input + output > window && breach('context-window', 'messages', tooLong)

  const most = record?.top_provider?.max_completion_tokens ?? Infinity
  const limit = `This model supports at most ${most} completion tokens, whereas you provided ${max_tokens}.`
  const tooLarge = `max_tokens is too large: ${max_tokens}. ${limit}`
  yield Number(max_tokens) > most && !isVendor && breach('max-output', 'max_tokens', tooLarge)
}
