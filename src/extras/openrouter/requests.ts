/** Request fields, plugins and input types that OpenRouter's OpenAPI document adds to the specification's. */
import * as z from 'zod'
import { fieldsOf, listOf } from '../../lib/json.ts'
import { CreateResponseBody, ignored, StoringResponseBody } from '../../resources/create-response-body.ts'
import { fallbackModels } from '../../resources/fallback-models.ts'
import { kindsOf, objectByType } from '../../resources/object-by-type.ts'

/** Returns the schema of the provider preferences that have an effect. */
function preferences(): z.ZodType {
  const list = z.array(z.string()).nullish()
  return z.object({ order: list, only: list, ignore: list, ...ignored('allow_fallbacks') }).nullish()
}

const plugins: Readonly<Record<string, string>> = {
  'auto-router': 'allowed_models cost_quality_tradeoff cost_tier excluded_models pin_model',
  'auto-beta-router': 'allowed_models cost_quality_tradeoff cost_tier excluded_models',
  moderation: '',
  web: 'max_uses mode search_prompt user_location',
  'web-fetch': 'allowed_domains blocked_domains max_content_tokens max_uses',
  'file-parser': 'pdf',
  'response-healing': '',
  'context-compression': 'engine',
  'pareto-router': 'max_price min_coding_score price_source',
  fusion: 'analysis_models max_tool_calls model preset tools',
}

/** Returns a warning for each enabled plugin that is not simulated. */
export function pluginWarnings(body: unknown): string[] {
  const ids = listOf(fieldsOf(body)['plugins']).flatMap((plugin) => {
    const { id, enabled } = fieldsOf(plugin)
    const isIdle = typeof id === 'string' && id !== 'web' && Object.hasOwn(plugins, id) && enabled !== false
    return isIdle ? [id] : []
  })
  return [...new Set(ids)].map((id) => `The '${id}' plugin is not simulated`)
}

/** Operations whose bodies have OpenRouter's fields, such as provider preferences. */
export const extendedOperations = ['createResponse', 'createChatCompletion', 'createMessage']

const bodies = new WeakMap<z.ZodType, z.ZodType>()

/** Extends Understudy's body schema for an operation with OpenRouter's fields. */
export function openrouterBody(schema: z.ZodType, operation: string): z.ZodType {
  if (!extendedOperations.includes(operation)) return schema
  const made = bodies.get(schema) ?? extended(schema, operation)
  bodies.set(schema, made)
  return made
}

function extended(schema: z.ZodType, operation: string): z.ZodType {
  const ours = inner<z.ZodObject>(schema)
  const more: Record<string, z.ZodType> = { provider: preferences(), plugins: pluginList() }
  if (operation === 'createMessage') more['max_tokens'] = z.int().min(1).nullish()
  else more['tools'] = toolList(ours.shape['tools'] as z.ZodType)
  if (operation !== 'createResponse') return ours.safeExtend(more)
  const { model, input } = ours.shape as (typeof CreateResponseBody)['_zod']['innerType']['shape']
  return ours
    .safeExtend({
      ...more,
      model: model.optional(),
      models: fallbackModels(),
      input: openInput(input),
      // `StoringResponseBody` applies if a rule scripts the reply or responses are stored. `background` may then be
      // true.
      ...(schema !== StoringResponseBody && {
        background: z.literal(false, 'Is not simulated: only a rule can reply to such a request').nullish(),
      }),
    })
    .refine(({ model, models }) => model !== undefined || models != null, {
      path: ['model'],
      message: 'Required, unless models is set',
      params: { rule: 'required' },
    })
}

/** Returns a schema without its lazy, optional and nullable wrappers. */
function inner<Schema extends z.ZodType>(schema: z.ZodType): Schema {
  const wrapped =
    'innerType' in schema._zod ? schema._zod.innerType : Reflect.get(schema._zod.def, 'innerType')
  return wrapped instanceof z.ZodType ? inner(wrapped) : (schema as Schema)
}

/** Returns a schema that removes all plugins except an enabled `web`, because no others are simulated. */
function pluginList(): z.ZodType {
  const web = inner<z.ZodArray<z.ZodObject>>(CreateResponseBody._zod.innerType.shape.plugins).element
  const engine = openEngine(web.shape['engine'] as z.ZodType)
  const known = Object.entries(plugins).map(([id, names]) => {
    const settings = {
      id: z.literal(id),
      enabled: z.boolean().optional(),
      ...ignored(...names.split(' ').filter(Boolean)),
    }
    return id === 'web' ? web.extend({ ...settings, engine }) : z.looseObject(settings)
  })
  const plugin = z.discriminatedUnion('id', known as unknown as [z.ZodObject<{ id: z.ZodLiteral<string> }>])
  const runs = ({ id, enabled }: Record<string, unknown>) => id === 'web' && enabled !== false
  return z
    .array(plugin)
    .overwrite((list) => list.filter(runs))
    .nullish()
}

