/** Maps POST /messages, in the Anthropic format, to conversations, answers and stream events. */
import { fieldsOf, listOf, lookUp, textOf } from '../../lib/json.ts'
import { toReasoning } from '../../model/preset.ts'
import {
  type Conversation,
  type ConversationItem,
  imagesIn,
  messageItems,
  otherItem,
} from '../../resources/conversation.ts'
import { modelsIn } from '../../resources/fallback-models.ts'
import type { Prompt, PromptTool } from '../../resources/prompt.ts'
import type { Protocol } from '../../resources/protocol.ts'
import { cacheOf } from './cache.ts'
import { messageEvents, messagesPlaces } from './events.ts'
import {
  callPrefix,
  failureStatus,
  type MessageObject,
  MessagesError,
  shownInMessages,
  toMessageObject,
  toMessagesError,
} from './message.ts'
import { isCustomTool, isSearchTool, type MessagesRequest, type MessagesTool } from './request.ts'

export const protocol: Protocol<MessagesRequest, MessageObject> = {
  conversation: readConversation,
  prompt: toPrompt,
  object: toMessageObject,
  shown: shownInMessages,
  events: messageEvents,
  places: messagesPlaces,
  models: modelsIn,
  error: toMessagesError,
  clientHeader: 'anthropic-version',
  idHeader: 'request-id',
  callPrefix,
  errorSchema: MessagesError,
  failureStatus,
}

function readConversation(body: unknown): Conversation {
  const { messages, tools } = fieldsOf(body)
  const names = listOf(tools).flatMap((tool) => {
    const { name, type } = fieldsOf(tool)
    const isCalled = type === undefined || type === 'custom' || sampleInput(type) !== undefined
    return typeof name === 'string' && isCalled ? [name] : []
  })
  return { items: listOf(messages).flatMap(toItems), tools: names }
}

function toItems(value: unknown): ConversationItem[] {
  const { role: sender, content } = fieldsOf(value)
  const role = textOf(sender)
  if (typeof content === 'string') return messageItems(role, content)
  const items: ConversationItem[] = []
  const texts: unknown[] = []
  for (const block of listOf(content)) {
    const { type, id, name, input, tool_use_id, content: output } = fieldsOf(block)
    if (type === 'tool_use')
      items.push({ kind: 'call', id: textOf(id), name: textOf(name), arguments: JSON.stringify(input ?? {}) })
    else if (type === 'tool_result')
      items.push({ kind: 'result', id: textOf(tool_use_id), text: textOf(output) })
    else if (type === 'text') texts.push(block)
    else if (!ignoredBlocks.has(textOf(type))) items.push(otherItem(block))
  }
  if (texts.length === 0) return items.length === 0 ? messageItems(role, []) : items
  // Text precedes the same turn's calls, but follows its function results.
  if (role === 'assistant') return [...messageItems(role, texts), ...items]
  // The last text is the question; reminders precede it.
  const messages = texts
    .flatMap((text) => messageItems(role, [text]))
    .map((item, place) => (place === 0 ? { ...item, ...imagesIn(listOf(content)) } : item))
  const isReminder = (item: ConversationItem) => item.kind === 'message' && item.role !== role
  return [...messages.filter(isReminder), ...items, ...messages.filter((item) => !isReminder(item))]
}

/** Block types that do not become conversation items: they have no text, or contain earlier reasoning or searches. */
const ignoredBlocks = new Set(
  'image document thinking redacted_thinking server_tool_use web_search_tool_result'.split(' '),
)

function toPrompt(body: MessagesRequest, conversation: Conversation): Prompt {
  const { model, system, thinking, output_config: config } = body
  const format = config?.format ?? body.output_format
  const path = `body.${config?.format ? 'output_config.format' : 'output_format'}.schema`
  const effort = config?.effort
  return {
    model,
    conversation,
    showsSearches: true,
    instructions: system == null ? undefined : textOf(system),
    maxOutputTokens: body.max_tokens,
    stopSequences: body.stop_sequences ?? undefined,
    tools: body.tools?.map(toTool),
    toolChoice: toToolChoice(body.tool_choice),
    text: format ? { format: { schema: format.schema, strict: true, path } } : undefined,
    reasoning:
      thinking == null || thinking.type === 'disabled'
        ? undefined
        : toReasoning({ enabled: true, max_tokens: thinking.budget_tokens, effort }),
    plugins: body.plugins ?? undefined,
    xSearchFilter: body.x_search_filter ?? undefined,
    useCache: cacheOf(body),
  }
}

function toTool(tool: MessagesTool, index: number): PromptTool {
  const { type, name, input_schema: parameters, strict } = tool
  const path = `body.tools[${index}]`
  if (isCustomTool(tool))
    return { kind: 'function', name: String(name), parameters, strict, path: `${path}.input_schema` }
  const sample = sampleInput(type)
  if (sample && name != null)
    return { kind: 'function', name, parameters: { const: sample }, strict: false, path }
  if (type === 'gateway:web_search')
    return { kind: 'search', parameters: tool.parameters, path: `${path}.parameters` }
  if (!isSearchTool(tool))
    return {
      kind: 'other',
      type: String(type),
      runsAtClient: /^(computer|browser)_toolset/.test(String(type)),
    }
  const domains = {
    allowed_domains: [...listOf(tool.allowed_domains)].map(String),
    excluded_domains: [...listOf(tool.blocked_domains)].map(String),
  }
  return { kind: 'search', parameters: domains, path }
}

/** Sample inputs for forced calls to Anthropic's client-side tools. A model that is not forced never calls them. */
const sampleInputs = {
  bash: { command: 'ls' },
  computer: { action: 'screenshot' },
  memory: { command: 'view', path: '/memories' },
  text_editor: { command: 'view', path: '/' },
}

function sampleInput(type: unknown): object | undefined {
  return lookUp(sampleInputs, textOf(type).replace(/_\d+$/, ''))
}

function toToolChoice(choice: MessagesRequest['tool_choice']): Prompt['toolChoice'] {
  if (choice?.type === 'tool') return { name: String(choice['name']), path: 'body.tool_choice.name' }
  if (choice?.type === 'any') return 'required'
  return choice?.type === 'none' ? 'none' : undefined
}
