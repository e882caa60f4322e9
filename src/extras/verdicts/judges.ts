/** Looks for each finding with a function of its own. */
import type { JournalEntry } from '../../journal/entry.ts'
import { canonicalJson, fieldsOf, isObject, listOf, parseJson } from '../../lib/json.ts'
import { jsonProblem } from '../../model/structured.ts'
import type { ScenarioProgress } from '../../scenarios/activation.ts'
import { ruleTitle } from '../../scenarios/names.ts'
import {
  type Attempt,
  hasFault,
  isAfter,
  isFailed,
  isRetryable,
  isSlow,
  retriesIn,
  withoutIds,
} from './attempts.ts'
import type { Evidence, FindingName } from './findings.ts'

interface Calls {
  /** All calls, oldest first. */
  readonly all: readonly Attempt[]
  /** The calls as attempts at the same thing. */
  readonly groups: readonly (readonly Attempt[])[]
  readonly scenarios: readonly ScenarioProgress[]
}

interface Found {
  readonly attempts: readonly Attempt[]
  readonly text: string
  /** False if evidence is missing. Default: true. */
  readonly isJudged?: boolean
}

type Judge = (calls: Calls, evidence: Evidence) => Iterable<Found>

export const judges: Readonly<Record<FindingName, Judge>> = {
  *'retry-after-ignored'({ groups }) {
    for (const attempts of groups.flatMap(retriesIn)) {
      const [{ entry }, retry] = attempts
      const asked = retryAfterOf(entry)
      const gap = retry.entry.elapsedMs - entry.elapsedMs
      if (gap + timerMs >= asked) continue
      const text = gap === 0 ? clockStands : `the next attempt came after ${Math.round(gap)} ms`
      yield { attempts, text: `Retry-After asked for ${asked} ms, but ${text}`, isJudged: gap > 0 }
    }
  },

  *'not-retryable-retried'({ groups }) {
    for (const attempts of groups.flatMap(retriesIn)) {
      const [{ entry }, retry] = attempts
      if (!notRetryable.has(entry.status) || requestOf(entry) !== requestOf(retry.entry)) continue
      yield { attempts, text: `the same request was sent again after a ${entry.status}, which it gets again` }
    }
  },

  *'retry-storm'({ groups }) {
    for (const group of groups) {
      const place = group.findIndex(isFailed)
      const failed = group[place]
      if (!failed) continue
      const later = group.slice(place + 1).filter((each) => isAfter(each, failed))
      // Repeating a request that changes nothing after its success is polling.
      const end = isSafe(failed) ? later.findIndex(({ reading }) => reading.ending === 'whole') : -1
      const attempts = [failed, ...(end === -1 ? later : later.slice(0, end + 1))]
      if (attempts.length > maxAttempts) {
        yield {
          attempts,
          text: `${attempts.length} attempts at the same thing; give up after ${maxAttempts}`,
        }
        continue
      }
      const gaps = gapsBetween(attempts)
      if (gaps.length < 3) continue
      const [first = 0, ...others] = gaps.slice(-3)
      if (others.some((gap) => gap > first * 1.25)) continue
      const isJudged = attempts.some(({ entry }) => entry.elapsedMs > failed.entry.elapsedMs)
      const text = isJudged ? 'the waits between the attempts do not grow' : clockStands
      yield { attempts, text, isJudged }
    }
  },

  *'gave-up'({ groups }, { result, userAborted }) {
    if (result !== undefined || userAborted) return
    for (const group of groups) {
      const last = group.at(-1)
      if (!last || !isRetryable(last)) continue
      yield { attempts: group, text: `${failureText(last)}, and no attempt followed` }
    }
  },

  *'truncated-accepted'(calls, evidence) {
    for (const attempt of brokenOffIn(calls, evidence)) {
      if (attempt.reading.ending === 'error') continue
      yield* acceptedIn(calls, evidence, attempt, 'the reply ended early', 'as if it were whole')
    }
  },

  *'error-in-stream-ignored'(calls, evidence) {
    for (const attempt of brokenOffIn(calls, evidence)) {
      const { ending, isStream } = attempt.reading
      if (ending === 'incomplete' || !isStream) continue
      const what = ending === 'error' ? 'the stream reported an error' : 'the stream broke off'
      // The other finding already says that this one cannot be judged.
      if (ending === 'error' || evidence.result !== undefined)
        yield* acceptedIn(calls, evidence, attempt, what, 'as if nothing had happened')
    }
  },

  *'duplicate-effect'({ groups, all }) {
    const troubled = all.filter(isRetryable).map(endOf)
    const firstTrouble = Math.min(...troubled)
    for (const group of groups.filter(([first]) => first && !isSafe(first))) {
      let answered: Attempt | undefined
      const failures = new Set<Attempt>()
      for (const attempt of group) {
        const retried = [...failures].find((each) => isAfter(attempt, each))
        if (retried) failures.delete(retried)
        else if (answered && isAfter(attempt, answered) && !hasSameKey(attempt, answered)) {
          const isCausedByFailure = isDisturbed(answered) || attempt.entry.elapsedMs >= firstTrouble
          if (isCausedByFailure)
            yield {
              attempts: [answered, attempt],
              text: 'a request that had been answered in full was sent again without its idempotency key',
            }
        }
        if (isAnswered(attempt)) answered ??= attempt
        else failures.add(attempt)
      }
    }
  },

  *'tool-result-twice'({ all }) {
    for (const attempt of all) {
      const results = attempt.items.filter((item) => item.kind === 'result')
      const texts = results.map(({ id, text }) => canonicalJson([id, text]))
      const twice = results.find((_, place) => texts.indexOf(texts[place] ?? '') < place)
      if (!twice) continue
      yield { attempts: [attempt], text: `the history has the result of the call ${twice.id} twice` }
      return
    }
  },

  *'tool-executed-on-broken-arguments'({ all }) {
    const sent = new Map<string, [Attempt, string]>()
    for (const attempt of all) {
      for (const item of attempt.items) {
        const [reply, args] = (item.kind === 'result' && sent.get(item.id)) || []
        if (item.kind !== 'result' || !reply || args === undefined || refusal.test(item.text)) continue
        sent.delete(item.id)
        const problem = problemOf(args, reply, attempt, item.id)
        if (problem === undefined) continue
        const text = `the result of ${item.id} was sent, although the arguments of that call are ${problem}`
        yield { attempts: [reply, attempt], text }
      }
      for (const [id, args] of attempt.reading.calls) sent.set(id, [attempt, args])
    }
  },

  *'abort-not-passed-on'({ all }, { userAborted }) {
    const last = all.at(-1)
    if (!userAborted || !last) return
    const open = all.filter(({ entry }) => entry.durationMs === null)
    if (open.length > 0) {
      yield { attempts: open, text: 'the user aborted, but the connection is still open' }
      return
    }
    const isEnded = all.some(({ entry }) => entry.delivery === 'aborted-by-client') || isRetryable(last)
    if (!isEnded) yield { attempts: [last], text: 'the user aborted, but the reply was read to its end' }
  },

  *'text-twice'({ groups }, { result }) {
    const leaves = leavesOf(result)
    for (const group of groups)
      for (const attempts of retriesIn(group)) {
        const [begun, again] = attempts.map(({ reading }) => squeezed(reading.text))
        if (!begun || !again || !leaves.some((leaf) => startsTwice(leaf, begun, again, leaves))) continue
        yield { attempts, text: 'the result has the beginning of the text twice' }
        break
      }
  },

  *'fault-never-acted'({ scenarios, all }) {
    for (const { name: scenario, rules } of scenarios) {
      const isUsed = rules.some(({ applied }) => applied > 0)
      for (const { rule, name, on, applied, matched, source } of rules) {
        const { fault, probability, rateLimit, during } = source
        if (fault === undefined || probability !== undefined || rateLimit || during || applied > 0) continue
        if (matched === 0 && isUsed) continue
        const missed = all.flatMap(({ entry }) => entry.nearMisses)
        const miss = missed.findLast((each) => each.scenario === scenario && each.rule === rule)
        const why =
          matched === 0
            ? (miss?.reason ?? `no call to ${on.join(', ')} matched it`)
            : 'it found nothing to act on'
        yield { attempts: [], text: `The fault of ${ruleTitle(scenario, rule, name)} never acted: ${why}` }
      }
    }
  },
}

