/** Converts numbers to the units that fields ask for. */
import fixtures from '../../../fixtures/values.json' with { type: 'json' }
import { textAt } from '../../model/json-schema/schema.ts'
import type { Fact } from './facts.ts'
import type { Leaf } from './fields.ts'

/** Spelling, measure, and size in the measure's base unit. */
type Unit = readonly [RegExp, string, number]

const units = fixtures.measures.map(
  ([source, measure, size]): Unit => [new RegExp(`^(?:${source})$`), String(measure), Number(size)],
)

function unitOf(word: string): Unit | undefined {
  return units.find(([pattern]) => pattern.test(word))
}

/** Returns the unit after a number. Rates such as `m/s` do not count as units. */
export function unitAfter({ kind, after }: Fact): Unit | undefined {
  const [, word = '', next = ''] = /^[\s-]*([\p{L}€£$°µ]+)([/^²³]|\sper\s|\ssquared?)?/u.exec(after) ?? []
  return next ? undefined : (unitOf(word) ?? (kind === 'money' ? unitOf('usd') : undefined))
}

/** Returns true if the word after a number can be a unit of a measure: `C` is a unit of both temperature and charge. */
export function isMeasuredIn({ kind, after }: Fact, measure: string): boolean {
  const [, word = ''] = /^[\s-]*([\p{L}€£$°µ]+)/u.exec(after) ?? []
  return (
    units.some(([pattern, own]) => own === measure && pattern.test(word)) ||
    (kind === 'money' && measure === 'money')
  )
}

/** Returns the unit that a field's name or description asks for, as in `in years` or `(kg)`. */
export function unitAsked({ name, description }: Pick<Leaf, 'name' | 'description'>): Unit | undefined {
  const named = name.split(' ').map(unitOf).find(Boolean)
  const words = [
    ...description.matchAll(/\b(?:in|as) (\p{L}+)/gu),
    ...description.matchAll(/\((\p{L}{1,3})\)/gu),
  ]
  return named ?? words.map(([, word = '']) => unitOf(word.toLowerCase())).find(Boolean)
}

/** Returns a number in the unit that the field's name or description asks for. */
export function numberFor({ name, schemas }: Leaf, fact: Fact): number {
  const description = textAt(schemas[0] ?? {}, 'description') ?? ''
  const number = Number(fact.value)
  if (fact.kind === 'percent' && isFraction(name, description)) return round(number / 100)
  const [to, from] = [unitAsked({ name, description }), unitAfter(fact)]
  const rest = /^[\s-]*(?:ft|feet|foot|hours?|h)(?: and)? (\d+) ?(in|min|m)/.exec(fact.after)
  const more = rest && from ? (Number(rest[1]) * (from[1] === 'time' ? 60 : 0.0254)) / from[2] : 0
  if (!from || !to || from[1] !== to[1] || from[2] === to[2]) return number
  return round(((number + more) * from[2]) / to[2])
}

function isFraction(name: string, description: string): boolean {
  if (
    /\bpercent(?:age)?\b/.test(name) ||
    /\b(?:as|in) (?:a )?percent|percentage|0 to 100|\(%\)/i.test(description)
  )
    return false
  return (
    /\bdecimal\b|\b0?\.\d|\bfraction|between 0 and 1/i.test(description) ||
    /\b(?:rate|return|ratio|probability|interest|growth|yield)\b/.test(name)
  )
}

function round(number: number): number {
  return Number(number.toPrecision(8))
}
