/** Assertions on a journal. A failed assertion lists the received calls. */
import * as z from 'zod'
import { GatewayError } from '../http/errors.ts'
import { hidden } from '../http/secrets.ts'
import { pathOf } from '../http/violations.ts'
import { splitAddress } from '../lib/address.ts'
import { didYouMean, meantBy } from '../lib/did-you-mean.ts'
import { matches } from '../lib/equal.ts'
import { fieldsOf, listOf, lookUp } from '../lib/json.ts'
import { shown } from '../lib/schema-messages.ts'
import { mapInside, readAt } from '../lib/value-path.ts'
import { unknownFields } from '../resources/unknown-fields.ts'
import type { ScriptProgress, UnusedRule } from '../scenarios/activation.ts'
import { type KnownOperation, operationMeant } from '../scenarios/check-scenario.ts'
import { ruleTitle, textOperations } from '../scenarios/names.ts'
import { hiddenEntry, type JournalEntry } from './entry.ts'
import { allCallsText, calls, type Received, sentence } from './journal-text.ts'

export interface Verdict {
  pass: boolean
  /** Failure message, with the received calls. If the assertion passed, the message for `.not`. */
  message: string
  /** The closest call, reduced to the expected fields, for a diff. */
  actual?: unknown
  expected?: unknown
}