const clockStands = 'the wait cannot be judged, because the clock of the sandbox stands still (timeScale: 0)'
const notRetryable = new Set([400, 401, 403, 404, 413, 422])
const maxAttempts = 5
/** Timers may fire this early. */
const timerMs = 5

/** Returns the milliseconds in `Retry-After`; 0 without a valid one. */
function retryAfterOf({ responseHeaders, timestamp }: JournalEntry): number {
  const text = responseHeaders['retry-after'] ?? ''
  const ms = /^\d/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.parse(timestamp)
  return ms || 0
}

/** Returns what makes a request the same: its content, parameters and credentials. */
function requestOf({ headers, body, requestText }: JournalEntry): string {
  const { authorization, 'x-api-key': key } = headers
  return canonicalJson([authorization, key, withoutIds(body) ?? requestText.text])
}

/** Returns the waits between attempts in milliseconds, except those that `Retry-After` asked for. */
function gapsBetween(attempts: readonly Attempt[]): number[] {
  return attempts.slice(1).flatMap((next, place) => {
    const before = attempts[place] as Attempt
    return retryAfterOf(before.entry) > 0 ? [] : Math.max(0, next.entry.elapsedMs - endOf(before))
  })
}

function endOf({ entry }: Attempt): number {
  return entry.elapsedMs + (entry.durationMs ?? 0)
}

function failureText({ entry, reading }: Attempt): string {
  if (reading.ending === 'rejected') return `the reply was a ${entry.status}`
  return reading.ending === 'cut' ? 'the reply ended early' : 'there was no reply'
}

