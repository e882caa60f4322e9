/**
 * Step: what a call asks for, an operation or a path that a rule scripts. Spec: Endpoints.
 */
import { GatewayError, messages } from '../http/errors.ts'
import type { CallRecord } from '../journal/call-record.ts'
import type { Operation } from '../operation.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import type { Router } from './router.ts'
import { type Unrouted, unknownPath } from './unknown-path.ts'

/**
 * The operation; undefined for a path that only a rule knows. Throws 404 for an unknown path, and 405 with `Allow` for
 * another method of a known one.
 */
export function routeCall(router: Router, record: CallRecord<SandboxState>): Operation | undefined {
  const { method, route: path } = record
  if (path === undefined) throw notFound(record, router)
  const { operation, params, allow } = router.find(method, path)
  if (!operation && !record.state.rules.has(method, path)) {
    if (allow.length === 0) throw notFound(record, router)
    const headers = { allow: allow.join(', ') }
    throw new GatewayError(405, `${path} answers ${allow.join(', ')}`, undefined, { headers })
  }
  record.routed(operation?.id, params)
  return operation
}

function notFound(record: Unrouted, { operations }: Router): GatewayError {
  return new GatewayError(404, `${messages[404]}: ${unknownPath(record, operations)}`)
}
