/**
 * A messages request in the shape of POST /responses, in which every protocol is answered.
 */
import { listOf, textOf } from '../../../model/loose-reading.ts'
import type { CreateResponseBody, InputItem } from '../../../resources/create-response-body.ts'
import type { Tool } from '../../../resources/tools.ts'
import {
  type ContentBlock,
  isCustomTool,
  isSearchTool,
  type MessagesRequest,
  type MessagesTool,
} from './messages-request.ts'

export function toResponsesBody(body: MessagesRequest): CreateResponseBody {
  const { model, messages, system, stream, tools, thinking, temperature, top_p, plugins, x_search_filter } =
    body
  return {
    model,
    instructions: system == null ? undefined : textOf(system),
    input: messages.flatMap(toItems),
    stream,
    max_output_tokens: body.max_tokens,
    tools: tools?.map(toTool),
    tool_choice: toToolChoice(body.tool_choice),
    reasoning:
      thinking == null || thinking.type === 'disabled'
        ? undefined
        : { enabled: true, max_tokens: thinking.budget_tokens },
    temperature,
    top_p,
    plugins,
    x_search_filter,
  }
}

function toItems({ role, content }: MessagesRequest['messages'][number]): InputItem[] {
  if (typeof content === 'string') return [{ type: 'message', role, content }]
  const items: InputItem[] = []
  const texts: string[] = []
  for (const block of content) {
    if (block.type === 'text') texts.push(textOf([block]))
    else if (block.type === 'tool_use') items.push(toCall(block))
    else if (block.type === 'tool_result') {
      const { tool_use_id, content: output } = block
      items.push({ type: 'function_call_output', call_id: String(tool_use_id), output: textOf(output) })
    }
  }
  const text = texts.join('\n')
  // What is said stands before the calls of the same turn, and behind the results that the turn brings.
  if (text === '' && items.length > 0) return items
  const message: InputItem = { type: 'message', role, content: text }
  return role === 'assistant' ? [message, ...items] : [...items, message]
}

function toCall({ id, name, input }: ContentBlock): InputItem {
  return {
    type: 'function_call',
    call_id: String(id),
    name: String(name),
    arguments: JSON.stringify(input ?? {}),
  }
}

function toTool(tool: MessagesTool): Tool {
  const { name, description, input_schema } = tool
  if (isCustomTool(tool)) return { type: 'function', name, description, parameters: input_schema }
  if (!isSearchTool(tool)) return { type: String(tool.type) }
  const parameters = {
    allowed_domains: [...listOf(tool.allowed_domains)].map(String),
    excluded_domains: [...listOf(tool.blocked_domains)].map(String),
  }
  return { type: 'gateway:web_search', parameters }
}

function toToolChoice(choice: MessagesRequest['tool_choice']): CreateResponseBody['tool_choice'] {
  if (choice?.type === 'tool') return { type: 'function', name: String(choice['name']) }
  if (choice?.type === 'any') return 'required'
  return choice?.type === 'none' ? 'none' : undefined
}
