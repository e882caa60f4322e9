/**
 * The database of a sandbox: tables as operations read them, and collections as tests arrange them.
 */
import type { Query } from '@msw/data'
import { GatewayError } from '../http/errors.ts'
import { copy } from '../lib/copy.ts'
import { equal } from '../lib/equal.ts'
import { oneLine } from '../lib/one-line.ts'
import type { CollectionName, Rows } from '../resources/collections.ts'
import { assertNotNamed, assertOwnParts } from './references.ts'
import type { SeedData } from './seed-data.ts'
import { SharedRows, type TableDifference } from './shared-rows.ts'
import { loadLibrary, Table } from './table.ts'

/** The tables by collection. */
export type Tables = { readonly [Name in CollectionName]: Table<Rows[Name]> }

/** The rows of each table that has been read or written. */
export type DatabaseSnapshot = ReadonlyMap<string, SharedRows<object>>

const noRows: DatabaseSnapshot = new Map()

/** The tables of one sandbox state. A reset or a restore creates a new one. */
export class DatabaseState {
  readonly seedData: SeedData
  readonly #begin: DatabaseSnapshot
  #tables: Record<string, Table<object>> | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(seedData: SeedData, begin: DatabaseSnapshot = noRows) {
    this.seedData = seedData
    this.#begin = begin
  }

  /** Frozen rows, for operations. */
  get tables(): Tables {
    // The declaration of a collection says which rows its table has.
    return this.#byName as object as Tables
  }

  /** @internal */
  table(name: string): Table<object> {
    return this.#byName[name] as Table<object>
  }

  get #byName(): Record<string, Table<object>> {
    this.#tables ??= Object.fromEntries(
      this.seedData.collections.map((declaration) => {
        const { name } = declaration
        return [name, new Table(declaration, () => this.seedData.rows(name), this.#begin.get(name))]
      }),
    )
    return this.#tables
  }

  /** Runs `work` after all earlier work has finished or failed. */
  write<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => {})
    return result
  }

  /** Compares each table with the seed. Lists the tables that differ. */
  differences(): { collection: string; difference: TableDifference }[] {
    return [...this.snapshot()].flatMap(([collection, rows]) => {
      const difference = rows.difference()
      return difference ? { collection, difference } : []
    })
  }

  /** Returns the present rows. They stay as they are, whatever is written later. */
  snapshot(): DatabaseSnapshot {
    if (!this.#tables) return this.#begin
    const snapshot = new Map<string, SharedRows<object>>()
    for (const [name, table] of Object.entries(this.#tables)) {
      const rows = table.snapshot()
      if (rows) snapshot.set(name, rows)
    }
    return snapshot
  }

  /** Applies differences to a seed. Throws 400 or 409 if they do not fit it. */
  static async snapshotOf(
    seedData: SeedData,
    differences: Readonly<Record<string, TableDifference>>,
  ): Promise<DatabaseSnapshot> {
    const snapshot = new Map<string, SharedRows<object>>()
    for (const [name, difference] of Object.entries(differences)) {
      const declaration = seedData.collections.find((each) => each.name === name)
      if (!declaration) throw new GatewayError(400, `changes.${oneLine(name)}: there is no such collection`)
      snapshot.set(name, SharedRows.from(declaration, await seedData.rows(name), difference))
    }
    return snapshot
  }
}

/** A collection of records, to arrange a test and to see what a call has changed. */
export interface Records<Row extends object> {
  /** Adds a record; fields left out are generated. Throws 400 if it breaks its schema, 409 if a key is taken. */
  create(record: Partial<Row>): Promise<Row>
  /** Returns the record with this id, or else this slug; undefined if there is none. */
  get(key: string): Promise<Row | undefined>
  /**
   * Returns all records in order, or those that match a condition: fields with the values that they must have. Null and
   * arrays mean equality, an object means these fields inside, `{ some: value }` an array with such an item.
   *
   * @example
   * await db.presets.list({ status: 'active', description: null })
   * await db.embeddingsModels.list({ architecture: { input_modalities: { some: 'image' } } })
   */
  list(condition?: Condition<Row>): Promise<Row[]>
  /**
   * Returns the records that match a query of `@msw/data`, in order. Only in this process, as functions do not travel.
   *
   * @example
   * await db.providers.query((q) => q.where({ name: (name) => name.startsWith('A') }).or({ slug: 'borealis' }))
   */
  query(build: (query: Query<Row>) => Query<Row>): Promise<Row[]>
  /** Changes the named fields. Throws 404 for an unknown key, 400 and 409 as `create` does. */
  update(key: string, changes: Partial<Row>): Promise<Row>
  /** Removes a record and returns it. Throws 404 for an unknown key. */
  delete(key: string): Promise<Row>
}

/** The collections by name: `db.providers`, `db.workspaces`, … */
export type Database = { readonly [Name in CollectionName]: Records<Rows[Name]> }

/** The collections of a sandbox in another process. */
export type RemoteDatabase = { readonly [Name in CollectionName]: RemoteRecords<Rows[Name]> }

/** A collection without the method that takes a function. */
export type RemoteRecords<Row extends object> = Omit<Records<Row>, 'query'>

/** @param present Returns the state that a call belongs to. Called when the call is made. */
export function toDatabase({ collections }: SeedData, present: () => DatabaseState): Database {
  const records = collections.map(({ name }) => [name, new StateRecords(name, present)])
  // The declaration of a collection says which records it has; the entries of an object lose that.
  return Object.fromEntries(records) as Database
}

/** Checks references between tables, and copies what it returns: callers cannot change stored rows. */
class StateRecords implements Records<object> {
  readonly #name: string
  readonly #present: () => DatabaseState

  constructor(name: string, present: () => DatabaseState) {
    this.#name = name
    this.#present = present
  }

  async create(record: object): Promise<object> {
    return this.#write(async (state, table, find) => {
      const whole = await state.seedData.completed(this.#name, record, await table.list(() => true))
      await assertOwnParts(state.seedData.collections, this.#name, whole, find)
      return table.create(whole)
    })
  }

  async get(key: string): Promise<object | undefined> {
    return copy(await this.#table.find(key))
  }

  async list(condition: object = {}): Promise<object[]> {
    return (await this.#table.list(compileCondition(condition))).map(copy)
  }

  async query(build: (query: Query<object>) => Query<object>): Promise<object[]> {
    const table = this.#table
    const { Query } = await loadLibrary()
    const query = typeof build === 'function' ? build(new Query()) : undefined
    if (!(query instanceof Query)) {
      throw new GatewayError(
        400,
        `db.${this.#name}.query(): return a query, for example (q) => q.where({ … })`,
      )
    }
    return (await table.list((row) => query.test(row))).map(copy)
  }

  async update(key: string, changes: object): Promise<object> {
    return this.#write(async (state, table, find) => {
      const before = await table.find(key)
      if (before) {
        const after = { ...before, ...changes }
        await assertOwnParts(state.seedData.collections, this.#name, after, find)
        await assertNotNamed(state.seedData.collections, this.#name, before, after, find)
      }
      return table.update(key, changes)
    })
  }

  async delete(key: string): Promise<object> {
    return this.#write(async (state, table, find) => {
      const before = await table.find(key)
      if (before) await assertNotNamed(state.seedData.collections, this.#name, before, undefined, find)
      return table.delete(key)
    })
  }

  get #table(): Table<object> {
    return this.#present().table(this.#name)
  }

  async #write(
    work: (
      state: DatabaseState,
      table: Table<object>,
      find: (collection: string, key: string) => Promise<object | undefined>,
    ) => Promise<object>,
  ): Promise<object> {
    const state = this.#present()
    const find = (collection: string, key: string) => state.table(collection).find(key)
    return copy(await state.write(() => work(state, state.table(this.#name), find)))
  }
}

/**
 * Fields that a record must have. A value, null and an array mean equality; an object means these fields inside;
 * `{ some: … }` means that at least one item of an array matches. Undefined fields are ignored.
 *
 * @example
 * { status: 'active', description: null }
 * { architecture: { input_modalities: { some: 'image' } } }
 */
export type Condition<Row> = { readonly [Field in keyof Row]?: FieldCondition<Row[Field]> }

type FieldCondition<Value> = Value extends readonly (infer Item)[]
  ? Value | { readonly some: FieldCondition<Item> }
  : Value extends object
    ? Condition<Value>
    : Value

/** Throws 400 if the condition is not an object of fields. */
function compileCondition(condition: object): (row: object) => boolean {
  if (isObject(condition)) return compileFields(condition)
  throw new GatewayError(
    400,
    'A list takes a condition: an object of fields and the values that they must have',
  )
}

function compileFields(condition: object): (value: unknown) => boolean {
  const tests = Object.entries(condition)
    .filter(([, wanted]) => wanted !== undefined)
    .map(([field, wanted]) => [field, compileValue(wanted)] as const)
  return (value) =>
    isObject(value) &&
    tests.every(([field, test]) => Object.hasOwn(value, field) && test(Reflect.get(value, field)))
}

function compileValue(wanted: unknown): (value: unknown) => boolean {
  if (!isObject(wanted)) return (value) => equal(value, wanted)
  const fields = compileFields(wanted)
  if (!Object.hasOwn(wanted, 'some')) return fields
  const item = compileValue(Reflect.get(wanted, 'some'))
  return (value) => (Array.isArray(value) ? value.some(item) : fields(value))
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
