/**
 * What the schema says against a scenario, in a person's words: which word is wrong, where, and the nearest right one.
 */
import type * as z from 'zod'
import { faultNames, faultOf } from '../faults/index.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { When } from './condition.ts'
import { RateLimit } from './rate-limit.ts'
import { Rule, Scenario } from './scenario.ts'
import { Turn, TurnExpectation } from './script.ts'
import { ScriptedCitation, ScriptedReply, ScriptedUsage } from './scripted-reply.ts'

export interface Problem {
  /** Keys and indexes from the outside in. */
  path: (string | number)[]
  /** One line, with the place. */
  message: string
}

type Issue = z.core.$ZodIssue

export function shapeProblems(issues: readonly Issue[], input: unknown): Problem[] {
  return wordsFirst(issues).flatMap((issue) => problemsOf(issue, [], input))
}

/** A regular expression, a date or a map in the place of an object: to its schema, an object without fields. */
export function notAsData(path: (string | number)[], input: unknown): Problem[] {
  const value = valueAt(input, path)
  if (value === undefined || Object.prototype.toString.call(value) === '[object Object]') return []
  return shapeProblems(
    [{ code: 'invalid_type', expected: 'object', path, message: 'Must be an object' }],
    input,
  )
}

/** A word that is wrong comes before the field that is missing because of it. */
function wordsFirst(issues: readonly Issue[]): readonly Issue[] {
  return issues.toSorted((left, right) => unknownKeys([right]) - unknownKeys([left]))
}

/** Fields of earlier versions, and what to write now. */
const removed = new Map([
  ['quota', ": write rateLimit: { requests: 60, per: '1m' }"],
  ['window', ': windows of a rate limit are fixed'],
])

function problemsOf(issue: Issue, above: readonly PropertyKey[], input: unknown): Problem[] {
  const path = [...above, ...issue.path] as (string | number)[]
  const place = placeOf(path, input)
  const value = valueAt(input, path)
  const expression = regExpAt(input, path)
  if (expression)
    return [{ path, message: `${expression} ${place}: a scenario is data: write ${asPattern(expression)}` }]
  if (issue.code === 'invalid_union') {
    if (issue.discriminator === 'name') return [{ path, message: unknownFault(value, place) }]
    const branch = enteredBranch(issue.errors)
    if (branch) return wordsFirst(branch).flatMap((inner) => problemsOf(inner, path, input))
    if (isFault(path) && typeof value === 'string') return [{ path, message: unknownFault(value, place) }]
  }
  if (issue.code === 'unrecognized_keys') {
    const known = knownFields(path, value)
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: known.includes(key)
        ? `'${key}' ${place} does not go with what stands beside it`
        : `Unknown field '${key}' ${place}${removed.get(key) ?? (known.length > 0 ? didYouMean(key, known) : '')}`,
    }))
  }
  if (issue.code === 'invalid_key') return issue.issues.flatMap((inner) => problemsOf(inner, path, input))
  const isUntyped =
    issue.code === 'invalid_union' && issue.message === 'Invalid input' && everyTypeIsWrong(issue.errors)
  const field = fieldOf(path)
  const isMistyped = issue.code === 'invalid_type' && issue.message.startsWith('Invalid input')
  if ((isUntyped || isMistyped) && value !== undefined && field !== '') {
    const mismatch = typeMismatch(isUntyped ? issue.errors : [[issue]], value)
    return [{ path, message: `Wrong '${field}' ${place}: ${mismatch}` }]
  }
  const missing = (issue.code === 'invalid_type' || isUntyped) && value === undefined
  const message = missing ? `'${field}' is missing ${place}` : `Wrong '${field}' ${place}: ${issue.message}`
  return [{ path, message: field === '' ? `Not a scenario: ${issue.message}` : message }]
}

/** The alternative that the value was meant for: the one that did not stumble over the value as a whole. */
function enteredBranch(branches: readonly Issue[][]): readonly Issue[] | undefined {
  const stumbled = (issue: Issue): boolean =>
    issue.path.length === 0 &&
    (issue.code === 'invalid_type' ||
      issue.code === 'invalid_value' ||
      (issue.code === 'invalid_union' && issue.discriminator === undefined && !enteredBranch(issue.errors)))
  return branches
    .filter((issues) => !issues.some(stumbled))
    .sort((left, right) => unknownKeys(left) - unknownKeys(right) || left.length - right.length)[0]
}

