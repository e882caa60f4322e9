/**
 * One collection of records, as one sandbox sees it: the rows it began with, shared and frozen, and over them the rows
 * it has written. A sandbox that only reads owns nothing, and no access by key grows with the rows.
 */
import { GatewayError } from '../http/errors.ts'
import { type Soon, whenThere } from '../lib/when-there.ts'
import type { CollectionDeclaration } from '../resources/collection.ts'
import { Cache } from './cache.ts'
import { OwnRows, type PlacedRow, type TableDifference } from './own-rows.ts'
import type { SeedData } from './seed-data.ts'
import type { SeedRows } from './seed-rows.ts'

export class Table<Row extends object> {
  readonly #declaration: CollectionDeclaration<string, Row>
  readonly #seedData: SeedData
  #seed: SeedRows<Row> | undefined
  #own: OwnRows<Row> | undefined
  /** Whether a snapshot or a fork holds the own rows too, so that they must be copied before they change. */
  #isShared: boolean
  /** What was derived from the rows, once they differ from the seed; gone with the next write. */
  #cache: Cache | undefined
  readonly #leave: (rows: OwnRows<Row>) => void

  /**
   * @param seedData Has the rows to begin with, when somebody first asks for them.
   * @param own Rows of a snapshot.
   * @param leave Is told of own rows that only those who share them hold from now on.
   */
  constructor(
    declaration: CollectionDeclaration<string, Row>,
    seedData: SeedData,
    own: OwnRows<Row> | undefined,
    leave: (rows: OwnRows<Row>) => void,
  ) {
    this.#leave = leave
    this.#declaration = declaration
    this.#seedData = seedData
    this.#own = own
    this.#isShared = own !== undefined
  }

  /** All rows in order: those of the seed, then those created here. Frozen. */
  rows(): Soon<readonly Row[]> {
    return whenThere(this.#begin(), (seed) => this.#all(seed))
  }

  /** The rows that pass, in order. Frozen. */
  list(passes: (row: Row) => boolean): Soon<readonly Row[]> {
    return whenThere(this.#begin(), ({ rows }) => (this.#own ? this.#own.list(passes) : rows.filter(passes)))
  }

  /** The row that has this value as its first key, or else as its second, and so on. Frozen. */
  find(key: string): Soon<Row | undefined> {
    return whenThere(this.#begin(), (seed) => this.#place(seed, key)?.row)
  }

  /** The row that has this value as the named key. Frozen. */
  findBy(key: string, value: string): Soon<Row | undefined> {
    return whenThere(this.#begin(), (seed) => this.#at(seed, key, value)?.row)
  }

  /**
   * Something derived from the rows, made once for each version of them, and shared by every sandbox that has not
   * written to this table.
   */
  memo<Value>(name: string, make: (rows: readonly Row[]) => Value): Soon<Value> {
    return whenThere(this.#begin(), (seed) => this.#cacheOf(seed).recall(name, () => make(this.#all(seed))))
  }

  /** Throws 400 where the row breaks its schema, 409 where a key is taken. */
  async create(input: Row): Promise<Row> {
    return this.#write(await this.#begin(), input, undefined)
  }

  /** Throws 404 for an unknown key, 400 where the new row breaks its schema, 409 where a key is taken. */
  async update(key: string, changes: Partial<Row>): Promise<Row> {
    const seed = await this.#begin()
    const { row } = this.#known(seed, key)
    return this.#write(seed, { ...row, ...changes }, key)
  }

  /** Throws 404 for an unknown key. */
  async delete(key: string): Promise<Row> {
    const seed = await this.#begin()
    this.#known(seed, key)
    while (!this.#own || this.#isShared) await this.#takeOwn(seed)
    const placed = this.#known(seed, key)
    this.#own.remove(placed)
    this.#cache = undefined
    return placed.row
  }

  /** Estimated bytes of its own rows. */
  get weight(): number {
    return this.#own?.weight ?? 0
  }

  /** How the rows differ from the seed; undefined where they do not. */
  difference(): TableDifference<Row> | undefined {
    const difference = this.#own?.difference()
    const { created = [], changed = [], deleted = [] } = difference ?? {}
    return created.length + changed.length + deleted.length > 0 ? difference : undefined
  }

  /** The own rows at this moment, at no cost: they are copied when one of those who hold them writes. */
  snapshot(): OwnRows<Row> | undefined {
    this.#isShared = true
    return this.#own
  }

  /** The rows of the seed: at once, but for the first time that somebody asks for any of them. */
  #begin(): Soon<SeedRows<Row>> {
    return this.#seed ?? this.#open()
  }

  async #open(): Promise<SeedRows<Row>> {
    const seed = await this.#seedData.rows(this.#declaration.name)
    // The rows of a collection are what its own schema lets pass.
    this.#seed = seed as SeedRows<Row>
    return this.#seed
  }

  /** @param key Of the row that is replaced. Writes come one after another, so it stays where it is. */
  async #write(seed: SeedRows<Row>, input: Row, key: string | undefined): Promise<Row> {
    for (;;) {
      while (!this.#own || this.#isShared) await this.#takeOwn(seed)
      const own = this.#own
      const before = key === undefined ? undefined : this.#known(seed, key)
      const row = await own.create(input, before?.row)
      if (!this.#isShared) {
        own.admit(row, before)
        this.#cache = undefined
        return row
      }
      // A snapshot was taken meanwhile, of the rows as they were: it must not see this one.
      own.giveUp(row)
    }
  }

  /** Makes own rows that nobody else holds. A snapshot that is taken meanwhile holds those before. */
  async #takeOwn(seed: SeedRows<Row>): Promise<void> {
    const shared = this.#own
    this.#own = await (shared ? shared.copy() : OwnRows.over(this.#declaration, seed))
    if (shared) this.#leave(shared)
    this.#isShared = false
  }

  #all(seed: SeedRows<Row>): readonly Row[] {
    const own = this.#own
    return own ? this.#cacheOf(seed).recall('rows', () => Object.freeze(own.list(() => true))) : seed.rows
  }

  #cacheOf(seed: SeedRows<Row>): Cache {
    if (!this.#own) return seed.cache
    this.#cache ??= new Cache()
    return this.#cache
  }

  #known(seed: SeedRows<Row>, key: string): PlacedRow<Row> {
    const placed = this.#place(seed, key)
    if (!placed) throw new GatewayError(404, `${this.#declaration.name} has no record '${key}'`)
    return placed
  }

  #place(seed: SeedRows<Row>, value: string): PlacedRow<Row> | undefined {
    for (const key of Object.keys(this.#declaration.keys)) {
      const placed = this.#at(seed, key, value)
      if (placed) return placed
    }
    return undefined
  }

  #at(seed: SeedRows<Row>, key: string, value: string): PlacedRow<Row> | undefined {
    if (this.#own) return this.#own.find(key, value)
    const place = seed.places.get(key)?.get(value)
    return place === undefined ? undefined : { place, row: seed.rows[place] as Row }
  }
}
