import leven from 'leven'

/** Returns `; did you mean 'times'?` or, if no word is similar, a list of the words, most similar first. */
export function didYouMean(word: string, words: readonly string[]): string {
  const meant = meantBy(word, words)
  if (meant !== '') return meant
  const start = word.slice(0, maxWordLength).toLowerCase()
  const ranks = new Map(words.map((each) => [each, leven(start, each.toLowerCase())]))
  const sorted = [...words].sort((left, right) => Number(ranks.get(left)) - Number(ranks.get(right)))
  return words.length <= maxListed
    ? `; expected ${words.length > 1 ? 'one of ' : ''}${sorted.join(', ')}`
    : `; expected one of ${words.length}, such as ${sorted.slice(0, maxWords).join(', ')}`
}

export function meantBy(word: string, words: readonly string[]): string {
  // `after` means `afterDeltas` or `afterMs`.
  const begin = word.toLowerCase()
  const isBegin = begin.length >= 3 && !words.includes(word)
  const begun = isBegin ? words.filter((each) => each.toLowerCase().startsWith(begin)) : []
  const near = begun.length > 0 ? begun : [nearest(word, words) ?? []].flat()
  if (near.length === 0) return ''
  const quoted = near.slice(0, maxWords).map((each) => `'${each}'`)
  return `; did you mean ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(quoted)}?`
}

const maxListed = 19
const maxWords = 5
/** Maximum length of a word to compare. Comparison takes quadratic time. */
const maxWordLength = 200

/** Returns undefined if all edit distances exceed `furthest`. */
export function nearest(word: string, words: readonly string[], furthest = Math.max(2, word.length / 3)) {
  if (word.length > maxWordLength) return undefined
  const distanceTo = (candidate: string) =>
    leven(word.toLowerCase(), candidate.toLowerCase(), { maxDistance: furthest + 1 })
  const lengthens = (each: { candidate: string }) => Math.abs(each.candidate.length - word.length)
  const [best] = words
    .map((candidate) => ({ candidate, distance: distanceTo(candidate) }))
    .sort((left, right) => left.distance - right.distance || lengthens(left) - lengthens(right))
  return best && best.distance <= furthest ? best.candidate : undefined
}
