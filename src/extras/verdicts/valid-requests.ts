/** The matcher `toHaveSentValidRequests`. */
import type { JournalEntry } from '../../journal/entry.ts'
import { allCallsText } from '../../journal/journal-text.ts'
import { assertInspectable, type MatcherResult, whenAll } from '../../journal/matchers.ts'
import { resultOf } from './findings.ts'

export function judgeRequests(received: unknown): MatcherResult | Promise<MatcherResult> {
  assertInspectable(received)
  return whenAll([received.journal.entries()], ([entries]) => {
    const problems = entries.flatMap((entry, place) => {
      return problemsOf(entry).map((text) => `${entry.method} ${entry.path}, call ${place + 1}: ${text}`)
    })
    // Fails with `.not`, too.
    if (problems.length === 0 && entries.every(({ brokenRules }) => brokenRules === null))
      throw new Error(`toHaveSentValidRequests() cannot judge: ${unchecked}\n${allCallsText({ entries })}`)
    const none = 'Expected an invalid request, but all were valid.'
    return resultOf(problems, entries, none, 'Expected valid requests')
  })
}

const unchecked =
  'no request was checked. None is if a recording, a body, frames or an error reply, or with `onlySpecified`.'

function problemsOf({ brokenRules, rules, status, error }: JournalEntry): string[] {
  if (brokenRules?.length)
    return brokenRules.map(({ rule, param, message }) => `${param}: ${message} (rule ${rule})`)
  const isRefused = rules.length === 0 && invalid.includes(status)
  return isRefused ? [`refused with ${status}: ${error}`] : []
}

/** Statuses that the gateway itself uses to reject invalid requests. */
const invalid = [400, 404, 405, 413, 415, 422]
