/**
 * Step: our own answer against the specification. What a resolver returns must pass its operation's schema.
 */
import { toBytes } from '../http/encode.ts'
import { GatewayError } from '../http/errors.ts'
import type { Reply } from '../http/reply.ts'
import { toViolations } from '../http/violations.ts'
import { check } from '../lib/check.ts'
import type { Operation } from '../operation.ts'

/** Bodies that were found in order and can't change since: made once, answered often. */
const known = new WeakMap<object, { text: string; bytes: Uint8Array }>()

/** A mistake of ours; a bug report has everything it needs in the message. */
export class BrokenContract extends GatewayError {
  override name = 'BrokenContract'
}

/** The same reply, serialised where that is known. Throws a loud 500 where the body breaks the schema. */
export function checkContract(operation: Operation, reply: Reply): Reply {
  const { body, status } = reply
  if (body.kind !== 'json' || status >= 300) return reply
  const { value } = body
  const serialised = typeof value === 'object' && value !== null ? known.get(value) : undefined
  if (serialised) return { ...reply, body: { kind: 'json', value, ...serialised } }

  const { error } = check(operation.response, value)
  if (error) {
    const violations = toViolations(error, 'reply')
    const list = violations.map(({ path, message }) => `${path}: ${message}`).join('; ')
    throw new BrokenContract(500, `understudy broke its contract in ${operation.id}: ${list}`, { violations })
  }
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return reply
  const text = JSON.stringify(value)
  const made = { text, bytes: toBytes(text) }
  known.set(value, made)
  return { ...reply, body: { kind: 'json', value, ...made } }
}
