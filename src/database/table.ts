/**
 * One collection of records, as one sandbox sees it: the rows it began with, shared and frozen, and over them, slot
 * by slot, the rows it has written. A sandbox that only reads owns nothing, and no access by key grows with the rows.
 */
import { GatewayError } from '../http/errors.ts'
import { type Base, Memory, type TableSpec } from './base.ts'
import { Shelves, type Written } from './shelves.ts'

/**
 * What a sandbox wrote: rows by slot (null where deleted), the keys that moved, by kind of key, and the slot of the
 * next new row.
 */
interface Overlay<Row> {
  written: Map<number, Written<Row> | null>
  slots: readonly Map<string, number | undefined>[]
  next: number
}

/** The state of a table at one moment; it stays as it is when the table moves on. */
export interface TableSnapshot {
  readonly overlay: Overlay<object> | undefined
}

/** A row and its place. */
interface Placed<Row> {
  readonly slot: number
  readonly row: Row
}

/** A field by which rows are found; `kind` is its place among them, from 0. */
interface Key<Row> {
  readonly name: string
  readonly read: (row: Row) => string
  readonly kind: number
}

export class Table<Row extends object> {
  readonly #spec: TableSpec<Row>
  readonly #keys: readonly Key<Row>[]
  readonly #load: () => Base<Row> | Promise<Base<Row>>
  #base: Base<Row> | undefined
  #overlay: Overlay<Row> | undefined
  /** Whether a snapshot or a fork holds the overlay too, so that it must be copied before it changes. */
  #isShared = false
  readonly #shelves: Shelves<Row>
  /** What was derived from the rows, once they differ from the base. */
  readonly #memory = new Memory()

  /** @param load Brings the rows to begin with, when somebody first asks for them. */
  constructor(spec: TableSpec<Row>, load: () => Base<Row> | Promise<Base<Row>>) {
    this.#spec = spec
    this.#keys = Object.entries(spec.keys).map(([name, read], kind) => ({ name, read, kind }))
    this.#load = load
    this.#shelves = new Shelves(spec)
  }

  /** All rows in order: those of the base, then those created here. Frozen. */
  async rows(): Promise<readonly Row[]> {
    return this.#all(this.#base ?? (await this.#open()))
  }

  /** The row that has this value as its first key, or else as its second, and so on. Frozen. */
  async find(key: string): Promise<Row | undefined> {
    return this.#place(this.#base ?? (await this.#open()), key)?.row
  }

  /** The row that has this value as the named key. Frozen. */
  async findBy(name: string, value: string): Promise<Row | undefined> {
    const base = this.#base ?? (await this.#open())
    const key = this.#keys.find((known) => known.name === name)
    return key && this.#at(base, this.#slot(base, key, value))
  }

  /**
   * Something derived from the rows, made once for each version of them, and shared by every sandbox that has not
   * written to this table.
   */
  async memo<Value>(name: string, make: (rows: readonly Row[]) => Value): Promise<Value> {
    const base = this.#base ?? (await this.#open())
    const memory = this.#overlay ? this.#memory : base.memory
    return memory.recall(name, () => make(this.#all(base)))
  }

  /** Throws 400 where the row breaks its schema, 409 where a key is taken. */
  async create(input: Row): Promise<Row> {
    return this.#write(this.#base ?? (await this.#open()), input, undefined)
  }

  /** Throws 404 for an unknown key, 400 where the new row breaks its schema, 409 where a key is taken. */
  async update(key: string, changes: Partial<Row>): Promise<Row> {
    const base = this.#base ?? (await this.#open())
    const before = this.#known(base, key)
    return this.#write(base, { ...before.row, ...changes }, before)
  }

  /** Throws 404 for an unknown key. */
  async delete(key: string): Promise<Row> {
    const base = this.#base ?? (await this.#open())
    const { slot, row } = this.#known(base, key)
    const overlay = this.#own(base)
    for (const { kind, read } of this.#keys) overlay.slots[kind]?.set(read(row), undefined)
    overlay.written.set(slot, null)
    this.#memory.clear()
    return row
  }

  /** The state of this moment, at no cost: it is copied when one of those who hold it writes. */
  snapshot(): TableSnapshot {
    this.#isShared = true
    return { overlay: this.#overlay }
  }

  restore({ overlay }: TableSnapshot): void {
    this.#overlay = overlay as Overlay<Row> | undefined
    this.#isShared = true
    this.#memory.clear()
  }

  async #open(): Promise<Base<Row>> {
    this.#base = await this.#load()
    return this.#base
  }

  async #write(base: Base<Row>, input: Row, before: Placed<Row> | undefined): Promise<Row> {
    const written = await this.#shelves.store(input)
    const { row } = written
    const moved = before ? this.#keys.filter(({ read }) => read(row) !== read(before.row)) : this.#keys
    for (const key of moved) {
      if (this.#slot(base, key, key.read(row)) === undefined) continue
      throw new GatewayError(
        409,
        `${this.#spec.name} already has a record whose ${key.name} is '${key.read(row)}'`,
      )
    }
    const overlay = this.#own(base)
    const slot = before?.slot ?? overlay.next++
    for (const { kind, read } of moved) {
      if (before) overlay.slots[kind]?.set(read(before.row), undefined)
      overlay.slots[kind]?.set(read(row), slot)
    }
    overlay.written.set(slot, written)
    this.#memory.clear()
    return row
  }

  #own(base: Base<Row>): Overlay<Row> {
    if (!this.#overlay) {
      this.#overlay = { written: new Map(), slots: this.#keys.map(() => new Map()), next: base.rows.length }
    } else if (this.#isShared) {
      const { written, slots, next } = this.#overlay
      this.#overlay = { written: new Map(written), slots: slots.map((places) => new Map(places)), next }
    }
    this.#isShared = false
    return this.#overlay
  }

  #all(base: Base<Row>): readonly Row[] {
    const { next } = this.#overlay ?? {}
    if (next === undefined) return base.rows
    return this.#memory.recall('rows', () => {
      const slots = Array.from({ length: next }, (_, slot) => this.#at(base, slot))
      return Object.freeze(slots.filter((row) => row !== undefined))
    })
  }

  #known(base: Base<Row>, key: string): Placed<Row> {
    const placed = this.#place(base, key)
    if (!placed) throw new GatewayError(404, `${this.#spec.name} has no record '${key}'`)
    return placed
  }

  #place(base: Base<Row>, value: string): Placed<Row> | undefined {
    for (const key of this.#keys) {
      const slot = this.#slot(base, key, value)
      const row = this.#at(base, slot)
      if (slot !== undefined && row) return { slot, row }
    }
    return undefined
  }

  #slot(base: Base<Row>, { kind }: Key<Row>, value: string): number | undefined {
    const moved = this.#overlay?.slots[kind]
    return moved?.has(value) ? moved.get(value) : base.slots[kind]?.get(value)
  }

  #at(base: Base<Row>, slot: number | undefined): Row | undefined {
    if (slot === undefined) return undefined
    const written = this.#overlay?.written.get(slot)
    return written === undefined ? base.rows[slot] : written?.row
  }
}
