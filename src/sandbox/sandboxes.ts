/**
 * The living sandboxes, by id: made, found, and let go when nobody has used them for long.
 */
import { DatabaseState } from '../database/database.ts'
import { SeedData } from '../database/seed-data.ts'
import { GatewayError, invalidRequest } from '../http/errors.ts'
import { toViolations } from '../http/violations.ts'
import type { CallListener } from '../journal/call-record.ts'
import { JournalStore } from '../journal/journal.ts'
import { Ledger } from '../journal/ledger.ts'
import { Clock } from '../lib/clock.ts'
import { equal } from '../lib/equal.ts'
import type { KnownOperation } from '../scenarios/check-scenario.ts'
import { fromRulesFile } from '../scenarios/rules-file.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import { Occurrences, PromptCache, StoredResponses } from './memory.ts'
import type { SandboxOptions } from './new-sandbox.ts'
import { type GatewayOptions, OwnOptions } from './options.ts'
import { Sandbox, type SandboxHost, type SandboxSetup } from './sandbox.ts'
import { keepSavedCalls, SandboxFile, strangeOperations } from './sandbox-file.ts'
import { assertChosenId, nodeOf, SandboxIds, sandboxBaseUrl } from './sandbox-id.ts'
import type { StateSnapshot } from './sandbox-state.ts'

export interface SandboxesSetup {
  readonly options: GatewayOptions
  readonly operations: readonly KnownOperation[]
  readonly scenarios: readonly Scenario[]
  readonly checkScenario: (input: unknown) => Scenario
}

/** Idle sandboxes are looked for so many times in an idle age. */
const sweepsPerAge = 4
export class Sandboxes implements SandboxHost {
  readonly #setup: SandboxesSetup
  readonly #seedData: SeedData
  readonly #residents = new Map<string, Sandbox>()
  /** By this one sandboxes grow idle: a sandbox that moves its own clock on is in use. */
  readonly #clock: Clock
  /** Are told of every call, in whatever sandbox. */
  readonly listeners = new Set<CallListener>()
  /** In force in every sandbox from its start. */
  scenarios: readonly Scenario[]
  readonly #ids: SandboxIds
  /** Base URLs of the servers and interceptions that answer, in the order of their start. */
  readonly #baseUrls: { readonly baseUrl: string }[] = []
  #made = 0
  #evicted = 0
  /** No new sandbox is taken any more: see `drain`. */
  #isDraining = false
  /** Carried along the asynchronous calls of a test. @internal */
  readonly current = new Current<Sandbox>()
  #sweptAt = 0
  readonly store: JournalStore
  #default: Sandbox | undefined

  constructor(setup: SandboxesSetup) {
    this.#setup = setup
    this.store = new JournalStore(setup.options.limits)
    this.#seedData = new SeedData(setup.options)
    this.#clock = new Clock(setup.options)
    this.scenarios = setup.scenarios
    this.#ids = new SandboxIds(setup.options.sandboxes.node)
  }

