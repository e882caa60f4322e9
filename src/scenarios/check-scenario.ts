/**
 * Checks a scenario's shape and names, and that each of its rules can apply. Returns the scenario with
 * defaults filled in, or throws a single error that lists all problems. Editors check only the shape, using
 * the JSON Schema.
 */

import * as z from 'zod'
import { conflict } from '../faults/compatibility.ts'
import { type Fault, formFor, needsGeneratedAnswer, needsStream, requestedForm } from '../faults/fault.ts'
import { faultNames, faultOf } from '../faults/index.ts'
import { inCall } from '../lib/call-names.ts'
import { check } from '../lib/check.ts'
import { didYouMean, meantBy } from '../lib/did-you-mean.ts'
import { oneLine } from '../lib/one-line.ts'
import { about, shown } from '../lib/schema-messages.ts'
import { readAt } from '../lib/value-path.ts'
import { isPattern, patternProblem, When } from './condition.ts'
import { isShorthand, misnomer, textOperations } from './names.ts'
import { RateLimit } from './rate-limit.ts'
import { Rule, Scenario, type ScenarioInput, type Step } from './scenario.ts'
import { answerFields, callsOf, isAnswer, type Script, Turn, TurnExpectation } from './script.ts'
import { faultsOf, ScriptedCitation, ScriptedReply, ScriptedUsage } from './scripted-reply.ts'
import { isTemplate, templateProblem } from './template.ts'

/** The part of an operation that the checks need. */
export interface KnownOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  /** Present if the operation generates text. */
  readonly protocol?: object | undefined
  /** Set for other operations that can stream. */
  readonly streams?: boolean | object | undefined
}

/** Thrown for an invalid scenario. The one-line message describes the first problem and mentions any others. */
export class ScenarioError extends Error {
  /** Always `ScenarioError`. */
  override name = 'ScenarioError'
  /** All problems, with their location in the scenario. */
  readonly problems: readonly Problem[]

  constructor(allProblems: readonly Problem[]) {
    const problems = allProblems.map(({ path, message }) => ({ path, message: oneLine(message) }))
    const [first, second, ...more] = problems
    const [place = ''] = /^(?:scenario|rule \d+ of) '[^']*': /.exec(first?.message ?? '') ?? []
    const rest =
      more.length > 0
        ? ` (and ${more.length + 1} more problems)`
        : second && ` (and ${second.message.replace(place, '')})`
    super(`${first?.message}${rest ?? ''}`)
    this.problems = problems
  }
}

export interface CheckOptions {
  /** Operations of the gateway that uses the scenario. */
  readonly operations: readonly KnownOperation[]
  /** Explains how to enable an operation that is not in `operations`. Returns undefined for an unknown one. */
  readonly howToEnable?: (id: string) => string | undefined
}

/** Returns the scenario with defaults filled in. Throws a `ScenarioError` if it is invalid. */
export function checkScenario(input: unknown, options: CheckOptions): Scenario {
  const scenario = checkShape(input)
  const problems = scenario.rules.flatMap((rule, index) =>
    [...ruleProblems({ rule, ...options })].map(({ path, says }) =>
      toProblem(['rules', index, ...path], says, input),
    ),
  )
  if (problems.length > 0) throw new ScenarioError(problems)
  return scenario
}

/** A problem with a field of a rule. */
interface Finding {
  /** Path relative to the rule. */
  path: Path
  /** Text after the field name, such as ` must be 0 to 1, got 50`. */
  says: string
}

/**
 * Checks a scenario's shape and returns the scenario unchanged. Throws a `ScenarioError` if the shape is invalid.
 * Operation names depend on the gateway, so they are checked when the scenario is used.
 */
export function defineScenario<const Input extends ScenarioInput>(scenario: Input): Input {
  return inCall('defineScenario', () => checkShape(scenario) && scenario)
}

export function checkShape(input: unknown): Scenario {
  const result = check(Scenario, input)
  if (!result.success) throw new ScenarioError(shapeProblems(result.error.issues, input))
  const notPlain = result.data.rules.flatMap((_, index) => notAsData(['rules', index, 'when'], input))
  if (notPlain.length > 0) throw new ScenarioError(notPlain)
  return result.data
}

/** Yields the problems with a rule, with paths relative to it. */
function* ruleProblems(context: RuleContext): Generator<Finding> {
  yield* onProblems(context)
  yield* whenProblems(context)
  yield* frequencyProblems(context)
  yield* effectProblems(context)
}

