/** Rules of OpenAI, and of gateways in front of other vendors, for valid requests for chat completions. */
import { fieldsOf, listOf, textOf } from '../../lib/json.ts'
import { type SentSchema, schemaRules } from './json-schemas.ts'
import { lacksInput, lacksParameter, leastTokens, pairsIn, toolNameRules } from './responses.ts'
import { type RequestFacts, type RequestRules, rulesFor } from './rule.ts'

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
}

export const rules: RequestRules = {
  ...rulesFor(sources, function* (sent, facts) {
    const body = fieldsOf(sent)
    const messages = listOf(body['messages']).map(fieldsOf)
    yield* checkPairs(messages)
    yield* checkReasoning(body, messages, facts)
    yield* checkTools(body, facts)
    yield* checkModel(body, messages, facts)
  }),
  ...toolNameRules(namedTools, 64),
  ...schemaRules(sentSchemas),
}

function* checkPairs(messages: readonly Fields[]) {
  for (const { steps, next } of toolTurns(messages)) {
    const { unanswered, orphans, repeated } = pairsIn(steps)
    if (unanswered.length > 0) {
      const must =
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
      const missing = 'The following tool_call_ids did not have response messages:'
      const message = `${must} 'tool_call_id'. ${missing} ${unanswered.map(({ id }) => id).join(', ')}`
      yield breach('tool-call-without-result', `messages.[${next}].role`, message)
    }
    for (const { at } of orphans) {
      const must = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
      yield breach('tool-result-without-call', `messages.[${at}].role`, `Invalid parameter: ${must}`)
    }
    for (const { id, at } of repeated.filter(({ kind }) => kind === 'result')) {
      const first = steps.find((step) => step.kind === 'result' && step.id === id)?.at
      const places = `in messages[${first}] and messages[${at}].`
      const message = `Invalid parameter: Duplicate value for 'tool_call_id' of '${id}', ${places}`
      yield breach('duplicate-result', `messages.[${at}].tool_call_id`, message)
    }
  }
}

function* checkReasoning(body: Fields, messages: readonly Fields[], { model }: RequestFacts) {
  const { thinking, reasoning, reasoning_effort } = body
  const { enabled, effort = reasoning_effort } = fieldsOf(reasoning)
  const isOff = fieldsOf(thinking)['type'] === 'disabled' || enabled === false || effort === 'none'
  const mustReturn = !isOff && model?.supported_parameters.includes('reasoning_content')
  const ids = new Set<unknown>()
  for (const [at, { reasoning_details, reasoning_content, tool_calls, ...message }] of messages.entries()) {
    const returned = reasoning_content ?? reasoning_details ?? message['reasoning']
    if (mustReturn && listOf(tool_calls).length > 0 && returned == null) {
      const text = 'The `reasoning_content` in the thinking mode must be passed back to the API.'
      yield breach('reasoning-content-missing', `messages.[${at}].reasoning_content`, text)
    }
    for (const { type, id } of listOf(reasoning_details).map(fieldsOf)) {
      if (type !== 'reasoning.encrypted' || typeof id !== 'string') continue
      const text = `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`
      if (ids.has(id)) yield breach('duplicate-item-id', `messages.[${at}].reasoning_details`, text)
      ids.add(id)
    }
  }
}

function* checkTools({ tools, tool_choice: choice }: Fields, { isVendor }: RequestFacts) {
  const { length } = listOf(tools)
  if (length > 128) {
    const got = `Expected an array with maximum length 128, but got an array with length ${length} instead.`
    yield breach('too-many-tools', 'tools', `Invalid 'tools': array too long. ${got}`)
  }
  if (Array.isArray(tools) && length === 0 && !isVendor) {
    const got = 'Expected an array with minimum length 1, but got an empty array instead.'
    yield breach('tools-empty', 'tools', `Invalid 'tools': empty array. ${got}`)
  }
  if (tools == null && (choice ?? 'none') !== 'none' && !isVendor) {
    const must = "'tool_choice' is only allowed when 'tools' are specified."
    yield breach('tool-choice-without-tools', 'tool_choice', `Invalid value for 'tool_choice': ${must}`)
  }
}

