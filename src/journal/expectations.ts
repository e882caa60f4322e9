/**
 * What a test expects of a journal: compared by data alone, so that a comparison can travel,
 * judged, and put into words with what came instead.
 */
import { hidden } from '../http/secrets.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { textOperations } from '../scenarios/names.ts'
import { titleOf } from '../scenarios/near-misses.ts'
import type { UnusedRule } from '../scenarios/rules.ts'
import type { ScriptProgress } from '../scenarios/use.ts'
import { assertEntryFields, hidePart, type JournalEntry } from './entry.ts'
import { callList, calls } from './journal-text.ts'

export interface Verdict {
  pass: boolean
  /** Says what came instead; where it passes, what speaks against its opposite. */
  message: string
  /** The nearest call, cut down to the fields that were looked for, and those: for a diff. */
  actual?: unknown
  expected?: unknown
}

/** What is looked for among the calls. */
export interface Wanted {
  operation: string
  /** Fields that a call must have. */
  match?: unknown
  /** Default: once or more. */
  times?: number
}

/** Whether a value has all that is wanted of it. */
type Comparison = (value: unknown, wanted: unknown) => boolean

/** Judges whether an operation was called, with these fields, so often. */
export function judgeCalls(
  entries: readonly JournalEntry[],
  { operation, match, times }: Wanted,
  has: Comparison,
): Verdict {
  assertEntryFields(match)
  const called = entries.filter((entry) => entry.operation === operation)
  const found = match === undefined ? called : called.filter((entry) => has(entry, match))
  const pass = times === undefined ? found.length > 0 : found.length === times
  const many = times === undefined ? 'a call' : calls(times)
  const what = match === undefined ? `of ${operation}` : `of ${operation} with these fields`
  const wish = pass ? `Expected anything but ${many} ${what}` : `Expected ${many} ${what}`
  const received = `received ${found.length === 0 ? 'none' : found.length}`

  const other = called.filter((entry) => !found.includes(entry))
  const nearest = match === undefined ? undefined : nearestTo(match, other, has)
  if (pass || nearest === undefined) {
    return { pass, message: `${wish}, ${received}.\n${inAll(entries)}` }
  }
  const which = entries.indexOf(nearest) + 1
  return {
    pass,
    message: `${wish}, ${received}. The nearest is call ${which}, see the difference below.\n${inAll(entries)}`,
    ...withoutSecrets(cutTo(match, nearest), match),
  }
}

/** Judges whether every call had an operation or a rule to answer it, and guesses what the others meant. */
export function judgeUnmatched(
  entries: readonly JournalEntry[],
  operations: readonly { method: string; path: string }[],
): Verdict {
  const unmatched = entries.filter(({ operation, rule }) => operation === null && rule === null)
  if (unmatched.length === 0) return { pass: true, message: 'Expected a call that nothing answers.' }
  const known = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  const guesses = unmatched.map(({ method, path }) => {
    const asked = `${method} ${path.replace(/^.*?\/api\/v1(?=\/)/, '')}`
    return `  '${asked}'${didYouMean(asked, known)}`
  })
  const many = calls(unmatched.length)
  return {
    pass: false,
    message: `Expected an operation or a rule for every call, there is none for ${many}:\n${[...new Set(guesses)].join('\n')}`,
  }
}

/** Judges whether every rule in force has happened; where not, the calls say what each of them missed. */
export function judgeRules(unused: readonly UnusedRule[], entries: readonly JournalEntry[]): Verdict {
  if (unused.length === 0) return { pass: true, message: 'Expected a rule that never happened.' }
  const rules = unused.map((each) => {
    const [other] = rulesForOtherOperations([each], entries)
    const { scenario, rule, name, on } = each
    return `  ${other ?? `${titleOf({ scenario, number: rule, name })}, on ${on.join(', ')}`}`
  })
  return {
    pass: false,
    message: `Expected every rule to have happened, these did not:\n${rules.join('\n')}\n${inAll(entries)}`,
  }
}

/** Names the unused rules whose operations were never called: `rule 1 of 'reply' matches createResponse, the call is …`. */
export function rulesForOtherOperations(
  unused: readonly UnusedRule[],
  entries: readonly JournalEntry[],
): string[] {
  const called = [...new Set(entries.map(({ operation, method, path }) => operation ?? `${method} ${path}`))]
  if (called.length === 0) return []
  const isOther = (on: string) => on !== '*' && on !== textOperations && !called.includes(on)
  return unused
    .filter(({ on }) => on.every(isOther))
    .map(({ scenario, rule, name, on }) => {
      const title = titleOf({ scenario, number: rule, name })
      const calls = called.length === 1 ? `the call is ${called}` : `the calls are ${called.join(', ')}`
      return `${title} matches ${on.join(' and ')}, ${calls}`
    })
}