const methodAndPath = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/[^\s?#{}]*)$/

function* onProblems({ rule, operations, howToEnable }: RuleContext): Generator<Finding> {
  for (const [index, on] of [rule.on].flat().entries()) {
    const path = Array.isArray(rule.on) ? ['on', index] : ['on']
    if (on === '*' || on === textOperations || operations.some(({ id }) => id === on)) continue
    if (!on.includes('/')) {
      const words = [...operations.map(({ id }) => id), textOperations]
      const fix = howToEnable?.(on)
      const hint = fix === undefined ? didYouMean(on, words) : `; ${fix}`
      yield { path, says: `: unknown operation '${on}'${hint}` }
    } else if (!methodAndPath.test(on)) {
      const [, method, below = on] =
        /^(?:([A-Za-z]+) +)?(?:https?:\/\/[^/]*)?(?:\/api\/v1)?(\/[^\s?#]*)/.exec(on) ?? []
      const suggestion = operations.find((operation) =>
        describes(operation, `${(method ?? operation.method).toUpperCase()} ${below}`),
      )
      const hint = suggestion
        ? `; did you mean '${suggestion.id}'?`
        : ` is invalid; use an upper-case method and a path relative to the base URL, as in 'POST /chat/completions'`
      yield { path, says: `: '${on}'${hint}` }
    } else {
      const [, method, rest] = /^(\S+) \/api\/v1(\/.*)$/.exec(on) ?? []
      const operation = operations.find((each) => describes(each, on))
      if (rest)
        yield {
          path,
          says: `: '${on}' would never match: omit /api/v1, as in '${method} ${rest}'`,
        }
      else if (operation) yield { path, says: `: '${on}' is an operation: use its id '${operation.id}'` }
    }
  }
}

function describes({ method, path }: KnownOperation, on: string): boolean {
  const pattern = path.replace(/\{[^}]*\}/g, '[^/]+')
  return new RegExp(`^${method.toUpperCase()} ${pattern}$`).test(on)
}

function* whenProblems({ rule: { on, when = {} }, operations }: RuleContext): Generator<Finding> {
  const targets = [on].flat().map((each) => operations.find(({ id }) => id === each))
  for (const name of Object.keys(when.params ?? {})) {
    if (targets.some((target) => !target || target.path.includes(`{${name}}`))) continue
    const paths = targets.map((target) => target?.path).join(' or ')
    yield { path: ['when', 'params', name], says: ` is not a parameter of ${paths}` }
  }
  const conditions: [Path, unknown][] = [[['when', 'input'], when.input]]
  for (const part of ['headers', 'query', 'params', 'body'] as const) {
    for (const [name, condition] of Object.entries(when[part] ?? {}))
      conditions.push([['when', part, name], condition])
  }
  for (const [path, condition] of conditions) yield* patternProblems(condition, path)
}

function* frequencyProblems({ rule }: RuleContext): Generator<Finding> {
  const { rateLimit, times, probability = 1, during, sequence, script, onEnd } = rule
  if (rateLimit && rateLimit.requests === undefined && rateLimit.tokens === undefined)
    yield { path: ['rateLimit'], says: ' limits nothing: set requests, tokens or both' }
  if (rateLimit && rateLimit.per <= 0) yield { path: ['rateLimit', 'per'], says: ' must be greater than 0' }
  if (times !== undefined && times < 1)
    yield { path: ['times'], says: ` must be 1 or more, got ${times}: to disable a rule, remove it` }
  if (during?.toMs !== undefined && during.fromMs >= during.toMs) {
    yield {
      path: ['during'],
      says: ` is empty: fromMs ${during.fromMs} must be less than toMs ${during.toMs}`,
    }
  }
  if (probability < 0 || probability > 1) {
    const percent =
      probability >= 2 && probability <= 100 ? `; write ${probability / 100} for ${probability} %` : ''
    yield { path: ['probability'], says: ` must be 0 to 1, got ${probability}${percent}` }
  }
  if (sequence?.length === 0) yield { path: ['sequence'], says: ' is empty: add a step, or remove the rule' }
  if (onEnd === undefined || sequence || script) return
  const needed = onEnd.startsWith('repeat') ? 'sequence or a script' : 'script, a sequence or times'
  if (onEnd.startsWith('repeat') || times === undefined)
    yield { path: ['onEnd'], says: `: '${onEnd}' has no effect: the rule needs a ${needed}` }
}

/** Yields the problem with a condition's regular expression, if any. */
function* patternProblems(condition: unknown, path: Path): Generator<Finding> {
  if (!isPattern(condition)) return
  const problem = patternProblem(condition)
  if (problem === undefined) return
  const expression = `/${condition.matches}/${condition.flags ?? ''}`
  yield {
    path: [...path, 'matches'],
    says: `: the regular expression ${expression} cannot be used: ${problem}`,
  }
}

/** A rule, and the operations that it may name. */
interface RuleContext extends CheckOptions {
  readonly rule: Rule
}

type Path = (string | number)[]

/** Yields the problems with a rule's replies, faults, sequences and scripts. */
function* effectProblems(context: RuleContext): Generator<Finding> {
  const { rule } = context
  const effects = (['fault', 'faults', 'reply', 'sequence', 'script'] as const).filter(
    (name) => rule[name] !== undefined,
  )
  if (effects.length === 0 && rule.rateLimit === undefined && rule.setState === undefined)
    yield { path: [], says: 'the rule has no effect: add a fault, a reply, a sequence or a script' }
  if (effects.length > 1 && rule.sequence) {
    const others = effects.filter((name) => name !== 'sequence').join(' and ')
    yield {
      path: ['sequence'],
      says: ` cannot be combined with ${others}: make ${others} the first step of the sequence`,
    }
  }
  if (rule.script) yield* scriptProblems(rule.script, context)
  for (const [path, step] of stepsOf(rule)) {
    if (step === 'pass') continue
    if (step.reply) yield* replyProblems(step.reply, [...path, 'reply'], context)
    const faults = faultsOf(step)
    const at = [...path, faultField(step)]
    yield* faultProblems(step, at, context)
    if (!step.reply && faults.length === 0)
      yield { path, says: " has no effect: add a fault or a reply, or write 'pass'" }
    const other = step.reply && faults.find(({ name }) => faultOf(name).layer === 'replacement')
    if (other)
      yield { path: at, says: `: '${other.name}' replaces the reply next to it: use a sequence for both` }
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
  { rule, operations }: RuleContext,
): Generator<Finding> {
  const settings = faultsOf(step)
  if (step.fault && step.faults)
    yield { path, says: ' cannot be combined with fault: put all of them into faults' }
  const faults = settings.map(({ name }) => faultOf(name))
  for (const fault of faults) {
    if (!needsGeneratedAnswer(fault)) continue
    const target = needsStream(fault) ? 'streams' : 'generated answers'
    const wrong = [rule.on].flat().find((on) => on !== '*' && !generates(on, operations))
    if (wrong === undefined) continue
    const suitable = [
      `'${textOperations}'`,
      ...operations.filter(({ streams }) => streams).map(({ id }) => `'${id}'`),
    ]
    yield {
      path,
      says: `: '${fault.name}' applies to ${target}, which '${wrong}' does not have: use it on ${suitable.join(' or ')}`,
    }
  }
  const form = formFor(faults)
  if (form && rule.when?.stream === (form !== 'stream')) {
    const { name } = faults.find((fault) => requestedForm(fault) === form) as Fault
    const needed = form === 'stream' ? 'a stream' : 'JSON'
    yield {
      path,
      says: `: '${name}' never applies: it needs a request for ${needed}, but when.stream is ${rule.when.stream}`,
    }
  }
  for (const [index, first] of faults.entries()) {
    for (const second of faults.slice(index + 1)) {
      const reason = conflict(first, second)
      if (!reason) continue
      yield {
        path,
        says: `: '${first.name}' and '${second.name}' cannot be combined: ${reason}; use a sequence for both`,
      }
    }
  }
}

/** Returns true if `on` names operations that generate answers. */
function generates(on: string, operations: readonly KnownOperation[]): boolean {
  return on === textOperations || operations.some((operation) => operation.id === on && canStream(operation))
}

function canStream({ protocol, streams }: KnownOperation): boolean {
  return Boolean(protocol ?? streams)
}

function* replyProblems(
  reply: ScriptedReply,
  path: Path,
  { rule, operations }: RuleContext,
): Generator<Finding> {
  const composed = composedFields.filter((name) => reply[name] !== undefined)
  const whole = (['body', 'frames'] as const).filter((name) => reply[name] !== undefined)
  if (composed.length + whole.length === 0)
    yield { path, says: ' is empty: add text, output, a body or frames' }
  const [first, second] = [...whole, ...composed]
  if (whole.length > 0 && second)
    yield { path: [...path, second], says: ` cannot be combined with ${first}, which is the whole reply` }
  yield* templateProblems(reply, path)
  yield* citationProblems(reply, path)
  yield* endProblems(reply, path)
  const wrong = [rule.on].flat().find((on) => !generates(on, operations))
  if (composed[0] && wrong !== undefined) {
    yield {
      path: [...path, composed[0]],
      says: ` is for operations that generate text, but '${wrong}' does not: use a body or frames`,
    }
  }
}

function* citationProblems(
  { text = '', citations = [] }: Pick<ScriptedReply, 'text' | 'citations'>,
  path: Path,
): Generator<Finding> {
  for (const [index, citation] of citations.entries()) {
    const { text: part, start_index: start, end_index: end } = citation
    const at = [...path, 'citations', index]
    if (part !== undefined && !isTemplate(text) && !text.includes(part))
      yield { path: [...at, 'text'], says: `: ${shown(part)} is not in the reply's text` }
    if ((start === undefined) !== (end === undefined))
      yield { path: at, says: ' needs both start_index and end_index' }
    if (start !== undefined && end !== undefined && (start >= end || end > text.length) && !isTemplate(text))
      yield {
        path: at,
        says: ` is not within the text, which has ${text.length} characters: start_index ${start}, end_index ${end}`,
      }
  }
}

type EndField = 'responseStatus' | 'incompleteReason' | 'error'

function* endProblems(
  { responseStatus, incompleteReason, error }: Pick<ScriptedReply, EndField>,
  path: Path,
): Generator<Finding> {
  const other = responseStatus ? `responseStatus '${responseStatus}'` : 'incompleteReason'
  if (incompleteReason && responseStatus && responseStatus !== 'incomplete')
    yield {
      path: [...path, 'incompleteReason'],
      says: ` cannot be combined with ${other}; write 'incomplete'`,
    }
  if (error && (incompleteReason || (responseStatus && responseStatus !== 'failed')))
    yield {
      path: [...path, 'error'],
      says: ` is for a failed response, so it cannot be combined with ${other}`,
    }
}

/** Reply fields for operations that generate text. The operation generates the rest of the reply. */
const composedFields = Object.keys(answerFields) as (keyof typeof answerFields)[]

/** Fields that can be combined with a script. */
const withScript = ['name', 'on', 'when', 'script', 'onEnd']

function* scriptProblems(script: Script, context: RuleContext): Generator<Finding> {
  const { rule, operations } = context
  const isOther = ([name, value]: [string, unknown]) => value !== undefined && !withScript.includes(name)
  const [other] = Object.entries(rule).find(isOther) ?? []
  if (other !== undefined)
    yield {
      path: [other],
      says: ` cannot be combined with script: ${
        other.startsWith('fault')
          ? `put it into a turn, as in script: [{ text: 'Hello', ${other}: … }]`
          : 'its turns determine the replies'
      }`,
    }
  const wrong = [rule.on].flat().find((on) => !generates(on, operations))
  if (wrong !== undefined)
    yield { path: ['script'], says: ` is for operations that generate text, but '${wrong}' does not` }
  for (const [index, turn] of script.entries()) {
    const path = ['script', index]
    const { expect = {}, text, citations } = turn
    const faults = faultsOf(turn)
    if (!isAnswer(turn)) {
      const about = (['usage', 'id', 'interleave'] as const).find((name) => turn[name] !== undefined)
      if (faults.length === 0) yield { path, says: ' has no reply: add text, a call, output or a fault' }
      if (about) yield { path: [...path, about], says: ' has no reply to describe: remove it' }
    }
    if (citations && (text === undefined || callsOf(turn).length > 0))
      yield { path: [...path, 'citations'], says: ' requires text, and no calls, in the same turn' }
    yield* endProblems(turn, path)
    yield* templateProblems(turn, path)
    yield* citationProblems(turn, path)
    yield* patternProblems(expect.input, [...path, 'expect', 'input'])
    for (const [name, checks] of Object.entries(expect.result ?? {})) {
      for (const [inner, pattern] of patternsIn(checks))
        yield* patternProblems(pattern, [...path, 'expect', 'result', name, ...inner])
    }
    const at = [...path, faultField(turn)]
    yield* faultProblems(turn, at, context)
    const answer = faults.find(({ name }) => faultOf(name).layer === 'replacement')
    if (answer && isAnswer(turn))
      yield {
        path: at,
        says: `: '${answer.name}' replaces the turn's reply, so move the fault to a separate turn`,
      }
  }
}

/** Yields the problems with templates anywhere in a reply or turn. */
function* templateProblems(
  { expect: _, ...reply }: ScriptedReply & Partial<Turn>,
  path: Path,
): Generator<Finding> {
  for (const [inner, text] of textsIn(reply)) {
    const problem = isTemplate(text) ? templateProblem(text) : undefined
    if (problem === undefined) continue
    const says = `: bad template: ${problem}; to write literal braces, start the text with {{=<% %>=}}`
    yield { path: [...path, ...inner], says }
  }
}

/** Yields the regular expressions in a result check, with their paths. */
function* patternsIn(value: unknown, path: Path = []): Generator<[Path, object]> {
  if (isPattern(value)) yield [path, value]
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value))
      yield* patternsIn(inner, [...path, Array.isArray(value) ? Number(key) : key])
}

/** Yields a value's strings with their paths. */
function* textsIn(value: unknown, path: Path = []): Generator<[Path, string]> {
  if (typeof value === 'string') yield [path, value]
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value))
    yield* textsIn(inner, [...path, Array.isArray(value) ? Number(key) : key])
}

