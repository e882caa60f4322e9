/**
 * All that one client sees: database, rules, journal and clock, apart from every other client's.
 */
import { type Database, toDatabase } from '../database/database.ts'
import type { CallListener } from '../journal/call-listener.ts'
import { Journal } from '../journal/journal.ts'
import type { SandboxUsage } from '../journal/ledger.ts'
import { hash } from '../lib/seed.ts'
import type { Computed } from '../rules/operation-name.ts'
import type { ReplyContext, ReplyFunction } from '../rules/reply-function.ts'
import type { ActiveScenario, Rules, UnusedRule } from '../rules/rules.ts'
import type { RuleInput, ScenarioInput } from '../rules/scenario-input.ts'
import type { BundledScenarioName } from '../rules/scenario-names.ts'
import type { ScenarioPath } from '../rules/scenario-path.ts'
import { isScenarioPath } from '../rules/scenario-path.ts'
import type { ScenarioProgress } from '../rules/scenario-progress.ts'
import type { ScriptProgress } from '../rules/script-progress.ts'
import {
  failScenario,
  type ReplyOptions,
  replyScenario,
  type ScriptOptions,
  scriptScenario,
  textOperations,
} from '../rules/shorthand.ts'
import { weightOf } from '../rules/use.ts'
import type { GatewayOptions, GivenTape } from './options.ts'
import type { SandboxClock } from './sandbox-clock.ts'
import { type SandboxFile, toSandboxFile } from './sandbox-file.ts'
import type { SandboxSetup, SandboxSnapshot } from './sandbox-host.ts'
import { SandboxState, type StateSnapshot } from './sandbox-state.ts'
import { Snapshots } from './snapshots.ts'

/** A function that replies; it gets the sandbox that the request is for, too. */
type SandboxReply<Bodies extends object> = ReplyFunction<ReplyContext & { readonly sandbox: Sandbox<Bodies> }>

/** What a sandbox takes in which nothing has happened, measured. */
const sandboxBytes = 4000

/** @typeParam Bodies Request bodies by operation id, for the types of the journal. */
export class Sandbox<Bodies extends object = Record<string, unknown>> implements Disposable, AsyncDisposable {
  /** Its name. */
  readonly id: string
  /** The bearer of this key sees this sandbox. */
  readonly apiKey: string
  /** Its options, every default in place. */
  readonly options: GatewayOptions
  /** Every call of this sandbox. */
  readonly journal: Journal<Bodies>
  /** Sandbox time: to be read, and to be moved forward. */
  readonly clock: SandboxClock = {
    read: () => this.#state.clock.read(),
    advance: (ms) => this.#state.clock.advance(ms),
  }
  readonly #setup: SandboxSetup
  #state: SandboxState
  #db: Database | undefined
  /** Requests that are being answered, and when the last one was done. */
  #busy = 0
  #usedAt: number
  /** @internal */
  readonly snapshots: Snapshots
  #handleBytes = 0
  #isLetGo = false

  /** @internal */
  constructor(setup: SandboxSetup, from?: StateSnapshot) {
    const { id, options, seedData, host } = setup
    this.#setup = setup
    this.id = id
    this.options = options
    this.apiKey = `us-${id}-${hash(options.seed, 'api key', id)}`
    this.journal = new Journal(options.journal, host.operations, host.held)
    this.#usedAt = host.elapsed()
    this.snapshots = new Snapshots(id, from)
    this.#state = new SandboxState(this, seedData, from)
    if (!from) this.resetScenarios()
    this.weigh()
  }

  /** What everything random in it comes from. */
  get seed(): string | number {
    return this.options.seed
  }

  /** The collections, to arrange a test and to look at what a call has changed. Copies go in and out. */
  get db(): Database {
    this.#db ??= toDatabase(this.#setup.seedData, () => this.#state.database)
    return this.#db
  }

  /** The present state, which a request holds on to from its arrival. @internal */
  get state(): SandboxState {
    return this.#state
  }

  /** @internal */
  get rules(): Rules {
    return this.#state.rules
  }

  /** Milliseconds of elapsed time since the last request was done; 0 while one is under way. */
  get idleMs(): number {
    return this.#busy > 0 ? 0 : this.#setup.host.elapsed() - this.#usedAt
  }

  /** @internal */
  get listeners(): ReadonlySet<CallListener> {
    return this.#setup.host.listeners
  }

