/**
 * Strings: of a pattern, of a format, of a length, or free.
 */
import type { Judge } from './accepts.ts'
import type { Budget } from './budget.ts'
import { textLike } from './pattern-text.ts'
import { textOfFormat } from './scalars.ts'
import { largest, type SchemaObject, smallest, textAt } from './schema.ts'

export interface TextSource {
  judge: Judge
  budget: Budget
  /** Free texts, one after another. */
  phrases: Iterator<string, never>
}

/**
 * A string that may fit; undefined where none was found.
 *
 * @param attempt From 0; each goes about it in another way.
 */
export function fakeText(
  parts: readonly SchemaObject[],
  draw: () => number,
  attempt: number,
  source: TextSource,
): string | undefined {
  const { phrases, budget } = source
  const min = largest(parts, 'minLength') ?? 0
  const max = smallest(parts, 'maxLength') ?? Number.POSITIVE_INFINITY
  if (min > max) return undefined
  budget.characters(min)
  const patterns = parts.map((part) => textAt(part, 'pattern')).filter((pattern) => pattern !== undefined)
  if (patterns.length > 0) return textOfPatterns(patterns, { min, max, draw, attempt }, source)
  const phrase = phrases.next().value
  for (const format of parts.map((part) => textAt(part, 'format'))) {
    const text = format === undefined ? undefined : textOfFormat(format, draw, attempt === 0 ? phrase : 'x')
    if (text !== undefined) return text
  }
  return fitted(phrase, min, max)
}

function textOfPatterns(
  patterns: readonly string[],
  { min, max, draw, attempt }: { min: number; max: number; draw: () => number; attempt: number },
  { judge, budget }: TextSource,
): string | undefined {
  const pattern = judge.pattern(patterns[attempt % patterns.length] as string)
  // Rounds that repetitions take beyond what they must: a few look best, none is the shortest, many reach a length.
  for (const extra of [3, 0, 1, 8, 30, min, min]) {
    const text = textLike(pattern, draw, extra, budget)
    const { length } = [...text]
    const longer = text + 'a'.repeat(Math.max(0, min - length))
    if (length <= max && patterns.every((each) => judge.finds(each, longer))) return longer
  }
  return undefined
}

/** A text of a length: cut, or gone on with. */
function fitted(text: string, min: number, max: number): string {
  const characters = [...text]
  if (characters.length > max)
    return characters.slice(0, max).join('').trimEnd().padEnd(Math.min(min, max), 's')
  return characters.length >= min
    ? text
    : `${`${text} `.repeat(Math.ceil(min / (text.length + 1))).slice(0, min - 1)}s`
}
