/** A gateway's live sandboxes: creates, finds and disposes them, and expires idle ones. */
import { SeedData } from '../database/seed-data.ts'
import { GatewayError, invalidRequest } from '../http/errors.ts'
import { toViolations } from '../http/violations.ts'
import type { CallListener } from '../journal/call-record.ts'
import { JournalStore } from '../journal/journal.ts'
import { sandboxBaseUrl } from '../lib/address.ts'
import { Clock } from '../lib/clock.ts'
import { equal } from '../lib/equal.ts'
import { check, shown } from '../lib/schema-messages.ts'
import type { CollectionDeclaration } from '../resources/collection.ts'
import type { KnownOperation } from '../scenarios/check-scenario.ts'
import type { ParsedScenario } from '../scenarios/scenario.ts'
import { type GatewayOptions, SandboxDataOptions } from './options.ts'
import { Sandbox, type SandboxSetup } from './sandbox.ts'
import { maxSandboxName, type SandboxOptions } from './sandbox-options.ts'
import type { StateSnapshot } from './sandbox-state.ts'

export interface SandboxesSetup {
  readonly options: GatewayOptions
  readonly collections: readonly CollectionDeclaration[]
  readonly operations: readonly KnownOperation[]
  readonly scenarios: readonly ParsedScenario[]
  /** Validates a scenario, finds a bundled one by name or, in Node, reads a file. Throws a one-line error. */
  readonly checkScenario: (input: unknown) => ParsedScenario
}

type Identity = Pick<SandboxOptions, 'id' | 'name'>

/** Number of checks for idle sandboxes in each period of `limits.sandboxIdle`. */
const sweepsPerAge = 4

export class Sandboxes {
  readonly setup: SandboxesSetup
  readonly #seedData: SeedData
  readonly #sandboxes = new Map<string, Sandbox>()
  /** Clock for idle timeouts. Sandbox clocks do not affect it. */
  readonly clock: Clock
  readonly listeners = new Set<CallListener>()
  scenarios: readonly ParsedScenario[]
  /** Base URLs of running servers and interceptions, in the order they started. */
  readonly #baseUrls = new Set<{ readonly baseUrl: string }>()
  /** The async context's sandbox. Undefined on platforms without `AsyncLocalStorage`, such as browsers. */
  readonly current = createContext()
  #sweptAt = 0
  #generated = 0
  readonly store: JournalStore
  /** Sandbox for requests that do not name one: the gateway itself, set by its constructor. */
  default!: Sandbox

  constructor(setup: SandboxesSetup) {
    this.setup = setup
    this.store = new JournalStore(setup.options.limits)
    this.#seedData = new SeedData(setup.options, setup.collections)
    this.clock = new Clock(setup.options)
    this.scenarios = setup.scenarios
  }

