/** Checks a scenario's shape and names, and that each of its rules can apply. */
import { conflict } from '../faults/compatibility.ts'
import {
  type FaultDefinition,
  formFor,
  needsGeneratedAnswer,
  needsStream,
  requestedForm,
} from '../faults/fault.ts'
import { type FaultSetting, faultOf } from '../faults/index.ts'
import { inCall } from '../lib/call-names.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { isRegExp, shown } from '../lib/schema-messages.ts'
import { readAt, walk } from '../lib/value-path.ts'
import { isPattern, maxPattern } from './condition.ts'
import { textOperations } from './names.ts'
import { type ParsedRule, type ParsedScenario, Scenario, type Step } from './scenario.ts'
import {
  maxProblems,
  type Path,
  type Problem,
  problemAt,
  problemsOf,
  ScenarioError,
  wording,
} from './scenario-error.ts'
import { callsOf, isAnswer, type ParsedTurn, type Script } from './script.ts'
import { faultsOf, type ParsedScriptedReply } from './scripted-reply.ts'
import { isTemplate, templateProblem } from './template.ts'

export interface KnownOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  /** Present if the operation generates text. */
  readonly protocol?: object | undefined
  readonly streams?: boolean | object | undefined
  readonly input?: { readonly query?: unknown; readonly body?: unknown } | undefined
  readonly isCustom?: true | undefined
}

export interface CheckOptions {
  readonly operations: readonly KnownOperation[]
  /** Ids of operations that `onlySpecified` disables. Default: none. */
  readonly disabled?: readonly string[]
}

/** Returns the scenario with defaults filled in. Throws a `ScenarioError` with all problems if it is invalid. */
export function checkScenario(input: unknown, options: CheckOptions): ParsedScenario {
  const scenario = checkShape(input)
  assertNone(scenarioProblems(scenario, options), input)
  return scenario
}

function* scenarioProblems({ rules }: ParsedScenario, options: CheckOptions): Generator<Finding> {
  for (const [index, rule] of rules.entries()) {
    const targets = new Map([rule.on].flat().map((name) => [name, targetOf(name, options.operations)]))
    for (const [path, says] of ruleProblems({ ...options, rule, targets }))
      yield [['rules', index, ...path], says]
  }
}

/**
 * Checks a scenario's shape and returns the scenario unchanged. Throws a `ScenarioError` if the shape is invalid.
 * Operation names depend on the gateway, so they are checked when the scenario is used.
 */
export function defineScenario<const Input extends Scenario>(scenario: Input): Input {
  return inCall('defineScenario', () => checkShape(scenario) && scenario)
}

export function checkShape(input: unknown): ParsedScenario {
  assertNone(notData(input), input)
  const result = Scenario.safeParse(input, { error: (issue) => wording(issue, readAt(input, ['name'])) })
  if (!result.success) throw new ScenarioError(problemsOf(result.error.issues, input))
  return result.data
}

/** A path, and the text after the field name, such as ` must be 0 to 1, got 50`. */
type Finding = [path: Path, says: string]

function assertNone(findings: Generator<Finding>, input: unknown): void {
  const problems: Problem[] = []
  for (const [path, says] of findings) {
    problems.push(problemAt(path, says, input))
    if (problems.length === maxProblems) break
  }
  if (problems.length > 0) throw new ScenarioError(problems)
}

/** Maximum number of characters of a scenario's regular expressions, which take 0.1 ms per character to check. */
const maxPatterns = 20_000

/**
 * Yields values that JSON cannot represent: those that contain themselves, BigInts, and regular expressions, dates and
 * maps, which the schema would accept as empty objects. Stops if the regular expressions are too long.
 */
function* notData(input: unknown): Generator<Finding> {
  const patterns = new Set<string>()
  let patternLength = 0
  for (const [path, value, isInItself] of walk(input)) {
    const text = isPattern(value) ? value.matches + (value.flags ?? '') : ''
    if (text.length <= maxPattern && !patterns.has(text)) patternLength += text.length
    patterns.add(text)
    if (patternLength > maxPatterns) {
      const limit = maxPatterns.toLocaleString('en')
      return yield [path, `: the scenario's regular expressions have more than ${limit} characters`]
    }
    if (isInItself) yield [path, ' must not contain itself']
    else if (typeof value === 'bigint') yield [path, ` must not be a BigInt, got ${value}n`]
    else if (isRegExp(value)) {
      const pattern = JSON.stringify({ matches: value.source, flags: value.flags || undefined })
      const form = /\bwhen\.model\b/.test(path.join('.')) ? "a glob such as 'aurora/*'" : pattern
      yield [path, `: a RegExp (${value}) is not supported; write ${form}`]
    } else if (
      typeof value === 'object' &&
      (value instanceof RegExp || !/Array|Object|Null/.test(Object.prototype.toString.call(value)))
    )
      yield [path, ` must be plain data, got ${shown(value)}`]
  }
}

