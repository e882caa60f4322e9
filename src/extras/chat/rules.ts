/** Rules of OpenAI, and of gateways in front of other vendors, for valid requests for chat completions. */
import { fieldsOf, listOf, textOf } from '../../lib/json.ts'
import { lacksInput, lacksParameter, leastTokens, pairsIn, toolNameRules } from '../../operations/rules.ts'
import { type SentSchema, schemaRules } from '../../operations/schema-rules.ts'
import { type RequestFacts, type RequestRules, rulesFor } from '../../resources/request-rule.ts'

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

export const rules: RequestRules<unknown> = {
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
      yield { rule: 'tool-call-without-result', param: `messages.[${next}].role`, message } as const
    }
    for (const { at } of orphans) {
      const must = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
      const breach = { param: `messages.[${at}].role`, message: `Invalid parameter: ${must}` }
      yield { rule: 'tool-result-without-call', ...breach } as const
    }
    for (const { id, at } of repeated.filter(({ kind }) => kind === 'result')) {
      const first = steps.find((step) => step.kind === 'result' && step.id === id)?.at
      const places = `in messages[${first}] and messages[${at}].`
      const message = `Invalid parameter: Duplicate value for 'tool_call_id' of '${id}', ${places}`
      yield { rule: 'duplicate-result', param: `messages.[${at}].tool_call_id`, message } as const
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
      const breach = { param: `messages.[${at}].reasoning_content`, message: text }
      yield { rule: 'reasoning-content-missing', ...breach } as const
    }
    for (const { type, id } of listOf(reasoning_details).map(fieldsOf)) {
      if (type !== 'reasoning.encrypted' || typeof id !== 'string') continue
      const text = `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`
      const breach = { param: `messages.[${at}].reasoning_details`, message: text }
      if (ids.has(id)) yield { rule: 'duplicate-item-id', ...breach } as const
      ids.add(id)
    }
  }
}

function* checkTools({ tools, tool_choice: choice }: Fields, { isVendor }: RequestFacts) {
  const { length } = listOf(tools)
  if (length > 128) {
    const got = `Expected an array with maximum length 128, but got an array with length ${length} instead.`
    const breach = { param: 'tools', message: `Invalid 'tools': array too long. ${got}` }
    yield { rule: 'too-many-tools', ...breach } as const
  }
  if (Array.isArray(tools) && length === 0 && !isVendor) {
    const got = 'Expected an array with minimum length 1, but got an empty array instead.'
    yield { rule: 'tools-empty', param: 'tools', message: `Invalid 'tools': empty array. ${got}` } as const
  }
  if (tools == null && (choice ?? 'none') !== 'none' && !isVendor) {
    const must = "'tool_choice' is only allowed when 'tools' are specified."
    const breach = { param: 'tool_choice', message: `Invalid value for 'tool_choice': ${must}` }
    yield { rule: 'tool-choice-without-tools', ...breach } as const
  }
}

function* checkModel(body: Fields, messages: readonly Fields[], facts: RequestFacts) {
  const { max_tokens, temperature, tools, tool_choice: choice, transforms, plugins } = body
  const { context_length: window = Infinity, top_provider, supported_parameters } = facts.model ?? {}
  const unsupported = (param: string) => {
    const message = `Unsupported parameter: '${param}' is not supported with this model.`
    return { rule: 'parameter-unsupported', param, message } as const
  }
  const hasSuccessor = !lacksParameter(facts, 'max_completion_tokens')
  if (max_tokens != null && hasSuccessor && lacksParameter(facts, 'max_tokens'))
    yield unsupported('max_tokens')
  if ((temperature ?? 1) !== 1 && lacksParameter(facts, 'temperature')) yield unsupported('temperature')
  if (facts.isVendor && supported_parameters && listOf(tools).length > 0) {
    const isForced = !/^(auto|none)$/.test(String(choice ?? 'auto'))
    const choices = "No endpoints found that support the provided 'tool_choice' value."
    const refusal = { rule: 'parameter-unsupported', status: 404 } as const
    if (!supported_parameters.includes('tools'))
      yield { ...refusal, param: 'tools', message: 'No endpoints found that support tool use.' }
    else if (isForced && !supported_parameters.includes('tool_choice'))
      yield { ...refusal, param: 'tool_choice', message: choices }
  }
  if (lacksInput(facts, 'image')) {
    const refusal = facts.isVendor
      ? { status: 404, message: 'No endpoints found that support image input' }
      : { message: 'Invalid content type. image_url is only supported by certain models.' }
    for (const [at, { content }] of messages.entries()) {
      const place = listOf(content).findIndex((part) => fieldsOf(part)['type'] === 'image_url')
      const param = `messages.[${at}].content.[${place}].type`
      if (place >= 0) yield { rule: 'modality-unsupported', param, ...refusal } as const
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
    const message = `${subject} is ${window} tokens. However, ${found}`
    yield { rule: 'context-window', param: 'messages', message } as const
  }
  const most = top_provider?.max_completion_tokens ?? Infinity
  if (Number(max_tokens) > most && !facts.isVendor) {
    const limit = `This model supports at most ${most} completion tokens, whereas you provided ${max_tokens}.`
    const message = `max_tokens is too large: ${max_tokens}. ${limit}`
    yield { rule: 'max-output', param: 'max_tokens', message } as const
  }
}

type Fields = Readonly<Record<string, unknown>>

interface Step {
  readonly kind: 'call' | 'result'
  readonly id: string
  readonly at: number
}

/** Yields the calls and the results that follow them without another message, with the place of the next message. */
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