  /** What the default sandbox is made of. */
  get defaultSetup(): SandboxSetup {
    return { id: 'default', options: this.#setup.options, seedData: this.#seedData, host: this }
  }

  /** The sandbox of requests that name no other: the gateway itself, which sets it once. */
  get default(): Sandbox {
    if (!this.#default) throw new Error('The default sandbox is not set')
    return this.#default
  }

  set default(sandbox: Sandbox) {
    this.#default = sandbox
  }

  /**
   * Throws 400 for a name or fixtures that are wrong, 409 for a live sandbox with other data, 410 for a fork of a sandbox
   * that does not exist, 429 when there are too many, 503 while the gateway drains.
   */
  create({ id, fork, seed, fixtures }: SandboxOptions = {}): Sandbox {
    if (id !== undefined) {
      const living = this.peek(id)
      if (living) return unchanged(living, { fork, seed, fixtures })
      assertChosenId(id)
    }
    const own = seed !== undefined || fixtures !== undefined
    if (fork !== undefined) {
      if (own)
        throw new GatewayError(400, 'A fork has the seed and the fixtures of its origin: leave them out')
      return this.find(typeof fork === 'string' ? fork : fork.id).fork(id)
    }
    const { options } = this.#setup
    if (!own) return this.#admit(id, options, this.#seedData)
    const result = OwnOptions.safeParse({
      seed: seed ?? options.seed,
      fixtures: { ...options.fixtures, ...fixtures },
    })
    if (!result.success) throw invalidRequest(toViolations(result.error, 'body'))
    const ownOptions = { ...options, ...result.data }
    return this.#admit(id, ownOptions, seedDataOf(ownOptions))
  }

  /**
   * A sandbox that goes on where the one of a file was. Throws 400 for a file that is wrong, 409 for one of another
   * seed, and what `create` throws.
   */
  async open(given: unknown): Promise<Sandbox> {
    const file = SandboxFile.safeParse(given)
    if (!file.success) throw invalidRequest(toViolations(file.error, 'body'))
    const { options, operations } = this.#setup
    const strange = strangeOperations(file.data, new Set(operations.map(({ id }) => id)))
    if (strange.length > 0) throw invalidRequest(strange)
    const { seed, fixtures, changes, rules, clock, occurrences, calls = [] } = file.data
    const isOwn = seed !== options.seed || Object.keys(fixtures).length > 0
    const own = isOwn ? { ...options, seed, fixtures } : options
    const seedData = isOwn ? seedDataOf(own) : this.#seedData
    const sandbox = this.#admit(undefined, own, seedData, {
      database: await DatabaseState.snapshotOf(seedData, changes),
      rules: fromRulesFile(rules, (scenario) => this.checkScenario(scenario)),
      clock,
      occurrences: Occurrences.from(occurrences),
      ledger: new Ledger(),
      promptCache: new PromptCache(),
      storedResponses: new StoredResponses(),
    })
    keepSavedCalls(sandbox, calls)
    return sandbox
  }

  /** Returns the live sandbox with this id. Throws 410 if there is none, 421 if it is on another node. */
  find(id: string): Sandbox {
    const sandbox = this.peek(id)
    if (sandbox) return sandbox
    this.#assertHere(id)
    throw this.#goneError(id)
  }

