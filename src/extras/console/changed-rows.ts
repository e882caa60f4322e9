/** Compares a collection's rows with the seed, by primary key. */
import type { DatabaseState } from '../../database/database.ts'
import { GatewayError } from '../../http/errors.ts'
import { equal } from '../../lib/equal.ts'
import { firstKey } from '../../resources/collection.ts'

export interface ChangedRows {
  readonly rows: readonly { key: string; row: Record<string, unknown>; change: 'added' | 'changed' | null }[]
  /** Number of deleted seed rows. */
  readonly deleted: number
}

export async function changedRows(database: DatabaseState, name: string): Promise<ChangedRows> {
  const declaration = database.seedData.collections.find((each) => each.name === name)
  if (!declaration) throw new GatewayError(404, `No collection '${name}'`)
  const keyOf = (row: object) => firstKey(declaration, row)
  const { seed } = database.snapshot().get(name) ?? {}
  const before = new Map(seed?.rows.map((row) => [keyOf(row), row]))
  const rows = (await database.table(name).rows()).map((row) => {
    const key = keyOf(row)
    const kind = before.has(key) ? 'changed' : 'added'
    const change = !seed || equal(row, before.get(key)) ? null : kind
    before.delete(key)
    return { key, row: { ...row }, change } as const
  })
  return { rows, deleted: before.size }
}
