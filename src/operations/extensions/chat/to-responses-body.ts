/**
 * A chat request in the shape of POST /responses, in which every protocol is answered.
 */
import type { CreateResponseBody, InputItem } from '../../../resources/create-response-body.ts'
import {
  type ChatContentPart,
  type ChatMessage,
  type ChatRequest,
  forcedName,
  isChatFunction,
} from './chat-request.ts'

export function toResponsesBody(body: ChatRequest): CreateResponseBody {
  const { model, models, messages, stream, tools, temperature, top_p, presence_penalty, frequency_penalty } =
    body
  const { metadata, plugins, x_search_filter, parallel_tool_calls, verbosity } = body
  return {
    // One of the two is there: the schema says so.
    model: model ?? (models?.[0] as string),
    input: messages.flatMap(toItems),
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

function toItems(message: ChatMessage): InputItem[] {
  switch (message.role) {
    case 'tool':
      return [
        { type: 'function_call_output', call_id: message.tool_call_id, output: textOf(message.content) },
      ]
    case 'assistant': {
      const text = message.content == null ? (message.refusal ?? '') : textOf(message.content)
      const calls = message.tool_calls ?? []
      return [
        ...(text === '' && calls.length > 0
          ? []
          : [{ type: 'message' as const, role: message.role, content: text }]),
        ...calls.map(({ id, function: { name, arguments: args } }) => ({
          type: 'function_call' as const,
          call_id: id,
          name,
          arguments: args,
        })),
      ]
    }
    default:
      return [{ type: 'message', role: message.role, content: textOf(message.content) }]
  }
}

function textOf(content: string | readonly ChatContentPart[]): string {
  if (typeof content === 'string') return content
  const texts = content.flatMap((part) =>
    part.type === 'text' ? [part.text] : part.type === 'refusal' ? [part.refusal] : [],
  )
  return texts.join('\n')
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
