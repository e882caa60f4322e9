/** Judges what an application did wrong, from the calls of its sandbox. */
import type { SandboxFacts } from '../../gateway/extra.ts'
import { hideInString } from '../../http/secrets.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import { withoutReply } from '../../journal/journal-text.ts'
import type { Protocol } from '../../resources/protocol.ts'
import type { ScenarioProgress } from '../../scenarios/activation.ts'
import type { KnownOperation } from '../../scenarios/check-scenario.ts'
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
    readonly operations?: readonly KnownOperation[]
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
  const facts = factsOf(sandbox, operations)
  const found =
    facts instanceof Promise
      ? facts.then((known) => findingsIn(known, evidence))
      : findingsIn(facts, evidence)
  return found as FindingsOf<Sandbox>
}

/** A promise for a sandbox in another process. */
export type FindingsOf<Sandbox> = Sandbox extends { journal: { entries(): Promise<unknown> } }
  ? Promise<Finding[]>
  : Finding[]

export function findingsIn(facts: SandboxFacts, evidence: Evidence = {}): Finding[] {
  return judge(facts, evidence).flatMap(({ isJudged, ...finding }) => (isJudged ? finding : []))
}

export function factsOf(
  sandbox: Judged,
  operations?: SandboxFacts['operations'],
): SandboxFacts | Promise<SandboxFacts> {
  const { journal } = sandbox
  const parts = [journal.entries(), journal.unanswered(), sandbox.activeScenarios()]
  // A list of several kinds loses their order.
  const toFacts = ([entries, unanswered, scenarios]: unknown[]) =>
    ({ entries, unanswered, scenarios, operations: operations ?? journal.operations ?? [] }) as SandboxFacts
  return parts.every(Array.isArray) ? toFacts(parts) : Promise.all(parts).then(toFacts)
}

export function judge(
  { entries, unanswered, scenarios, operations }: SandboxFacts,
  evidence: Evidence,
): Judgement[] {
  const all = [...entries, ...withoutReply(unanswered, entries)].sort(byArrival)
  const protocols = new Map(operations.map(({ id, protocol }) => [id, protocol as Reader | undefined]))
  const attempts = new Map(
    all.map((entry, place): [JournalEntry, Attempt] => {
      const conversation = protocols.get(entry.operation ?? '')?.conversation(entry.body)
      return [
        entry,
        { entry, number: place + 1, reading: readReply(entry), items: conversation?.items ?? [] },
      ]
    }),
  )
  const groups = attemptsIn(all).map((group) => group.flatMap((entry) => attempts.get(entry) ?? []))
  const calls = { all: [...attempts.values()], groups, scenarios }
  return Object.entries(judges).flatMap(([name, find]) =>
    [...find(calls, evidence)].map(({ attempts, text, isJudged = true }) => {
      return {
        name: name as FindingName,
        message: sentenceOf(attempts, text),
        calls: idsOf(attempts),
        isJudged,
      }
    }),
  )
}

/** Protocols of operations have this function. */
type Reader = Pick<Protocol<unknown, unknown>, 'conversation'>

function byArrival(one: JournalEntry, other: JournalEntry): number {
  return one.timestamp === other.timestamp
    ? one.elapsedMs - other.elapsedMs
    : one.timestamp < other.timestamp
      ? -1
      : 1
}

/** Starts a sentence with the calls that it is about, such as `POST /v1/responses, calls 1 and 2: …`. */
function sentenceOf(attempts: readonly Attempt[], text: string): string {
  const [first] = attempts
  if (!first) return text
  const { method, path } = first.entry
  const numbers = attempts.map(({ number }) => number)
  const listed = numbers.length < 6 ? numbers : [...numbers.slice(0, 5), `${numbers.length - 5} more`]
  const list = listed.length === 1 ? listed[0] : `${listed.slice(0, -1).join(', ')} and ${listed.at(-1)}`
  return hideInString(`${method} ${path}, call${numbers.length === 1 ? '' : 's'} ${list}: ${text}`)
}

function idsOf(attempts: readonly Attempt[]): string[] {
  return attempts.map(({ entry }) => entry.id)
}