/** The regular expression on the way to a path: a union looks into it as into any object. */
function regExpAt(input: unknown, path: readonly PropertyKey[]): RegExp | undefined {
  const found = path.map((_step, index) => valueAt(input, path.slice(0, index + 1)))
  return found.find((value) => value instanceof RegExp)
}

/** `{ matches: '^tides', flags: 'i' }` */
function asPattern({ source, flags }: RegExp): string {
  return `{ matches: ${JSON.stringify(source)}${flags === '' ? '' : `, flags: '${flags}'`} }`
}

function everyTypeIsWrong(branches: readonly Issue[][]): boolean {
  return branches.every(([first]) => first?.code === 'invalid_type' && first.path.length === 0)
}

/** `expected number or object, received '2000'` */
function typeMismatch(branches: readonly Issue[][], value: unknown): string {
  const expected = branches.flatMap(([first]) => (first?.code === 'invalid_type' ? [first.expected] : []))
  return `expected ${[...new Set(expected)].join(' or ')}, received ${JSON.stringify(value)}`
}

function unknownKeys(issues: readonly Issue[]): number {
  return issues.reduce(
    (count, issue) => count + (issue.code === 'unrecognized_keys' ? issue.keys.length : 0),
    // mutation: equivalent: counts are only compared with each other
    0,
  )
}

function unknownFault(value: unknown, place: string): string {
  if (typeof value !== 'string')
    return `A fault without its name ${place}; there are ${faultNames.join(', ')}`
  if (!faultNames.includes(value)) return `Unknown fault '${value}' ${place}${didYouMean(value, faultNames)}`
  const needed = Object.entries(faultOf(value).params().shape)
    .filter(([, schema]) => !(schema as z.ZodType).safeParse(undefined).success)
    .map(([name]) => `'${name}'`)
  return `Fault '${value}' ${place} needs ${needed.join(' and ')}: write { name: '${value}', … }`
}

/** `in scenario 'outage', rule 1`, as far as it is known. */
function placeOf(path: readonly (string | number)[], input: unknown): string {
  const name = valueAt(input, ['name'])
  const scenario = typeof name === 'string' ? `in scenario '${name}'` : 'in a scenario without a name'
  return path[0] === 'rules' && typeof path[1] === 'number' ? `${scenario}, rule ${path[1] + 1}` : scenario
}

/** The path below its rule, as a person would say it: `when.model`, `sequence[0].fault`. */
function fieldOf(path: readonly (string | number)[]): string {
  const below = path[0] === 'rules' && path.length > 2 ? path.slice(2) : path
  return below.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  )
}

/** The fields that there are where an unknown one was found. */
function knownFields(path: readonly (string | number)[], value: unknown): string[] {
  const last = path.at(-1)
  const within = path.findLast((step) => typeof step === 'string')
  if (last === undefined) return Object.keys(Scenario.unwrap().shape)
  if (within === 'rules') return Object.keys(Rule.unwrap().shape)
  if (within === 'when') return Object.keys(When.unwrap().shape)
  if (within === 'reply') return Object.keys(ScriptedReply.unwrap().shape)
  if (within === 'script') return Object.keys(Turn.unwrap().shape)
  if (within === 'expect') return Object.keys(TurnExpectation.unwrap().shape)
  if (within === 'usage') return Object.keys(ScriptedUsage.unwrap().shape)
  if (within === 'citations') return Object.keys(ScriptedCitation.unwrap().shape)
  if (within === 'frames') return ['event', 'data', 'bytes', 'base64', 'wait', 'done', 'hangUp']
  if (within === 'sequence') return ['fault', 'reply']
  if (within === 'rateLimit') return Object.keys(RateLimit.unwrap().shape)
  if (within === 'during') return ['fromMs', 'toMs']
  if (within === 'fault') {
    const name = valueAt(value, ['name'])
    return typeof name === 'string' && faultNames.includes(name)
      ? ['name', ...Object.keys(faultOf(name).params().shape)]
      : ['name']
  }
  if (within === 'input') return ['contains', 'matches', 'flags']
  if (path.includes('when')) return ['equals', 'contains', 'matches', 'flags', 'present']
  return []
}

function isFault(path: readonly (string | number)[]): boolean {
  return path.findLast((step) => typeof step === 'string') === 'fault'
}

/** By own keys only. */
function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? Reflect.get(inner, key)
        : undefined,
    value,
  )
}
