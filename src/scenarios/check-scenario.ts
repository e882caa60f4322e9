/**
 * Checks a scenario before it is used: its shape, its names, and whether its rules can happen at all. The result is a
 * whole scenario, or one error that lists every problem.
 */
import { didYouMean } from '../lib/did-you-mean.ts'
import { oneLine } from '../lib/one-line.ts'
import { effectProblems, type Path, type Site } from './effect-problems.ts'
import { patternProblems } from './pattern.ts'
import { Scenario } from './scenario.ts'
import { notAsData, type Problem, shapeProblems } from './scenario-problems.ts'

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
  override name = 'ScenarioError'
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
    if (on === '*' || operations.some(({ id }) => id === on)) continue
    if (!on.includes('/')) {
      const words = operations.map(({ id }) => id)
      const way = wayTo(on)
      const hint = way === undefined ? didYouMean(on, words) : `: ${way}`
      yield { path, message: `Unknown operation '${on}' ${place}${hint}` }
    } else if (!methodAndPath.test(on)) {
      yield {
        path,
        message: `'${on}' ${place} is not of the form 'POST /chat/completions': a method in capitals and a path below the base address`,
      }
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
  const { rateLimit, times, probability = 1, during, sequence, afterwards } = rule
  if (rateLimit && rateLimit.requests === undefined && rateLimit.tokens === undefined) {
    const message = `The rate limit ${place} limits nothing: give it requests, tokens or both`
    yield { path: ['rateLimit'], message }
  }
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
  if (afterwards && !sequence)
    yield { path: ['afterwards'], message: `'afterwards' ${place} has no sequence to follow: leave it out` }
}
