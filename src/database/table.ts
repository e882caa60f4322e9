/**
 * One collection of records as one sandbox sees it. Until its first write it reads rows that it shares with other
 * sandboxes. The first write copies all of them into a collection of `@msw/data`, which every later write goes through.
 */
import type { Collection } from '@msw/data'
import { GatewayError } from '../http/errors.ts'
import { equal } from '../lib/equal.ts'
import type { CollectionDeclaration } from '../resources/collection.ts'
import { assertRoom, SharedRows, toRecord, toRow } from './shared-rows.ts'
import { UniqueKeys } from './unique-keys.ts'

/** The real timer, also if a test replaces it. */
const { setTimeout } = globalThis

/** Number of rows copied before other work gets a turn: 3 to 4 ms. */
const rowsAtOnce = 1000

export class Table<Row extends object> {
  readonly #declaration: CollectionDeclaration<string, Row>
  readonly #openSeed: () => Promise<SharedRows<Row>>
  #shared: SharedRows<Row> | undefined
  #written: WrittenRows<Row> | undefined
  #copying: Promise<WrittenRows<Row>> | undefined

  /**
   * @param openSeed Called at the first access.
   * @param snapshot Rows to begin with. Default: the seed.
   */
  constructor(
    declaration: CollectionDeclaration<string, Row>,
    openSeed: () => Promise<SharedRows<Row>>,
    snapshot?: SharedRows<Row>,
  ) {
    this.#declaration = declaration
    this.#openSeed = openSeed
    this.#shared = snapshot
  }

