/** The body of POST /responses: the specification's fields, and fields that published clients send in addition. */
import * as z from 'zod'
import type { Violation } from '../http/errors.ts'
import { fieldsOf, isObject, listOf } from '../lib/json.ts'
import { mustBe, shown } from '../lib/schema-messages.ts'
import { list } from './list.ts'
import { isOfOtherType, openUnion } from './object-by-type.ts'
import { isSentItem } from './sent-fields.ts'
import { anyTool, WebSearchEngine } from './tools.ts'
import { xSearchFilter } from './x-search-filter.ts'

const anyText = () => z.string()

/** Returns schemas that accept any value, for fields that clients send but that have no effect here. */
export function ignored<Name extends string>(...names: Name[]): Record<Name, z.ZodOptional<z.ZodUnknown>> {
  return Object.fromEntries(names.map((name) => [name, z.unknown().optional()])) as never
}

/** A part of a message: `input_…` from the user, `output_text` or `refusal` in earlier replies. */
const contentPart = () =>
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('input_text'), text: anyText() }),
    z.looseObject({
      type: z.literal('output_text'),
      text: anyText(),
      annotations: list(z.unknown()).nullish(),
      ...ignored('logprobs'),
    }),
    z.looseObject({ type: z.literal('refusal'), refusal: anyText() }),
    z.looseObject({ type: z.literal('input_image'), ...ignored('image_url', 'file_id', 'detail') }),
    z.looseObject({
      type: z.literal('input_file'),
      ...ignored('file_id', 'file_data', 'file_url', 'filename', 'detail'),
    }),
  ])

const content = () => z.union([anyText(), list(contentPart())])

const message = () =>
  z.looseObject({
    type: z.literal('message').optional(),
    role: z.enum(['user', 'assistant', 'system', 'developer']),
    content: content(),
    id: z.string().nullish(),
    status: z.string().nullish(),
    ...ignored('phase'),
  })

const specifiedItem = () =>
  z.discriminatedUnion('type', [
    message(),
    z.looseObject({
      type: z.literal('function_call'),
      call_id: z.string(),
      name: z.string(),
      arguments: z.string(),
      ...ignored('id', 'status', 'namespace'),
    }),
    z.looseObject({
      type: z.literal('function_call_output'),
      call_id: z.string(),
      output: content(),
      ...ignored('id', 'status'),
    }),
    z.looseObject({ type: z.literal('web_search_call'), ...ignored('id', 'status', 'action') }),
    z.looseObject({
      type: z.literal('reasoning'),
      ...ignored('id', 'status', 'summary', 'content', 'encrypted_content', 'format', 'signature'),
    }),
    z.looseObject({ type: z.literal('item_reference'), id: z.string() }),
  ])
type SpecifiedItem = z.infer<ReturnType<typeof specifiedItem>>

const inputItem = z.lazy(() => openUnion(specifiedItem(), ignored('id')))
export type InputItem = z.infer<typeof inputItem>

export function isSpecifiedItem(item: InputItem): item is SpecifiedItem {
  return !isOfOtherType(inputItem._zod.innerType, item)
}

/** Returns a violation for each item of an unspecified type. Allows types that clients send unless `onlySpecified`. */
export function unspecifiedItems(body: unknown, onlySpecified: boolean): Violation[] {
  return listOf(fieldsOf(body)['input']).flatMap((item, index) => {
    const { type } = fieldsOf(item)
    if (isSpecifiedItem(item as InputItem) || (!onlySpecified && isSentItem(type))) return []
    const message = `Must be a documented type, got ${shown(type)}`
    return [{ path: `body.input[${index}].type`, message, rule: 'invalid_union' }]
  })
}

const webPlugin = () =>
  z.looseObject({
    id: z.literal('web'),
    engine: WebSearchEngine.unwrap().optional().describe('Default: chosen automatically.'),
    max_results: z.int().min(1).max(25).optional().describe('Default: 5. One engine accepts at most 20.'),
    include_domains: z.array(z.string().min(1)).optional().describe('Domains that results must come from.'),
    exclude_domains: z.array(z.string().min(1)).optional().describe('Domains to exclude from the results.'),
  })