/** Paths of problems are relative to the rule. */
interface RuleContext extends CheckOptions {
  readonly rule: ParsedRule
  /** Maps each name in `on` to its operation, or to undefined for `*` and unknown names. */
  readonly targets: ReadonlyMap<string, KnownOperation | undefined>
}

function* ruleProblems(context: RuleContext): Generator<Finding> {
  const { fault, reply, times, sequence, script, onEnd, rateLimit, setState } = context.rule
  yield* onProblems(context)
  yield* conditionProblems(context)
  const repeats = onEnd?.startsWith('repeat')
  if (onEnd !== undefined && !sequence && !script && (repeats || times === undefined)) {
    const needed = repeats ? 'sequence or a script' : 'script, a sequence or times'
    yield [['onEnd'], `: '${onEnd}' has no effect: the rule needs a ${needed}`]
  }
  const others = Object.keys(withoutUndefined({ fault, reply, script })).join(' and ')
  if (sequence && others !== '')
    yield [['sequence'], ` cannot be combined with ${others}: make ${others} the first step of the sequence`]
  if (script) yield* scriptProblems(script, context)
  for (const [index, step] of (sequence ?? []).entries())
    if (step !== 'pass') yield* stepProblems(step, ['sequence', index], context)
  if (fault || reply) yield* stepProblems({ fault, reply }, [], context)
  else if (!sequence && !script && rateLimit === undefined && setState === undefined)
    yield [[], 'the rule has no effect: add a fault, a reply, a sequence or a script']
}

function* conditionProblems({ rule, targets }: RuleContext): Generator<Finding> {
  const { when = {}, after = 0, rateLimit } = rule
  const all = [...targets.values()]
  const isEach = (test: (target: KnownOperation) => boolean) => all.every((each) => each && test(each))
  for (const name of Object.keys(when.params ?? {}))
    if (isEach(({ path }) => !path.includes(`{${name}}`)))
      yield [['when', 'params', name], ` is not a parameter of ${all.map((each) => each?.path).join(' or ')}`]
  const [silent] = [...targets].find(([, target]) => !target?.protocol) ?? []
  if (when.turn !== undefined && silent !== undefined)
    yield [['when', 'turn'], ` needs a conversation, which '${silent}' does not have: use it on 'text'`]
  const listed = Array.from(targets.keys(), (name) => `'${name}'`).join(' and ')
  if (isEach(({ method }) => /^(get|head)$/i.test(method)))
    for (const name of ['input', 'model', 'body', 'stream'] as const)
      if (when[name]) yield [['when', name], ` never matches: requests to ${listed} have no body`]
  if (rateLimit?.tokens !== undefined && isEach(({ protocol }) => !protocol))
    yield [['rateLimit', 'tokens'], ` has no effect: ${listed} uses no tokens`]
  const last = Math.max(...[when.call ?? Number.POSITIVE_INFINITY].flat())
  if (last <= after) yield [['when', 'call'], ` never matches: after skips the first ${after} calls`]
}

function targetOf(name: string, operations: readonly KnownOperation[]): KnownOperation | undefined {
  if (name === textOperations) return { id: name, method: 'post', path: name, protocol: {} }
  if (name === '*') return undefined
  const [method = '', path = name] = name.split(' ')
  const known = operations.find(({ id }) => id === name) ?? operationMeant(name, operations).operation
  // An unknown operation is one problem, so its protocol is not another.
  return known ?? { id: name, method, path, ...(path === name && { protocol: {} }) }
}

