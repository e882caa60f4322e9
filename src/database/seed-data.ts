/**
 * What sandboxes begin with: the canonical records, or a person's own, filled up with generated ones.
 * Each collection is made when it is first touched, once for all sandboxes that begin alike.
 */
import { toViolations } from '../http/violations.ts'
import type { CollectionDeclaration, RowsOf } from '../resources/collection.ts'
import { collections as known } from '../resources/collections.ts'
import { type Generate, generator } from './generate.ts'
import { assertFixtures } from './references.ts'
import type { SeedOptions } from './seed-options.ts'
import { type SeedRows, toSeedRows } from './seed-rows.ts'

type Loaded = Map<CollectionDeclaration, SeedRows<object> | Promise<SeedRows<object>>>

/** The canonical collections that nobody changed, shared by every gateway of the process. */
const canonical: Loaded = new Map()

export class SeedData {
  readonly collections: readonly CollectionDeclaration[]
  readonly #options: SeedOptions
  /** A person's own records, by collection. */
  readonly #own = new Map<string, readonly object[]>()
  readonly #loaded: Loaded = new Map()

  /** Throws an error that names collection, index and path where one of the person's own records is wrong. */
  constructor(options: SeedOptions, collections: readonly CollectionDeclaration[] = known) {
    this.collections = collections
    this.#options = options
    for (const declaration of collections) {
      const records = options.fixtures[declaration.name]
      if (records)
        this.#own.set(declaration.name, toSeedRows(declaration, parseAll(declaration, records)).rows)
    }
    assertFixtures(collections, this.#own)
  }

  /** The rows of a collection; at once where they are ready. */
  rows(name: string): SeedRows<object> | Promise<SeedRows<object>> {
    const declaration = this.#declared(name)
    const loaded = this.#isCanonical(declaration) ? canonical : this.#loaded
    const rows = loaded.get(declaration)
    if (rows) return rows
    const loading = this.#load(declaration).then(
      (made) => {
        loaded.set(declaration, made)
        return made
      },
      (error) => {
        // The next one who asks tries again.
        loaded.delete(declaration)
        throw error
      },
    )
    loaded.set(declaration, loading)
    return loading
  }

  #declared(name: string): CollectionDeclaration {
    const declaration = this.collections.find((each) => each.name === name)
    if (!declaration) throw new Error(`There is no collection '${name}'`)
    return declaration
  }

  /** Whether a collection, and each that it refers to, is as the fixtures have it. */
  #isCanonical(declaration: CollectionDeclaration, seen = new Set<CollectionDeclaration>()): boolean {
    if (seen.has(declaration)) return true
    seen.add(declaration)
    const { name, refersTo = {}, partOf } = declaration
    if (this.#own.has(name) || this.#sizeOf(name) !== undefined) return false
    return [...Object.values(refersTo), ...(partOf ? [partOf.collection] : [])].every((other) =>
      this.#isCanonical(this.#declared(other), seen),
    )
  }

  #sizeOf(name: string): number | undefined {
    return this.#options.size[name]
  }

  async #load(declaration: CollectionDeclaration): Promise<SeedRows<object>> {
    const written = this.#own.get(declaration.name) ?? (await canonicalRows(declaration))
    const rows = declaration.partOf
      ? await this.#parts(declaration, declaration.partOf, written)
      : await this.#filled(declaration, written)
    return toSeedRows(declaration, rows)
  }

  /** So many rows as the size says. */
  async #filled(declaration: CollectionDeclaration, written: readonly object[]): Promise<readonly object[]> {
    const size = this.#sizeOf(declaration.name) ?? written.length
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

  /** The written parts of the rows that there are, and those of the generated ones. */
  async #parts(
    declaration: CollectionDeclaration,
    { collection, field, each }: NonNullable<CollectionDeclaration['partOf']>,
    written: readonly object[],
  ): Promise<readonly object[]> {
    const owner = this.#declared(collection)
    const [id] = Object.keys(owner.keys)
    const owners = await this.rows(collection)
    const places = owners.places.get(id as string)
    const rows = written.filter((row) => places?.has(Reflect.get(row, field)))
    const writtenOwners = (this.#own.get(collection) ?? (await canonicalRows(owner))).length
    if (owners.rows.length <= writtenOwners) return rows
    const others = await this.#others(declaration)
    const generate = await generator(this.#options.seed)
    for (let index = writtenOwners * each; index < owners.rows.length * each; index++) {
      rows.push(generate(declaration, index, others))
    }
    return rows
  }

  /** The rows that a factory may look at: those of the collections that it refers to, its own parts apart. */
  async #others({ name, refersTo = {}, partOf }: CollectionDeclaration): Promise<RowsOf> {
    const names = [...Object.values(refersTo), ...(partOf ? [partOf.collection] : [])]
    const rows = new Map<string, readonly object[]>()
    for (const other of names) {
      if (this.#declared(other).partOf?.collection !== name) rows.set(other, (await this.rows(other)).rows)
    }
    return (collection) => rows.get(collection) ?? []
  }
}

/** Generated rows that would meet one of a person's own begin so many places further on: beyond the largest size. */
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

/** The values of all keys of a row, each with the name of its key. */
function keysOf({ keys }: CollectionDeclaration, row: object): string[] {
  return Object.entries(keys).map(([name, read]) => `${name} ${read(row)}`)
}

async function canonicalRows(declaration: CollectionDeclaration): Promise<readonly object[]> {
  return parseAll(declaration, (await declaration.fixtures()).default)
}

function parseAll({ name, schema }: CollectionDeclaration, records: readonly unknown[]): object[] {
  return records.map((record, index) => {
    const result = schema.safeParse(record)
    if (result.success) return result.data
    const [first] = toViolations(result.error, `${name}[${index}]`)
    throw new Error(`Bad fixture: ${first?.path}: ${first?.message}`)
  })
}
