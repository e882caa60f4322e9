/**
 * The records that sandboxes begin with: canonical fixtures or the caller's, filled up with generated ones. Each
 * collection is loaded at the first access, once for all sandboxes with the same seed.
 */
import type { Faker } from '@faker-js/faker'
import * as z from 'zod'
import { toViolations } from '../http/violations.ts'
import { copy } from '../lib/copy.ts'
import { random } from '../lib/seed.ts'
import type { CollectionDeclaration, RowsOf } from '../resources/collection.ts'
import type { CollectionName, Rows, SizedCollectionName } from '../resources/collections.ts'
import { collectionNames, collections as known } from '../resources/collections.ts'
import type { FactoryContext } from '../resources/factory.ts'
import { assertFixtures } from './references.ts'
import { indexSeed, maxRows, SharedRows } from './shared-rows.ts'

const Records = z.lazy(() => z.array(z.unknown()))
const Count = z.lazy(() => z.int().min(0).max(maxRows))

/** The caller's records, which replace the canonical ones of a collection. */
export const Fixtures = z.lazy(() => z.strictObject(optionals(collectionNames, Records))) as z.ZodType<
  // Rows are checked when a gateway or a sandbox is created.
  { [Name in CollectionName]?: readonly Rows[Name][] }
>

/** Number of records by collection: the first fixtures, filled up with generated records. */
export const Size = z.lazy(() =>
  z.strictObject(
    // Parts have no number of their own: they come with the records that they are parts of.
    optionals(
      known.filter(({ partOf }) => !partOf).map(({ name }) => name as SizedCollectionName),
      Count,
    ),
  ),
)

function optionals<Name extends string, Schema extends z.ZodType>(names: readonly Name[], schema: Schema) {
  return Object.fromEntries(names.map((name) => [name, schema.optional()])) as Record<
    Name,
    z.ZodOptional<Schema>
  >
}

/** The options that determine the records, by collection. */
export interface SeedOptions {
  readonly seed: string | number
  readonly recordCounts: Readonly<Record<string, number | undefined>>
  readonly fixtures: Readonly<Record<string, readonly unknown[] | undefined>>
}

/** Canonical collections without changes, shared by all gateways of the process. */
const canonical = new Map<CollectionDeclaration, Promise<SharedRows<object>>>()

export class SeedData {
  readonly collections: readonly CollectionDeclaration[]
  readonly #options: SeedOptions
  /** The caller's records by collection. */
  readonly #given = new Map<string, readonly object[]>()
  readonly #loaded = new Map<CollectionDeclaration, Promise<SharedRows<object>>>()

  /** Throws one line with collection, index and path if one of the caller's records is wrong. */
  constructor(options: SeedOptions, collections: readonly CollectionDeclaration[] = known) {
    this.collections = collections
    this.#options = options
    for (const declaration of collections) {
      const records = options.fixtures[declaration.name]
      if (!records) continue
      // A copy: rows are frozen, and the caller's objects stay as they are.
      const rows = copy(parseAll(declaration, records))
      indexSeed(declaration, rows)
      this.#given.set(declaration.name, rows)
    }
    assertFixtures(collections, this.#given)
  }

  /** Returns the rows of a collection. A failed attempt to load them is repeated by the next call. */
  rows(name: string): Promise<SharedRows<object>> {
    const declaration = this.#declared(name)
    const loaded = this.#isCanonical(declaration) ? canonical : this.#loaded
    const rows = loaded.get(declaration)
    if (rows) return rows
    const loading = this.#load(declaration)
    loaded.set(declaration, loading)
    loading.catch(() => loaded.delete(declaration))
    return loading
  }

  #declared(name: string): CollectionDeclaration {
    const declaration = this.collections.find((each) => each.name === name)
    if (!declaration) throw new Error(`There is no collection '${name}'`)
    return declaration
  }

  /** If true, the collection and each one that it refers to consist of the canonical fixtures. */
  #isCanonical(declaration: CollectionDeclaration, seen = new Set<CollectionDeclaration>()): boolean {
    if (seen.has(declaration)) return true
    seen.add(declaration)
    const { name } = declaration
    if (this.#given.has(name) || this.#options.recordCounts[name] !== undefined) return false
    return namesRead(declaration).every((other) => this.#isCanonical(this.#declared(other), seen))
  }

  async #load(declaration: CollectionDeclaration): Promise<SharedRows<object>> {
    const { partOf } = declaration
    const written = await this.#written(declaration)
    const rows = partOf
      ? await this.#parts(declaration, partOf, written)
      : await this.#filled(declaration, written)
    return SharedRows.ofSeed(declaration, rows)
  }

