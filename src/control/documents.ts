/** OpenAPI documents for the mocked API and the control API. */
import type { Dialect } from '../gateway/extra.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import type { AnyOperation } from '../operation.ts'
import { operations } from '../operations/index.ts'
import { toDocument } from './openapi.ts'

/** Spec: Versioning, 2. */
const version = '1.0.0'

type Described = Pick<GatewayCore, 'operations' | 'extras'> & Partial<Pick<GatewayCore, 'dialect'>>

/**
 * Returns the OpenAPI document for a gateway's API.
 *
 * @param gateway Default: a gateway with the specification's operations.
 */
export function apiDocument(gateway: Described = { operations, extras: [] }): object {
  const ours: Record<string, unknown> = toDocument({
    title: 'Model Gateway API',
    version,
    description:
      'The Model Gateway API as mocked by Understudy. The specification defines only the statuses 200 and 500. Every other reply, and every field beyond the specification, is an assumption: see ASSUMPTIONS.md. Unsupported methods get a 405 in the error envelope; `Allow` lists the supported ones.',
    base: '/api/v1',
    described: gateway.operations.map((operation) => withBody(operation, gateway.dialect)),
    isEmulated: true,
    bearer: "API key. A sandbox's key selects that sandbox.",
  })
  return gateway.extras.reduce((document, extra) => extra.describe?.(document) ?? document, ours)
}

/** Returns an operation with the dialect's body schema. */
function withBody(operation: AnyOperation, dialect: Dialect | undefined): AnyOperation {
  const { id, input } = operation
  const body = input?.body && dialect?.body?.(input.body, id)
  return body ? { ...operation, input: { ...input, body } } : operation
}

export function controlDocument(described: readonly AnyOperation[]): object {
  return toDocument({
    title: 'Understudy control API',
    version,
    description:
      'Controls and inspects a running Understudy server: sandboxes, scenarios, journal, database and clock.',
    base: '/__understudy',
    described,
    isEmulated: false,
    bearer:
      'Token that the server was started with, or that it printed at startup. Not required on loopback unless `--token` is set.',
  })
}
