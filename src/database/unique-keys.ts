/**
 * Unique keys for a collection of `@msw/data`, and look-up by them: an extension of the library.
 *
 * A record whose key another one has is kept out. A new version of a record is a record of its own, created beside the
 * old one, so the extension is told which record is being replaced; and a record is found from the moment on that it
 * is admitted, not while it is being created.
 */
import type { Extension } from '@msw/data/extensions'
import { GatewayError } from '../http/errors.ts'
import type { CollectionDeclaration } from '../resources/collection.ts'

export class UniqueKeys<Row extends object> {
  /** The record whose new version is being created: its keys are free. */
  replaced: Row | undefined
  readonly #declaration: CollectionDeclaration<string, Row>
  readonly #isTaken: (key: string, value: string, except: Row | undefined) => boolean
  /** For each kind of key, the record of each value. */
  readonly #records: ReadonlyMap<string, Map<string, Row>>

  /** @param isTakenElsewhere Whether a record that is not of the collection has a key. */
  constructor(
    declaration: CollectionDeclaration<string, Row>,
    isTakenElsewhere: (key: string, value: string, except: Row | undefined) => boolean,
  ) {
    this.#declaration = declaration
    this.#isTaken = isTakenElsewhere
    this.#records = new Map(Object.keys(declaration.keys).map((key) => [key, new Map()]))
  }

  /** For `defineExtension`. */
  get extension(): Extension {
    return {
      name: 'unique-keys',
      extend: (collection) => {
        collection.hooks.on('create', ({ data }) => this.#assertFree(data.record))
        collection.hooks.on('delete', ({ data }) => this.#forget(data.deletedRecord))
      },
    }
  }

  /** The record that has this value as the named key. */
  find(key: string, value: string): Row | undefined {
    return this.#records.get(key)?.get(value)
  }

  /** From now on the record is found by its keys. */
  admit(record: Row): void {
    this.#eachKey(record, (records, value) => records.set(value, record))
  }

  #forget(record: Row): void {
    this.#eachKey(record, (records, value) => {
      if (records.get(value) === record) records.delete(value)
    })
  }

  #assertFree(record: Row): void {
    const { name, keys } = this.#declaration
    for (const [key, read] of Object.entries(keys)) {
      const value = read(record)
      const holder = this.find(key, value)
      const isTaken = holder ? holder !== this.replaced : this.#isTaken(key, value, this.replaced)
      if (isTaken) throw new GatewayError(409, `${name} already has a record whose ${key} is '${value}'`)
    }
  }

  #eachKey(record: Row, act: (records: Map<string, Row>, value: string) => void): void {
    for (const [key, records] of this.#records) act(records, this.#declaration.keys[key]?.(record) as string)
  }
}
