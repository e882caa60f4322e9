/**
 * Step: what a call gets that a step has refused.
 */
import type { AssumptionName } from '../assumptions.ts'
import { GatewayError, toReply } from '../http/errors.ts'
import type { Reply } from '../http/reply.ts'
import type { CallRecord } from '../journal/call-record.ts'
import { BrokenContract } from './check-contract.ts'

/** The error envelope. Whatever is not thrown as a refusal is a mistake of ours, and a loud 500. */
export function refuse(record: CallRecord, error: unknown): Reply {
  if (error instanceof GatewayError && !(error instanceof BrokenContract)) {
    const usual = record.assumptions.length === 0 ? assumptionOf[error.status] : undefined
    const assumption = error.assumption ?? usual
    if (assumption) record.assume(assumption)
    return toReply(error)
  }
  const { message, stack } = error as Error
  record.broken(stack ?? message)
  const metadata = error instanceof BrokenContract ? error.metadata : undefined
  return toReply(new GatewayError(500, `Mistake in understudy: ${message}`, metadata))
}

/** The assumption behind a refusal, by its status; an error may name another. Spec: Errors, 2 and 3. */
const assumptionOf: Record<number, AssumptionName> = {
  400: 'violations',
  401: 'authentication',
  404: 'unknownPath',
  405: 'unknownPath',
  413: 'requestBody',
  415: 'requestBody',
}
