/**
 * Creates the initial records of sandboxes: canonical or custom fixtures, followed by generated records. Each
 * collection is loaded on first access, once for all sandboxes with the same seed.
 */

import * as z from 'zod'
import { toViolations } from '../http/violations.ts'
import { copy } from '../lib/copy.ts'
import { isObject } from '../lib/json.ts'
import { check } from '../lib/schema-messages.ts'
import { random } from '../lib/seed.ts'
import type { CollectionDeclaration } from '../resources/collection.ts'
import type { CollectionName, Rows, SizedCollectionName } from '../resources/collections.ts'
import { collectionNames, collections as defaultCollections } from '../resources/collections.ts'
import type { FactoryContext } from '../resources/factory.ts'
import { loadFaker } from '../resources/faker.ts'
import { assertFixtures } from './references.ts'
import { maxRows, rowProblem, SharedRows } from './shared-rows.ts'

const Records = z.lazy(() => z.array(z.unknown()))
const Count = z.lazy(() => z.int().min(0).max(maxRows))

/** Custom records, which replace a collection's canonical records. */
export type Fixtures = { [Name in CollectionName]?: readonly Rows[Name][] }
// Rows are validated later, when a gateway or sandbox is created.
export const Fixtures = z.lazy(() => z.strictObject(optionals(collectionNames, Records))) as z.ZodType<
  Fixtures,
  Fixtures
>

/** Number of records per collection. Fixtures come first, followed by generated records. */
export const Size = z.lazy(() =>
  z.strictObject(
    // Parts have no configurable size, because their number depends on their owners.
    optionals(
      defaultCollections.filter(({ partOf }) => !partOf).map(({ name }) => name as SizedCollectionName),
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

export interface SeedOptions {
  readonly seed: string | number
  readonly recordCounts: Readonly<Record<string, number | undefined>>
  readonly fixtures: Readonly<Record<string, readonly unknown[] | undefined>>
}

/** Unchanged canonical collections, shared by all gateways in the process. */
const canonical = new Map<CollectionDeclaration, Promise<SharedRows<object>>>()

export class SeedData {
  readonly collections: readonly CollectionDeclaration[]
  readonly #options: SeedOptions
  readonly #fixtures = new Map<string, readonly object[]>()
  readonly #loaded = new Map<CollectionDeclaration, Promise<SharedRows<object>>>()

  /** Throws a one-line error with the collection, index and path of an invalid custom record. */
  constructor(options: SeedOptions, collections: readonly CollectionDeclaration[] = defaultCollections) {
    this.collections = collections
    this.#options = options
    for (const declaration of collections) {
      const records = options.fixtures[declaration.name]
      if (!records) continue
      // Copied because rows are frozen.
      const rows = copy(parseAll(declaration, records))
      this.#fixtures.set(declaration.name, SharedRows.ofSeed(declaration, rows).rows)
    }
    assertFixtures(this.#fixtures)
  }

  /** Returns a collection's rows. Failures are not cached, so the next call retries. */
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

  /** Returns true if the collection and all collections that it refers to have only canonical records. */
  #isCanonical({ name, refersTo = [] }: CollectionDeclaration): boolean {
    if (this.#fixtures.has(name) || this.#options.recordCounts[name] !== undefined) return false
    return refersTo.every((other) => this.#isCanonical(this.#declared(other)))
  }

  async #load(declaration: CollectionDeclaration): Promise<SharedRows<object>> {
    const fixtures = await this.#fixturesOf(declaration)
    const rows = declaration.partOf
      ? await this.#parts(declaration, declaration.partOf, fixtures)
      : await this.#fill(declaration, fixtures)
    return SharedRows.ofSeed(declaration, rows)
  }

  async #fixturesOf(declaration: CollectionDeclaration): Promise<readonly object[]> {
    return (
      this.#fixtures.get(declaration.name) ?? parseAll(declaration, (await declaration.fixtures()).default)
    )
  }

  async #fill(declaration: CollectionDeclaration, fixtures: readonly object[]): Promise<readonly object[]> {
    const size = this.#options.recordCounts[declaration.name] ?? fixtures.length
    if (size <= fixtures.length) return fixtures.slice(0, size)
    const generate = await this.#generator(declaration)
    const rows = [...fixtures]
    const isFree = keysFree(declaration, fixtures)
    while (rows.length < size) rows.push(generateFree(generate, rows.length, isFree))
    return rows
  }

  /** Returns the fixtures whose owners exist, plus generated parts for generated owners. */
  async #parts(
    declaration: CollectionDeclaration,
    { collection, field, each }: NonNullable<CollectionDeclaration['partOf']>,
    fixtures: readonly object[],
  ): Promise<readonly object[]> {
    const owner = this.#declared(collection)
    const [id] = Object.keys(owner.keys) as [string]
    const owners = await this.rows(collection)
    const rows = fixtures.filter((row) => owners.find(id, Reflect.get(row, field)))
    const ownerFixtures = (await this.#fixturesOf(owner)).length
    if (owners.rows.length <= ownerFixtures) return rows
    const generate = await this.#generator(declaration)
    for (let index = ownerFixtures * each; index < owners.rows.length * each; index++)
      rows.push(generate(index))
    return rows
  }

  /** Generates a record's missing fields, including nested ones. `rows` are all its collection's rows. */
  async complete(name: string, record: object, rows: readonly object[]): Promise<object> {
    const declaration = this.#declared(name)
    if (declaration.schema.safeParse(record).success) return record
    const generate = await this.#generator(declaration)
    const generated = generateFree(generate, rows.length, keysFree(declaration, rows))
    const complete = { ...generated, ...record }
    if (declaration.schema.safeParse(complete).success) return complete
    const nested = Object.entries(record).map(([field, value]) => {
      const inner = Reflect.get(generated, field)
      return [field, isObject(inner) && isObject(value) ? { ...inner, ...value } : value]
    })
    return { ...complete, ...Object.fromEntries(nested) }
  }

  async #generator(declaration: CollectionDeclaration): Promise<Generate> {
    const rows = new Map<string, readonly object[]>()
    for (const other of declaration.refersTo ?? []) rows.set(other, (await this.rows(other)).rows)
    const fakerFor = await loadFaker()
    const seeded = (...labels: (string | number)[]) => fakerFor(random(this.#options.seed, ...labels))
    const contextOf = (collection: string, index: number): FactoryContext => ({
      index,
      field: (name) => seeded(collection, index, name),
      shared: (name) => seeded(collection, name),
      of: contextOf,
    })
    return (index) => declaration.fake(contextOf(declaration.name, index), (name) => rows.get(name) ?? [])
  }
}

function parseAll({ name, schema }: CollectionDeclaration, records: readonly unknown[]): object[] {
  return records.map((record, index) => {
    const result = check(schema, record)
    if (result.success) return result.data
    const root = `options.fixtures.${name}[${index}]`
    throw new Error(rowProblem(schema, record, toViolations(result.error, root), root))
  })
}

type Generate = (index: number) => object

/** Index increment for retrying when a generated key is taken. Larger than any collection. */
const retryStep = 1_000_003

function generateFree(generate: Generate, index: number, isFree: (row: object) => boolean): object {
  for (let attempt = index; ; attempt += retryStep) {
    const row = generate(attempt)
    if (isFree(row)) return row
  }
}

function keysFree({ keys }: CollectionDeclaration, rows: readonly object[]): (row: object) => boolean {
  const keysOf = (row: object) => Object.entries(keys).map(([name, read]) => `${name} ${read(row)}`)
  const taken = new Set(rows.flatMap(keysOf))
  return (row) => !keysOf(row).some((key) => taken.has(key))
}
