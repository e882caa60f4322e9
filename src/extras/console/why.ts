/** Explains a call's reply as data: rules, counters, conditions, and earlier calls that used up a rule. */
import { assumptions } from '../../assumptions.ts'
import { hideInString } from '../../http/secrets.ts'
import { type CallRecord, ruleLabel } from '../../journal/call-record.ts'
import {
  type AppliedRule,
  hiddenEntry,
  type JournalEntry,
  nearMissesOf,
  toEntry,
} from '../../journal/entry.ts'
import { deliveries } from '../../journal/journal.ts'
import { errorToShow, sentence, turnText } from '../../journal/journal-text.ts'
import { fieldsOf } from '../../lib/json.ts'
import { firstKey } from '../../resources/collection.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { type CompiledRule, compileRules, luckOf, type ScenarioProgress } from '../../scenarios/activation.ts'
import type { MatchedRule } from '../../scenarios/compose.ts'
import { ruleTitle } from '../../scenarios/names.ts'
import { countSkipped, isBelowLimit, type NearMiss } from '../../scenarios/near-misses.ts'
import { callerOf } from '../../scenarios/rate-limit.ts'
import type { ParsedRule } from '../../scenarios/scenario.ts'

export interface Why {
  /** Facts about the call that do not depend on a rule. */
  facts: { label: FactLabel; text: string }[]
  /** The rules that produced or changed the reply, starting with the one that replied. */
  rules: RuleReport[]
  /** Rules that were tried but did not apply, in the order they were tried. */
  skipped: RuleReport[]
  /** Number of skipped rules that are not listed. */
  unlisted: number
  rows: { collection: string; key: string; name: string }[]
}

export type FactLabel = 'Rejected' | 'Script' | 'Warning' | 'Time' | 'Delivery' | 'Assumption'

export interface RuleReport {
  scenario: string
  /** The rule's position in the scenario, from 1. */
  rule: number
  /** Title, such as `rule 2 of 'busy'`. */
  title: string
  /** Reason for skipping the rule, without its title; empty if it applied. */
  reason: string
  /** If true, the rule did not apply because its rate limit was not reached. */
  isWithinLimit: boolean
  facts: string[]
  /** The rule's conditions with the request's values. Empty if the rule is no longer known. */
  conditions: ConditionReport[]
  /** Earlier calls that used up the rule or its rate limit, newest first. */
  calls: string[]
}

export interface ConditionReport {
  wants: string
  has: string
  passes: boolean
}

/** Maximum number of skipped rules to list, and of calls per rule. */
const maxListed = 20

export async function whyOf(record: CallRecord, sandbox: Sandbox): Promise<Why> {
  const missed = nearMissesOf(record, maxListed).slice(0, maxListed)
  return {
    facts: [...factsOfCall(hiddenEntry(toEntry(record))), ...waitsOf(record, sandbox)],
    rules: record.rules.map((rule, place) => appliedRule(record, rule, record.matches[place], sandbox)),
    skipped: missed.map((miss) => skippedRule(record, miss, sandbox)),
    unlisted: countSkipped(record.skipped) - missed.length,
    rows: await rowsOf(record, sandbox),
  }
}

/**
 * Explains a call in the file of a failed test, without the state of its sandbox.
 *
 * @param uses Ids of earlier calls by rule.
 */
export function whyInFile(
  entry: JournalEntry,
  scenarios: readonly ScenarioProgress[],
  uses: ReadonlyMap<string, readonly string[]>,
): Why {
  const rules = entry.rules.map((applied): RuleReport => {
    const { scenario, index, name, faults } = applied
    const { source } = scenarios.find((each) => each.name === scenario)?.rules[index - 1] ?? {}
    const settings = [source?.fault ?? []].flat().filter((fault) => typeof fault !== 'string')
    return {
      ...emptyReport({ scenario, rule: index }, name ?? undefined),
      facts: faults.map((name) => faultText(settings.find((each) => each.name === name) ?? { name })),
      calls: (uses.get(ruleLabel(applied)) ?? []).slice(-maxListed).reverse(),
    }
  })
  const missed = entry.nearMisses.filter(({ kind }) => kind !== 'more')
  const skipped = missed.slice(0, maxListed).map((miss) => missReport(emptyReport(miss), miss))
  return { facts: factsOfCall(entry), rules, skipped, unlisted: missed.length - skipped.length, rows: [] }
}

