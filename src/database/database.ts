/**
 * The database of one sandbox: its tables, and the face that people arrange their tests with.
 *
 * No record leaves or enters by reference, and writes happen one at a time.
 */
import { GatewayError } from '../http/errors.ts'
import type { TableSpec } from './base.ts'
import { type CollectionName, collectionNames } from './collection-names.ts'
import { collections, type Rows } from './collections.ts'
import { Table, type TableSnapshot } from './table.ts'
import type { World } from './world.ts'

/** A collection as tests arrange it and look at it. */
export interface Records<Row extends object> {
  /** Adds a record. Throws 400 where it breaks its schema, 409 where a key is taken. */
  create(record: Row): Promise<Row>
  /** The record with this id, or else this slug; undefined where there is none. */
  get(key: string): Promise<Row | undefined>
  /** All records in order, or those whose fields equal the given ones. */
  list(equalFields?: Partial<Row>): Promise<Row[]>
  /** Changes the named fields. Throws 404 for an unknown key, 400 and 409 as `create` does. */
  update(key: string, changes: Partial<Row>): Promise<Row>
  /** Removes a record and returns it. Throws 404 for an unknown key. */
  delete(key: string): Promise<Row>
}

export type Database = { readonly [Name in CollectionName]: Records<Rows[Name]> }
export type Tables = { readonly [Name in CollectionName]: Table<Rows[Name]> }
export type DatabaseSnapshot = { readonly [Name in CollectionName]?: TableSnapshot }

const noneOpened: ReadonlyMap<CollectionName, Table<object>> = new Map()

export class Store {
  /** Frozen rows, for the operations. */
  readonly tables: Tables
  /** Copies of rows, for everybody else. */
  readonly db: Database
  #opened: ReadonlyMap<CollectionName, Table<object>> = noneOpened
  /** Where tables begin that nobody has opened yet. */
  #begin: DatabaseSnapshot
  #turn: Promise<unknown> = Promise.resolve()

  constructor(world: World, begin: DatabaseSnapshot = {}) {
    this.#begin = begin
    const open = (name: CollectionName): Table<object> => {
      const spec = collections[name] as unknown as TableSpec<object>
      const table = new Table(spec, () => world.base(name) as never)
      const snapshot = this.#begin[name]
      if (snapshot) table.restore(snapshot)
      this.#opened = new Map(this.#opened).set(name, table)
      return table
    }
    this.tables = lazily((name) => this.#opened.get(name) ?? open(name)) as Tables
    this.db = lazily((name) => recordsOf(name, this)) as Database
  }

  /** Does some work when all work before it is done, well or not. */
  write<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    const result = this.#turn.then(work, work)
    this.#turn = result
    return result
  }

  /** The state of this moment; costs nothing until somebody writes. */
  snapshot(): DatabaseSnapshot {
    if (this.#opened.size === 0) return this.#begin
    const snapshot: Partial<Record<CollectionName, TableSnapshot>> = { ...this.#begin }
    for (const [name, table] of this.#opened) snapshot[name] = table.snapshot()
    return snapshot
  }

  /** Goes back to a snapshot; tables that it does not know go back to where they began. */
  restore(snapshot: DatabaseSnapshot): void {
    this.#begin = snapshot
    for (const [name, table] of this.#opened) table.restore(snapshot[name] ?? { overlay: undefined })
  }
}

/** Makes each member when it is first asked for. */
function lazily<Member>(make: (name: CollectionName) => Member): Readonly<Record<CollectionName, Member>> {
  const members = Object.create(lazy) as Record<CollectionName, Member> & Lazy
  members[maker] = make
  return members
}

const maker = Symbol('maker')
interface Lazy {
  [maker]: (name: CollectionName) => unknown
}

const lazy = Object.defineProperties(
  {},
  Object.fromEntries(
    collectionNames.map((name) => [
      name,
      {
        enumerable: true,
        get(this: Lazy) {
          const value = this[maker](name)
          Object.defineProperty(this, name, { value, enumerable: true })
          return value
        },
      },
    ]),
  ),
)

function recordsOf<Name extends CollectionName>(name: Name, store: Store): Records<Rows[Name]> {
  type Row = Rows[Name]
  // `tables[name]` is a `Table<Rows[Name]>`; TypeScript gives the union of all of them for a generic name.
  const table = () => store.tables[name] as unknown as Table<Row>
  return {
    create: (record) =>
      store.write(async () => structuredClone(await table().create(await checked(name, record, store)))),
    get: async (key) => structuredClone(await table().find(key)),
    async list(equalFields = {}) {
      const wanted = Object.entries(equalFields)
      const rows = await table().rows()
      return rows
        .filter((row) =>
          wanted.every(([field, value]) => equal((row as Record<string, unknown>)[field], value)),
        )
        .map((row) => structuredClone(row))
    },
    update: (key, changes) =>
      store.write(async () => {
        const before = await table().find(key)
        if (before) await checked(name, { ...before, ...changes }, store, before)
        return structuredClone(await table().update(key, changes))
      }),
    delete: (key) =>
      store.write(async () => {
        const before = await table().find(key)
        if (before) await checked(name, undefined, store, before)
        return structuredClone(await table().delete(key))
      }),
  }
}

/** Keeps presets and their versions together. Spec: Preset, `designated_version_id`. */
async function checked<Row>(
  name: CollectionName,
  after: Row,
  { tables }: Store,
  before?: object,
): Promise<Row> {
  if (name === 'presets' && after !== undefined) {
    const preset = after as Partial<Rows['presets']>
    const version = await tables.presetVersions.find(String(preset.designated_version_id))
    if (version?.preset_id !== preset.id) {
      throw new GatewayError(
        400,
        `presets.designated_version_id: no version of '${preset.slug}' has the id '${preset.designated_version_id}'; create it in presetVersions first`,
      )
    }
  }
  if (name === 'presetVersions' && before !== undefined) {
    const version = before as Rows['presetVersions']
    const next = after as Rows['presetVersions'] | undefined
    const preset = await tables.presets.find(version.preset_id)
    if (preset?.designated_version_id !== version.id) return after
    if (next?.id === version.id && next.preset_id === version.preset_id) return after
    throw new GatewayError(
      409,
      `presetVersions '${version.id}' is the designated version of preset '${preset.slug}'; designate another one first`,
    )
  }
  return after
}

function equal(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true
  if (typeof left !== 'object' || typeof right !== 'object' || !left || !right) return false
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length &&
    Array.isArray(left) === Array.isArray(right) &&
    keys.every((key) => Object.hasOwn(right, key) && equal(Reflect.get(left, key), Reflect.get(right, key)))
  )
}
