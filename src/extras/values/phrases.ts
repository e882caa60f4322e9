/** Finds noun phrases in a prompt, such as `walnut cutting board`, with a small lexicon instead of a parser. */
import fixtures from '../../../fixtures/values.json' with { type: 'json' }

/** A noun phrase without its article and number. */
export interface Phrase {
  readonly value: string
  readonly start: number
  readonly end: number
  /** If true, a verb at the beginning of a sentence precedes it, as in `book a table`. */
  readonly isObject: boolean
  /** If true, `my` or `our` precedes it. */
  readonly isOwn: boolean
}

const words = (list: string) => new Set(list.split(' '))
const { glue, determiners, verbForms, adverbs, measures, beforeVerbs, clauses } = fixtures.grammar
const grammar = {
  glue: words(glue),
  determiners: words(determiners),
  verbs: words(verbForms),
  adverbs: words(adverbs),
  measures: words(measures),
  beforeVerbs: words(beforeVerbs),
  clauses: words(clauses),
  requests: new Set(fixtures.verbs),
}

const unit = new RegExp(`^(?:${fixtures.units})$`, 'i')
const token = () => /[\p{L}\p{N}][\p{L}\p{N}\p{M}+#°]*(?:[-'’/.&@_][\p{L}\p{N}+#]+)*|[^\s\p{L}\p{N}]/gu

export function isVerbForm(word: string): boolean {
  return grammar.verbs.has(word)
}

/** Returns the noun phrases of a text in order. */
export function nounPhrases(text: string): Phrase[] {
  const phrases: Phrase[] = []
  let run: { word: string; start: number; end: number }[] = []
  let isAfterVerb = false
  let isVerbNext = true
  let isAfterNumber = false
  let isOwn = false
  const close = () => {
    while (run[0] && /^\d|^please$/i.test(run[0].word)) run.shift()
    const [first, last] = [run[0], run.at(-1)]
    run = []
    if (!first || !last) return
    const [{ start }, { end }] = [first, last]
    phrases.push({ value: text.slice(start, end), start, end, isObject: isAfterVerb, isOwn })
  }
  for (const { 0: word, index: start } of text.matchAll(token())) {
    const plain = word.toLowerCase().replace(/['’]s$/, '')
    const end = start + word.length
    const previous = run.at(-1)?.word ?? ''
    const isAdverb = grammar.adverbs.has(plain)
    if (/^[^\p{L}\p{N}]/u.test(word)) {
      close()
      if (/[.!?:;"“]/.test(word)) [isVerbNext, isAfterVerb] = [true, false]
    } else if (plain === 'of' && grammar.measures.has(previous.toLowerCase().replace(/s$/, ''))) {
      run.push({ word, start, end })
    } else if (/^\d/.test(word) && !/^\p{Lu}/u.test(previous)) {
      close()
      isVerbNext = false
    } else if (grammar.determiners.has(plain) || grammar.glue.has(plain) || isAdverb) {
      close()
      isOwn = plain === 'my' || plain === 'our'
      // A request follows `please`, `to` or `and`; a noun follows other prepositions.
      isVerbNext = grammar.beforeVerbs.has(plain)
    } else if (isVerbNext && grammar.requests.has(plain)) {
      close()
      isAfterVerb = true
    } else if (grammar.verbs.has(plain)) {
      close()
      isVerbNext = false
    } else {
      if (!isAfterNumber || !unit.test(word)) run.push({ word, start, end })
      isVerbNext = false
    }
    isAfterNumber = /^\d|^-/.test(word) || word in fixtures.numbers
  }
  close()
  return phrases
}
