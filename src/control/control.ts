/** The control API under `/__understudy`. Loaded on the first control request. */
import { wrongMethod } from '../gateway/admit.ts'
import type { Call } from '../gateway/call.ts'
import { bodyOf, readParts } from '../gateway/check.ts'
import { checkContract } from '../gateway/finish.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import { assertMediaType, assertPlain } from '../gateway/read.ts'
import { assertUrl, Router } from '../gateway/router.ts'
import { decodeBody } from '../http/body.ts'
import { GatewayError, invalidRequest } from '../http/errors.ts'
import { parseJsonBody } from '../http/json-body.ts'
import type { Reply } from '../http/reply.ts'
import { messageWithoutCall } from '../lib/call-names.ts'
import { nearest } from '../lib/did-you-mean.ts'
import type { AnyOperation } from '../operation.ts'
import { ScenarioError } from '../scenarios/scenario-error.ts'
import { journalOperations } from './journal-operations.ts'
import type { ControlContext, ControlHost } from './operation.ts'
import {
  clockOperations,
  databaseOperations,
  sandboxOperations,
  serverOperations,
} from './sandbox-operations.ts'
import { scenarioOperations } from './scenario-operations.ts'

/** Control operations by tag, in the order of the OpenAPI document. */
export const operationGroups = {
  Server: serverOperations,
  Sandboxes: sandboxOperations,
  Scenarios: scenarioOperations,
  Journal: journalOperations,
  Database: databaseOperations,
  Clock: clockOperations,
} as const

export async function controlOperations(
  gateway: Pick<GatewayCore, 'extras' | 'operations' | 'sandboxes'>,
): Promise<AnyOperation[]> {
  const ofExtras = gateway.extras.map(async (extra) => (await extra.control?.(gateway)) ?? [])
  return [
    ...Object.entries(operationGroups).flatMap(([tag, operations]) =>
      operations.map((operation: AnyOperation) => ({ ...operation, doc: { tag, ...operation.doc } })),
    ),
    ...(await Promise.all(ofExtras)).flat(),
  ]
}

const base = '/__understudy'

export class Control {
  readonly #host: ControlHost
  readonly #router: Router

  constructor(host: ControlHost) {
    this.#host = host
    this.#router = new Router(host.operations)
  }

  /** Throws a `GatewayError` for an invalid request. */
  async handle(call: Call): Promise<Reply> {
    assertUrl(call)
    const { operation, params, allow } = this.#router.find(call.method, call.path.slice(base.length))
    if (!operation || Object.values(params).includes('')) throw unknownRoute(call, this.#router, allow)
    const { headers, search } = call
    const { input = {}, method } = operation
    // Even without a body, because old browsers submit cross-origin HTML forms without `Origin`.
    if (method !== 'get') assertMediaType(call)
    const body = input.body && (await readBody(call, input, this.#host.gateway))
    const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
    const { violations, parts } = await readParts(input, { params, search, headers, body })
    if (violations.length > 0) throw invalidRequest(violations)
    const context: ControlContext = {
      ...this.#host,
      ...parts,
      call,
      origin: `${scheme}://${headers['host']}`,
    }
    try {
      return await checkContract(operation, await operation.resolve(context))
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      throw new GatewayError(400, messageWithoutCall(error), { problems: error.problems })
    }
  }
}

async function readBody(
  call: Call,
  input: Parameters<typeof bodyOf>[0],
  { options }: GatewayCore,
): Promise<unknown> {
  assertPlain(call)
  const requestText = decodeBody(await call.readBody(options.limits.requestBodyBytes))
  if (requestText !== '' && call.headers['content-type'] === undefined)
    throw new GatewayError(415, 'Missing content type: send application/json')
  return bodyOf(input, { requestText, body: parseJsonBody(requestText), headers: call.headers })
}

function unknownRoute(
  { method, path }: Call,
  { operations }: Router,
  allow: readonly string[],
): GatewayError {
  const routes = operations.map((operation) => `${operation.method.toUpperCase()} ${operation.path}`)
  const below = path.slice(base.length)
  const inSandbox = `${method} /sandboxes/{sandbox}${below}`
  if (allow.length > 0 && !routes.includes(inSandbox)) return wrongMethod(path, allow)
  const suggestion = routes.includes(inSandbox) ? inSandbox : nearest(`${method} ${below}`, routes)
  const hint = suggestion
    ? `did you mean ${suggestion.replace(' ', ` ${base}`).replace('{sandbox}', 'default')}?`
    : `see ${base}/openapi.json`
  return new GatewayError(404, `No control route ${method} ${path}; ${hint}`)
}