export function unknownOperation(name: string, operations: readonly KnownOperation[]): string {
  const { operation } = operationMeant(name, operations)
  const ids = operations.map(({ id }) => id)
  let hint = didYouMean(operation?.id ?? name, ids)
  if (name === '*' || name === textOperations) hint = '; use journal.entries() for all calls'
  else if (!operation && / \//.test(name))
    hint = "; a rule's path has no operation: use journal.entries(), or defineOperation() for the path"
  return `Unknown operation ${shown(name)}${hint}`
}

export interface Findings extends Received {
  readonly unmatched: readonly JournalEntry[]
  readonly unused: readonly UnusedRule[]
  readonly scripts: readonly ScriptProgress[]
}

/** @param expected Expected calls. Default: at least one. */
export function judgeCalls(
  { entries, unanswered, stray = [] }: Received,
  expected: { operation: string; input?: KnownOperation['input']; match?: unknown; times?: number },
): Verdict & { readonly absent: readonly string[] } {
  const { operation, input, match, times } = expected
  const called = entries.filter((entry) => entry.operation === operation)
  const matching = withFields(called, match)
  const pass = times === undefined ? matching.length > 0 : matching.length === times
  const fields = match === undefined ? '' : ' with these fields'
  const others = stray.filter((entry) => entry.operation === operation && entry.status !== 410)
  // Without this, an assertion that there was no call would pass.
  if (matching.length === 0 && withFields(others, match).length > 0)
    throw new Error(
      `Received no call to ${operation}${fields}, but the default sandbox did, perhaps from this test.\n${allCallsText({ entries, unanswered, stray })}`,
    )
  const wanted = `${times === undefined ? 'a call' : calls(times)} to ${operation}${fields}`
  const received = `but received ${matching.length || 'none'}`
  const absent =
    matching.length > 0 ? [] : [...unknownIn(match, called, input), ...shortListsIn(match, called)]
  const hints = absent.map((each) => sentence(`\nNo call has ${each}`)).join('')
  const start = `${pass ? 'Did not expect' : 'Expected'} ${wanted}, ${received}${truncatedText(called, match)}.${hints}`
  const rest = pass || match === undefined ? [] : called.filter((entry) => !matching.includes(entry))
  const closest = nearestTo(match, rest)
  const all = allCallsText({ entries, unanswered, stray: pass ? [] : stray })
  if (!closest) return { pass, absent, message: `${start}\n${all}` }
  const message = `${start}\n${all}\nThe closest is call ${entries.indexOf(closest) + 1}:`
  return { pass, absent, message, ...withoutSecrets(pickFields(match, closest), match) }
}

export function judgeUnmatched(
  unmatched: readonly JournalEntry[],
  operations: readonly KnownOperation[],
): Verdict {
  const operationLines = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  const guesses = unmatched.map(({ method, path, operation, error }) => {
    const line = `${method} ${splitAddress(path).route ?? path}`
    return `  '${line}'${operation === null ? didYouMean(line, operationLines) : `: ${error}`}`
  })
  return verdict(
    guesses,
    'Expected at least one unmatched request, but received none.',
    `Expected every request to match an operation, a rule or a recording, but ${unmatched.length} did not:\n${[...new Set(guesses)].join('\n')}`,
  )
}

function verdict({ length }: readonly string[], none: string, some: string): Verdict {
  return { pass: length === 0, message: length === 0 ? none : some }
}

export function judgeRules({ unused, ...received }: Findings): Verdict {
  const rules = unused.map((each) => {
    const title = ruleTitle(each.scenario, each.rule, each.name)
    return `  ${explainUnused(each, received.entries) ?? `${title}, on ${each.on.join(', ')}`}`
  })
  return verdict(
    rules,
    'Expected at least one unused rule, but all were used.',
    `Expected every rule to be used, but these were not:\n${rules.join('\n')}\n${allCallsText(received)}`,
  )
}

export function explainUnused(unused: UnusedRule, entries: readonly JournalEntry[]): string | undefined {
  const { scenario, rule, name, on, hiddenBy, reason } = unused
  const title = ruleTitle(scenario, rule, name)
  if (hiddenBy !== undefined) return `${title} is hidden by ${hiddenBy}`
  const called = [...new Set(entries.map(({ operation, method, path }) => operation ?? `${method} ${path}`))]
  const isCalled = (name: string) => name === '*' || name === textOperations || called.includes(name)
  if (called.length === 0 || on.some(isCalled)) return reason
  const were = called.length === 1 ? 'was' : 'were'
  return `${title} matches ${on.join(' and ')}, but only ${called.join(', ')} ${were} called`
}

export function unfinishedScripts(scripts: readonly ScriptProgress[]): string[] {
  return scripts.flatMap(({ scenario, rule, turns, conversations, problem }) => {
    const title = ruleTitle(scenario, rule)
    const expected = problem ? `turn 1 of ${turns} expected ${problem}` : `0 of ${turns} turns consumed`
    if (conversations.length === 0) return [`  ${title} has not started: ${expected}`]
    return conversations
      .filter((each) => each.turns < turns || each.problem !== null)
      .map((each) => {
        const reason = each.problem === null ? '' : `; ${each.problem}`
        return `  ${title} is at turn ${Math.min(each.turns, turns)} of ${turns} in conversation ${each.conversation}${reason}`
      })
  })
}

export function judgeScripts({ scripts, ...received }: Findings): Verdict {
  const left = unfinishedScripts(scripts)
  if (scripts.length === 0)
    return { pass: false, message: 'Expected a script, but none is active: add one with sandbox.script().' }
  return verdict(
    left,
    'Expected at least one unfinished script, but all are finished.',
    `Expected every script to be finished, but these are not:\n${left.join('\n')}\n${allCallsText(received)}`,
  )
}

/** Returns the call with the most matching fields or, if several tie, the newest of them. */
function nearestTo(match: unknown, entries: readonly JournalEntry[]) {
  const scores = entries.map((entry) => scoreOf(entry, match))
  return entries[scores.lastIndexOf(scores.reduce((best, score) => Math.max(best, score), 0))]
}

function scoreOf(value: unknown, expected: unknown): number {
  if (!isRecord(expected) || !isRecord(value)) return Number(matches(value, expected))
  const scores = Object.entries(expected).map(([field, inner]) => scoreOf(lookUp(value, field), inner))
  return scores.reduce((sum, score) => sum + score, 0)
}

function pickFields(expected: unknown, value: unknown): unknown {
  if (Array.isArray(expected) && Array.isArray(value))
    return value.map((item, index) => pickFields(expected[index], item))
  if (!isRecord(expected) || !isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(expected).map(([field, inner]) => [field, pickFields(inner, lookUp(value, field))]),
  )
}

export function missingFields(values: readonly unknown[], expected: unknown, path = ''): string[] {
  if (!isRecord(expected)) return []
  const records = values.filter(isRecord)
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))]
  return Object.entries(expected).flatMap(([field, inner]) => {
    if (!names.includes(field)) return [`'${path}${field}'${meantBy(field, names)}`]
    const inside = records.map((record) => lookUp(record, field))
    return missingFields(inside, inner, `${path}${field}.`)
  })
}

