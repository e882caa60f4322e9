/** Explains a call's reply as data: rules, counters, conditions, and earlier calls that used up a rule. */
import { assumptions } from '../../assumptions.ts'
import { hideInString } from '../../http/secrets.ts'
import type { CallRecord } from '../../journal/call-record.ts'
import { hiddenEntry, type JournalEntry, nearMissesOf, toEntry } from '../../journal/entry.ts'
import { deliveries, type Journal } from '../../journal/journal.ts'
import { errorToShow, sentence, turnText } from '../../journal/journal-text.ts'
import { fieldsOf } from '../../lib/json.ts'
import { firstKey } from '../../resources/collection.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { type CompiledRule, luckOf } from '../../scenarios/activation.ts'
import type { MatchedRule } from '../../scenarios/compose.ts'
import { isRecorded, ruleTitle } from '../../scenarios/names.ts'
import { isBelowLimit, type NearMiss } from '../../scenarios/near-misses.ts'
import { callerOf } from '../../scenarios/rate-limit.ts'

export interface Why {
  /** Facts about the call that do not depend on a rule. */
  facts: { label: string; text: string }[]
  /** The rules that produced or changed the reply, starting with the one that replied. */
  rules: RuleReport[]
  /** Rules that were tried but did not apply, in the order they were tried. */
  skipped: RuleReport[]
  /** Number of skipped rules that are not listed. */
  unlisted: number
  rows: { collection: string; key: string; name: string }[]
}

export interface RuleReport {
  /** Id of the rule's activation. For files and recordings: the scenario's name. */
  activation: string
  /** The rule's 1-based position in the scenario. */
  rule: number
  label: 'Applied' | 'Not reached yet' | 'Near miss'
  /** Title, such as `rule 2 of 'busy'`, and the reason if the rule did not apply. */
  text: string
  facts: string[]
  /** The rule's conditions with the request's values. */
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
  const skipped = record.skipped.flatMap(({ activation, rules, count }) =>
    rules.slice(0, count).map((source) => ({ activation, source })),
  )
  return {
    facts: [...factsOfCall(hiddenEntry(toEntry(record))), ...waitsOf(record, sandbox)],
    rules: record.matches.map((match) => appliedRule(record, match, sandbox)),
    skipped: missed.map((miss, index) => skippedRule(record, miss, skipped[index], sandbox)),
    unlisted: skipped.length - missed.length,
    rows: await rowsOf(record, sandbox),
  }
}

/** Explains a call in a failed test's file, without its sandbox's state. */
export function whyInFile(entry: JournalEntry): Why {
  const rules = entry.rules.map(({ scenario, index, name, faults }) => ({
    ...appliedReport(scenario, index, name ?? undefined),
    facts: faults.map((fault) => faultText({ name: fault })),
  }))
  const missed = entry.nearMisses.filter(({ kind }) => kind !== 'more')
  const skipped = missed.slice(0, maxListed).map(missReport)
  return { facts: factsOfCall(entry), rules, skipped, unlisted: missed.length - skipped.length, rows: [] }
}

function factsOfCall(entry: JournalEntry): Why['facts'] {
  const { status, error, rules, turn, warnings, delivery } = entry
  const rejected = errorToShow(status, error ?? undefined, rules.length > 0)
  const script =
    turn && `${turnText(turn)}, ${turn.mismatch ? `but expected ${turn.mismatch}` : 'as expected'}`
  const facts: [string, string | null | undefined][] = [
    ['Rejected', rejected],
    ['Script', script],
    ...warnings.map((warning): [string, string] => ['Warning', warning]),
    ['Delivery', deliveries[delivery]],
    ...entry.assumptions.map((name): [string, string] => [
      'Assumption',
      `${name} (unspecified): ${assumptions[name].choice}`,
    ]),
  ]
  return facts.flatMap(([label, text]) => (text ? [{ label, text: sentence(text) }] : []))
}

