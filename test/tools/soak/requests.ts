/**
 * Arbitrary requests, in process and as bytes on a socket. A reply is valid or an error envelope, never an unexpected
 * 500, and a rejected write changes nothing.
 */
import { connect } from 'node:net'
import fc from 'fast-check'
import { createGateway } from '../../../src/index.ts'
import { few, json, number, part, some, text } from './part.ts'

interface AnyRequest {
  readonly method: string
  /** Path with query. */
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

const or = (likely: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 9, arbitrary: likely }, { weight: 1, arbitrary: json })
const format = some({ type: fc.constantFrom('json_schema', 'text'), name: text, schema: json })
const tool = some({ type: fc.constantFrom('function', 'gateway:web_search'), name: text, parameters: json })

/** Mostly valid bodies, which are processed further than random ones. */
const likely = fc.record(
  {
    model: or(fc.constantFrom('aurora/dawn-2', 'a/b:online', '@preset/code-review')),
    input: or(fc.oneof(text, few(fc.record({ role: text, content: json })))),
    stream: or(fc.boolean()),
    max_output_tokens: or(fc.integer({ min: 1, max: 3000 })),
    plugins: or(few(fc.record({ id: fc.constant('web'), max_results: number }))),
    tools: or(few(tool)),
    tool_choice: or(fc.constantFrom('auto', 'required', 'none')),
    text: or(fc.record({ format })),
    x_search_filter: or(fc.record({ from_date: fc.constantFrom('2026-01-01', '2026-13-99') })),
  },
  { requiredKeys: ['model', 'input'] },
)
const fields = 'name slug description io_logging_sampling_rate io_logging_api_key_ids x'.split(' ')
const changes = fc.dictionary(fc.constantFrom(...fields), or(fc.string({ maxLength: 60 })), { maxKeys: 4 })
/** Malformed JSON: lists and objects that are never closed, and runs of quotes. */
const unclosed = fc
  .tuple(fc.constantFrom('[', '{"a":', '[1,', '{"input":[{},', '"'), fc.integer({ min: 1, max: 2000 }))
  .map(([text, count]) => text.repeat(count))
const longList = fc
  .tuple(text, json, fc.integer({ min: 1, max: 300 }))
  .map(([name, value, count]) => ({ model: 'a/b', input: 'x', [name]: Array(count).fill(value) }))
const toJson = (value: unknown) => JSON.stringify(value)
const body = fc.oneof(
  { weight: 4, arbitrary: likely.map(toJson) },
  { weight: 2, arbitrary: changes.map(toJson) },
  { weight: 2, arbitrary: fc.oneof(json, longList).map(toJson) },
  { weight: 1, arbitrary: fc.oneof(text, unclosed) },
)

const segment = fc.oneof(
  fc.constantFrom('production', 'code-review', 'providers', '..', '%2e', '%', '%00', '__proto__'),
  text.map(encodeURIComponent),
)
const paths = [
  ...['/responses', '/workspaces/production', '/providers', '/benchmarks'],
  ...['/embeddings/models', '/presets/code-review'],
]
const path = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...paths) },
  { weight: 2, arbitrary: segment.map((id) => `/workspaces/${id}`) },
  { weight: 1, arbitrary: segment.map((id) => `/presets/${id}`) },
  { weight: 1, arbitrary: few(segment).map((parts) => `/${parts.join('/')}`) },
)
const parameter = fc.tuple(
  fc.oneof(fc.constantFrom('source', 'task_type', 'arena', 'category', 'max_results'), text),
  fc.oneof(fc.constantFrom('index-source', 'design-source', 'coding', '0', '25', '1e3', '-1'), text),
)

const anyRequest: fc.Arbitrary<AnyRequest> = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'),
    fits: fc.integer({ min: 0, max: 9 }),
    path,
    query: few(parameter).map((pairs) => new URLSearchParams(pairs)),
    key: fc.constantFrom('Bearer any', 'Bearer any', 'Bearer any', 'Bearer us-s1-0', 'Basic x', undefined),
    type: fc.constantFrom(
      'application/json',
      'application/json',
      'application/json',
      'text/plain',
      undefined,
    ),
    body,
  })
  .map(({ method, fits, path, query, key, type, body }) => {
    const usual = path === '/responses' ? 'POST' : path.startsWith('/workspaces') ? 'PATCH' : 'GET'
    const used = fits > 1 ? usual : method
    return {
      method: used,
      path: `/api/v1${path}${query.size > 0 ? `?${query}` : ''}`,
      headers: { ...(key && { authorization: key }), ...(type && { 'content-type': type }) },
      body: used === 'GET' || used === 'HEAD' ? undefined : body,
    }
  })

export const requests = part('requests', anyRequest, () => {
  const gateway = createGateway({ timeScale: 0 })
  return async ({ method, path, headers, body }) => {
    const rows = async () => JSON.stringify(await gateway.db.workspaces.list())
    const before = await rows()
    const init = { method, headers, ...(body !== undefined && { body }) }
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
