/**
 * Checks scenarios: their shape and names, and that each rule can apply. Returns the scenario with defaults, or throws
 * one error that lists all problems. Editors use a JSON Schema for the shape.
 */

import * as z from 'zod'
import { conflict } from '../faults/compatibility.ts'
import { type Fault, formFor, needsGeneratedAnswer, needsStream, requestedForm } from '../faults/fault.ts'
import { faultNames, faultOf } from '../faults/index.ts'
import { atCaller } from '../lib/at-caller.ts'
import { didYouMean, nearest } from '../lib/did-you-mean.ts'
import { oneLine } from '../lib/one-line.ts'
import { renamed } from '../lib/renamed.ts'
import { isPattern, type Pattern, patternProblem, When } from './condition.ts'
import { misnomer, textOperations } from './names.ts'
import { RateLimit } from './rate-limit.ts'
import { Rule, Scenario, type ScenarioInput, type Step } from './scenario.ts'
import { callsOf, isAnswer, type Script, Turn, TurnExpectation } from './script.ts'
import { faultsOf, ScriptedCitation, ScriptedReply, ScriptedUsage } from './scripted-reply.ts'
import { isTemplate, templateProblem } from './template.ts'

/** The part of an operation that the checks need. */
export interface KnownOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  /** Set if the operation answers with text. */
  readonly protocol?: object | undefined
  /** Set for other operations that can stream. */
  readonly stream?: object | undefined
}

/** An invalid scenario. The message is one line with the first problem. */
export class ScenarioError extends Error {
  /** Always `ScenarioError`. */
  override name = 'ScenarioError'
  /** All problems, with their paths in the scenario. */
  readonly problems: readonly Problem[]

  constructor(allProblems: readonly Problem[]) {
    const problems = allProblems.map(({ path, message }) => ({ path, message: oneLine(message) }))
    const more = problems.length - 1
    super(
      `${problems[0]?.message}${more > 0 ? ` (and ${more} more ${more === 1 ? 'problem' : 'problems'})` : ''}`,
    )
    this.problems = problems
  }
}

/**
 * Returns the scenario with defaults filled in. Throws a `ScenarioError`.
 *
 * @param howToEnable Returns how to enable an operation that is not in the list; undefined for an unknown one.
 */
export function checkScenario(
  input: unknown,
  operations: readonly KnownOperation[],
  howToEnable: (id: string) => string | undefined = () => undefined,
): Scenario {
  const scenario = checkShape(input)
  const problems = scenario.rules.flatMap((rule, index) => {
    const place = `in scenario '${scenario.name}', rule ${index + 1}`
    return [...ruleProblems({ rule, place, operations, howToEnable })].map(({ path, message }) => ({
      path: ['rules', index, ...path],
      message,
    }))
  })
  if (problems.length > 0) throw new ScenarioError(problems)
  return scenario
}

/**
 * Checks the shape of a scenario and returns it unchanged. Throws a `ScenarioError`. Names of operations are checked when
 * the scenario is used, because they depend on the gateway.
 */
export function defineScenario<const Input extends ScenarioInput>(scenario: Input): Input {
  return atCaller(defineScenario, () => checkShape(scenario) && scenario)
}

function checkShape(input: unknown): Scenario {
  const result = Scenario.safeParse(input)
  if (!result.success) throw new ScenarioError(shapeProblems(result.error.issues, input))
  const notPlain = result.data.rules.flatMap((_, index) => notAsData(['rules', index, 'when'], input))
  if (notPlain.length > 0) throw new ScenarioError(notPlain)
  return result.data
}

/** Yields the problems of one rule, with paths relative to it. */
function* ruleProblems(site: Site): Generator<Problem> {
  yield* onProblems(site)
  yield* whenProblems(site)
  yield* frequencyProblems(site)
  yield* effectProblems(site)
}

