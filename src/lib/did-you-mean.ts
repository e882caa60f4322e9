/**
 * The word that somebody probably meant.
 */

import { renamed } from './renamed.ts'

/** Returns `: did you mean 'times'?` if a word is near, the successor of a former name, or all words. */
export function didYouMean(word: string, words: readonly string[]): string {
  const now = renamed(word, words)
  if (now !== undefined) return `: ${now}`
  const near = nearest(word, words)
  return near === undefined ? `; there are ${words.join(', ')}` : `: did you mean '${near}'?`
}

/** Characters; nobody mistypes a longer word, and to compare it takes the square of its length. */
const maxWord = 200

/** The nearest of some words; none where all are further away than a third of the word. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  if (word.length > maxWord) return undefined
  const furthest = Math.max(2, word.length / 3)
  const [best] = words
    // Each letter that one of them is longer must be added.
    .filter((candidate) => Math.abs(candidate.length - word.length) <= furthest)
    .map((candidate) => ({ candidate, distance: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((left, right) => left.distance - right.distance)
  return best && best.distance <= furthest ? best.candidate : undefined
}

/** Letters to add, drop or exchange on the way from one word to another, by Levenshtein. */
function distance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const exchange = (above[column - 1] as number) + (from[row - 1] === to[column - 1] ? 0 : 1)
      current.push(Math.min(exchange, (above[column] as number) + 1, (current[column - 1] as number) + 1))
    }
    above = current
  }
  return above[to.length] as number
}
