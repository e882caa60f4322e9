/**
 * What a sandbox is made of, what it asks of its gateway, and how one is asked for.
 */
import type { SeedData } from '../database/seed-data.ts'
import type { CallListener } from '../journal/call-record.ts'
import type { JournalStore } from '../journal/store.ts'
import type { KnownOperation } from '../scenarios/check-scenario.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import type { GatewayOptions } from './options.ts'
import type { GatewayOptionsInput } from './options-input.ts'
import type { Sandbox } from './sandbox.ts'
import type { StateSnapshot } from './sandbox-state.ts'

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
  /** Throws 410 for a sandbox that was disposed or has expired, and for a default sandbox that the options leave out. */
  assertLive(sandbox: Sandbox): void
}

/** A sandbox as it is asked for; everything has a default. */
export interface NewSandbox {
  /**
   * A name to choose yourself: 1 to 64 small letters and digits, with single hyphens between them. The living sandbox
   * of this name is returned as it is. Default: the gateway gives one.
   */
  id?: string | undefined
  /** A sandbox to begin like, or its id. Default: begin from the seed. */
  fork?: string | SandboxSnapshot | undefined
  /** Default: the gateway's. */
  seed?: string | number | undefined
  /** Own records, instead of the gateway's, for the collections named. */
  fixtures?: GatewayOptionsInput['fixtures'] | undefined
}

/** What a sandbox may be asked for with. */
export const newSandboxNames: readonly (keyof NewSandbox)[] = ['id', 'fork', 'seed', 'fixtures']

/** A state to go back to. Opaque, so that it travels: whoever took it keeps the state, the others its id. */
export interface SandboxSnapshot {
  /** Of this snapshot, and no other. */
  readonly id: string
}