/** Returns fields of a match that no call has and the operation's schema does not know, with suggestions. */
function unknownIn(match: unknown, entries: readonly JournalEntry[], input: KnownOperation['input'] = {}) {
  // The fields of an asymmetric matcher are not fields of a request.
  const plain = fieldsOf(mapInside(match, (value) => (Object(value).asymmetricMatch ? null : value)))
  return (['query', 'body'] as const).flatMap((part) => {
    const schema = input[part]
    return (schema instanceof z.ZodType ? unknownFields(schema, plain[part]) : [])
      .filter(({ path }) => entries.every((entry) => readAt(entry[part], path) === undefined))
      .map(({ path, name, fields }) => `'${pathOf(part, path)}'${meantBy(name, Object.keys(fields))}`)
  })
}

/** Finds expected lists that contain only some of a call's items, and suggests a fix. */
function shortListsIn(match: unknown, values: readonly unknown[], path = ''): string[] {
  const isPart = Array.isArray(match) && match.length > 0 && values.some((value) => hasMore(value, match))
  if (isPart && !values.some((value) => matches(value, match)))
    return [`'${path}' with only these items; to match some items, write expect.arrayContaining([…])`]
  return Object.entries(isRecord(match) ? match : {}).flatMap(([field, inner]) => {
    const inside = values.map((value) => lookUp(fieldsOf(value), field))
    return shortListsIn(inner, inside, path ? `${path}.${field}` : field)
  })
}

function hasMore(value: unknown, part: readonly unknown[]): boolean {
  const items = listOf(value)
  return part.length < items.length && part.every((item) => items.some((each) => matches(each, item)))
}

/** Throws 400 if text is expected in a field that never contains text, because it would silently match nothing. */
export function withFields<Entry extends object>(entries: readonly Entry[], match: unknown): Entry[] {
  for (const [field, expected] of isRecord(match) ? Object.entries(match) : []) {
    const values: unknown[] = entries.map((entry) => Reflect.get(entry, field))
    const [value] = values
    const isText = typeof expected === 'string' || Object(expected).getExpectedType?.() === 'string'
    if (!isText || value === undefined || values.some((each) => Object(each) !== each)) continue
    const [kind, fix] = Array.isArray(value)
      ? ['a list', `${field}: expect.arrayContaining([…])`]
      : [
          'an object',
          `${field === 'body' ? 'requestText' : field}: { ${Object.hasOwn(Object(value), 'text') ? 'text' : 'name'}: … }`,
        ]
    throw new GatewayError(400, `${field} is ${kind}, so no text matches it; write { ${fix} }`)
  }
  return match === undefined ? [...entries] : entries.filter((entry) => matches(entry, match))
}

/** Hides secrets on both sides of a diff. Equal secrets look equal; different ones are numbered. */
function withoutSecrets(actual: unknown, expected: unknown): Pick<Verdict, 'actual' | 'expected'> {
  const seen: string[] = []
  const mark = (secret: unknown) => {
    const text = JSON.stringify(secret)
    if (!seen.includes(text)) seen.push(text)
    return seen[0] === text ? hidden : `${hidden} ${seen.indexOf(text) + 1}`
  }
  const shown = (value: unknown) => (isRecord(value) ? hiddenEntry(value, mark) : value)
  return { actual: shown(actual), expected: shown(expected) }
}

/** Returns true for a plain object. Arrays and asymmetric matchers are compared as a whole. */
function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

function truncatedText(entries: readonly JournalEntry[], match: unknown): string {
  const { length } = entries.filter(({ requestText }) => requestText.truncatedBytes > 0)
  if (length === 0 || !isRecord(match) || !('body' in match)) return ''
  return `; the body of ${calls(length)} was truncated and not compared (limits.journalBodyBytes)`
}

export type Matching<Value> = Value extends readonly (infer Item)[]
  ? readonly Matching<Item>[]
  : Value extends object
    ? { [Field in keyof Value]?: Matching<Value[Field]> }
    : Value
