/**
 * The snapshots of one sandbox. They last as long as their handles are in use.
 */
import { GatewayError } from '../http/errors.ts'
import type { SandboxSnapshot } from './sandbox-host.ts'
import type { StateSnapshot } from './sandbox-state.ts'

export class Snapshots {
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
