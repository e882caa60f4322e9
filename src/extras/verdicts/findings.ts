/** Judges what an application did wrong, from the calls of its sandbox. */
import type { SandboxFacts } from '../../gateway/extra.ts'
import { hideInString } from '../../http/secrets.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import { withoutReply } from '../../journal/journal-text.ts'
import type { Protocol } from '../../resources/protocol.ts'
import type { ScenarioProgress } from '../../scenarios/activation.ts'
import { type Attempt, attemptsIn } from './attempts.ts'
import { judges } from './judges.ts'
import { readReply } from './reading.ts'

export type FindingName =
  | 'retry-after-ignored'
  | 'not-retryable-retried'
  | 'retry-storm'
  | 'gave-up'
  | 'truncated-accepted'
  | 'error-in-stream-ignored'
  | 'duplicate-effect'
  | 'tool-result-twice'
  | 'tool-executed-on-broken-arguments'
  | 'abort-not-passed-on'
  | 'text-twice'
  | 'fault-never-acted'

/** A mistake of the application, with the calls that show it. */
export interface Finding {
  readonly name: FindingName
  readonly message: string
  /** Ids of the calls, oldest first. */
  readonly calls: readonly string[]
}

/** Facts that only the test knows. */
export interface Evidence {
  /** The outcome of the application's work, for example its text. Default: none, as if it had failed. */
  readonly result?: unknown
  /** If true, the user aborted the work. Default: false. */
  readonly userAborted?: boolean
}

/** A sandbox or gateway, in this process or another. */
export interface Judged {
  readonly journal: {
    entries(): JournalEntry[] | Promise<JournalEntry[]>
    unanswered(): JournalEntry[] | Promise<JournalEntry[]>
    readonly operations?: readonly object[]
  }
  activeScenarios(): ScenarioProgress[] | Promise<ScenarioProgress[]>
}

/** A finding, or one that lacks evidence. */
export interface Judgement extends Finding {
  readonly isJudged: boolean
}

/** @param operations Operations that read the conversations in requests. Default: those of the sandbox. */
export function findings<Sandbox extends Judged>(
  sandbox: Sandbox,
  evidence?: Evidence,
  operations?: SandboxFacts['operations'],
): FindingsOf<Sandbox> {
  return withFacts(sandbox, operations, (facts) => findingsIn(facts, evidence)) as FindingsOf<Sandbox>
}

/** A promise for a sandbox in another process. */
export type FindingsOf<Sandbox> = Sandbox extends { journal: { entries(): Promise<unknown> } }
  ? Promise<Finding[]>
  : Finding[]

export function findingsIn(facts: SandboxFacts, evidence: Evidence = {}): Finding[] {
  return judge(facts, evidence).flatMap(({ isJudged, ...finding }) => (isJudged ? finding : []))
}

/** Calls a function with the state of a sandbox. Returns a promise for a sandbox in another process. */
export function withFacts<Result>(
  sandbox: Judged,
  operations: readonly object[] = sandbox.journal.operations ?? [],
  work: (facts: SandboxFacts) => Result,
): Result | Promise<Result> {
  const parts = [sandbox.journal.entries(), sandbox.journal.unanswered(), sandbox.activeScenarios()]
  // A list of several kinds loses their order.
  const toResult = ([entries, unanswered, scenarios]: unknown[]) =>
    work({ entries, unanswered, scenarios, operations } as SandboxFacts)
  return parts.every(Array.isArray) ? toResult(parts) : Promise.all(parts).then(toResult)
}

export function judge(facts: SandboxFacts, evidence: Evidence): Judgement[] {
  const { entries, scenarios } = facts
  const all = [...entries, ...withoutReply(facts.unanswered, entries)].sort(byArrival)
  const protocols = new Map(facts.operations.map(({ id, protocol }) => [id, protocol as Reader | undefined]))
  const attempts = new Map<JournalEntry, Attempt>()
  for (const [place, entry] of all.entries()) {
    const { items = [] } = protocols.get(entry.operation ?? '')?.conversation(entry.body) ?? {}
    attempts.set(entry, { entry, number: place + 1, reading: readReply(entry), items })
  }
  const groups = attemptsIn(all).map((group) => group.flatMap((entry) => attempts.get(entry) ?? []))
  return names.flatMap((name) => {
    const found = [...judges[name]({ all: [...attempts.values()], groups, scenarios }, evidence)]
    return found.map(({ attempts, text, isJudged = true }) => {
      const calls = attempts.map(({ entry }) => entry.id)
      return { name, message: sentenceOf(attempts, text), calls, isJudged }
    })
  })
}

const names = Object.keys(judges) as FindingName[]

/** Protocols of operations have this function. */
type Reader = Pick<Protocol<unknown, unknown>, 'conversation'>

function byArrival(one: JournalEntry, other: JournalEntry): number {
  return Date.parse(one.timestamp) - Date.parse(other.timestamp) || one.elapsedMs - other.elapsedMs
}

/** Starts a sentence with the calls that it is about, such as `POST /v1/responses, calls 1, 2: …`. */
function sentenceOf(attempts: readonly Attempt[], text: string): string {
  const [first] = attempts
  if (!first) return text
  const numbers = attempts.slice(0, 5).map(({ number }) => number)
  const list = `${numbers.join(', ')}${attempts.length > 5 ? `, … ${attempts.at(-1)?.number}` : ''}`
  return hideInString(
    `${first.entry.method} ${first.entry.path}, call${attempts.length === 1 ? '' : 's'} ${list}: ${text}`,
  )
}
