/** Judges what an application did wrong, from the calls of its sandbox. */
import type { JournalEntry } from '../../journal/entry.ts'
import type { Inspectable } from '../../journal/matchers.ts'
import { attemptsIn } from './attempts.ts'
import { type Reading, readReply } from './reading.ts'

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
  /** The outcome of the application's work, for example its text. Default: unknown. */
  readonly result?: unknown
  /** If true, the user aborted the request. Default: false. */
  readonly userAborted?: boolean
}

interface Attempt {
  readonly entry: JournalEntry
  readonly number: number
  readonly reading: Reading
}

type Attempts = readonly Attempt[]
type Judge = (groups: readonly Attempts[], evidence: Evidence) => Iterable<Omit<Finding, 'name'>>

const judges: Partial<Record<FindingName, Judge>> = {
  *'not-retryable-retried'(groups) {
    for (const attempts of groups)
      for (const [before, after] of pairs(attempts))
        if ([400, 401, 403, 404, 413, 422].includes(before.entry.status))
          yield found([before, after], `a ${before.entry.status} was sent again`)
  },
}

function pairs(attempts: Attempts): (readonly [Attempt, Attempt])[] {
  return attempts.slice(1).map((after, place) => [attempts[place] as Attempt, after])
}

function found(attempts: Attempts, text: string): Omit<Finding, 'name'> {
  const [first] = attempts
  const { method, path } = first?.entry ?? { method: '', path: '' }
  return {
    message: `${method} ${path}, call ${first?.number}: ${text}`,
    calls: attempts.map(({ entry }) => entry.id),
  }
}

/** Returns the findings of a sandbox or gateway. A promise for a remote one. */
export function findings(sandbox: Inspectable, evidence: Evidence = {}): Finding[] | Promise<Finding[]> {
  const { journal } = sandbox
  const entries = journal.entries()
  if (entries instanceof Promise) return entries.then((all) => judge(all, evidence))
  return judge(entries, evidence)
}

function judge(entries: readonly JournalEntry[], evidence: Evidence): Finding[] {
  const numbers = new Map(entries.map((entry, place) => [entry, place + 1]))
  const groups = attemptsIn(entries).map((group) =>
    group.map((entry) => ({ entry, number: numbers.get(entry) ?? 0, reading: readReply(entry) })),
  )
  return Object.entries(judges).flatMap(([name, find]) =>
    [...find(groups, evidence)].map((each) => ({ name: name as FindingName, ...each })),
  )
}
