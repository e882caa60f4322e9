/**
 * A messages request in the shape of POST /responses, in which every protocol is answered.
 */
import { listOf, textOf } from '../../../model/loose-reading.ts'
import { toInput } from '../../../model/responses-conversation.ts'
import type { CreateResponseBody } from '../../../resources/create-response-body.ts'
import type { Tool } from '../../../resources/tools.ts'
import { readMessagesConversation } from './messages-conversation.ts'
import { isCustomTool, isSearchTool, type MessagesRequest, type MessagesTool } from './messages-request.ts'

export function toResponsesBody(body: MessagesRequest): CreateResponseBody {
  const { model, system, stream, tools, thinking, temperature, top_p, plugins, x_search_filter } = body
  const format = body.output_config?.format ?? body.output_format
  return {
    model,
    instructions: system == null ? undefined : textOf(system),
    input: toInput(readMessagesConversation(body)),
    stream,
    max_output_tokens: body.max_tokens,
    tools: tools?.map(toTool),
    tool_choice: toToolChoice(body.tool_choice),
    reasoning:
      thinking == null || thinking.type === 'disabled'
        ? undefined
        : { enabled: true, max_tokens: thinking.budget_tokens, effort: body.output_config?.effort },
    text: format && { format: { type: 'json_schema', schema: format.schema } },
    temperature,
    top_p,
    plugins,
    x_search_filter,
  }
}

function toTool(tool: MessagesTool): Tool {
  const { type, name, description, input_schema } = tool
  if (isCustomTool(tool))
    return { type: 'function', name: String(name), description, parameters: input_schema }
  if (type === 'gateway:web_search') return { type, parameters: tool.parameters }
  if (!isSearchTool(tool)) return { type: String(type) }
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
