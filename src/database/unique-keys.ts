/** Indexes rows by unique keys. */
import { GatewayError } from '../http/errors.ts'
import { oneLine } from '../lib/one-line.ts'
import type { CollectionDeclaration } from '../resources/collection.ts'

export class UniqueKeys<Row extends object> {
  readonly #declaration: CollectionDeclaration<string, Row>
  /** Rows by key name, then by key value. */
  readonly #rows = new Map<string, Map<string, Row>>()

  constructor(declaration: CollectionDeclaration<string, Row>, rows: Iterable<Row> = []) {
    this.#declaration = declaration
    for (const key of Object.keys(declaration.keys)) this.#rows.set(key, new Map())
    for (const row of rows) this.add(row)
  }

  /** Returns the row whose named key has this value. */
  find(key: string, value: string): Row | undefined {
    return this.#rows.get(key)?.get(value)
  }

  /** Returns a row's first key that another row already uses. */
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

  /**
   * Throws 409 if another row already uses one of a row's keys.
   *
   * @param previous Earlier version of the row, whose keys may be reused.
   */
  assertFree(row: Row, previous?: Row): void {
    const taken = this.taken(row, previous)
    if (!taken) return
    const { key, value } = taken
    throw new GatewayError(
      409,
      `${this.#declaration.name} already has a record whose ${key} is '${oneLine(value)}'`,
    )
  }
}
