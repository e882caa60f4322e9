/** Schema of POST /messages, as published clients call it; the specification does not describe it. */
import * as z from 'zod'
import { CreateResponseBody, ignored } from '../../resources/create-response-body.ts'
import { fallbackModels } from '../../resources/fallback-models.ts'
import { list } from '../../resources/list.ts'
import { objectByType } from '../../resources/object-by-type.ts'
import { WebSearchTool } from '../../resources/tools.ts'

/** Blocks of other types are also accepted. */
const block = () =>
  objectByType({
    text: z.looseObject({ text: z.string(), ...ignored('type', 'cache_control', 'citations') }),
    tool_use: z.looseObject(ignored('type', 'cache_control', 'id', 'name', 'input', 'caller')),
    tool_result: z.looseObject(ignored('type', 'cache_control', 'tool_use_id', 'content', 'is_error')),
  })

const content = () => z.union([z.string(), list(block())])

const tool = () =>
  z
    .looseObject({
      type: z.string().nullish().describe('Omitted or `custom` for functions that the client runs.'),
      name: z.string().min(1).nullish(),
      description: z.string().nullish(),
      input_schema: z.looseObject({}).nullish().describe('JSON Schema of the input.'),
      strict: z.boolean().nullish(),
      ...ignored('cache_control'),
      max_uses: z.int().min(1).nullish(),
      allowed_domains: list(z.string().min(1)).nullish(),
      blocked_domains: list(z.string().min(1)).nullish(),
      parameters: WebSearchTool.unwrap().shape.parameters.describe('Only for `gateway:web_search`.'),
    })
    .refine((input) => !isCustomTool(input) || typeof input['name'] === 'string', {
      path: ['name'],
      message: 'A function needs a name',
      params: { rule: 'required' },
    })
    .refine(({ type }) => type !== 'function', {
      path: ['type'],
      message: "'function' is for POST /chat/completions; write { name, input_schema }",
    })
export type MessagesTool = z.infer<ReturnType<typeof tool>>

const toolChoice = () =>
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.enum(['auto', 'any', 'none']) }),
    z.looseObject({ type: z.literal('tool'), name: z.string() }),
  ])

const format = () =>
  z
    .looseObject({ type: z.literal('json_schema'), schema: z.looseObject({}) })
    .nullish()
    .describe('JSON Schema for the text.')

export const MessagesRequest = z.lazy(() => {
  const { model, plugins, x_search_filter } = CreateResponseBody.unwrap().shape
  return z
    .looseObject({
      model,
      models: fallbackModels(),
      messages: list(
        z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content: content() }),
      ).min(1),
      max_tokens: z.int().min(1).describe('Maximum number of tokens to generate.'),
      system: content().nullish(),
      stream: z.boolean().nullish().describe('If true, the reply is an event stream.'),
      stop_sequences: list(z.string())
        .nullish()
        .describe('Stop sequences. The text ends before the first match.'),
      tools: list(tool()).nullish(),
      tool_choice: toolChoice().nullish(),
      thinking: z
        .looseObject({
          type: z.enum(['enabled', 'disabled', 'adaptive']),
          budget_tokens: z.int().min(1).nullish(),
        })
        .nullish(),
      output_config: z.looseObject({ effort: z.string().nullish(), format: format() }).nullish(),
      output_format: format(),
      temperature: z.number().nullish(),
      top_p: z.number().nullish(),
      top_k: z.number().nullish(),
      metadata: z.looseObject({}).nullish(),
      thread: z.looseObject({}).nullish(),
      ...ignored('cache_control'),
      service_tier: z.string().nullish(),
      plugins,
      x_search_filter,
    })
    .meta({ id: 'MessagesRequest', description: 'Request body of POST /messages.' })
})
export type MessagesRequest = z.infer<typeof MessagesRequest>
export type CreateMessageRequest = z.input<typeof MessagesRequest>

export const CountTokensRequest = z.lazy(() => {
  const { max_tokens, ...fields } = MessagesRequest.unwrap().shape
  return z.looseObject({ ...fields, max_tokens: max_tokens.nullish() })
})
export type CountMessageTokensRequest = z.input<typeof CountTokensRequest>

/** The gateway runs Anthropic's search tool, `web_search_20250305` or a later version. */
export function isSearchTool({ type }: MessagesTool): boolean {
  return /^web_search/.test(type ?? '')
}

export function isCustomTool({ type }: { type?: string | null | undefined }): boolean {
  return type == null || type === 'custom'
}