/** Judges whether every script was followed to its end, by every conversation that began one. */
export function judgeScripts(scripts: readonly ScriptProgress[], entries: readonly JournalEntry[]): Verdict {
  const left = scripts.flatMap(({ scenario, rule, turns, conversations, problem }) => {
    const title = titleOf({ scenario, number: rule, name: undefined })
    if (conversations.length === 0)
      return [
        `  ${title} has not begun: ${problem ? `turn 1 of ${turns} expected ${problem}` : `none of its ${turns} turns was taken`}`,
      ]
    return conversations
      .filter((each) => each.turns < turns || each.problem !== null)
      .map((each) => {
        const reason = each.problem === null ? '' : `; ${each.problem}`
        return `  ${title} is at turn ${Math.min(each.turns, turns)} of ${turns} in conversation ${each.conversation}${reason}`
      })
  })
  if (scripts.length === 0)
    return { pass: false, message: 'Expected a script, there is none: see sandbox.script().' }
  if (left.length === 0) return { pass: true, message: 'Expected a script that is not finished, all are.' }
  return {
    pass: false,
    message: `Expected every script to be finished, these are not:\n${left.join('\n')}\n${inAll(entries)}`,
  }
}

function inAll(entries: readonly JournalEntry[]): string {
  return entries.length === 0
    ? 'The journal has no calls.'
    : `The journal has ${calls(entries.length)}:\n${callList(entries)}`
}

/** The call with the most of the wanted fields; the newest of those. */
function nearestTo(
  match: unknown,
  entries: readonly JournalEntry[],
  has: Comparison,
): JournalEntry | undefined {
  let best: { entry: JournalEntry; score: number } | undefined
  for (const entry of entries) {
    const score = scoreOf(entry, match, has)
    if (best === undefined || score >= best.score) best = { entry, score }
  }
  return best?.entry
}

/** How many of the wanted values are there, each counted where it stands. */
function scoreOf(value: unknown, wanted: unknown, has: Comparison): number {
  if (!isRecord(wanted) || !isRecord(value)) return has(value, wanted) ? 1 : 0
  return Object.entries(wanted).reduce(
    (score, [field, inner]) => score + scoreOf(value[field], inner, has),
    0,
  )
}

/** The fields of a value that were looked for. */
function cutTo(wanted: unknown, value: unknown): unknown {
  if (!isRecord(wanted) || !isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(wanted).map(([field, inner]) => [field, cutTo(inner, value[field])]),
  )
}

/** Both sides of a difference, their secrets hidden: equal ones look equal, others do not. */
function withoutSecrets(actual: unknown, expected: unknown): Pick<Verdict, 'actual' | 'expected'> {
  const seen: string[] = []
  const mark = (secret: unknown) => {
    const text = JSON.stringify(secret)
    if (!seen.includes(text)) seen.push(text)
    return seen[0] === text ? hidden : `${hidden} ${seen.indexOf(text) + 1}`
  }
  const shown = (value: unknown) => (isRecord(value) ? hidePart(value, mark) : value)
  return { actual: shown(actual), expected: shown(expected) }
}

/** A plain object: not a list, and not a matcher of a test runner, which are looked at as a whole. */
function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

/** Lists the fields of a match that no value has, with the fields that there are at that place. */
export function unknownFieldsOf(
  values: readonly unknown[],
  match: unknown,
  above = '',
): { path: string; fields: string[] }[] {
  if (!isRecord(match)) return []
  const objects = values.filter(isRecord)
  const fields = [...new Set(objects.flatMap((value) => Object.keys(value)))]
  return Object.entries(match).flatMap(([field, inner]) => {
    const path = above === '' ? field : `${above}.${field}`
    if (!fields.includes(field)) return [{ path, fields }]
    return unknownFieldsOf(
      objects.map((value) => value[field]),
      inner,
      path,
    )
  })
}

/** The same shape with every field optional, at every depth. Where fields have names, no others may be given. */
export type Matching<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { [Field in keyof Value as Named<Value, Field>]?: Matching<Value[Field]> }
    : Value

/** Leaves out the index signature of a type that has fields as well: it would accept any misspelt name. */
type Named<Value, Field> = string extends Field ? (HasNames<Value> extends true ? never : Field) : Field
type HasNames<Value> = {
  [Field in keyof Value as string extends Field ? never : Field]: 1
} extends infer Names
  ? keyof Names extends never
    ? false
    : true
  : never

/** Whether a value has all that is wanted: objects may have more fields, all else must be equal. */
export function matches(value: unknown, wanted: unknown): boolean {
  if (Object.is(value, wanted)) return true
  if (typeof value !== 'object' || typeof wanted !== 'object' || !value || !wanted) return false
  if (Array.isArray(wanted)) {
    if (!Array.isArray(value) || value.length !== wanted.length) return false
    return wanted.every((item, index) => matches(value[index], item))
  }
  return Object.entries(wanted).every(
    ([field, inner]) => Object.hasOwn(value, field) && matches(Reflect.get(value, field), inner),
  )
}
