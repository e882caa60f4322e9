/**
 * Checks a scenario before it is used: its shape, its names, and that its rules can happen at all. The result is a whole
 * scenario, or one error that lists every problem, in the words of the file. Editors check the same by a JSON Schema.
 */

import * as z from 'zod'
import { conflict } from '../faults/compatibility.ts'
import { askedForm, type Fault, formFor, needsGeneratedAnswer, needsStream } from '../faults/fault.ts'
import { faultNames, faultOf } from '../faults/index.ts'
import { didYouMean, nearest } from '../lib/did-you-mean.ts'
import { oneLine } from '../lib/one-line.ts'
import { renamed } from '../lib/renamed.ts'
import { isPattern, type Pattern, patternProblem, When } from './condition.ts'
import { misnomer, textOperations } from './names.ts'
import { RateLimit } from './rate-limit.ts'
import { Rule, Scenario, type Step } from './scenario.ts'
import { callsOf, isAnswer, type Script, Turn, TurnExpectation } from './script.ts'
import { faultsOf, ScriptedCitation, ScriptedReply, ScriptedUsage } from './scripted-reply.ts'
import { isTemplate, templateProblem } from './template.ts'

/** What the checks need of an operation. */
export interface KnownOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  /** Set for operations that answer with text. */
  readonly protocol?: object | undefined
  /** Set for other operations that may stream. */
  readonly stream?: object | undefined
}

/** A scenario that cannot be used; the message is one line with the first problem. */
export class ScenarioError extends Error {
  /** `ScenarioError`. */
  override name = 'ScenarioError'
  /** Every problem, with its path in the scenario. */
  readonly problems: readonly Problem[]

  constructor(given: readonly Problem[]) {
    const problems = given.map(({ path, message }) => ({ path, message: oneLine(message) }))
    const more = problems.length - 1
    super(
      `${problems[0]?.message}${more > 0 ? ` (and ${more} more ${more === 1 ? 'problem' : 'problems'})` : ''}`,
    )
    this.problems = problems
  }
}

/**
 * The scenario with defaults filled in. Throws a `ScenarioError`.
 *
 * @param wayTo How an operation is had that is none of these; undefined where there is no such operation.
 */
export function checkScenario(
  input: unknown,
  operations: readonly KnownOperation[],
  wayTo: (id: string) => string | undefined = () => undefined,
): Scenario {
  const result = Scenario.safeParse(input)
  if (!result.success) throw new ScenarioError(shapeProblems(result.error.issues, input))
  const scenario = result.data
  const foreign = scenario.rules.flatMap((_, index) => notAsData(['rules', index, 'when'], input))
  if (foreign.length > 0) throw new ScenarioError(foreign)
  const problems = scenario.rules.flatMap((rule, index) => {
    const place = `in scenario '${scenario.name}', rule ${index + 1}`
    return [...ruleProblems({ rule, place, operations, wayTo })].map(({ path, message }) => ({
      path: ['rules', index, ...path],
      message,
    }))
  })
  if (problems.length > 0) throw new ScenarioError(problems)
  return scenario
}

/** Problems of one rule, with paths below it. */
function* ruleProblems(site: Site): Generator<Problem> {
  yield* onProblems(site)
  yield* whenProblems(site)
  yield* oftenProblems(site)
  yield* effectProblems(site)
}

