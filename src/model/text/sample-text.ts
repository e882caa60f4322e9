/** Writes sample answers in Markdown: an opening with passages from fixtures/texts.json, sources, or tool output. */
import fixtures from '../../../fixtures/texts.json' with { type: 'json' }
import { fieldsOf, parseJson } from '../../lib/json.ts'
import { draw, random } from '../../lib/seed.ts'
import { linkTo, type Source } from '../search/citations.ts'
import { firstSentence, quoted } from './words.ts'

export const Verbosity = ['low', 'medium', 'high'] as const
export type Verbosity = (typeof Verbosity)[number]

export interface WritingTask {
  subject: string
  answersFunction: boolean
  verbosity: Verbosity
  sources: readonly Source[] | undefined
  key: string
}

/** Sample texts in one language. Patterns are case-insensitive regular expressions. */
interface Texts {
  /** Unicode scripts that identify the language. Default: none, as for English. */
  scripts?: readonly string[]
  numbers: readonly string[]
  /** Patterns for questions that ask for a short, long or exact length. */
  lengths: { low: string; high: string; exact: string }
  sentences: Readonly<Record<keyof typeof fixtures.en.sentences, readonly string[]>>
  paragraphs: Readonly<Record<string, string>>
  /** Kinds of answers. The first kind that matches the question is used, or `plain` if none does. */
  kinds: Readonly<Record<string, Kind>> & { plain: Kind }
}

interface Kind {
  asked?: string
  openings: readonly string[]
  /** Passages, each a list of lines. Default: the paragraphs or, for code, the English passages. */
  passages?: ReadonlyArray<readonly string[]>
}

type Slots = Readonly<Record<string, string | undefined>>

type Question = ReturnType<typeof readQuestion>

const english: Texts = fixtures.en
const languages: Readonly<Record<string, Texts>> = fixtures
const usualItems = { low: 3, medium: 5, high: 8 }

export function writeText({ subject, answersFunction, verbosity, sources, key }: WritingTask): string {
  const question = readQuestion(subject, verbosity, key)
  if (sources && sources.length > 0) return citeSources(sources, question)
  if (answersFunction && subject.trim() !== '') return reportOutput(subject, question)
  const { passages } = question
  const text = passages ? writePassage(question, passages) : writeParagraphs(question)
  return sources ? `${say(question, 'foundNothing')} ${text}` : text
}

function readQuestion(subject: string, verbosity: Verbosity, key: string) {
  const start = subject.slice(0, 400)
  const texts = languageOf(start)
  const { numbers, kinds, lengths } = texts
  // The question's beginning, with number words as digits.
  const text = start.toWellFormed().replace(/[^\s.,:;!?]+/g, (word) => {
    const place = numbers.indexOf(word.toLowerCase())
    return place < 0 ? word : String(place + 2)
  })
  const kind = Object.values(kinds).find(({ asked }) => asked && match(text, asked)) ?? kinds.plain
  const passages = kind.passages ?? (kind === kinds['code'] ? english.kinds['code']?.passages : undefined)
  const asked: Verbosity = match(text, lengths.low) ? 'low' : match(text, lengths.high) ? 'high' : 'medium'
  const slots: Slots = {
    ...match(text, lengths.exact)?.groups,
    ...match(text, kind.asked ?? '')?.groups,
    question: quoted(subject) || '...',
  }
  const length = verbosity === 'medium' ? asked : verbosity
  return { texts, text, openings: kind.openings, passages, length, slots, key }
}

function languageOf(question: string): Texts {
  const words = question.replace(/\bhttps?:\S+/g, '')
  const text = words.replace(/"[^"]*"|[“„«「][^”“»」]*[”“»」]/g, '').trim() || words
  const letters = text.match(/\p{L}/gu) ?? []
  const shareOf = (letter: RegExp) => letters.filter((each) => letter.test(each)).length / letters.length
  if (!(shareOf(/\P{Script=Latin}/u) > 0.3)) return english
  const uses = ({ scripts = [] }: Texts) =>
    scripts.some((script) => shareOf(new RegExp(`\\p{Script=${script}}`, 'u')) > 0.05)
  return Object.values(languages).find(uses) ?? english
}

