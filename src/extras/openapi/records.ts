/**
 * Stores a sandbox's records for an OpenAPI document's paths, such as `/files` or `/workspaces/7/budgets`.
 */
import * as z from 'zod'
import type { DatabaseState } from '../../database/database.ts'
import type { Table } from '../../database/table.ts'
import { GatewayError } from '../../http/errors.ts'
import { defineCollection } from '../../resources/collection.ts'

/** Maximum number of records in a sandbox, and maximum total length of their JSON. */
const maxRecords = 10_000
const maxCharacters = 4 * 1024 * 1024

export type Fields = Readonly<Record<string, unknown>>

/** A created, changed or deleted record. */
interface Row {
  /** Path of the record's list. */
  path: string
  key: string
  /** Record; null if it was deleted. */
  value: Record<string, unknown> | null
}

export const documentRecords = defineCollection({
  name: 'documentRecords',
  schema: z.lazy(() =>
    z.strictObject({ path: z.string(), key: z.string(), value: z.looseObject({}).nullable() }),
  ),
  keys: { id: ({ path, key }) => rowId(path, key) },
  fixtures: async () => ({ default: [] }),
  fake: ({ field }): Row => ({ path: '/records', key: field('key').string.uuid(), value: {} }),
})

function rowId(path: string, key: string): string {
  return `${path}/${encodeURIComponent(key)}`
}

/** A path's records in a sandbox: the initial records, with the changes that requests have made. */
export class Records {
  readonly #table: Table<Row>
  readonly #path: string
  readonly #initial: ReadonlyMap<string, Fields>

  constructor(database: DatabaseState, path: string, initial: ReadonlyMap<string, Fields>) {
    this.#table = database.table(documentRecords.name) as Table<Row>
    this.#path = path
    this.#initial = initial
  }

  /** Returns all records by key, in order: initial records come before created ones. */
  async all(): Promise<Map<string, Fields>> {
    const records = new Map(this.#initial)
    for (const { key, value } of await this.#table.list(({ path }) => path === this.#path)) {
      if (value) records.set(key, value)
      else records.delete(key)
    }
    return records
  }

  async find(key: string): Promise<Fields | null | undefined> {
    const row = await this.#table.find(rowId(this.#path, key))
    return row ? row.value : this.#initial.get(key)
  }

  /** Stores a record. Throws 429 if the sandbox would exceed the maximum number or size of records. */
  async set(key: string, value: Fields | null): Promise<void> {
    const rows = await this.#table.rows()
    const row = await this.#table.find(rowId(this.#path, key))
    const others = rows.filter((each) => each !== row)
    const characters = others.reduce((sum, each) => sum + sizeOf(each.value), sizeOf(value))
    if (value && ((!row && rows.length >= maxRecords) || characters > maxCharacters))
      throw new GatewayError(
        429,
        `The sandbox is full: the maximum is ${maxRecords} OpenAPI records with ${maxCharacters} characters in total`,
        undefined,
        { assumption: 'document' },
      )
    const next = { path: this.#path, key, value: value && { ...value } }
    if (row) await this.#table.update(rowId(this.#path, key), next)
    else await this.#table.create(next)
  }

  /** Deletes a record and all records under it. */
  async delete(key: string): Promise<void> {
    const below = `${rowId(this.#path, key)}/`
    for (const { path, key } of await this.#table.list(({ path }) => `${path}/`.startsWith(below)))
      await this.#table.delete(rowId(path, key))
    if (this.#initial.has(key)) await this.set(key, null)
    else await this.#table.delete(rowId(this.#path, key))
  }
}

/** Sizes of frozen records. The sizes of other records can change, so they are not cached. */
const sizes = new WeakMap<object, number>()

function sizeOf(value: object | null): number {
  if (!value) return 0
  const size = sizes.get(value) ?? JSON.stringify(value).length
  // mutation: equivalent (a cache)
  if (Object.isFrozen(value)) sizes.set(value, size)
  return size
}
