/**
 * Step: what a call asks for, an operation or a path that a rule scripts. Spec: Endpoints.
 */
import { GatewayError, messages } from '../http/errors.ts'
import type { CallRecord } from '../journal/call-record.ts'
import type { Operation } from '../operation.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import type { Router } from './router.ts'

/**
 * The operation; undefined for a path that only a rule knows. Throws 404 for an unknown path, and 405 with `Allow` for
 * another method of a known one.
 */
export function routeCall(router: Router, record: CallRecord<SandboxState>): Operation | undefined {
  const { method, route: path } = record
  if (path === undefined) throw new GatewayError(404, 'Resource not found: paths begin with /api/v1/')
  const { operation, params, allow } = router.find(method, path)
  if (!operation && !record.state.rules.has(method, path)) throw notFound(path, allow, router)
  record.routed(operation?.id, params)
  return operation
}

function notFound(path: string, allow: readonly string[], router: Router): GatewayError {
  if (allow.length === 0) {
    const near = router.near(path)
    return new GatewayError(404, near && `${messages[404]}: did you mean ${near}?`)
  }
  const headers = { allow: allow.join(', ') }
  return new GatewayError(405, `${path} answers ${allow.join(', ')}`, undefined, { headers })
}
