/**
 * The rows that one sandbox has written, in a collection of `@msw/data` over shared seed rows.
 *
 * Seed rows keep their places, from 0; rows that were created stand behind them. A new version of a row takes its place
 * at once: until it is admitted every reader sees the old one, and from then on the new one.
 */
import type { Collection } from '@msw/data'
import { GatewayError } from '../http/errors.ts'
import { toViolations } from '../http/violations.ts'
import { check } from '../lib/check.ts'
import type { CollectionDeclaration } from '../resources/collection.ts'
import { freeze, type SeedRows } from './seed-rows.ts'
import { UniqueKeys } from './unique-keys.ts'

/** A row and its place in the order of the table. */
export interface PlacedRow<Row> {
  readonly place: number
  readonly row: Row
}

/** One that was written here. */
interface OwnRow<Row> extends PlacedRow<Row> {
  /** Estimated bytes. */
  readonly weight: number
}

/** How the rows of a table differ from the seed. Seed rows are named by their first key. */
export interface TableDifference<Row extends object = object> {
  readonly created: readonly Row[]
  readonly changed: readonly { readonly key: string; readonly row: Row }[]
  readonly deleted: readonly string[]
}

/** A function that makes the row, which the library hands on to the schema; an object it would first copy, field by field. */
type MakeRow = () => object

export class OwnRows<Row extends object> {
  readonly #declaration: CollectionDeclaration<string, Row>
  readonly #seed: SeedRows<Row>
  readonly #keys: UniqueKeys<Row>
  readonly #collection: Collection<typeof madeRows>
  /** The rows of the collection that count: neither those being created nor those of a write that was given up. */
  readonly #admitted = new Map<Row, OwnRow<Row>>()
  /** The places of seed rows that have a newer version here, or were deleted. */
  readonly #covered = new Set<number>()
  #next: number
  /** Estimated bytes of the rows that count. */
  weight = 0

