/**
 * The rows that sandboxes begin with: made once, shared by all of them, never changed.
 */
import type * as z from 'zod'

/** What is particular to one collection. */
export interface TableSpec<Row extends object> {
  readonly name: string
  readonly schema: z.ZodType<Row>
  /** The fields by which a row is found, the first one first; no two rows share a value of any of them. */
  readonly keys: Record<string, (row: Row) => string>
}

export interface Base<Row extends object> {
  /** Frozen, to the last field. */
  readonly rows: readonly Row[]
  /** For each kind of key, where in `rows` each value of it stands. */
  readonly slots: readonly ReadonlyMap<string, number>[]
  /** What was derived from the rows. */
  readonly memory: Memory
}

/** Builds a base from rows that have passed their schema. Throws where two rows share a key. */
export function toBase<Row extends object>(spec: TableSpec<Row>, rows: Row[]): Base<Row> {
  const slots = Object.entries(spec.keys).map(([name, read]) => {
    const places = new Map<string, number>()
    rows.forEach((row, slot) => {
      const value = read(row)
      const other = places.get(value)
      if (other !== undefined) {
        throw new Error(`${spec.name}[${slot}].${name}: '${value}' is taken by ${spec.name}[${other}]`)
      }
      places.set(value, slot)
    })
    return places
  })
  return { rows: freeze(rows), slots, memory: new Memory() }
}

export function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) freeze(inner)
  }
  return value
}

/** Things remembered of one version of the rows; the oldest goes first. */
const memorySize = 200

/** What was derived from rows, by name, for as long as the rows stay as they are. */
export class Memory {
  readonly #values = new Map<string, unknown>()

  recall<Value>(name: string, make: () => Value): Value {
    if (this.#values.has(name)) return this.#values.get(name) as Value
    const value = make()
    const [oldest] = this.#values.size < memorySize ? [] : this.#values.keys()
    if (oldest !== undefined) this.#values.delete(oldest)
    this.#values.set(name, value)
    return value
  }

  clear(): void {
    this.#values.clear()
  }
}
