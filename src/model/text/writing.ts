/**
 * What a default answer says: plausible English about the question, the same each time. No model is run: the
 * sentences are ready-made, and repeat words of the question.
 */
import type { Source } from '../source.ts'
import { type Layout, layoutOf, type Verbosity } from './layout.ts'
import * as phrases from './phrases.ts'
import { capitalized, firstSentence, quoted } from './short-text.ts'
import { topicsOf } from './topics.ts'
import { subjectWords } from './words.ts'

/** A stretch of text, or a source that is linked in its place. */
export type Piece = string | Source

export interface WritingTask {
  /** The question, or what a function gave back. */
  subject: string
  answersFunction: boolean
  verbosity: Verbosity
  /** What is to be cited; undefined where no search ran. */
  sources: readonly Source[] | undefined
  /** Numbers in [0, 1), which decide on everything that the question leaves open. */
  draw: () => number
}

/** The whole text, in Markdown. */
export function writeText(task: WritingTask): Piece[] {
  const writer = new Writer(task)
  const { sources } = task
  if (sources && sources.length > 0) return writer.findings(sources)
  if (task.answersFunction) return [writer.result()]
  const text = writer.answer()
  return [sources ? `${writer.one(phrases.emptyFindingsOpenings)} ${text}` : text]
}

/** What a person would type into a search box for this question. */
export function searchQuery(question: string): string {
  const words: string[] = []
  for (const word of subjectWords(question.slice(0, 2000))) {
    if (word.length > 1 && word.length <= 40) words.push(word)
    if (words.length === 8) break
  }
  return words.length > 0 ? words.join(' ') : quoted(question)
}

type Templates = readonly phrases.Template[]

class Writer {
  readonly #task: WritingTask
  readonly #draw: () => number
  readonly #topics: readonly string[]
  /** The question as one short line. */
  readonly #quote: string
  readonly #layout: Layout

  constructor(task: WritingTask) {
    const { subject, draw, verbosity } = task
    this.#task = task
    this.#draw = draw
    this.#quote = quoted(subject)
    this.#topics = topicsOf(subject)
    this.#layout = layoutOf(subject, verbosity, draw)
  }

  answer(): string {
    switch (this.#layout.form) {
      case 'greeting':
        return this.#greeting()
      case 'line':
        return this.#line()
      case 'steps':
        return this.#steps()
      case 'list':
        return this.#list()
      case 'text':
        return `${this.one(phrases.textIntroductions)}\n\n> ${pick(phrases.texts, this.#draw)}`
      case 'comparison':
        return this.#topics.length > 1 ? this.#comparison() : this.#paragraphs()
      case 'paragraphs':
        return this.#paragraphs()
    }
  }

