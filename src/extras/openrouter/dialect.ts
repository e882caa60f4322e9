/**
 * The OpenRouter dialect, based on its published OpenAPI document (in OpenRouterTeam/typescript-sdk) and SDKs
 * (@openrouter/sdk 0.13 and 1.3). If versions differ, replies have the newest set of fields that a published SDK
 * requires.
 */
import type { AnsweredCall, Dialect } from '../../gateway/extra.ts'
import { messageOf } from '../../http/errors.ts'
import { dollars } from '../../journal/ledger.ts'
import { lookUp } from '../../lib/look-up.ts'
import { uuid } from '../../lib/seed.ts'
import { editAt, readAll, readAt, readPath } from '../../lib/value-path.ts'
import { modelsIn } from '../../resources/fallback-models.ts'
import {
  openrouterBody,
  openrouterFields,
  pluginWarnings,
  shownTool,
  withParameters,
  withPreset,
} from './requests.ts'

type Words = Readonly<Record<string, string>>
type WordsByPath = Readonly<Record<string, Words>>

/** OpenRouter's names in requests, mapped to Understudy's. */
const tools: Words = {
  'openrouter:web_search': 'gateway:web_search',
  web_search: 'gateway:web_search',
  web_search_2025_08_26: 'gateway:web_search',
  web_search_preview: 'gateway:web_search',
  web_search_preview_2025_03_11: 'gateway:web_search',
}
const engines: Words = { exa: 'engine_a', firecrawl: 'engine_b', parallel: 'engine_c' }
const sources: Words = { 'artificial-analysis': 'index-source', 'design-arena': 'design-source' }
const toolWords: WordsByPath = { 'tools.*.type': tools, 'tool_choice.type': tools }
const requestWords: WordsByPath = {
  'plugins.*.engine': engines,
  'tools.*.parameters.engine': engines,
}

/** Understudy's names in replies and events, mapped to OpenRouter's. */
const shownEngine: Words = { engine_a: 'exa', engine_b: 'firecrawl', engine_c: 'parallel' }
const shownChoice: Words = { 'gateway:web_search': 'web_search_preview' }
const shownSource: Words = { 'index-source': 'artificial-analysis', 'design-source': 'design-arena' }
const replyWords: WordsByPath = {
  'tools.*.engine': shownEngine,
  'response.tools.*.engine': shownEngine,
  'tool_choice.type': shownChoice,
  'response.tool_choice.type': shownChoice,
  'data.*.source': shownSource,
  'meta.source': shownSource,
}

/** Default error messages by status. */
const errorTexts: Readonly<Record<number, string>> = {
  402: 'Insufficient credits. Add more using https://openrouter.ai/credits',
  408: 'Operation timed out. Please try again later.',
  409: 'Resource conflict. Please try again later.',
  422: 'Invalid argument',
  524: 'Request timed out. Please try again later.',
  529: 'Provider returned error',
}

/** Headers that request metadata about model routing. */
const metadataHeaders = ['x-openrouter-metadata', 'x-openrouter-experimental-metadata']

type Fields = Readonly<Record<string, object>>
type MakeFields = (value: unknown, call: AnsweredCall) => Fields

const messagesUsage = {
  cache_creation: null,
  inference_geo: null,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: 'standard',
}

const replyFields: Readonly<Record<string, MakeFields>> = {
  createResponse: (value, call) => ({ usage: responseCosts(value, call), ...routing(call) }),
  createChatCompletion: (value, call) => ({
    usage: chatCosts(value, call),
    '': { service_tier: null, ...routing(call)[''] },
  }),
  createMessage: (value, call) => ({
    usage: { ...chatCosts(value, call), ...messagesUsage },
    ...routing(call),
  }),
  createEmbeddings: (_, { cost }) => ({ usage: { cost } }),
  updateWorkspace: (value, { seed }) => ({
    data: {
      default_guardrail_id: uuid(seed, 'dialect', String(readAt(value, ['data', 'id']))),
      disabled_server_tools: [],
      include_byok_in_budgets: false,
    },
  }),
  getKey: () => ({
    data: {
      allowed_data_regions: [],
      free_model_daily_requests: { limit: 50, remaining: 50, used: 0 },
      organization_id: null,
      workspace_id: null,
    },
  }),
  listEmbeddingsModels: (value) => ({
    '': { links: { next: null }, total_count: readAll(value, ['data', '*']).length },
  }),
  listModelEndpoints: () => ({
    'data.endpoints.*': {
      supports_tool_choice: { auto: true, function: true, none: true, required: true },
      supports_voice_cloning: false,
    },
  }),
}

const eventFields: Readonly<Record<string, MakeFields>> = {
  createResponse: (event, call) => ({
    'response.usage': responseCosts(event, call),
    ...(readAt(event, ['type']) === 'response.completed' && { response: { ...routing(call)[''] } }),
  }),
  createChatCompletion: (event, call) => ({ usage: chatCosts(event, call), ...routing(call) }),
  createMessage: (event, call) => ({
    usage: { ...chatCosts(event, call), output_tokens_details: null, server_tool_use: null },
    delta: { container: null, stop_details: null },
    'message.usage': messagesUsage,
  }),
}

