/**
 * Generated records beyond the hand-written ones. Loads faker, so it is imported by whoever needs one more record.
 */
import type { Faker } from '@faker-js/faker'
import { random } from '../lib/seed.ts'
import type { CollectionDeclaration, RowsOf } from '../resources/collection.ts'
import type { FactoryContext } from '../resources/factory.ts'

/** Makes one record of a collection: the same for the same seed and index, whatever else is generated. */
export type Generate = <Row extends object>(
  declaration: CollectionDeclaration<string, Row>,
  index: number,
  rows: RowsOf,
) => Row

export async function generator(seed: string | number): Promise<Generate> {
  const { faker: shared } = await import('@faker-js/faker/locale/en')
  let next = random(seed)
  // An instance of our own: seeding the shared one would reach into the tests of whoever uses it too.
  const OwnFaker = shared.constructor as typeof Faker
  const faker = new OwnFaker({
    locale: shared.rawDefinitions,
    randomizer: { next: () => next(), seed: () => {} },
  })
  const seeded = (...labels: ReadonlyArray<string | number>): Faker => {
    next = random(seed, ...labels)
    return faker
  }
  const contextOf = (collection: string, index: number): FactoryContext => ({
    index,
    field: (name) => seeded(collection, index, name),
    shared: (name) => seeded(collection, name),
    of: contextOf,
  })
  return (declaration, index, rows) => declaration.fake(contextOf(declaration.name, index), rows)
}
