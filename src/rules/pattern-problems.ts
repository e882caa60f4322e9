/**
 * Checks the regular expressions of conditions.
 */
import type { Problem } from './scenario-problems.ts'

/** The problem of a condition's regular expression, where it has one and that does not compile. */
export function* patternProblems(
  condition: unknown,
  path: readonly (string | number)[],
  place: string,
): Generator<Problem> {
  if (typeof condition !== 'object' || condition === null || !('matches' in condition)) return
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
