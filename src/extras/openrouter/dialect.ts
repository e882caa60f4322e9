/**
 * The OpenRouter dialect, based on its published OpenAPI document (in OpenRouterTeam/typescript-sdk) and SDKs
 * (@openrouter/sdk 0.13 and 1.3). If versions differ, replies have the newest set of fields that a published SDK
 * requires.
 */
import type { Dialect } from '../../gateway/extra.ts'
import { messageOf } from '../../http/errors.ts'
import { announcesEvents, type Frame, type StreamEvent } from '../../http/reply.ts'
import type { CallRecord } from '../../journal/call-record.ts'
import { dollars } from '../../journal/ledger.ts'
import { fieldsOf, isObject, listOf, lookUp } from '../../lib/json.ts'
import { hash, uuid } from '../../lib/seed.ts'
import { editAt, readAll, readAt, readPath } from '../../lib/value-path.ts'
import { cachePrices, pricingOf } from '../../model/catalogue.ts'
import type { CatalogueModel } from '../../resources/catalogue-model.ts'
import { titled } from '../../resources/factory.ts'
import { modelsIn } from '../../resources/fallback-models.ts'
import type { SandboxState } from '../../sandbox/sandbox-state.ts'
import vendor from './openrouter.json' with { type: 'json' }
import { routeTo } from './providers.ts'
import {
  extendedOperations,
  openrouterBody,
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

/** Headers that request metadata about model routing. */
const metadataHeaders = ['x-openrouter-metadata', 'x-openrouter-experimental-metadata']

/** Values for fields that are absent or null, keyed by their object's path. `''` is the reply itself. */
type Fields = Readonly<Record<string, object>>
type MakeFields = (value: unknown, call: AnsweredCall) => Fields

/** Fields whose values depend on the call, in addition to those in `openrouter.json`. */
const madeFields: Readonly<Record<string, MakeFields>> = {
  createResponse: (value, call) => ({
    '': { ...echoed(call), ...routing(call) },
    usage: responseCosts(value, call),
  }),
  createChatCompletion: (value, call) => ({
    '': { service_tier: tierOf(call), ...routing(call) },
    usage: { ...chatCosts(value, call), ...serverTools(value, call) },
  }),
  createMessage: (value, call) => ({ '': routing(call), usage: chatCosts(value, call) }),
  createEmbeddings: (_, { cost }) => ({ usage: { cost } }),
  updateWorkspace: (value, { seed }) => ({
    data: { default_guardrail_id: uuid(seed, 'dialect', String(readAt(value, ['data', 'id']))) },
  }),
  listEmbeddingsModels: (value) => ({ '': { total_count: readAll(value, ['data', '*']).length } }),
}

const madeEventFields: typeof madeFields = {
  ...madeFields,
  createResponse: (event, call) => ({
    response: {
      ...echoed(call),
      ...(readAt(event, ['type']) === 'response.completed' && routing(call)),
    },
    'response.usage': responseCosts(event, call),
  }),
  createMessage: (event, call) => ({ usage: chatCosts(event, call) }),
}

export const openrouter: Dialect = {
  comment: 'OPENROUTER PROCESSING',

  async request({ search, body }, { operation = '', model = '', state }) {
    const isRouted = extendedOperations.includes(operation)
    const { refusal } = isRouted ? await routeTo(model, body, state.tables) : {}
    if (refusal) throw refusal
    const query = new URLSearchParams(search)
    const source = lookUp(sources, query.get('source'))
    if (source !== undefined) query.set('source', source)
    const ours = translated(
      editAt(translated(withPreset(body), toolWords), readPath('tools.*'), withParameters),
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
  fields: vendor.requests,
  models: modelsIn,
  warning: inVendorsWords,

  async reply(reply, record) {
    const { body, status, headers } = reply
    const isStream = body.kind === 'frames' && announcesEvents(headers)
    if (status >= 400 || (body.kind !== 'json' && !isStream)) return reply
    const call = await toAnsweredCall(record)
    return body.kind === 'frames'
      ? { ...reply, body: { kind: 'frames', frames: translateFrames(body.frames, call) } }
      : { ...reply, body: { kind: 'json', value: await translateValue(body.value, call) } }
  },

  error(envelope, status, { model = '', state }) {
    const { error } = envelope as { error?: object }
    const text =
      readAt(error, ['message']) === messageOf(status) ? lookUp(vendor.errors, String(status)) : undefined
    const shown = JSON.parse(inVendorsWords(JSON.stringify(envelope)))
    if (text === undefined) return shown
    if (status !== 429) return { ...shown, error: { ...error, message: text } }
    const { error_type: _, ...given } = fieldsOf(readAt(error, ['metadata']))
    const raw = `${model} is temporarily rate-limited upstream. Please retry shortly.`
    const metadata = { raw, provider_name: titled(vendorOf(model)), ...given }
    const user_id = `user_${hash(state.seed, 'user').slice(0, 12)}`
    return { ...shown, error: { ...error, message: text, metadata }, user_id }
  },
}

type AnsweredCall = Awaited<ReturnType<typeof toAnsweredCall>>

async function toAnsweredCall(record: CallRecord<SandboxState>) {
  const { operation = '', headers, triedModels, usage, state, body } = record
  const { tables, seed } = state
  const model = usage?.model ?? record.model ?? ''
  const pricing = await pricingOf(model, tables)
  const { provider } = await routeTo(model, body, tables)
  // In US dollars per token.
  const prices = { prompt: Number(pricing?.prompt ?? 0), completion: Number(pricing?.completion ?? 0) }
  return {
    operation,
    headers,
    body,
    tables,
    seed,
    model,
    provider,
    /** The models that were tried, in order. The last model replied. */
    asked: triedModels,
    cost: usage?.cost ?? 0,
    prices,
  }
}

function* translateFrames(frames: Iterable<Frame>, call: AnsweredCall): Generator<Frame> {
  yield { kind: 'bytes', bytes: `: ${openrouter.comment}\n\n` }
  for (const frame of frames) {
    const event = frame.kind === 'event' ? translateEvent(frame.event, call) : undefined
    if (frame.kind !== 'event' || !event || event === frame.event) yield frame
    else {
      const name = frame.wire?.startsWith('event: ') ? `event: ${event.type}\n` : ''
      yield { kind: 'event', event, wire: `${name}data: ${JSON.stringify(event)}\n\n` }
    }
  }
}

async function translateValue(value: unknown, call: AnsweredCall): Promise<unknown> {
  const listed = call.operation === 'listModels' ? await withDetails(value, call.tables) : value
  const shown = translated(withShownTools(withChoices(listed, call)), replyWords)
  const made = lookUp(madeFields, call.operation)?.(shown, call)
  const isResponse = call.operation === 'createResponse'
  const settings = isResponse ? [{ '': vendor.finishedResponse }, { '': vendor.response }] : []
  const fields = lookUp<Fields>(vendor.replies, call.operation)
  const whole = withFields(shown, made, fields, ...settings)
  return withFieldsByType(whole)
}

function translateEvent(event: StreamEvent, call: AnsweredCall): StreamEvent {
  const { response, message, usage, tools, type, choices, part, item } = event
  if (type === 'message_stop') return { ...event, ...routing(call) }
  if (readAt(event, ['choices', '0', 'delta', 'annotations'])) cited.add(call)
  const chunk = choices ? withChoices(event, call) : event
  if (type === 'response.output_item.added') {
    const { encrypted_content: _, format: __, ...started } = fieldsOf(item)
    if (started['type'] === 'reasoning') return { ...event, item: started }
  }
  // Fast path for deltas, which are the most frequent events and need no translation.
  if (!response && typeof message !== 'object' && usage == null && tools === undefined && !part && !item)
    return chunk
  const isStarted = type === 'response.created' || type === 'response.in_progress'
  const shown = translated(withShownTools(chunk), replyWords)
  const made = lookUp(madeEventFields, call.operation)?.(shown, call)
  const fields = lookUp<Fields>({ ...vendor.replies, ...vendor.events }, call.operation)
  const settings = { response: vendor.response }
  const whole = isStarted
    ? editAt(withFields(shown, settings), ['response', 'usage'], () => null)
    : withFields(shown, made, fields, { response: vendor.finishedResponse }, settings)
  return withFieldsByType(whole) as StreamEvent
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
  return places.reduce((each, path) => editAt(each, readPath(path), shownTool), value)
}

function translated(value: unknown, words: WordsByPath): unknown {
  return Object.entries(words).reduce(
    (each, [path, names]) => editAt(each, readPath(path), (name) => lookUp(names, name) ?? name),
    value,
  )
}

/** Adds fields to the objects at their paths. Fields in earlier lists take precedence. */
function withFields(value: unknown, ...lists: readonly (Fields | undefined)[]): unknown {
  return lists
    .flatMap((fields) => Object.entries(fields ?? {}))
    .reduce((each, [path, more]) => added(each, path, more), value)
}

function withFieldsByType(value: unknown): unknown {
  return Object.entries(vendor.byType).reduce((each, [path, types]) => {
    const add = (target: unknown) => filled(target, lookUp<object>(types, readAt(target, ['type'])) ?? {})
    return editAt(each, readPath(path), add)
  }, value)
}

/** Adds OpenRouter's fields about the provider and the request's files to chat completions and chunks. */
function withChoices<Value>(value: Value, call: AnsweredCall): Value {
  const { choices } = Object(value)
  if (!Array.isArray(choices)) return value
  if (choices[0]?.finish_reason) ended.set(call, choices)
  // The chunk with the usage repeats the end of the choice.
  const listed = choices.length > 0 ? choices : (ended.get(call) ?? [])
  return {
    ...value,
    provider: call.provider,
    choices: listed.map(({ message, logprobs, ...choice }) => {
      const reasons = lookUp<Words>(vendor.nativeReasons, vendorOf(call.model)) ?? {}
      const { delta, finish_reason } = choice
      const shown = {
        ...choice,
        ...(delta && { delta: { role: 'assistant', content: '', ...delta } }),
        native_finish_reason: lookUp(reasons, finish_reason) ?? finish_reason,
      }
      if (message) return { ...shown, logprobs, message: withFiles(message, call.body) }
      return logprobs ? { ...shown, logprobs } : shown
    }),
  }
}

/** Adds prices and benchmarks to listed models. */
async function withDetails(value: unknown, { benchmarks }: AnsweredCall['tables']): Promise<unknown> {
  const rows = await benchmarks.rows()
  const designs = rows.filter((row) => row.source === 'design-source')
  const indexes = rows.filter((row) => row.source === 'index-source')
  const details = (id: string) => {
    const design_arena = designs
      .filter((row) => row.model_permaslug === id)
      .map(({ arena, category, elo, win_rate }) => {
        const rivals = designs.filter((row) => row.arena === arena && row.category === category)
        return { arena, category, elo, win_rate, rank: rivals.filter((row) => row.elo > elo).length + 1 }
      })
    const index = indexes.find((row) => row.model_permaslug === id)
    if (!index) return { design_arena, artificial_analysis: null }
    const { intelligence_index, coding_index, agentic_index } = index
    return { design_arena, artificial_analysis: { intelligence_index, coding_index, agentic_index } }
  }
  return editAt(value, readPath('data.*'), (each) => {
    const { pricing, ...model } = each as CatalogueModel
    const { image: _, request: __, ...prices } = pricing
    return {
      ...model,
      pricing: { ...cachePrices(pricing), ...prices },
      benchmarks: details(model.id),
      ...(model.supported_parameters.includes('reasoning') && { reasoning: { mandatory: false } }),
    }
  })
}

function withFiles(message: Record<string, unknown>, body: unknown): object {
  const { tool_calls, annotations } = message
  const parts = readAll(body, ['messages', '*', 'content', '*']).map(fieldsOf)
  const files = readAll(parts, readPath('*.file'))
    .map(fieldsOf)
    .filter(({ file_data }) => String(file_data).startsWith('data:'))
    .map(annotationOf)
  const isAnnotated = files.length > 0 || parts.some(({ type }) => type === 'video_url')
  return {
    ...message,
    ...(Array.isArray(tool_calls) && { tool_calls: tool_calls.map((tool, index) => ({ index, ...tool })) }),
    ...(isAnnotated && { annotations: [...listOf(annotations), ...files] }),
  }
}

/** Returns an annotation in which a note replaces the file's text, because files are not parsed. */
function annotationOf({ filename, file_data }: Record<string, unknown>): object {
  const name = String(filename ?? 'file')
  const digits = ['a', 'b', 'c', 'd'].map((part) => hash('file', part, String(file_data))).join('')
  const content = [`<file name="${name}">`, 'Files are not read.', '</file>']
  return {
    type: 'file',
    file: { hash: digits, name, content: content.map((text) => ({ type: 'text', text })) },
  }
}

function vendorOf(model: string): string {
  return model.replace(/\/.*$/s, '')
}

function tierOf({ body }: AnsweredCall): string {
  const { service_tier: tier } = fieldsOf(body)
  return typeof tier === 'string' && tier !== 'auto' ? tier : 'default'
}

/** Returns the request's settings that a Response repeats. */
function echoed({ body }: AnsweredCall): object {
  const names = 'max_tool_calls prompt_cache_key safety_identifier top_logprobs'.split(' ')
  return Object.fromEntries(names.map((name) => [name, fieldsOf(body)[name]]))
}

/** Final choices by stream, which the chunk with the usage repeats. */
const ended = new WeakMap<AnsweredCall, Record<string, unknown>[]>()

/** Calls whose streamed replies have cited a page. */
const cited = new WeakSet<AnsweredCall>()

/** Reports a search if the request offers OpenRouter's tools. Search is the only tool that Understudy runs. */
function serverTools(value: unknown, call: AnsweredCall): object {
  const types = listOf(fieldsOf(call.body)['tools']).map((tool) => String(fieldsOf(tool)['type']))
  if (!types.some((type) => type.startsWith('openrouter:'))) return {}
  const citations = readAll(value, readPath('choices.*.message.annotations.*.url_citation'))
  if (!cited.has(call) && citations.length === 0) return {}
  const details = { tool_calls_requested: 1, tool_calls_executed: 1, web_search_requests: 1 }
  return { server_tool_use_details: details }
}

/** Adds fields to the objects at a path. */
function added(value: unknown, path: string, fields: object): unknown {
  return editAt(value, readPath(path), (target) => filled(target, fields))
}

/** Fills in fields that are missing or null, at every depth. */
function filled(target: unknown, fields: object): unknown {
  if (!isObject(target)) return target
  const missing = Object.entries(fields).map(([name, value]) => {
    const given = target[name] ?? value
    return [name, isObject(value) ? filled(given, value) : given]
  })
  return { ...target, ...Object.fromEntries(missing) }
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
      upstream_inference_cost: cost,
      [`upstream_inference_${input}_cost`]: costOf(['prompt_tokens', 'input_tokens'], prices.prompt),
      [`upstream_inference_${output}_cost`]: costOf(
        ['completion_tokens', 'output_tokens'],
        prices.completion,
      ),
    },
  }
}

/** Returns metadata about model routing if a request header requests it. */
function routing({ headers, asked, model, provider }: AnsweredCall): object {
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
  return { openrouter_metadata: metadata }
}
