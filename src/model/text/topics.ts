/**
 * What a question is about, as phrases that fit behind a preposition: `the sky`, `museums in Oslo`, `sleep quality`.
 *
 * A rough reading of English: words that carry no subject end a phrase, verbs and words of asking are left out. What
 * it gets wrong is still made of the question's own words.
 */
import { isStopWord } from './words.ts'

const wordOrMark = () => /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’.-][\p{L}\p{N}\p{M}]+)*|[^\s\p{L}\p{N}]/gu

const maxTopics = 4
/** Words of one phrase. */
const maxWords = 3
/** Characters of the question that are read, and of a word that becomes part of a phrase. */
const readLength = 600
const maxWordLength = 40

const verbsAndAsking = new Set(
  (
    'affect affects analyse analyze answer ask become begin best better big bit born briefly build built buy calculate ' +
    'call cause causes change changed choose come comes compare compose cons consider create define depth describe ' +
    'design detail detailed details develop died difference differences discovered discuss draft echo eight everything ' +
    'example examples explain fall falls find five fix following form forms founded four generate go goes good great ' +
    'grow grows happen happened happens hello help hey hi idea ideas important improve increase invented kind know ' +
    'learn length line list live lives long look lot made mean means move moves name need needs nine nothing ok okay ' +
    'outline pick plan possible pros quick quickly read really reason reasons recommend repeat reply respond return ' +
    'rewrite run runs said say says sentence sentences seven short show simple six something sort start step steps ' +
    'suggest suggestions summarise summarize take takes talk teach ten thank thanks thing things think three tips ' +
    'translate try two type used using versus vs want wants way ways win wins won word words work working works write ' +
    'wrote'
  ).split(' '),
)
const auxiliaries = new Set('is are was were do does did can could should will would has have'.split(' '))
/** A small word behind one of these is a verb, as in `how to bake bread`. */
const verbFollows = new Set('i you we they he she it to can could should would will must not'.split(' '))
/** They join two phrases into one, as in `the capital of France`. */
const joining = new Set('of in at about from'.split(' '))
const determiners = new Map([
  ['the', 'the'],
  ['a', 'a'],
  ['an', 'an'],
  ['this', 'this'],
  ['my', 'your'],
  ['our', 'your'],
])

interface Phrase {
  determiner: string
  words: string[]
  /** Whether the question turned its verb to the front, right before this phrase. */
  isInverted: boolean
  /** Where its last word stands. */
  end: number
  /** What stands between the phrase before it and this one, where they are one: `of the`. */
  joint: string | undefined
}

/** At most four phrases, in the order of the question; none where it is not English, or nothing could be read. */
export function topicsOf(question: string): string[] {
  const text = question.slice(0, readLength).toWellFormed()
  if (!isEnglish(text)) return []
  const words = text.match(wordOrMark()) ?? []
  const topics: string[] = []
  for (const { determiner, words: own, joint } of readPhrases(words)) {
    const named = own.slice(-maxWords).join(' ')
    const phrase = determiner === '' ? named : `${determiner} ${named}`
    const last = topics.length - 1
    if (joint !== undefined && last >= 0) topics[last] = `${topics[last]} ${joint} ${phrase}`
    else if (!topics.some((topic) => topic.toLowerCase() === phrase.toLowerCase())) topics.push(phrase)
  }
  return topics.slice(0, maxTopics)
}

function readPhrases(words: readonly string[]): Phrase[] {
  const phrases: Phrase[] = []
  const keys = words.map((word) => word.toLowerCase())
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    const key = keys[at] as string
    const last = phrases.at(-1)
    const goesOn = last?.end === at - 1
    if (isTopicWord(word, key, keys[at - 1]) || (goesOn && !last.isInverted && isNoun(key))) {
      if (goesOn) {
        last.words.push(word)
        last.end = at
      } else phrases.push(startPhrase(word, at, keys, last))
    } else if (goesOn && last.isInverted && verbsAndAsking.has(key)) last.isInverted = false
  }
  return phrases.flatMap((phrase, place) => withoutPredicate(phrase, phrases[place + 1]))
}

function startPhrase(word: string, at: number, keys: readonly string[], last: Phrase | undefined): Phrase {
  const determiner = determiners.get(keys[at - 1] ?? '') ?? ''
  const front = determiner === '' ? at - 1 : at - 2
  const before = keys[front] ?? ''
  const isJoined =
    last !== undefined && last.joint === undefined && joining.has(before) && last.end === front - 1
  return {
    determiner,
    words: [word],
    isInverted: auxiliaries.has(before),
    end: at,
    joint: isJoined ? before : undefined,
  }
}

/** In `why is the sky blue`, the last word says something about the others; what follows belongs to neither. */
function withoutPredicate(phrase: Phrase, next: Phrase | undefined): Phrase {
  if (!phrase.isInverted || phrase.words.length < 2) return phrase
  if (next) next.joint = undefined
  return { ...phrase, words: phrase.words.slice(0, -1) }
}

function isTopicWord(word: string, key: string, before: string | undefined): boolean {
  if (isStopWord(key) || verbsAndAsking.has(key)) return false
  if (word.length > maxWordLength || (word.length === 1 && word === key)) return false
  if (before !== undefined && verbFollows.has(before) && word === key) return false
  return /^[\p{L}\p{N}]/u.test(word) && !/^\d*$/.test(word)
}

/** Of the words that are nouns as often as verbs: `remote work`. */
function isNoun(key: string): boolean {
  return /^(?:work|change|design|start|run|answer|help|look|form)$/.test(key)
}

/** Whether a text is English, as far as that shows: it has one of the small words, or is too short to tell. */
function isEnglish(text: string): boolean {
  const words = text.match(/[\p{L}\p{M}'’]+/gu) ?? []
  if (words.some((word) => word.length > 1 && isStopWord(word.toLowerCase()))) return true
  return words.length <= 3 && !/[^\x20-\x7e]/.test(text)
}