export type WebPlugin = z.infer<ReturnType<typeof webPlugin>>

const toolChoice = () =>
  z.union([
    z.enum(['auto', 'none', 'required']),
    z.looseObject({
      type: z.string(),
      name: z.string().optional(),
      ...ignored('mode', 'tools', 'server_label'),
    }),
  ])

const textFormat = () =>
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text') }),
    z.looseObject({ type: z.literal('json_object') }),
    z.looseObject({
      type: z.literal('json_schema'),
      name: z.string().optional(),
      // Some clients omit the schema to request any JSON.
      schema: z.looseObject({}).nullish(),
      strict: z.boolean().nullish(),
      ...ignored('description'),
    }),
  ])

export const modelForm = 'Must be vendor/model, as in aurora/dawn-2, or @preset/slug'

export function isSpecifiedModel(name: string): boolean {
  return /^[^\s/]+\/[^\s/:][^\s/]*$/.test(name)
}

const fields = () => ({
  model: z
    .string()
    .regex(/\S/, modelForm)
    .meta({
      description: 'Model identifier, such as `vendor/model`.',
      anyOf: [
        { not: { pattern: ':online$' } },
        { pattern: ':online$', deprecated: true, description: 'Use the `gateway:web_search` tool.' },
      ],
    }),
  input: z.union([anyText(), list(inputItem).min(1)]).describe('Plain text, or a list of input items.'),
  plugins: z
    .array(webPlugin())
    .nullish()
    .meta({ deprecated: true, description: 'Use the `gateway:web_search` tool.' }),
  max_output_tokens: z.int().min(1).nullish().describe('Maximum number of tokens to generate.'),
  stream: z.boolean().nullish().describe('If true, the reply is an event stream.'),
  x_search_filter: xSearchFilter().nullish(),

  instructions: z.string().nullish(),
  tools: list(anyTool()).nullish(),
  tool_choice: toolChoice().nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z
    .looseObject({
      format: textFormat().nullish(),
      verbosity: z.string().nullish().describe('low, medium (the default) or high.'),
    })
    .nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  presence_penalty: z.number().nullish(),
  frequency_penalty: z.number().nullish(),
  metadata: Metadata.nullish(),
  reasoning: z
    .looseObject({
      effort: z.string().nullish(),
      max_tokens: z.int().min(0).nullish(),
      enabled: z.boolean().nullish(),
      summary: z.string().nullish(),
      exclude: z.boolean().nullish(),
      ...ignored('generate_summary'),
    })
    .nullish(),
  include: list(z.string()).nullish(),
  service_tier: z.string().nullish(),
  truncation: z.string().nullish(),
  store: z
    .literal(false, 'Must be false: responses are stored only if the storedResponses option is set')
    .nullish(),
  previous_response_id: z
    .null('Must be null: send the conversation as input, or set the storedResponses option')
    .optional(),
})

/** Unlike `z.record()`, keeps a key called `__proto__`. */
export type Metadata = Record<string, unknown>
export const Metadata = z.lazy(() =>
  z.custom<Metadata>(isObject, mustBe('an object')).meta({ type: 'object', additionalProperties: {} }),
)

export const CreateResponseBody = z.lazy(() =>
  z.looseObject(fields()).meta({ id: 'CreateResponseBody', description: 'Request body of POST /responses.' }),
)

/** The body if responses are stored, or if a rule scripts the reply. */
export const StoringResponseBody = z.lazy(() =>
  z.looseObject({
    ...fields(),
    store: z.boolean().nullish(),
    previous_response_id: z.string().min(1).nullish(),
  }),
)

/** Request fields that a preset can set: all except `input`. */
export const RequestSettings = z.lazy(() => {
  const { input: _, ...settings } = fields()
  return z.looseObject({ ...settings, model: z.string().min(1) }).partial()
})
export type RequestSettings = z.infer<typeof RequestSettings>

export type CreateResponseBody = z.infer<typeof StoringResponseBody>
/** Request body of `createResponse`, as clients send it. */
export type CreateResponseRequest = z.input<typeof CreateResponseBody>
