/** Describes the problems with a scenario, in terms of the call or file that it came from. */
import type * as z from 'zod'
import { faultNames, faultOf } from '../faults/index.ts'
import { didYouMean, meantBy } from '../lib/did-you-mean.ts'
import { oneLine } from '../lib/one-line.ts'
import { about, shown } from '../lib/schema-messages.ts'
import { readAt } from '../lib/value-path.ts'
import { isShorthand, misnomer } from './names.ts'
import { Scenario } from './scenario.ts'

export type Path = (string | number)[]

export interface Problem {
  /** Keys and indexes, outermost first. */
  path: Path
  /** One line that names the rule and the field. */
  message: string
  /** Beginning of the message that names the scenario or rule, if it has a name of its own. */
  place?: string
}

/** Thrown for an invalid scenario. The one-line message describes the first problem and mentions any others. */
export class ScenarioError extends Error {
  /** Always `ScenarioError`. */
  override name = 'ScenarioError'
  /** All problems, with their location in the scenario. */
  readonly problems: readonly Problem[]

  constructor(allProblems: readonly Problem[]) {
    const problems = allProblems.map((problem) => ({ ...problem, message: oneLine(problem.message) }))
    const [first, second, ...more] = problems
    const { place = '' } = first ?? {}
    const other = second?.place === place ? second.message.slice(place.length) : second?.message
    const others = more.length > 0 ? `${more.length + 1} more problems` : other
    super(`${first?.message}${others === undefined ? '' : ` (and ${others})`}`)
    this.problems = problems
  }
}

/** @param says Text after the field name, or a full sentence if there is no field. */
export function toProblem(path: Path, says: string, input: unknown): Problem {
  const place = placeOf(path, input)
  return { path, place, message: `${place}${fieldOf(path, input)}${says}` }
}

type Issue = z.core.$ZodIssue

/** Converts a schema's issues. Unknown fields come first, because a misspelt field is often reported as missing too. */
export function toProblems(issues: readonly Issue[], input: unknown, above: Path = []): Problem[] {
  const isUnknown = ({ code }: Issue) => Number(code === 'unrecognized_keys')
  return issues
    .toSorted((left, right) => isUnknown(right) - isUnknown(left))
    .flatMap((issue) => problemsOf(issue, above, input))
}

function problemsOf(issue: Issue, above: Path, input: unknown): Problem[] {
  const path = [...above, ...issue.path] as Path
  const value = readAt(input, path)
  const says = (text: string): Problem[] => [toProblem(path, text, input)]
  const [field, parent] = [path.at(-1), path.at(-2)]
  if (field === 'fault' && Array.isArray(value))
    return says(' must be a single fault; write faults: [ … ] for several')
  const expression = path
    .map((_, index) => readAt(input, path.slice(0, index + 1)))
    .find((each) => each instanceof RegExp)
  if (expression) return says(`: a RegExp (${expression}) is not supported; write ${asPattern(expression)}`)
  if (issue.code === 'invalid_union') {
    if (issue.discriminator === 'name') return says(unknownFault(value, field === 'name'))
    const branch = likelyBranch(issue.errors)
    if (branch) return toProblems(branch, input, path)
    const isFault = field === 'fault' || parent === 'faults'
    if (isFault && (typeof value === 'string' || typeof value === 'number')) return says(unknownFault(value))
  }
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownField([...path, key], input))
  if (issue.code === 'invalid_key') return toProblems(issue.issues, input, path)
  if (parent === 'sequence' && faultNames.includes(value as string))
    return says(` must be a step, got ${shown(value)}; write { fault: ${shown(value)} }`)
  return says(about(path.length === 0 ? 'a scenario' : '', issue.message) + exampleFor(path, value))
}

/** Returns an example to append to a message, for fields that are often omitted or given a simpler value. */
function exampleFor(path: Path, value: unknown): string {
  const [field, list] = [path.at(-1), path.at(-2)]
  if (field === 'per' && value === undefined) return "; write per: '1m'"
  if (field === 'script' && !Array.isArray(value)) return "; write [{ text: 'Hello' }]"
  if (field === undefined) return "; write { name: '…', rules: [ … ] }"
  if (typeof value !== 'string') return ''
  if (field === 'when') return `; write when: { model: ${shown(value)} }`
  if (field === 'call') return `; write { ${value}: { … } }`
  return list === 'citations' ? `; write { url: ${shown(value)} }` : ''
}

function unknownField(path: Path, input: unknown): Problem {
  const key = String(path.at(-1))
  const object = Object(readAt(input, path.slice(0, -1))) as Record<string, unknown>
  const known = fieldsAt(Scenario, path.slice(0, -1), input)
  const place = placeOf(path, input)
  const field = fieldOf(path, input)
  if (known.includes(key)) {
    const others = Object.keys(object).filter((name) => name !== key)
    return { path, place, message: `${place}${field} cannot be combined with ${others.join(' and ')}` }
  }
  const { fault, [key]: value } = object
  const isOfFault = typeof fault === 'string' && paramsOf(fault).includes(key)
  const hint = isOfFault
    ? `; write fault: { name: '${fault}', ${key}: ${shown(value)} }`
    : (misnomer(key, known, value) ?? (known.length > 0 ? didYouMean(key, known) : ''))
  return { path, place, message: `${place}unknown field '${field}'${hint}` }
}

