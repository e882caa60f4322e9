// What a factory is given, and the few things that several factories share. Faker is a type here and
// never an import: the database brings a seeded one when something must be generated.

import type { Faker } from '@faker-js/faker'

export interface FactoryContext {
  /** Place of the record in its collection, from 0. */
  index: number
  /**
   * A faker seeded for this one field of this one record, so that adding a field shifts nothing else.
   * Finish with one before asking for the next: they may be the same object, seeded anew.
   */
  field(name: string): Faker
  /** A faker seeded for the collection: the same for all of its records. */
  shared(name: string): Faker
  /** The context of another record, whose fields are drawn as they are for that one. */
  of(collection: string, index: number): FactoryContext
}

/** Generated dates lie between these: the second is before the start of the sandbox clock. */
export const EARLIEST = '2023-01-01T00:00:00.000Z'
export const LATEST = '2025-12-31T23:59:59.999Z'

/** A timestamp between two others, both included. */
export function timestamp(faker: Faker, from = EARLIEST, to = LATEST): string {
  return faker.date.between({ from, to }).toISOString()
}

/** `created_at` and an `updated_at` that is not before it. */
export function lifetime({ field }: FactoryContext): { created_at: string; updated_at: string } {
  const created_at = timestamp(field('created_at'))
  return { created_at, updated_at: timestamp(field('updated_at'), created_at) }
}

export function pick<const T>(faker: Faker, list: readonly T[]): T {
  return faker.helpers.arrayElement(list)
}

/**
 * One word of each list, and never the same ones for two records of a collection: `['Larkspur', 'Inference']`. A record
 * beyond the last combination gets a number as well. Neighbours differ in every word, where the lists are long enough.
 */
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

/** `Harbor Lights` becomes `harbor-lights`. */
export function slugify(words: string): string {
  return words
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

/** A price per token as the wire writes it: a plain decimal number, never an exponent. */
export function price(dollarsPerMillion: number): string {
  return (dollarsPerMillion / 1_000_000).toFixed(10).replace(/\.?0+$/, '')
}

/** Vendors of the invented world; the fixtures know the same ones. */
export const VENDORS = [
  'aurora',
  'borealis',
  'cinderpeak',
  'driftwood',
  'emberline',
  'fjordlight',
  'harborlight',
  'inkwell',
  'kestrel',
  'lanternworks',
  'nightjar',
  'saltmarsh',
] as const

/** `driftwood` becomes `Driftwood`. */
export function titled(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
