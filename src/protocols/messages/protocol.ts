/**
 * The messages protocol, in the Anthropic format.
 */
import { fieldsOf, listOf, textOf } from '../../lib/loose-reading.ts'
import { toReasoning } from '../../model/preset.ts'
import type { Conversation, ConversationItem } from '../../resources/conversation.ts'
import type { Prompt, PromptTool } from '../../resources/prompt.ts'
import type { Protocol } from '../../resources/protocol.ts'
import { modelsIn } from '../fallback-models.ts'
import { messageEvents, messagesPlaces } from './events.ts'
import { type MessageObject, toMessageObject, toMessagesError } from './message.ts'
import { isCustomTool, isSearchTool, type MessagesRequest, type MessagesTool } from './request.ts'

export const messages: Protocol<MessagesRequest, MessageObject> = {
  conversation: readConversation,
  prompt: toPrompt,
  object: toMessageObject,
  events: messageEvents,
  places: messagesPlaces,
  models: modelsIn,
  error: toMessagesError,
  failureStatus: 500,
}

function readConversation(body: unknown): Conversation {
  const { messages, tools } = fieldsOf(body)
  const names = listOf(tools).flatMap((tool) => {
    const { name, type } = fieldsOf(tool)
    return typeof name === 'string' && (type === undefined || type === 'custom') ? [name] : []
  })
  return { items: listOf(messages).flatMap(toItems), tools: names }
}

function toItems(value: unknown): ConversationItem[] {
  const { role, content } = fieldsOf(value)
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
  const items: ConversationItem[] = []
  const texts: string[] = []
  for (const block of blocks) {
    const { type, text, id, name, input, tool_use_id, content: output } = fieldsOf(block)
    if (type === 'text') texts.push(textOf(text))
    // Non-text content becomes an empty line, as in the other protocols.
    else if (type === 'image' || type === 'document') texts.push('')
    else if (type === 'tool_use')
      items.push({ kind: 'call', id: textOf(id), name: textOf(name), arguments: JSON.stringify(input ?? {}) })
    else if (type === 'tool_result')
      items.push({ kind: 'result', id: textOf(tool_use_id), text: textOf(output) })
  }
  const text = texts.join('\n')
  // Text precedes the calls of the same turn, but follows its function results.
  if (text === '' && items.length > 0) return items
  const message: ConversationItem = { kind: 'message', role: textOf(role), text }
  return role === 'assistant' ? [message, ...items] : [...items, message]
}

function toPrompt(body: MessagesRequest, conversation: Conversation): Prompt {
  const { model, system, thinking, output_config: config } = body
  const format = config?.format ?? body.output_format
  const path = `body.${config?.format ? 'output_config.format' : 'output_format'}.schema`
  const effort = config?.effort
  return {
    model,
    conversation,
    instructions: system == null ? undefined : textOf(system),
    maxOutputTokens: body.max_tokens,
    tools: body.tools?.map(toTool),
    toolChoice: toToolChoice(body.tool_choice),
    text: format ? { format: { schema: format.schema, path } } : undefined,
    reasoning:
      thinking == null || thinking.type === 'disabled'
        ? undefined
        : toReasoning({ enabled: true, max_tokens: thinking.budget_tokens, effort }),
    plugins: body.plugins ?? undefined,
    xSearchFilter: body.x_search_filter ?? undefined,
  }
}

function toTool(tool: MessagesTool, index: number): PromptTool {
  const { type, name, input_schema } = tool
  const path = `body.tools[${index}]`
  if (isCustomTool(tool))
    return { kind: 'function', name: String(name), parameters: input_schema, path: `${path}.input_schema` }
  if (type === 'gateway:web_search')
    return { kind: 'search', parameters: tool.parameters, path: `${path}.parameters` }
  if (!isSearchTool(tool)) return { kind: 'other', type: String(type) }
  const parameters = {
    allowed_domains: [...listOf(tool.allowed_domains)].map(String),
    excluded_domains: [...listOf(tool.blocked_domains)].map(String),
  }
  return { kind: 'search', parameters, path }
}

function toToolChoice(choice: MessagesRequest['tool_choice']): Prompt['toolChoice'] {
  if (choice?.type === 'tool') return { name: String(choice['name']), path: 'body.tool_choice.name' }
  if (choice?.type === 'any') return 'required'
  return choice?.type === 'none' ? 'none' : undefined
}