const methodAndPath = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/[^\s?#{}]*)$/

function* onProblems({ rule, place, operations, howToEnable }: Site): Generator<Problem> {
  for (const [index, on] of [rule.on].flat().entries()) {
    const path = Array.isArray(rule.on) ? ['on', index] : ['on']
    if (on === '*' || on === textOperations || operations.some(({ id }) => id === on)) continue
    if (!on.includes('/')) {
      const words = [...operations.map(({ id }) => id), textOperations]
      const fix = howToEnable(on)
      const hint = fix === undefined ? didYouMean(on, words) : `: ${fix}`
      yield { path, message: `Unknown operation '${on}' ${place}${hint}` }
    } else if (!methodAndPath.test(on)) {
      const [, method, below = on] =
        /^(?:([A-Za-z]+) +)?(?:https?:\/\/[^/]*)?(?:\/api\/v1)?(\/[^\s?#]*)/.exec(on) ?? []
      const suggestion = operations.find((operation) =>
        describes(operation, `${(method ?? operation.method).toUpperCase()} ${below}`),
      )
      const hint = suggestion
        ? `: did you mean '${suggestion.id}'?`
        : ` is invalid: use an upper-case method and a path below the base URL, as in 'POST /chat/completions'`
      yield { path, message: `'${on}' ${place}${hint}` }
    } else {
      const doubled = /^(\S+) \/api\/v1(\/.*)$/.exec(on)
      if (doubled) {
        const [, method, rest] = doubled
        yield {
          path,
          message: `'${on}' ${place} would never match: omit /api/v1, as in '${method} ${rest}'`,
        }
        continue
      }
      const operation = operations.find((each) => describes(each, on))
      if (operation) yield { path, message: `'${on}' ${place} is an operation: use its id '${operation.id}'` }
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

function* frequencyProblems({ rule, place }: Site): Generator<Problem> {
  const { rateLimit, times, probability = 1, during, sequence, script, onEnd } = rule
  if (rateLimit && rateLimit.requests === undefined && rateLimit.tokens === undefined) {
    const message = `The rate limit ${place} limits nothing: set requests, tokens or both`
    yield { path: ['rateLimit'], message }
  }
  if (rateLimit && rateLimit.per <= 0)
    yield { path: ['rateLimit', 'per'], message: `'rateLimit.per' ${place} must be greater than 0` }
  if (times !== undefined && times < 1) {
    yield {
      path: ['times'],
      message: `'times: ${times}' ${place} would never apply: use 1 or more, or remove the rule`,
    }
  }
  if (during?.toMs !== undefined && during.fromMs >= during.toMs) {
    yield {
      path: ['during'],
      message: `'during' ${place} is empty: fromMs ${during.fromMs} must be less than toMs ${during.toMs}`,
    }
  }
  if (probability < 0 || probability > 1)
    yield {
      path: ['probability'],
      message: `'probability' ${place} must be between 0 and 1, got ${probability}`,
    }
  if (sequence?.length === 0)
    yield {
      path: ['sequence'],
      message: `The sequence ${place} is empty: add a step, or remove the rule`,
    }
  if (onEnd === undefined || sequence || script) return
  const needed = onEnd.startsWith('repeat') ? 'sequence or a script' : 'script, a sequence or times'
  if (onEnd.startsWith('repeat') || times === undefined)
    yield {
      path: ['onEnd'],
      message: `'onEnd: ${onEnd}' ${place} has no effect: the rule needs a ${needed}`,
    }
}

/** Yields the problem of a condition's regular expression, if it has one. */
function* patternProblems(condition: unknown, path: Path, place: string): Generator<Problem> {
  if (typeof condition !== 'object' || condition === null || !('matches' in condition)) return
  const pattern = condition as Pattern
  const problem = patternProblem(pattern)
  if (problem === undefined) return
  const expression = `/${pattern.matches}/${pattern.flags ?? ''}`
  const message = `Bad regular expression ${expression} in '${path.join('.')}' ${place}: ${problem}`
  yield { path: [...path, 'matches'], message }
}

/** A rule, and the context for messages about it. */
export interface Site {
  rule: Rule
  /** Such as `in scenario 'outage', rule 1`. */
  place: string
  operations: readonly KnownOperation[]
  /** Returns how to enable an operation that is not in the list; undefined for an unknown one. */
  howToEnable: (id: string) => string | undefined
}

export type Path = (string | number)[]

/** Yields the problems of the replies, faults, sequences and scripts of a rule. */
export function* effectProblems(site: Site): Generator<Problem> {
  const { rule, place } = site
  const effects = (['fault', 'faults', 'reply', 'sequence', 'script'] as const).filter(
    (name) => rule[name] !== undefined,
  )
  if (
    effects.length === 0 &&
    rule.rateLimit === undefined &&
    rule.budgetUsd === undefined &&
    rule.setState === undefined
  )
    yield { path: [], message: `No effect ${place}: add a fault, a reply, a sequence or a script` }
  if (effects.length > 1 && rule.sequence) {
    yield {
      path: ['sequence'],
      message: `Both ${effects.join(' and ')} ${place}: move everything into steps of the sequence`,
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
      yield { path, message: `A step ${place} has no effect: add a fault or a reply, or write 'pass'` }
    const other = step.reply && faults.find(({ name }) => faultOf(name).layer === 'replacement')
    if (other) {
      yield {
        path: at,
        message: `'${other.name}' ${place} replaces the reply: use a sequence to send both`,
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
  step: Exclude<Step, 'pass'>,
  path: Path,
  { rule, place, operations }: Site,
): Generator<Problem> {
  const settings = faultsOf(step)
  if (step.fault && step.faults)
    yield { path, message: `Both 'fault' and 'faults' ${place}: list all of them in faults` }
  const faults = settings.map(({ name }) => faultOf(name))
  for (const fault of faults) {
    if (!needsGeneratedAnswer(fault)) continue
    const target = needsStream(fault) ? 'streams' : 'generated answers'
    const wrong = [rule.on].flat().find((on) => on !== '*' && !generates(on, operations))
    if (wrong === undefined) continue
    const suitable = [
      `'${textOperations}'`,
      ...operations.filter(({ stream }) => stream).map(({ id }) => `'${id}'`),
    ]
    yield {
      path,
      message: `'${fault.name}' ${place} applies to ${target}, which '${wrong}' does not have: use it on ${suitable.join(' or ')}`,
    }
  }
  const form = formFor(faults)
  if (form && rule.when?.stream === (form !== 'stream')) {
    const { name } = faults.find((fault) => requestedForm(fault) === form) as Fault
    const needed = form === 'stream' ? 'a stream' : 'JSON'
    yield {
      path,
      message: `'${name}' ${place} would never apply: it needs a request for ${needed}, but the rule has 'stream: ${rule.when.stream}'`,
    }
  }
  for (const [index, first] of faults.entries()) {
    for (const second of faults.slice(index + 1)) {
      const reason = conflict(first, second)
      if (!reason) continue
      yield {
        path,
        message: `'${first.name}' and '${second.name}' ${place} cannot be combined: ${reason}; use a sequence for both`,
      }
    }
  }
}

/** Returns true for operations with generated answers. */
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
  const complete = (['body', 'frames'] as const).filter((name) => reply[name] !== undefined)
  if (composed.length + complete.length === 0) {
    yield { path, message: `The reply ${place} is empty: add text, output, a body or frames` }
  }
  const [first, second] = [...complete, ...composed]
  if (complete.length > 0 && second) {
    yield {
      path: [...path, second],
      message: `Both '${first}' and '${second}' ${place}: '${first}' is already the full reply`,
    }
  }
  yield* templateProblems(reply, path, place)
  yield* citationProblems(reply, path, place)
  yield* endProblems(reply, path, place)
  const wrong = [rule.on].flat().find((on) => !generates(on, operations))
  if (composed[0] && wrong !== undefined) {
    yield {
      path: [...path, composed[0]],
      message: `'${composed[0]}' ${place} is only for operations that answer with text, unlike '${wrong}': use a body or frames`,
    }
  }
}

/** Checks that citations refer to parts of the text. */
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
        message: `'citations[${index}]' ${place} is not within the text: start_index ${start}, end_index ${end}, text length ${text.length}`,
      }
  }
}

type EndField = 'responseStatus' | 'incompleteReason' | 'error'

/** Checks that the fields about the end of a response are consistent. */
function* endProblems(
  { responseStatus, incompleteReason, error }: Pick<ScriptedReply, EndField>,
  path: Path,
  place: string,
): Generator<Problem> {
  const contradiction = responseStatus
    ? `'responseStatus' is '${responseStatus}'`
    : `'incompleteReason' is set`
  if (incompleteReason && responseStatus && responseStatus !== 'incomplete') {
    yield {
      path: [...path, 'incompleteReason'],
      message: `'incompleteReason' ${place} is only for incomplete responses, but ${contradiction}`,
    }
  }
  if (error && (incompleteReason || (responseStatus && responseStatus !== 'failed')))
    yield {
      path: [...path, 'error'],
      message: `'error' ${place} is only for failed responses, but ${contradiction}`,
    }
}

/** Fields for operations that answer with text; other parts of the reply are generated. */
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

/** Fields that cannot be combined with a script. */
const notWithScript = [
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
  const other = notWithScript.find((name) => rule[name] !== undefined)
  if (other)
    yield {
      path: [other],
      message: other.startsWith('fault')
        ? `Both script and '${other}' ${place}: move the ${other} into a turn, as in script: [{ text: 'Hello', fault: 'latency' }]`
        : `Both script and '${other}' ${place}: a script cannot have '${other}', because its turns determine the replies`,
    }
  const wrong = [rule.on].flat().find((on) => !generates(on, operations))
  if (wrong !== undefined) {
    const message = `A script ${place} is only for operations that answer with text, unlike '${wrong}'`
    yield { path: ['script'], message }
  }
  for (const [index, turn] of script.entries()) {
    const path = ['script', index]
    const { expect = {}, text, citations } = turn
    const faults = faultsOf(turn)
    if (!isAnswer(turn)) {
      const unused = (['usage', 'id', 'interleave'] as const).find((name) => turn[name] !== undefined)
      if (faults.length === 0)
        yield {
          path,
          message: `Turn ${index + 1} ${place} has no reply: add text, a call, output or a fault`,
        }
      if (unused)
        yield {
          path: [...path, unused],
          message: `'${unused}' of turn ${index + 1} ${place} has no effect, because the turn has no reply`,
        }
    }
    if (citations && (text === undefined || callsOf(turn).length > 0))
      yield {
        path: [...path, 'citations'],
        message: `'citations' of turn ${index + 1} ${place} need a text, and no call`,
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
        message: `'${answer.name}' ${place} replaces the reply of turn ${index + 1}: make it a separate turn`,
      }
    }
  }
}

/** Yields the problems of templates in text, body, headers and frames of a reply. */
function* templateProblems(
  { text, body, headers, frames }: ScriptedReply,
  path: Path,
  place: string,
): Generator<Problem> {
  for (const [field, value] of Object.entries({ text, body, headers, frames })) {
    for (const [inner, template] of textsIn(value)) {
      const problem = isTemplate(template) ? templateProblem(template) : undefined
      if (problem === undefined) continue
      const message = `Bad template in '${field}' ${place}: ${problem}; to write literal braces, start the text with {{=<% %>=}}`
      yield { path: [...path, field, ...inner], message }
    }
  }
}

/** Yields the regular expressions in the checks of a result, with their paths. */
function* patternsIn(value: unknown, path: Path = []): Generator<[Path, object]> {
  if (typeof value !== 'object' || value === null) return
  if (isPattern(value)) yield [path, value]
  else
    for (const [key, inner] of Object.entries(value))
      yield* patternsIn(inner, [...path, Array.isArray(value) ? Number(key) : key])
}

/** Yields the strings in a value with their paths, except base64. */
function* textsIn(value: unknown, path: Path = []): Generator<[Path, string]> {
  if (typeof value === 'string') yield [path, value]
  if (typeof value !== 'object' || value === null || 'base64' in value) return
  for (const [key, inner] of Object.entries(value))
    yield* textsIn(inner, [...path, Array.isArray(value) ? Number(key) : key])
}

export interface Problem {
  /** Keys and indexes, outermost first. */
  path: (string | number)[]
  /** One line, including the scenario and rule. */
  message: string
}

type Issue = z.core.$ZodIssue

export function shapeProblems(issues: readonly Issue[], input: unknown): Problem[] {
  return unknownFieldsFirst(issues).flatMap((issue) => problemsOf(issue, [], input))
}

/** Reports a regular expression, date or map used as an object: its schema would accept it as an empty object. */
export function notAsData(path: (string | number)[], input: unknown): Problem[] {
  const value = valueAt(input, path)
  if (value === undefined || Object.prototype.toString.call(value) === '[object Object]') return []
  return shapeProblems(
    [{ code: 'invalid_type', expected: 'object', path, message: 'Must be an object' }],
    input,
  )
}

/** Sorts unknown fields before fields that are missing because of them. */
function unknownFieldsFirst(issues: readonly Issue[]): readonly Issue[] {
  return issues.toSorted((left, right) => unknownKeys([right]) - unknownKeys([left]))
}

function problemsOf(issue: Issue, above: readonly PropertyKey[], input: unknown): Problem[] {
  const path = [...above, ...issue.path] as (string | number)[]
  const place = placeOf(path, input)
  const value = valueAt(input, path)
  if (path.at(-1) === 'fault' && Array.isArray(value))
    return [{ path, message: `'fault' ${place} must be a single fault: use faults: [ … ] for several` }]
  const expression = regExpAt(input, path)
  if (expression)
    return [
      { path, message: `${expression} ${place}: scenarios are plain data: write ${asPattern(expression)}` },
    ]
  if (issue.code === 'invalid_union') {
    if (issue.discriminator === 'name') return [{ path, message: unknownFault(value, place) }]
    const branch = matchingBranch(issue.errors)
    if (branch) return unknownFieldsFirst(branch).flatMap((inner) => problemsOf(inner, path, input))
    if (isFault(path) && (typeof value === 'string' || typeof value === 'number'))
      return [{ path, message: unknownFault(value, place) }]
  }
  if (issue.code === 'unrecognized_keys') {
    const fields = knownFields(path, value)
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: fields.includes(key)
        ? `'${key}' ${place} cannot be combined with the other fields here`
        : (renamedAt(key, fields, place) ??
          `Unknown field '${key}' ${place}${misnomer(key, fields) ?? (fields.length > 0 ? didYouMean(key, fields) : '')}`),
    }))
  }
  if (issue.code === 'invalid_key') return issue.issues.flatMap((inner) => problemsOf(inner, path, input))
  const isUntyped =
    issue.code === 'invalid_union' && issue.message === 'Invalid input' && areAllMistyped(issue.errors)
  const field = fieldOf(path)
  const isMistyped = issue.code === 'invalid_type' && issue.message.startsWith('Invalid input')
  if ((isUntyped || isMistyped) && value !== undefined && field !== '') {
    const mismatch = typeMismatch(isUntyped ? issue.errors : [[issue]], value)
    return [{ path, message: `Wrong '${field}' ${place}: ${mismatch}` }]
  }
  const newName = issue.code === 'invalid_value' ? renamed(value, issue.values.map(String)) : undefined
  if (newName !== undefined) return [{ path, message: `Wrong '${field}' ${place}: ${newName}` }]
  const missing = (issue.code === 'invalid_type' || isUntyped) && value === undefined
  const message = missing
    ? `'${field}' is missing ${place}`
    : `Wrong '${field}' ${place}: ${describeIssue(issue)}`
  return [{ path, message: field === '' ? `Not a scenario: ${issue.message}` : message }]
}

/** Returns the message of an issue, without the wording of zod for bounds and options. */
function describeIssue(issue: Issue): string {
  if (issue.code === 'invalid_value' && /^Invalid (?:option|input)/.test(issue.message)) {
    const values = issue.values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
    return `must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`
  }
  if (issue.code !== 'too_small' && issue.code !== 'too_big') return issue.message
  if (!issue.message.startsWith('Too ')) return issue.message
  const [limit, bound] = issue.code === 'too_small' ? ['at least', issue.minimum] : ['at most', issue.maximum]
  if (issue.origin !== 'string' && issue.origin !== 'array') return `must be ${limit} ${bound}`
  if (issue.code === 'too_small' && bound === 1) return 'must not be empty'
  return `must have ${limit} ${bound} ${issue.origin === 'string' ? 'characters' : 'items'}`
}

function renamedAt(key: string, fields: readonly string[], place: string): string | undefined {
  const newName = renamed(key, fields)
  return newName && `${place.replace('in', 'In')}: ${newName}`
}

/** Returns the issues of the most likely branch of a union: one that did not reject the value as a whole. */
function matchingBranch(branches: readonly Issue[][]): readonly Issue[] | undefined {
  const rejectsValue = (issue: Issue): boolean =>
    issue.path.length === 0 &&
    (issue.code === 'invalid_type' ||
      issue.code === 'invalid_value' ||
      (issue.code === 'invalid_union' && issue.discriminator === undefined && !matchingBranch(issue.errors)))
  return branches
    .filter((issues) => !issues.some(rejectsValue))
    .sort((left, right) => unknownKeys(left) - unknownKeys(right) || left.length - right.length)[0]
}

/** Returns the regular expression at a path or above it: schemas look into it like into any object. */
function regExpAt(input: unknown, path: readonly PropertyKey[]): RegExp | undefined {
  const values = path.map((_step, index) => valueAt(input, path.slice(0, index + 1)))
  return values.find((value) => value instanceof RegExp)
}

/** Returns `{ matches: '^tides', flags: 'i' }`. */
function asPattern({ source, flags }: RegExp): string {
  return `{ matches: ${JSON.stringify(source)}${flags === '' ? '' : `, flags: '${flags}'`} }`
}

function areAllMistyped(branches: readonly Issue[][]): boolean {
  return branches.every(([first]) => first?.code === 'invalid_type' && first.path.length === 0)
}

/** Returns `expected number or object, received '2000'`. */
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

/** Fault names by common synonyms. */
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
    return `A fault ${place} must be a name, or an object with name and parameters: write fault: { name: 'status', status: ${value} }`
  if (typeof value !== 'string')
    return `A fault ${place} has no name: write fault: 'latency', or { name: 'latency', ms: 500 }`
  if (!faultNames.includes(value)) {
    const suggestion = commonFaultNames.get(value) ?? nearest(value, faultNames)
    const hint = suggestion ? `: did you mean '${suggestion}'?` : '; see scenarios/FAULTS.md for all faults'
    return `Unknown fault '${value}' ${place}${/^[45]\d\d$/.test(value) ? `: write { name: 'status', status: ${value} }` : hint}`
  }
  const required = Object.entries(faultOf(value).params().shape)
    .filter(([, schema]) => !(schema as z.ZodType).safeParse(undefined).success)
    .map(([name]) => `'${name}'`)
  return `Fault '${value}' ${place} requires ${required.join(' and ')}: write { name: '${value}', … }`
}

/** Returns `in scenario 'outage', rule 1`, or as much of it as is known. */
function placeOf(path: readonly (string | number)[], input: unknown): string {
  const name = valueAt(input, ['name'])
  const scenario = typeof name === 'string' ? `in scenario '${name}'` : 'in a scenario without a name'
  return path[0] === 'rules' && typeof path[1] === 'number' ? `${scenario}, rule ${path[1] + 1}` : scenario
}

/** Formats a path relative to its rule: `when.model`, `sequence[0].fault`. */
function fieldOf(path: readonly (string | number)[]): string {
  const below = path[0] === 'rules' && path.length > 2 ? path.slice(2) : path
  return below.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  )
}

/** Returns the fields that are valid at a path. */
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

/** Returns the value at a path of own keys. */
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