function factsOfCall(entry: JournalEntry): Why['facts'] {
  const { status, error, rules, turn, warnings, delivery } = entry
  const rejected = errorToShow(status, error ?? undefined, rules.length > 0)
  const script =
    turn && `${turnText(turn)}, ${turn.mismatch ? `but expected ${turn.mismatch}` : 'as expected'}`
  const facts: [FactLabel, string | null | undefined][] = [
    ['Rejected', rejected],
    ['Script', script],
    ...warnings.map((warning) => ['Warning', warning] as [FactLabel, string]),
    ['Delivery', deliveries[delivery]],
    ...entry.assumptions.map((name): [FactLabel, string] => [
      'Assumption',
      `${name} (unspecified): ${assumptions[name].choice}`,
    ]),
  ]
  return facts.flatMap(([label, text]) => (text ? [{ label, text: sentence(text) }] : []))
}

function waitsOf({ usage }: CallRecord, { options }: Sandbox): Why['facts'] {
  const { firstToken, perToken } = options.latency ?? { firstToken: 0, perToken: 0 }
  if (!usage || firstToken + perToken === 0) return []
  const tokens = `${perToken} ms for each of ${usage.outputTokens} tokens`
  return [
    { label: 'Time', text: `The latency option adds ${firstToken} ms to the first token, and ${tokens}.` },
  ]
}

async function rowsOf({ params, model, body }: CallRecord, { state }: Sandbox): Promise<Why['rows']> {
  // A slug in the body can be the one that another record has.
  const names = [...Object.values(params), model, fieldsOf(body)['slug']].filter(
    (each) => typeof each === 'string',
  )
  const { seedData } = state.database
  const found = seedData.collections.flatMap((declaration) =>
    names.map(async (name) => {
      const row = await state.database.table(declaration.name).find(name)
      return row && { collection: declaration.name, key: firstKey(declaration, row), name }
    }),
  )
  return (await Promise.all(found)).filter((each) => each !== undefined)
}

interface RuleName {
  scenario: string
  rule: number
}

/** Finds a rule among those tried for a call or, for an imported call, among the active rules. */
function findRule({ skipped }: CallRecord, name: RuleName, sandbox: Sandbox): CompiledRule | undefined {
  const tried = skipped
    .flatMap(({ rules }) => rules)
    .find(({ scenario, number }) => isSame({ scenario, rule: number }, name))
  if (tried) return tried
  const active = sandbox.rules.active().find((each) => each.name === name.scenario)
  const rules = active?.rules.map(({ source }) => source)
  // The cast is safe: active rules have been checked, and their defaults are filled in.
  return rules && compileRules({ name: name.scenario, rules: rules as ParsedRule[] })[name.rule - 1]
}

/** @param match The rule's effect; undefined for an imported call. */
function appliedRule(
  record: CallRecord,
  { scenario, index, name }: AppliedRule,
  match: MatchedRule | undefined,
  sandbox: Sandbox,
): RuleReport {
  const ruleName = { scenario, rule: index }
  const rule = findRule(record, ruleName, sandbox)
  const uses = earlierUses(record, ruleName, rule, sandbox, match?.rateLimit?.resetMs)
  return {
    ...reportOf(record, ruleName, rule, uses),
    title: ruleTitle(scenario, index, name ?? rule?.name),
    facts: rule ? factsOf(record, rule, match, uses) : [],
  }
}

function skippedRule(record: CallRecord, miss: NearMiss, sandbox: Sandbox): RuleReport {
  const rule = findRule(record, miss, sandbox)
  const isUsedUp = miss.kind === 'times' || miss.kind === 'sequence'
  const uses = isUsedUp ? earlierUses(record, miss, rule, sandbox) : []
  return missReport(reportOf(record, miss, rule, uses), miss)
}

function missReport(report: RuleReport, miss: NearMiss): RuleReport {
  const { title } = report
  const reason = miss.reason.startsWith(title) ? miss.reason.slice(title.length + 1) : miss.reason
  return { ...report, reason: hideInString(reason), isWithinLimit: isBelowLimit(miss) }
}

function reportOf(
  record: CallRecord,
  { scenario, rule: number }: RuleName,
  rule: CompiledRule | undefined,
  uses: readonly CallRecord[],
): RuleReport {
  const calls = uses.slice(-maxListed).reverse()
  return {
    ...emptyReport({ scenario, rule: number }, rule?.name),
    conditions: rule ? conditionsOf(record, rule) : [],
    calls: calls.map(({ id }) => id),
  }
}

function emptyReport({ scenario, rule }: RuleName, name?: string): RuleReport {
  const title = ruleTitle(scenario, rule, name)
  return { scenario, rule, title, reason: '', isWithinLimit: false, facts: [], conditions: [], calls: [] }
}

