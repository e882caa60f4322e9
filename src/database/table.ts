/**
 * A sandbox's collection. Until the first write, it reads rows shared with other sandboxes. The first write copies
 * all rows to an `@msw/data` collection, which handles all later writes.
 */
import type { Collection } from '@msw/data'
import { GatewayError } from '../http/errors.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { equal } from '../lib/equal.ts'
import { setTimeout } from '../lib/real-timers.ts'
import { type CollectionDeclaration, firstKey } from '../resources/collection.ts'
import { unknownFields } from '../resources/unknown-fields.ts'
import { assertRoom, SharedRows, toRecord, toRow, unknownFieldProblem } from './shared-rows.ts'
import { UniqueKeys } from './unique-keys.ts'

/** Captured on load, so that fake timers do not replace it. */
/** Number of rows to copy (3 to 4 ms) before yielding to the event loop. */
const rowsAtOnce = 1000

export class Table<Row extends object> {
  readonly #declaration: CollectionDeclaration<string, Row>
  readonly #openSeed: () => Promise<SharedRows<Row>>
  #shared: SharedRows<Row> | undefined
  #written: WrittenRows<Row> | undefined
  #copying: Promise<WrittenRows<Row>> | undefined

  /**
   * @param openSeed Called on first access.
   * @param snapshot Initial rows. Default: the seed.
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

  /** Returns all rows, frozen and in order: seed rows, then created rows. */
  async rows(): Promise<readonly Row[]> {
    return (await this.#read()).rows
  }

  /** Returns the matching rows, frozen and in order. */
  async list(passes: (row: Row) => boolean): Promise<readonly Row[]> {
    return (await this.#read()).rows.filter(passes)
  }

  /** Throws 400 if a condition has a field that neither the schema nor any row has. */
  async assertFields(condition: object): Promise<void> {
    const { rows } = await this.#read()
    for (const field of unknownFields(this.#declaration.schema, condition))
      if (field.path.length === 1 && !rows.some((row) => Object.hasOwn(row, field.name)))
        throw new GatewayError(400, unknownFieldProblem(field.name, field))
  }

  /** Returns the frozen row with this key. Tries the primary key first, then the others in order. */
  async find(key: string): Promise<Row | undefined> {
    return this.#findIn(await this.#read(), key)
  }

  /** Returns the frozen row in which this key has this value. */
  async findBy(key: string, value: string): Promise<Row | undefined> {
    return (await this.#read()).find(key, value)
  }

  /**
   * Returns a value that is computed once per version of the rows. Sandboxes that have not written to this table share
   * the value.
   */
  async memo<Value>(name: string, make: (rows: readonly Row[]) => Value): Promise<Value> {
    return (await this.#read()).memo(name, make)
  }

  /** Adds a row. Throws 400 if it does not match its schema, 409 if a key is taken, 429 if the table is full. */
  async create(input: Row): Promise<Row> {
    const row = toRow(this.#declaration, input)
    assertRoom(this.#declaration.name, (await this.#read()).size + 1)
    return (await this.#write()).create(row)
  }

  /** Changes fields of a row. Throws 404 for an unknown key, and 400 and 409 like `create`. */
  async update(key: string, changes: Partial<Row>): Promise<Row> {
    const row = toRow(this.#declaration, { ...this.#findOrThrow(await this.#read(), key), ...changes })
    const written = await this.#write()
    return written.update(this.#findOrThrow(written, key), row)
  }

  /** Removes a row. Throws 404 for an unknown key. */
  async delete(key: string): Promise<Row> {
    const written = await this.#write()
    return written.delete(this.#findOrThrow(written, key))
  }

  /** Returns the current rows, or undefined if the seed has not been loaded. */
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

  /**
   * Returns this sandbox's own copy of the collection, made on the first write. Until the copy is complete, readers
   * see the shared rows.
   */
  async #write(): Promise<WrittenRows<Row>> {
    if (this.#written) return this.#written
    const shared = this.#shared ?? (await this.#open())
    this.#copying ??= WrittenRows.copy(this.#declaration, shared).finally(() => {
      this.#copying = undefined
    })
    this.#written = await this.#copying
    return this.#written
  }

  #findOrThrow(rows: ReadableRows<Row>, key: string): Row {
    const row = this.#findIn(rows, key)
    if (row) return row
    // Only the first rows are compared, because comparisons are slow.
    const known = rows.rows.slice(0, 1000).map((each) => firstKey(this.#declaration, each))
    const hint = known.length > 0 ? didYouMean(String(key), known) : ''
    throw new GatewayError(404, `${this.#declaration.name} has no record '${key}'${hint}`)
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
 * A table's rows in an `@msw/data` collection. Writes must run one at a time; see `DatabaseState.write`.
 *
 * The library changes a collection some microtasks before the write's promise resolves. Readers and snapshots see the
 * last completed write, so that records and keys change together.
 */
class WrittenRows<Row extends object> implements ReadableRows<Row> {
  readonly #declaration: CollectionDeclaration<string, Row>
  readonly #seed: SharedRows<Row>
  readonly #keys: UniqueKeys<Row>
  readonly #collection: Collection<Schema>
  /** Number of records as of the last completed write. */
  size: number
  /** Records as of the last completed write, listed on first use. */
  #shared: SharedRows<Row> | undefined
  /** The row that the library is storing. It has already been validated, so the schema returns it unchanged. */
  #next: Row | undefined

  static async copy<Row extends object>(
    declaration: CollectionDeclaration<string, Row>,
    from: SharedRows<Row>,
  ): Promise<WrittenRows<Row>> {
    const library = await loadLibrary()
    const written = new WrittenRows(declaration, from, library)
    for (const [index, row] of from.rows.entries()) {
      if (index % rowsAtOnce === rowsAtOnce - 1) await new Promise((resume) => setTimeout(resume))
      written.#keys.add(await written.#insert(row))
    }
    // Added after the copy: the keys are already unique, and calling the hooks for each row would double the
    // time.
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
    // Lists the records now, because readers must see the version before this write.
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

/**
 * Returns a schema that accepts validated rows. A real schema would print violations and copy rows field by field.
 */
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

/** Loads `@msw/data`, which takes 60 ms. Called on the first write, or by an idle server. */
export async function loadLibrary() {
  const [{ Collection }, { defineExtension }] = await Promise.all([
    import('@msw/data'),
    import('@msw/data/extensions'),
  ])
  return { Collection, defineExtension }
}
