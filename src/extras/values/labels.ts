/** Judges a text: sentiment, scores, and labels by their words and synonyms. */
import catalog from '../../../fixtures/catalog.json' with { type: 'json' }
import fixtures from '../../../fixtures/values.json' with { type: 'json' }
import { listedValues } from '../../model/json-schema/schema.ts'
import type { SchemaObject, ValuePlace } from '../../resources/json-schema.ts'
import { ownName } from './catalog.ts'
import { escaped, type Leaf, sentenceCase, split, stem } from './fields.ts'

const moods = {
  positive: /^(?:very |extremely )?(?:positive|happy|good|pos|favou?rable|joy|satisfied)$/,
  negative: /^(?:very |extremely )?(?:negative|sad|bad|neg|unfavou?rable|angry|unhappy|dissatisfied)$/,
  neutral: /^(?:neutral|mixed|neu|ok)$/,
}
type Mood = keyof typeof moods

const harsh = 'idiots?|stupid|hate\\w*|kill|shut up|damn|garbage|furious|morons?'
const isHostility = /\b(?:aggressi\w+|toxicity|anger|hostility|offensiveness|profanity)\b/

/** Returns a value for a field that judges the text, such as `sentiment` or `toxicity`. */
export function judgement(
  leaf: Leaf,
  { type, schemas, path }: ValuePlace,
  text: string,
  statement: string | undefined,
): unknown {
  const own = ownName(leaf)
  const listed = schemas.map(listedValues).find((values) => values !== undefined)
  if (type === 'boolean') {
    const [, expected] = /^(?:is )?(positive|negative)$/.exec(own) ?? []
    if (expected) return moodOf(text) === expected
    if (/follow ?up|escalat\w*|attention|action (?:needed|required)/.test(own))
      return moodOf(text) === 'negative'
    return opposed(own, text) ? false : undefined
  }
  if (listed) return labelOf(leaf, listed, text, path)
  if (type === 'string') {
    if (
      /^(?:short |brief )?(?:summary|description|gist|abstract|overview|main point)$/.test(own) &&
      leaf.facts.length === 0 &&
      !statement
    )
      return sentenceIn(text)
    return /\b(?:sentiment|polarity)$/.test(own) ? moodOf(text) : undefined
  }
  if (type !== 'number' && type !== 'integer') return undefined
  if (/^(?:word|words) count$|^(?:number of|num) words$/.test(own)) return text.match(/\S+/g)?.length
  const mood = moodOf(text)
  if (
    /(?:severity|urgency|importance|rating|score|level|grade)$/.test(own) &&
    !/confidence|sentiment|polarity/.test(own) &&
    !isHostility.test(own) &&
    !/^(?:positive|negative|neutral)/.test(own)
  ) {
    const isBad = /severity|urgency|importance/.test(own)
    const share = mood === 'neutral' ? 0.6 : (mood === 'positive') === isBad ? 0.2 : 0.8
    const isStated = leaf.facts.length > 0
    return isStated ? undefined : inRange(leaf, schemas, [0, 1], share, type)
  }
  const [, about] =
    /^(positive|negative|neutral)(?: (?:sentiment )?(?:score|probability|confidence|percentage))?$/.exec(
      own,
    ) ?? []
  if (about)
    return inRange(
      leaf,
      schemas,
      [0, 1],
      about === mood ? 0.75 : about === 'neutral' ? 0.15 : mood === 'neutral' ? 0.125 : 0.1,
      type,
    )
  if (/\b(?:sentiment|polarity)(?: score)?$/.test(own))
    return inRange(leaf, schemas, [-1, 1], { positive: 0.9, neutral: 0.5, negative: 0.1 }[mood], type)
  return isHostility.test(own)
    ? inRange(leaf, schemas, [0, 1], countOf(text, harsh) > 0 ? 0.8 : 0, type)
    : undefined
}