const methodAndPath = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/[^\s?#{}]*)$/

function* onProblems({ rule, place, operations, wayTo }: Site): Generator<Problem> {
  for (const [index, on] of [rule.on].flat().entries()) {
    const path = Array.isArray(rule.on) ? ['on', index] : ['on']
    if (on === '*' || on === textOperations || operations.some(({ id }) => id === on)) continue
    if (!on.includes('/')) {
      const words = [...operations.map(({ id }) => id), textOperations]
      const way = wayTo(on)
      const hint = way === undefined ? didYouMean(on, words) : `: ${way}`
      yield { path, message: `Unknown operation '${on}' ${place}${hint}` }
    } else if (!methodAndPath.test(on)) {
      const [, method, below = on] =
        /^(?:([A-Za-z]+) +)?(?:https?:\/\/[^/]*)?(?:\/api\/v1)?(\/[^\s?#]*)/.exec(on) ?? []
      const meant = operations.find((operation) =>
        describes(operation, `${(method ?? operation.method).toUpperCase()} ${below}`),
      )
      const hint = meant
        ? `: did you mean '${meant.id}'?`
        : ` is not of the form 'POST /chat/completions': a method in capitals and a path below the base address`
      yield { path, message: `'${on}' ${place}${hint}` }
    } else {
      const doubled = /^(\S+) \/api\/v1(\/.*)$/.exec(on)
      if (doubled) {
        const [, method, rest] = doubled
        const way = `paths are below /api/v1: write '${method} ${rest}'`
        yield { path, message: `'${on}' ${place} would meet no call, since ${way}` }
        continue
      }
      const described = operations.find((operation) => describes(operation, on))
      if (described)
        yield { path, message: `'${on}' ${place} is the operation '${described.id}': use that name` }
    }
  }
}

function describes({ method, path }: KnownOperation, on: string): boolean {
  const pattern = path.replace(/\{[^}]*\}/g, '[^/]+')
  return new RegExp(`^${method.toUpperCase()} ${pattern}$`).test(on)
}

function* whenProblems({ rule: { when = {} }, place }: Site): Generator<Problem> {
  const conditions: [Path, unknown][] = [[['when', 'input'], when.input]]
  for (const part of ['headers', 'query', 'params', 'body'] as const) {
    for (const [name, condition] of Object.entries(when[part] ?? {}))
      conditions.push([['when', part, name], condition])
  }
  for (const [path, condition] of conditions) yield* patternProblems(condition, path, place)
}

function* oftenProblems({ rule, place }: Site): Generator<Problem> {
  const { rateLimit, times, probability = 1, during, sequence, script, onEnd } = rule
  if (rateLimit && rateLimit.requests === undefined && rateLimit.tokens === undefined) {
    const message = `The rate limit ${place} limits nothing: give it requests, tokens or both`
    yield { path: ['rateLimit'], message }
  }
  if (rateLimit && rateLimit.per <= 0)
    yield { path: ['rateLimit', 'per'], message: `'rateLimit.per' ${place} must be longer than 0` }
  if (times !== undefined && times < 1) {
    yield {
      path: ['times'],
      message: `'times: ${times}' ${place} never happens: give 1 or more, or leave the rule out`,
    }
  }
  if (during?.toMs !== undefined && during.fromMs >= during.toMs) {
    yield {
      path: ['during'],
      message: `'during' ${place} is over before it begins: fromMs ${during.fromMs} is not below toMs ${during.toMs}`,
    }
  }
  if (probability < 0 || probability > 1)
    yield { path: ['probability'], message: `Probability ${probability} ${place} is not between 0 and 1` }
  if (sequence?.length === 0)
    yield {
      path: ['sequence'],
      message: `The sequence ${place} is empty: give it a step, or leave the rule out`,
    }
  if (onEnd === undefined || sequence || script) return
  const needed = onEnd.startsWith('repeat') ? 'sequence or a script' : 'script, a sequence or times'
  if (onEnd.startsWith('repeat') || times === undefined)
    yield {
      path: ['onEnd'],
      message: `'onEnd: ${onEnd}' ${place} has no end to follow: give the rule a ${needed}`,
    }
}

/** The problem of a condition's regular expression, if it has one that cannot be used. */
function* patternProblems(condition: unknown, path: Path, place: string): Generator<Problem> {
  if (typeof condition !== 'object' || condition === null || !('matches' in condition)) return
  const pattern = condition as Pattern
  const problem = patternProblem(pattern)
  if (problem === undefined) return
  const expression = `/${pattern.matches}/${pattern.flags ?? ''}`
  const message = `Bad regular expression ${expression} in '${path.join('.')}' ${place}: ${problem}`
  yield { path: [...path, 'matches'], message }
}

/** A rule, and what its problems are told with. */
export interface Site {
  rule: Rule
  /** `in scenario 'outage', rule 1` */
  place: string
  operations: readonly KnownOperation[]
  /** How an operation is had that is none of these; undefined where there is no such operation. */
  wayTo: (id: string) => string | undefined
}

export type Path = (string | number)[]

/** Problems of the replies, faults, sequences and scripts of a rule. */
export function* effectProblems(site: Site): Generator<Problem> {
  const { rule, place } = site
  const given = (['fault', 'faults', 'reply', 'sequence', 'script'] as const).filter(
    (name) => rule[name] !== undefined,
  )
  if (
    given.length === 0 &&
    rule.rateLimit === undefined &&
    rule.budgetUsd === undefined &&
    rule.setState === undefined
  )
    yield { path: [], message: `Nothing happens ${place}: give it a fault, a reply, a sequence or a script` }
  if (given.length > 1 && rule.sequence) {
    yield {
      path: ['sequence'],
      message: `Both ${given.join(' and ')} ${place}: put what comes first into the sequence as its first step`,
    }
  }
  if (rule.script) yield* scriptProblems(rule.script, site)
  for (const [path, step] of stepsOf(rule)) {
    if (step === 'pass') continue
    if (step.reply) yield* replyProblems(step.reply, [...path, 'reply'], site)
    const faults = faultsOf(step)
    const at = [...path, faultField(step)]
    yield* faultProblems(step, at, site)
    if (!step.reply && faults.length === 0)
      yield { path, message: `A step ${place} does nothing: give it a fault or a reply, or write 'pass'` }
    const other = step.reply && faults.find(({ name }) => faultOf(name).layer === 'replacement')
    if (other) {
      yield {
        path: at,
        message: `'${other.name}' ${place} answers in place of the reply beside it: use a sequence for both`,
      }
    }
  }
}

function stepsOf({ fault, faults, reply, sequence = [] }: Rule): [Path, Step][] {
  const steps: [Path, Step][] = sequence.map((step, index) => [['sequence', index], step])
  if (reply || fault || faults) steps.push([[], { reply, fault, faults }])
  return steps
}

function faultField({ faults }: Exclude<Step, 'pass'>): 'fault' | 'faults' {
  return faults ? 'faults' : 'fault'
}

function* faultProblems(
  given: Exclude<Step, 'pass'>,
  path: Path,
  { rule, place, operations }: Site,
): Generator<Problem> {
  const settings = faultsOf(given)
  if (given.fault && given.faults)
    yield { path, message: `Both 'fault' and 'faults' ${place}: put all of them into faults` }
  const faults = settings.map(({ name }) => faultOf(name))
  for (const fault of faults) {
    if (!needsGeneratedAnswer(fault)) continue
    const what = needsStream(fault) ? 'streams' : 'generated answers'
    const wrong = [rule.on].flat().find((on) => on !== '*' && !generates(on, operations))
    if (wrong === undefined) continue
    const able = [
      `'${textOperations}'`,
      ...operations.filter(({ stream }) => stream).map(({ id }) => `'${id}'`),
    ]
    yield {
      path,
      message: `'${fault.name}' ${place} is a fault of ${what}, and '${wrong}' has none: use it on ${able.join(' or ')}`,
    }
  }
  const form = formFor(faults)
  if (form && rule.when?.stream === (form !== 'stream')) {
    const { name } = faults.find((fault) => askedForm(fault) === form) as Fault
    const needed = form === 'stream' ? 'a stream' : 'none'
    yield {
      path,
      message: `'${name}' ${place} never happens: it needs a request for ${needed}, and the rule wants 'stream: ${rule.when.stream}'`,
    }
  }
  for (const [index, first] of faults.entries()) {
    for (const second of faults.slice(index + 1)) {
      const reason = conflict(first, second)
      if (!reason) continue
      yield {
        path,
        message: `'${first.name}' and '${second.name}' ${place} cannot act together: ${reason}; use a sequence for both`,
      }
    }
  }
}

/** Operations that write texts can stream and cite. */
function generates(on: string, operations: readonly KnownOperation[]): boolean {
  return on === textOperations || operations.some((operation) => operation.id === on && streams(operation))
}

function streams({ protocol, stream }: KnownOperation): boolean {
  return protocol !== undefined || stream !== undefined
}

function* replyProblems(
  reply: ScriptedReply,
  path: Path,
  { rule, place, operations }: Site,
): Generator<Problem> {
  const composed = composedFields.filter((name) => reply[name] !== undefined)
  const whole = (['body', 'frames'] as const).filter((name) => reply[name] !== undefined)
  if (composed.length + whole.length === 0) {
    yield { path, message: `The reply ${place} is empty: give it a text, output, a body or frames` }
  }
  const [first, second] = [...whole, ...composed]
  if (whole.length > 0 && second) {
    yield {
      path: [...path, second],
      message: `Both '${first}' and '${second}' ${place}: '${first}' is the whole reply`,
    }
  }
  yield* templateProblems(reply, path, place)
  yield* citationProblems(reply, path, place)
  yield* endProblems(reply, path, place)
  const wrong = [rule.on].flat().find((on) => !generates(on, operations))
  if (composed[0] && wrong !== undefined) {
    yield {
      path: [...path, composed[0]],
      message: `'${composed[0]}' ${place} is for operations that write texts, '${wrong}' is none: give a body or frames`,
    }
  }
}

/** Whether the parts that citations name are in the text. */
function* citationProblems(
  { text = '', citations = [] }: Pick<ScriptedReply, 'text' | 'citations'>,
  path: Path,
  place: string,
): Generator<Problem> {
  for (const [index, citation] of citations.entries()) {
    const { text: part, start_index: start, end_index: end } = citation
    const at = [...path, 'citations', index]
    if (part !== undefined && !isTemplate(text) && !text.includes(part))
      yield { path: [...at, 'text'], message: `'citations[${index}].text' ${place} is not in the text` }
    if ((start === undefined) !== (end === undefined))
      yield { path: at, message: `'citations[${index}]' ${place} needs both start_index and end_index` }
    if (start !== undefined && end !== undefined && (start >= end || end > text.length) && !isTemplate(text))
      yield {
        path: at,
        message: `'citations[${index}]' ${place} is not within the text, which is ${text.length} long: start_index ${start}, end_index ${end}`,
      }
  }
}

type EndField = 'responseStatus' | 'incompleteReason' | 'error'

/** Whether what it says of the end of the response fits together. */
function* endProblems(
  { responseStatus, incompleteReason, error }: Pick<ScriptedReply, EndField>,
  path: Path,
  place: string,
): Generator<Problem> {
  const said = responseStatus
    ? `'responseStatus' says '${responseStatus}'`
    : `'incompleteReason' says otherwise`
  if (incompleteReason && responseStatus && responseStatus !== 'incomplete') {
    yield {
      path: [...path, 'incompleteReason'],
      message: `'incompleteReason' ${place} is of an incomplete response, and ${said}`,
    }
  }
  if (error && (incompleteReason || (responseStatus && responseStatus !== 'failed')))
    yield { path: [...path, 'error'], message: `'error' ${place} is of a failed response, and ${said}` }
}

/** What is for operations that write texts; the rest of the reply is made as it is without a rule. */
const composedFields = [
  'text',
  'citations',
  'output',
  'interleave',
  'id',
  'responseStatus',
  'incompleteReason',
  'error',
  'usage',
] as const

/** What says how often a rule happens; a script says so itself, by its turns. */
const counts = [
  'fault',
  'faults',
  'reply',
  'sequence',
  'times',
  'after',
  'every',
  'probability',
  'rateLimit',
  'budgetUsd',
  'setState',
  'during',
] as const

function* scriptProblems(script: Script, site: Site): Generator<Problem> {
  const { rule, place, operations } = site
  const other = counts.find((name) => rule[name] !== undefined)
  if (other)
    yield {
      path: [other],
      message: other.startsWith('fault')
        ? `Both script and '${other}' ${place}: put the ${other} into a turn, as in script: [{ text: 'Hello', fault: 'latency' }]`
        : `Both script and '${other}' ${place}: a script says turn by turn what happens`,
    }
  const wrong = [rule.on].flat().find((on) => !generates(on, operations))
  if (wrong !== undefined) {
    const message = `A script ${place} is for operations that write texts, '${wrong}' is none`
    yield { path: ['script'], message }
  }
  for (const [index, turn] of script.entries()) {
    const path = ['script', index]
    const { expect = {}, text, citations } = turn
    const faults = faultsOf(turn)
    if (!isAnswer(turn)) {
      const about = (['usage', 'id', 'interleave'] as const).find((name) => turn[name] !== undefined)
      if (faults.length === 0)
        yield {
          path,
          message: `Turn ${index + 1} ${place} answers nothing: give it a text, a call, output or a fault`,
        }
      if (about)
        yield {
          path: [...path, about],
          message: `Turn ${index + 1} ${place} has no reply to count or to name: leave ${about} out`,
        }
    }
    if (citations && (text === undefined || callsOf(turn).length > 0))
      yield {
        path: [...path, 'citations'],
        message: `Turn ${index + 1} ${place} has no text of its own to cite in`,
      }
    yield* endProblems(turn, path, place)
    yield* templateProblems({ text }, path, place)
    yield* citationProblems(turn, path, place)
    yield* patternProblems(expect.input, [...path, 'expect', 'input'], place)
    for (const [name, checks] of Object.entries(expect.result ?? {})) {
      for (const [inner, pattern] of patternsIn(checks))
        yield* patternProblems(pattern, [...path, 'expect', 'result', name, ...inner], place)
    }
    const at = [...path, faultField(turn)]
    yield* faultProblems(turn, at, site)
    const answer = faults.find(({ name }) => faultOf(name).layer === 'replacement')
    if (answer && isAnswer(turn)) {
      yield {
        path: at,
        message: `'${answer.name}' ${place} answers in place of turn ${index + 1}: make it a turn of its own`,
      }
    }
  }
}

/** Problems of the templates in a reply; they stand in its text, body, headers and frames. */
function* templateProblems(
  { text, body, headers, frames }: ScriptedReply,
  path: Path,
  place: string,
): Generator<Problem> {
  for (const [field, value] of Object.entries({ text, body, headers, frames })) {
    for (const [inner, template] of textsIn(value)) {
      const problem = isTemplate(template) ? templateProblem(template) : undefined
      if (problem === undefined) continue
      const message = `Bad template in '${field}' ${place}: ${problem}; {{=<% %>=}} before the text writes braces as they are`
      yield { path: [...path, field, ...inner], message }
    }
  }
}

/** Every regular expression in the checks of a result, with its path. */
function* patternsIn(value: unknown, path: Path = []): Generator<[Path, object]> {
  if (typeof value !== 'object' || value === null) return
  if (isPattern(value)) yield [path, value]
  else
    for (const [key, inner] of Object.entries(value))
      yield* patternsIn(inner, [...path, Array.isArray(value) ? Number(key) : key])
}

/** Every text in a value, with its path; of bytes in base64 there is none. */
function* textsIn(value: unknown, path: Path = []): Generator<[Path, string]> {
  if (typeof value === 'string') yield [path, value]
  if (typeof value !== 'object' || value === null || 'base64' in value) return
  for (const [key, inner] of Object.entries(value))
    yield* textsIn(inner, [...path, Array.isArray(value) ? Number(key) : key])
}

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

function problemsOf(issue: Issue, above: readonly PropertyKey[], input: unknown): Problem[] {
  const path = [...above, ...issue.path] as (string | number)[]
  const place = placeOf(path, input)
  const value = valueAt(input, path)
  if (path.at(-1) === 'fault' && Array.isArray(value))
    return [{ path, message: `'fault' ${place} is one fault: write faults: [ … ] for several` }]
  const expression = regExpAt(input, path)
  if (expression)
    return [{ path, message: `${expression} ${place}: a scenario is data: write ${asPattern(expression)}` }]
  if (issue.code === 'invalid_union') {
    if (issue.discriminator === 'name') return [{ path, message: unknownFault(value, place) }]
    const branch = enteredBranch(issue.errors)
    if (branch) return wordsFirst(branch).flatMap((inner) => problemsOf(inner, path, input))
    if (isFault(path) && (typeof value === 'string' || typeof value === 'number'))
      return [{ path, message: unknownFault(value, place) }]
  }
  if (issue.code === 'unrecognized_keys') {
    const known = knownFields(path, value)
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: known.includes(key)
        ? `'${key}' ${place} does not go with what stands beside it`
        : (renamedAt(key, known, place) ??
          `Unknown field '${key}' ${place}${misnomer(key, known) ?? (known.length > 0 ? didYouMean(key, known) : '')}`),
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
  const now = issue.code === 'invalid_value' ? renamed(value, issue.values.map(String)) : undefined
  if (now !== undefined) return [{ path, message: `Wrong '${field}' ${place}: ${now}` }]
  const missing = (issue.code === 'invalid_type' || isUntyped) && value === undefined
  const message = missing ? `'${field}' is missing ${place}` : `Wrong '${field}' ${place}: ${issue.message}`
  return [{ path, message: field === '' ? `Not a scenario: ${issue.message}` : message }]
}

function renamedAt(key: string, known: readonly string[], place: string): string | undefined {
  const now = renamed(key, known)
  return now && `${place.replace('in', 'In')}: ${now}`
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

/** Names of faults elsewhere, and ours. */
const commonFaultNames = new Map([
  ['delay', 'latency'],
  ['sleep', 'latency'],
  ['slow', 'latency'],
  ['disconnect', 'connection-reset'],
  ['network-error', 'connection-reset'],
  ['error', 'status'],
  ['stream-error', 'stream-error-event'],
])

function unknownFault(value: unknown, place: string): string {
  if (typeof value === 'number')
    return `A fault ${place} is a name, or its name and parameters: write fault: { name: 'status', status: ${value} }`
  if (typeof value !== 'string')
    return `A fault without its name ${place}: write fault: 'latency', or { name: 'latency', ms: 500 }`
  if (!faultNames.includes(value)) {
    const meant = commonFaultNames.get(value) ?? nearest(value, faultNames)
    const hint = meant ? `: did you mean '${meant}'?` : '; scenarios/FAULTS.md lists the faults'
    return `Unknown fault '${value}' ${place}${/^[45]\d\d$/.test(value) ? `: write { name: 'status', status: ${value} }` : hint}`
  }
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
  if (within === 'sequence') return ['fault', 'faults', 'reply']
  if (within === 'rateLimit') return Object.keys(RateLimit.unwrap().shape)
  if (within === 'during') return ['fromMs', 'toMs']
  if (within === 'fault' || within === 'faults') {
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
  const field = path.findLast((step) => typeof step === 'string')
  return field === 'fault' || field === 'faults'
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

export function scenarioJsonSchema(operations: readonly KnownOperation[]): object {
  const schema = z.toJSONSchema(Scenario, {
    io: 'input',
    reused: 'ref',
    override({ jsonSchema, path }) {
      if (path.at(-1) !== 'on' || path.at(-2) !== 'properties') return
      const name = {
        anyOf: [{ enum: ['*', textOperations, ...operations.map(({ id }) => id)] }, { pattern: '^[A-Z]+ /' }],
      }
      jsonSchema.anyOf = [name, { type: 'array', items: name, minItems: 1 }]
    },
  })
  return { ...schema, title: 'Understudy scenario' }
}
