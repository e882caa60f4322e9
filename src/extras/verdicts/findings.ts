/** Determines what an application did wrong, based on its sandbox's calls. */
import type { SandboxFacts } from '../../gateway/extra.ts'
import { hideInString } from '../../http/secrets.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import { allCallsText, withoutReply } from '../../journal/journal-text.ts'
import { assertInspectable, type MatcherResult, toResult, whenAll } from '../../journal/matchers.ts'
import { truncate } from '../../lib/one-line.ts'
import { shown } from '../../lib/schema-messages.ts'
import { assertNames } from '../../sandbox/sandbox-options.ts'
import type { ScenarioProgress } from '../../scenarios/activation.ts'
import { type Attempt, attemptKey, retriesIn } from './attempts.ts'
import { type Judge, judges } from './judges.ts'
import type { CountedUsage } from './ledger.ts'
import { readReply } from './reading.ts'

export type FindingName = keyof typeof judges

/** A mistake of the application, with the calls that show it. */
export interface Finding {
  readonly name: FindingName
  readonly message: string
  /** Ids of the calls, oldest first. */
  readonly calls: readonly string[]
}

/** Facts that only the test knows. */
export interface Evidence {
  /** Result of the application's work, such as a text. Default: none, which means that the application failed. */
  readonly result?: unknown
  /** If true, the user aborted the work. Default: false. */
  readonly userAborted?: boolean
}

/** A sandbox or gateway, in this process or another. */
export interface Judged {
  readonly journal: {
    entries(): JournalEntry[] | Promise<JournalEntry[]>
    unanswered(): JournalEntry[] | Promise<JournalEntry[]>
  }
  activeScenarios(): ScenarioProgress[] | Promise<ScenarioProgress[]>
}

/** A promise for a sandbox in another process. */
export type FindingsOf<Sandbox> = Sandbox extends { journal: { entries(): Promise<unknown> } }
  ? Promise<Finding[]>
  : Finding[]

/** Matchers for `expect`. `Result` is a promise in Playwright. */
export interface VerdictMatchers<Result> {
  /**
   * Asserts that the application has made no mistake: there are no findings, and no evidence is missing.
   *
   * @example expect(sandbox).toHaveRecovered({ result })
   */
  toHaveRecovered(evidence?: Evidence): Result
  /**
   * Asserts that no request was invalid or broke one of the vendors' rules listed in `docs/assumptions.md`.
   *
   * @example expect(sandbox).toHaveSentValidRequests()
   */
  toHaveSentValidRequests(): Result
  /**
   * Asserts that the application counted the same tokens and cost as `sandbox.usage()`. If a known mistake
   * explains a difference exactly, the failure message names it. Omitted fields are not compared.
   *
   * @example expect(sandbox).toAgreeWithLedger({ inputTokens, outputTokens, costUsd })
   */
  toAgreeWithLedger(counted: CountedUsage): Result
}

const evidenceNames = ['result', 'userAborted'] satisfies (keyof Evidence)[]

export function judgeRecovery(
  received: unknown,
  evidence: Evidence = {},
  operations: SandboxFacts['operations'],
): MatcherResult | Promise<MatcherResult> {
  assertInspectable(received)
  assertNames(evidence, evidenceNames, 'toHaveRecovered')
  return withFacts(received as unknown as Judged, operations, (facts) => {
    const mistakes = judge(facts, evidence).map(({ name, message, isJudged }) => {
      return `${name}${isJudged ? '' : ' (not judged)'}: ${message}`
    })
    const none = 'Expected the application not to recover, but it made no mistakes.'
    return resultOf(mistakes, facts.entries, none, 'Expected the application to recover')
  })
}

/** Returns the result of a matcher that passes if there are no problems. */
export function resultOf(
  problems: readonly string[],
  entries: readonly JournalEntry[],
  none: string,
  some: string,
): MatcherResult {
  const lines = problems.map((problem) => `\n  ${problem}`).join('')
  const message = lines === '' ? none : `${some}:${lines}\n${allCallsText({ entries })}`
  return toResult({ pass: lines === '', message })
}

export function withFacts<Result>(
  sandbox: Judged,
  operations: SandboxFacts['operations'],
  work: (facts: SandboxFacts) => Result,
) {
  if (!Object(sandbox).journal)
    throw new TypeError(`findings() requires a gateway or a sandbox, got ${shown(sandbox)}`)
  const parts = [sandbox.journal.entries(), sandbox.journal.unanswered(), sandbox.activeScenarios()] as const
  return whenAll(parts, ([entries, unanswered, scenarios]) => {
    return work({ entries: [...entries, ...withoutReply(unanswered, entries)], scenarios, operations })
  })
}

export function findingsIn(facts: SandboxFacts, evidence: Evidence = {}): Finding[] {
  assertNames(evidence, evidenceNames, 'findings()')
  return judge(facts, evidence).flatMap(({ isJudged, ...finding }) => (isJudged ? finding : []))
}

/** Returns all findings, including potential ones for which evidence is missing. */
function judge({ entries, scenarios = [], operations }: SandboxFacts, evidence: Evidence) {
  const protocols = new Map(operations.map(({ id, protocol }) => [id, protocol]))
  const sorted = entries.toSorted((one, other) => one.elapsedMs - other.elapsedMs)
  const all = sorted.map((entry): Attempt => {
    const { conversation, places } = protocols.get(entry.operation ?? '') ?? {}
    const items = conversation?.(entry.body).items ?? []
    const faults = entry.rules.flatMap((rule) => rule.faults)
    const endMs = entry.elapsedMs + (entry.durationMs ?? 0)
    return { entry, reading: readReply(entry, places), items, faults, endMs }
  })
  const groups = [...Map.groupBy(all, ({ entry }) => attemptKey(entry)).values()]
  const calls = { all, groups, retries: groups.flatMap(retriesIn), scenarios }
  return Object.entries<Judge>(judges).flatMap(([name, look]) =>
    [...look(calls, evidence)].map(({ attempts, text, isJudged = true }) => {
      const ids = attempts.map(({ entry }) => entry.id)
      return { name: name as FindingName, message: sentenceOf(attempts, text, all), calls: ids, isJudged }
    }),
  )
}

/** Prefixes a sentence with the calls that it describes, as in `POST /v1/responses, calls 1, 2: …`. */
function sentenceOf(attempts: readonly Attempt[], text: string, all: readonly Attempt[]): string {
  const [first] = attempts
  if (!first) return text
  const numbers = truncate(attempts.map((each) => all.indexOf(each) + 1).join(', '), 20)
  const { method, path } = first.entry
  return hideInString(`${method} ${path}, call${attempts.length === 1 ? '' : 's'} ${numbers}: ${text}`)
}
