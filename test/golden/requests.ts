/**
 * The golden transcript's 120 requests. Each group's requests are sent to a fresh sandbox, in order, so that reads
 * see earlier writes and rules such as `times: 2` count up.
 */
import * as z from 'zod'
import { defineOperation, eventStream, GatewayError, type GatewayOptions, ok } from '../../src/index.ts'

export interface GoldenRequest {
  /** `METHOD /path?query`, relative to the base URL. */
  readonly line: string
  /**
   * Body, sent as JSON; a string is sent unchanged. `$previous` is replaced by the previous request's
   * response id.
   */
  readonly body?: unknown
  /** Headers in addition to the key and the content type. Null removes a header. */
  readonly headers?: Readonly<Record<string, string | null>>
}

export interface Group {
  /** Unique name, part of the heading of each call in the golden files. */
  readonly name: string
  readonly gateway: GatewayName
  /** If true, replies contain sample texts or generated values, which have their own golden files. */
  readonly isGenerated: boolean
  readonly requests: readonly GoldenRequest[]
}

const makeReport = defineOperation({
  id: 'makeReport',
  method: 'post',
  path: '/reports/{id}',
  summary: 'Make a report',
  tag: 'Reports',
  streams: true,
  params: z.object({ id: z.string().min(3) }),
  query: z.object({ pages: z.coerce.number().optional() }),
  body: z.object({ title: z.string(), stream: z.boolean().optional() }),
  response: z.object({ data: z.object({ id: z.string(), title: z.string(), pages: z.int() }) }),
  resolve({ params, query, body: { title, stream } }) {
    if (title === 'secret') throw new GatewayError(403, 'This report is secret', { id: params.id })
    if (stream) {
      const events = ['report.started', 'report.done'].map((type) => ({ type, title }))
      return eventStream([...events.map((event) => ({ kind: 'event' as const, event })), { kind: 'done' }])
    }
    return ok({ data: { id: params.id, title, pages: query.pages ?? 1 } })
  },
})

const note = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
const json = (content: object) => ({ description: 'A note', content: { 'application/json': content } })
const openapi = {
  openapi: '3.1.0',
  info: { title: 'Notes', version: '1' },
  paths: {
    '/notes/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', minLength: 2 } }],
      get: { operationId: 'getNote', responses: { 200: json({ schema: note, example: { text: 'Hi' } }) } },
      put: {
        operationId: 'putNote',
        requestBody: { required: true, content: { 'application/json': { schema: note } } },
        responses: { 201: json({ schema: note, example: { text: 'Written' } }) },
      },
      delete: { operationId: 'deleteNote', responses: { 204: { description: 'Deleted' } } },
    },
  },
}

/** Options of each gateway, in addition to the common options. */
export const gateways = {
  plain: { search: { limitedEngine: 'engine_b' } },
  full: {
    extensions: ['chat', 'messages', 'models', 'embeddings', 'account'],
    operations: [makeReport],
    openapi,
  },
  storing: { storedResponses: true, promptCache: true },
  openrouter: { dialect: 'openrouter' },
  strict: {
    strict: true,
    apiKeys: ['golden'],
    models: ['aurora/*'],
    stream: { events: 'documented' },
  },
} satisfies Record<string, GatewayOptions & { openapi?: object; dialect?: string }>

export type GatewayName = keyof typeof gateways

const model = 'aurora/dawn-2'
const ask = (fields: object = {}, headers?: GoldenRequest['headers']): GoldenRequest => ({
  line: 'POST /responses',
  body: { model, input: 'How do tides work?', ...fields },
  headers,
})
const sending = (body: unknown, headers?: GoldenRequest['headers']): GoldenRequest => ({
  line: 'POST /responses',
  body,
  headers,
})
const workspace = (id: string, body: unknown): GoldenRequest => ({ line: `PATCH /workspaces/${id}`, body })
const chat = (fields: object = {}): GoldenRequest => ({
  line: 'POST /chat/completions',
  body: { model, messages: [{ role: 'user', content: 'How do tides work?' }], ...fields },
})
const message = (fields: object = {}): GoldenRequest => ({
  line: 'POST /messages',
  body: { model, max_tokens: 30, messages: [{ role: 'user', content: 'Why is the sky blue?' }], ...fields },
})
const lines = (...all: string[]): GoldenRequest[] => all.map((line) => ({ line }))
const by = (authorization: string | null, request: GoldenRequest): GoldenRequest => ({
  ...request,
  headers: { ...request.headers, authorization },
})
const under = (scenario: string, request: GoldenRequest): GoldenRequest => ({
  ...request,
  headers: { 'x-understudy-scenario': scenario },
})

