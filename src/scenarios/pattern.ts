/**
 * Regular expressions of rules. JavaScript's engine runs them, and those that could keep it busy are refused when the
 * rule is added.
 */
import * as z from 'zod'
import { backtracking } from '../lib/backtracking.ts'
import type { Problem } from './scenario-problems.ts'

/** Characters. */
const maxPattern = 200

export const Pattern = z.lazy(() =>
  z.strictObject({
    matches: z
      .string()
      .min(1)
      .max(maxPattern)
      .describe(
        'A regular expression of JavaScript without look-around and back-references, found anywhere in the text.',
      ),
    flags: z.string().max(8).optional().describe('Flags of the regular expression. Default: none.'),
  }),
)
export type Pattern = z.infer<typeof Pattern>
/** A regular expression, as data. */
export type PatternInput = z.input<typeof Pattern>

/** Tells a pattern from an object with fields of the same names. */
export function isPattern(value: object): value is Pattern {
  const { matches, flags, ...rest } = value as Record<string, unknown>
  const isText = typeof matches === 'string' && (flags === undefined || typeof flags === 'string')
  return isText && Object.keys(rest).length === 0
}

/** A pattern that can be searched for in the first `maxText` characters of any text. */
interface Compiled {
  readonly expression: RegExp
  readonly maxText: number
}

/** Reading a pattern takes some milliseconds, and happens when it is checked and when it is compiled. */
const known = new Map<string, Compiled | string>()
const maxKnown = 1000

/** Returns the problem of a pattern that cannot be used. */
function read({ matches, flags = '' }: Pattern): Compiled | string {
  const key = `/${matches}/${flags}`
  const result = known.get(key) ?? compile(matches, flags)
  if (known.size >= maxKnown) known.clear()
  known.set(key, result)
  return result
}

function compile(matches: string, flags: string): Compiled | string {
  if (flags.includes('v')) return `the flag 'v' is not supported: use 'u'`
  let expression: RegExp
  try {
    // With `g` and `y` an expression remembers where it was.
    expression = new RegExp(matches, flags)
    expression = new RegExp(matches, flags.replace(/[gy]/g, ''))
  } catch (error) {
    return (error as Error).message.replace(/^Invalid regular expression: (\/.*\/\w*: )?/, '')
  }
  const found = backtracking(expression)
  return 'problem' in found ? found.problem : { expression, maxText: found.maxText }
}

/** Returns the test of a checked pattern. */
export function compilePattern(pattern: Pattern): (text: string) => boolean {
  const compiled = read(pattern)
  if (typeof compiled === 'string') throw new Error(compiled)
  const { expression, maxText } = compiled
  return (text) => expression.test(text.length > maxText ? text.slice(0, maxText) : text)
}

/** How much of a value was searched, where that is not all of it. */
export function searchedPart(pattern: Pattern, value: unknown): string {
  const compiled = read(pattern)
  if (typeof compiled === 'string' || typeof value !== 'string' || value.length <= compiled.maxText) return ''
  return ` in its first ${compiled.maxText} characters`
}

/** The problem of a condition's regular expression, if it has one that cannot be used. */
export function* patternProblems(
  condition: unknown,
  path: readonly (string | number)[],
  place: string,
): Generator<Problem> {
  if (typeof condition !== 'object' || condition === null || !('matches' in condition)) return
  const pattern = condition as Pattern
  const problem = read(pattern)
  if (typeof problem !== 'string') return
  yield {
    path: [...path, 'matches'],
    message: `Bad regular expression /${pattern.matches}/${pattern.flags ?? ''} in '${path.join('.')}' ${place}: ${problem}`,
  }
}