const methodAndPath = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \/(?!(?:api\/)?v1\/)[^\s?#{}]*$/

function* onProblems({ rule, operations, disabled = [] }: RuleContext): Generator<Finding> {
  const ids = [...operations.map(({ id }) => id), textOperations]
  for (const [index, on] of [rule.on].flat().entries()) {
    if (on === '*' || ids.includes(on)) continue
    const path = Array.isArray(rule.on) ? ['on', index] : ['on']
    const { operation, method, below } = operationMeant(on, operations)
    if (operation) yield [path, `: '${on}' is an operation: use its id '${operation.id}'`]
    else if (/^[A-Z]+ +(?!\/|https?:)\S+$/.test(on))
      yield [path, `: the path must start with a slash: write '${on.replace(/ +/, ' /')}'`]
    else if (disabled.includes(on)) yield [path, `: '${on}' is disabled, because onlySpecified is true`]
    else if (!on.includes('/')) yield [path, `: unknown operation '${on}'${didYouMean(on, ids)}`]
    else if (/[{}*]|\/:/.test(on))
      yield [path, `: '${on}' has a placeholder, but rules match literal paths: use defineOperation()`]
    else if (!methodAndPath.test(on)) {
      const example = method && below ? `${method.toUpperCase()} ${below}` : 'POST /chat/completions'
      yield [path, `: '${on}' must be a method and a path without the base URL, as in '${example}'`]
    }
  }
}

/** Finds the operation in `POST /v1/responses`, a URL, or a client's method such as `chat.completions.create`. */
export function operationMeant(name: string, operations: readonly KnownOperation[]) {
  const parts = /^(?:(\w+) +)?(?:https?:\/\/[^/]*)?(?:(?:\/api)?\/v1)?(\/[^\s?#]*)/.exec(name)
  const [, method, below] = parts ?? []
  const asPath = `/${name.replace(/\.(create|parse|stream)$/, '').replaceAll('.', '/')}`
  return { operation: operations.find((each) => matchesPath(each, method, below ?? asPath)), method, below }
}

function matchesPath(operation: KnownOperation, method = operation.method, path: string): boolean {
  if (method.toLowerCase() !== operation.method.toLowerCase()) return false
  const own = operation.path.split('/')
  const steps = path.split('/', own.length + 1)
  return (
    steps.length === own.length &&
    steps.every((step, at) => (own[at]?.startsWith('{') ? step : own[at]) === step)
  )
}

function* stepProblems(step: Exclude<Step, 'pass'>, path: Path, context: RuleContext): Generator<Finding> {
  if (step.reply) yield* replyProblems(step.reply, [...path, 'reply'], context)
  else if (faultsOf(step).length === 0)
    yield [path, " has no effect: add a fault or a reply, or write 'pass'"]
  yield* faultProblems(step, path, context, step.reply && 'the reply next to it: use a sequence for both')
}

/** @param replaced For the message: what the fault would replace, and a fix. Undefined for a step without a reply. */
function* faultProblems(
  step: Exclude<Step, 'pass'> | ParsedTurn,
  above: Path,
  context: RuleContext,
  replaced: string | undefined,
): Generator<Finding> {
  const { rule, operations, targets } = context
  const path = [...above, 'fault']
  const settings = faultsOf(step)
  const faults = settings.map(({ name }) => faultOf(name))
  const ignored = rule.rateLimit && settings.map(rateLimitField).find((field) => field !== undefined)
  if (ignored) yield [path, `: ${ignored} has no effect, because the rule's rateLimit determines it`]
  const wrong = withoutAnswers([...targets].filter(([on]) => on !== '*'))
  for (const fault of faults.filter((each) => wrong !== undefined && needsGeneratedAnswer(each))) {
    const target = needsStream(fault) ? 'streams' : 'generated answers'
    const suitable = [textOperations, ...operations.filter(({ streams }) => streams).map(({ id }) => id)]
    const fix = suitable.map((id) => `'${id}'`).join(' or ')
    const other = targets.get(String(wrong))?.isCustom ? ', or set streams: true in the operation' : ''
    const why = `'${fault.name}' applies to ${target}, which '${wrong}' does not have`
    yield [path, `: ${why}: use it on ${fix}${other}`]
  }
  const form = formFor(faults)
  if (form && rule.when?.stream === (form !== 'stream')) {
    const name = faults.find((fault) => requestedForm(fault) === form)?.name
    const needed = form === 'stream' ? 'a stream' : 'JSON'
    const why = `it needs a request for ${needed}, but when.stream is ${rule.when.stream}`
    yield [path, `: '${name}' never applies: ${why}`]
  }
  const earlier = new Set<FaultDefinition>()
  for (const second of faults) {
    // A fault that occurs again can conflict only with itself.
    for (const first of earlier.has(second) ? [second] : earlier) {
      const reason = conflict(first, second)
      const pair = `'${first.name}' and '${second.name}'`
      if (reason) yield [path, `: ${pair} cannot be combined: ${reason}; use a sequence for both`]
    }
    earlier.add(second)
  }
  const replacement = replaced && faults.find(({ layer }) => layer === 'replacement')
  if (replacement) yield [path, `: '${replacement.name}' replaces ${replaced}`]
}

/** Returns a `rate-limit` fault's field that is set but overridden by the rule's `rateLimit`. */
function rateLimitField(fault: FaultSetting): string | undefined {
  if (fault.name !== 'rate-limit') return undefined
  const defaults: object = faultOf(fault.name).params().parse({})
  return ['limit', 'retryAfterMs'].find((field) => Reflect.get(fault, field) !== Reflect.get(defaults, field))
}

function withoutAnswers(targets: Iterable<[string, KnownOperation | undefined]>): string | undefined {
  return [...targets].find(([, target]) => !(target?.protocol ?? target?.streams))?.[0]
}

function* replyProblems(reply: ParsedScriptedReply, path: Path, context: RuleContext): Generator<Finding> {
  const composed = composedFields(reply)
  const whole = (['body', 'frames'] as const).filter((name) => reply[name] !== undefined)
  const [first, second] = [...whole, ...composed]
  if (first === undefined) yield [path, ' is empty: add text, output, a body or frames']
  if (whole.length > 0 && second)
    yield [[...path, second], ` cannot be combined with ${first}, which is the whole reply`]
  yield* contentProblems(reply, path)
  const wrong = withoutAnswers(context.targets)
  if (composed[0] && wrong !== undefined)
    yield [[...path, composed[0]], ` is ${forText}, but '${wrong}' does not: use a body or frames`]
}

const forText = 'for operations that generate text'

function* contentProblems(reply: ParsedScriptedReply | ParsedTurn, path: Path): Generator<Finding> {
  const { text = '', citations = [], responseStatus, incompleteReason, error } = reply
  const filled = { ...reply, expect: undefined }
  for (const [inner, template] of walk(filled)) {
    const problem =
      typeof template === 'string' && isTemplate(template) ? templateProblem(template) : undefined
    const fix = `to write literal braces, start the text with {{=<% %>=}}`
    if (problem !== undefined) yield [[...path, ...inner], `: bad template: ${problem}; ${fix}`]
  }
  for (const [index, citation] of (isTemplate(text) ? [] : citations).entries()) {
    const { text: part, start_index: start, end_index: end } = citation
    const at = [...path, 'citations', index]
    if (part !== undefined && !text.includes(part))
      yield [[...at, 'text'], `: ${shown(part)} is not in the reply's text`]
    if (start !== undefined && end !== undefined && (start >= end || end > text.length)) {
      const span = `start_index ${start}, end_index ${end}`
      yield [at, ` is not within the text, which has ${text.length} characters: ${span}`]
    }
  }
  const other = responseStatus ? `responseStatus '${responseStatus}'` : 'incompleteReason'
  if (incompleteReason && responseStatus && responseStatus !== 'incomplete')
    yield [[...path, 'incompleteReason'], ` cannot be combined with ${other}; write 'incomplete'`]
  if (error && (incompleteReason || (responseStatus && responseStatus !== 'failed')))
    yield [[...path, 'error'], ` is for a failed response, so it cannot be combined with ${other}`]
}

const otherFields = ['status', 'headers', 'body', 'frames', 'expect', 'call', 'fault']

function composedFields(reply: object): string[] {
  return Object.keys(withoutUndefined(reply)).filter((name) => !otherFields.includes(name))
}

const withScript = ['name', 'on', 'when', 'script', 'onEnd']

function* scriptProblems(script: Script, context: RuleContext): Generator<Finding> {
  const other = Object.keys(withoutUndefined(context.rule)).find((name) => !withScript.includes(name))
  if (other !== undefined) {
    const turn = `put it into a turn, as in script: [{ text: 'Hello', ${other}: … }]`
    const fix = other === 'fault' ? turn : 'its turns determine the replies'
    yield [[other], ` cannot be combined with script: ${fix}`]
  }
  const wrong = withoutAnswers(context.targets)
  if (wrong !== undefined) yield [['script'], ` is ${forText}, but '${wrong}' does not`]
  for (const [index, turn] of script.entries()) {
    const path = ['script', index]
    const { text, citations } = turn
    const [about] = composedFields(turn)
    if (!isAnswer(turn) && about) yield [[...path, about], ' has no reply to describe: remove it']
    else if (!isAnswer(turn) && faultsOf(turn).length === 0)
      yield [path, ' has no reply: add text, a call, output or a fault']
    if (citations && (text === undefined || callsOf(turn).length > 0))
      yield [[...path, 'citations'], ' requires text, and no calls, in the same turn']
    yield* contentProblems(turn, path)
    const replaced = "the turn's reply, so move the fault to a separate turn"
    yield* faultProblems(turn, path, context, isAnswer(turn) ? replaced : undefined)
  }
}

function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
