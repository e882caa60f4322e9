/**
 * All that one client sees: database, rules, journal and clock, apart from every other client's.
 */

import { type Database, toDatabase } from '../database/database.ts'
import { type DatabaseSnapshot, DatabaseState, type Tables } from '../database/database-state.ts'
import type { SeedData } from '../database/seed-data.ts'
import { GatewayError } from '../http/errors.ts'
import { Journal } from '../journal/journal.ts'
import { Clock, type ClockReading, type ClockSnapshot } from '../lib/clock.ts'
import { hash } from '../lib/seed.ts'
import type { KnownOperation } from '../rules/check-scenario.ts'
import { type ActiveScenario, Rules, type RulesSnapshot, type UnusedRule } from '../rules/rules.ts'
import type { RuleInput, Scenario, ScenarioInput } from '../rules/scenario.ts'
import { isScenarioPath } from '../rules/scenario-path.ts'
import { failScenario, replyScenario } from '../rules/shorthand.ts'
import { Occurrences } from './occurrences.ts'
import type { GatewayOptions } from './options.ts'

/** What a sandbox is made of. */
export interface SandboxSetup {
  readonly id: string
  readonly options: GatewayOptions
  readonly seedData: SeedData
  readonly host: SandboxHost
}

/** What all sandboxes of a gateway have in common. */
export interface SandboxHost {
  /** For the journal, which says what a path was perhaps meant for. */
  readonly operations: readonly KnownOperation[]
  /** The scenarios that are in force from the start. */
  readonly scenarios: readonly Scenario[]
  /** Checks what a person calls a scenario, or finds the bundled one of that name. Throws one clear line. */
  toScenario(input: string | object): Scenario
  /** Makes a sandbox of the same options and seed data, which begins at a moment of this one. @internal */
  toFork(setup: SandboxSetup, from: Moment, id?: string): Sandbox
  /** Milliseconds of elapsed time by which sandboxes grow idle; no sandbox turns it back. */
  elapsed(): number
  dispose(id: string): void
  /** Throws 410 where no sandbox of this id lives, or none any more. */
  find(id: string): unknown
}

/** A moment to go back to. Opaque, so that it travels: whoever took it keeps the moment, the others its id. */
export interface SandboxSnapshot {
  readonly id: string
}

/**
 * Database, rules, clock and counters. The journal is a record, and is not wound back.
 *
 * @internal
 */
export interface Moment {
  readonly database: DatabaseSnapshot
  readonly rules: RulesSnapshot
  readonly clock: ClockSnapshot
  readonly occurrences: Occurrences
}

/** What snapshots stand for, and whose they are. Held by nobody else, so that it goes with its snapshot. */
const moments = new WeakMap<SandboxSnapshot, { readonly of: Sandbox<object>; readonly moment: Moment }>()

/** The part of a clock that a test may touch. */
export interface SandboxClock {
  read(): ClockReading
  advance(ms: number): ClockReading
}

/** @typeParam Bodies Request bodies by operation id, for the types of the journal. */
export class Sandbox<Bodies extends object = Record<string, unknown>> implements AsyncDisposable {
  readonly id: string
  /** The bearer of this key sees this sandbox. */
  readonly apiKey: string
  readonly options: GatewayOptions
  readonly journal: Journal<Bodies>
  readonly clock: Clock
  /** @internal */
  readonly rules: Rules
  /** @internal */
  occurrences = new Occurrences()
  readonly #setup: SandboxSetup
  #database: DatabaseState
  #db: Database | undefined
  /** Requests that are being answered, and when the last one was done. */
  #busy = 0
  #usedAt: number
  #snapshots = 0

  /** @internal */
  constructor(setup: SandboxSetup, from?: Moment) {
    const { id, options, seedData, host } = setup
    this.#setup = setup
    this.id = id
    this.options = options
    this.apiKey = `us-${id}-${hash(options.seed, 'api key', id)}`
    this.journal = new Journal(options.journal, host.operations)
    this.clock = new Clock(options)
    this.rules = new Rules({ seed: options.seed, clock: this.clock })
    this.#database = new DatabaseState(seedData, from?.database)
    this.#usedAt = host.elapsed()
    if (from) this.#return(from)
    else this.resetScenarios()
  }

  get seed(): string | number {
    return this.options.seed
  }

