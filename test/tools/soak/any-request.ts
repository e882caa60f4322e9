/**
 * Generates arbitrary requests and checks their replies: a reply is valid or an error envelope, never an unexpected
 * 500, and a rejected write changes nothing.
 */
import fc from 'fast-check'
import type { Gateway } from '../../../src/index.ts'

export interface AnyRequest {
  readonly method: string
  /** Path with query. */
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

const words = (
  'model input stream tools type function name parameters text format json_schema schema plugins id web engine ' +
  'max_results include_domains x_search_filter allowed_x_handles from_date role user content input_text slug ' +
  'description default_provider_sort io_logging_api_key_ids io_logging_sampling_rate tool_choice required message ' +
  'assistant output_text annotations metadata previous_response_id store reasoning instructions temperature __proto__ ' +
  'constructor toString length key $ref #/$defs/a pattern minLength items properties enum gateway:web_search'
).split(' ')
const word = fc.oneof(
  fc.constantFrom(...words),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
)
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.constantFrom(0, -0, 1e308, 2 ** 53, 1e-320),
)

const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 6, depthSize: 'small' },
    word,
    number,
    fc.constantFrom<unknown>(
      null,
      true,
      false,
      '',
      'aurora/dawn-2',
      '@preset/code-review',
      'aurora/dawn-2:online',
    ),
    fc.array(tie('json'), { maxLength: 6 }),
    fc.dictionary(word, tie('json'), { maxKeys: 6 }),
  ),
}))

/** Mostly valid bodies, which are processed further than random ones. */
const likely = fc.record(
  {
    model: fc.oneof(fc.constantFrom('aurora/dawn-2', 'a/b:online', '@preset/code-review'), json),
    input: fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.array(fc.record({ role: word, content: json })),
      json,
    ),
    stream: fc.oneof(fc.boolean(), json),
    max_output_tokens: fc.oneof(fc.integer({ min: -1, max: 3000 }), json),
    plugins: fc.oneof(
      fc.array(
        fc.record({ id: fc.constant('web'), max_results: json, engine: json }, { requiredKeys: ['id'] }),
        { maxLength: 2 },
      ),
      json,
    ),
    tools: fc.oneof(
      fc.array(
        fc.record({
          type: fc.constantFrom('function', 'gateway:web_search', 'x'),
          name: word,
          parameters: json,
        }),
        { maxLength: 3 },
      ),
      json,
    ),
    tool_choice: fc.oneof(fc.constantFrom('auto', 'required', 'none'), json),
    text: fc.record({
      format: fc.record(
        { type: fc.constantFrom('json_schema', 'text', 'x'), name: word, schema: json },
        { requiredKeys: [] },
      ),
    }),
    x_search_filter: json,
  },
  { requiredKeys: ['model', 'input'] },
)
const changes = fc.dictionary(
  fc.constantFrom(
    'name',
    'slug',
    'description',
    'default_text_model',
    'io_logging_sampling_rate',
    'io_logging_api_key_ids',
    'is_observability_io_logging_enabled',
    'x',
  ),
  fc.oneof(json, fc.string({ maxLength: 60 })),
  { maxKeys: 4 },
)

const body = fc.oneof(
  { weight: 4, arbitrary: likely.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: changes.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: json.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  // Malformed JSON: deeply nested lists and objects that are never closed, and runs of quotes.
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('[', '{"a":', '[1,', '{"input":[{},', '"'), fc.integer({ min: 1, max: 2000 }))
      .map(([part, count]) => part.repeat(count)),
  },
  // Bodies with a long list.
  {
    weight: 1,
    arbitrary: fc
      .tuple(word, json, fc.integer({ min: 1, max: 300 }))
      .map(([name, value, count]) =>
        JSON.stringify({ model: 'a/b', input: 'x', [name]: Array(count).fill(value) }),
      ),
  },
)

const segment = fc.oneof(
  fc.constantFrom('production', 'code-review', 'providers', '..', '%2e', '%', '%00', '__proto__'),
  fc.string({ maxLength: 8 }).map((text) => encodeURIComponent(text.toWellFormed())),
)
const path = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      '/responses',
      '/workspaces/production',
      '/providers',
      '/benchmarks',
      '/embeddings/models',
      '/presets/code-review',
    ),
  },
  { weight: 2, arbitrary: segment.map((id) => `/workspaces/${id}`) },
  { weight: 1, arbitrary: segment.map((id) => `/presets/${id}`) },
  { weight: 1, arbitrary: fc.array(segment, { maxLength: 4 }).map((parts) => `/${parts.join('/')}`) },
)
const query = fc
  .array(
    fc.tuple(
      fc.oneof(fc.constantFrom('source', 'task_type', 'arena', 'category', 'max_results', 'limit'), word),
      fc.oneof(fc.constantFrom('index-source', 'design-source', 'coding', '0', '1', '25', '1e3', '-1'), word),
    ),
    { maxLength: 4 },
  )
  .map((pairs) =>
    pairs.length === 0
      ? ''
      : `?${new URLSearchParams(pairs.map(([name, value]) => [name.toWellFormed(), value.toWellFormed()]))}`,
  )

export const anyRequest: fc.Arbitrary<AnyRequest> = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'),
    fits: fc.integer({ min: 0, max: 9 }),
    path,
    query,
    key: fc.constantFrom('Bearer any', 'Bearer any', 'Bearer any', 'Bearer us-s1-0', 'Basic x', undefined),
    type: fc.constantFrom(
      'application/json',
      'application/json',
      'application/json',
      'text/plain',
      'x',
      undefined,
    ),
    body,
  })
  .map(({ method, fits, path, query, key, type, body }) => {
    const usual = path === '/responses' ? 'POST' : path.startsWith('/workspaces') ? 'PATCH' : 'GET'
    const used = fits > 1 ? usual : method
    return {
      method: used,
      path: `/api/v1${path}${query}`,
      headers: { ...(key && { authorization: key }), ...(type && { 'content-type': type }) },
      body: used === 'GET' || used === 'HEAD' ? undefined : body,
    }
  })

/** Returns the problem with a reply, or undefined. */
export function violationIn(status: number, type: string, text: string, method: string): string | undefined {
  if (method === 'HEAD' || status === 204) return text === '' ? undefined : 'a body where there is none'
  if (status < 300) {
    if (type.startsWith('text/event-stream'))
      return text.endsWith('data: [DONE]\n\n') ? undefined : 'a stream without an end'
    return parsed(text) === undefined ? 'a reply that is not JSON' : undefined
  }
  const { error } = (parsed(text) ?? {}) as { error?: { code?: unknown; message?: unknown } }
  if (status >= 500) return `an unexpected ${status}: ${text.slice(0, 300)}`
  return error?.code === status && typeof error.message === 'string'
    ? undefined
    : 'an error outside the envelope'
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Sends a request to a gateway in process and returns the problem with the reply, or undefined. */
export async function tryInProcess(
  gateway: Gateway,
  { method, path, headers, body }: AnyRequest,
): Promise<string | undefined> {
  const isWrite = method === 'PATCH'
  const before = isWrite ? JSON.stringify(await gateway.db.workspaces.list()) : ''
  const response = await gateway.fetch(`https://gateway.example${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: body.toWellFormed() }),
  })
  const wrong = violationIn(
    response.status,
    response.headers.get('content-type') ?? '',
    await response.text(),
    method,
  )
  if (wrong) return wrong
  if (isWrite && response.status >= 400 && JSON.stringify(await gateway.db.workspaces.list()) !== before)
    return `a rejected write has changed a record: ${response.status}`
  return undefined
}
