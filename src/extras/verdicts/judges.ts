/** Looks for findings, with one function per kind of finding. */
import type { JournalEntry } from '../../journal/entry.ts'
import { wallClock } from '../../lib/clock.ts'
import { canonicalJson, fieldsOf, isObject, listOf, parseJson } from '../../lib/json.ts'
import { walk } from '../../lib/value-path.ts'
import { jsonProblem } from '../../model/structured.ts'
import type { ScenarioProgress } from '../../scenarios/activation.ts'
import { modelOf } from '../../scenarios/condition.ts'
import { ruleTitle } from '../../scenarios/names.ts'
import {
  type Attempt,
  isAfter,
  isFailed,
  isRetryable,
  isSlow,
  type retriesIn,
  withoutIds,
} from './attempts.ts'
import type { Evidence } from './findings.ts'
import { type Reading, squeezed } from './reading.ts'

interface Calls {
  readonly all: readonly Attempt[]
  /** The calls, grouped into attempts at the same thing. */
  readonly groups: readonly (readonly Attempt[])[]
  readonly retries: ReturnType<typeof retriesIn>
  readonly scenarios: readonly ScenarioProgress[]
}

interface Found {
  readonly attempts: readonly Attempt[]
  readonly text: string
  /** If false, evidence is missing. Default: true. */
  readonly isJudged?: boolean
}

export type Judge = (calls: Calls, evidence: Evidence) => Iterable<Found>

