/** Explains near misses: rules for a call's operation that did not apply. Reasons are formatted only when read. */
import * as z from 'zod'
import { fieldsOf } from '../lib/json.ts'
import type { Activation, CompiledRule } from './activation.ts'
import { type Conditioned, show } from './condition.ts'
import { lazyObject } from './field.ts'
import { ruleTitle } from './names.ts'
import type { RateLimit } from './rate-limit.ts'

type Describe = (rule: CompiledRule, found: never) => string

/** Reasons for skipping a rule that cannot be derived from the request later, phrased as the end of a sentence. */
const descriptions = {
  times: ({ times }) => `is used up: it applies ${times === 1 ? 'once' : `${times} times`}`,
  sequence: ({ steps: { length } }) =>
    `is used up: its sequence has ${length} ${length === 1 ? 'step' : 'steps'}`,
  script: () => 'has no turn left for this call',
  call: ({ when }, { call }: { call: number }) =>
    `expected call ${[when?.call].flat().join(' or ')}, but this is call ${call}`,
  after: ({ after }, { call }: { call: number }) =>
    `skips the first ${after === 1 ? 'call' : `${after} calls`}, but this is call ${call}`,
  rateLimit: (rule, { call }: { call: number }) =>
    `has not reached its limit of ${allowance(rule)}: this is call ${call} in this window`,
  step: ({ setState, steps }, { call }: { call: number }) =>
    setState !== undefined && steps.length === 1
      ? `set the state '${setState}' and let the call pass`
      : `is at step ${call} of its sequence, which lets the call pass`,
  stream: (_, { step }: { step: number }) =>
    `is at step ${step} of its sequence, a fault for streams, but the request is for JSON`,
  json: (_, { step }: { step: number }) =>
    `is at step ${step} of its sequence, a fault for JSON, but the request is for a stream`,
  state: ({ when }, { state }: { state: string }) =>
    `expected the state ${[when?.state]
      .flat()
      .map((each) => show(each))
      .join(' or ')}, but it is '${state}'`,
  conversation: ({ when }, { turns }: { turns: readonly (string | number)[] }) =>
    `expected turn ${show(when?.turn)}, but the request is ${turns.map((turn) => show(turn)).join(' and ')}`,
  probability: (_, { drawn, probability }: { drawn: number; probability: number }) =>
    `has probability ${round(probability)}, but this call drew ${round(drawn)}`,
  during: (rule, { elapsedMs }: { elapsedMs: number }) =>
    `applies ${period(rule)} of elapsed time, but this call arrived at ${round(elapsedMs)} ms`,
  answer: (_, { why }: { why: string }) => why,
  modifier: (_, { why }: { why: string }) => why,
  rejected: () => 'was not used, because the request was rejected',
} satisfies Record<string, Describe>

type Kind = keyof typeof descriptions
type Found<Name extends Kind> =
  Parameters<(typeof descriptions)[Name]> extends [unknown, infer More] ? More : object
export type SkipReason = { [Name in Kind]: { readonly kind: Name } & Found<Name> }[Kind]

export interface SkippedRules {
  readonly activation: Activation
  readonly rules: readonly CompiledRule[]
  /** Number of skipped rules, which come before the one that applied, if any. */
  readonly count: number
  /** Reasons by index in `rules`. If a skipped rule has none, a condition in `when` did not match. */
  readonly reasons: ReadonlyMap<number, SkipReason>
}

export const NearMiss = lazyObject(() => ({
  scenario: z.string().describe('Scenario name.'),
  rule: z.int().describe("The rule's 1-based position in the scenario."),
  kind: z
    .enum(['condition', ...(Object.keys(descriptions) as Kind[]), 'more'])
    .describe(
      '`condition` for `when`, `conversation` for `when.turn`, `answer` or `modifier` if another rule answered the call or changed its reply.',
    ),
  reason: z.string().describe('Reason, as a sentence without a full stop.'),
}))
export type NearMiss = z.output<typeof NearMiss>

/** Returns true if a rule let the call pass because it was below the rate limit, which is not a near miss. */
export function isBelowLimit({ kind }: Pick<NearMiss, 'kind'>): boolean {
  return kind === 'rateLimit'
}

export function countNearMisses(skipped: readonly SkippedRules[]): number {
  const reasons = skipped.flatMap((each) => [...each.reasons.values()])
  const all = skipped.reduce((sum, { count }) => sum + count, 0)
  return all - reasons.filter(isBelowLimit).length
}

/** Newest activation first. @param limit Maximum number of rules. A final entry counts the rest. Default: no limit. */
export function explainNearMisses(
  skipped: readonly SkippedRules[],
  request: Conditioned,
  limit = Number.POSITIVE_INFINITY,
): NearMiss[] {
  const all = skipped.flatMap(({ rules, count, reasons }) =>
    rules.slice(0, count).map((rule, index) => ({ rule, reason: reasons.get(index) })),
  )
  const explained = all.slice(0, limit).map(({ rule, reason }) => {
    if (!reason) return nearMiss(rule, 'condition', failedCondition(rule, request))
    const describe: Describe = descriptions[reason.kind]
    return nearMiss(rule, reason.kind, describe(rule, reason as never))
  })
  const [next, ...others] = all.slice(limit)
  if (!next) return explained
  const more = others.length > 0 ? `, nor did ${others.length} more` : ''
  return [...explained, nearMiss(next.rule, 'more', `did not apply either${more}`)]
}

function nearMiss({ scenario, number, name }: CompiledRule, kind: NearMiss['kind'], text: string): NearMiss {
  return { scenario, rule: number, kind, reason: `${ruleTitle(scenario, number, name)} ${text}` }
}

function failedCondition(rule: CompiledRule, request: Conditioned): string {
  const failed = rule.tests.find((test) => !test.passes(request))
  const isFallback = Object.hasOwn(fieldsOf(request.body), 'models')
  if (!failed && isFallback) return 'does not match the model that replied, one of those in `models`'
  if (!failed) return 'cannot be explained: the body was too long to store'
  return `${failed.explain(request)}${rule.script ? '; when applies to every turn of a script' : ''}`
}

function period({ during: { from, to } = { from: 0 } }: CompiledRule): string {
  return to === undefined ? `after ${from} ms` : `from ${from} to ${to} ms`
}

/** Describes a rule's rate limit, as in `60 calls and 30000 tokens in 10 s`. */
function allowance({ rateLimit }: CompiledRule): string {
  const { requests, tokens, per } = rateLimit as RateLimit
  const limits = Object.entries({ call: requests, token: tokens }).filter(([, limit]) => limit !== undefined)
  const parts = limits.map(([unit, limit]) => `${limit} ${unit}${limit === 1 ? '' : 's'}`)
  return `${parts.join(' and ')} in ${per < 1000 ? `${per} ms` : `${round(per / 1000)} s`}`
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
