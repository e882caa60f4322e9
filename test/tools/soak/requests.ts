/**
 * Arbitrary requests, in process and as bytes on a socket. A reply is valid or an error envelope, never an unexpected
 * 500, and a rejected write changes nothing.
 */
import { connect } from 'node:net'
import fc from 'fast-check'
import { createGateway } from '../../../src/index.ts'
import { part } from './part.ts'

interface AnyRequest {
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
const edges = fc.constantFrom(0, -0, 1e308, 2 ** 53, 1e-320)
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true }), edges)
const known = ['', 'aurora/dawn-2', '@preset/code-review', 'aurora/dawn-2:online']

const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 6, depthSize: 'small' },
    word,
    number,
    fc.constantFrom<unknown>(null, true, false, ...known),
    fc.array(tie('json'), { maxLength: 6 }),
    fc.dictionary(word, tie('json'), { maxKeys: 6 }),
  ),
}))

const few = <Item>(item: fc.Arbitrary<Item>) => fc.array(item, { maxLength: 3 })
const types = fc.constantFrom('function', 'gateway:web_search', 'x')
const format = { type: fc.constantFrom('json_schema', 'text', 'x'), name: word, schema: json }

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
    plugins: fc.oneof(few(fc.record({ id: fc.constant('web'), max_results: json, engine: json })), json),
    tools: fc.oneof(few(fc.record({ type: types, name: word, parameters: json })), json),
    tool_choice: fc.oneof(fc.constantFrom('auto', 'required', 'none'), json),
    text: fc.record({ format: fc.record(format, { requiredKeys: [] }) }),
    x_search_filter: json,
  },
  { requiredKeys: ['model', 'input'] },
)
const fields = [
  ...['name', 'slug', 'description', 'default_text_model', 'io_logging_sampling_rate'],
  ...['io_logging_api_key_ids', 'is_observability_io_logging_enabled', 'x'],
]
const changes = fc.dictionary(fc.constantFrom(...fields), fc.oneof(json, fc.string({ maxLength: 60 })), {
  maxKeys: 4,
})
/** Malformed JSON: lists and objects that are never closed, and runs of quotes. */
const unclosed = fc
  .tuple(fc.constantFrom('[', '{"a":', '[1,', '{"input":[{},', '"'), fc.integer({ min: 1, max: 2000 }))
  .map(([text, count]) => text.repeat(count))
const longList = fc
  .tuple(word, json, fc.integer({ min: 1, max: 300 }))
  .map(([name, value, count]) => ({ model: 'a/b', input: 'x', [name]: Array(count).fill(value) }))
const toJson = (arbitrary: fc.Arbitrary<unknown>) => arbitrary.map((value) => JSON.stringify(value))
const body = fc.oneof(
  { weight: 4, arbitrary: toJson(likely) },
  { weight: 2, arbitrary: toJson(changes) },
  { weight: 2, arbitrary: toJson(json) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 1, arbitrary: unclosed },
  { weight: 1, arbitrary: toJson(longList) },
)

const paths = [
  ...['/responses', '/workspaces/production', '/providers', '/benchmarks'],
  ...['/embeddings/models', '/presets/code-review'],
]
const segment = fc.oneof(
  fc.constantFrom('production', 'code-review', 'providers', '..', '%2e', '%', '%00', '__proto__'),
  fc.string({ maxLength: 8 }).map((text) => encodeURIComponent(text.toWellFormed())),
)
const path = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...paths) },
  { weight: 2, arbitrary: segment.map((id) => `/workspaces/${id}`) },
  { weight: 1, arbitrary: segment.map((id) => `/presets/${id}`) },
  { weight: 1, arbitrary: fc.array(segment, { maxLength: 4 }).map((parts) => `/${parts.join('/')}`) },
)
const parameter = fc.tuple(
  fc.oneof(fc.constantFrom('source', 'task_type', 'arena', 'category', 'max_results', 'limit'), word),
  fc.oneof(fc.constantFrom('index-source', 'design-source', 'coding', '0', '1', '25', '1e3', '-1'), word),
)
const query = fc.array(parameter, { maxLength: 4 }).map((pairs) => {
  const parameters = pairs.map(([name, value]) => [name.toWellFormed(), value.toWellFormed()])
  return pairs.length === 0 ? '' : `?${new URLSearchParams(parameters)}`
})
const contentTypes = [
  'application/json',
  'application/json',
  'application/json',
  'text/plain',
  'x',
  undefined,
]

