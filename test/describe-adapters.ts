/**
 * Runs one specification through MSW, `gateway.fetch` and a real socket. The test project `msw2` repeats the
 * specification with MSW 2 instead of MSW 3.
 */
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest'
import { createGateway, type Gateway, type GatewayOptions, type Sandbox } from '../src/index.ts'
import { handlers } from '../src/msw.ts'
import { type RunningServer, startServer } from '../src/serve.ts'
import { type Answer, type CallOptions, call, open } from './call.ts'

export interface Entrance {
  readonly adapter: 'msw' | 'fetch' | 'node'
  readonly gateway: Gateway
  /** New sandbox for each test. */
  readonly sandbox: Sandbox
  /** Base URL ending in `/api/v1`. */
  readonly baseUrl: string
  /** A `fetch` that reaches the gateway. */
  readonly fetch: typeof fetch
  /** Sends `METHOD /path` with the sandbox's key and reads the whole reply. */
  call(line: string, options?: CallOptions): Promise<Answer>
  /** Same as `call`, but leaves the body unread. */
  open(line: string, options?: CallOptions): Promise<Response>
}

type Specification = (entrance: Entrance) => void

/**
 * Runs a specification through every adapter, with a new sandbox for each test. Every reply must
 * match its schema.
 */
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

/** MSW 3 reads `onUnhandledFrame`, MSW 2 `onUnhandledRequest`. */
const strictOptions: object = { onUnhandledFrame: 'error', onUnhandledRequest: 'error' }

const baseUrl = 'https://gateway.example/api/v1'

function enter(adapter: Entrance['adapter'], options: GatewayOptions): Entrance {
  const gateway = createGateway(adapter === 'msw' ? { baseUrl, ...options } : options)
  const interception = setupServer(...handlers(gateway))
  let server: RunningServer | undefined
  let sandbox = gateway.createSandbox()
  let { journal } = sandbox

  beforeAll(async () => {
    if (adapter === 'msw') interception.listen(strictOptions)
    if (adapter === 'node') server = await startServer({ gateway })
  })
  beforeEach(() => {
    sandbox = gateway.createSandbox()
    journal = sandbox.journal
  })
  afterEach(() => {
    const broken = journal.entries().filter(({ schemaViolation }) => schemaViolation)
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
    call: (line, options) => call({ ...entrance, apiKey: sandbox.apiKey }, line, options),
    open: (line, options) => open({ ...entrance, apiKey: sandbox.apiKey }, line, options),
  }
  return entrance
}