function waitsOf({ usage, matches }: CallRecord, { options }: Sandbox): Why['facts'] {
  const { firstToken, perToken } = options.latency ?? { firstToken: 0, perToken: 0 }
  if (!usage || firstToken + perToken === 0) return []
  const faults = matches.flatMap(({ effect }) => effect.faults)
  const added = faults.reduce((sum, fault) => sum + (fault.name === 'latency' ? fault.ms : 0), 0)
  const { outputTokens } = usage
  const total = seconds(added + firstToken + outputTokens * perToken)
  const text = `${added} ms from faults + ${firstToken} ms to the first token + ${outputTokens} tokens × ${perToken} ms = ${total}.`
  return [{ label: 'Time', text }]
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

/** A rule and its activation. All activations of a scenario have the same rule objects. */
type ActiveRule = Pick<MatchedRule, 'activation' | 'source'>

function appliedRule(record: CallRecord, match: MatchedRule, { journal }: Sandbox): RuleReport {
  const report = appliedReport(match.scenario, match.rule, match.name)
  if (isRecorded(match.scenario)) return report
  const { activation, source: rule } = match
  const uses = earlierUses(record, match, journal, match.rateLimit?.resetMs)
  return {
    ...report,
    activation: activation.id,
    facts: factsOf(record, rule, match, uses),
    conditions: conditionsOf(record, rule),
    calls: newest(uses),
  }
}

function appliedReport(scenario: string, rule: number, name: string | undefined): RuleReport {
  const text = ruleTitle(scenario, rule, name)
  return { activation: scenario, rule, label: 'Applied', text, facts: [], conditions: [], calls: [] }
}

function skippedRule(
  record: CallRecord,
  miss: NearMiss,
  active: ActiveRule | undefined,
  { journal }: Sandbox,
): RuleReport {
  const report = missReport(miss)
  if (!active) return report
  const isUsedUp = miss.kind === 'times' || miss.kind === 'sequence'
  return {
    ...report,
    activation: active.activation.id,
    conditions: conditionsOf(record, active.source),
    calls: isUsedUp ? newest(earlierUses(record, active, journal)) : [],
  }
}

function missReport(miss: NearMiss): RuleReport {
  const { scenario, rule, reason } = miss
  const label = isBelowLimit(miss) ? 'Not reached yet' : 'Near miss'
  const text = hideInString(reason)
  return { activation: scenario, rule, label, text, facts: [], conditions: [], calls: [] }
}

function newest(calls: readonly CallRecord[]): string[] {
  return calls
    .slice(-maxListed)
    .reverse()
    .map(({ id }) => id)
}

/** @param resetMs Time until the rate limit's next window, in milliseconds. */
function earlierUses(
  record: CallRecord,
  { activation: { id }, source: rule }: ActiveRule,
  journal: Journal,
  resetMs = 0,
): CallRecord[] {
  const { rateLimit } = rule
  const all = journal.records()
  const earlier = all.slice(0, all.indexOf(record))
  if (!rateLimit)
    return earlier.filter(({ matches }) =>
      matches.some(({ activation, source }) => activation.id === id && source === rule),
    )
  const start = record.at - rateLimit.per + resetMs
  const caller = callerOf(rateLimit, record)
  return earlier.filter(
    (each) =>
      each.at >= start &&
      callerOf(rateLimit, each) === caller &&
      each.skipped.some(
        ({ activation, rules, reasons }) =>
          activation.id === id && reasons.get(rules.indexOf(rule))?.kind === 'rateLimit',
      ),
  )
}

function factsOf(
  record: CallRecord,
  rule: CompiledRule,
  { effect, call }: MatchedRule,
  uses: readonly CallRecord[],
): string[] {
  const { rateLimit, probability, times, sequence, steps, script } = rule
  // A rate limit overrides its fault's parameters.
  const facts = rateLimit ? [] : effect.faults.map(faultText)
  if (effect.reply) facts.push('Scripted reply.')
  if (rateLimit) {
    const { requests, tokens, per } = rateLimit
    if (requests !== undefined) {
      // The rule applies only above the limit, so a lower number means that calls have been evicted.
      const note = uses.length < requests ? ', counting calls still in the journal' : ''
      facts.push(`Request ${uses.length + 1} in ${seconds(per)}, above the limit of ${requests}${note}.`)
    }
    if (tokens !== undefined) {
      const used = uses.reduce((sum, each) => sum + each.tokens, 0)
      facts.push(`Earlier calls used ${used} of ${tokens} tokens in ${seconds(per)}.`)
    }
    // Windows last a fixed elapsed time, whereas the reset in the reply's headers is in sandbox time.
    if (uses.length > 0) facts.push(`A new window begins ${seconds(per)} after the first of these calls.`)
  }
  if (probability !== undefined) {
    const drawn = round(luckOf(rule, record, record.state.seed))
    facts.push(`Random draw ${drawn} is below the probability ${probability}.`)
  }
  if (!script) facts.push(`This is number ${call} of the calls that match the rule's conditions.`)
  if (Number.isFinite(times)) facts.push(`Use ${uses.length + 1} of ${times}, counting calls in the journal.`)
  // The journal drops long replies, and with them the step.
  const step = steps.findIndex((each) => Object.is(each, effect)) + 1
  if (sequence && step > 0) facts.push(`Step ${step} of ${steps.length}.`)
  return facts
}

function faultText({ name, ...parameters }: { readonly name: string }): string {
  const set = Object.entries(parameters).filter(
    ([, value]) => !['{}', undefined].includes(JSON.stringify(value)),
  )
  const texts = set.map(([field, value]) => `, ${field} ${hideInString(JSON.stringify(value))}`)
  return `Fault ${name}${texts.join('')}.`
}

/** Matches the parts of a condition's explanation: `expected WANTS, but the request has HAS`. */
const explanation = /^(?:expected )?(.*?)(?:, but the request has (.*))?$/s

function conditionsOf(record: CallRecord, rule: CompiledRule): ConditionReport[] {
  const { params, query, headers, body, asksForStream } = record
  const request = { params, query, headers, body, asksForStream }
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
