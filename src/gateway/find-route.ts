/**
 * What a request wants: an operation, or a path that a rule scripts. Spec: Endpoints.
 */
import { GatewayError } from '../http/errors.ts'
import type { Operation } from '../operation.ts'
import type { Rules } from '../rules/rules.ts'
import type { Address } from './address.ts'
import type { Router } from './router.ts'

export interface Route {
  /** Undefined for a path that only a rule knows. */
  readonly operation: Operation | undefined
  readonly params: Readonly<Record<string, string>>
  /** Below the base address. */
  readonly path: string
}

/** Throws 404 for an unknown path, and 405 with `Allow` for another method of a known one. */
export function findRoute(router: Router, rules: Rules, method: string, { route: path }: Address): Route {
  if (path === undefined) throw new GatewayError(404, 'Resource not found: paths begin with /api/v1/')
  const found = router.find(method, path)
  if (found.route) return { ...found.route, path }
  if (rules.has(method, path)) return { operation: undefined, params: {}, path }
  const { allow } = found
  if (allow.length === 0) throw new GatewayError(404)
  throw new GatewayError(405, `${path} answers ${allow.join(', ')}`, undefined, {
    headers: { allow: allow.join(', ') },
  })
}
