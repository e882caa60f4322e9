/**
 * The two documents: of the emulated API, and of the control API.
 */
import type { GatewayCore } from '../gateway/gateway.ts'
import type { AnyOperation } from '../operation.ts'
import { operations } from '../operations/index.ts'
import { toDocument } from './openapi.ts'

/** Spec: Versioning, 2. */
const version = '1.0.0'

/**
 * Describes the API of a gateway.
 *
 * @param gateway Default: the specified operations.
 */
export function apiDocument(
  gateway: Pick<GatewayCore, 'operations' | 'extras'> = { operations, extras: [] },
): object {
  const ours: Record<string, unknown> = toDocument({
    title: 'Model Gateway API',
    version,
    description:
      'As Understudy plays it. Only 200 and 500 are specified; every other reply, and every field beyond the specification, is a choice of the double: see its table of assumptions. A method that a path does not have belongs to no operation here: it is a 405 in the error envelope, and `Allow` names those that the path has.',
    base: '/api/v1',
    described: gateway.operations.filter(({ doc }) => !doc?.isDescribed),
    isEmulated: true,
    bearer: 'An API key; a sandbox’s own key selects that sandbox.',
  })
  return gateway.extras.reduce((document, extra) => extra.describe?.(document) ?? document, ours)
}

export function controlDocument(described: readonly AnyOperation[]): object {
  return toDocument({
    title: 'Understudy control API',
    version,
    description:
      'Arranges and inspects a running Understudy: sandboxes, scenarios, journal, database, clock.',
    base: '/__understudy',
    described,
    isEmulated: false,
    bearer:
      'The token that the server was started with, or printed; none is needed on loopback without `--token`.',
  })
}
