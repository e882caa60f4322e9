/**
 * A sandbox's mutable state: rows, rules, clock and counters. A reset or restore replaces it as a whole.
 *
 * A request uses the state that was current on its arrival. If that state is replaced in the meantime, the
 * request still gets its reply, but its changes are lost and the journal does not record it.
 */
import { type Database, DatabaseState, type Tables, toDatabase } from '../database/database.ts'
import type { SeedData } from '../database/seed-data.ts'
import type { CallState } from '../journal/call-record.ts'
import type { Journal } from '../journal/journal.ts'
import { Ledger } from '../journal/ledger.ts'
import { Clock } from '../lib/clock.ts'
import { RecentMap } from '../lib/recent-map.ts'
import { Rules } from '../scenarios/rules.ts'
import type { GatewayOptions } from './options.ts'
import { StoredResponses } from './stored-responses.ts'

export type StateOwner = CallState['owner'] &
  Readonly<{ id: string; options: GatewayOptions; journal: Journal }>

export type StateSnapshot = ReturnType<SandboxState['snapshot']>

export class SandboxState implements CallState {
  readonly owner: StateOwner
  readonly options: GatewayOptions
  readonly seed: string | number
  readonly id: string
  readonly journal: Journal
  readonly database: DatabaseState
  readonly clock: Clock
  readonly rules: Rules
  readonly ledger: Ledger
  /** Counts of earlier requests, and other numbers that extras store by key. */
  readonly memory: RecentMap<number>
  readonly storedResponses: StoredResponses
  readonly #held = new Set<() => void>()
  #hasEnded = false

  /** @param from State to start from. Default: the seed, without scenarios. */
  constructor(owner: StateOwner, seedData: SeedData, from?: StateSnapshot) {
    const { id, options, journal } = owner
    const { seed } = options
    this.owner = owner
    this.options = options
    this.seed = seed
    this.id = id
    this.journal = journal
    this.database = new DatabaseState(seedData, from?.database)
    this.clock = new Clock(options)
    this.ledger = from?.ledger.copy() ?? new Ledger()
    this.memory = from?.memory.copy() ?? new RecentMap(100_000)
    this.storedResponses = from?.storedResponses.copy() ?? new StoredResponses()
    this.rules = new Rules({ seed, clock: this.clock }, from?.rules)
    if (from) this.clock.restore(from.clock)
  }

  get tables(): Tables {
    return this.database.tables
  }

  get db(): Database {
    return toDatabase(this.database.seedData, () => this.database)
  }

  get isCurrent(): boolean {
    return !this.#hasEnded
  }

  count(key: string): number {
    const before = this.memory.get(key) ?? 0
    this.memory.set(key, before + 1)
    return before
  }

  hold(end: () => void): () => void {
    if (this.#hasEnded) queueMicrotask(end)
    else this.#held.add(end)
    return () => this.#held.delete(end)
  }

  /** Closes connections that faults hold open, and opens gates. Called when the state is replaced or the sandbox disposed. */
  end(): void {
    this.#hasEnded = true
    for (const end of this.#held) end()
    this.#held.clear()
    this.rules.openGates()
  }

  snapshot() {
    return {
      database: this.database.snapshot(),
      rules: this.rules.snapshot(),
      clock: this.clock.snapshot(),
      ledger: this.ledger.copy(),
      memory: this.memory.copy(),
      storedResponses: this.storedResponses.copy(),
    }
  }
}
