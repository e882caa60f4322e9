/**
 * Step: errors as the vendor of the gateway's dialect puts them, and in the envelope of their operation where it has one
 * of its own. Faults act on what comes of it.
 */

import type { Reply } from '../http/reply.ts'
import type { CallRecord } from '../journal/call-record.ts'
import type { GatewayCore } from './gateway.ts'
import { toTheirError } from './translate.ts'

/** For a refusal, or an error that a fault made; any other reply stays as it is, and what a rule scripts. */
export function inOwnEnvelope(
  reply: Reply,
  { dialect, router }: Pick<GatewayCore, 'dialect' | 'router'>,
  record: CallRecord,
): Reply {
  if (reply.status < 400 || record.match?.effect.reply) return reply
  const theirs = dialect ? toTheirError(dialect, reply) : reply
  const operation = router.operation(record.operation)
  if (!operation?.toError || theirs.body.kind !== 'json') return theirs
  const { error } = (theirs.body.value ?? {}) as { error?: { message?: unknown } }
  if (typeof error?.message !== 'string') return theirs
  return {
    ...theirs,
    body: { kind: 'json', value: operation.toError(reply.status, error.message, record.id) },
  }
}
