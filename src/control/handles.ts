/**
 * Things of a sandbox that a caller far away only knows by id. They go with their sandbox, and count as held.
 */
import type { Sandbox } from '../sandbox/sandbox.ts'

/** Of one sandbox; the oldest goes first. */
const limit = 1000

/** What a handle takes, measured. */
const handleBytes = 1000

export class Handles<Thing> {
  readonly #kept = new WeakMap<Sandbox, Map<string, Thing>>()

  /** Throws 503 where there is no room for one more. */
  keep(sandbox: Sandbox, id: string, thing: Thing): void {
    sandbox.holdHandle(handleBytes)
    const things = this.#kept.get(sandbox) ?? new Map<string, Thing>()
    this.#kept.set(sandbox, things)
    things.set(id, thing)
    const [oldest] = things.size > limit ? things.keys() : []
    if (oldest !== undefined) this.drop(sandbox, oldest)
  }

  find(sandbox: Sandbox, id: string): Thing | undefined {
    return this.#kept.get(sandbox)?.get(id)
  }

  drop(sandbox: Sandbox, id: string): void {
    if (this.#kept.get(sandbox)?.delete(id)) sandbox.holdHandle(-handleBytes)
  }
}