export interface Problem {
  /** Keys and indexes, outermost first. */
  path: (string | number)[]
  /** One line that names the rule and the field. */
  message: string
}

/** @param says Text after the field name, or a full sentence if there is no field. */
function toProblem(path: Path, says: string, input: unknown): Problem {
  return { path, message: `${placeOf(path, input)}${fieldOf(path, input)}${says}` }
}

type Issue = z.core.$ZodIssue

function shapeProblems(issues: readonly Issue[], input: unknown): Problem[] {
  return unknownFieldsFirst(issues).flatMap((issue) => problemsOf(issue, [], input))
}

/**
 * Reports a regular expression, date or map where a plain object is expected. Schemas would accept it as an empty
 * object.
 */
function notAsData(path: (string | number)[], input: unknown): Problem[] {
  const value = readAt(input, path)
  if (value === undefined || Object.prototype.toString.call(value) === '[object Object]') return []
  const message = `Must be an object, got ${shown(value)}`
  return shapeProblems([{ code: 'invalid_type', expected: 'object', path, message }], input)
}

/** Sorts unknown fields first, because a misspelt field often causes a report of a missing one too. */
function unknownFieldsFirst(issues: readonly Issue[]): readonly Issue[] {
  const isUnknown = ({ code }: Issue) => code === 'unrecognized_keys'
  return issues.toSorted((left, right) => Number(isUnknown(right)) - Number(isUnknown(left)))
}