export const judges = {
  *'retry-after-ignored'({ retries }) {
    for (const attempts of retries) {
      const [{ entry }, retry] = attempts
      const asked = retryAfterOf(entry)
      const gap = retry.entry.elapsedMs - entry.elapsedMs
      // Limits are often per model.
      if (modelOf(entry.body) !== modelOf(retry.entry.body)) continue
      const unknownDate = isInOtherTime(entry) ? dateInOtherTime : ''
      const unjudged = gap > 0 ? unknownDate : 'the clock stands still (timeScale: 0)'
      const what = unjudged || `the next attempt came after ${Math.round(gap)} ms`
      if (gap + timerMs < asked)
        yield { attempts, text: `Retry-After asked for ${asked} ms, but ${what}`, isJudged: !unjudged }
    }
  },

  *'not-retryable-retried'({ retries }) {
    for (const attempts of retries) {
      const [{ entry }, retry] = attempts
      if (notRetryable.has(entry.status) && requestOf(entry) === requestOf(retry.entry))
        yield { attempts, text: `the same request was sent again after a ${entry.status}` }
    }
  },

  *'retry-storm'({ groups }) {
    for (const group of groups) {
      const failed = group.find(isFailed)
      if (!failed) continue
      const later = group.slice(group.indexOf(failed) + 1).filter((each) => isAfter(each, failed))
      // Repeating a request that changes nothing after its success is polling.
      const end = isSafe(failed) ? later.findIndex(({ reading }) => reading.ending === 'whole') : -1
      const attempts = [failed, ...(end === -1 ? later : later.slice(0, end + 1))]
      const [first = 0, second = 0, third = 0] = gapsBetween(attempts).slice(-3)
      if (attempts.length > maxAttempts) yield { attempts, text: `more than ${maxAttempts} attempts` }
      else if (first > 2 * timerMs && third > 0 && Math.max(second, third) < 1.25 * first)
        yield { attempts, text: 'the waits between them do not grow' }
    }
  },

  *'gave-up'({ groups }, { result, userAborted }) {
    if (result !== undefined || userAborted) return
    for (const group of groups) {
      const last = group.at(-1)
      if (!last || !isRetryable(last)) continue
      const ends = { rejected: `was a ${last.entry.status}`, cut: 'ended early', none: 'is missing' }
      const what = ends[last.reading.ending as keyof typeof ends]
      yield { attempts: group, text: `the reply ${what}, and no attempt followed` }
    }
  },

  'truncated-accepted': accepted('the reply ended early', ({ ending }) => ending !== 'error'),

  'error-in-stream-ignored': accepted('the stream failed', ({ ending, isStream }) => {
    return isStream && ending === 'error'
  }),

  *'duplicate-effect'({ groups, all }) {
    const isChanged = ({ faults }: Attempt) => faults.some((name) => !isSlow(name))
    const isTrouble = (each: Attempt) =>
      isRetryable(each) || each.reading.ending === 'error' || isChanged(each)
    const firstTrouble = Math.min(...all.filter(isTrouble).map(({ endMs }) => endMs))
    for (const group of groups.filter(([first]) => first && !isSafe(first))) {
      let answered: Attempt | undefined
      const failures = new Set<Attempt>()
      for (const attempt of group) {
        const retried = [...failures].find((each) => isAfter(attempt, each))
        const isSame = answered && keyOf(answered) !== undefined && keyOf(answered) === keyOf(attempt)
        if (retried) failures.delete(retried)
        else if (answered && isAfter(attempt, answered) && !isSame) {
          const attempts = [answered, attempt]
          // Otherwise, the application had no reason to repeat itself, and meant to.
          if (isChanged(answered) || attempt.entry.elapsedMs >= firstTrouble)
            yield { attempts, text: 'a request that had been answered in full was sent again' }
        }
        if (attempt.reading.ending === 'whole' || attempt.faults.includes('lost-reply')) answered ??= attempt
        else failures.add(attempt)
      }
    }
  },

  *'tool-result-twice'({ all }) {
    // Ids that the gateway used twice have two results.
    if (all.some(({ faults }) => faults.includes('tool-call'))) return
    for (const attempt of all) {
      const seen = new Set<string>()
      const results = attempt.items.filter((item) => item.kind === 'result')
      const twice = results.find(({ id, text }) => seen.size === seen.add(JSON.stringify([id, text])).size)
      if (twice) return yield { attempts: [attempt], text: `the history has the result of ${twice.id} twice` }
    }
  },

  *'tool-executed-on-broken-arguments'({ all }) {
    const sent = new Map<string, Attempt>()
    for (const attempt of all) {
      for (const item of attempt.items) {
        const reply = item.kind === 'result' && !refusal.test(item.text) ? sent.get(item.id) : undefined
        if (item.kind !== 'result' || !reply) continue
        sent.delete(item.id)
        const problem = problemOf(reply, attempt, item.id)
        if (problem)
          yield { attempts: [reply, attempt], text: `${item.id} ran, but its arguments are ${problem}` }
      }
      for (const id of attempt.reading.calls.keys()) sent.set(id, attempt)
    }
  },

  *'abort-not-passed-on'({ all }, { userAborted }) {
    const last = all.at(-1)
    if (!userAborted || !last) return
    const open = all.filter(({ entry }) => entry.durationMs === null)
    const isClosed = all.some(({ entry }) => entry.delivery === 'aborted-by-client') || isRetryable(last)
    if (open.length > 0) yield { attempts: open, text: 'the user aborted, but the connection is open' }
    else if (!isClosed)
      yield { attempts: [last], text: 'the user aborted, but the reply was read to its end' }
  },

  *'text-twice'({ retries }, { result }) {
    const leaves = leavesOf(result)
    for (const attempts of retries) {
      const [begun, again] = attempts.map(({ reading }) => reading.text) as [string, string]
      const isTwice = leaves.some((leaf) => {
        const at = again === '' || begun === '' ? -1 : leaf.lastIndexOf(again)
        const before = leaf.slice(0, Math.max(0, at))
        const isApart = at >= 0 && leaf !== begun && begun.length >= minOverlap && leaves.includes(begun)
        return isApart || (at > 0 && (before.endsWith(begun) || overlaps(before, begun)))
      })
      if (isTwice) yield { attempts, text: 'the result has the beginning of the text twice' }
    }
  },

  *'fault-never-acted'({ scenarios, all }) {
    // A rule or a turn that replies is used even if its fault finds nothing to act on.
    const answers = all.flatMap(({ entry }) => entry.rules.filter(({ kind }) => kind === 'answer'))
    for (const fault of new Set(answers.flatMap(({ faults }) => faults))) {
      const attempts = all.filter(({ faults }) => faults.includes(fault))
      const reasons = attempts.map(({ entry }) => {
        return entry.warnings.find((each) => each.startsWith(`'${fault}' found nothing to act on`))
      })
      const [text] = reasons
      if (text !== undefined && !reasons.includes(undefined)) yield { attempts, text }
    }
    for (const { name: scenario, rules } of scenarios) {
      const isUsed = rules.some(({ applied }) => applied > 0)
      const misses = all.flatMap(({ entry }) => entry.nearMisses)
      for (const { rule, name, on, applied, matched, source } of rules) {
        const isByChance = source.probability !== undefined || source.rateLimit || source.during
        if (!source.fault || isByChance || applied > 0 || (isUsed && matched === 0)) continue
        const miss = misses.findLast((each) => each.scenario === scenario && each.rule === rule)
        const unmatched = miss?.reason ?? `no call to ${on.join(', ')} matched it`
        const why = matched > 0 ? 'it found nothing to act on' : unmatched
        yield { attempts: [], text: `The fault of ${ruleTitle(scenario, rule, name)} had no effect: ${why}` }
      }
    }
  },
} satisfies Record<string, Judge>

