/**
 * Steps of the corridor for a call that met a rule: how long it waits, and what it gets instead of an answer.
 */
import type { FaultContext } from '../faults/fault.ts'
import { faultOf } from '../faults/index.ts'
import type { Reply } from '../http/reply.ts'
import type { Clock } from '../lib/clock.ts'
import { random } from '../lib/seed.ts'
import type { RuleRequest } from '../rules/request-view.ts'
import type { Match } from '../rules/rules.ts'
import { scriptedReply } from './scripted-reply.ts'

/** What a match does before an operation is asked. */
export interface Opening {
  /** Milliseconds of sandbox time to wait first. */
  waitMs: number
  /** Sent in place of the operation's answer: the request is not checked, and nothing is written. */
  instead: Reply | undefined
}

/** What the faults of one match may know. Made once for a call: its random numbers follow on one another. */
export function faultContext(
  match: Match,
  request: RuleRequest,
  setup: { seed: string | number; clock: Clock; warn(message: string): void },
): FaultContext {
  const { seed, clock, warn } = setup
  let next: (() => number) | undefined
  return {
    random() {
      next ??= random(seed, 'fault', match.scenario, match.rule, request.contentKey, request.occurrence)
      return next()
    },
    elapsedMs: clock.elapsed(),
    quota: match.quota,
    warn,
  }
}

/** Acts out what comes before an answer, and what replaces it. */
export function open({ effect }: Match, context: FaultContext): Opening {
  const opening: Opening = { waitMs: 0, instead: effect.reply && scriptedReply(effect.reply) }
  for (const setting of effect.faults) {
    const fault = faultOf(setting.name)
    if (fault.family !== 'before' && fault.family !== 'instead') continue
    const result = fault.apply(setting, context)
    if (typeof result === 'number') opening.waitMs += result
    else opening.instead = result
  }
  return opening
}