function problemsOf(issue: Issue, above: readonly PropertyKey[], input: unknown): Problem[] {
  const path = [...above, ...issue.path] as Path
  const value = readAt(input, path)
  const says = (text: string, at = path): Problem[] => [toProblem(at, text, input)]
  if (path.at(-1) === 'fault' && Array.isArray(value))
    return says(' must be a single fault; write faults: [ … ] for several')
  const expression = regExpAt(input, path)
  if (expression) return says(`: a RegExp (${expression}) is not supported; write ${asPattern(expression)}`)
  if (issue.code === 'invalid_union') {
    if (issue.discriminator === 'name') return says(unknownFault(value, path.at(-1) === 'name'))
    const branch = matchingBranch(issue.errors)
    if (branch) return unknownFieldsFirst(branch).flatMap((inner) => problemsOf(inner, path, input))
    if (isFault(path) && (typeof value === 'string' || typeof value === 'number'))
      return says(unknownFault(value))
  }
  if (issue.code === 'unrecognized_keys') {
    const known = knownFields(path, value)
    return issue.keys.map((key) => unknownField([...path, key], known, input))
  }
  if (issue.code === 'invalid_key') return issue.issues.flatMap((inner) => problemsOf(inner, path, input))
  if (path.at(-2) === 'sequence' && faultNames.includes(value as string))
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

function unknownField(path: Path, known: readonly string[], input: unknown): Problem {
  const key = String(path.at(-1))
  const place = placeOf(path, input)
  const field = fieldOf(path, input)
  if (known.includes(key))
    return { path, message: `${place}${field} cannot be combined with ${otherFields(path, input)}` }
  const fault = readAt(input, [...path.slice(0, -1), 'fault'])
  const ofFault =
    faultNames.includes(fault as string) && Object.hasOwn(faultOf(fault as string).params().shape, key)
      ? `; write fault: { name: '${fault}', ${key}: ${shown(readAt(input, path))} }`
      : undefined
  const hint =
    ofFault ?? misnomer(key, known, readAt(input, path)) ?? (known.length > 0 ? didYouMean(key, known) : '')
  return { path, message: `${place}unknown field '${field}'${hint}` }
}

/** Lists the other fields of the object that contains a field, as in `contains and flags`. */
function otherFields(path: Path, input: unknown): string {
  const fields = Object.keys(Object(readAt(input, path.slice(0, -1))))
  return fields.filter((name) => name !== path.at(-1)).join(' and ')
}

/**
 * Returns the issues of the union branch that was most likely meant: of those that did not reject the whole value, the
 * one with the fewest problems.
 */
function matchingBranch(branches: readonly Issue[][]): readonly Issue[] | undefined {
  const rejectsValue = (issue: Issue): boolean =>
    issue.path.length === 0 &&
    (issue.code === 'invalid_type' ||
      issue.code === 'invalid_value' ||
      (issue.code === 'invalid_union' && issue.discriminator === undefined && !matchingBranch(issue.errors)))
  return branches
    .filter((issues) => !issues.some(rejectsValue))
    .sort((left, right) => problemCount(left) - problemCount(right))[0]
}

/** Returns the regular expression at or above a path. Schemas treat a regular expression like any other object. */
function regExpAt(input: unknown, path: readonly PropertyKey[]): RegExp | undefined {
  let value = input
  for (const step of path) {
    value = readAt(value, [step])
    if (value instanceof RegExp) return value
  }
  return undefined
}

/** Converts a regular expression to a pattern, such as `{ matches: '^tides', flags: 'i' }`. */
function asPattern({ source, flags }: RegExp): string {
  return `{ matches: ${JSON.stringify(source)}${flags === '' ? '' : `, flags: '${flags}'`} }`
}

/** Counts problems: each unknown field is one. */
function problemCount(issues: readonly Issue[]): number {
  return issues.flatMap((issue): unknown[] => (issue.code === 'unrecognized_keys' ? issue.keys : [issue]))
    .length
}

/** Fault names by their common synonyms. */
const commonFaultNames = new Map([
  ['delay', 'latency'],
  ['sleep', 'latency'],
  ['slow', 'latency'],
  ['disconnect', 'connection-reset'],
  ['network-error', 'connection-reset'],
  ['error', 'status'],
  ['stream-error', 'stream-error-event'],
])

/** Returns the problem with a fault name, to append to the field name. */
function unknownFault(value: unknown, isName = false): string {
  if (/^[45]\d\d$/.test(String(value)))
    return ` must be a name, got ${shown(value)}; write { name: 'status', status: ${value} }`
  if (typeof value !== 'string')
    return `${isName ? '' : '.name'} is required; write fault: 'latency', or { name: 'latency', ms: 500 }`
  if (!faultNames.includes(value)) {
    const common = commonFaultNames.get(value)
    const hint = common ? `; did you mean '${common}'?` : meantBy(value, faultNames)
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
  return typeof path[1] === 'number'
    ? `rule ${path[1] + 1} of ${scenario}: `
    : typeof name === 'string'
      ? `scenario ${scenario}: `
      : ''
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

/** Returns the fields that are valid at a path. */
function knownFields(path: readonly (string | number)[], value: unknown): string[] {
  const within = path.findLast((step) => typeof step === 'string')
  if (within === undefined) return Object.keys(Scenario.unwrap().shape)
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
    const name = readAt(value, ['name'])
    const params = faultNames.includes(name as string) ? faultOf(name as string).params().shape : {}
    return ['name', ...Object.keys(params)]
  }
  if (within === 'input') return ['contains', 'matches', 'flags']
  if (path.includes('when')) return ['equals', 'contains', 'matches', 'flags', 'present']
  return []
}

function isFault(path: readonly (string | number)[]): boolean {
  const field = path.findLast((step) => typeof step === 'string')
  return field === 'fault' || field === 'faults'
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
