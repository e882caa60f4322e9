/** Rules that OpenAI, and gateways to other vendors, apply to valid chat completion requests. */
import { fieldsOf, listOf, textOf } from '../../lib/json.ts'
import {
  checkDefinitions,
  checkIds,
  checkTemperature,
  definitionSources,
  hasFixedTemperature,
  isOpenAiReasoner,
  unsupported,
} from './openai.ts'
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
  'value-unsupported': 'https://github.com/tmc/langchaingo/issues/1355',
  'too-many-models': 'https://github.com/coder/xum/issues/2963',
  'stream-options-without-stream': 'https://github.com/epam/ai-dial-adapter-openai/pull/379',
  'image-url-type': 'https://github.com/microsoft/promptflow/issues/3946',
  'modality-unsupported': 'https://github.com/browser-use/web-ui/issues/274',
  'context-window': 'https://github.com/crewAIInc/crewAI-examples/issues/121',
  'max-output': 'https://github.com/ChatGPTNextWeb/NextChat/issues/3195',
  ...definitionSources,
}

export const rules: Rules<keyof typeof sources> = {
  sources,
  *check(body, facts) {
    const messages = listOf(body['messages']).map(fieldsOf)
    yield* checkMessages(body, messages, facts)
    yield* checkParameters(body, messages, facts)
    yield* checkTemperature(body, facts)
    const called = (each: unknown): Fields => fieldsOf(fieldsOf(each)[textOf(fieldsOf(each)['type'])])
    const tools = listOf(body['tools']).map((tool, at) => {
      const { type } = fieldsOf(tool)
      return { ...called(tool), type, path: `tools[${at}].${textOf(type)}` }
    })
    const { json_schema: format } = fieldsOf(body['response_format'])
    const names = { max: 64, forced: called(body['tool_choice'])['name'] }
    yield* checkDefinitions(tools, { ...fieldsOf(format), path: 'response_format' }, names, body, facts)
  },
}

function* checkMessages(body: Fields, messages: readonly Fields[], { model }: Facts) {
  /** Each message's tool calls, with the results directly after that message. */
  const turns: (Step & { readonly at: number })[][] = [[]]
  for (const [at, { role, tool_calls, tool_call_id }] of messages.entries()) {
    const calls = role === 'assistant' ? listOf(tool_calls).map(fieldsOf) : []
    if (role === 'tool') turns.at(-1)?.push({ kind: 'result', id: textOf(tool_call_id), at })
    else turns.push(calls.map(({ id }) => ({ kind: 'call', id: textOf(id), at })))
  }
  for (const steps of turns) {
    const { unanswered, orphans, repeated } = pairsIn(steps)
    const next = Math.min((steps.at(-1)?.at ?? 0) + 1, messages.length - 1)
    const must = "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
    const ids = unanswered.map(({ id }) => id).join(', ')
    const missing = `The following tool_call_ids did not have response messages: ${ids}`
    const message = `${must} 'tool_call_id'. ${missing}`
    yield unanswered[0] && breach('tool-call-without-result', `messages.[${next}].role`, message)
    for (const { at } of orphans) {
      const must = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
      yield breach('tool-result-without-call', `messages.[${at}].role`, `Invalid parameter: ${must}`)
    }
    for (const { kind, id, at } of repeated) {
      const message = `Invalid parameter: Duplicate value for 'tool_call_id' of '${id}'.`
      yield kind === 'result' && breach('duplicate-result', `messages.[${at}].tool_call_id`, message)
    }
  }
  const { thinking, reasoning, reasoning_effort } = body
  const { enabled, effort = reasoning_effort } = fieldsOf(reasoning)
  const isOff = fieldsOf(thinking)['type'] === 'disabled' || enabled === false || effort === 'none'
  const mustReturn = !isOff && model?.supported_parameters.includes('reasoning_content')
  for (const [at, { tool_calls, ...message }] of mustReturn ? messages.entries() : []) {
    const { reasoning_content, reasoning_details, reasoning } = message
    if (!listOf(tool_calls)[0] || (reasoning_content ?? reasoning_details ?? reasoning) != null) continue
    const text = 'The `reasoning_content` in the thinking mode must be passed back to the API.'
    yield breach('reasoning-content-missing', `messages.[${at}].reasoning_content`, text)
  }
  const details = messages.flatMap(({ reasoning_details }) => listOf(reasoning_details).map(fieldsOf))
  const encrypted = details.filter(({ type }) => type === 'reasoning.encrypted')
  yield* checkIds('messages', encrypted)
}

