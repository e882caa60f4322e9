/**
 * Step: the faults that change a reply, in the order of their layers.
 */
import type { Reply } from '../http/reply.ts'
import type { CallEffect } from './meet-rule.ts'

/** The reply as the rule wants it. */
export function distort(reply: Reply, { faults, headers }: CallEffect): Reply {
  const distorted = faults ? faults.distort(reply) : reply
  return headers ? { ...distorted, headers: { ...headers, ...distorted.headers } } : distorted
}
