/** Sends a request to a gateway, a server or a sandbox, and reads the reply. */

/**
 * Destination of a request, with its API key: a gateway, a running server, a remote sandbox, or an object
 * with some of these fields.
 */
export interface Target {
  /** Function that sends the request. Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  /** Base URL ending in `/api/v1`. Default: `https://gateway.example/api/v1`. */
  readonly baseUrl?: string
  /** API key. Default: `any`. */
  readonly apiKey?: string
}

export interface CallOptions {
  /** Request body, sent as JSON. A string is sent unchanged. */
  body?: unknown
  /** Headers in addition to the key and the content type. Null removes a header. */
  headers?: Record<string, string | null>
  signal?: AbortSignal
}

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** The parsed text; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies of every shape, right and wrong ones
  body: any
}

/** Sends `METHOD /path` and returns the response with its body unread. */
export function open(
  target: Target,
  line: string,
  { body, headers = {}, signal }: CallOptions = {},
): Promise<Response> {
  const { fetch = globalThis.fetch, apiKey = 'any' } = target
  // Reading the base URL of a gateway without a server throws.
  const { baseUrl = 'https://gateway.example/api/v1' } = Object.hasOwn(target, 'baseUrl') ? target : {}
  const [method, path] = line.split(' ') as [string, string]
  const sent: Record<string, string | null> = {
    authorization: `Bearer ${apiKey}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  }
  return fetch(baseUrl + path, {
    method,
    headers: Object.entries(sent).filter((header): header is [string, string] => header[1] !== null),
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  })
}

/** Sends `METHOD /path` and reads the whole reply. */
export async function call(target: Target, line: string, options?: CallOptions): Promise<Answer> {
  const response = await open(target, line, options)
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
