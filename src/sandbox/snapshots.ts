/**
 * The snapshots of one sandbox, as far as it knows of them: whoever took one holds it, and never says when it lets go.
 */
import { GatewayError } from '../http/errors.ts'
import { UntilCollected } from '../lib/until-collected.ts'
import type { SandboxSnapshot } from './sandbox-host.ts'
import type { SandboxState, StateSnapshot } from './sandbox-state.ts'

/** What a snapshot takes beside rows and what it copies. */
const snapshotBytes = 1000

export class Snapshots {
  readonly #sandbox: string
  readonly #states = new WeakMap<SandboxSnapshot, StateSnapshot>()
  #taken = 0
  /** What they hold and the sandbox does not. */
  readonly held = new UntilCollected()

  /** @param from What a fork begins with; its rows count where they come from. */
  constructor(sandbox: string, from: StateSnapshot | undefined) {
    this.#sandbox = sandbox
    for (const rows of from?.database.values() ?? []) this.held.skip(rows)
  }

  /** What one more takes, in estimated bytes. Rows cost nothing until somebody writes. */
  weightOf(state: SandboxState): number {
    return snapshotBytes + state.copiedWeight
  }

  take(state: SandboxState): SandboxSnapshot {
    const snapshot = { id: `${this.#sandbox}-${++this.#taken}` }
    this.#states.set(snapshot, state.snapshot())
    this.held.add(snapshot, this.weightOf(state))
    return snapshot
  }

  /** Throws 409 for another sandbox's. */
  find(snapshot: SandboxSnapshot): StateSnapshot {
    const state = this.#states.get(snapshot)
    if (state) return state
    throw new GatewayError(409, `Sandbox '${this.#sandbox}' has no snapshot '${snapshot?.id}'`)
  }
}
