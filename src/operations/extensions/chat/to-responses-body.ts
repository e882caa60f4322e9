/**
 * A chat request in the shape of POST /responses, in which every protocol is answered.
 */
import { toInput } from '../../../model/responses-conversation.ts'
import type { CreateResponseBody } from '../../../resources/create-response-body.ts'
import { readChatConversation } from './chat-conversation.ts'
import { type ChatRequest, forcedName, isChatFunction } from './chat-request.ts'

export function toResponsesBody(body: ChatRequest): CreateResponseBody {
  const { model, models, stream, tools, temperature, top_p, presence_penalty, frequency_penalty } = body
  const { metadata, plugins, x_search_filter, parallel_tool_calls, verbosity } = body
  return {
    // The one that is tried now: the first, where no step has named another.
    model: model ?? (models?.[0] as string),
    input: toInput(readChatConversation(body)),
    stream,
    max_output_tokens: body.max_completion_tokens ?? body.max_tokens,
    tools: tools?.map((tool) => {
      if (!isChatFunction(tool)) return tool
      const { name, description, parameters, strict } = tool.function
      return { type: 'function' as const, name, description, parameters, strict }
    }),
    tool_choice: toToolChoice(body.tool_choice),
    parallel_tool_calls,
    text: { format: toFormat(body.response_format), verbosity },
    reasoning:
      body.reasoning ?? (body.reasoning_effort == null ? undefined : { effort: body.reasoning_effort }),
    temperature,
    top_p,
    presence_penalty,
    frequency_penalty,
    metadata,
    plugins,
    x_search_filter,
  }
}

function toToolChoice(choice: ChatRequest['tool_choice']): CreateResponseBody['tool_choice'] {
  const name = forcedName(choice)
  return name === undefined ? choice : { type: 'function', name }
}

function toFormat(format: ChatRequest['response_format']): NonNullable<CreateResponseBody['text']>['format'] {
  if (format?.type !== 'json_schema') return format
  const { name, schema, strict } = format.json_schema
  return { type: 'json_schema', name, schema, strict }
}