const anyRequest: fc.Arbitrary<AnyRequest> = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'),
    fits: fc.integer({ min: 0, max: 9 }),
    path,
    query,
    key: fc.constantFrom('Bearer any', 'Bearer any', 'Bearer any', 'Bearer us-s1-0', 'Basic x', undefined),
    type: fc.constantFrom(...contentTypes),
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

export const requests = part('requests', anyRequest, () => {
  const gateway = createGateway({ timeScale: 0 })
  return async ({ method, path, headers, body }) => {
    const rows = async () => JSON.stringify(await gateway.db.workspaces.list())
    const before = await rows()
    const init = { method, headers, ...(body !== undefined && { body: body.toWellFormed() }) }
    const response = await gateway.fetch(`https://gateway.example${path}`, init)
    const { status } = response
    const type = response.headers.get('content-type') ?? ''
    const text = await response.text()
    if (status >= 400 && (await rows()) !== before) throw new Error('A rejected write has changed a record')
    if (method === 'HEAD' || status === 204) {
      if (text !== '') throw new Error('A body where there is none')
    } else if (type.startsWith('text/event-stream')) {
      if (!text.endsWith('data: [DONE]\n\n')) throw new Error('A stream without an end')
    } else {
      const { error } = JSON.parse(text)
      const isEnvelope = error?.code === status && typeof error.message === 'string'
      if (status >= 500 || (status >= 400 && !isEnvelope)) throw new Error(`An unexpected ${status}: ${text}`)
    }
    return status < 400
  }
})

/** Manners of a client, which sends everything, changes a byte, stops in the middle, or disconnects. */
const manners = fc.constantFrom('whole', 'corrupted', 'truncated', 'disconnected')
const onSocket = fc.record({ request: anyRequest, manner: manners, at: fc.nat(9999), byte: fc.nat(255) })

/** Requests on sockets. A client that disconnects early may get no reply. */
export const sockets = (port: number) =>
  part('requests on sockets', onSocket, () => async ({ request, manner, at, byte }) => {
    const bytes = toBytes(request)
    const place = Math.floor((at / 10_000) * bytes.length)
    if (manner === 'corrupted') bytes[place] = byte
    const isEarly = manner === 'truncated' || manner === 'disconnected'
    const text = await new Promise<string>((resolve) => {
      let received = ''
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {}).on('close', () => resolve(received))
      socket.setEncoding('latin1').on('data', (chunk) => {
        received += chunk
        // The corrupted request may have asked to keep the connection open.
        if (manner === 'corrupted') setTimeout(() => socket.destroy(), 20)
      })
      socket.on('connect', () => {
        socket.write(bytes.subarray(0, place))
        if (!isEarly) socket.write(bytes.subarray(place))
        if (manner === 'truncated') socket.end()
        if (manner === 'disconnected') setImmediate(() => socket.destroy())
      })
    })
    if (text === '' ? !isEarly : !/^HTTP\/1\.1 [1-4]\d\d /.test(text))
      throw new Error(`An unexpected reply: ${text.slice(0, 400)}`)
    return text.startsWith('HTTP/1.1 2')
  })

function toBytes({ method, path, headers, body = '' }: AnyRequest): Uint8Array {
  const content = Buffer.from(body)
  const all = { host: 'localhost', connection: 'close', ...headers, 'content-length': String(content.length) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return Buffer.concat([Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n')), content])
}