/** Returns the last attempts whose reply has only a part of the answer. */
function* brokenOffIn({ groups }: Calls, { userAborted }: Evidence): Iterable<Attempt> {
  for (const group of groups) {
    const last = group.at(-1)
    if (!last || !/^(?:cut|error|incomplete)$/.test(last.reading.ending)) continue
    const { delivery, rules } = last.entry
    // Limits in a request, and disconnecting, are the client's own choice.
    const isOwn = last.reading.ending === 'incomplete' ? rules.length === 0 : delivery === 'aborted-by-client'
    if (!isOwn || (hasFault(last.entry) && !userAborted)) yield last
  }
}

function* acceptedIn(
  { all }: Calls,
  { result }: Evidence,
  attempt: Attempt,
  what: string,
  how: string,
): Iterable<Found> {
  const attempts = [attempt]
  if (result === undefined) {
    const text = `${what}, and no attempt followed: pass the application's result, so that it can be judged`
    yield { attempts, text, isJudged: false }
    return
  }
  const part = squeezed(attempt.reading.text)
  const others = all.flatMap(({ reading }) => (reading.ending === 'whole' ? squeezed(reading.text) : []))
  const known = [squeezed(attempt.entry.requestText.text), ...others]
  const isTaken = leavesOf(result)
    .filter((leaf) => !known.some((text) => text.includes(leaf)))
    .some((leaf) => leaf === part || overlaps(leaf, part) || overlaps(part, leaf))
  if (isTaken && !isMarked(result)) yield { attempts, text: `${what}, but its text is in the result ${how}` }
}

/** Returns true if an application says that its result is incomplete, as in `{ text, stopped: true }`. */
function isMarked(result: unknown): boolean {
  return Object.entries(fieldsOf(result)).some(([name, value]) => {
    if (value === false) return /^(?:is)?(?:complete|completed|done|finished|final|ok|whole)$/i.test(name)
    const word = value === true ? name : typeof value === 'string' && /^\S+$/.test(value) ? value : ''
    return /partial|incomplete|truncat|interrupt|stopped|abort|cancel|fail|error/i.test(word)
  })
}

const minOverlap = 8

function overlaps(whole: string, part: string): boolean {
  return part.length >= minOverlap && whole.includes(part)
}

function isAnswered({ entry, reading }: Attempt): boolean {
  return reading.ending === 'whole' || entry.rules.some(({ faults }) => faults.includes('lost-reply'))
}

/** Returns true if the reply was whole, but a fault may have made it look as if it were not. */
function isDisturbed({ entry }: Attempt): boolean {
  return entry.rules.some(({ faults }) => faults.some((name) => !isSlow(name)))
}

function hasSameKey({ entry: one }: Attempt, { entry: other }: Attempt): boolean {
  const [key, otherKey] = [one, other].map(
    ({ headers }) => headers['idempotency-key'] ?? headers['x-idempotency-key'],
  )
  return key !== undefined && key === otherKey
}

function isSafe({ entry }: Attempt): boolean {
  return !/^(?:POST|PATCH)$/.test(entry.method)
}

/** Results with which an application refuses arguments, instead of running the function. */
const refusal = /\b(?:error|invalid|malformed|unknown|missing|not valid|cannot|could not)\b/i

function problemOf(args: string, reply: Attempt, next: Attempt, id: string): string | undefined {
  const isWhole = reply.reading.ending === 'whole'
  if (!isObject(parseJson(args || (isWhole ? '{}' : '')))) return `not whole JSON: ${JSON.stringify(args)}`
  const { tools } = fieldsOf(next.entry.body)
  const call = next.items.find((item) => item.kind === 'call' && item.id === id)
  if (!hasFault(reply.entry) || call?.kind !== 'call') return undefined
  const offered = listOf(tools).map((tool) => fieldsOf(fieldsOf(tool)['function'] ?? tool))
  const tool = offered.find(({ name }) => name === call.name)
  const schema = tool?.['parameters'] ?? tool?.['input_schema']
  const problem = isObject(schema) ? jsonProblem(args || '{}', schema) : undefined
  return problem && `invalid: ${problem}`
}

function startsTwice(leaf: string, begun: string, again: string, leaves: readonly string[]): boolean {
  const at = leaf.lastIndexOf(again)
  if (at === -1) return false
  const before = leaf.slice(0, at)
  return (
    before.endsWith(begun) ||
    overlaps(before, begun) ||
    (begun.length >= minOverlap && leaves.includes(begun))
  )
}

/** Returns the texts in a value, and those of lists of texts joined, without white space. */
function leavesOf(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return value === '' ? [] : [squeezed(value)]
  if (typeof value !== 'object' || value === null || depth > 20) return []
  const inner = Object.values(value)
  const isText = Array.isArray(value) && value.every((each) => typeof each === 'string')
  return [
    ...(isText ? [squeezed(value.join(''))] : []),
    ...inner.flatMap((each) => leavesOf(each, depth + 1)),
  ]
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, '')
}
