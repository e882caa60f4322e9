/**
 * The same specification through every entrance: MSW, `gateway.fetch`, and a real socket. The project `msw2` of the
 * test configuration runs it once more, with MSW 2 in the place of MSW 3.
 */
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest'
import { createGateway, type Gateway, type GatewayOptions, type Sandbox } from '../src/index.ts'
import { type RunningServer, startServer } from '../src/serve.ts'

export interface CallOptions {
  /** Sent as JSON; a string is sent as it is. */
  body?: unknown
  /** On top of the key and the content type; null leaves one out. */
  headers?: Record<string, string | null>
  signal?: AbortSignal
}

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** The text as JSON; undefined where it is none. */
  // Tests read replies of every shape, right and wrong ones.
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the tests find out
  body: any
}

export interface Entrance {
  /** `msw`, `fetch` or `node`. */
  readonly adapter: 'msw' | 'fetch' | 'node'
  readonly gateway: Gateway
  /** A new one for each test. */
  readonly sandbox: Sandbox
  /** Ends in `/api/v1`. */
  readonly baseUrl: string
  /** The `fetch` that reaches the gateway. */
  readonly fetch: typeof fetch
  /** Sends `METHOD /path` with the sandbox's key, and reads the whole reply. */
  call(line: `${string} /${string}`, options?: CallOptions): Promise<Answer>
  /** The same, with the body still to be read. */
  open(line: `${string} /${string}`, options?: CallOptions): Promise<Response>
}

type Specification = (entrance: Entrance) => void

/** Runs a specification through every adapter; each test has a sandbox of its own. No reply may break its schema. */
export function describeAdapters(title: string, specification: Specification): void
export function describeAdapters(title: string, options: GatewayOptions, specification: Specification): void
export function describeAdapters(
  title: string,
  ...rest: [Specification] | [GatewayOptions, Specification]
): void {
  const specification = rest.at(-1) as Specification
  const options = rest.length === 2 ? rest[0] : {}
  const onlyMsw = process.env['UNDERSTUDY_MSW'] === '2'
  for (const adapter of onlyMsw ? (['msw'] as const) : (['msw', 'fetch', 'node'] as const)) {
    describe(`${title} [${adapter}${onlyMsw ? ' 2' : ''}]`, () => specification(enter(adapter, options)))
  }
}

/** MSW 3 says `onUnhandledFrame`, MSW 2 says `onUnhandledRequest`. */
const loud: object = { onUnhandledFrame: 'error', onUnhandledRequest: 'error' }

const baseUrl = 'https://gateway.example/api/v1'

function enter(adapter: Entrance['adapter'], options: GatewayOptions): Entrance {
  const gateway = createGateway(adapter === 'msw' ? { baseUrl, ...options } : options)
  const interception = setupServer(...gateway.handlers)
  let server: RunningServer | undefined
  let sandbox = gateway.createSandbox()
  let { journal } = sandbox

  beforeAll(async () => {
    if (adapter === 'msw') interception.listen(loud)
    if (adapter === 'node') server = await startServer({ gateway })
  })
  beforeEach(() => {
    sandbox = gateway.createSandbox()
    journal = sandbox.journal
  })
  afterEach(() => {
    const broken = journal.entries().filter(({ brokeContract }) => brokeContract)
    expect(broken.map(({ path, warnings }) => `${path}: ${warnings.join('; ')}`)).toEqual([])
  })
  afterAll(async () => {
    if (adapter === 'msw') interception.close()
    await server?.close()
  })

  const entrance: Entrance = {
    adapter,
    gateway,
    get sandbox() {
      return sandbox as Sandbox
    },
    get baseUrl() {
      return server?.baseUrl ?? baseUrl
    },
    get fetch() {
      return adapter === 'fetch' ? gateway.fetch : globalThis.fetch
    },
    open(line, { body, headers = {}, signal } = {}) {
      const [method, path] = line.split(' ') as [string, string]
      const sent: Record<string, string | null> = {
        authorization: `Bearer ${sandbox.apiKey}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      }
      return entrance.fetch(entrance.baseUrl + path, {
        method,
        headers: Object.entries(sent).filter((header): header is [string, string] => header[1] !== null),
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        ...(signal && { signal }),
      })
    },
    async call(line, options) {
      const response = await entrance.open(line, options)
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, body: parsed(text) }
    },
  }
  return entrance
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