  /** Tells the gateway what is held here beside the journal. Throws 503 where more would not find room. @internal */
  weigh(more = 0): void {
    const { held } = this.#setup.host
    if (this.#isLetGo) return
    held.weigh(this, sandboxBytes + this.#handleBytes + this.snapshots.held.bytes + this.#state.weight)
    if (more > 0) held.assertRoom(more)
  }

  /** A caller far away is given a handle, or gives one back. Throws 503 where there is no room for it. @internal */
  holdHandle(bytes: number): void {
    this.#handleBytes += bytes
    this.weigh(bytes)
  }

  /** The gateway lets go of it. @internal */
  letGo(): void {
    this.#state.end()
    this.#isLetGo = true
    this.journal.letGo()
    this.#setup.host.held.weigh(this, 0)
  }

  /** A request begins; until it leaves, the sandbox is in use. @internal */
  enter(): void {
    this.#busy++
  }

  /** @internal */
  leave(): void {
    this.#busy--
    this.#usedAt = this.#setup.host.elapsed()
    this.weigh()
  }

  /**
   * Activates a scenario, before all that are active; single rules with `times` are used up in the order given, before
   * all others. It is a bundled one by name, one of your own, a rule, a tape, or in Node a file of these by its path
   * from the working directory. Throws a `ScenarioError` where it is wrong, and 410 where the sandbox is disposed of.
   *
   * @example using outage = sandbox.use('provider-outage')
   */
  use(scenario: BundledScenarioName | ScenarioPath | ScenarioInput | RuleInput | GivenTape): ActiveScenario
  /** A name or a path that is computed. */
  use<Name extends string>(scenario: Name & Computed<Name>): ActiveScenario
  use(scenario: string | object): ActiveScenario {
    return this.#use(scenario as ScenarioInput)
  }

  #use(scenario: string | ScenarioInput | RuleInput | GivenTape, answer?: ReplyFunction): ActiveScenario {
    const { host } = this.#setup
    host.find(this.id)
    const checked = host.toScenario(scenario)
    const isBundled = typeof scenario === 'string' && !isScenarioPath(scenario)
    const isCounted = !isBundled && checked.rules.length === 1 && checked.rules[0]?.times !== undefined
    const weight = isBundled ? 0 : weightOf(checked)
    this.weigh(weight)
    const active = this.rules.use(checked, { isCounted, answer, among: () => this.rules, weight })
    this.weigh()
    return active
  }

  /**
   * Answers POST /responses, and its other forms that are on, with this text, every time or so many `times`. A function answers in this process only: it
   * gets the request, its conversation and this sandbox, and returns a text or a whole reply, now or later.
   *
   * @example sandbox.reply(({ conversation }) => `You have said ${conversation.items.length} things.`)
   */
  reply(answer: string | SandboxReply<Bodies>, options: ReplyOptions = {}): ActiveScenario {
    const all =
      typeof options === 'object' ? { on: textOperations(this.#setup.host.operations), ...options } : options
    if (typeof answer !== 'function') return this.use(replyScenario(answer, all))
    return this.#use(replyScenario('', all), (context) => answer({ ...context, sandbox: this }))
  }

  /** Refuses every call with this status, every time or so many `times`. */
  fail(status: number, options: Parameters<typeof failScenario>[1] = {}): ActiveScenario {
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
  script(turns: Parameters<typeof scriptScenario>[0], options: ScriptOptions = {}): ActiveScenario {
    return this.use(scriptScenario(turns, { on: textOperations(this.#setup.host.operations), ...options }))
  }

  /** The scripts in use, and how far the conversations that follow them are. */
  scripts(): ScriptProgress[] {
    return this.rules.scripts()
  }

  /** Ends every scenario but those that the sandbox began with. */
  resetScenarios(): void {
    this.rules.clear()
    for (const scenario of this.#setup.host.scenarios) this.rules.use(scenario)
  }

  /** The scenarios in force and how often their rules have happened, newest first. */
  activeScenarios(): ScenarioProgress[] {
    return this.rules.active()
  }

  /**
   * What the calls of this sandbox have used, in sum and by model: requests, tokens, and what they cost by the prices of
   * the collection `models`. A call counts when its reply is made.
   */
  usage(): SandboxUsage {
    return this.#state.ledger.read()
  }

  /** The rules in force that have not happened once. */
  unusedRules(): UnusedRule[] {
    return this.rules.unused()
  }

  /**
   * The whole sandbox as data, for a file that the console opens, or `gateway.openSandbox()`: rows that differ from the
   * seed, scenarios with their progress, clock and counters, and the journal, secrets hidden.
   *
   * @param options.calls Whether the journal goes along. Default: true.
   */
  save({ calls = true }: { calls?: boolean } = {}): SandboxFile {
    return toSandboxFile(this as never, calls)
  }

  /**
   * The present state, to go back to. Costs nothing until somebody writes; from then on its rows count as held until
   * you let go of it. Throws 503 where there is no room for it.
   */
  snapshot(): SandboxSnapshot {
    this.weigh(this.snapshots.weightOf(this.#state))
    return this.snapshots.take(this.#state)
  }

  /**
   * Goes back to a snapshot of this sandbox; the same one as often as needed. Throws 409 for another sandbox's.
   * Requests that are under way get their answers, and change nothing from then on; those that a fault keeps waiting
   * lose their connection.
   */
  restore(snapshot: SandboxSnapshot): void {
    const state = this.snapshots.find(snapshot)
    this.#state.end()
    this.#state = new SandboxState(this, this.#setup.seedData, state)
    this.weigh()
  }

  /**
   * Another sandbox that begins where this one is now; what either does from then on is its own.
   *
   * @param id Its name. Default: the gateway gives one.
   */
  fork(id?: string): Sandbox<Bodies> {
    return this.#setup.host.toFork(this.#setup, this.#state.snapshot(), id) as Sandbox<Bodies>
  }

  /**
   * Goes back to the seed: data, scenarios, journal, clock and counters. Requests that are under way get their answers,
   * and change nothing from then on; those that a fault keeps waiting lose their connection.
   */
  reset(): void {
    this.#state.end()
    this.#state = new SandboxState(this, this.#setup.seedData)
    this.resetScenarios()
    this.journal.clear()
    this.weigh()
  }

  /** Ends the sandbox: its key and path are answered with 410 from now on. */
  dispose(): void {
    this.#setup.host.dispose(this.id)
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.dispose()
  }
}