  assertLive(sandbox: Sandbox): void {
    if (sandbox === this.#default) this.assertDefault()
    else if (this.#default && this.peek(sandbox.id) !== sandbox)
      throw new GatewayError(410, `Sandbox '${sandbox.id}' ${sandbox.ended}`)
  }

  /** Gives sandboxes a base URL, until the returned function ends that. */
  serveAt(baseUrl: string): () => void {
    const place = { baseUrl }
    this.#baseUrls.push(place)
    return () => void this.#baseUrls.splice(this.#baseUrls.indexOf(place), 1)
  }

  baseUrlOf(id: string): string {
    const [first] = this.#baseUrls
    if (first) return id === 'default' ? first.baseUrl : sandboxBaseUrl(first.baseUrl, id)
    throw new Error(
      `Sandbox '${id}' has no baseUrl, because its gateway has no server: start one with startServer({ gateway }), or use intercept(gateway), or give the client fetch: gateway.fetch and apiKey: sandbox.apiKey`,
    )
  }

  run<Result>(sandbox: Sandbox, work: () => Result): Result {
    if (!(sandbox instanceof Sandbox)) {
      const given = typeof sandbox === 'string' ? `'${sandbox}'` : String(sandbox)
      throw new TypeError(`run() expects a live sandbox of this gateway, got ${given}`)
    }
    if (!sandbox.isOf(this))
      throw new TypeError(
        `run() expects a live sandbox of this gateway; '${sandbox.id}' belongs to another gateway`,
      )
    this.assertLive(sandbox)
    if (typeof work !== 'function')
      throw new TypeError(`run() expects a function, as in run(() => ask('Hello?')), got ${String(work)}`)
    return this.current.run(sandbox, work)
  }

  /** Throws 410 where the default sandbox was left out. */
  assertDefault(): void {
    if (this.#setup.options.sandboxes.default) return
    throw new GatewayError(
      410,
      'This gateway has no default sandbox: create one with POST /__understudy/sandboxes, and send its key or use its baseUrl',
    )
  }

  /** The living sandbox with this id, if there is one. */
  peek(id: string): Sandbox | undefined {
    const sandbox = id === 'default' ? this.default : this.#residents.get(id)
    return sandbox && !this.#evictIfIdle(sandbox) ? sandbox : undefined
  }

  /** All that live, the default one apart; oldest first. */
  list(): Sandbox[] {
    this.#sweep()
    return [...this.#residents.values()]
  }

  get operations(): readonly KnownOperation[] {
    return this.#setup.operations
  }

  checkScenario(input: unknown): Scenario {
    return this.#setup.checkScenario(input)
  }

  /** @internal */
  toFork({ options, seedData }: SandboxSetup, from: StateSnapshot, id?: string): Sandbox {
    return this.#admit(id, options, seedData, from)
  }

  /** The name of this node; undefined where there is one server alone. */
  get node(): string | undefined {
    return this.#setup.options.sandboxes.node
  }

  /** How many were made since the start, the default one apart. */
  get made(): number {
    return this.#made
  }

  /** How many went because nobody used them. */
  get evicted(): number {
    return this.#evicted
  }

  /** How many live, the default one apart. */
  get size(): number {
    return this.#residents.size
  }

  /** All that live, the default one apart, without a look at how long they were idle. */
  living(): Iterable<Sandbox> {
    return this.#residents.values()
  }

  /** Takes no more sandboxes; those that live stay. */
  drain(): void {
    this.#isDraining = true
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  /**
   * Whether a sandbox is in use: it answers a request, or has answered one within so many milliseconds of elapsed time.
   */
  isBusy(withinMs: number): boolean {
    return [...this.#residents.values()].some(({ idleMs }) => idleMs < withinMs)
  }

  elapsed(): number {
    return this.#clock.elapsed()
  }

  /** Ends a sandbox; one that was replaced by another of its name stays ended. Throws 409 for the default one. */
  dispose(sandbox: Sandbox): void {
    if (sandbox === this.#default)
      throw new GatewayError(409, 'The default sandbox stays: use reset() instead')
    if (this.#residents.get(sandbox.id) === sandbox) this.#remove(sandbox, 'was disposed')
  }

  /**
   * Puts a newer version in the place of a scenario that sandboxes begin with; nothing of it has happened yet.
   *
   * @param place Its index in the option `scenarios`.
   */
  replaceScenario(place: number, next: Scenario): void {
    const old = this.scenarios[place]
    if (!old) return
    this.scenarios = this.scenarios.with(place, next)
    for (const sandbox of [this.default, ...this.#residents.values()]) sandbox.rules.replace(old, next)
  }

  #admit(id: string | undefined, options: GatewayOptions, seedData: SeedData, from?: StateSnapshot): Sandbox {
    if (this.#isDraining)
      throw new GatewayError(
        503,
        'This gateway is being shut down and takes no new sandboxes: ask another node',
      )
    const { sandboxes: limit, sandboxIdleMs } = this.#setup.options.limits
    const isFull = this.#residents.size >= limit
    if (isFull || this.#clock.elapsed() - this.#sweptAt > sandboxIdleMs / sweepsPerAge) this.#sweep()
    if (this.#residents.size >= limit) {
      throw new GatewayError(
        429,
        `There are ${limit} sandboxes already: dispose of some, or raise limits.sandboxes`,
      )
    }
    const sandbox = new Sandbox({ id: id ?? this.#ids.next(), options, seedData, host: this }, from)
    this.#residents.set(sandbox.id, sandbox)
    this.#made++
    return sandbox
  }

  #assertHere(id: string): void {
    const { node } = this
    const home = nodeOf(id)
    if (node === undefined || home === undefined || home === node) return
    const message = `Sandbox '${id}' lives on node '${home}', and this is '${node}': send its requests there`
    throw new GatewayError(421, message, { node: home }, { headers: { 'x-understudy-node': home } })
  }

  #remove(sandbox: Sandbox, how: string): void {
    sandbox.end(how)
    this.#residents.delete(sandbox.id)
  }

  /** `expired after 3600 s idle` */
  get #expired(): string {
    return `expired after ${this.#setup.options.limits.sandboxIdleMs / 1000} s idle`
  }

  #goneError(id: string): GatewayError {
    return new GatewayError(
      410,
      `Sandbox '${id}' does not exist: it was disposed, ${this.#expired}, or was never created`,
    )
  }

  #evictIfIdle(sandbox: Sandbox): boolean {
    if (sandbox === this.default || sandbox.idleMs <= this.#setup.options.limits.sandboxIdleMs) return false
    this.#remove(sandbox, this.#expired)
    this.#evicted++
    return true
  }

  #sweep(): void {
    this.#sweptAt = this.#clock.elapsed()
    for (const sandbox of this.#residents.values()) this.#evictIfIdle(sandbox)
  }
}

/** Returns a live sandbox that is created again. Throws 409 for data that would be ignored. */
function unchanged(living: Sandbox, { fork, seed, fixtures = {} }: SandboxOptions): Sandbox {
  const { options } = living
  const differs = (name: string, rows: unknown) => !equal(Reflect.get(options.fixtures, name), rows)
  const ignored = Object.entries({
    fork: fork !== undefined,
    seed: seed !== undefined && seed !== options.seed,
    fixtures: Object.entries(fixtures).some(([name, rows]) => differs(name, rows)),
  }).find(([, isIgnored]) => isIgnored)
  if (!ignored) return living
  throw new GatewayError(
    409,
    `Sandbox '${living.id}' exists already, so its ${ignored[0]} cannot be set: dispose of it first, or leave ${ignored[0]} out`,
  )
}

/** Throws 400 where a fixture is wrong. */
function seedDataOf(options: GatewayOptions): SeedData {
  try {
    return new SeedData(options)
  } catch (error) {
    throw new GatewayError(400, (error as Error).message)
  }
}

/** What of `AsyncLocalStorage` is needed. */
interface Storage<Value> {
  getStore(): Value | undefined
  run<Result>(value: Value | undefined, work: () => Result): Result
  enterWith(value: Value | undefined): void
}

/**
 * The sandbox of the code that runs now, carried along its asynchronous calls. Where the platform has no
 * `AsyncLocalStorage`, as in a browser, there is none.
 *
 * @typeParam Value What is carried. One instance for each gateway, so that gateways do not see each other's.
 */
class Current<Value> {
  #storage: Storage<Value> | undefined

  /** Undefined outside of `run` and `enter`. */
  get(): Value | undefined {
    return this.#storage?.getStore()
  }

  /** Runs some work, and all that it starts, with a value. Undefined is no value. */
  run<Result>(value: Value | undefined, work: () => Result): Result {
    // mutation: equivalent: spares creating a storage
    if (value === undefined && !this.#storage) return work()
    return this.#open().run(value, work)
  }

  /** The code that runs now, and all that it starts, has the value from here on. */
  enter(value: Value): void {
    this.#open().enterWith(value)
  }

  /** Made when first needed, without an `import`, which a browser could not follow. */
  #open(): Storage<Value> {
    if (this.#storage) return this.#storage
    const hooks = globalThis.process?.getBuiltinModule?.('node:async_hooks')
    if (!hooks)
      throw new Error(
        'gateway.run() needs AsyncLocalStorage, which is not here: use the key or the base URL of the sandbox',
      )
    this.#storage = new hooks.AsyncLocalStorage<Value | undefined>() as Storage<Value>
    return this.#storage
  }
}
