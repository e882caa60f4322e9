/**
 * Checks the regular expressions of conditions.
 */
import { expressionProblem } from './expression.ts'
import type { Problem } from './scenario-problems.ts'

/** The problem of a condition's regular expression, where it has one and that cannot be used. */
export function* patternProblems(
  condition: unknown,
  path: readonly (string | number)[],
  place: string,
): Generator<Problem> {
  if (typeof condition !== 'object' || condition === null || !('matches' in condition)) return
  const { matches, flags } = condition as { matches: string; flags?: string }
  const problem = expressionProblem(matches, flags)
  if (problem === undefined) return
  yield {
    path: [...path, 'matches'],
    message: `Bad regular expression /${matches}/${flags ?? ''} ${place}: ${problem}`,
  }
}