  get defaultSetup(): SandboxSetup {
    return { id: 'default', options: this.setup.options, seedData: this.#seedData, host: this }
  }

  /**
   * Creates a sandbox, or returns the live one with this id. Throws 400 for an invalid id or invalid fixtures, 409 if
   * the live sandbox has different data, 410 if the sandbox to fork does not exist, and 429 if the limit is reached.
   */
  create({ id, name, fork, seed, fixtures }: SandboxOptions = {}): Sandbox {
    const identity = { id, name }
    if (id !== undefined) {
      const live = this.get(id)
      if (live) return reuse(live, { name, fork, seed, fixtures })
      assertCustomId(id)
    }
    const hasOwnData = seed !== undefined || fixtures !== undefined
    if (fork !== undefined) {
      if (hasOwnData)
        throw new GatewayError(400, 'A fork copies the seed and fixtures of its origin: omit them')
      return this.find(typeof fork === 'string' ? fork : fork.id).fork(id, name)
    }
    const { options } = this.setup
    if (!hasOwnData) return this.#admit(identity, options, this.#seedData)
    const result = check(SandboxDataOptions, {
      seed: seed ?? options.seed,
      fixtures: { ...options.fixtures, ...fixtures },
    })
    if (!result.success) throw invalidRequest(toViolations(result.error, 'body'))
    const merged = { ...options, ...result.data }
    try {
      return this.#admit(identity, merged, new SeedData(merged, this.setup.collections))
    } catch (error) {
      throw error instanceof GatewayError ? error : new GatewayError(400, (error as Error).message)
    }
  }

  find(id: string): Sandbox {
    const sandbox = this.get(id)
    if (sandbox) return sandbox
    throw new GatewayError(
      410,
      `Sandbox ${shown(id)} was disposed, ${this.#expired}, or was never created: create one with createSandbox() or POST /__understudy/sandboxes`,
    )
  }

  /** Throws 410 if the sandbox was disposed, has expired, or is the default sandbox and disabled by the options. */
  assertLive(sandbox: Sandbox): void {
    if (sandbox !== this.default) {
      if (this.get(sandbox.id) === sandbox) return
      throw new GatewayError(410, `Sandbox '${sandbox.id}' ${sandbox.ended}, or create another sandbox`)
    }
    if (this.setup.options.limits.defaultSandbox) return
    throw new GatewayError(
      410,
      'This gateway has no default sandbox: create a sandbox with POST /__understudy/sandboxes, and use its key or baseUrl',
    )
  }

  serveAt(baseUrl: string): () => void {
    const place = { baseUrl }
    this.#baseUrls.add(place)
    return () => void this.#baseUrls.delete(place)
  }

  baseUrlOf(id: string): string {
    const [first] = this.#baseUrls
    if (first) return id === 'default' ? first.baseUrl : sandboxBaseUrl(first.baseUrl, id)
    throw new Error(
      `Sandbox '${id}' has no baseUrl, because its gateway has no server: start one with startServer({ gateway }), use intercept(gateway), or pass fetch: gateway.fetch and apiKey: sandbox.apiKey to the client`,
    )
  }

  run<Result>(sandbox: Sandbox, work: () => Result): Result {
    if (!Sandbox.isOf(this, sandbox))
      throw new TypeError(
        `run() expects a sandbox from createSandbox() of the same gateway, got ${shown(sandbox)}`,
      )
    this.assertLive(sandbox)
    if (typeof work !== 'function')
      throw new TypeError(`run() expects a function, as in run(() => ask('Hello?')), got ${String(work)}`)
    if (!this.current)
      throw new Error(
        "gateway.run() needs AsyncLocalStorage, which this platform lacks: use the sandbox's key or base URL",
      )
    return this.current.run(sandbox, work)
  }

  get(id: string): Sandbox | undefined {
    if (id === 'default') return this.default
    const sandbox = this.#sandboxes.get(id)
    if (sandbox) this.#evictIfIdle(sandbox)
    return this.#sandboxes.get(id)
  }

  /** Returns all live sandboxes except the default one, oldest first. */
  listLive(): Sandbox[] {
    this.#sweep()
    return [...this.#sandboxes.values()]
  }

  /** Creates a sandbox with the same options and seed data, and a copy of the state in `from`. */
  toFork({ options, seedData }: SandboxSetup, from: StateSnapshot, identity: Identity = {}): Sandbox {
    const { id } = identity
    if (id !== undefined) assertCustomId(id)
    if (id !== undefined && this.get(id))
      throw new GatewayError(409, `Sandbox '${id}' already exists: dispose it first, or choose another id`)
    return this.#admit(identity, options, seedData, from)
  }

  /** Disposes a sandbox, but not a newer sandbox with the same id. Throws 409 for the default sandbox. */
  dispose(sandbox: Sandbox): void {
    if (sandbox === this.default)
      throw new GatewayError(409, 'The default sandbox cannot be disposed: use reset() instead')
    if (this.#sandboxes.get(sandbox.id) === sandbox)
      this.#remove(sandbox, 'was disposed: use it before dispose()')
  }

  #admit({ id, name }: Identity, options: GatewayOptions, seedData: SeedData, from?: StateSnapshot): Sandbox {
    assertName(name)
    const { sandboxes: limit, sandboxIdle } = this.setup.options.limits
    const isFull = this.#sandboxes.size >= limit
    if (isFull || this.clock.elapsed() - this.#sweptAt > sandboxIdle / sweepsPerAge) this.#sweep()
    if (this.#sandboxes.size >= limit) {
      throw new GatewayError(
        429,
        `Limit of ${limit} ${limit === 1 ? 'sandbox' : 'sandboxes'} reached: dispose one, or raise limits.sandboxes`,
      )
    }
    const sandbox = new Sandbox(
      { id: id ?? `s${++this.#generated}`, name, options, seedData, host: this },
      from,
    )
    this.#sandboxes.set(sandbox.id, sandbox)
    return sandbox
  }

  #remove(sandbox: Sandbox, how: string): void {
    sandbox.end(how)
    this.#sandboxes.delete(sandbox.id)
  }

  /** Reason for a 410, such as `expired after 1 h idle`. */
  get #expired(): string {
    const seconds = this.setup.options.limits.sandboxIdle / 1000
    return `expired after ${seconds % 3600 === 0 ? `${seconds / 3600} h` : `${seconds} s`} idle`
  }

  #evictIfIdle(sandbox: Sandbox): void {
    if (sandbox.idleMs <= this.setup.options.limits.sandboxIdle) return
    this.#remove(sandbox, `${this.#expired}: raise limits.sandboxIdle`)
  }

