/**
 * Step: the rule that a call meets, and what it does before an operation is asked: how long the call waits, and what
 * it gets instead of an answer.
 */
import type { FaultContext } from '../faults/fault.ts'
import { type FaultSetting, faultOf } from '../faults/index.ts'
import type { Reply } from '../http/reply.ts'
import type { CallRecord } from '../journal/call-record.ts'
import { random } from '../lib/seed.ts'
import type { Effect } from '../rules/compiled.ts'
import type { Match } from '../rules/rules.ts'
import type { Scenario } from '../rules/scenario.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import { scriptedReply } from './scripted-reply.ts'

/** What a rule does to one call. */
export interface CallEffect {
  /** Milliseconds of sandbox time to wait first. */
  readonly waitMs: number
  /** Sent in place of the operation's answer: the request is not checked, and nothing is written. */
  readonly instead: Reply | undefined
  /** What acts on the reply. */
  readonly faults: readonly FaultSetting[]
  readonly context: FaultContext | undefined
  /** Headers where the reply does not say otherwise: where a quota stands. */
  readonly headers: Readonly<Record<string, string>> | undefined
}

/** @param named Scenarios that the request itself names: they come before all others. */
export function meetRule(record: CallRecord<SandboxState>, named: readonly Scenario[]): CallEffect {
  const outcome = record.state.rules.match(record, named)
  record.matched(outcome)
  const { match, headers } = outcome
  if (!match) return headers ? { ...noEffect, headers } : noEffect
  const { effect } = match
  const context = faultContext(match, record)
  return { ...beforeAnswer(effect, context), faults: effect.faults, context, headers }
}

const noEffect: CallEffect = {
  waitMs: 0,
  instead: undefined,
  faults: [],
  context: undefined,
  headers: undefined,
}

/** What the faults of one match may know. Made once for a call: its random numbers follow on one another. */
function faultContext(match: Match, record: CallRecord<SandboxState>): FaultContext {
  const { seed, clock } = record.state
  let next: (() => number) | undefined
  return {
    random() {
      next ??= random(seed, 'fault', match.scenario, match.rule, record.contentKey, record.occurrence)
      return next()
    },
    elapsedMs: clock.elapsed(),
    quota: match.quota,
    warn: (message) => record.warn(message),
  }
}

function beforeAnswer(
  { faults, reply }: Effect,
  context: FaultContext,
): Pick<CallEffect, 'waitMs' | 'instead'> {
  let waitMs = 0
  let instead = reply && scriptedReply(reply)
  for (const setting of faults) {
    const fault = faultOf(setting.name)
    if (fault.family !== 'before' && fault.family !== 'instead') continue
    const result = fault.apply(setting, context)
    if (typeof result === 'number') waitMs += result
    else instead = result
  }
  return { waitMs, instead }
}