const notRetryable = new Set([400, 401, 403, 404, 413, 422])
const maxAttempts = 5
/** Timers may fire up to this many milliseconds early. */
const timerMs = 5

/** Returns the wait that a reply requests, in milliseconds; 0 without a valid header. SDKs prefer `retry-after-ms`. */
function retryAfterOf({ responseHeaders, timestamp }: JournalEntry): number {
  const { 'retry-after': text = '', 'retry-after-ms': ms } = responseHeaders
  if (ms !== undefined) return Number(ms) || 0
  return (/^\d/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.parse(timestamp)) || 0
}

const dateInOtherTime = "its date is in sandbox time, which the client does not know: set clock: 'system'"

/** Returns true for a date in `Retry-After` that is not in the client's time. */
function isInOtherTime({ responseHeaders, timestamp }: JournalEntry): boolean {
  const { 'retry-after': text = '', 'retry-after-ms': ms } = responseHeaders
  const differenceMs = Math.abs(Number(wallClock()) - Date.parse(timestamp))
  return ms === undefined && !/^\d/.test(text) && differenceMs > 60_000
}

function requestOf({ headers, body, requestText }: JournalEntry): string {
  const { authorization, 'x-api-key': key } = headers
  return canonicalJson([authorization, key, withoutIds(body) ?? requestText.text])
}

/** Returns the waits between attempts in milliseconds, except waits that `Retry-After` asked for. */
function gapsBetween(attempts: readonly Attempt[]): number[] {
  return attempts.slice(1).flatMap((next, place) => {
    const before = attempts[place] as Attempt
    return retryAfterOf(before.entry) > 0 ? [] : Math.max(0, next.entry.elapsedMs - before.endMs)
  })
}

/** Judges the last attempt of each group if its reply contains only part of the answer. */
function accepted(what: string, concerns: (reading: Reading) => boolean): Judge {
  return function* ({ all, groups }, { result, userAborted }) {
    const leaves = leavesOf(result)
    const starts = startsOf(result)
    const whole = all.flatMap(({ reading }) => (reading.ending === 'whole' ? reading.text : []))
    for (const attempt of groups.flatMap((group) => group.at(-1) ?? [])) {
      const { entry, reading } = attempt
      if (!/^(?:cut|error|incomplete)$/.test(reading.ending) || !concerns(reading)) continue
      // Limits in a request, and disconnecting, are the client's own choice.
      const isOwn =
        reading.ending === 'incomplete' ? entry.rules.length === 0 : entry.delivery === 'aborted-by-client'
      if (isOwn && (userAborted || attempt.faults.length === 0)) continue
      const known = [squeezed(entry.requestText.text), ...whole]
      const isIts = (leaf: string) =>
        leaf === reading.text || overlaps(leaf, reading.text) || overlaps(reading.text, leaf)
      const isNew = (text: string) => !known.some((each) => each.includes(text))
      const isTaken =
        leaves.some((leaf) => isIts(leaf) && isNew(leaf)) ||
        starts.some((start) => reading.text.startsWith(start) && isNew(start))
      const isJudged = result !== undefined
      if (!isJudged || (isTaken && !isMarked(result)))
        yield { attempts: [attempt], text: `${what}, ${isJudged ? unmarked : unjudged}`, isJudged }
    }
  }
}

