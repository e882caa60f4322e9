/** Maps POST /chat/completions to conversations, answers and stream events. */
import { fieldsOf, listOf, textOf } from '../../lib/json.ts'
import { allowedTools, toOtherChoice, toPromptTool, toReasoning } from '../../model/preset.ts'
import { type Conversation, type ConversationItem, messageItems } from '../../resources/conversation.ts'
import { modelsIn } from '../../resources/fallback-models.ts'
import type { OfferedFunction, Prompt, PromptTool, TextForm } from '../../resources/prompt.ts'
import type { Protocol } from '../../resources/protocol.ts'
import { chatPlaces, chunks } from './chunks.ts'
import { type ChatCompletion, shownInChat, toChatCompletion } from './completion.ts'
import {
  type ChatFunction,
  type ChatRequest,
  type ChatTool,
  forcedName,
  isChatFunction,
  isLegacy,
} from './request.ts'

export const protocol: Protocol<ChatRequest, ChatCompletion> = {
  conversation: readConversation,
  prompt: toPrompt,
  object: toChatCompletion,
  shown: shownInChat,
  events: chunks,
  places: chatPlaces,
  models: modelsIn,
  failureStatus: 502,
  showsFailure: true,
}

function readConversation(body: unknown): Conversation {
  const { messages, tools, functions } = fieldsOf(body)
  const offered = tools == null ? listOf(functions) : listOf(tools).map(calledIn)
  const names = offered.flatMap((each) => {
    const { name } = fieldsOf(each)
    return typeof name === 'string' ? [name] : []
  })
  // Calls have no id in the format before tools.
  let count = 0
  const items = listOf(messages).flatMap((message) => {
    const { role, function_call, name, content } = fieldsOf(message)
    if (role === 'function')
      return [{ kind: 'result', id: `${textOf(name)} ${count}`, text: textOf(content) } as const]
    const id = `${textOf(fieldsOf(function_call)['name'])} ${function_call ? ++count : count}`
    return toItems(message, function_call ? [{ id, function: function_call }] : [])
  })
  return { items, tools: names }
}

function toItems(value: unknown, legacyCalls: readonly unknown[]): ConversationItem[] {
  const { role, content, refusal, tool_call_id, tool_calls } = fieldsOf(value)
  if (role === 'tool') return [{ kind: 'result', id: textOf(tool_call_id), text: textOf(content) }]
  const calls = [...listOf(tool_calls), ...legacyCalls].map((call): ConversationItem => {
    const { id, type } = fieldsOf(call)
    const { name, arguments: args, input } = calledIn(call)
    const given = type === 'custom' ? JSON.stringify({ input: textOf(input) }) : textOf(args)
    return { kind: 'call', id: textOf(id), name: textOf(name), arguments: given }
  })
  const spoken = content ?? refusal
  return textOf(spoken) === '' && calls.length > 0 ? calls : [...messageItems(textOf(role), spoken), ...calls]
}

/** Returns the object that a tool or a tool call nests under its type. */
function calledIn(value: unknown): Record<string, unknown> {
  const { type, function: called, custom } = fieldsOf(value)
  return fieldsOf(type === 'custom' ? custom : called)
}

function toPrompt(body: ChatRequest, conversation: Conversation): Prompt {
  const { verbosity, reasoning, reasoning_effort: effort, stop } = body
  return {
    // The model being tried: the first one, unless an earlier attempt failed.
    model: body.model ?? (body.models?.[0] as string),
    conversation,
    choices: body.n ?? undefined,
    stopSequences: typeof stop === 'string' ? [stop] : (stop ?? undefined),
    maxOutputTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    tools: isLegacy(body)
      ? body.functions?.map(toFunction)
      : allowedTools(body.tools?.map(toTool), body.tool_choice),
    toolChoice: isLegacy(body) ? toFunctionChoice(body.function_call) : toToolChoice(body.tool_choice),
    text: {
      format: toFormat(body.response_format),
      verbosity: verbosity == null ? undefined : { value: verbosity, path: 'body.verbosity' },
    },
    reasoning: reasoning ? toReasoning(reasoning) : effort == null ? undefined : toReasoning({ effort }),
    plugins: body.plugins ?? undefined,
    xSearchFilter: body.x_search_filter ?? undefined,
  }
}

function toTool(tool: ChatTool, index: number): PromptTool {
  if (!isChatFunction(tool))
    return toPromptTool(tool.type === 'custom' ? { ...calledIn(tool), type: tool.type } : tool, index)
  return { ...toFunction(tool.function, index), path: `body.tools[${index}].function.parameters` }
}

function toFunction({ name, parameters, strict }: ChatFunction, index: number): OfferedFunction {
  return { kind: 'function', name, parameters, strict, path: `body.functions[${index}].parameters` }
}

function toFunctionChoice(choice: ChatRequest['function_call']): Prompt['toolChoice'] {
  if (typeof choice !== 'object') return choice
  return choice ? { name: choice.name, path: 'body.function_call.name' } : undefined
}

function toToolChoice(choice: ChatRequest['tool_choice']): Prompt['toolChoice'] {
  if (typeof choice !== 'object' || choice === null) return choice ?? undefined
  const name = forcedName(choice)
  return name === undefined ? toOtherChoice(choice) : { name, path: 'body.tool_choice.function.name' }
}

function toFormat(format: ChatRequest['response_format']): TextForm['format'] {
  if (!format || format.type === 'text') return undefined
  const { schema = null, strict } = format.type === 'json_schema' ? format.json_schema : {}
  return schema ? { schema, strict, path: 'body.response_format.json_schema.schema' } : 'json'
}
