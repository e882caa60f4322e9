/** Schema of POST /chat/completions, as published clients call it; the specification does not describe it. */
import * as z from 'zod'
import { fieldsOf, textOf } from '../../lib/json.ts'
import { CreateResponseBody, ignored } from '../../resources/create-response-body.ts'
import { fallbackModels } from '../../resources/fallback-models.ts'
import { list } from '../../resources/list.ts'
import { objectByType } from '../../resources/object-by-type.ts'
import { WebSearchTool } from '../../resources/tools.ts'

/** Content parts of other types are also accepted. */
const contentPart = () =>
  objectByType({
    text: z.looseObject({ text: z.string(), ...ignored('type', 'cache_control') }),
    refusal: z.looseObject({ refusal: z.string(), ...ignored('type') }),
  })

const content = () => z.union([z.string(), list(contentPart())])

const toolCall = () =>
  z.discriminatedUnion('type', [
    z.looseObject({
      id: z.string(),
      type: z.literal('function').optional(),
      function: calledFunction(),
    }),
    z.looseObject({
      id: z.string(),
      type: z.literal('custom'),
      custom: z.looseObject({ name: z.string(), input: z.string() }),
    }),
  ])

const calledFunction = () => z.looseObject({ name: z.string(), arguments: z.string() })

const message = () =>
  z.discriminatedUnion('role', [
    z.looseObject({
      role: z.enum(['system', 'developer', 'user']),
      content: content(),
      ...ignored('name'),
    }),
    z.looseObject({
      role: z.literal('assistant'),
      content: content().nullish(),
      refusal: z.string().nullish(),
      tool_calls: list(toolCall()).nullish(),
      function_call: calledFunction().nullish(),
      ...ignored('name', 'audio', 'reasoning', 'reasoning_details', 'annotations'),
    }),
    z.looseObject({ role: z.literal('tool'), content: content(), tool_call_id: z.string() }),
    z.looseObject({ role: z.literal('function'), content: content().nullish(), name: z.string() }),
  ])

const offeredFunction = () =>
  z.looseObject({
    name: z.string().min(1),
    description: z.string().nullish(),
    parameters: z.looseObject({}).nullish().describe('JSON Schema of the arguments.'),
    strict: z.boolean().nullish(),
  })

const FunctionTool = z.lazy(() => z.looseObject({ type: z.literal('function'), function: offeredFunction() }))
type ChatFunctionTool = z.infer<typeof FunctionTool>
export type ChatFunction = ChatFunctionTool['function']

const chatTool = () => objectByType({ function: FunctionTool, 'gateway:web_search': WebSearchTool })
export type ChatTool = z.infer<ReturnType<typeof chatTool>>

const responseFormat = () =>
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text') }),
    z.looseObject({ type: z.literal('json_object') }),
    z.looseObject({
      type: z.literal('json_schema'),
      json_schema: z.looseObject({
        name: z.string().optional(),
        schema: z.looseObject({}).nullish(),
        strict: z.boolean().nullish(),
      }),
    }),
  ])

const toolChoice = () =>
  z.union([
    z.enum(['none', 'auto', 'required']),
    objectByType({
      function: z.looseObject({ function: z.looseObject({ name: z.string() }), ...ignored('type') }),
      allowed_tools: z.looseObject({
        allowed_tools: z.looseObject({ mode: z.enum(['auto', 'required']), tools: list(z.looseObject({})) }),
        ...ignored('type'),
      }),
    }),
  ])
type ToolChoice = z.infer<ReturnType<typeof toolChoice>> | null | undefined

export const ChatRequest = z.lazy(() => {
  const { model, plugins, x_search_filter, metadata, reasoning } = CreateResponseBody.unwrap().shape
  return z
    .looseObject({
      model: model.optional(),
      models: fallbackModels(),
      messages: list(message()).min(1).describe('The conversation so far.'),
      stream: z.boolean().nullish().describe('If true, the reply is an event stream.'),
      stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
      usage: z.looseObject({ include: z.boolean().nullish() }).nullish(),
      max_tokens: z.int().min(1).nullish(),
      max_completion_tokens: z.int().min(1).nullish().describe('Maximum number of tokens to generate.'),
      n: z.int().min(1).max(128).nullish().describe('Number of choices. Default: 1.'),
      stop: z
        .union([z.string(), list(z.string()).max(4)])
        .nullish()
        .describe('Stop sequences. The text ends before the first match.'),
      logprobs: z.boolean().nullish(),
      top_logprobs: z.int().min(0).max(20).nullish(),
      tools: list(chatTool()).nullish(),
      tool_choice: toolChoice().nullish(),
      parallel_tool_calls: z.boolean().nullish(),
      functions: list(offeredFunction()).nullish().meta({ deprecated: true, description: 'Use `tools`.' }),
      function_call: z
        .union([z.enum(['none', 'auto']), z.looseObject({ name: z.string() })])
        .nullish()
        .meta({ deprecated: true, description: 'Use `tool_choice`.' }),
      response_format: responseFormat().nullish(),
      reasoning,
      reasoning_effort: z.string().nullish(),
      verbosity: z.string().nullish().describe('low, medium (the default) or high.'),
      temperature: z.number().nullish(),
      top_p: z.number().nullish(),
      presence_penalty: z.number().nullish(),
      frequency_penalty: z.number().nullish(),
      seed: z.int().nullish(),
      user: z.string().nullish(),
      metadata,
      plugins,
      x_search_filter,
    })
    .refine(({ model, models }) => model !== undefined || models != null, {
      path: ['model'],
      message: 'Required, unless models is set',
      params: { rule: 'required' },
    })
    .refine(({ function_call, functions }) => offers(Object(function_call).name, functions), {
      path: ['function_call', 'name'],
      message: 'Must name one of the functions',
      params: { rule: 'unknown_tool' },
    })
    .meta({ id: 'ChatRequest', description: 'A request for a chat completion.' })
})
export type ChatRequest = z.infer<typeof ChatRequest>
export type CreateChatCompletionRequest = z.input<typeof ChatRequest>

export function isChatFunction(tool: ChatTool): tool is ChatFunctionTool {
  return tool.type === 'function'
}

export function forcedName(choice: ToolChoice): string | undefined {
  if (typeof choice !== 'object' || choice?.type !== 'function') return undefined
  return textOf(fieldsOf(choice['function'])['name'])
}

function offers(name: unknown, functions: readonly { name?: string }[] | null | undefined): boolean {
  return name === undefined || (functions ?? []).some((each) => each.name === name)
}

/** Returns true if the request uses the legacy `functions` format, so the reply must use it as well. */
export function isLegacy({ functions, tools }: ChatRequest): boolean {
  return functions != null && tools == null
}