  #sweep(): void {
    this.#sweptAt = this.clock.elapsed()
    for (const sandbox of this.#sandboxes.values()) this.#evictIfIdle(sandbox)
  }
}

/** Format of custom ids: lowercase letters and digits with single hyphens in between, like slugs. */
const customForm = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/
/** Format of generated ids, which is not allowed for custom ids. */
const generatedForm = /^(default|s[0-9]+)$/

function assertCustomId(id: string): void {
  const message = !customForm.test(id)
    ? `Must be 1 to 64 lowercase letters and digits, with single hyphens in between, got ${shown(id)}`
    : generatedForm.test(id)
      ? `'${id}' is reserved for generated ids: choose another`
      : undefined
  if (message) throw invalidRequest([{ path: 'body.id', message, rule: 'sandbox_name' }])
}

function assertName(name: string | undefined): void {
  if (name === undefined || (typeof name === 'string' && name.length <= maxSandboxName)) return
  const message = `Must be text of at most ${maxSandboxName} characters, got ${shown(name)}`
  throw invalidRequest([{ path: 'body.name', message, rule: 'max_length' }])
}

/** Returns the live sandbox with the requested id. Throws 409 if the options contain data that would be ignored. */
function reuse(live: Sandbox, { name, fork, seed, fixtures = {} }: SandboxOptions): Sandbox {
  const { options } = live
  const differs = (name: string, rows: unknown) => !equal(Reflect.get(options.fixtures, name), rows)
  const ignored = Object.entries({
    name: name !== undefined && name !== live.name,
    fork: fork !== undefined,
    seed: seed !== undefined && seed !== options.seed,
    fixtures: Object.entries(fixtures).some(([name, rows]) => differs(name, rows)),
  }).find(([, isIgnored]) => isIgnored)
  if (!ignored) return live
  throw new GatewayError(
    409,
    `Sandbox '${live.id}' already exists, so its ${ignored[0]} cannot be set: dispose it first, or omit ${ignored[0]}`,
  )
}

function createContext() {
  // Not imported, because browsers lack the module.
  const hooks = globalThis.process?.getBuiltinModule?.('node:async_hooks')
  return hooks && new hooks.AsyncLocalStorage<Sandbox | undefined>()
}
