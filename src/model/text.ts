/**
 * What the double says where nothing else is asked for: plausible English about the subject, the same each time.
 */
import { subjectWords } from './words.ts'

/** Sentences in order: one that takes the subject up, some that dwell on it, one that closes. */
export interface Prose {
  opening: string
  body: readonly string[]
  closing: string
}

/**
 * @param subject What the prose is about; its own words come back in it.
 * @param draw Numbers in [0, 1), which decide on everything that varies.
 * @param answersFunction Whether the subject is what a function gave back.
 */
export function writeProse(subject: string, draw: () => number, answersFunction = false): Prose {
  const quoted = quote(subject)
  const openings = quoted === '' ? plainOpenings : answersFunction ? functionOpenings : questionOpenings
  const words = firstWords(subject, 8)
  const wordAt = (place: number) => words[place % words.length] ?? plainWords[place % plainWords.length] ?? ''
  const body: string[] = []
  const left = [...sentences]
  const offset = Math.floor(draw() * 8)
  for (let count = 3 + Math.floor(draw() * 3); body.length < count; ) {
    const [sentence = []] = left.splice(Math.floor(draw() * left.length), 1)
    const place = offset + 2 * body.length
    const other = words.length === 1 ? 'the rest' : wordAt(place + 1)
    body.push(fill(sentence, wordAt(place), other))
  }
  return { opening: fill(pick(openings, draw), quoted, ''), body, closing: pick(closings, draw) }
}

/** What a person would type into a search box for this question. */
export function searchQuery(question: string): string {
  const words = firstWords(question, 8)
  return words.length > 0 ? words.join(' ') : question.trim()
}

const whiteSpace = /\s+/

/** The first words of a text, as one short line. */
function quote(text: string): string {
  const limit = 72
  const start = text.slice(0, 4 * limit)
  let line = ''
  for (const word of start.split(whiteSpace)) {
    if (line.length + word.length > limit) return line && `${line} ...`
    line = line ? `${line} ${word}` : word
  }
  // A lone surrogate in the request must not become one in the reply.
  return line.trim().toWellFormed()
}

function firstWords(text: string, count: number): string[] {
  const words: string[] = []
  for (const word of subjectWords(text)) {
    if (word.length > 1 && word.length <= 40) words.push(word)
    if (words.length === count) break
  }
  return words
}

/** A sentence that is taken apart at its slots, as it is filled again and again. */
type Template = readonly string[]

/** `'On "A_" there is'` is `['On "', 'A_', '" there is']`. */
function toTemplate(sentence: string): Template {
  return sentence.split(/([AB]_)/)
}

/** The sentence with its slots filled; it begins with a capital, whatever it begins with. */
function fill(template: Template, one: string, other: string): string {
  let sentence = ''
  for (const piece of template) {
    const text = piece === 'A_' ? one : piece === 'B_' ? other : piece
    sentence += sentence === '' ? capitalized(text) : text
  }
  return sentence
}

function capitalized(text: string): string {
  const first = text.charCodeAt(0)
  const isSmall = first >= 0x61 && first <= 0x7a
  return isSmall ? text.charAt(0).toUpperCase() + text.slice(1) : text
}

function pick<Item>(list: readonly Item[], draw: () => number): Item {
  return list[Math.floor(draw() * list.length)] as Item
}

const plainWords = ['the goal', 'its context', 'the timing', 'the outcome']

const questionOpenings = [
  'You asked about "A_", so here is the short version.',
  'Here is a brief answer to "A_".',
  'On "A_" there is a clear answer, with two caveats.',
  '"A_" is a fair question, and most of the answer is simple.',
  'Taking "A_" as the starting point, a few things stand out.',
  'Let me go through "A_" one step at a time.',
].map(toTemplate)
const functionOpenings = [
  'The function returned "A_", which settles most of it.',
  'Going by what came back, "A_", the answer is clear.',
  'With "A_" as the result, here is what follows.',
  'The result is in: "A_".',
].map(toTemplate)
const plainOpenings = [
  'Here is a brief answer.',
  'There is not much to go on, so this stays general.',
  'Without more to go on, a few things can still be said.',
].map(toTemplate)
const sentences = [
  'Most of it turns on A_, and B_ follows from that.',
  'Start with A_: it decides how much B_ matters.',
  'A_ is where people usually begin; B_ becomes clearer once that is settled.',
  'In practice A_ and B_ are handled together, in small steps.',
  'A common mistake is to look at A_ alone and to leave B_ for later.',
  'If time is short, settle A_ first and come back to B_ afterwards.',
  'The details of A_ vary from case to case, while B_ hardly ever does.',
  'It helps to write down what A_ is meant to achieve before touching B_.',
  'Two people can disagree about A_ and still agree on B_.',
  'There is good evidence on A_, and rather less of it on B_.',
  'A_ costs little to try, so try it before you decide about B_.',
  'When A_ and B_ pull in different directions, A_ should win.',
].map(toTemplate)
const closings = [
  'That should be enough to take the next step.',
  'Say which part matters most, and the next answer can go deeper.',
  'Everything beyond that is a matter of taste.',
  'If something in your case is different, the order of these points may change.',
  'In short: begin small, and check the result early.',
]
