/**
 * The rows that one table has written, in `@msw/data` collections.
 *
 * That library scans a collection on every access, and takes four times as long to update a record as to create one.
 * So a new version of a row is a new record, and a collection holds a shelf's worth of them; a full one is left
 * behind, and goes when none of its records is anybody's present row. Writing does not grow with the rows.
 */
import type { Collection } from '@msw/data'
import type * as z from 'zod'
import { GatewayError } from '../http/errors.ts'
import { toViolations } from '../http/violations.ts'
import { check } from '../resources/check.ts'
import { freeze, type TableSpec } from './base.ts'

type Shelf = Collection<z.ZodType<object>>

/** A row that was written, and the shelf that it stands on. */
export interface Written<Row> {
  readonly row: Row
  readonly shelf: Shelf
}

const shelfSize = 64

export class Shelves<Row extends object> {
  readonly #schema: z.ZodType<object>
  #shelf: Shelf | undefined

  constructor(spec: TableSpec<Row>) {
    this.#schema = loudly(spec)
  }

  /** Checks a row and keeps it, frozen. Throws 400 where it breaks its schema. */
  async store(input: object): Promise<Written<Row>> {
    const shelf = this.#shelf ?? (await this.#begin())
    if (shelf.count() + 1 >= shelfSize) this.#shelf = undefined
    // As a function, which the library hands on to the schema as it is: an object it would first copy, field by field,
    // to be safe from relations, and here are none.
    const row = (await shelf.create((() => input) as never)) as Row
    return { row: freeze(row), shelf }
  }

  async #begin(): Promise<Shelf> {
    const { Collection } = await loadLibrary()
    this.#shelf = new Collection({ schema: this.#schema })
    return this.#shelf
  }
}

/** Loads `@msw/data`, when the first row is written if not before: many a double is only read. */
export function loadLibrary(): Promise<typeof import('@msw/data')> {
  return import('@msw/data')
}

/** The schema as `@msw/data` asks for it, except that a violation is thrown as ours, not printed. */
function loudly<Row extends object>({ name, schema }: TableSpec<Row>): z.ZodType<object> {
  return {
    '~standard': {
      version: 1,
      vendor: 'understudy',
      validate(read: () => unknown) {
        const result = check(schema, read())
        if (result.success) return { value: result.data }
        const violations = toViolations(result.error, name)
        const [first] = violations
        throw new GatewayError(400, `${first?.path}: ${first?.message}`, { violations })
      },
    },
    // `Collection` reads nothing of a schema but its `~standard` part.
  } as unknown as z.ZodType<object>
}
