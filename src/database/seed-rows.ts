/**
 * The rows that sandboxes begin with: made once, shared by all of them, never changed.
 */
import type { CollectionDeclaration } from '../resources/collection.ts'
import { Cache } from './cache.ts'

export interface SeedRows<Row extends object> {
  /** Frozen, to the last field. */
  readonly rows: readonly Row[]
  /** For each kind of key, where in `rows` each value of it stands. */
  readonly places: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** What was derived from the rows. */
  readonly cache: Cache
}

/** Indexes rows that have passed their schema, and freezes them. Throws where two rows share a key. */
export function toSeedRows<Row extends object>(
  { name, keys }: Pick<CollectionDeclaration<string, Row>, 'name' | 'keys'>,
  rows: readonly Row[],
): SeedRows<Row> {
  const places = new Map<string, ReadonlyMap<string, number>>()
  for (const [key, read] of Object.entries(keys)) {
    const taken = new Map<string, number>()
    rows.forEach((row, place) => {
      const value = read(row)
      const other = taken.get(value)
      if (other !== undefined) {
        throw new Error(`Bad fixture: ${name}[${place}].${key}: '${value}' is taken by ${name}[${other}]`)
      }
      taken.set(value, place)
    })
    places.set(key, taken)
  }
  return { rows: freeze(rows), places, cache: new Cache() }
}

export function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) freeze(inner)
  }
  return value
}