export const openrouter: Dialect = {
  name: 'openrouter',
  comment: 'OPENROUTER PROCESSING',

  request({ search, body }, operation) {
    const query = new URLSearchParams(search)
    const source = lookUp(sources, query.get('source'))
    if (source !== undefined) query.set('source', source)
    const ours = translated(
      editAt(translated(withPreset(body), toolWords), readPath('tools.*'), withParameters).value,
      requestWords,
    )
    const isChat = operation === 'createChatCompletion' && typeof ours === 'object' && ours !== null
    return {
      search: search === '' ? '' : `?${query}`,
      body: isChat ? added({ stream_options: {}, ...ours }, 'stream_options', { include_usage: true }) : ours,
      warnings: pluginWarnings(body),
    }
  },
  body: openrouterBody,
  fields: openrouterFields,
  models: modelsIn,
  warning: inVendorsWords,

  reply: (value, call) => withFields(translated(withShownTools(value), replyWords), call, replyFields),

  event(event, call) {
    const { response, message, usage, tools, type } = event
    if (type === 'message_stop') return { ...event, ...routing(call)[''] }
    // Fast path for deltas, which are the most frequent events and need no translation.
    if (!response && typeof message !== 'object' && usage == null && tools === undefined) return event
    return withFields(translated(withShownTools(event), replyWords), call, eventFields) as typeof event
  },

  error(envelope, status) {
    const { error } = envelope as { error?: object }
    const text = readAt(error, ['message']) === messageOf(status) ? errorTexts[status] : undefined
    return {
      ...JSON.parse(inVendorsWords(JSON.stringify(envelope))),
      ...(text !== undefined && { error: { ...error, message: text } }),
    }
  },
}

const vendorsWords: Words = {
  gateway_metadata: 'openrouter_metadata',
  'gateway:web_search': 'openrouter:web_search',
  ...shownEngine,
  ...shownSource,
}

function inVendorsWords(text: string): string {
  return text.replace(
    /gateway(?:_metadata|:web_search)|engine_[abc]|(?:index|design)-source/g,
    (word) => vendorsWords[word] as string,
  )
}

function withShownTools(value: unknown): unknown {
  const places = ['tools.*', 'response.tools.*']
  return places.reduce((each, path) => editAt(each, readPath(path), shownTool).value, value)
}

function translated(value: unknown, words: WordsByPath): unknown {
  return Object.entries(words).reduce(
    (each, [path, names]) => editAt(each, readPath(path), (name) => lookUp(names, name) ?? name).value,
    value,
  )
}

function withFields(
  value: unknown,
  call: AnsweredCall,
  fields: Readonly<Record<string, MakeFields>>,
): unknown {
  const additions = lookUp(fields, call.operation)?.(value, call) ?? {}
  return Object.entries(additions).reduce((each, [path, more]) => added(each, path, more), value)
}

/** Adds fields to the objects at a path. Existing fields are unchanged. */
function added(value: unknown, path: string, fields: object): unknown {
  const add = (target: unknown) =>
    Object(target) === target ? { ...Object(target), ...fields, ...Object(target) } : target
  return editAt(value, readPath(path), add).value
}

const responseCosts: Costs = (value, call) => costs(value, call, 'input', 'output')
const chatCosts: Costs = (value, call) => costs(value, call, 'prompt', 'completions')
type Costs = (value: unknown, call: AnsweredCall) => object

function costs(value: unknown, { cost, prices }: AnsweredCall, input: string, output: string): object {
  const usage = readAt(value, ['usage']) || readAt(value, ['response', 'usage'])
  // `dollars` rounds away floating-point noise.
  const costOf = (names: string[], price: number) =>
    dollars(Number(names.map((name) => readAt(usage, [name])).find(Boolean) ?? 0) * price)
  return {
    cost,
    is_byok: false,
    cost_details: {
      upstream_inference_cost: null,
      [`upstream_inference_${input}_cost`]: costOf(['prompt_tokens', 'input_tokens'], prices.prompt),
      [`upstream_inference_${output}_cost`]: costOf(
        ['completion_tokens', 'output_tokens'],
        prices.completion,
      ),
    },
  }
}

/** Returns metadata about model routing if a request header asks for it. */
function routing({ headers, asked, model, provider }: AnsweredCall): { readonly ''?: object } {
  if (!metadataHeaders.some((name) => headers[name] === 'enabled')) return {}
  const metadata = {
    region: null,
    is_byok: false,
    requested: asked[0] ?? model,
    strategy: asked.length > 1 ? 'fallback' : 'direct',
    attempt: Math.max(1, asked.length),
    summary: 'available=1',
    endpoints: { total: 1, available: [{ selected: true, model, provider }] },
  }
  return { '': { openrouter_metadata: metadata } }
}
