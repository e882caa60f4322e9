/**
 * The golden transcript's requests. Each group's requests are sent to a fresh sandbox, in order, so that reads see
 * earlier writes and rules such as `times: 2` count up.
 */
import type { GatewayOptions, OperationName, Scenario } from '../../src/index.ts'

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
  /** Unique name, part of the heading of each call. */
  readonly name: string
  readonly gateway: GatewayName
  /** Active scenario. Default: none. */
  readonly scenario?: Scenario
  readonly requests: readonly GoldenRequest[]
}

/** Options of each gateway, in addition to the common options. */
export const gateways = {
  plain: { search: { limitedEngine: 'engine_b' } },
  full: {},
  specified: { onlySpecified: true },
  storing: { storedResponses: true },
  strict: {
    strict: true,
    apiKeys: ['golden'],
    models: ['aurora/*'],
    stream: { events: 'documented' },
  },
} satisfies Record<string, GatewayOptions>

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

function group(
  name: string,
  gateway: GatewayName,
  requests: GoldenRequest[],
  scenario?: Group['scenario'],
): Group {
  return { name, gateway, requests, scenario }
}

/** Questions that lead to every kind of text. */
const questions = [
  '',
  'Hello!',
  'Is it cold in Oslo? Answer yes or no.',
  'Describe tides briefly',
  'Name seven Norwegian rivers',
  'Pros and cons of trains',
  'How do I bake bread in six steps?',
  'Write a haiku about foxes',
  'Tell me a story about foxes',
  'Write an e-mail to the baker',
  'Write a function that counts foxes in Rust',
  'Write a SQL query that counts foxes',
  'Describe a fox as JSON',
  'Show the tides of Oslo as a table',
  'Explain tides in three sentences',
  'Trains, trams, buses: which of them, and why?',
  '空はなぜ青いの?',
  '🦊 foxes, please',
  'x'.repeat(100),
]

const reply = {
  text: 'Tides follow the moon: **twice** a day the sea rises, and twice it falls. 🌊',
  citations: [{ url: 'https://tides.example/', title: 'Tides', content: 'All about tides' }],
}
const on: OperationName[] = ['createResponse', 'createChatCompletion', 'createMessage']

/** Scenarios for the three protocols that generate text. */
const scenarios: [string, Scenario][] = [
  ['a scripted text', { name: 'text', rules: [{ on, reply }] }],
  [
    'a scripted tool call',
    { name: 'tool', rules: [{ on, script: [{ call: { weather: { city: 'Oslo' } } }], onEnd: 'repeat' }] },
  ],
  [
    'a refusal',
    {
      name: 'refusal',
      rules: [
        { on, reply: { output: [{ type: 'message', content: [{ refusal: 'I would rather not.' }] }] } },
      ],
    },
  ],
  ['a cut stream', { name: 'cut', rules: [{ on, reply: 'One, two.', fault: 'stream-cut' }] }],
  ['an error event', { name: 'error', rules: [{ on, reply: 'One, two.', fault: 'stream-error-event' }] }],
  ['a failed reply', { name: 'failed', rules: [{ on, fault: { name: 'status', status: 503 } }] }],
]