/** The parts of a schema's definition that have schemas inside. */
interface Definition {
  readonly type: string
  readonly innerType: z.core.$ZodType
  readonly in: z.core.$ZodType
  readonly element: z.core.$ZodType
  readonly valueType: z.core.$ZodType
  readonly shape: Readonly<Record<string, z.core.$ZodType>>
  readonly options: readonly z.core.$ZodType[]
  readonly discriminator?: string
}

/** Returns the fields that a schema allows in the object at a path. */
function fieldsAt(schema: z.core.$ZodType | undefined, path: Path, value: unknown): string[] {
  if (!schema) return []
  const def = schema._zod.def as unknown as Definition
  const [step, ...rest] = path
  const below = (inner: z.core.$ZodType | undefined) =>
    step === undefined ? [] : fieldsAt(inner, rest, readAt(value, [step]))
  if (def.type === 'lazy') return fieldsAt(Reflect.get(schema._zod, 'innerType'), path, value)
  if (def.type === 'optional' || def.type === 'default') return fieldsAt(def.innerType, path, value)
  if (def.type === 'array') return below(def.element)
  if (def.type === 'record') return below(def.valueType)
  if (def.type === 'object') return step === undefined ? Object.keys(def.shape) : below(def.shape[step])
  if (def.type !== 'union') return []
  if (def.discriminator === 'name') return ['name', ...paramsOf(readAt(value, ['name']))]
  return [...new Set(def.options.flatMap((option) => fieldsAt(option, path, value)))]
}

function paramsOf(fault: unknown): string[] {
  return faultNames.includes(fault as string) ? Object.keys(faultOf(fault as string).params().shape) : []
}

/**
 * Returns the issues of the union branch that was most likely meant: of those that did not reject the whole value, the
 * one with the fewest problems.
 */
function likelyBranch(branches: readonly Issue[][]): Issue[] | undefined {
  const rejectsValue = (issue: Issue): boolean =>
    issue.path.length === 0 &&
    (issue.code === 'invalid_type' ||
      issue.code === 'invalid_value' ||
      (issue.code === 'invalid_union' && issue.discriminator === undefined && !likelyBranch(issue.errors)))
  const weight = (issues: readonly Issue[]) =>
    issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0)
  return branches
    .filter((issues) => !issues.some(rejectsValue))
    .sort((left, right) => weight(left) - weight(right))[0]
}

/** Converts a regular expression to a pattern, such as `{ matches: '^tides', flags: 'i' }`. */
function asPattern({ source, flags }: RegExp): string {
  return `{ matches: ${JSON.stringify(source)}${flags === '' ? '' : `, flags: '${flags}'`} }`
}

/** Names that people try, and the faults that they mean. */
const guessedFaults: Readonly<Record<string, string>> = {
  delay: 'latency',
  sleep: 'latency',
  slow: 'latency',
  disconnect: 'connection-reset',
  'network-error': 'connection-reset',
  error: 'status',
  'stream-error': 'stream-error-event',
}

/** Returns the problem with a fault name, to append to the field name. */
function unknownFault(value: unknown, isName = false): string {
  if (/^[45]\d\d$/.test(String(value)))
    return ` must be a name, got ${shown(value)}; write { name: 'status', status: ${value} }`
  if (typeof value !== 'string')
    return `${isName ? '' : '.name'} is required; write fault: 'latency', or { name: 'latency', ms: 500 }`
  if (!faultNames.includes(value)) {
    const guess = Object.hasOwn(guessedFaults, value) ? guessedFaults[value] : undefined
    const hint = guess ? `; did you mean '${guess}'?` : meantBy(value, faultNames)
    return ` '${value}' is unknown${hint || '; see scenarios/FAULTS.md for all faults'}`
  }
  const required = Object.entries(faultOf(value).params().shape)
    .filter(([, schema]) => !(schema as z.ZodType).safeParse(undefined).success)
    .map(([name]) => name)
  return ` '${value}' requires ${required.join(' and ')}; write { name: '${value}', ${required[0]}: … }`
}

/**
 * Returns `rule 1 of 'outage': ` or as much of it as is known; an empty string for an inline rule, `reply()`, `fail()`
 * and `script()`.
 */
function placeOf(path: Path, input: unknown): string {
  const name = readAt(input, ['name'])
  if (isShorthand(name)) return ''
  const scenario = typeof name === 'string' ? `'${name}'` : 'the scenario'
  if (typeof path[1] === 'number') return `rule ${path[1] + 1} of ${scenario}: `
  return typeof name === 'string' ? `scenario ${scenario}: ` : ''
}

/**
 * Returns the path relative to a rule, as its author wrote it: `when.model`, `sequence[0].fault`, or `status` for
 * `fail()`.
 */
function fieldOf(path: Path, input: unknown): string {
  const name = readAt(input, ['name'])
  let below = typeof path[1] === 'number' ? path.slice(2) : path
  const effect = { fail: 'fault', reply: 'reply' }[String(name)]
  if (below.length > 1 && below[0] === effect) below = below.slice(1)
  if (name === 'script' && below[0] === 'script') below = ['turns', ...below.slice(1)]
  return below.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  )
}
