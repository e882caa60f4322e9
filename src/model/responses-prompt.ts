/**
 * What a request of POST /responses asks of the model, in every shape that `input` may have.
 */
import type { AssumptionName } from '../assumptions.ts'
import type { ContentPart, CreateResponseBody, InputItem } from '../resources/create-response-body.ts'
import { isFunction } from '../resources/tools.ts'
import type { Prompt } from './answer.ts'
import { type Conversation, type Turn, toConversation } from './conversation.ts'
import type { ReasoningRequest } from './reasoning.ts'
import { Verbosity } from './text/sample-text.ts'

export interface PromptContext {
  assume(name: AssumptionName): void
  warn(message: string): void
}

export function readPrompt(
  body: CreateResponseBody,
  conversation: Conversation,
  search: Pick<Prompt, 'searched' | 'sources'>,
  context: PromptContext,
): Prompt {
  return {
    model: body.model,
    conversation,
    forced: readForced(body, context),
    format: readFormat(body),
    verbosity: readVerbosity(body, context),
    reasoning: readReasoning(body),
    ...search,
  }
}

export function readConversation(input: CreateResponseBody['input']): Conversation {
  return toConversation(
    typeof input === 'string' ? [{ speaker: 'user', text: input }] : input.flatMap(toTurns),
  )
}

function toTurns(item: InputItem): Turn[] {
  switch (item.type) {
    case 'message':
    case undefined:
      return [{ speaker: item.role, text: textOf(item.content) }]
    case 'function_call':
      return [{ speaker: 'assistant', text: item.arguments }]
    case 'function_call_output':
      return [{ speaker: 'function', text: textOf(item.output) }]
    default:
      return []
  }
}

/** Text is read; images and files are left aside. */
function textOf(content: string | readonly ContentPart[]): string {
  if (typeof content === 'string') return content
  return content
    .map((part) => ('text' in part ? part.text : 'refusal' in part ? part.refusal : ''))
    .join('\n')
}

/** The function that `tool_choice` names; the first one offered where it merely requires a call. */
function readForced({ tools, tool_choice }: CreateResponseBody, { assume }: PromptContext): Prompt['forced'] {
  const functions = (tools ?? []).filter(isFunction)
  const isRequired = tool_choice === 'required'
  if (!isRequired && (typeof tool_choice !== 'object' || tool_choice?.type !== 'function')) return undefined
  const tool = isRequired ? functions[0] : functions.find(({ name }) => name === tool_choice.name)
  if (!tool) return undefined
  if (isRequired) assume('forcedTool')
  return {
    name: tool.name,
    schema: { type: 'object', ...tool.parameters },
    path: `body.tools[${tools?.indexOf(tool)}].parameters`,
  }
}

function readFormat({ text }: CreateResponseBody): Prompt['format'] {
  const format = text?.format
  if (!format || format.type === 'text') return undefined
  if (format.type === 'json_schema' && format.schema) {
    return { schema: format.schema, path: 'body.text.format.schema' }
  }
  return 'json'
}

function readVerbosity({ text }: CreateResponseBody, { warn }: PromptContext): Verbosity {
  const asked = text?.verbosity ?? 'medium'
  const known = Verbosity.find((each) => each === asked)
  if (!known) warn(`body.text.verbosity '${asked}' is none of ${Verbosity.join(', ')}: read as medium`)
  return known ?? 'medium'
}

/** An effort, a number of tokens, a summary or plain `enabled` asks for it; `none` and an empty object do not. */
function readReasoning({ reasoning }: CreateResponseBody): ReasoningRequest | undefined {
  if (!reasoning) return undefined
  const { effort, max_tokens, enabled, summary } = reasoning
  if (effort === 'none' || max_tokens === 0 || enabled === false) return undefined
  const isAsked = effort != null || max_tokens != null || enabled === true || summary != null
  return isAsked ? { effort: effort ?? undefined, maxTokens: max_tokens ?? undefined } : undefined
}
