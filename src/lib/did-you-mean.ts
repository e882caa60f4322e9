/**
 * Suggests replacements for misspelt names.
 */

import { renamed } from './renamed.ts'

/**
 * Returns text to append to a message: `; did you mean 'times'?` for a near match, the new name of a renamed
 * word, or a list of up to five words.
 */
export function didYouMean(word: string, words: readonly string[]): string {
  const now = renamed(word, words)
  if (now !== undefined) return `; ${now}`
  return (
    meantBy(word, words) ||
    `; expected one of ${words.length > maxWords ? `${words.length}, such as ` : ''}${words.slice(0, maxWords).join(', ')}`
  )
}

/** Returns `; did you mean 'times'?`, or an empty string if no word is near. */
export function meantBy(word: string, words: readonly string[]): string {
  const begun = alike(word, words)
  const synonym = synonyms.get(word)
  const near =
    synonym && words.includes(synonym)
      ? [synonym]
      : begun.length > 0
        ? begun
        : [nearest(word, words)].filter((each) => each !== undefined)
  const quoted = near.slice(0, maxWords).map((each) => `'${each}'`)
  return quoted.length === 0
    ? ''
    : `; did you mean ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(quoted)}?`
}

/** Words that other tools use, and their equivalents in Understudy. */
const synonyms = new Map([
  ['code', 'status'],
  ['content', 'text'],
  ['count', 'times'],
  ['hostname', 'host'],
  ['includes', 'contains'],
  ['match', 'when'],
  ['modelName', 'model'],
  ['operation', 'on'],
  ['pattern', 'matches'],
  ['regex', 'matches'],
  ['reply', 'text'],
  ['rpm', 'requests'],
  ['statusCode', 'status'],
  ['tpm', 'tokens'],
])

/** Maximum number of suggestions. */
const maxWords = 5

/** Maximum length of a word to compare. Comparison takes quadratic time. */
const maxWordLength = 200

/** Returns the words that start with a word of three letters or more: `afterDeltas` and `afterMs` for `after`. */
function alike(word: string, words: readonly string[]): string[] {
  const begin = word.toLowerCase()
  return begin.length < 3 || words.includes(word)
    ? []
    : words.filter((each) => each.toLowerCase().startsWith(begin))
}

/** Returns the nearest word, or undefined if all edit distances exceed both 2 and a third of the word's length. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  if (word.length > maxWordLength) return undefined
  const furthest = Math.max(2, word.length / 3)
  const [best] = words
    // The difference in length is a lower bound for the distance.
    .filter((candidate) => Math.abs(candidate.length - word.length) <= furthest)
    .map((candidate) => ({ candidate, distance: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((left, right) => left.distance - right.distance)
  return best && best.distance <= furthest ? best.candidate : undefined
}

/** Returns the Levenshtein distance. */
function distance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const substitution = (above[column - 1] as number) + (from[row - 1] === to[column - 1] ? 0 : 1)
      current.push(Math.min(substitution, (above[column] as number) + 1, (current[column - 1] as number) + 1))
    }
    above = current
  }
  return above[to.length] as number
}