/** Returns a text's first sentence. */
function sentenceIn(text: string): string {
  const [sentence = text] = /^.{12,200}?[.!?](?=\s|$)/su.exec(text.trim()) ?? []
  return sentenceCase(sentence.replace(/^(?:hi|hello|dear|hey)\b[^,]{0,20},\s*/i, '').slice(0, 200))
}

/** Returns the members that a text mentions or implies, in the schema's order. */
export function labelsIn(listed: readonly unknown[], text: string): unknown[] {
  const names = listed.map((value) => split(String(value)))
  const last = names[0]?.split(' ').at(-1) ?? ''
  const isShared = names.length > 2 && names.every((name) => name.endsWith(` ${last}`))
  return listed.filter((_, place) => {
    const name = isShared ? (names[place] ?? '').slice(0, -last.length - 1) : (names[place] ?? '')
    if (/^(?:other|general|none|unknown)\b/.test(name)) return false
    const words = name
      .split(' ')
      .filter((word) => word.length > 2 && !/^(?:issue|request|query|problem|and)$/.test(word))
    return (
      implied(name, text) ||
      (words.length > 0 && words.every((word) => implied(word, text) || hasStem(text, stem(word))))
    )
  })
}

function implied(name: string, text: string): boolean {
  const known: Record<string, string> = { ...fixtures.synonyms, ...catalog.synonyms }
  const source = known[name]
  return source !== undefined && countOf(text, source) > 0
}

function opposed(own: string, text: string): boolean {
  const name = own.replace(/^(?:is|has|are) /, '')
  const source = (catalog.opposites as Record<string, string>)[name] ?? ''
  return source !== '' && countOf(text, source) > 0
}

function labelOf(leaf: Leaf, listed: readonly unknown[], text: string, path: ValuePlace['path']): unknown {
  const own = ownName(leaf)
  const names = listed.map((value) => split(String(value)))
  const isMoods = names.filter((name) => Object.values(moods).some((mood) => mood.test(name))).length > 1
  if (isMoods) {
    if (listed.includes('mixed') && moodCounts(text).every((count) => count > 0)) return 'mixed'
    const mood = moodOf(text)
    return listed.find((_, place) => moods[mood].test(names[place] ?? ''))
  }
  if (isHostility.test(own)) return countOf(text, harsh) > 0 ? listed.at(-2) : listed[0]
  if (!leaf.isMany) return undefined
  const found = labelsIn(listed, text)
  return found[(path.findLast((step) => typeof step === 'number') ?? 0) % Math.max(1, found.length)]
}

function hasStem(text: string, word: string): boolean {
  return new RegExp(`(?<!\\p{L})${escaped(word)}`, 'iu').test(text)
}

function countOf(text: string, source: string): number {
  return text.match(new RegExp(`(?<!\\p{L})(?:${source})(?!\\p{L})`, 'giu'))?.length ?? 0
}

function moodCounts(text: string): [number, number] {
  const { positive, negative } = fixtures.synonyms
  return [
    countOf(text, `${positive}|contento|feliz|buen[oa]s?`),
    countOf(text, `${negative}|won['’]t buy|triste`),
  ]
}

function moodOf(text: string): Mood {
  const [good, bad] = moodCounts(text)
  return good > bad ? 'positive' : bad > good ? 'negative' : 'neutral'
}

/** Returns a share of the range in the schema or the description, such as `1 to 10`. */
function inRange(
  { description }: Leaf,
  schemas: readonly SchemaObject[],
  usual: readonly number[],
  share: number,
  type: string,
): number {
  const limits = schemas
    .map(({ minimum, maximum }) => [minimum, maximum])
    .find((pair): pair is number[] => pair.every((limit) => typeof limit === 'number'))
  const [, from, to] =
    /(-?\d+(?:\.\d+)?)\s*(?:-|–|to|and)\s*(\d+(?:\.\d+)?)/.exec(description.slice(0, 300)) ?? []
  const [low = 0, high = 1] = limits ?? (from && to ? [Number(from), Number(to)] : usual)
  const value = low + (high - low) * share
  return type === 'integer' ? Math.round(value) : Number(value.toFixed(3))
}