function* checkModel(body: Fields, messages: readonly Fields[], facts: RequestFacts) {
  const { model, max_tokens, temperature, tools, tool_choice: choice, transforms, plugins } = body
  const { context_length: window = Infinity, top_provider, supported_parameters } = facts.model ?? {}
  const unsupported = (param: string) => {
    const problem = `Unsupported parameter: '${param}' is not supported with this model.`
    return breach('parameter-unsupported', param, problem)
  }
  const hasSuccessor = !lacksParameter(facts, 'max_completion_tokens')
  // OpenAI's reasoning models have no record, but their name shows what they refuse.
  const isReasoner = !facts.isVendor && /^(openai\/)?(o\d|gpt-5(?!-chat))/.test(textOf(model))
  if (max_tokens != null && (isReasoner || (hasSuccessor && lacksParameter(facts, 'max_tokens'))))
    yield unsupported('max_tokens')
  if ((temperature ?? 1) !== 1 && lacksParameter(facts, 'temperature')) yield unsupported('temperature')
  if (facts.isVendor && supported_parameters && listOf(tools).length > 0) {
    const isForced = !/^(auto|none)$/.test(String(choice ?? 'auto'))
    const refuse = (param: string, kind: string) =>
      breach('parameter-unsupported', param, `No endpoints found that support ${kind}.`, 404)
    if (!supported_parameters.includes('tools')) yield refuse('tools', 'tool use')
    else if (isForced && !supported_parameters.includes('tool_choice'))
      yield refuse('tool_choice', "the provided 'tool_choice' value")
  }
  if (lacksInput(facts, 'image')) {
    const message = facts.isVendor
      ? 'No endpoints found that support image input'
      : 'Invalid content type. image_url is only supported by certain models.'
    const status = facts.isVendor ? 404 : 400
    for (const [at, { content }] of messages.entries()) {
      const place = listOf(content).findIndex((part) => fieldsOf(part)['type'] === 'image_url')
      const param = `messages.[${at}].content.[${place}].type`
      if (place >= 0) yield breach('modality-unsupported', param, message, status)
    }
  }
  // OpenRouter also counts the output, and can compress the prompt.
  const output = facts.isVendor ? Number(max_tokens ?? 0) : 0
  const input = transforms || plugins ? 0 : leastTokens(facts, window - output)
  if (input > 0 && input + output > window) {
    const kinds = `${input} of text input, ${output} in the output`
    const found = facts.isVendor
      ? `you requested about ${input + output} tokens (${kinds}).`
      : `your messages resulted in ${input} tokens. Please reduce the length of the messages.`
    const subject = `This ${facts.isVendor ? 'endpoint' : 'model'}'s maximum context length`
    yield breach('context-window', 'messages', `${subject} is ${window} tokens. However, ${found}`)
  }
  const most = top_provider?.max_completion_tokens ?? Infinity
  if (Number(max_tokens) > most && !facts.isVendor) {
    const limit = `This model supports at most ${most} completion tokens, whereas you provided ${max_tokens}.`
    yield breach('max-output', 'max_tokens', `max_tokens is too large: ${max_tokens}. ${limit}`)
  }
}

function breach(rule: keyof typeof sources, param: string, message: string, status = 400) {
  return { rule, param, message, status }
}

type Fields = Readonly<Record<string, unknown>>

interface Step {
  readonly kind: 'call' | 'result'
  readonly id: string
  readonly at: number
}

/** Yields calls with the results that follow them directly, and the place of the next message. */
function* toolTurns(messages: readonly Fields[]): Generator<{ steps: readonly Step[]; next: number }> {
  let steps: Step[] = []
  for (const [at, { role, tool_calls, tool_call_id }] of messages.entries()) {
    if (role === 'tool') {
      steps.push({ kind: 'result', id: textOf(tool_call_id), at })
      continue
    }
    if (steps.length > 0) yield { steps, next: at }
    const calls = role === 'assistant' ? listOf(tool_calls) : []
    steps = calls.map((call) => ({ kind: 'call', id: textOf(fieldsOf(call)['id']), at }))
  }
  if (steps.length > 0) yield { steps, next: messages.length - 1 }
}

function namedTools(body: unknown) {
  return listOf(fieldsOf(body)['tools']).flatMap((tool, place) => {
    const { type, [textOf(type)]: called } = fieldsOf(tool)
    const { name } = fieldsOf(called)
    return typeof name === 'string' ? [{ name, param: `tools[${place}].${type}.name` }] : []
  })
}

function sentSchemas(body: unknown): SentSchema[] {
  const { tools, response_format } = fieldsOf(body)
  const functions = listOf(tools).map((tool, place): SentSchema => {
    const { name, parameters: schema, strict } = fieldsOf(fieldsOf(tool)['function'])
    const param = `tools[${place}].function.parameters`
    return { schema, isStrict: strict === true, kind: 'function', name, param }
  })
  const { name, schema, strict } = fieldsOf(fieldsOf(response_format)['json_schema'])
  const format = { schema, isStrict: strict === true, name, param: 'response_format' }
  return [...functions, { kind: 'response_format', ...format }]
}