const search = (parameters: object = {}) => ({ tools: [{ type: 'gateway:web_search', parameters }] })
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const tools = [{ type: 'function', name: 'weather', parameters }]
const chatTools = [{ type: 'function', function: { name: 'weather', parameters } }]
const schema = {
  type: 'object',
  properties: { title: { type: 'string' }, year: { type: 'integer', minimum: 1900, maximum: 2000 } },
  required: ['title', 'year'],
  additionalProperties: false,
}
const conversation = [
  { type: 'message', role: 'system', content: 'Be brief.' },
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Name a river' }] },
  {
    type: 'message',
    role: 'assistant',
    id: 'msg_1',
    status: 'completed',
    content: [{ type: 'output_text', text: 'The Rhine.', annotations: [] }],
  },
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Another, 🦊 please' }] },
]

function fixed(name: string, gateway: GatewayName, requests: GoldenRequest[]): Group {
  return { name, gateway, isGenerated: false, requests }
}

function generated(name: string, gateway: GatewayName, requests: GoldenRequest[]): Group {
  return { name, gateway, isGenerated: true, requests }
}

export const groups: readonly Group[] = [
  fixed('providers', 'plain', [
    ...lines('GET /providers', 'HEAD /providers', 'GET /providers?x=1&x=2', 'GET /providers/'),
    ...lines('POST /providers', 'OPTIONS /providers'),
  ]),
  fixed('benchmarks', 'plain', [
    ...lines(
      'GET /benchmarks?max_results=2',
      'GET /benchmarks?source=index-source&task_type=coding&max_results=1',
    ),
    ...lines('GET /benchmarks?source=design-source&arena=builders&category=gamedev&max_results=1'),
    ...lines('GET /benchmarks?source=index-source&arena=agents&category=svg&max_results=1'),
    ...lines(
      'GET /benchmarks?max_results=0&task_type=cooking',
      'GET /benchmarks?max_results=1.5&arena=tools',
    ),
  ]),
  fixed('listings', 'plain', [
    ...lines('GET /embeddings/models', 'GET /presets/email-copywriter', 'HEAD /presets/code-review'),
    ...lines('GET /presets/nobody', 'GET /presets/%E0%A4%A', 'GET /preset/code-review'),
  ]),
  fixed('paths', 'plain', [
    ...lines(
      'GET /nothing',
      'HEAD /nothing',
      'DELETE /responses',
      'PUT /workspaces/production',
      'GET /models',
    ),
    chat(),
  ]),
  fixed('keys', 'plain', [
    by(null, { line: 'GET /providers' }),
    by('Basic Z29sZGVu', { line: 'GET /providers' }),
    by('Bearer ', workspace('production', { name: 'Unseen' })),
    by(null, sending({})),
  ]),
  fixed('a workspace, written and read', 'plain', [
    workspace('production', { name: 'Main', description: null }),
    workspace('11111111-1111-4111-8111-111111111111', {
      slug: 'main',
      description: 'Größe',
      default_text_model: model,
      default_image_model: null,
      default_provider_sort: 'price',
      io_logging_api_key_ids: [1, 2],
      io_logging_sampling_rate: 0.5,
      is_data_discount_logging_enabled: false,
      is_observability_broadcast_enabled: true,
      is_observability_io_logging_enabled: true,
    }),
    workspace('production', { name: 'Gone' }),
    workspace('main', {}),
    workspace('main', { slug: 'staging' }),
  ]),
  fixed('a workspace, refused', 'plain', [
    workspace('production', { name: '', slug: 'Not A Slug', description: 'x'.repeat(501) }),
    workspace('production', { io_logging_sampling_rate: 2, io_logging_api_key_ids: ['a'], name: null }),
    workspace('production', []),
    workspace('production', { nmae: 'Main' }),
    workspace('nobody', { name: 'Main' }),
  ]),
  fixed('bodies', 'plain', [
    sending('{"model":'),
    sending(''),
    sending('"text"'),
    sending('\ufeff{"model":1}'),
    sending('model=a', { 'content-type': 'application/x-www-form-urlencoded' }),
    sending('{}', { 'content-type': null }),
    sending('{}', { 'content-type': 'application/json; charset=utf-8' }),
  ]),
  fixed('a response, refused', 'plain', [
    ask({ model: '', input: 42, max_output_tokens: 0, stream: 'yes' }),
    ask({ input: [{ type: 'message', role: 'robot', content: 'Hi' }], temperature: 'hot' }),
    ask({ plugins: [{ id: 'files' }, { id: 'web', max_results: 26, engine: 'engine_z' }] }),
    ask(search({ engine: 'engine_b', max_results: 21 })),
    ask({ x_search_filter: { allowed_x_handles: ['a'], excluded_x_handles: ['b'], from_date: 'May' } }),
    ask({ tools: [{ type: 'function' }], tool_choice: { type: 'function', name: 'b' }, stream: true }),
    ask({ store: true, previous_response_id: 'resp_1' }),
  ]),
  fixed('a scenario in a header', 'plain', [
    under('flaky', { line: 'GET /providers' }),
    under('rate-limited', { line: 'GET /presets/code-review' }),
    under('provider-outage, contract-break', { line: 'GET /presets/nobody' }),
    under('unknown', { line: 'GET /providers' }),
  ]),
  fixed('own operations', 'full', [
    { line: 'POST /reports/abc?pages=3', body: { title: 'Tides' } },
    { line: 'POST /reports/abc', body: { title: 'Waves', stream: true } },
    { line: 'POST /reports/ab?pages=x', body: {} },
    { line: 'POST /reports/abc', body: { title: 'secret' } },
    { line: 'POST /reports/abc?pages=0.5', body: { title: 'Tides' } },
  ]),
  fixed('a document', 'full', [
    ...lines('GET /notes/ab', 'GET /notes/a', 'DELETE /notes/ab', 'POST /notes/ab'),
    { line: 'PUT /notes/ab', body: { text: 'New' } },
    { line: 'PUT /notes/ab', body: { txt: 'New' } },
  ]),
  fixed('the extensions', 'full', [
    ...lines('GET /models?limit=1&offset=2', 'GET /models/count', 'GET /models/aurora/dawn-2/endpoints'),
    ...lines('GET /key', 'GET /credits', 'GET /generation?id=gen-none'),
    {
      line: 'POST /embeddings',
      body: { model: 'aurora/embed-small', input: ['tides', 'waves'], dimensions: 3 },
    },
    chat({ messages: [], n: 0 }),
    message({ max_tokens: undefined }),
    chat({ model: 42, stream: true }),
  ]),
  fixed('strictness', 'strict', [
    by('Bearer other', { line: 'GET /providers' }),
    ask({ colour: 'red' }),
    ask({ model: 'borealis/polar-4' }),
    workspace('production', { nmae: 'Main' }),
  ]),
  generated('responses', 'plain', [
    ask(),
    ask({ input: conversation, instructions: 'In French', metadata: { a: 'b' }, temperature: 0.2 }),
    ask({ max_output_tokens: 5, reasoning: { effort: 'low', summary: 'auto' } }),
    ask({ model: '@preset/code-review', colour: 'red' }),
    ask(),
  ]),
  generated('streams', 'plain', [
    ask({ stream: true }),
    ask({ stream: true, input: conversation }),
    ask({ stream: true, max_output_tokens: 9, reasoning: { effort: 'low', summary: 'auto' } }),
    under('overloaded', ask({ stream: true })),
  ]),
  generated('searches', 'plain', [
    ask(search({ max_results: 2, allowed_domains: ['*.example'] })),
    ask({ plugins: [{ id: 'web', engine: 'engine_a', max_results: 1 }] }),
    ask({ model: 'aurora/dawn-2:online', max_output_tokens: 40 }),
    ask({ model: 'x-ai/grok:online', x_search_filter: { allowed_x_handles: ['orbit_daily'] } }),
    ask({ ...search({ max_results: 1 }), stream: true }),
  ]),
  generated('functions', 'plain', [
    ask({ tools, tool_choice: 'required' }),
    ask({ tools, tool_choice: { type: 'function', name: 'weather' }, stream: true }),
    ask({
      tools,
      input: [
        { role: 'user', content: 'How is the weather?' },
        { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' },
        { type: 'function_call_output', call_id: 'call_1', output: '{"degrees":7}' },
      ],
    }),
  ]),
  generated('structured output', 'plain', [
    ask({ text: { format: { type: 'json_schema', name: 'book', schema, strict: true } } }),
    ask({ text: { format: { type: 'json_object' } } }),
  ]),
  generated('chat', 'full', [
    chat(),
    chat({ stream: true, stream_options: { include_usage: true } }),
    chat({ tools: chatTools, tool_choice: 'required', stream: true }),
    chat({ n: 2, max_tokens: 3, logprobs: true, top_logprobs: 1 }),
    { line: 'GET /credits' },
  ]),
  generated('messages', 'full', [
    message(),
    by(null, { ...message({ stream: true }), headers: { 'x-api-key': 'golden' } }),
    message({ tools: [{ name: 'weather', input_schema: parameters }], tool_choice: { type: 'any' } }),
  ]),
  generated('stored responses', 'storing', [
    ask({ store: true }),
    ask({ input: 'And winds?', previous_response_id: '$previous', stream: true, max_output_tokens: 9 }),
    ask({ input: 'And storms?', previous_response_id: '$previous', max_output_tokens: 9 }),
    ask({ input: 'And fog?', previous_response_id: 'resp_none' }),
  ]),
  generated('a dialect', 'openrouter', [
    ask(),
    ask({ stream: true, max_output_tokens: 9 }),
    chat({ models: [model, 'borealis/polar-4'] }),
    chat({ stream: true, max_tokens: 9 }),
    message({ stream: true }),
    ask({ input: 42 }),
  ]),
  generated('documented events', 'strict', [ask({ stream: true, max_output_tokens: 9 }), ask()]),
]