function* checkParameters(body: Fields, messages: readonly Fields[], facts: Facts) {
  const { model: name, max_tokens, temperature, tools, tool_choice: choice, transforms, plugins } = body
  const { isVendor, model } = facts
  const { length } = listOf(tools)
  const most = 'array too long. Expected an array with maximum length 128,'
  const tooMany = `Invalid 'tools': ${most} but got an array with length ${length} instead.`
  yield length > 128 && breach('too-many-tools', 'tools', tooMany)
  const least = 'empty array. Expected an array with minimum length 1, but got an empty array instead.'
  const isEmpty = Array.isArray(tools) && length === 0 && !isVendor
  yield isEmpty && breach('tools-empty', 'tools', `Invalid 'tools': ${least}`)
  const isChoice = tools == null && (choice ?? 'none') !== 'none' && !isVendor
  const noTools = "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."
  yield isChoice && breach('tool-choice-without-tools', 'tool_choice', noTools)
  const isReasoner = isOpenAiReasoner(body, facts)
  const hasSuccessor = !lacksParameter(facts, 'max_completion_tokens')
  const isSucceeded = isReasoner || (hasSuccessor && lacksParameter(facts, 'max_tokens'))
  yield max_tokens != null && isSucceeded && unsupported('max_tokens', 'max_completion_tokens')
  yield (temperature ?? 1) !== 1 && lacksParameter(facts, 'temperature') && unsupported('temperature')
  const onlyDefault = 'Only the default (1) value is supported.'
  const fixed = `Unsupported value: 'temperature' does not support ${temperature} with this model. ${onlyDefault}`
  yield hasFixedTemperature(body, facts) && breach('value-unsupported', 'temperature', fixed)
  const hasTooMany = isVendor && listOf(body['models']).length > 3
  yield hasTooMany && breach('too-many-models', 'models', "'models' array must have 3 items or fewer.")
  const isUnstreamed = body['stream_options'] != null && !body['stream'] && !isVendor
  const noStream = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
  yield isUnstreamed && breach('stream-options-without-stream', 'stream_options', noStream)
  // Mistral's models, such as pixtral, also accept a string.
  const mustBeObject = !isVendor && !/[sx]tral/.test(textOf(name))
  for (const [at, { content }] of mustBeObject ? messages.entries() : []) {
    const place = listOf(content).findIndex((part) => typeof fieldsOf(part)['image_url'] === 'string')
    const param = `messages[${at}].content[${place}].image_url`
    const message = `Invalid type for '${param}': expected an object, but got a string instead.`
    yield place >= 0 && breach('image-url-type', param, message)
  }
  if (!model) return
  const noEndpoints = 'No endpoints found that support'
  const lacks = (name: string) => isVendor && length > 0 && !model.supported_parameters.includes(name)
  const isForced = !/^(auto|none)$/.test(textOf(choice ?? 'auto'))
  const missing = lacks('tools') ? 'tools' : isForced && lacks('tool_choice') && 'tool_choice'
  const kind = missing === 'tools' ? 'tool use' : "the provided 'tool_choice' value"
  if (missing) yield breach('parameter-unsupported', missing, `${noEndpoints} ${kind}.`, 404)
  const noImage = 'Invalid content type. image_url is only supported by certain models.'
  const message = isVendor ? `${noEndpoints} image input` : noImage
  for (const [at, { content }] of messages.entries()) {
    if (model.architecture.input_modalities.includes('image')) break
    const place = listOf(content).findIndex((part) => fieldsOf(part)['type'] === 'image_url')
    const param = `messages.[${at}].content.[${place}].type`
    yield place >= 0 && breach('modality-unsupported', param, message, isVendor ? 404 : 400)
  }
  const window = model.context_length
  // OpenRouter also counts the output, and can compress the prompt.
  const output = isVendor ? Number(max_tokens ?? 0) : 0
  const input = transforms || plugins ? 0 : leastTokens(facts, window - output)
  const vendorFound = `you requested about ${input + output} tokens`
  const found = isVendor ? vendorFound : `your messages resulted in ${input} tokens`
  const subject = `This ${isVendor ? 'endpoint' : 'model'}'s maximum context length`
  const tooLong = `${subject} is ${window} tokens. However, ${found}.`
  yield input > 0 && input + output > window && breach('context-window', 'messages', tooLong)
  const mostOutput = model.top_provider?.max_completion_tokens ?? Infinity
  const limit = `This model supports at most ${mostOutput} completion tokens`
  const tooLarge = `max_tokens is too large: ${max_tokens}. ${limit}, whereas you provided ${max_tokens}.`
  yield Number(max_tokens) > mostOutput && !isVendor && breach('max-output', 'max_tokens', tooLarge)
}