/** @param resetMs Time until the rate limit's next window, in milliseconds. */
function earlierUses(
  record: CallRecord,
  name: RuleName,
  rule: CompiledRule | undefined,
  { journal }: Sandbox,
  resetMs = 0,
): CallRecord[] {
  const all = journal.records()
  const earlier = all.slice(0, all.indexOf(record))
  const limit = rule?.rateLimit
  if (!limit)
    return earlier.filter((each) =>
      each.rules.some(({ scenario, index }) => isSame({ scenario, rule: index }, name)),
    )
  const start = record.at - limit.per + resetMs
  const caller = callerOf(limit, record)
  return earlier.filter(
    (each) => each.at >= start && callerOf(limit, each) === caller && isWithinLimit(each, name),
  )
}

function isSame(left: RuleName, right: RuleName): boolean {
  return left.scenario === right.scenario && left.rule === right.rule
}

/** Returns true if a rule skipped a call because it was within the rule's rate limit. */
function isWithinLimit(record: CallRecord, name: RuleName): boolean {
  return nearMissesOf(record).some((miss) => isSame(miss, name) && isBelowLimit(miss))
}

function factsOf(
  record: CallRecord,
  rule: CompiledRule,
  match: MatchedRule | undefined,
  uses: readonly CallRecord[],
): string[] {
  const { state } = record
  // An imported call has no match, but its turn belongs to the only rule with a script.
  const turn = rule.script ? record.turn : undefined
  const { rateLimit, probability, after = 0, when, times, during, steps } = rule
  // An imported call has no match, but a rule without a sequence has only one effect.
  const effect = match?.effect ?? (steps.length === 1 ? steps[0] : undefined)
  // A rate limit overrides its fault's parameters.
  const faults = rateLimit ? [] : (effect?.faults ?? [])
  const facts = faults.map(faultText)
  if (effect?.reply) facts.push('Scripted reply.')
  if (rateLimit) {
    const { requests, tokens, per } = rateLimit
    if (requests !== undefined)
      facts.push(
        `Used ${uses.length + 1} of ${requests} requests in ${seconds(per)}${
          // The rule applies only above the limit, so a lower number means that calls have been evicted.
          uses.length < requests ? ', counting calls still in the journal' : ''
        }.`,
      )
    if (tokens !== undefined) {
      const used = uses.reduce((sum, each) => sum + each.tokens, 0)
      facts.push(`Earlier calls used ${used} of ${tokens} tokens in ${seconds(per)}.`)
    }
    // Windows last a fixed elapsed time, whereas the reset in the reply's headers is in sandbox time.
    if (uses.length > 0) facts.push(`A new window begins ${seconds(per)} after the first of these calls.`)
  }
  if (probability !== undefined) {
    const drawn = luckOf(rule, record, state.seed)
    facts.push(`Drew ${round(drawn)}, below the probability ${probability}.`)
  }
  const { call } = match ?? {}
  if (call !== undefined && !turn) {
    facts.push(`Call ${call} of those that match the rule's conditions.`)
    if (after > 0) facts.push(`Skips the first ${after === 1 ? 'call' : `${after} calls`}.`)
    if (when?.call !== undefined) facts.push(`Applies to call ${[when.call].flat().join(' or ')}.`)
  }
  if (Number.isFinite(times))
    facts.push(`Applied ${uses.length + 1} of ${times} times, counting calls in the journal.`)
  if (rule.sequence) {
    const step = steps.findIndex((each) => each === match?.effect)
    facts.push(step < 0 ? `Sequence of ${steps.length} steps.` : `Step ${step + 1} of ${steps.length}.`)
  }
  if (turn) facts.push(`Turn ${turn.number} of ${turn.total} in conversation ${turn.conversation}.`)
  if (turn?.mismatch) facts.push(`Script problem: ${turn.mismatch}.`)
  if (during) {
    const { from, to } = during
    const span = to === undefined ? `after ${seconds(from)}` : `from ${seconds(from)} to ${seconds(to)}`
    facts.push(`Applies ${span} of elapsed time.`)
  }
  if (rule.setState !== undefined) facts.push(`Sets the state '${rule.setState}'.`)
  return facts
}

function faultText({ name, ...parameters }: { readonly name: string }): string {
  const set = Object.entries(parameters).filter(
    ([, value]) => !['{}', undefined].includes(JSON.stringify(value)),
  )
  const texts = set.map(([field, value]) => `, ${field} ${hideInString(JSON.stringify(value))}`)
  return `Fault ${name}${texts.join('')}.`
}

/** Parts of a condition's explanation: `expected WANTS, but the request has HAS`. */
const explanation = /^(?:expected )?(.*?)(?:, but the request has (.*))?$/s

function conditionsOf({ params, query, headers, body }: CallRecord, rule: CompiledRule): ConditionReport[] {
  const request = { params, query, headers, body }
  return rule.tests.map((test) => {
    const [, wants = '', has = ''] = explanation.exec(hideInString(test.explain(request))) ?? []
    return { wants, has, passes: test.passes(request) }
  })
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${round(ms / 1000)} s`
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