const unmarked =
  'but the result has its text as if it were whole, without a mark such as { text, partial: true }'
const unjudged = 'and no attempt followed: pass the result of the application'

/** Returns true if an application marks its result as incomplete, as in `{ text, stopped: true }`. */
function isMarked(result: unknown): boolean {
  return Object.entries(fieldsOf(result)).some(([name, value]) => {
    if (value === false) return /^(?:is)?(?:complete|completed|done|finished|final|ok|whole)$/i.test(name)
    if (value === null) return /^(?:finish|stop)_?reason$/i.test(name)
    if (/error/i.test(name) && value && Object(value).length !== 0) return true
    const word = value === true ? name : typeof value === 'string' && /^\S+$/.test(value) ? value : ''
    return /partial|incomplete|truncat|interrupt|stopped|abort|cancel|fail|error|^(?:is)?_?cut/i.test(word)
  })
}

const minOverlap = 8

function overlaps(whole: string, part: string): boolean {
  return part.length >= minOverlap && whole.includes(part)
}

const keyOf = ({ entry: { headers } }: Attempt) => headers['idempotency-key'] ?? headers['x-idempotency-key']

function isSafe({ entry }: Attempt): boolean {
  return !/^(?:POST|PATCH)$/.test(entry.method)
}

/** Matches results that report invalid arguments instead of the function's outcome. */
const refusal = /\b(?:error|invalid|malformed|unknown|missing|not valid|cannot|could not)\b/i

function problemOf(reply: Attempt, { entry, items }: Attempt, id: string): string | undefined {
  const { ending, calls } = reply.reading
  const call = items.find((item) => item.kind === 'call' && item.id === id)
  const returned = call?.kind === 'call' ? call.arguments : ''
  // A stream can contain the arguments again as a whole, next to broken deltas.
  const isWhole = returned !== '' && reply.entry.responseBody.text.includes(JSON.stringify(returned))
  const sent = isWhole ? returned : (calls.get(id) ?? '')
  // Functions without parameters are also called without arguments.
  const args = sent === '' && ending === 'whole' ? '{}' : sent
  const offered = listOf(fieldsOf(entry.body)['tools']).map(fieldsOf)
  const tools = offered.map((tool) => fieldsOf(tool['function'] ?? tool))
  const tool = fieldsOf(tools.find(({ name }) => call?.kind === 'call' && name === call.name))
  // A custom tool takes any text.
  if (tool['type'] === 'custom') return undefined
  if (!isObject(parseJson(args))) return `not whole JSON: ${args}`
  const schema = tool['parameters'] ?? tool['input_schema']
  return reply.faults.length > 0 && isObject(schema) ? jsonProblem(args, schema) : undefined
}

/** Returns the JSON of a result and of its objects, without closing characters, which repaired JSON has elsewhere. */
function startsOf(result: unknown): string[] {
  const inside = [...walk(result)].filter(([, value]) => Object(value) === value)
  if (inside.some(([, , isInItself]) => isInItself)) return []
  const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
  return inside.map(([, value]) => squeezed(String(JSON.stringify(value, plain))).replace(/["\]}]*$/, ''))
}

/** Returns a value's strings, and the joined strings from each list of strings, all without white space. */
function leavesOf(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [squeezed(value)].filter((text) => text !== '')
  if (typeof value !== 'object' || value === null || depth > 20) return []
  const inner: unknown[] = Object.values(value)
  const isList = Array.isArray(value) && inner.every((each) => typeof each === 'string')
  return [...(isList ? leavesOf(inner.join('')) : []), ...inner.flatMap((each) => leavesOf(each, depth + 1))]
}
