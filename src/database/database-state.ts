/**
 * The tables of a sandbox in one of its states: a reset or a restore makes another. Writes happen one at a time.
 */
import type { CollectionName } from '../resources/collections.ts'
import type { Rows } from '../resources/rows.ts'
import { OwnRows, type TableDifference } from './own-rows.ts'
import type { SeedData } from './seed-data.ts'
import { Table } from './table.ts'

/** The tables by the names of their collections. */
export type Tables = { readonly [Name in CollectionName]: Table<Rows[Name]> }

/** The own rows of each table that was written to, as they were at one moment. */
export type DatabaseSnapshot = ReadonlyMap<string, OwnRows<object>>

const nothingWritten: DatabaseSnapshot = new Map()

export class DatabaseState {
  readonly seedData: SeedData
  /** Estimated bytes of all own rows; nothing but a write changes them. */
  weight: number
  readonly #begin: DatabaseSnapshot
  readonly #admit: () => void
  readonly #leave: (rows: OwnRows<object>) => void
  #tables: Record<string, Table<object>> | undefined
  #turn: Promise<unknown> = Promise.resolve()

  /**
   * @param admit Is asked before each write, and throws where there is no room for more.
   * @param leave Is told of own rows that only snapshots and forks hold from now on.
   */
  constructor(
    seedData: SeedData,
    begin: DatabaseSnapshot = nothingWritten,
    admit = () => {},
    leave: (rows: OwnRows<object>) => void = () => {},
  ) {
    this.#leave = leave
    this.seedData = seedData
    this.#begin = begin
    this.#admit = admit
    this.weight = weightOf(begin.values())
  }

  /** Frozen rows, for the operations. */
  get tables(): Tables {
    this.#tables ??= Object.fromEntries(
      this.seedData.collections.map((declaration) => {
        const { name } = declaration
        return [name, new Table(declaration, this.seedData, this.#begin.get(name), this.#leave)]
      }),
    )
    // Which rows a table has, the declaration of its collection says.
    return this.#tables as object as Tables
  }

  /** Does some work when all work before it is done, well or not. */
  write<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    const admitted = () => {
      this.#admit()
      return work()
    }
    const done = () => {
      if (this.#tables) this.weight = weightOf(Object.values(this.#tables))
    }
    const result = this.#turn.then(admitted)
    this.#turn = result.then(done, done)
    return result
  }

  /** How each table differs from the seed, where it does. */
  differences(): { collection: string; difference: TableDifference }[] {
    return Object.entries(this.tables as unknown as Record<string, Table<object>>).flatMap(
      ([collection, table]) => {
        const difference = table.difference()
        return difference ? { collection, difference } : []
      },
    )
  }

  /** A state that differs from the seed so. Throws 400 or 409 where it cannot. */
  static async snapshotOf(
    seedData: SeedData,
    differences: Readonly<Record<string, TableDifference>>,
  ): Promise<DatabaseSnapshot> {
    const snapshot = new Map<string, OwnRows<object>>()
    for (const declaration of seedData.collections) {
      const difference = differences[declaration.name]
      if (!difference) continue
      const seed = await seedData.rows(declaration.name)
      snapshot.set(declaration.name, await OwnRows.from(declaration as never, seed as never, difference))
    }
    return snapshot
  }

  /** The state of this moment; costs nothing until somebody writes. */
  snapshot(): DatabaseSnapshot {
    if (!this.#tables) return this.#begin
    const snapshot = new Map<string, OwnRows<object>>()
    for (const [name, table] of Object.entries(this.#tables)) {
      const own = table.snapshot()
      if (own) snapshot.set(name, own)
    }
    return snapshot
  }
}

function weightOf(own: Iterable<{ readonly weight: number }>): number {
  let sum = 0
  for (const { weight } of own) sum += weight
  return sum
}
