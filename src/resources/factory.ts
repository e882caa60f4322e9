/** The context of factories, and helpers that they share. */
import type { Faker } from '@faker-js/faker'
import words from '../../fixtures/words.json' with { type: 'json' }

export interface FactoryContext {
  /** The record's zero-based index in its collection. */
  index: number
  /** Returns a Faker seeded for this field of this record. The next call may reseed and return this instance. */
  field(name: string): Faker
  shared(name: string): Faker
  /** Returns another record's context, to generate the same values as that record's factory. */
  of(collection: string, index: number): FactoryContext
}

const EARLIEST = '2023-01-01T00:00:00.000Z'
const LATEST = '2025-12-31T23:59:59.999Z'

export function timestamp(faker: Faker, from = EARLIEST, to = LATEST): string {
  return faker.date.between({ from, to }).toISOString()
}

/** Generates `created_at`, and an `updated_at` that is not earlier. */
export function lifetime({ field }: FactoryContext): { created_at: string; updated_at: string } {
  const created_at = timestamp(field('created_at'))
  return { created_at, updated_at: timestamp(field('updated_at'), created_at) }
}

export function pick<const T>(faker: Faker, list: readonly T[]): T {
  return faker.helpers.arrayElement(list)
}

/** Picks one word from each list. Each combination is unique in the collection; once all are used, a number is added. */
export function uniqueWords(
  { index, shared }: FactoryContext,
  ...lists: ReadonlyArray<readonly string[]>
): string[] {
  const words: string[] = []
  let round = index
  for (const list of lists) {
    const turn = shared(`words/${words.join('/')}`).number.int({ max: list.length - 1 })
    words.push(list[(round + turn) % list.length] as string)
    round = Math.floor(round / list.length)
  }
  return round === 0 ? words : [...words, String(round + 1)]
}

export function slugify(words: string): string {
  return words
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

/** Returns a decimal number without exponent. */
export function price(dollarsPerMillion: number): string {
  const dollars = dollarsPerMillion / 1_000_000
  return dollars.toFixed(10).replace(/\.?0+$/, '')
}

export const VENDORS = words.vendors

export function titled(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
