/**
 * The control API, below `/__understudy`. Loaded when the first request for it comes.
 */
import type { Call } from '../gateway/call.ts'
import { bodyOf, checkParts } from '../gateway/check.ts'
import { checkContract } from '../gateway/finish.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import { assertPlain } from '../gateway/read.ts'
import { Router } from '../gateway/router.ts'
import { decodeBody } from '../http/body.ts'
import { GatewayError } from '../http/errors.ts'
import { parseJsonBody } from '../http/json-body.ts'
import type { Reply } from '../http/reply.ts'
import { nearest } from '../lib/did-you-mean.ts'
import { ScenarioError } from '../scenarios/check-scenario.ts'
import { EventFeed } from './event-feed.ts'
import { journalOperations } from './journal-operations.ts'
import type { ControlContext, ControlHost, ControlOperation } from './operation.ts'
import { clockOperations, databaseOperations, sandboxOperations } from './sandbox-operations.ts'
import { scenarioOperations } from './scenario-operations.ts'
import { documentOperations } from './server-operations.ts'

/** All control operations, in the order of their document. */
export const controlOperations: readonly ControlOperation[] = [
  ...documentOperations,
  ...sandboxOperations,
  ...scenarioOperations,
  ...journalOperations,
  ...databaseOperations,
  ...clockOperations,
]

const base = '/__understudy'

export class Control {
  readonly #host: ControlHost
  readonly #router = new Router(controlOperations)

  constructor(setup: Pick<ControlHost, 'gateway' | 'metrics' | 'directOrigin'>) {
    const events = new EventFeed(setup.gateway.sandboxes.listeners)
    this.#host = { ...setup, operations: controlOperations, events }
  }

  /** Ends the event streams: the server stops. */
  close(): void {
    this.#host.events.close()
  }

  /** Throws a `GatewayError` to refuse a request. */
  async answer(call: Call): Promise<Reply> {
    const { operation, params } = this.#router.find(call.method, call.path.slice(base.length))
    if (!operation || Object.values(params).includes('')) throw unknownRoute(call)
    const { headers, search } = call
    const { input = {} } = operation
    const body = input.body && (await readBody(call, input, this.#host.gateway))
    const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
    const context: ControlContext = {
      ...this.#host,
      ...checkParts(input, { params, search, headers, body }),
      call,
      origin: `${scheme}://${headers['host']}`,
    }
    try {
      return checkContract(operation, await operation.resolve(context))
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      throw new GatewayError(400, error.message, { problems: error.problems })
    }
  }
}

/** Requires a body to be declared as JSON: a page of another origin cannot send that without a preflight. */
async function readBody(
  call: Call,
  input: Parameters<typeof bodyOf>[0],
  { options }: GatewayCore,
): Promise<unknown> {
  assertPlain(call)
  const requestText = decodeBody(await call.readBody(options.maxBodyBytes))
  const type = call.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (requestText !== '' && type !== 'application/json')
    throw new GatewayError(415, `Unsupported media type '${type ?? ''}': send application/json`)
  return bodyOf(input, { requestText, body: parseJsonBody(requestText), headers: call.headers })
}

function unknownRoute({ method, path }: Call): GatewayError {
  const routes = controlOperations.map((operation) => `${operation.method.toUpperCase()} ${operation.path}`)
  const near = nearest(`${method} ${path.slice(base.length)}`, routes)
  const hint = near ? `did you mean ${near.replace(' ', ` ${base}`)}?` : `see ${base}/openapi.json`
  return new GatewayError(404, `No control route ${method} ${path}: ${hint}`)
}
