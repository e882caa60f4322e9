import randexp from 'randexp'
import { backtracking } from '../../lib/backtracking.ts'
import { type Budget, Exhausted } from './budget.ts'

// The package's types describe an ES module, but it is a CommonJS module.
const RandExp = randexp as unknown as typeof randexp.default

const maxPattern = 1000
/** Maximum length of text to match. `backtracking` accepts only patterns that are fast on texts of this length. */
export const maxText = 5000

export function fitLength(text: string, min: number, max: number): string {
  const characters = [...text]
  if (characters.length > max) return characters.slice(0, max).join('').trimEnd().padEnd(min, 's')
  if (characters.length >= min) return text
  const repeated = [...`${text} `.repeat(Math.ceil(min / (characters.length + 1)))]
  return `${repeated.slice(0, min - 1).join('')}s`
}

/** Returns undefined for a pattern that takes too long to match. Throws a `SyntaxError` if it is invalid. */
export function screenPattern(pattern: string): string | undefined {
  // Removes needless escapes, such as `\@`, and escapes the hyphen in `[\w-.]`.
  const strict = pattern.replace(/\\([\s"#%&',:;<=>@_`~!])/g, '$1').replace(/(\\[wdsWDS])-/g, '$1\\-')
  const expression = unicode(pattern) ?? unicode(strict)
  if (!expression) new RegExp(pattern)
  if (!expression || pattern.length > maxPattern || !canGenerate(expression)) return undefined
  const { source } = expression
  if (!('problem' in backtracking(expression))) return source
  // Patterns of email addresses are fast enough for short texts.
  const isShort = /^\^[^|]*$/.test(source) && !('problem' in backtracking(expression, 100))
  return isShort ? `^(?=[^]{0,100}$)${source}` : undefined
}

function unicode(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u')
  } catch {
    return undefined
  }
}

function canGenerate(expression: RegExp): boolean {
  try {
    return new RandExp(expression).max > 0
  } catch {
    return false
  }
}

/** Returns a string that matches all patterns or, if none is found, the last attempt. */
export function textOfPatterns(
  patterns: readonly string[],
  min: number,
  max: number,
  random: () => number,
  budget: Budget,
): string {
  if (min > maxText) throw new Exhausted(`more than ${maxText} characters that match a pattern`)
  const expressions = patterns.map((pattern) => new RegExp(pattern, 'u'))
  let text = ''
  // A few extra rounds look natural, no extra rounds produce the shortest text, and many reach a minimum length.
  for (const extra of [3, 0, 1, 8, 30, min, min]) {
    for (const expression of expressions) {
      const writer = new RandExp(expression)
      writer.max = extra
      const { defaultRange } = writer
      // Letters and digits or, if the expression allows none of them, any character.
      if (extra === 1 || extra === 30) defaultRange.add(9, 10).add(0xa0, 0x9fff)
      else defaultRange.subtract(32, 47).subtract(58, 64).subtract(91, 96).subtract(123, 126)
      writer.randInt = (from, to) => {
        budget.spend(1 + from)
        return from + Math.floor(random() * (to - from + 1))
      }
      text = writer.gen()
      text += 'a'.repeat(Math.max(0, min - [...text].length))
      if ([...text].length <= max && expressions.every((each) => each.test(text))) return text
    }
  }
  return text
}
