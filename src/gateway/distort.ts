/**
 * Step of the corridor: the faults that change an answer, in the order in which the rule names them.
 */
import type { FaultContext } from '../faults/fault.ts'
import { type FaultSetting, faultOf } from '../faults/index.ts'
import type { Reply } from '../http/reply.ts'
import type { Match } from '../rules/rules.ts'

/** The reply as the rule wants it. A stream's faults leave a reply alone that is none, a refusal for example. */
export function distort(reply: Reply, { effect }: Match, context: FaultContext): Reply {
  let distorted = reply
  for (const setting of effect.faults) distorted = distortOnce(distorted, setting, context)
  return distorted
}

function distortOnce(reply: Reply, setting: FaultSetting, context: FaultContext): Reply {
  const fault = faultOf(setting.name)
  const { body } = reply
  if (body.kind === 'hang-up' || body.kind === 'none') return reply
  if (fault.family === 'answer' || fault.family === 'citations') return fault.apply(setting, context, reply)
  if (fault.family !== 'stream' || body.kind !== 'frames' || !isEventStream(reply)) return reply
  return { ...reply, body: { kind: 'frames', frames: fault.apply(setting, context, body.frames) } }
}

/** Names the rule that made or changed a reply: `flaky#1`, its first rule. */
export function ruleHeaders({ scenario, rule }: Match): Record<string, string> {
  return { 'x-understudy-scenario': `${scenario}#${rule}` }
}

function isEventStream({ headers }: Reply): boolean {
  return headers['content-type']?.startsWith('text/event-stream') ?? false
}
