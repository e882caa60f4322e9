/**
 * The living sandboxes, by id: made, found, and let go when nobody has used them for long.
 */

import { World } from '../database/world.ts'
import { GatewayError, invalidRequest } from '../http/errors.ts'
import { toViolations } from '../http/violations.ts'
import { Clock } from '../lib/clock.ts'
import type { KnownOperation } from '../rules/check-scenario.ts'
import type { Scenario } from '../rules/scenario.ts'
import { GatewayOptions, type GatewayOptionsInput } from './options.ts'
import { type Moment, Sandbox, type SandboxHost, type SandboxSetup } from './sandbox.ts'

export interface NewSandbox {
  /** A sandbox to begin like, or its id. Default: begin from the seed. */
  fork?: string | { readonly id: string } | undefined
  /** Default: the gateway's. */
  seed?: string | number | undefined
  /** Own records, instead of the gateway's, for the collections named. */
  fixtures?: GatewayOptionsInput['fixtures'] | undefined
}

export interface SandboxesSetup {
  readonly options: GatewayOptions
  readonly operations: readonly KnownOperation[]
  readonly scenarios: readonly Scenario[]
  readonly toScenario: (input: string | object) => Scenario
}

/** Idle sandboxes are looked for so many times in an idle age. */
const sweepsPerAge = 4

export class Sandboxes implements SandboxHost {
  readonly #setup: SandboxesSetup
  readonly #world: World
  readonly #residents = new Map<string, Sandbox>()
  /** By this one sandboxes grow idle: a sandbox that moves its own clock on is in use. */
  readonly #clock: Clock
  /** In force in every sandbox from its start. */
  scenarios: readonly Scenario[]
  #made = 0
  #sweptAt = 0
  /** Serves every key that is no sandbox's. */
  readonly default: Sandbox

  constructor(setup: SandboxesSetup) {
    this.#setup = setup
    this.#world = new World(setup.options)
    this.#clock = new Clock(setup.options)
    this.scenarios = setup.scenarios
    this.default = new Sandbox({ id: 'default', options: setup.options, world: this.#world, host: this })
  }

  /** Throws 400 for fixtures that are wrong, 410 for a fork of one that is gone, 429 when there are too many. */
  create({ fork, seed, fixtures }: NewSandbox = {}): Sandbox {
    const own = seed !== undefined || fixtures !== undefined
    if (fork !== undefined) {
      if (own)
        throw new GatewayError(400, 'A fork has the seed and the fixtures of its origin: leave them out')
      return this.find(typeof fork === 'string' ? fork : fork.id).fork()
    }
    const { options } = this.#setup
    if (!own) return this.#admit(options, this.#world)
    const result = Own.safeParse({
      seed: seed ?? options.seed,
      fixtures: { ...options.fixtures, ...fixtures },
    })
    if (!result.success) throw invalidRequest(toViolations(result.error, 'body'))
    const ownOptions = { ...options, ...result.data }
    return this.#admit(ownOptions, worldOf(ownOptions))
  }

  /** The living sandbox with this id. Throws 410 where there is none, or none any more. */
  find(id: string): Sandbox {
    const sandbox = this.peek(id)
    if (sandbox) return sandbox
    this.#residents.delete(id)
    throw new GatewayError(
      410,
      `Sandbox '${id}' is gone: it was disposed of, was idle for too long, or never was`,
    )
  }

  /** The living sandbox with this id, if there is one. */
  peek(id: string): Sandbox | undefined {
    const sandbox = id === this.default.id ? this.default : this.#residents.get(id)
    return sandbox && !this.#isIdle(sandbox) ? sandbox : undefined
  }

  /** All that live, the default one apart; oldest first. */
  list(): Sandbox[] {
    this.#sweep()
    return [...this.#residents.values()]
  }

  get operations(): readonly KnownOperation[] {
    return this.#setup.operations
  }

  toScenario(input: string | object): Scenario {
    return this.#setup.toScenario(input)
  }

  /** @internal */
  toFork({ options, world }: SandboxSetup, from: Moment): Sandbox {
    return this.#admit(options, world, from)
  }

  elapsed(): number {
    return this.#clock.elapsed()
  }

  /** Ends a sandbox. Throws 409 for the default one. */
  dispose(id: string): void {
    if (id === 'default') throw new GatewayError(409, 'The default sandbox stays: reset it instead')
    this.#residents.delete(id)
  }

  /** Lets the idle age of every sandbox grow at once. */
  age(ms: number): void {
    this.#clock.advance(ms)
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

  #admit(options: GatewayOptions, world: World, from?: Moment): Sandbox {
    const { limit, idleMs } = this.#setup.options.sandboxes
    const isFull = this.#residents.size >= limit
    if (isFull || this.#clock.elapsed() - this.#sweptAt > idleMs / sweepsPerAge) this.#sweep()
    if (this.#residents.size >= limit) {
      throw new GatewayError(
        429,
        `There are ${limit} sandboxes already: dispose of some, or raise sandboxes.limit`,
      )
    }
    const sandbox = new Sandbox({ id: `s${++this.#made}`, options, world, host: this }, from)
    this.#residents.set(sandbox.id, sandbox)
    return sandbox
  }

  #isIdle(sandbox: Sandbox): boolean {
    return sandbox !== this.default && sandbox.idleMs > this.#setup.options.sandboxes.idleMs
  }

  #sweep(): void {
    this.#sweptAt = this.#clock.elapsed()
    for (const [id, sandbox] of this.#residents) if (this.#isIdle(sandbox)) this.#residents.delete(id)
  }
}

/** What of the options a sandbox may have of its own. */
const Own = GatewayOptions.pick({ seed: true, fixtures: true })

/** Throws 400 where a fixture is wrong. */
function worldOf(options: GatewayOptions): World {
  try {
    return new World(options)
  } catch (error) {
    throw new GatewayError(400, (error as Error).message)
  }
}