  /** What a function gave back: its fields where it is an object, itself as a line where it is anything else. */
  result(): string {
    const closing = this.#task.verbosity === 'low' ? '' : ` ${this.one(phrases.functionClosings)}`
    const fields = fieldsOf(this.#task.subject)
    if (fields.length === 0) {
      return this.#quote === '' ? this.#paragraphs() : this.one(phrases.functionLines) + closing
    }
    const list = fields.map(([name, value]) => `- **${quoted(name)}:** ${quoted(value)}`).join('\n')
    return `${this.one(phrases.functionOpenings)}\n\n${list}${closing && `\n\n${closing.trim()}`}`
  }

  /** One sentence of each source, and the link to it: a list where there are many. */
  findings(sources: readonly Source[]): Piece[] {
    const related = sources.filter(({ isUnrelated }) => !isUnrelated)
    const others = sources.filter(({ isUnrelated }) => isUnrelated)
    const opening = this.one(this.#findingsOpenings(related.length > 0))
    const toPieces = sources.length > 3 ? listed : inProse
    const between = related.length > 0 && others.length > 0 ? `\n\n${this.one(phrases.otherFindings)}` : ''
    const closing = this.#layout.length === 'low' ? '' : `\n\n${this.one(phrases.closings)}`
    return [opening, ...toPieces(related), between, ...toPieces(others), closing]
  }

  /** One of some sentences, its slots filled. */
  one(list: Templates): string {
    return this.#fill(pick(list, this.#draw), 0)
  }

  /** `Good morning` is greeted with `Good morning!`. */
  #greeting(): string {
    const back = /thank/i.test(this.#quote)
      ? 'You are welcome'
      : this.#quote.replace(/^(?:please )?say |[\s!.,]+$/gi, '')
    return `${capitalized(back)}! ${pick(phrases.offers, this.#draw)} ${pick(phrases.offerQuestions, this.#draw)}`
  }

  #findingsOpenings(isRelated: boolean): Templates {
    if (this.#quote === '') return phrases.plainFindingsOpenings
    return isRelated ? phrases.findingsOpenings : phrases.looseFindingsOpenings
  }

  #line(): string {
    if (this.#layout.isYesOrNo) return this.#yesOrNo()
    return this.one(this.#topics.length > 0 ? phrases.lines : phrases.plainLines)
  }

  /** `Is it cold? As a rule, yes.` */
  #yesOrNo(): string {
    const question = /[?.!]$/.test(this.#quote) ? this.#quote : `${this.#quote}?`
    return `${capitalized(question)} ${pick(phrases.yesOrNo, this.#draw)}`
  }

  /** One to three paragraphs; at length, each with a heading. */
  #paragraphs(): string {
    const { length, isYesOrNo } = this.#layout
    const count = length === 'high' ? 3 : isYesOrNo ? 1 : 1 + Math.floor(this.#draw() * 2)
    const next = this.#points()
    const paragraphs = Array.from({ length: count }, (_, place) => {
      const sentences = place === 0 ? [this.#opening()] : []
      const more = (length === 'high' ? 3 : 2) + Math.floor(this.#draw() * 2)
      for (let added = 0; added < more; added++) sentences.push(next())
      if (place === count - 1) sentences.push(this.one(phrases.closings))
      return sentences.join(' ')
    })
    if (length !== 'high') return paragraphs.join('\n\n')
    return paragraphs.map((text, place) => `## ${phrases.headings[place]}\n\n${text}`).join('\n\n')
  }

  #steps(): string {
    const { items } = this.#layout
    const numbered = phrases.steps
      .slice(0, Math.max(items, 4))
      .map((step, place) => `${place + 1}. ${step}`)
      .join('\n')
    return this.#framed(this.one(phrases.stepIntroductions), numbered)
  }

  #list(): string {
    const { items } = this.#layout
    const isAboutAspects = /\b(?:reasons|pros|cons|what are|options|tips)\b/i.test(this.#quote)
    const list = some(isAboutAspects ? phrases.aspects : phrases.suggestions, items, this.#draw)
    const bullets = list.map((item) => `- ${item}`).join('\n')
    const opening = this.one(isAboutAspects ? phrases.aspectIntroductions : phrases.suggestionIntroductions)
    return this.#framed(opening, bullets)
  }

  #comparison(): string {
    const bullets = [
      this.one(phrases.comparisonsOfFirst),
      this.one(phrases.comparisonsOfSecond),
      ...some(phrases.comparisonsOfBoth, this.#layout.length === 'high' ? 3 : 1, this.#draw),
    ]
    const list = bullets.map((item) => `- ${item}`).join('\n')
    return `${this.one(phrases.comparisonIntroductions)}\n\n${list}\n\n${this.one(phrases.comparisonClosings)}`
  }

  #framed(opening: string, list: string): string {
    if (this.#layout.length === 'low') return `${opening}\n\n${list}`
    return `${opening}\n\n${list}\n\n${this.one(phrases.closings)}`
  }

  #opening(): string {
    if (this.#quote === '') return this.one(phrases.plainOpenings)
    return this.#layout.isYesOrNo ? this.#yesOrNo() : this.one(phrases.openings)
  }

  /** Sentences without repetition: first those on the phrases of the question, then general ones in between. */
  #points(): () => string {
    const kinds = [phrases.pointsOnOne, phrases.points, phrases.pointsOnTwo].slice(0, this.#topics.length + 1)
    const left = (this.#topics.length === 0 ? [phrases.points] : kinds).map((list) => [...list])
    let told = 0
    return () => {
      const list = left[told % left.length] as phrases.Template[]
      const [template = []] = list.splice(Math.floor(this.#draw() * list.length), 1)
      return this.#fill(template, told++)
    }
  }

  /** @param from Which phrase of the question comes first. */
  #fill(template: phrases.Template, from: number): string {
    let text = ''
    for (const piece of template) text += this.#slot(piece, from)
    return capitalized(text)
  }

  #slot(piece: string, from: number): string {
    switch (piece) {
      case '{T}':
        return this.#topics[from % this.#topics.length] ?? ''
      case '{U}':
        return this.#topics[(from + 1) % this.#topics.length] ?? ''
      case '{Q}':
        return this.#quote
      case '{N}':
        return numberWords[this.#layout.items] ?? ''
      default:
        return piece
    }
  }
}

const numberWords = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

function listed(sources: readonly Source[]): Piece[] {
  const items = sources.flatMap((source): Piece[] => [
    `\n- **${quoted(source.title)}:** `,
    ...mention(source),
  ])
  return items.length > 0 ? ['\n', ...items] : []
}

function inProse(sources: readonly Source[]): Piece[] {
  return sources.flatMap((source): Piece[] => [' ', ...mention(source)])
}

/** `Cold slows the yeast ([kitchen.example](https://kitchen.example/bread)).` */
function mention(source: Source): Piece[] {
  const said = firstSentence(source.content ?? source.title)
  const isPlain = said.endsWith('.') && !said.endsWith('...')
  return isPlain ? [`${said.slice(0, -1)} (`, source, ').'] : [`${said} (`, source, ')']
}

/** The flat fields of a JSON object, at most six. */
function fieldsOf(text: string): [name: string, value: string][] {
  if (!text.startsWith('{') || text.length > 20_000) return []
  try {
    return Object.entries(JSON.parse(text) as object)
      .slice(0, 6)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
  } catch {
    return []
  }
}

function pick<Item>(list: readonly Item[], draw: () => number): Item {
  return list[Math.floor(draw() * list.length)] as Item
}

/** So many of a list, in its order. */
function some<Item>(list: readonly Item[], count: number, draw: () => number): Item[] {
  const left = [...list]
  while (left.length > count) left.splice(Math.floor(draw() * left.length), 1)
  return left
}
