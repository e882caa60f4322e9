/** A sandbox's database: tables for operations, and collections for tests. */
import { GatewayError } from '../http/errors.ts'
import { nameCalls } from '../lib/call-names.ts'
import { copy } from '../lib/copy.ts'
import { meantBy } from '../lib/did-you-mean.ts'
import { refuseGuesses } from '../lib/guessed-names.ts'
import { isObject } from '../lib/json.ts'
import { shown } from '../lib/schema-messages.ts'
import type { CollectionName, Rows } from '../resources/collections.ts'
import { type Condition, compileCondition, Query, refuseFunctions } from './condition.ts'
import { assertReferences } from './references.ts'
import type { SeedData } from './seed-data.ts'
import type { SharedRows } from './shared-rows.ts'
import { Table } from './table.ts'

export type Tables = { readonly [Name in CollectionName]: Table<Rows[Name]> }

export type DatabaseSnapshot = ReadonlyMap<string, SharedRows<object>>

/** Tables of one sandbox state. Reset and restore create a new instance. */
export class DatabaseState {
  readonly seedData: SeedData
  #initial: DatabaseSnapshot
  readonly #writes = new WriteQueue()
  #tables: Record<string, Table<object>> | undefined

  constructor(seedData: SeedData, initial: DatabaseSnapshot = new Map()) {
    this.seedData = seedData
    this.#initial = initial
  }

  get tables(): Tables {
    this.#tables ??= Object.fromEntries(
      this.seedData.collections.map((declaration) => {
        const { name } = declaration
        return [name, new Table(declaration, () => this.seedData.rows(name), this.#initial.get(name))]
      }),
    )
    // A collection's declaration determines its row type.
    return this.#tables as object as Tables
  }

  /** @internal */
  table(name: string): Table<object> {
    return Reflect.get(this.tables, name)
  }

  /** Runs a function after all earlier writes have completed or failed. */
  write<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    return this.#writes.run(work)
  }

  snapshot(): DatabaseSnapshot {
    if (!this.#tables) return this.#initial
    const snapshot = new Map<string, SharedRows<object>>()
    for (const [name, table] of Object.entries(this.#tables)) {
      const rows = table.snapshot()
      if (rows) snapshot.set(name, rows)
    }
    return snapshot
  }

  restore(snapshot: DatabaseSnapshot): void {
    this.#initial = snapshot
    this.#tables = undefined
  }
}

/** Runs functions one at a time, in order. A function that fails does not affect the next. */
export class WriteQueue {
  #last: Promise<unknown> = Promise.resolve()

  run<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }
}

/** Fields of a new record. Omitted fields are generated, including those in nested objects. */
export type NewRow<Row> = {
  [Field in keyof Row]?: Row[Field] extends readonly unknown[] ? Row[Field] : Partial<Row[Field]>
}

/** A collection of records. Tests use it to set up data and to check the effects of calls. */
export interface RemoteRecords<Row extends object> {
  /** Adds a record. Omitted fields are generated. Throws 400 for an invalid record, or 409 if a key is taken. */
  create(record: NewRow<Row>): Promise<Row>
  /** Returns the record with this key, such as an id, slug or URL, or undefined if there is none. */
  get(key: string): Promise<Row | undefined>
  /**
   * Returns the records that match a condition, in order. Default: all records.
   *
   * @example await db.presets.list({ status: 'active', description: null })
   */
  list(condition?: Condition<Row>): Promise<Row[]>
  /** Changes the given fields. Throws 404 for an unknown key, or 400 or 409 like `create`. */
  update(key: string, changes: Partial<Row>): Promise<Row>
  /** Removes a record and returns it. Throws 404 for an unknown key. */
  delete(key: string): Promise<Row>
}

/** A local collection, which also supports queries with functions. */
export interface Records<Row extends object> extends RemoteRecords<Row> {
  /**
   * Returns the records that match a query, in order. Predicates must not be async. Not available in remote clients.
   *
   * @example
   * await db.providers.query((q) => q.where({ name: (name) => name.startsWith('A') }).or({ slug: 'borealis' }))
   */
  query(build: (query: Query<Row>) => Query<Row>): Promise<Row[]>
}

/** Collections by name, as in `db.providers`. */
export type Database = { readonly [Name in CollectionName]: Records<Rows[Name]> }

export type RemoteDatabase = { readonly [Name in CollectionName]: RemoteRecords<Rows[Name]> }

/**
 * @param current Returns the current state. Called by every method, because reset and restore replace the state.
 * @param writes Queue for changes. Default: the state's queue, which a writing operation holds until it responds.
 */
export function toDatabase(
  { collections }: SeedData,
  current: () => DatabaseState,
  writes?: WriteQueue,
): Database {
  const records = collections.map(({ name }) => [name, new StateRecords(name, current, writes)])
  // `Object.fromEntries` loses the collections' types.
  return new Proxy(Object.fromEntries(records) as Database, {
    get(database, name) {
      const hint = typeof name === 'string' && !(name in database) ? meantBy(name, Object.keys(database)) : ''
      if (hint) throw new TypeError(`db: unknown collection ${shown(name)}${hint}`)
      return Reflect.get(database, name)
    },
  })
}

/** Checks references between tables, and returns copies so that callers cannot change stored rows. */
class StateRecords implements Records<object> {
  readonly #name: string
  readonly #current: () => DatabaseState
  readonly #writes: WriteQueue | undefined

