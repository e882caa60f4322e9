/**
 * Checks a scenario's shape and names, and that each of its rules can apply. Returns the scenario with
 * defaults filled in, or throws a single error that lists all problems. Editors check only the shape, using
 * the JSON Schema.
 */

import * as z from 'zod'
import { conflict } from '../faults/compatibility.ts'
import { type Fault, formFor, needsGeneratedAnswer, needsStream, requestedForm } from '../faults/fault.ts'
import { faultOf } from '../faults/index.ts'
import { inCall } from '../lib/call-names.ts'
import { check } from '../lib/check.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { shown } from '../lib/schema-messages.ts'
import { readAt } from '../lib/value-path.ts'
import { textOperations } from './names.ts'
import { type Rule, Scenario, type ScenarioInput, type Step } from './scenario.ts'
import { type Path, ScenarioError, toProblem, toProblems } from './scenario-error.ts'
import { answerFields, callsOf, isAnswer, type Script, type Turn } from './script.ts'
import { faultsOf, type ScriptedReply } from './scripted-reply.ts'
import { isTemplate, templateProblem } from './template.ts'

export interface KnownOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  /** Present if the operation generates text. */
  readonly protocol?: object | undefined
  /** Set for other operations that can stream. */
  readonly streams?: boolean | object | undefined
}

export interface CheckOptions {
  readonly operations: readonly KnownOperation[]
  /** Explains how to enable an operation that is not in `operations`. Returns undefined for an unknown one. */
  readonly howToEnable?: (id: string) => string | undefined
}

/** Returns the scenario with defaults filled in. Throws a `ScenarioError` if it is invalid. */
export function checkScenario(input: unknown, options: CheckOptions): Scenario {
  const scenario = checkShape(input)
  const problems = scenario.rules.flatMap((rule, index) =>
    [...ruleProblems({ rule, ...options })].map(([path, says]) =>
      toProblem(['rules', index, ...path], says, input),
    ),
  )
  if (problems.length > 0) throw new ScenarioError(problems)
  return scenario
}

/** A path relative to the rule, and the text after the field name, such as ` must be 0 to 1, got 50`. */
type Finding = [path: Path, says: string]

/**
 * Checks a scenario's shape and returns the scenario unchanged. Throws a `ScenarioError` if the shape is invalid.
 * Operation names depend on the gateway, so they are checked when the scenario is used.
 */
export function defineScenario<const Input extends ScenarioInput>(scenario: Input): Input {
  return inCall('defineScenario', () => checkShape(scenario) && scenario)
}

export function checkShape(input: unknown): Scenario {
  const result = check(Scenario, input)
  if (!result.success) throw new ScenarioError(toProblems(result.error.issues, input))
  // The schema accepts a regular expression, date or map as an empty object.
  const notPlain = result.data.rules.flatMap((_, index) => {
    const path = ['rules', index, 'when']
    const when = readAt(input, path)
    const isPlain = when === undefined || Object.prototype.toString.call(when) === '[object Object]'
    const message = `Must be an object, got ${shown(when)}`
    return isPlain ? [] : toProblems([{ code: 'invalid_type', expected: 'object', path, message }], input)
  })
  if (notPlain.length > 0) throw new ScenarioError(notPlain)
  return result.data
}

/** A rule, and the operations that it may name. */
interface RuleContext extends CheckOptions {
  readonly rule: Rule
}

function* ruleProblems(context: RuleContext): Generator<Finding> {
  yield* onProblems(context)
  yield* whenProblems(context)
  yield* frequencyProblems(context)
  yield* effectProblems(context)
}

