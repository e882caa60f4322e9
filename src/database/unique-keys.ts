/** Indexes rows by unique keys. As an `@msw/data` extension, rejects records whose key is taken. */
import type { Extension } from '@msw/data/extensions'
import { GatewayError } from '../http/errors.ts'
import { oneLine } from '../lib/one-line.ts'
import type { CollectionDeclaration } from '../resources/collection.ts'

export class UniqueKeys<Row extends object> implements Extension {
  readonly name = 'unique-keys'
  readonly #declaration: CollectionDeclaration<string, Row>
  /** Rows by key name, then by key value. */
  readonly #rows = new Map<string, Map<string, Row>>()

  /** Throws 409 if two rows share a key. */
  constructor(declaration: CollectionDeclaration<string, Row>, rows: Iterable<Row> = []) {
    this.#declaration = declaration
    for (const key of Object.keys(declaration.keys)) this.#rows.set(key, new Map())
    for (const row of rows) {
      this.#assertFree(row)
      this.add(row)
    }
  }

  /** Registers hooks in `@msw/data`. They run before a record is stored, so the table calls `add` afterwards. */
  readonly extend: Extension['extend'] = ({ hooks }) => {
    hooks.on('create', ({ data }) => this.#assertFree(data.record))
    hooks.on('update', ({ data }) => this.#assertFree(data.nextRecord, data.prevRecord))
    hooks.on('delete', ({ data }) => this.remove(data.deletedRecord))
  }

  /** Returns the row whose named key has this value. */
  find(key: string, value: string): Row | undefined {
    return this.#rows.get(key)?.get(value)
  }

  /**
   * Returns a row's first key that another row already uses.
   *
   * @param previous Earlier version of the row, whose keys may be reused.
   */
  taken(row: Row, previous?: Row): { key: string; value: string; by: Row } | undefined {
    for (const [key, read] of Object.entries(this.#declaration.keys)) {
      const value = read(row)
      const by = this.find(key, value)
      if (by && !(previous && read(previous) === value)) return { key, value, by }
    }
    return undefined
  }

  add(row: Row): void {
    for (const [key, read] of Object.entries(this.#declaration.keys)) this.#rows.get(key)?.set(read(row), row)
  }

  remove(row: Row): void {
    for (const [key, read] of Object.entries(this.#declaration.keys)) this.#rows.get(key)?.delete(read(row))
  }

  #assertFree(row: Row, previous?: Row): void {
    const taken = this.taken(row, previous)
    if (!taken) return
    const { key, value } = taken
    throw new GatewayError(
      409,
      `${this.#declaration.name} already has a record whose ${key} is '${oneLine(value)}'`,
    )
  }
}
