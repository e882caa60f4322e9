/**
 * Step: the faults that change a reply, in the order of their layers.
 */
import type { Reply } from '../http/reply.ts'
import type { CallEffect } from './meet-rule.ts'

/**
 * The reply as the rule wants it.
 *
 * @param tokens What the reply has used, for quotas.
 */
export function distort(reply: Reply, { faults, charge }: CallEffect, tokens: number): Reply {
  const headers = charge?.(tokens)
  const distorted = faults ? faults.distort(reply) : reply
  return headers ? { ...distorted, headers: { ...headers, ...distorted.headers } } : distorted
}
