/**
 * Checks a scenario before it is used: its shape, its names, and whether its rules can happen at all. The result is a
 * whole scenario, or one error that lists every problem.
 */
import { conflict, formFor } from '../faults/compatibility.ts'
import { askedForm, type Fault, needsStream } from '../faults/fault.ts'
import { type FaultSetting, faultOf } from '../faults/index.ts'
import { valueAt } from '../faults/ramp.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { type Rule, Scenario, type ScriptedReply, type Step } from './scenario.ts'
import { type Problem, shapeProblems } from './scenario-problems.ts'

/** What the checks need of an operation. */
export interface KnownOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly streams?: boolean | undefined
}

/** A scenario that cannot be used; the message is one line with the first problem. */
export class ScenarioError extends Error {
  override name = 'ScenarioError'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    const more = problems.length - 1
    super(
      `${problems[0]?.message}${more > 0 ? ` (and ${more} more ${more === 1 ? 'problem' : 'problems'})` : ''}`,
    )
    this.problems = problems
  }
}

/** The scenario with defaults filled in. Throws a `ScenarioError`. */
export function checkScenario(input: unknown, operations: readonly KnownOperation[]): Scenario {
  const result = Scenario.safeParse(input)
  if (!result.success) throw new ScenarioError(shapeProblems(result.error.issues, input))
  const scenario = result.data
  const problems = scenario.rules.flatMap((rule, index) => {
    const place = `in scenario '${scenario.name}', rule ${index + 1}`
    return [...ruleProblems({ rule, place, operations })].map(({ path, message }) => ({
      path: ['rules', index, ...path],
      message,
    }))
  })
  if (problems.length > 0) throw new ScenarioError(problems)
  return scenario
}

interface Site {
  rule: Rule
  /** `in scenario 'outage', rule 1` */
  place: string
  operations: readonly KnownOperation[]
}

type Path = (string | number)[]

/** Problems of one rule, with paths below it. */
function* ruleProblems(site: Site): Generator<Problem> {
  yield* onProblems(site)
  yield* whenProblems(site)
  yield* oftenProblems(site)
  yield* effectProblems(site)
}

const methodAndPath = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/[^\s?#{}]*)$/

function* onProblems({ rule, place, operations }: Site): Generator<Problem> {
  for (const [index, on] of [rule.on].flat().entries()) {
    const path = Array.isArray(rule.on) ? ['on', index] : ['on']
    if (on === '*' || operations.some(({ id }) => id === on)) continue
    if (!on.includes('/')) {
      const words = operations.map(({ id }) => id)
      yield { path, message: `Unknown operation '${on}' ${place}${didYouMean(on, words)}` }
    } else if (!methodAndPath.test(on)) {
      yield {
        path,
        message: `'${on}' ${place} is not of the form 'POST /chat/completions': a method in capitals and a path below the base address`,
      }
    } else {
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
  for (const [path, condition] of conditions) {
    if (typeof condition !== 'object' || condition === null || !('matches' in condition)) continue
    const { matches, flags } = condition as { matches: string; flags?: string }
    try {
      new RegExp(matches, flags)
    } catch (error) {
      const reason = (error as Error).message.replace(/^Invalid regular expression: (\/.*\/\w*: )?/, '')
      yield {
        path: [...path, 'matches'],
        message: `Bad regular expression /${matches}/${flags ?? ''} ${place}: ${reason}`,
      }
    }
  }
}

function* oftenProblems({ rule, place }: Site): Generator<Problem> {
  const { times, probability = 1, during, sequence, afterwards } = rule
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
  const shares = [valueAt(probability, 0), valueAt(probability, Number.MAX_VALUE)]
  const wrong = shares.find((share) => share < 0 || share > 1)
  if (wrong !== undefined)
    yield { path: ['probability'], message: `Probability ${wrong} ${place} is not between 0 and 1` }
  if (sequence?.length === 0)
    yield {
      path: ['sequence'],
      message: `The sequence ${place} is empty: give it a step, or leave the rule out`,
    }
  if (afterwards && !sequence)
    yield { path: ['afterwards'], message: `'afterwards' ${place} has no sequence to follow: leave it out` }
}

function* effectProblems(site: Site): Generator<Problem> {
  const { rule, place } = site
  const given = (['fault', 'reply', 'sequence'] as const).filter((name) => rule[name] !== undefined)
  if (given.length === 0)
    yield { path: [], message: `Nothing happens ${place}: give it a fault, a reply or a sequence` }
  if (given.length > 1 && rule.sequence) {
    yield {
      path: ['sequence'],
      message: `Both ${given.join(' and ')} ${place}: put what comes first into the sequence as its first step`,
    }
  }
  for (const [path, step] of stepsOf(rule)) {
    if (step === 'pass') continue
    if ('reply' in step) yield* replyProblems(step.reply, [...path, 'reply'], site)
    if (!step.fault) continue
    const faults = [step.fault].flat()
    yield* faultProblems(faults, [...path, 'fault'], site)
    const other = 'reply' in step && faults.find(({ name }) => replaces(faultOf(name)))
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
    const what = needsStream(fault) ? 'streams' : 'generated answers'
    if (!needsStream(fault) && !fault.generated) continue
    const wrong = [rule.on].flat().find((on) => on !== '*' && !generates(on, operations))
    if (wrong === undefined) continue
    const able = operations.filter(({ streams }) => streams).map(({ id }) => `'${id}'`)
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
  return operations.some(({ id, streams }) => id === on && streams)
}

/** Nothing of the rule's own reply is left. */
function replaces({ removes = [] }: Fault): boolean {
  return removes.includes('own')
}

function* replyProblems(
  reply: ScriptedReply,
  path: Path,
  { rule, place, operations }: Site,
): Generator<Problem> {
  const composed = (['text', 'citations', 'output'] as const).filter((name) => reply[name] !== undefined)
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
  const wrong = [rule.on].flat().find((on) => !generates(on, operations))
  if (composed[0] && wrong !== undefined) {
    yield {
      path: [...path, composed[0]],
      message: `'${composed[0]}' ${place} is for operations that write texts, '${wrong}' is none: give a body or frames`,
    }
  }
}
