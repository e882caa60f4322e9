/**
 * The two documents: of the emulated API, and of the control API.
 */
import { operations } from '../operations/index.ts'
import { toDocument } from './openapi.ts'
import type { ControlRoute } from './route.ts'

/** Spec: Versioning, 2. */
const version = '1.0.0'

export function apiDocument(): object {
  return toDocument({
    title: 'Model Gateway API',
    version,
    description:
      'As Understudy plays it. Only 200 and 500 are specified; every other reply, and every field beyond the specification, is a choice of the double: see its table of assumptions.',
    base: '/api/v1',
    described: operations,
    isEmulated: true,
    bearer: 'An API key; a sandbox’s own key selects that sandbox.',
  })
}

export function controlDocument(routes: readonly ControlRoute[]): object {
  return toDocument({
    title: 'Understudy control API',
    version,
    description:
      'Arranges and inspects a running Understudy: sandboxes, scenarios, journal, database, clock.',
    base: '/__understudy',
    described: routes,
    isEmulated: false,
    bearer:
      'The token that the server was started with, or printed; none is needed on loopback without `--token`.',
  })
}
