/**
 * Step: the faults that change a reply, in the order in which the rule names them.
 */
import type { FaultContext } from '../faults/fault.ts'
import { type FaultSetting, faultOf } from '../faults/index.ts'
import type { Reply } from '../http/reply.ts'
import type { CallEffect } from './meet-rule.ts'

/** The reply as the rule wants it. A stream's faults leave a reply alone that is none, a refusal for example. */
export function distort(reply: Reply, { faults, context, headers }: CallEffect): Reply {
  let distorted = reply
  if (context) for (const setting of faults) distorted = distortOnce(distorted, setting, context)
  return headers ? { ...distorted, headers: { ...headers, ...distorted.headers } } : distorted
}

function distortOnce(reply: Reply, setting: FaultSetting, context: FaultContext): Reply {
  const fault = faultOf(setting.name)
  const { body } = reply
  if (body.kind === 'hang-up' || body.kind === 'none') return reply
  if (fault.family === 'answer' || fault.family === 'citations') return fault.apply(setting, context, reply)
  if (fault.family !== 'stream' || body.kind !== 'frames' || !isEventStream(reply)) return reply
  return { ...reply, body: { kind: 'frames', frames: fault.apply(setting, context, body.frames) } }
}

function isEventStream({ headers }: Reply): boolean {
  return headers['content-type']?.startsWith('text/event-stream') ?? false
}
