/** A sandbox: database, rules, journal and clock, isolated from all other sandboxes. */
import { type Database, toDatabase } from '../database/database.ts'
import type { SeedData } from '../database/seed-data.ts'
import { GatewayError } from '../http/errors.ts'
import { Journal } from '../journal/journal.ts'
import type { SandboxUsage } from '../journal/ledger.ts'
import { inCall, nameCalls } from '../lib/call-names.ts'
import { refuseGuesses } from '../lib/guessed-names.ts'
import type { Duration } from '../lib/numbers.ts'
import { shown } from '../lib/schema-messages.ts'
import { hash } from '../lib/seed.ts'
import type { ScenarioProgress, ScriptProgress, UnusedRule } from '../scenarios/activation.ts'
import type { Gate, HoldOptions } from '../scenarios/gate.ts'
import type { ActiveScenario, Rules } from '../scenarios/rules.ts'
import type { Rule } from '../scenarios/scenario.ts'
import type { Turn } from '../scenarios/script.ts'
import type { ReplyContext, ReplyFunction, ScriptedReply } from '../scenarios/scripted-reply.ts'
import {
  assertScenarios,
  type FailOptions,
  failScenario,
  gateScenario,
  type HeldRequests,
  type ReplyOptions,
  replyScenario,
  type ScriptOptions,
  scriptScenario,
} from '../scenarios/shorthand.ts'
import type { GatewayOptions } from './options.ts'
import type { SandboxClock, SandboxSnapshot, ScenarioOrRule } from './sandbox-options.ts'
import { SandboxState, type StateOwner, type StateSnapshot } from './sandbox-state.ts'
import type { Sandboxes } from './sandboxes.ts'
import { type SdkEnvironment, sdkEnvironment } from './sdk-environment.ts'

export interface SandboxSetup {
  readonly id: string
  /** Default: none. */
  readonly name?: string | undefined
  readonly options: GatewayOptions
  readonly seedData: SeedData
  readonly host: Sandboxes
}

type SandboxReply<RequestBodies extends object> = ReplyFunction<
  ReplyContext & { readonly sandbox: Sandbox<RequestBodies> }
>

const guessedClock = refuseGuesses({}, 'clock')

