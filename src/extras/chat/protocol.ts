/** Maps POST /chat/completions to conversations, answers and stream events. */
import { fieldsOf, listOf, textOf } from '../../lib/unchecked-json.ts'
import { allowedTools, toOtherChoice, toPromptTool, toReasoning } from '../../model/preset.ts'
import { type Conversation, type ConversationItem, messageItems } from '../../resources/conversation.ts'
import { modelsIn } from '../../resources/fallback-models.ts'
import type { Prompt, PromptTool, TextForm } from '../../resources/prompt.ts'
import type { Protocol } from '../../resources/protocol.ts'
import { chatPlaces, chunks, chunkWriter } from './chunks.ts'
import { type ChatCompletion, toChatCompletion } from './completion.ts'
import { type ChatRequest, type ChatTool, forcedName, isChatFunction } from './request.ts'

export const protocol: Protocol<ChatRequest, ChatCompletion> = {
  conversation: readConversation,
  prompt: toPrompt,
  object: toChatCompletion,
  events: chunks,
  writer: chunkWriter,
  places: chatPlaces,
  models: modelsIn,
  failureStatus: 502,
}

function readConversation(body: unknown): Conversation {
  const { messages, tools } = fieldsOf(body)
  const names = listOf(tools).flatMap((tool) => {
    const { name } = fieldsOf(fieldsOf(tool)['function'])
    return typeof name === 'string' ? [name] : []
  })
  return { items: listOf(messages).flatMap(toItems), tools: names }
}

function toItems(value: unknown): ConversationItem[] {
  const { role, content, refusal, tool_call_id, tool_calls } = fieldsOf(value)
  if (role === 'tool') return [{ kind: 'result', id: textOf(tool_call_id), text: textOf(content) }]
  const calls = listOf(tool_calls).map((call): ConversationItem => {
    const { id, function: called } = fieldsOf(call)
    const { name, arguments: args } = fieldsOf(called)
    return { kind: 'call', id: textOf(id), name: textOf(name), arguments: textOf(args) }
  })
  const spoken = content ?? refusal
  return textOf(spoken) === '' && calls.length > 0 ? calls : [...messageItems(textOf(role), spoken), ...calls]
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
    tools: allowedTools(body.tools?.map(toTool), body.tool_choice),
    toolChoice: toToolChoice(body.tool_choice),
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
  if (!isChatFunction(tool)) return toPromptTool(tool, index)
  const { name, parameters } = tool.function
  return { kind: 'function', name, parameters, path: `body.tools[${index}].function.parameters` }
}

function toToolChoice(choice: ChatRequest['tool_choice']): Prompt['toolChoice'] {
  if (typeof choice !== 'object' || choice === null) return choice ?? undefined
  const name = forcedName(choice)
  return name === undefined ? toOtherChoice(choice) : { name, path: 'body.tool_choice.function.name' }
}

function toFormat(format: ChatRequest['response_format']): TextForm['format'] {
  if (!format || format.type === 'text') return undefined
  if (format.type !== 'json_schema' || !format.json_schema.schema) return 'json'
  return { schema: format.json_schema.schema, path: 'body.response_format.json_schema.schema' }
}
