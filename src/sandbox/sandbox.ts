/**
 * All that one client sees: database, rules, journal and clock, apart from every other client's.
 */
import { type Database, toDatabase } from '../database/database.ts'
import type { SeedData } from '../database/seed-data.ts'
import { GatewayError } from '../http/errors.ts'
import type { CallListener } from '../journal/call-record.ts'
import { Journal, type JournalStore } from '../journal/journal.ts'
import type { SandboxUsage } from '../journal/ledger.ts'
import { atCaller, methodsAtCaller } from '../lib/at-caller.ts'
import { hash } from '../lib/seed.ts'
import type { KnownOperation } from '../scenarios/check-scenario.ts'
import type { ActiveScenario, Rules, UnusedRule } from '../scenarios/rules.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import type { TurnInput } from '../scenarios/script.ts'
import type { ReplyContext, ReplyFunction, ScriptedReplyInput } from '../scenarios/scripted-reply.ts'
import {
  type FailOptions,
  failScenario,
  type ReplyOptions,
  replyScenario,
  type ScriptOptions,
  scriptScenario,
} from '../scenarios/shorthand.ts'
import type { ScenarioProgress, ScriptProgress } from '../scenarios/use.ts'
import type { SandboxClock, SandboxSnapshot } from './new-sandbox.ts'
import type { GatewayOptions } from './options.ts'
import type { ScenarioOrRule } from './options-input.ts'
import { type SandboxFile, toSandboxFile } from './sandbox-file.ts'
import { SandboxState, type StateOwner, type StateSnapshot } from './sandbox-state.ts'

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
  /** Keeps the calls of all sandboxes. */
  readonly store: JournalStore
  /** Observe all calls. */
  readonly listeners: ReadonlySet<CallListener>
  /** The scenarios that are in force from the start. */
  readonly scenarios: readonly Scenario[]
  /** Checks what a person calls a scenario, or finds the bundled one of that name. Throws one clear line. */
  checkScenario(input: unknown): Scenario
  /** Makes a sandbox of the same options and seed data, which begins as this one is now. @internal */
  toFork(setup: SandboxSetup, from: StateSnapshot, id?: string): Sandbox
  /** Milliseconds of elapsed time by which sandboxes grow idle; no sandbox turns it back. */
  elapsed(): number
  dispose(sandbox: Sandbox): void
  /** Throws if the gateway has neither a server nor an interception. */
  baseUrlOf(id: string): string
  /** Runs some work, and all that it starts, in a sandbox. Throws for anything but a live sandbox of this gateway. */
  run<Result>(sandbox: Sandbox, work: () => Result): Result
  /** Throws 410 for a sandbox that was disposed or has expired, and for a default sandbox that the options leave out. */
  assertLive(sandbox: Sandbox): void
}

/** A function that replies; it gets the sandbox that the request is for, too. */
type SandboxReply<Bodies extends object> = ReplyFunction<ReplyContext & { readonly sandbox: Sandbox<Bodies> }>

/** @typeParam Bodies Request bodies by operation id, for the types of the journal. */
export class Sandbox<Bodies extends object = Record<string, unknown>> implements Disposable, AsyncDisposable {
  /** Name of the sandbox, such as `s1`. */
  readonly id: string
  /** Requests with this bearer key use this sandbox. */
  readonly apiKey: string
  /** Options with all defaults. */
  readonly options: GatewayOptions
  /** Sandbox time, to read and to advance. */
  readonly clock: SandboxClock = {
    read: () => this.#live.clock.read(),
    advance: (duration) => atCaller(this.clock.advance, () => this.#live.clock.advance(duration)),
  }
  readonly #setup: SandboxSetup
  readonly #journal: Journal<Bodies>
  readonly #snapshots: Snapshots
  readonly #owner: StateOwner
  #state: SandboxState
  #db: Database | undefined
  #inFlight = 0
  #usedAt: number
  #ended: string | undefined

  static {
    methodsAtCaller(Sandbox)
  }

  /** @internal */
  constructor(setup: SandboxSetup, from?: StateSnapshot) {
    const { id, options, host } = setup
    this.#setup = setup
    this.id = id
    this.options = options
    this.apiKey = `us-${id}-${hash(options.seed, 'api key', id)}`
    this.#journal = new Journal(host.store, host.operations)
    this.#snapshots = new Snapshots(id)
    this.#usedAt = host.elapsed()
    this.#owner = {
      id,
      options,
      journal: this.#journal as Journal,
      listeners: host.listeners,
      enter: () => {
        this.#inFlight++
      },
      leave: () => {
        this.#inFlight--
        this.#usedAt = host.elapsed()
      },
    }
    this.#state = new SandboxState(this.#owner, setup.seedData, from)
    if (!from) this.#begin()
  }