  private constructor(
    declaration: CollectionDeclaration<string, Row>,
    seed: SeedRows<Row>,
    library: Library,
  ) {
    this.#declaration = declaration
    this.#seed = seed
    this.#next = seed.rows.length
    this.#keys = new UniqueKeys(declaration, (key, value, except) => {
      const holder = this.#seedRow(key, value)?.row
      return holder !== undefined && holder !== except
    })
    const { Collection, defineExtension } = library
    this.#collection = new Collection({
      schema: madeRows,
      extensions: [defineExtension(this.#keys.extension)],
    })
  }

  static async over<Row extends object>(
    declaration: CollectionDeclaration<string, Row>,
    seed: SeedRows<Row>,
  ): Promise<OwnRows<Row>> {
    return new OwnRows(declaration, seed, await loadLibrary())
  }

  /** The row that has this value as the named key, be it own or from the seed. */
  find(key: string, value: string): PlacedRow<Row> | undefined {
    const row = this.#keys.find(key, value)
    return row ? this.#admitted.get(row) : this.#seedRow(key, value)
  }

  /** What these rows add to the seed, change and leave out. */
  difference(): TableDifference<Row> {
    const { keys } = this.#declaration
    const [readKey] = Object.values(keys) as [(row: Row) => string]
    const own = [...this.#admitted.values()].sort((left, right) => left.place - right.place)
    const changed = own.filter(({ place }) => place < this.#seed.rows.length)
    const kept = new Set(changed.map(({ place }) => place))
    const seeded = (place: number) => readKey(this.#seed.rows[place] as Row)
    return {
      created: own.filter(({ place }) => place >= this.#seed.rows.length).map(({ row }) => row),
      changed: changed.map(({ row, place }) => ({ key: seeded(place), row })),
      deleted: [...this.#covered]
        .filter((place) => !kept.has(place))
        .sort((left, right) => left - right)
        .map(seeded),
    }
  }

  /** Rows that differ from the seed so. Throws 400 where a row breaks its schema, 409 where it does not fit the seed. */
  static async from<Row extends object>(
    declaration: CollectionDeclaration<string, Row>,
    seed: SeedRows<Row>,
    { created, changed, deleted }: TableDifference<Row>,
  ): Promise<OwnRows<Row>> {
    const own = await OwnRows.over(declaration, seed)
    const [key] = Object.keys(declaration.keys) as [string]
    const known = (value: string) => {
      const placed = own.#seedRow(key, value)
      if (placed) return placed
      throw new GatewayError(
        409,
        `${declaration.name} has no record '${value}' in the seed: it was saved from another one`,
      )
    }
    for (const value of deleted) own.remove(known(value))
    for (const { key: value, row } of changed) {
      const before = known(value)
      own.admit(await own.create(row, before.row), before)
    }
    for (const row of created) own.admit(await own.create(row, undefined), undefined)
    return own
  }

  /** The rows that pass, in their order. */
  list(passes: (row: Row) => boolean): Row[] {
    const own = this.#collection
      .findMany((query) => query.where((row) => this.#admitted.has(row as Row) && passes(row as Row)))
      .map((row) => this.#admitted.get(row as Row) as OwnRow<Row>)
    const seeded = this.#seed.rows
      .map((row, place) => ({ row, place }))
      .filter(({ row, place }) => !this.#covered.has(place) && passes(row))
    return [...seeded, ...own].sort((left, right) => left.place - right.place).map(({ row }) => row)
  }

  /**
   * Brings a row into the collection, where nobody sees it yet. Throws 400 where it breaks its schema, 409 where a key
   * is taken.
   *
   * @param replaced The version before it.
   */
  async create(input: object, replaced: Row | undefined): Promise<Row> {
    this.#keys.replaced = replaced
    return freeze((await this.#collection.create(() => this.#checked(input))) as Row)
  }

  /** Shows a created row, in the place of the version before it. */
  admit(row: Row, before: PlacedRow<Row> | undefined): void {
    if (before) this.remove(before)
    const weight = weightOf(row)
    this.#admitted.set(row, { row, place: before?.place ?? this.#next++, weight })
    this.weight += weight
    this.#keys.admit(row)
  }

  /** Takes a created row back that nobody has seen. */
  giveUp(row: Row): void {
    this.#collection.delete(row as never)
  }

  remove({ row, place }: PlacedRow<Row>): void {
    const own = this.#admitted.get(row)
    if (!own) {
      this.#covered.add(place)
      return
    }
    this.#admitted.delete(row)
    this.#collection.delete(row as never)
    this.weight -= own.weight
  }

  /** The same rows in a collection of their own. */
  async copy(): Promise<OwnRows<Row>> {
    const copy = await OwnRows.over(this.#declaration, this.#seed)
    for (const place of this.#covered) copy.#covered.add(place)
    for (const own of this.#admitted.values()) {
      // A record belongs to one collection. What is inside it is frozen, and shared.
      const twin = Object.freeze((await copy.#collection.create(() => ({ ...own.row }))) as Row)
      copy.#admitted.set(twin, { ...own, row: twin })
      copy.#keys.admit(twin)
    }
    copy.#next = this.#next
    copy.weight = this.weight
    return copy
  }

  #checked(input: object): Row {
    const { name, schema } = this.#declaration
    const result = check(schema, input)
    if (result.success) return result.data
    const violations = toViolations(result.error, name)
    const [first] = violations
    throw new GatewayError(400, `${first?.path}: ${first?.message}`, { violations })
  }

  #seedRow(key: string, value: string): PlacedRow<Row> | undefined {
    const place = this.#seed.places.get(key)?.get(value)
    if (place === undefined || this.#covered.has(place)) return undefined
    return { place, row: this.#seed.rows[place] as Row }
  }
}

/** Its text, twice for the objects that it is, and what the library and the keys add. */
function weightOf(row: object): number {
  return 1000 + 2 * JSON.stringify(row).length
}

type Library = Awaited<ReturnType<typeof loadLibrary>>

/** Loads `@msw/data`, when the first row is written if not before: many a double is only read. */
export async function loadLibrary() {
  const [{ Collection }, { defineExtension }] = await Promise.all([
    import('@msw/data'),
    import('@msw/data/extensions'),
  ])
  return { Collection, defineExtension }
}

/**
 * The schema of every collection, as the library asks for it. Rows are checked while they are made, so that a violation
 * is thrown as ours: the library would print it.
 */
const madeRows = {
  '~standard': {
    version: 1 as const,
    vendor: 'understudy',
    validate: (make: unknown) => ({ value: (make as MakeRow)() }),
    types: undefined as { input: MakeRow; output: object } | undefined,
  },
}