function toolList(tools: z.ZodType): z.ZodType {
  const kinds = kindsOf(inner<z.ZodArray<z.ZodType>>(tools).element) ?? {}
  const called = inner<z.ZodObject>(kinds['function'] as z.ZodType)
  const search = inner<z.ZodObject>(kinds['gateway:web_search'] as z.ZodType)
  const { engine, ...parameters } = inner<z.ZodObject>(search.shape['parameters'] as z.ZodType).shape
  const settings = z.looseObject({
    ...parameters,
    engine: openEngine(engine as z.ZodType),
    ...ignored('max_uses', 'mode', 'max_characters'),
  })
  return z
    .array(
      objectByType({
        function: called,
        'gateway:web_search': search.extend({ parameters: settings.nullish() }),
      }),
    )
    .nullish()
}

/** Adds `perplexity`, an engine without an equivalent in the specification. */
function openEngine(engine: z.ZodType): z.ZodType {
  return z.enum([...inner<z.ZodEnum<Record<string, string>>>(engine).options, 'perplexity']).optional()
}

/** Returns a schema for input whose items and content parts may have any type. */
function openInput(input: (typeof CreateResponseBody)['_zod']['innerType']['shape']['input']): z.ZodType {
  const [text, list] = input.options
  const [message, ...items] = list.element._zod.innerType.options[0].options
  const [plain, parts] = message.shape.content.options
  const more = ignored('cache_control', 'prompt_cache_breakpoint')
  const kindsOfPart = byType(parts.element.options.map((part) => part.extend(more)))
  const content = z.union([plain, z.array(objectByType(kindsOfPart))])
  const open = message.extend({ content })
  const kinds = byType(
    items.map((item) => ('output' in item.shape ? item.extend({ output: content }) : item)),
  )
  return z.union([text, z.array(objectByType({ '': open, message: open, ...kinds })).min(1)])
}

function byType(schemas: readonly z.ZodObject<{ type: z.ZodType }>[]): Record<string, z.ZodType> {
  return Object.fromEntries(
    schemas.map((schema) => [(schema.shape.type as z.ZodLiteral<string>).value, schema]),
  )
}

/** Moves a preset, which may start with `@preset/`, to the model's name: `vendor/model@preset/slug`. */
export function withPreset(body: unknown): unknown {
  const { preset, ...rest } = fieldsOf(body)
  const { model = '', models } = rest
  const isNamed = typeof model !== 'string' || model.includes('@preset/')
  if (typeof preset !== 'string' || isNamed || (model === '' && models != null)) return body
  return { ...rest, model: `${model}@preset/${preset.replace(/^@preset\//, '')}` }
}

/** Search tool settings, which OpenRouter accepts next to `type` and in `parameters`. */
const searchSettings =
  'engine max_results max_total_results max_uses mode search_context_size user_location allowed_domains excluded_domains max_characters'.split(
    ' ',
  )

/** Moves a search tool's settings to its `parameters`. */
export function withParameters(tool: unknown): unknown {
  const { type, filters, parameters, ...rest } = fieldsOf(tool)
  if (type !== 'gateway:web_search') return tool
  const settings: Record<string, unknown> = { ...fieldsOf(filters) }
  for (const name of searchSettings) {
    if (rest[name] != null) settings[name] = rest[name]
    delete rest[name]
  }
  return { type, ...rest, parameters: { ...settings, ...fieldsOf(parameters) } }
}

/** Returns undefined for tools that the gateway runs, because replies omit them. */
export function shownTool(tool: unknown): unknown {
  const { type, parameters, ...rest } = fieldsOf(tool)
  if (String(type).startsWith('openrouter:')) return undefined
  if (type !== 'gateway:web_search') return tool
  const { allowed_domains, excluded_domains, ...settings } = fieldsOf(parameters)
  const hasFilters = allowed_domains !== undefined || excluded_domains !== undefined
  const filters = hasFilters && { filters: { allowed_domains, excluded_domains } }
  return { type: 'web_search', ...rest, ...settings, ...filters }
}