  /** The current state. Throws 410 if the sandbox was disposed or has expired. */
  get #live(): SandboxState {
    this.#setup.host.assertLive(this as Sandbox)
    return this.#state
  }

  /** Activates the scenarios that every sandbox begins with. */
  #begin(): void {
    for (const scenario of this.#setup.host.scenarios) this.#state.rules.use(scenario)
  }

  /**
   * Base URL of this sandbox, ending in `/api/v1`: requests below it see this sandbox, whatever their key. With two
   * servers, that of the first. Throws if the gateway has neither a server nor an interception.
   */
  get baseUrl(): string {
    return this.#setup.host.baseUrlOf(this.id)
  }

  /** Seed of all generated data. */
  get seed(): string | number {
    return this.options.seed
  }

  /** The collections, to arrange a test and to see what requests have changed. */
  get db(): Database {
    const { seedData } = this.#setup
    this.#db ??= toDatabase(seedData, () => this.#live.database)
    return this.#db
  }

  /** All calls of this sandbox. */
  get journal(): Journal<Bodies> {
    void this.#live
    return this.#journal
  }

  /** The current state, which a request keeps from its arrival. @internal */
  get state(): SandboxState {
    return this.#state
  }

  /** @internal */
  get rules(): Rules {
    return this.#state.rules
  }

  /** Number of requests in flight. @internal */
  get inFlight(): number {
    return this.#inFlight
  }

  /** Milliseconds of elapsed time since the last request completed; 0 while one is in flight. @internal */
  get idleMs(): number {
    return this.#inFlight > 0 ? 0 : this.#setup.host.elapsed() - this.#usedAt
  }

  /** Keeps the sandbox in use while some work runs. @internal */
  async busy<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    this.#owner.enter()
    try {
      return await work()
    } finally {
      this.#owner.leave()
    }
  }

  /** @internal */
  isOf(host: SandboxHost): boolean {
    return this.#setup.host === host
  }

  /** How it ended, as in `was disposed`; undefined while it is live. @internal */
  get ended(): string | undefined {
    return this.#ended
  }

  /** The gateway removes it. @internal */
  end(how: string): void {
    this.#ended = how
    this.#state.end()
    this.#journal.end()
  }

  /**
   * Activates scenarios, rules or recordings, in the order given: each is a value, the name of a bundled scenario, or in
   * Node the path of a file. Finite rules, those with times, turns or steps left, apply first, in the order in which they
   * were added; then endless ones, newest first. Throws a `ScenarioError` with every problem, and then activates none.
   *
   * @example using outage = sandbox.use('provider-outage')
   */
  use(...scenarios: ScenarioOrRule[]): ActiveScenario {
    const { rules } = this.#live
    if (scenarios.length === 0) throw new TypeError('use() takes scenarios or rules, and got none')
    const checked = scenarios.map((scenario) => this.#setup.host.checkScenario(scenario))
    const active = checked.map((scenario) => rules.use(scenario, { among: () => this.rules }))
    return {
      id: active.map(({ id }) => id).join(', '),
      name: active.map(({ name }) => name).join(', '),
      [Symbol.dispose]: () => {
        for (const each of active) each[Symbol.dispose]()
      },
    }
  }

  /**
   * Replies with this text, or whole reply, to every operation that answers with text, always or up to `times`. A
   * function works in this process only: it gets the request, its conversation and this sandbox, and returns either, now
   * or later.
   *
   * @example sandbox.reply(({ conversation }) => `You have said ${conversation.items.length} things.`)
   */
  reply(
    answer: string | ScriptedReplyInput | SandboxReply<Bodies>,
    options: ReplyOptions = {},
  ): ActiveScenario {
    if (typeof answer !== 'function') return this.use(replyScenario(answer, options))
    return this.#live.rules.use(this.#setup.host.checkScenario(replyScenario('', options)), {
      answer: (context) => answer({ ...context, sandbox: this }),
      among: () => this.rules,
    })
  }

  /** Refuses every call with this status, every time or so many `times`. */
  fail(status: number, options: FailOptions = {}): ActiveScenario {
    return this.use(failScenario(status, options))
  }

  /**
   * Answers one conversation turn by turn, checks what comes back, and refuses with 400 what does not fit.
   *
   * @example
   * sandbox.script([
   *   { expect: { tools: ['search'] }, call: { search: { q: 'tides' } } },
   *   { expect: { result: { search: 'high at six' } }, text: 'High tide is at six.' },
   * ])
   */
  script(turns: TurnInput[], options: ScriptOptions = {}): ActiveScenario {
    return this.use(scriptScenario(turns, options))
  }

  /** The scripts in use, and how far the conversations that follow them are. */
  scripts(): ScriptProgress[] {
    return this.#live.rules.scripts()
  }

  /** Ends every scenario but those that the sandbox began with. */
  resetScenarios(): void {
    this.#live.rules.clear()
    this.#begin()
  }

  /** The scenarios in force and how often their rules have happened, newest first. */
  activeScenarios(): ScenarioProgress[] {
    return this.#live.rules.active()
  }

  /**
   * What the calls of this sandbox have used, in sum and by model: requests, tokens, and what they cost by the prices of
   * the collection `models`. A call counts when its reply is made.
   */
  usage(): SandboxUsage {
    return this.#live.ledger.read()
  }

  /** The rules in force that have not happened once. */
  unusedRules(): UnusedRule[] {
    return this.#live.rules.unused()
  }

  /**
   * The whole sandbox as data, for a file that the console opens, or `gateway.openSandbox()`: rows that differ from the
   * seed, scenarios with their progress, clock and counters, and the journal, secrets hidden.
   *
   * @param options.calls Whether the journal goes along. Default: true.
   */
  save({ calls = true }: { calls?: boolean } = {}): SandboxFile {
    void this.#live
    return toSandboxFile(this, calls)
  }

  /**
   * Takes a snapshot of the current state, for `restore()`. Costs nothing until the next write.
   */
  snapshot(): SandboxSnapshot {
    return this.#snapshots.add(this.#live.snapshot())
  }

  /**
   * Goes back to a snapshot of this sandbox; the same one as often as needed. Throws 409 for another sandbox's.
   * Requests that are under way get their answers, and change nothing from then on; those that a fault keeps waiting
   * lose their connection.
   */
  restore(snapshot: SandboxSnapshot): void {
    const { seedData } = this.#setup
    const live = this.#live
    const state = this.#snapshots.find(snapshot)
    live.end()
    this.#state = new SandboxState(this.#owner, seedData, state)
  }

  /**
   * Another sandbox that begins where this one is now; what either does from then on is its own.
   *
   * @param id Its name. Default: the gateway gives one.
   */
  fork(id?: string): Sandbox<Bodies> {
    return this.#setup.host.toFork(this.#setup, this.#live.snapshot(), id) as Sandbox<Bodies>
  }

  /**
   * Goes back to the seed: data, scenarios, journal, clock and counters. Requests that are under way get their answers,
   * and change nothing from then on; those that a fault keeps waiting lose their connection.
   */
  reset(): void {
    this.#live.end()
    this.#state = new SandboxState(this.#owner, this.#setup.seedData)
    this.#begin()
    this.#journal.clear()
  }

  /**
   * Runs some work in this sandbox: a call that its code makes in this process reaches the sandbox, whatever its key. The
   * key or the path of another sandbox still wins. Throws where the platform has no `AsyncLocalStorage`, as in a browser.
   *
   * @example await sandbox.run(() => ask('Hello?'))
   */
  run<Result>(work: () => Result): Result {
    return this.#setup.host.run(this as Sandbox, work)
  }

  /** Ends the sandbox: from now on, requests to it and calls of its methods get a 410. */
  dispose(): void {
    this.#setup.host.dispose(this as Sandbox)
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.dispose()
  }
}

/** The snapshots of one sandbox. They last as long as their handles are in use. */
class Snapshots {
  readonly #sandbox: string
  readonly #states = new WeakMap<SandboxSnapshot, StateSnapshot>()
  #taken = 0

  constructor(sandbox: string) {
    this.#sandbox = sandbox
  }

  add(state: StateSnapshot): SandboxSnapshot {
    const snapshot = { id: `${this.#sandbox}-${++this.#taken}` }
    this.#states.set(snapshot, state)
    return snapshot
  }

  /** Throws 409 for a snapshot of another sandbox. */
  find(snapshot: SandboxSnapshot): StateSnapshot {
    const state = this.#states.get(snapshot)
    if (state) return state
    throw new GatewayError(409, `Sandbox '${this.#sandbox}' has no snapshot '${snapshot?.id}'`)
  }
}
