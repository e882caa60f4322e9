/**
 * The rows that one table has written, in `@msw/data` collections.
 *
 * That library scans a collection on every access, and takes four times as long to update a record as to create and
 * delete one. So a new version of a row replaces the old one, and a collection holds a shelf's worth of them at
 * most: writing does not grow with the rows.
 */
import { Collection } from '@msw/data'
import type * as z from 'zod'
import { GatewayError } from '../http/errors.ts'
import { toViolations } from '../http/violations.ts'
import { freeze, type TableSpec } from './base.ts'

type Shelf = Collection<z.ZodType<object>>

/** A row that was written, and the shelf it stands on. */
export interface Written<Row> {
  readonly row: Row
  readonly shelf: Shelf
}

const shelfSize = 64

export class Shelves<Row extends object> {
  readonly #schema: z.ZodType<object>
  readonly #ours = new WeakSet<Shelf>()
  #open: Shelf | undefined

  constructor(spec: TableSpec<Row>) {
    this.#schema = loudly(spec)
  }

  /**
   * Checks a row and keeps it, frozen. Throws 400 where it breaks its schema.
   *
   * @param previous The version that it will replace: they stand on one shelf, where that is ours.
   */
  async store(input: object, previous: Written<Row> | null | undefined): Promise<Written<Row>> {
    const shelf = previous && this.#ours.has(previous.shelf) ? previous.shelf : this.#withRoom()
    // As a function, which the library hands on to the schema as it is: an object it would first copy, field by field,
    // to be safe from relations, and here are none.
    const row = (await shelf.create((() => input) as never)) as Row
    return { row: freeze(row), shelf }
  }

  /** Lets a row go; one that a snapshot or a fork brought along stands on somebody else's shelf and stays. */
  discard(written: Written<Row> | null | undefined): void {
    if (!written || !this.#ours.has(written.shelf)) return
    // A stored record carries the library's own key, which is how it finds the record to delete.
    written.shelf.delete(written.row as Parameters<Shelf['delete']>[0])
  }

  #withRoom(): Shelf {
    if (!this.#open || this.#open.count() >= shelfSize) {
      this.#open = new Collection({ schema: this.#schema })
      this.#ours.add(this.#open)
    }
    return this.#open
  }
}

/** The schema as `@msw/data` asks for it, except that a violation is thrown as ours, not printed. */
function loudly<Row extends object>({ name, schema }: TableSpec<Row>): z.ZodType<object> {
  return {
    '~standard': {
      version: 1,
      vendor: 'understudy',
      validate(read: () => unknown) {
        const result = schema.safeParse(read())
        if (result.success) return { value: result.data }
        const violations = toViolations(result.error, name)
        const [first] = violations
        throw new GatewayError(400, `${first?.path}: ${first?.message}`, { violations })
      },
    },
    // `Collection` reads nothing of a schema but its `~standard` part.
  } as unknown as z.ZodType<object>
}
