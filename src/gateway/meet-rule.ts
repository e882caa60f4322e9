/**
 * Step: the rule that a call meets, and what it does before an operation is asked: how long the call waits, and what
 * it gets instead of an answer.
 */
import type { FaultFacts } from '../faults/fault.ts'
import { responsesProtocol } from '../faults/protocol.ts'
import { type BeforeAnswer, FaultRun } from '../faults/run.ts'
import type { CallRecord } from '../journal/call-record.ts'
import { random } from '../lib/seed.ts'
import type { Operation } from '../operation.ts'
import type { Match, Outcome } from '../rules/outcome.ts'
import type { ChargeQuotas } from '../rules/quota.ts'
import type { Scenario } from '../rules/scenario.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import { answerRule } from './answer-rule.ts'
import type { Call } from './call.ts'
import { scriptedReply } from './scripted-reply.ts'

/** What a rule does to one call. */
export interface CallEffect extends BeforeAnswer {
  /** What acts on the reply. */
  readonly faults: FaultRun | undefined
  /** Headers where the reply does not say otherwise: where a quota stands. */
  readonly headers: Readonly<Record<string, string>> | undefined
  /** Counts the tokens of the reply against the quotas that the call passed, and tells the headers anew. */
  readonly charge: ChargeQuotas | undefined
}

/**
 * Undefined where no rule is about the call.
 *
 * @param named Scenarios that the request itself names: they come before all others.
 */
export function meetRule(
  record: CallRecord<SandboxState>,
  call: Call,
  operation: Operation | undefined,
  named: readonly Scenario[],
): CallEffect | undefined | Promise<CallEffect> {
  const readConversation = () => operation?.readConversation?.(record.body, record.state)
  const outcome = record.state.rules.match(record, named, readConversation)
  const { match, headers, charge } = outcome
  record.matched(outcome)
  if (!match) return charge && { ...noEffect, headers, charge }
  const act = (answering: Match): CallEffect => {
    if (answering !== match) record.matched({ ...outcome, match: answering })
    return effectOf(answering, outcome, record, call, operation)
  }
  const answering = answerRule(match, record, readConversation)
  return answering instanceof Promise ? answering.then(act) : act(answering)
}

function effectOf(
  match: Match,
  { headers, charge }: Outcome,
  record: CallRecord<SandboxState>,
  call: Call,
  operation: Operation | undefined,
): CallEffect {
  const { reply } = match.effect
  const faults = new FaultRun(match.effect.faults, factsOf(match, record, call, operation), {
    nothingHappened: () => reply ?? match.nothingHappened(),
    warn: (message) => record.warn(message),
  })
  const before = faults.before()
  return { ...before, instead: before.instead ?? (reply && scriptedReply(reply)), faults, headers, charge }
}

const noEffect: CallEffect = {
  waitMs: 0,
  instead: undefined,
  stream: undefined,
  faults: undefined,
  headers: undefined,
  charge: undefined,
}

/** What the faults of one match may know. Made once for a call: its random numbers follow on one another. */
function factsOf(
  match: Match,
  record: CallRecord<SandboxState>,
  call: Call,
  operation: Operation | undefined,
): FaultFacts {
  const { seed, clock } = record.state
  let next: (() => number) | undefined
  return {
    random() {
      next ??= random(seed, 'fault', match.scenario, match.rule, record.contentKey, record.occurrence)
      return next()
    },
    now: record.at,
    elapsedMs: clock.elapsed(),
    quota: match.quota,
    hasConnection: call.hasConnection ?? false,
    protocol: operation?.streamProtocol ?? responsesProtocol,
  }
}
