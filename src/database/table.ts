/**
 * A sandbox's collection. Until the first write, it reads rows shared with other sandboxes. The first write copies
 * all rows to an `@msw/data` collection, which handles all later writes.
 */
import type { Collection } from '@msw/data'
import { GatewayError } from '../http/errors.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { equal } from '../lib/equal.ts'
import { setTimeout } from '../lib/real-timers.ts'
import { shown } from '../lib/schema-messages.ts'
import { type CollectionDeclaration, firstKey } from '../resources/collection.ts'
import { unknownFields } from '../resources/unknown-fields.ts'
import { maxRows, SharedRows, toRow, unknownFieldProblem } from './shared-rows.ts'

/** Number of rows to copy (3 to 4 ms) before yielding to the event loop. */
const rowsAtOnce = 1000

/** Writes must run one at a time; see `DatabaseState.write`. Readers see the last completed write. */
export class Table<Row extends object> {
  readonly #declaration: CollectionDeclaration<string, Row>
  readonly #openSeed: () => Promise<SharedRows<Row>>
  #rows: SharedRows<Row> | undefined
  #collection: Collection<Schema> | undefined
  /** The validated row that the library is storing. A record can belong to only one collection. */
  #next: Row | undefined

  /** @param openSeed Called on first access. */
  constructor(
    declaration: CollectionDeclaration<string, Row>,
    openSeed: () => Promise<SharedRows<Row>>,
    snapshot?: SharedRows<Row>,
  ) {
    this.#declaration = declaration
    this.#openSeed = openSeed
    this.#rows = snapshot
  }

  /** Returns all rows, frozen and in order: seed rows, then created rows. */
  async rows(): Promise<readonly Row[]> {
    return (await this.#read()).rows
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
    return (await this.#read()).findAny(key)
  }

  async findBy(key: string, value: string): Promise<Row | undefined> {
    return (await this.#read()).find(key, value)
  }

  async memo<Value>(name: string, make: (rows: readonly Row[]) => Value): Promise<Value> {
    return (await this.#read()).memo(name, make)
  }

  /** Adds a row. Throws 400 if it does not match its schema, 409 if a key is taken, 429 if the table is full. */
  async create(input: Row): Promise<Row> {
    const row = toRow(this.#declaration, input)
    const { rows } = await this.#read()
    if (rows.length >= maxRows)
      throw new GatewayError(429, `${this.#declaration.name} is full: the maximum is ${maxRows} records`)
    const collection = await this.#open()
    const current = await this.#read()
    current.assertFree(row)
    const record = await this.#store(row, () => collection.create(undefined))
    this.#save(collection, current)
    return record
  }

  /** Changes fields of a row. Throws 404 for an unknown key, and 400 and 409 like `create`. */
  async update(key: string, changes: Partial<Row>): Promise<Row> {
    const row = toRow(this.#declaration, { ...(await this.#findOrThrow(key)), ...changes })
    const collection = await this.#open()
    const current = await this.#read()
    const before = await this.#findOrThrow(key)
    current.assertFree(row, before)
    const changed = Object.entries(row).filter(([field, value]) => !equal(value, Reflect.get(before, field)))
    const data = (draft: object) => void Object.assign(draft, Object.fromEntries(changed))
    const record = await this.#store(row, () => collection.update(before as never, { data }))
    this.#save(collection, current)
    return record
  }

  async delete(key: string): Promise<Row> {
    const collection = await this.#open()
    const record = await this.#findOrThrow(key)
    collection.delete(record as never)
    this.#save(collection, await this.#read())
    return record
  }

  /** Returns the current rows, or undefined if the seed has not been loaded. */
  snapshot(): SharedRows<Row> | undefined {
    return this.#rows
  }

  async #read(): Promise<SharedRows<Row>> {
    this.#rows ??= await this.#openSeed()
    return this.#rows
  }

  /** Returns this sandbox's own collection, copied on the first write. Meanwhile, readers see the shared rows. */
  async #open(): Promise<Collection<Schema>> {
    if (this.#collection) return this.#collection
    const shared = await this.#read()
    // Takes 60 ms, so it is loaded on the first write.
    const { Collection } = await import('@msw/data')
    const collection = new Collection({ schema: schemaOf(() => ({ ...(this.#next as Row) })) })
    for (const [index, row] of shared.rows.entries()) {
      if (index % rowsAtOnce === rowsAtOnce - 1) await new Promise((resume) => setTimeout(resume))
      await this.#store(row, () => collection.create(undefined))
    }
    this.#save(collection, shared)
    this.#collection = collection
    return collection
  }

  #save(collection: Collection<Schema>, { seed }: SharedRows<Row>): void {
    this.#rows = new SharedRows(this.#declaration, [...collection.all()] as Row[], seed)
  }

  async #store(row: Row, write: () => Promise<object | undefined>): Promise<Row> {
    this.#next = row
    return Object.freeze((await write()) as Row)
  }

  async #findOrThrow(key: string): Promise<Row> {
    const rows = await this.#read()
    const row = rows.findAny(key)
    if (row) return row
    // Only the first rows are compared, because comparisons are slow.
    const known = rows.rows.slice(0, 1000).map((each) => firstKey(this.#declaration, each))
    const hint = known.length > 0 ? didYouMean(String(key), known) : ''
    throw new GatewayError(404, `${this.#declaration.name} has no record ${shown(key)}${hint}`)
  }
}

type Schema = ReturnType<typeof schemaOf>

/** Accepts validated rows. A real schema would print violations and copy rows one field at a time. */
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