const methodAndPath = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \/(?!api\/v1\/)[^\s?#{}]*$/

function* onProblems({ rule, operations, howToEnable }: RuleContext): Generator<Finding> {
  for (const [index, on] of [rule.on].flat().entries()) {
    if (on === '*' || on === textOperations || operations.some(({ id }) => id === on)) continue
    const path = Array.isArray(rule.on) ? ['on', index] : ['on']
    const [, method, below] = /^(?:(\w+) +)?(?:https?:\/\/[^/]*)?(?:\/api\/v1)?(\/[^\s?#]*)/.exec(on) ?? []
    const operation = operations.find((each) => matchesPath(each, method, below ?? on))
    if (operation) yield [path, `: '${on}' is an operation: use its id '${operation.id}'`]
    else if (!on.includes('/')) {
      const fix = howToEnable?.(on)
      const hint =
        fix === undefined ? didYouMean(on, [...operations.map(({ id }) => id), textOperations]) : `; ${fix}`
      yield [path, `: unknown operation '${on}'${hint}`]
    } else if (!methodAndPath.test(on)) {
      const example = method && below ? `${method.toUpperCase()} ${below}` : 'POST /chat/completions'
      yield [path, `: '${on}' is not a method and a path below /api/v1, as in '${example}'`]
    }
  }
}

/** @param method Method in any case. Default: any method. */
function matchesPath(operation: KnownOperation, method = operation.method, path: string): boolean {
  const pattern = operation.path.replace(/\{[^}]*\}/g, '[^/]+')
  return method.toLowerCase() === operation.method.toLowerCase() && new RegExp(`^${pattern}$`).test(path)
}

function* whenProblems({ rule: { on, when = {} }, operations }: RuleContext): Generator<Finding> {
  const targets = [on].flat().map((each) => operations.find(({ id }) => id === each))
  for (const name of Object.keys(when.params ?? {})) {
    if (targets.some((target) => !target || target.path.includes(`{${name}}`))) continue
    const paths = targets.map((target) => target?.path).join(' or ')
    yield [['when', 'params', name], ` is not a parameter of ${paths}`]
  }
}

function* frequencyProblems({ rule: { times, sequence, script, onEnd } }: RuleContext): Generator<Finding> {
  if (onEnd === undefined || sequence || script) return
  const needed = onEnd.startsWith('repeat') ? 'sequence or a script' : 'script, a sequence or times'
  if (onEnd.startsWith('repeat') || times === undefined)
    yield [['onEnd'], `: '${onEnd}' has no effect: the rule needs a ${needed}`]
}

function* effectProblems(context: RuleContext): Generator<Finding> {
  const { rule } = context
  const effects = (['fault', 'faults', 'reply', 'sequence', 'script'] as const).filter(
    (name) => rule[name] !== undefined,
  )
  if (effects.length === 0 && rule.rateLimit === undefined && rule.setState === undefined)
    yield [[], 'the rule has no effect: add a fault, a reply, a sequence or a script']
  if (effects.length > 1 && rule.sequence) {
    const others = effects.filter((name) => name !== 'sequence').join(' and ')
    yield [['sequence'], ` cannot be combined with ${others}: make ${others} the first step of the sequence`]
  }
  if (rule.script) yield* scriptProblems(rule.script, context)
  for (const [path, step] of stepsOf(rule)) {
    if (step === 'pass') continue
    if (step.reply) yield* replyProblems(step.reply, [...path, 'reply'], context)
    if (!step.reply && faultsOf(step).length === 0)
      yield [path, " has no effect: add a fault or a reply, or write 'pass'"]
    yield* faultProblems(step, path, context, step.reply && 'the reply next to it: use a sequence for both')
  }
}

function stepsOf({ fault, faults, reply, sequence = [] }: Rule): [Path, Step][] {
  const steps: [Path, Step][] = sequence.map((step, index) => [['sequence', index], step])
  if (reply || fault || faults) steps.push([[], { reply, fault, faults }])
  return steps
}

/** @param replaced The step's reply, and how to avoid replacing it. Undefined for a step without a reply. */
function* faultProblems(
  step: Exclude<Step, 'pass'> | Turn,
  above: Path,
  { rule, operations }: RuleContext,
  replaced: string | undefined,
): Generator<Finding> {
  const path = [...above, step.faults ? 'faults' : 'fault']
  if (step.fault && step.faults) yield [path, ' cannot be combined with fault: put all of them into faults']
  const faults = faultsOf(step).map(({ name }) => faultOf(name))
  for (const fault of faults) {
    if (!needsGeneratedAnswer(fault)) continue
    const target = needsStream(fault) ? 'streams' : 'generated answers'
    const wrong = [rule.on].flat().find((on) => on !== '*' && !generates(on, operations))
    if (wrong === undefined) continue
    const suitable = [
      `'${textOperations}'`,
      ...operations.filter(({ streams }) => streams).map(({ id }) => `'${id}'`),
    ]
    yield [
      path,
      `: '${fault.name}' applies to ${target}, which '${wrong}' does not have: use it on ${suitable.join(' or ')}`,
    ]
  }
  const form = formFor(faults)
  if (form && rule.when?.stream === (form !== 'stream')) {
    const { name } = faults.find((fault) => requestedForm(fault) === form) as Fault
    const needed = form === 'stream' ? 'a stream' : 'JSON'
    yield [
      path,
      `: '${name}' never applies: it needs a request for ${needed}, but when.stream is ${rule.when.stream}`,
    ]
  }
  for (const [index, first] of faults.entries()) {
    for (const second of faults.slice(index + 1)) {
      const reason = conflict(first, second)
      if (!reason) continue
      yield [
        path,
        `: '${first.name}' and '${second.name}' cannot be combined: ${reason}; use a sequence for both`,
      ]
    }
  }
  const replacement = replaced && faults.find(({ layer }) => layer === 'replacement')
  if (replacement) yield [path, `: '${replacement.name}' replaces ${replaced}`]
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
  if (composed.length + whole.length === 0) yield [path, ' is empty: add text, output, a body or frames']
  const [first, second] = [...whole, ...composed]
  if (whole.length > 0 && second)
    yield [[...path, second], ` cannot be combined with ${first}, which is the whole reply`]
  yield* contentProblems(reply, path)
  const wrong = [rule.on].flat().find((on) => !generates(on, operations))
  if (composed[0] && wrong !== undefined) {
    yield [
      [...path, composed[0]],
      ` is for operations that generate text, but '${wrong}' does not: use a body or frames`,
    ]
  }
}

/** Yields the problems that replies and turns have in common. */
function* contentProblems(reply: ScriptedReply | Turn, path: Path): Generator<Finding> {
  yield* templateProblems(reply, path)
  yield* citationProblems(reply, path)
  yield* endProblems(reply, path)
}

function* citationProblems(
  { text = '', citations = [] }: Pick<ScriptedReply, 'text' | 'citations'>,
  path: Path,
): Generator<Finding> {
  for (const [index, citation] of citations.entries()) {
    const { text: part, start_index: start, end_index: end } = citation
    const at = [...path, 'citations', index]
    if (part !== undefined && !isTemplate(text) && !text.includes(part))
      yield [[...at, 'text'], `: ${shown(part)} is not in the reply's text`]
    if (start !== undefined && end !== undefined && (start >= end || end > text.length) && !isTemplate(text))
      yield [
        at,
        ` is not within the text, which has ${text.length} characters: start_index ${start}, end_index ${end}`,
      ]
  }
}

type EndField = 'responseStatus' | 'incompleteReason' | 'error'

function* endProblems(
  { responseStatus, incompleteReason, error }: Pick<ScriptedReply, EndField>,
  path: Path,
): Generator<Finding> {
  const other = responseStatus ? `responseStatus '${responseStatus}'` : 'incompleteReason'
  if (incompleteReason && responseStatus && responseStatus !== 'incomplete')
    yield [[...path, 'incompleteReason'], ` cannot be combined with ${other}; write 'incomplete'`]
  if (error && (incompleteReason || (responseStatus && responseStatus !== 'failed')))
    yield [[...path, 'error'], ` is for a failed response, so it cannot be combined with ${other}`]
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
    yield [
      [other],
      ` cannot be combined with script: ${
        other.startsWith('fault')
          ? `put it into a turn, as in script: [{ text: 'Hello', ${other}: … }]`
          : 'its turns determine the replies'
      }`,
    ]
  const wrong = [rule.on].flat().find((on) => !generates(on, operations))
  if (wrong !== undefined)
    yield [['script'], ` is for operations that generate text, but '${wrong}' does not`]
  for (const [index, turn] of script.entries()) {
    const path = ['script', index]
    const { text, citations } = turn
    if (!isAnswer(turn)) {
      const about = (['usage', 'id', 'interleave'] as const).find((name) => turn[name] !== undefined)
      if (faultsOf(turn).length === 0) yield [path, ' has no reply: add text, a call, output or a fault']
      if (about) yield [[...path, about], ' has no reply to describe: remove it']
    }
    if (citations && (text === undefined || callsOf(turn).length > 0))
      yield [[...path, 'citations'], ' requires text, and no calls, in the same turn']
    yield* contentProblems(turn, path)
    const replaced = "the turn's reply, so move the fault to a separate turn"
    yield* faultProblems(turn, path, context, isAnswer(turn) ? replaced : undefined)
  }
}

function* templateProblems(
  { expect: _, ...reply }: ScriptedReply & Partial<Turn>,
  path: Path,
): Generator<Finding> {
  for (const [inner, text] of textsIn(reply)) {
    const problem = isTemplate(text) ? templateProblem(text) : undefined
    if (problem === undefined) continue
    const says = `: bad template: ${problem}; to write literal braces, start the text with {{=<% %>=}}`
    yield [[...path, ...inner], says]
  }
}

function* textsIn(value: unknown, path: Path = []): Generator<[Path, string]> {
  if (typeof value === 'string') yield [path, value]
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value))
    yield* textsIn(inner, [...path, Array.isArray(value) ? Number(key) : key])
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