  static {
    const methods = ['create', 'get', 'list', 'query', 'update', 'delete'] as const
    nameCalls(StateRecords, methods, (records) => `db.${records.#name}.`)
    refuseGuesses(StateRecords.prototype, 'records')
  }

  constructor(name: string, current: () => DatabaseState, writes: WriteQueue | undefined) {
    this.#name = name
    this.#current = current
    this.#writes = writes
  }

  async create(record: object): Promise<object> {
    if (!isObject(record))
      throw new GatewayError(400, `expects one record, as in create({ … }), got ${shown(record)}`)
    return this.#write(async (state, table) => {
      const complete = await state.seedData.complete(this.#name, record, await table.rows())
      await assertReferences(state, this.#name, undefined, complete)
      return table.create(complete)
    })
  }

  async get(key: string): Promise<object | undefined> {
    if (typeof key !== 'string') throw new GatewayError(400, `expects a key such as an id, got ${shown(key)}`)
    return copy(await this.#table.find(key))
  }

  async list(condition: object = {}): Promise<object[]> {
    const matches = (await this.#table.rows()).filter(compileCondition(condition, refuseFunctions))
    if (matches.length === 0) await this.#table.assertFields(condition)
    return matches.map(copy)
  }

  async query(build: (query: Query<object>) => Query<object>): Promise<object[]> {
    const table = this.#table
    const query = typeof build === 'function' ? build(new Query()) : undefined
    if (!(query instanceof Query)) {
      const problem =
        typeof build === 'function'
          ? 'the function must return a query, for example (q) => q.where({ … })'
          : `expects a function, got ${shown(build)}; write query((q) => q.where({ … })), or list({ … })`
      throw new GatewayError(400, problem)
    }
    for (const condition of query.conditions) await table.assertFields(condition)
    return (await table.rows()).filter((row) => query.test(row)).map(copy)
  }

  async update(key: string, changes: object): Promise<object> {
    if (typeof changes !== 'object')
      throw new GatewayError(
        400,
        `the second argument must be an object with the fields to change, got ${shown(changes)}`,
      )
    return this.#write(async (state, table) => {
      const before = await table.find(key)
      if (before) await assertReferences(state, this.#name, before, { ...before, ...changes })
      return table.update(key, changes)
    })
  }

  async delete(key: string): Promise<object> {
    return this.#write(async (state, table) => {
      const before = await table.find(key)
      if (before) await assertReferences(state, this.#name, before, undefined)
      return table.delete(key)
    })
  }

  get #table(): Table<object> {
    return this.#current().table(this.#name)
  }

  async #write(work: (state: DatabaseState, table: Table<object>) => Promise<object>): Promise<object> {
    const state = this.#current()
    const change = () => work(state, state.table(this.#name))
    return copy(await (this.#writes ? this.#writes.run(change) : state.write(change)))
  }
}
