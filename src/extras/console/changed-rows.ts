/** Compares a sandbox's rows with the seed, by primary key. */
import type { DatabaseState } from '../../database/database.ts'
import { equal } from '../../lib/equal.ts'
import { firstKey } from '../../resources/collection.ts'

export interface ChangedRows {
  readonly collection: string
  readonly created: readonly object[]
  readonly changed: readonly object[]
  readonly deleted: readonly string[]
}

/** Returns the collections that differ from the seed. */
export function changedRows(database: DatabaseState): ChangedRows[] {
  const snapshot = database.snapshot()
  return database.seedData.collections.flatMap((declaration) => {
    const { rows = [], seed } = snapshot.get(declaration.name) ?? {}
    const keyOf = (row: object) => firstKey(declaration, row)
    const before = new Map(seed?.rows.map((row) => [keyOf(row), row]))
    const keys = new Set(rows.map(keyOf))
    const created = rows.filter((row) => !before.has(keyOf(row)))
    const changed = rows.filter((row) => before.has(keyOf(row)) && !equal(row, before.get(keyOf(row))))
    const deleted = [...before.keys()].filter((key) => !keys.has(key))
    const count = created.length + changed.length + deleted.length
    return count > 0 ? [{ collection: declaration.name, created, changed, deleted }] : []
  })
}