  /** The caller's records of a collection, or the canonical ones. */
  async #written(declaration: CollectionDeclaration): Promise<readonly object[]> {
    return this.#given.get(declaration.name) ?? parseAll(declaration, (await declaration.fixtures()).default)
  }

  /** Returns as many rows as the size says. */
  async #filled(declaration: CollectionDeclaration, written: readonly object[]): Promise<readonly object[]> {
    // mutation: equivalent: spares a generator that is not used
    const size = this.#options.recordCounts[declaration.name] ?? written.length
    // mutation: equivalent: spares a generator that is not used
    if (size <= written.length) return written.slice(0, size)
    const others = await this.#others(declaration)
    const generate = await generator(this.#options.seed)
    const rows = [...written]
    const taken = new Set(rows.flatMap((row) => keysOf(declaration, row)))
    while (rows.length < size) {
      rows.push(generateFree(generate, declaration, rows.length, others, taken))
    }
    return rows
  }

  /** Returns the written parts of the owners that exist, and parts of the generated owners. */
  async #parts(
    declaration: CollectionDeclaration,
    { collection, field, each }: NonNullable<CollectionDeclaration['partOf']>,
    written: readonly object[],
  ): Promise<readonly object[]> {
    const owner = this.#declared(collection)
    const [id] = Object.keys(owner.keys) as [string]
    const owners = await this.rows(collection)
    const rows = written.filter((row) => owners.find(id, Reflect.get(row, field)))
    const writtenOwners = (await this.#written(owner)).length
    // mutation: equivalent: spares a generator that is not used
    if (owners.rows.length <= writtenOwners) return rows
    const others = await this.#others(declaration)
    const generate = await generator(this.#options.seed)
    for (let index = writtenOwners * each; index < owners.rows.length * each; index++) {
      rows.push(generate(declaration, index, others))
    }
    return rows
  }

  /**
   * Fills the fields that a record lacks with generated ones.
   *
   * @param rows All rows of its collection.
   */
  async completed(name: string, record: object, rows: readonly object[]): Promise<object> {
    const declaration = this.#declared(name)
    if (typeof record !== 'object' || record === null || declaration.schema.safeParse(record).success)
      return record
    const taken = new Set(rows.flatMap((row) => keysOf(declaration, row)))
    const generate = await generator(this.#options.seed)
    const others = await this.#others(declaration)
    return { ...generateFree(generate, declaration, rows.length, others, taken), ...record }
  }

  /** The rows that a factory may read: those of the collections that it refers to, without its own parts. */
  async #others(declaration: CollectionDeclaration): Promise<RowsOf> {
    const rows = new Map<string, readonly object[]>()
    for (const other of namesRead(declaration)) {
      if (this.#declared(other).partOf?.collection === declaration.name) continue
      rows.set(other, (await this.rows(other)).rows)
    }
    // mutation: equivalent: for the types; a factory reads collections that its own refers to
    return (collection) => rows.get(collection) ?? []
  }
}

/** The collections that a collection refers to or is part of. */
function namesRead({ refersTo = {}, partOf }: CollectionDeclaration): string[] {
  return [...Object.values(refersTo), ...(partOf ? [partOf.collection] : [])]
}

function parseAll({ name, schema }: CollectionDeclaration, records: readonly unknown[]): object[] {
  return records.map((record, index) => {
    const result = schema.safeParse(record)
    if (result.success) return result.data
    const [first] = toViolations(result.error, `${name}[${index}]`)
    throw new Error(`Bad fixture: ${first?.path}: ${first?.message}`)
  })
}

/** Returns one generated record of a collection. It depends on seed and index only. */
type Generate = (declaration: CollectionDeclaration, index: number, rows: RowsOf) => object

/** Loads faker. */
async function generator(seed: string | number): Promise<Generate> {
  const { faker: shared } = await import('@faker-js/faker/locale/en')
  let next = random(seed)
  // A separate instance: seeding the shared one would change what tests generate with it.
  const SeparateFaker = shared.constructor as typeof Faker
  const faker = new SeparateFaker({
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

/** Distance to the next index if a generated row has a key of a written one. Larger than any size. */
// mutation: equivalent: any number above the largest size will do
const nextTry = 1_000_003

function generateFree(
  generate: Generate,
  declaration: CollectionDeclaration,
  index: number,
  rows: RowsOf,
  taken: ReadonlySet<string>,
): object {
  for (let place = index; ; place += nextTry) {
    const row = generate(declaration, place, rows)
    if (!keysOf(declaration, row).some((key) => taken.has(key))) return row
  }
}

/** The keys of a row, each with its name. */
function keysOf({ keys }: CollectionDeclaration, row: object): string[] {
  return Object.entries(keys).map(([name, read]) => `${name} ${read(row)}`)
}