function writePassage(question: Question, passages: NonNullable<Kind['passages']>): string {
  const { text, length, slots, key } = question
  const named = passages.filter(
    ([fence = '']) => fence.startsWith('```') && match(text, `\\b${fence.slice(3)}\\b`),
  )
  const lines = pick(named.length > 0 ? named : passages, key, 'passage')
  if (!lines) return open(question)
  const isList = lines.every((line) => /^(?:-|\d+\.) /.test(line))
  const count = isList ? Number(slots['count'] ?? usualItems[length]) : lines.length
  const passage = `${open(question)}\n\n${fill(lines.slice(0, count).join('\n'), slots)}`
  return length === 'low' ? passage : `${passage}\n\n${say(question, 'closing')}`
}

function writeParagraphs(question: Question): string {
  const { texts, length, slots, key } = question
  const opening = open(question)
  const next = random(key, 'paragraphs')
  const paragraphs = Object.entries(texts.paragraphs)
    .map(([heading, text]) => ({ heading, text, rank: next() }))
    .sort((left, right) => left.rank - right.rank)
  if (slots['sentences']) {
    const sentences = paragraphs.flatMap(({ text }) => text.split(/(?<=[.!?]) /))
    return [opening, ...sentences.slice(0, Number(slots['sentences']) - 1)].join(' ')
  }
  const usual = { low: 0, medium: 1 + Math.floor(2 * draw(key, 'length')), high: 3 }[length]
  const shown = paragraphs.slice(0, Number(slots['paragraphs'] ?? usual))
  if (length !== 'high') return `${opening} ${shown.map(({ text }) => text).join('\n\n')}`.trimEnd()
  return [opening, ...shown.map(({ heading, text }) => `## ${heading}\n\n${text}`)].join('\n\n')
}

function citeSources(sources: readonly Source[], question: Question): string {
  const isList = sources.length > 3
  const end = isList ? '\n' : ''
  const mentions = (list: readonly Source[]) =>
    list.map((source) => (isList ? `\n- **${quoted(source.title)}:** ` : ' ') + mention(source)).join('')
  const related = sources.filter(({ isUnrelated }) => !isUnrelated)
  const others = sources.filter(({ isUnrelated }) => isUnrelated)
  if (related.length === 0) return `${say(question, 'foundLoosely')}${end}${mentions(others)}`
  const found = `${say(question, 'found')}${end}${mentions(related)}`
  return others.length === 0
    ? found
    : `${found}\n\n${say(question, 'foundElsewhere')}${end}${mentions(others)}`
}

/** Writes a sentence such as `Cold slows the yeast ([kitchen.example](https://kitchen.example/bread)).` */
function mention({ url, title, content = title }: Source): string {
  const sentence = firstSentence(content)
  const isPlain = sentence.endsWith('.') && !sentence.endsWith('...')
  return isPlain ? `${sentence.slice(0, -1)} (${linkTo(url)}).` : `${sentence} (${linkTo(url)})`
}

function reportOutput(output: string, question: Question): string {
  const isRead = output.startsWith('{') && output.length <= 20_000
  const fields = Object.entries(fieldsOf(isRead ? parseJson(output) : undefined)).slice(0, 6)
  if (fields.length === 0) return say(question, 'returned')
  const lines = fields.map(([name, value]) => {
    return `- **${quoted(name)}:** ${quoted(typeof value === 'string' ? value : JSON.stringify(value))}`
  })
  return `${say(question, 'returnedFields')}\n\n${lines.join('\n')}`
}

function open({ openings, slots, key }: Question): string {
  return fill(pick(openings, key, 'opening'), slots)
}

function say({ texts, slots, key }: Question, name: keyof Texts['sentences']): string {
  return fill(pick(texts.sentences[name], key, name), slots)
}

function fill(template = '', slots: Slots): string {
  const text = template.replace(/\{(\w+)\}/g, (_, name: string) => String(slots[name]))
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function pick<Item>(items: readonly Item[], ...labels: string[]): Item | undefined {
  return items[Math.floor(draw(...labels) * items.length)]
}

/** Caches the compiled patterns: compiling them again would take a tenth of a request's time. */
const expressions = new Map<string, RegExp>()

function match(text: string, pattern: string): RegExpExecArray | null {
  const expression = expressions.get(pattern) ?? new RegExp(pattern, 'is')
  expressions.set(pattern, expression)
  return expression.exec(text)
}
