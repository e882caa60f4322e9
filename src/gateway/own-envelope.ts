/**
 * Step: the errors of an operation that has an envelope of its own.
 */
import type { Reply } from '../http/reply.ts'
import type { CallRecord } from '../journal/call-record.ts'
import type { Operation } from '../operation.ts'

/** A refusal, or an error that a fault made, in the envelope of its operation; what a rule scripts stays as it is. */
export function inOwnEnvelope(reply: Reply, operation: Operation | undefined, record: CallRecord): Reply {
  const { status, body } = reply
  if (!operation?.toError || status < 400 || body.kind !== 'json' || record.match?.effect.reply) return reply
  const { error } = (body.value ?? {}) as { error?: { message?: unknown } }
  if (typeof error?.message !== 'string') return reply
  return { ...reply, body: { kind: 'json', value: operation.toError(status, error.message, record.id) } }
}