  /** Returns all rows in order, frozen: those of the seed, then those created here. */
  async rows(): Promise<readonly Row[]> {
    return (await this.#read()).rows
  }

  /** Returns the rows that pass, frozen and in order. */
  async list(passes: (row: Row) => boolean): Promise<readonly Row[]> {
    return (await this.#read()).rows.filter(passes)
  }

  /** Returns the frozen row with this value as its first key, or else as its second, and so on. */
  async find(key: string): Promise<Row | undefined> {
    return this.#findIn(await this.#read(), key)
  }

  /** Returns the frozen row with this value as the named key. */
  async findBy(key: string, value: string): Promise<Row | undefined> {
    return (await this.#read()).find(key, value)
  }

  /**
   * Returns a value made from the rows: once for each version of them. All sandboxes that have not written to this table
   * share it.
   */
  async memo<Value>(name: string, make: (rows: readonly Row[]) => Value): Promise<Value> {
    return (await this.#read()).memo(name, make)
  }

  /** Adds a row. Throws 400 if it breaks its schema, 409 if a key is taken, 429 if the table is full. */
  async create(input: Row): Promise<Row> {
    const row = toRow(this.#declaration, input)
    assertRoom(this.#declaration.name, (await this.#read()).size + 1)
    return (await this.#write()).create(row)
  }

  /** Changes fields of a row. Throws 404 for an unknown key, 400 and 409 as `create` does. */
  async update(key: string, changes: Partial<Row>): Promise<Row> {
    const row = toRow(this.#declaration, { ...this.#known(await this.#read(), key), ...changes })
    const written = await this.#write()
    return written.update(this.#known(written, key), row)
  }

  /** Removes a row. Throws 404 for an unknown key. */
  async delete(key: string): Promise<Row> {
    this.#known(await this.#read(), key)
    const written = await this.#write()
    return written.delete(this.#known(written, key))
  }

  /** Returns the present rows; undefined for those of a seed that has not been loaded. */
  snapshot(): SharedRows<Row> | undefined {
    return this.#written?.share() ?? this.#shared
  }

  #read(): ReadableRows<Row> | Promise<ReadableRows<Row>> {
    return this.#written ?? this.#shared ?? this.#open()
  }

  async #open(): Promise<SharedRows<Row>> {
    this.#shared = await this.#openSeed()
    return this.#shared
  }

  /** Returns the collection of this sandbox. Until it is complete, readers see the rows that are copied. */
  async #write(): Promise<WrittenRows<Row>> {
    if (this.#written) return this.#written
    const shared = this.#shared ?? (await this.#open())
    this.#copying ??= WrittenRows.copy(this.#declaration, shared).finally(() => {
      this.#copying = undefined
    })
    this.#written = await this.#copying
    return this.#written
  }

  #known(rows: ReadableRows<Row>, key: string): Row {
    const row = this.#findIn(rows, key)
    if (row) return row
    throw new GatewayError(404, `${this.#declaration.name} has no record '${key}'`)
  }

  #findIn(rows: ReadableRows<Row>, value: string): Row | undefined {
    for (const key of Object.keys(this.#declaration.keys)) {
      const row = rows.find(key, value)
      if (row) return row
    }
    return undefined
  }
}

type ReadableRows<Row extends object> = Pick<SharedRows<Row>, 'rows' | 'size' | 'find' | 'memo'>

/**
 * The rows of a table in a collection of `@msw/data`. Writes must run one at a time: see `DatabaseState.write`.
 *
 * The library changes a collection some microtasks before the promise of the write resolves. Readers and snapshots see
 * the last finished write: the list of records and the keys change together.
 */
class WrittenRows<Row extends object> implements ReadableRows<Row> {
  readonly #declaration: CollectionDeclaration<string, Row>
  readonly #seed: SharedRows<Row>
  readonly #keys: UniqueKeys<Row>
  readonly #collection: Collection<Schema>
  /** Number of records after the last finished write. */
  size: number
  /** The records after the last finished write, listed when first needed. */
  #shared: SharedRows<Row> | undefined
  /** The row that the library is about to store. It has been checked, so the schema returns it as it is. */
  #next: Row | undefined

  /** Copies all rows. */
  static async copy<Row extends object>(
    declaration: CollectionDeclaration<string, Row>,
    from: SharedRows<Row>,
  ): Promise<WrittenRows<Row>> {
    const library = await loadLibrary()
    const written = new WrittenRows(declaration, from, library)
    for (const [place, row] of from.rows.entries()) {
      if (place % rowsAtOnce === rowsAtOnce - 1) await new Promise((resume) => setTimeout(resume))
      written.#keys.add(await written.#insert(row))
    }
    // After the copy: its keys are unique, and calling the hooks for each row would double the time.
    library.defineExtension(written.#keys).extend(written.#collection)
    return written
  }

  private constructor(
    declaration: CollectionDeclaration<string, Row>,
    { rows, seed }: SharedRows<Row>,
    library: Library,
  ) {
    this.#declaration = declaration
    this.#seed = seed
    this.size = rows.length
    this.#keys = new UniqueKeys(declaration)
    this.#collection = new library.Collection({ schema: schemaOf(() => toRecord(this.#next as Row)) })
  }

  get rows(): readonly Row[] {
    return this.share().rows
  }

  find(key: string, value: string): Row | undefined {
    return this.#keys.find(key, value)
  }

  memo<Value>(name: string, make: (rows: readonly Row[]) => Value): Value {
    return this.share().memo(name, make)
  }

  share(): SharedRows<Row> {
    this.#shared ??= SharedRows.of(
      this.#declaration,
      Object.freeze(this.#collection.all().slice(0, this.size) as Row[]),
      this.#seed,
    )
    return this.#shared
  }

  async create(row: Row): Promise<Row> {
    const record = await this.#insert(row)
    this.#keys.add(record)
    this.#finish(1)
    return record
  }

  async update(before: Row, row: Row): Promise<Row> {
    // Lists the records while the old one is among them.
    this.share()
    const record = await this.#store(row, () =>
      this.#collection.update(before as never, { data: (draft) => assignChanges(draft, before, row) }),
    )
    this.#keys.remove(before)
    this.#keys.add(record)
    this.#finish(0)
    return record
  }

  delete(record: Row): Row {
    this.#collection.delete(record as never)
    this.#finish(-1)
    return record
  }

  #insert(row: Row): Promise<Row> {
    return this.#store(row, () => this.#collection.create(undefined))
  }

  async #store(row: Row, write: () => Promise<object | undefined>): Promise<Row> {
    if (this.#next) throw new Error(`${this.#declaration.name}: two writes at once; use sandbox.write()`)
    this.#next = row
    try {
      return Object.freeze((await write()) as Row)
    } finally {
      this.#next = undefined
    }
  }

  #finish(added: number): void {
    this.size += added
    this.#shared = undefined
  }
}

function assignChanges(draft: object, before: object, after: object): void {
  for (const [field, value] of Object.entries(after)) {
    if (!equal(value, Reflect.get(before, field))) Reflect.set(draft, field, value)
  }
}

type Schema = ReturnType<typeof schemaOf>

/** A schema for rows that have passed their own: the library would print violations, and copy each row field by field. */
function schemaOf(next: () => object) {
  return {
    '~standard': {
      version: 1 as const,
      vendor: 'understudy',
      validate: () => ({ value: next() }),
      types: undefined as { input: undefined; output: object } | undefined,
    },
  }
}

type Library = Awaited<ReturnType<typeof loadLibrary>>

/** Loads `@msw/data`, which takes 60 ms: for the first write or query, unless a server has loaded it while idle. */
export async function loadLibrary() {
  const [{ Collection, Query }, { defineExtension }] = await Promise.all([
    import('@msw/data'),
    import('@msw/data/extensions'),
  ])
  return { Collection, Query, defineExtension }
}
