/**
 * Checks what a rule does: whether its replies, faults, sequences and scripts can happen at all.
 */
import { conflict } from '../faults/compatibility.ts'
import { askedForm, type Fault, formFor, needsGeneratedAnswer, needsStream } from '../faults/fault.ts'
import { type FaultSetting, faultOf } from '../faults/index.ts'
import type { KnownOperation } from './check-scenario.ts'
import { isPattern, patternProblems } from './pattern.ts'
import type { Rule, Step } from './scenario.ts'
import type { Problem } from './scenario-problems.ts'
import { callsOf, type Script } from './script.ts'
import type { ScriptedReply } from './scripted-reply.ts'
import { isTemplate, templateProblem } from './template.ts'
import { isAnswer } from './turn-answer.ts'

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
  const given = (['fault', 'reply', 'sequence', 'script'] as const).filter((name) => rule[name] !== undefined)
  if (
    given.length === 0 &&
    rule.rateLimit === undefined &&
    rule.budget === undefined &&
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
  if (rule.exhausted && !rule.script)
    yield { path: ['exhausted'], message: `'exhausted' ${place} has no script to follow: leave it out` }
  for (const [path, step] of stepsOf(rule)) {
    if (step === 'pass') continue
    if ('reply' in step) yield* replyProblems(step.reply, [...path, 'reply'], site)
    if (!step.fault) continue
    const faults = [step.fault].flat()
    yield* faultProblems(faults, [...path, 'fault'], site)
    const other = 'reply' in step && faults.find(({ name }) => faultOf(name).layer === 'replacement')
    if (other) {
      yield {
        path: [...path, 'fault'],
        message: `'${other.name}' ${place} answers in place of the reply beside it: use a sequence for both`,
      }
    }
  }
}

function stepsOf({ fault, reply, sequence = [] }: Rule): [Path, Step][] {
  const steps: [Path, Step][] = sequence.map((step, index) => [['sequence', index], step])
  if (reply) steps.push([[], { reply, fault }])
  else if (fault) steps.push([[], { fault }])
  return steps
}

function* faultProblems(
  settings: readonly FaultSetting[],
  path: Path,
  { rule, place, operations }: Site,
): Generator<Problem> {
  const faults = settings.map(({ name }) => faultOf(name))
  for (const fault of faults) {
    if (!needsGeneratedAnswer(fault)) continue
    const what = needsStream(fault) ? 'streams' : 'generated answers'
    const wrong = [rule.on].flat().find((on) => on !== '*' && !generates(on, operations))
    if (wrong === undefined) continue
    const able = operations.filter(streams).map(({ id }) => `'${id}'`)
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
  return operations.some((operation) => operation.id === on && streams(operation))
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
  yield* endProblems(reply, path, place)
  const wrong = [rule.on].flat().find((on) => !generates(on, operations))
  if (composed[0] && wrong !== undefined) {
    yield {
      path: [...path, composed[0]],
      message: `'${composed[0]}' ${place} is for operations that write texts, '${wrong}' is none: give a body or frames`,
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
  'reply',
  'sequence',
  'times',
  'after',
  'every',
  'probability',
  'rateLimit',
  'budget',
  'setState',
  'during',
] as const

function* scriptProblems(script: Script, site: Site): Generator<Problem> {
  const { rule, place, operations } = site
  const other = counts.find((name) => rule[name] !== undefined)
  if (other)
    yield {
      path: [other],
      message: `Both script and '${other}' ${place}: a script says turn by turn what happens`,
    }
  const wrong = [rule.on].flat().find((on) => !generates(on, operations))
  if (wrong !== undefined) {
    const message = `A script ${place} is for operations that write texts, '${wrong}' is none`
    yield { path: ['script'], message }
  }
  for (const [index, turn] of script.entries()) {
    const path = ['script', index]
    const { expect = {}, text, citations, fault } = turn
    if (!isAnswer(turn)) {
      const about = (['usage', 'id', 'interleave'] as const).find((name) => turn[name] !== undefined)
      if (!fault)
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
    yield* patternProblems(expect.input, [...path, 'expect', 'input'], place)
    for (const [name, checks] of Object.entries(expect.result ?? {})) {
      for (const [inner, pattern] of patternsIn(checks))
        yield* patternProblems(pattern, [...path, 'expect', 'result', name, ...inner], place)
    }
    if (!fault) continue
    const faults = [fault].flat()
    yield* faultProblems(faults, [...path, 'fault'], site)
    const answer = faults.find(({ name }) => faultOf(name).layer === 'replacement')
    if (answer && isAnswer(turn)) {
      yield {
        path: [...path, 'fault'],
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