/** @typeParam RequestBodies Request bodies by operation id, for the journal's types. */
export class Sandbox<RequestBodies extends object = Record<string, unknown>>
  implements Disposable, AsyncDisposable
{
  /** Sandbox id, such as `s1`. */
  readonly id: string
  /** Name that the console and reports show next to the id. */
  readonly name: string | undefined
  /** API key that routes requests to this sandbox. */
  readonly apiKey: string
  /** Options, including defaults. */
  readonly options: GatewayOptions
  /** Clock of this sandbox, to read or advance its time. */
  readonly clock: SandboxClock = Object.assign(Object.create(guessedClock), {
    read: () => this.#live.clock.read(),
    advance: (duration: Duration) => inCall('clock.advance()', () => this.#live.clock.advance(duration)),
  })
  readonly #setup: SandboxSetup
  readonly #journal: Journal<RequestBodies>
  /** A snapshot can be garbage-collected once its handle is unreachable. */
  readonly #snapshots = new WeakMap<SandboxSnapshot, StateSnapshot>()
  #snapshotCount = 0
  readonly #owner: StateOwner
  #state: SandboxState
  #db: Database | undefined
  /** Number of calls in progress. @internal */
  inFlight = 0
  #usedAt: number
  /** Reason why the sandbox no longer exists, such as `was disposed`; undefined while it is live. @internal */
  ended: string | undefined

  static {
    const setUp = ['use', 'reply', 'fail', 'script', 'hold', 'resetScenarios', 'restore', 'reset'] as const
    const inspect = ['scripts', 'activeScenarios', 'usage', 'unusedRules', 'snapshot'] as const
    nameCalls(Sandbox, [...setUp, ...inspect, 'fork', 'dispose'])
    refuseGuesses(Sandbox.prototype, 'sandbox')
  }

  /** @internal */
  constructor(setup: SandboxSetup, from?: StateSnapshot) {
    const { id, name, options, host } = setup
    this.#setup = setup
    this.id = id
    this.name = name
    this.options = options
    this.apiKey = `us-${id}-${hash(options.seed, 'api key', id)}`
    const shared = id === 'default' ? undefined : host.default.state.journal
    this.#journal = new Journal(host.store, host.setup.operations, shared)
    this.#usedAt = host.clock.elapsed()
    this.#owner = {
      id,
      name,
      options,
      journal: this.#journal as Journal,
      listeners: host.listeners,
      enter: () => {
        this.inFlight++
      },
      leave: () => {
        this.inFlight--
        this.#usedAt = host.clock.elapsed()
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

  #begin(): void {
    for (const scenario of this.#setup.host.scenarios) this.#state.rules.use(scenario)
  }

  /**
   * Base URL of this sandbox, such as `http://127.0.0.1:4141/sandboxes/s1/api/v1`. Requests under it use this sandbox,
   * regardless of their key. If the gateway has several servers, this is the first one's URL. Throws if the gateway has
   * neither a server nor an interception.
   */
  get baseUrl(): string {
    return this.#setup.host.baseUrlOf(this.id)
  }

  /**
   * Returns base URLs and API keys for SDKs that read them from the environment, such as `OPENAI_BASE_URL`.
   * Other processes can use them only if the gateway has a server, not if it only intercepts requests. Throws
   * if the gateway has neither a server nor an interception.
   *
   * @example spawn('node', ['app.mjs'], { env: { ...process.env, ...sandbox.env() } })
   */
  env(): SdkEnvironment {
    return sdkEnvironment(this)
  }

  /** Seed for all generated data. */
  get seed(): string | number {
    return this.options.seed
  }

  /** Collections of this sandbox, to set up data and assert on changes. */
  get db(): Database {
    const { seedData } = this.#setup
    this.#db ??= toDatabase(seedData, () => this.#live.database)
    return this.#db
  }

  /** Calls received by this sandbox. */
  get journal(): Journal<RequestBodies> {
    void this.#live
    return this.#journal
  }

  /** The current state, which requests capture on arrival. @internal */
  get state(): SandboxState {
    return this.#state
  }

  /** @internal */
  get rules(): Rules {
    return this.#state.rules
  }

  /** Milliseconds since the last request completed; 0 while a request is in flight. @internal */
  get idleMs(): number {
    return this.inFlight > 0 ? 0 : this.#setup.host.clock.elapsed() - this.#usedAt
  }

  /** Marks the sandbox as in use while a function runs. @internal */
  async busy<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    this.#owner.enter()
    try {
      return await work()
    } finally {
      this.#owner.leave()
    }
  }

  /** Returns false for a proxy, which has no private fields. @internal */
  static isOf(host: Sandboxes, value: unknown): boolean {
    return #setup in Object(value) && (value as Sandbox).#setup.host === host
  }

  /** Called when the gateway removes the sandbox. @internal */
  end(how: string): void {
    this.ended = how
    this.#state.end()
    this.#journal.end()
  }

  /**
   * Activates scenarios, rules or recordings. Each is an object, the name of a fault or bundled scenario, or (in
   * Node) a file path. If one is invalid, activates nothing and throws an error that lists its problems.
   *
   * Rules from all scenarios work together: the first one that can reply does, and the others' faults change
   * its reply. Rules with uses or steps left come first, oldest first. Then come replies with `when`, scripts
   * with turns left, and all others, each newest first. Recordings come last.
   *
   * @example using outage = sandbox.use('provider-outage')
   */
  use(...scenarios: ScenarioOrRule[]): ActiveScenario {
    const { rules } = this.#live
    assertScenarios(scenarios)
    const checked = scenarios.map((scenario) => this.#setup.host.setup.checkScenario(scenario))
    return this.#active(checked.map((scenario) => rules.use(scenario)))
  }

  #active(activations: readonly { id: string; name: string }[]): ActiveScenario {
    return {
      id: activations.map(({ id }) => id).join(', '),
      name: activations.map(({ name }) => name).join(', '),
      [Symbol.dispose]: () => {
        // A restore replaces the rules.
        for (const { id } of activations) this.rules.end(id)
      },
    }
  }

  /**
   * Replies with this text or reply object to every operation that generates text, or only to the first
   * `times` requests if set. In process, you can pass a function: it receives the request, its conversation
   * and this sandbox, and returns text or a reply object, optionally as a promise.
   *
   * @example sandbox.reply(({ conversation }) => `You have said ${conversation.items.length} things.`)
   */
  reply(
    answer: string | ScriptedReply | SandboxReply<RequestBodies>,
    options: ReplyOptions = {},
  ): ActiveScenario {
    if (typeof answer !== 'function') return this.use(replyScenario(answer, options))
    const scenario = this.#setup.host.setup.checkScenario(replyScenario('', options))
    return this.#active([this.#live.rules.use(scenario, (context) => answer({ ...context, sandbox: this }))])
  }

  /** Responds to all requests with this error status, or to the first `times` requests if set. */
  fail(status: number, options: FailOptions = {}): ActiveScenario {
    return this.use(failScenario(status, options))
  }

  /**
   * Replies to a conversation turn by turn. Checks each request, and rejects unexpected ones with a 400.
   *
   * @example
   * sandbox.script([
   *   { expect: { tools: ['search'] }, call: { search: { q: 'tides' } } },
   *   { expect: { result: { search: 'high at six' } }, text: 'High tide is at six.' },
   * ])
   */
  script(turns: Turn[], options: ScriptOptions = {}): ActiveScenario {
    return this.use(scriptScenario(turns, options))
  }

  /**
   * Holds requests, or streams before an event: `next()` lets one through, and `release()` lets all through.
   * Other rules apply as usual. The gate ends if the sandbox is reset, restored or disposed.
   *
   * @param on Operation to hold, or a rule without an effect, such as `{ on: 'text', when: { … } }`.
   * @example
   * using gate = sandbox.hold('text', { at: 'event', after: 2 })
   * await gate.arrived()
   */
  hold(on: Rule['on'] | HeldRequests, options: HoldOptions = {}): Gate {
    const { rules } = this.#live
    const scenario = gateScenario(on, options, this.#setup.host.setup.checkScenario)
    return rules.hold(scenario, options, () => this.#journal.describe())
  }

  /** Returns the active scripts with each conversation's progress. */
  scripts(): ScriptProgress[] {
    return this.#live.rules.scripts()
  }

  /** Removes all scenarios except those active from the start. */
  resetScenarios(): void {
    this.#live.rules.clear()
    this.#begin()
  }

  /** Returns the active scenarios with their rules' match counts, newest first. */
  activeScenarios(): ScenarioProgress[] {
    return this.#live.rules.active()
  }

  /**
   * Returns requests, tokens and cost, in total and by model, at the prices in the model collections. If a stream
   * ends early, only what was sent counts.
   */
  usage(): SandboxUsage {
    return this.#live.ledger.read()
  }

  /** Returns the active rules that have not been applied yet. */
  unusedRules(): UnusedRule[] {
    return this.journal.withReasons(this.#live.rules.unused())
  }

  /** Takes a snapshot of the current state, for `restore()`. Rows are copied on the next write. */
  snapshot(): SandboxSnapshot {
    const snapshot = { id: `${this.id}-${++this.#snapshotCount}` }
    this.#snapshots.set(snapshot, this.#live.snapshot())
    return snapshot
  }

  /**
   * Restores a snapshot of this sandbox. A snapshot can be restored any number of times. Requests in flight still get
   * their replies, but their changes are discarded; connections that a fault holds open are closed. Throws 409 for
   * another sandbox's snapshot.
   */
  restore(snapshot: SandboxSnapshot): void {
    const live = this.#live
    const state = this.#snapshots.get(snapshot)
    if (typeof snapshot?.id !== 'string')
      throw new TypeError(`restore() expects a snapshot from sandbox.snapshot(), got ${shown(snapshot)}`)
    if (!state) throw new GatewayError(409, noSnapshot(this.id, snapshot.id))
    live.end()
    this.#state = new SandboxState(this.#owner, this.#setup.seedData, state)
  }

  /** Creates an independent sandbox with a copy of the current state. Default id: a generated one. Default name: none. */
  fork(id?: string, name?: string): Sandbox<RequestBodies> {
    const identity = { id, name }
    return this.#setup.host.toFork(this.#setup, this.#live.snapshot(), identity) as Sandbox<RequestBodies>
  }

  /**
   * Restores the initial state: data, scenarios, journal, clock and counters. Requests in flight still get their
   * replies, but their changes are discarded; connections that a fault holds open are closed.
   */
  reset(): void {
    this.#live.end()
    this.#state = new SandboxState(this.#owner, this.#setup.seedData)
    this.#begin()
    this.#journal.clear()
  }

  /**
   * Runs a function in this sandbox: requests that it sends from this process use the sandbox, unless their key or
   * path names another one. Throws on platforms without `AsyncLocalStorage`, such as browsers.
   *
   * @example await sandbox.run(() => ask('Hello?'))
   */
  run<Result>(work: () => Result): Result {
    return this.#setup.host.run(this as Sandbox, work)
  }

  /** Disposes the sandbox. Later requests to it get a 410, and its methods throw a 410. */
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

/** Returns the message for an unknown snapshot. Snapshot ids start with their sandbox's id. */
export function noSnapshot(sandbox: string, id: string): string {
  const owner = id.replace(/-\d+$/, '')
  const reason =
    owner === sandbox
      ? 'it was taken in another gateway, or is a copy'
      : `it belongs to sandbox ${shown(owner)}`
  return `Sandbox '${sandbox}' has no snapshot ${shown(id)}${owner === id ? '' : `: ${reason}`}`
}
