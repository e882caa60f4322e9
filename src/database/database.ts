/**
 * The collections as people arrange their tests with them. No record leaves or enters by reference.
 */
import { nearest } from '../lib/did-you-mean.ts'
import { type CollectionName, collectionNames } from '../resources/collections.ts'
import type { Rows } from '../resources/rows.ts'
import { type Condition, compileCondition } from './condition.ts'
import type { DatabaseState } from './database-state.ts'
import { assertNotNamed, assertOwnParts } from './references.ts'
import type { SeedData } from './seed-data.ts'
import type { Table } from './table.ts'

/** A collection as tests arrange it and look at it. */
export interface Records<Row extends object> {
  /** Adds a record. Throws 400 where it breaks its schema, 409 where a key is taken. */
  create(record: Row): Promise<Row>
  /** The record with this id, or else this slug; undefined where there is none. */
  get(key: string): Promise<Row | undefined>
  /**
   * All records in order, or those that meet a condition: fields with the values that they must have. Null and arrays
   * mean equality, an object means these fields inside, `{ some: value }` an array with such an item.
   *
   * @example
   * await db.presets.list({ status: 'active', description: null })
   * await db.embeddingsModels.list({ architecture: { input_modalities: { some: 'image' } } })
   */
  list(condition?: Condition<Row>): Promise<Row[]>
  /** Changes the named fields. Throws 404 for an unknown key, 400 and 409 as `create` does. */
  update(key: string, changes: Partial<Row>): Promise<Row>
  /** Removes a record and returns it. Throws 404 for an unknown key. */
  delete(key: string): Promise<Row>
}

/** The collections by name: `db.providers`, `db.workspaces`, … */
export type Database = { readonly [Name in CollectionName]: Records<Rows[Name]> }

/** @param present The state that a call belongs to, asked when the call is made. */
export function toDatabase({ collections }: SeedData, present: () => DatabaseState): Database {
  const records = collections.map(({ name }) => [name, new StateRecords(name, present)])
  // Which rows a collection has, its declaration says; the entries of an object forget that.
  return Object.setPrototypeOf(Object.fromEntries(records), mistyped) as Database
}

/** Is asked for names that are no collection: one that is nearly one says so, where it would be `undefined`. */
const mistyped = new Proxy(
  {},
  {
    get(target, name) {
      const near = typeof name === 'string' ? nearest(name, collectionNames) : undefined
      if (near === undefined) return Reflect.get(target, name)
      throw new TypeError(`db.${String(name)}: there is no such collection: did you mean '${near}'?`)
    },
  },
)

class StateRecords implements Records<object> {
  readonly #name: string
  readonly #present: () => DatabaseState

  constructor(name: string, present: () => DatabaseState) {
    this.#name = name
    this.#present = present
  }

  async create(record: object): Promise<object> {
    return this.#write(async (state) => {
      await assertOwnParts(state.seedData.collections, this.#name, record, findIn(state))
      return tableOf(state, this.#name).create(record)
    })
  }

  async get(key: string): Promise<object | undefined> {
    return structuredClone(await tableOf(this.#present(), this.#name).find(key))
  }

  async list(condition: object = {}): Promise<object[]> {
    const rows = await tableOf(this.#present(), this.#name).list(compileCondition(condition))
    return rows.map((row) => structuredClone(row))
  }

  async update(key: string, changes: object): Promise<object> {
    return this.#write(async (state) => {
      const table = tableOf(state, this.#name)
      const before = await table.find(key)
      if (before) {
        const after = { ...before, ...changes }
        await assertOwnParts(state.seedData.collections, this.#name, after, findIn(state))
        await assertNotNamed(state.seedData.collections, this.#name, before, after, findIn(state))
      }
      return table.update(key, changes)
    })
  }

  async delete(key: string): Promise<object> {
    return this.#write(async (state) => {
      const table = tableOf(state, this.#name)
      const before = await table.find(key)
      if (before) {
        await assertNotNamed(state.seedData.collections, this.#name, before, undefined, findIn(state))
      }
      return table.delete(key)
    })
  }

  async #write(work: (state: DatabaseState) => Promise<object>): Promise<object> {
    const state = this.#present()
    return structuredClone(await state.write(() => work(state)))
  }
}

function tableOf(state: DatabaseState, name: string): Table<object> {
  return (state.tables as unknown as Record<string, Table<object>>)[name] as Table<object>
}

function findIn(state: DatabaseState) {
  return (name: string, key: string) => tableOf(state, name).find(key)
}