  /** The collections, to arrange a test and to look at what a call has changed. Copies go in and out. */
  get db(): Database {
    this.#db ??= toDatabase(
      this.#setup.seedData.collections.map(({ name }) => name),
      () => this.#database,
    )
    return this.#db
  }

  /** The collections as operations read them: frozen rows. @internal */
  get tables(): Tables {
    return this.#database.tables
  }

  /** Milliseconds of elapsed time since the last request was done; 0 while one is under way. */
  get idleMs(): number {
    return this.#busy > 0 ? 0 : this.#setup.host.elapsed() - this.#usedAt
  }

  /** A request begins; until it leaves, the sandbox is in use. @internal */
  enter(): void {
    this.#busy++
  }

  /** @internal */
  leave(): void {
    this.#busy--
    this.#usedAt = this.#setup.host.elapsed()
  }

  /** Does some work alone: no other write of this sandbox runs meanwhile. @internal */
  write<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    return this.#database.write(work)
  }

  /**
   * Activates a scenario, before all that are active: a bundled one by name, one of your own, a single rule, or in
   * Node a `.yaml` or `.json` file of either by its path, relative to the working directory.
   * Single rules with `times` are the exception: they are used up in the order given, before all others.
   *
   * Throws a `ScenarioError` for a scenario that is wrong, and 410 for a sandbox that is disposed of.
   *
   * @example using outage = sandbox.use('provider-outage')
   */
  use(scenario: string | ScenarioInput | RuleInput): ActiveScenario {
    const { host } = this.#setup
    host.find(this.id)
    const checked = host.toScenario(scenario)
    const isBundled = typeof scenario === 'string' && !isScenarioPath(scenario)
    const isCounted = !isBundled && checked.rules.length === 1 && checked.rules[0]?.times !== undefined
    return this.rules.use(checked, { isCounted })
  }

  /** Answers POST /responses with this text, every time or so many `times`. */
  reply(text: string, options: Parameters<typeof replyScenario>[1] = {}): ActiveScenario {
    return this.use(replyScenario(text, options))
  }

  /** Refuses every call with this status, every time or so many `times`. */
  fail(status: number, options: Parameters<typeof failScenario>[1] = {}): ActiveScenario {
    return this.use(failScenario(status, options))
  }

  /** Ends every scenario but those that the sandbox began with. */
  resetScenarios(): void {
    this.rules.clear()
    for (const scenario of this.#setup.host.scenarios) this.rules.use(scenario)
  }

  /** The rules in force that have not happened once. */
  unusedRules(): UnusedRule[] {
    return this.rules.unused()
  }

  /** This moment, to go back to. Costs nothing until somebody writes. */
  snapshot(): SandboxSnapshot {
    const snapshot = { id: `${this.id}-${++this.#snapshots}` }
    moments.set(snapshot, { of: this, moment: this.#moment() })
    return snapshot
  }

  /** Goes back to a moment of this sandbox; the same one as often as needed. Throws 409 for another sandbox's. */
  restore(snapshot: SandboxSnapshot): void {
    const kept = moments.get(snapshot)
    if (kept?.of !== this)
      throw new GatewayError(409, `Sandbox '${this.id}' has no snapshot '${snapshot.id}'`)
    this.#database = new DatabaseState(this.#setup.seedData, kept.moment.database)
    this.#return(kept.moment)
  }

  /**
   * Another sandbox that begins where this one is now; what either does from then on is its own.
   *
   * @param id Its name. Default: the gateway gives one.
   */
  fork(id?: string): Sandbox<Bodies> {
    return this.#setup.host.toFork(this.#setup, this.#moment(), id) as Sandbox<Bodies>
  }

  /** Goes back to the seed: data, scenarios, journal, clock and counters. */
  reset(): void {
    this.#database = new DatabaseState(this.#setup.seedData)
    this.journal.clear()
    this.clock.reset()
    this.occurrences = new Occurrences()
    this.resetScenarios()
  }

  /** Ends the sandbox: its key and path are answered with 410 from now on. */
  dispose(): void {
    this.#setup.host.dispose(this.id)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.dispose()
  }

  #moment(): Moment {
    return {
      database: this.#database.snapshot(),
      rules: this.rules.snapshot(),
      clock: this.clock.snapshot(),
      occurrences: this.occurrences.fork(),
    }
  }

  #return({ rules, clock, occurrences }: Moment): void {
    this.rules.restore(rules)
    this.clock.restore(clock)
    this.occurrences = occurrences.fork()
  }
}