export const groups: readonly Group[] = [
  group('providers', 'plain', [
    ...lines('GET /providers', 'HEAD /providers', 'GET /providers?x=1&x=2', 'GET /providers/'),
    ...lines('POST /providers', 'OPTIONS /providers'),
  ]),
  group('benchmarks', 'plain', [
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
  group('listings', 'plain', [
    ...lines('GET /embeddings/models', 'GET /presets/email-copywriter', 'HEAD /presets/code-review'),
    ...lines('GET /presets/nobody', 'GET /presets/%E0%A4%A', 'GET /preset/code-review'),
  ]),
  group('paths', 'specified', [
    ...lines(
      'GET /nothing',
      'HEAD /nothing',
      'DELETE /responses',
      'PUT /workspaces/production',
      'GET /models',
    ),
    chat(),
  ]),
  group('keys', 'plain', [
    by(null, { line: 'GET /providers' }),
    by('Basic Z29sZGVu', { line: 'GET /providers' }),
    by('Bearer ', workspace('production', { name: 'Unseen' })),
    by(null, sending({})),
  ]),
  group('a workspace, written and read', 'plain', [
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
  group('a workspace, refused', 'plain', [
    workspace('production', { name: '', slug: 'Not A Slug', description: 'x'.repeat(501) }),
    workspace('production', { io_logging_sampling_rate: 2, io_logging_api_key_ids: ['a'], name: null }),
    workspace('production', []),
    workspace('production', { nmae: 'Main' }),
    workspace('nobody', { name: 'Main' }),
  ]),
  group('bodies', 'plain', [
    sending('{"model":'),
    sending(''),
    sending('"text"'),
    sending('\ufeff{"model":1}'),
    sending('model=a', { 'content-type': 'application/x-www-form-urlencoded' }),
    sending('{}', { 'content-type': null }),
    sending('{}', { 'content-type': 'application/json; charset=utf-8' }),
  ]),
  group('a response, refused', 'plain', [
    ask({ model: '', input: 42, max_output_tokens: 0, stream: 'yes' }),
    ask({ input: [{ type: 'message', role: 'robot', content: 'Hi' }], temperature: 'hot' }),
    ask({ plugins: [{ id: 'files' }, { id: 'web', max_results: 26, engine: 'engine_z' }] }),
    ask(search({ engine: 'engine_b', max_results: 21 })),
    ask({ x_search_filter: { allowed_x_handles: ['a'], excluded_x_handles: ['b'], from_date: 'May' } }),
    ask({ tools: [{ type: 'function' }], tool_choice: { type: 'function', name: 'b' }, stream: true }),
    ask({ store: true, previous_response_id: 'resp_1' }),
  ]),
  group('a scenario in a header', 'plain', [
    under('flaky', { line: 'GET /providers' }),
    under('rate-limited', { line: 'GET /presets/code-review' }),
    under('provider-outage, contract-break', { line: 'GET /presets/nobody' }),
    under('unknown', { line: 'GET /providers' }),
  ]),
  group('strictness', 'strict', [
    by('Bearer other', { line: 'GET /providers' }),
    ask({ colour: 'red' }),
    ask({ model: 'borealis/polar-4' }),
    workspace('production', { nmae: 'Main' }),
  ]),
  group('responses', 'plain', [
    ask(),
    ask({ input: conversation, instructions: 'In French', metadata: { a: 'b' }, temperature: 0.2 }),
    ask({ max_output_tokens: 5, reasoning: { effort: 'low', summary: 'auto' } }),
    ask({ model: '@preset/code-review', colour: 'red' }),
    ask(),
  ]),
  group('streams', 'plain', [
    ask({ stream: true }),
    ask({ stream: true, input: conversation, max_output_tokens: 20 }),
    ask({ stream: true, max_output_tokens: 9, reasoning: { effort: 'low', summary: 'auto' } }),
    under('overloaded', ask({ stream: true })),
  ]),
  group('searches', 'plain', [
    ask(search({ max_results: 2, allowed_domains: ['*.example'] })),
    ask({ plugins: [{ id: 'web', engine: 'engine_a', max_results: 1 }] }),
    ask({ model: 'aurora/dawn-2:online', max_output_tokens: 40 }),
    ask({ model: 'x-ai/grok:online', x_search_filter: { allowed_x_handles: ['orbit_daily'] } }),
    ask({ ...search({ max_results: 1 }), stream: true }),
  ]),
  group('functions', 'plain', [
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
  group('chat', 'full', [
    chat(),
    chat({ stream: true, stream_options: { include_usage: true } }),
    chat({ tools: chatTools, tool_choice: 'required', stream: true }),
    chat({ n: 2, max_tokens: 3, logprobs: true, top_logprobs: 1 }),
    { line: 'POST /workspaces', body: { name: 'Tides', slug: 'tides' } },
    { line: 'GET /credits' },
  ]),
  group('messages', 'full', [
    message(),
    by(null, { ...message({ stream: true }), headers: { 'x-api-key': 'golden' } }),
    message({ tools: [{ name: 'weather', input_schema: parameters }], tool_choice: { type: 'any' } }),
  ]),
  group('stored responses', 'storing', [
    ask({ store: true }),
    ask({ input: 'And winds?', previous_response_id: '$previous', stream: true, max_output_tokens: 9 }),
    ask({ input: 'And storms?', previous_response_id: '$previous', max_output_tokens: 9 }),
    ask({ input: 'And fog?', previous_response_id: 'resp_none' }),
  ]),
  group('documented events', 'strict', [ask({ stream: true, max_output_tokens: 9 }), ask()]),
  group('texts', 'plain', [
    ...questions.map((input) => ask({ input })),
    ...['low', 'high'].map((verbosity) => ask({ text: { verbosity } })),
  ]),
  ...scenarios.map(([name, scenario]) =>
    group(
      name,
      'full',
      [ask({ stream: true }), chat({ stream: true }), message({ stream: true }), ask()],
      scenario,
    ),
  ),
]
