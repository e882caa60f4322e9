/**
 * Things of a sandbox that a caller far away only knows by id. They go with their sandbox, and count as held.
 */
import type { Sandbox } from '../sandbox/sandbox.ts'

/** Of one sandbox; the oldest goes first. */
const limit = 1000

/** What a handle takes, measured. */
const handleBytes = 1000

export class Handles<Thing> {
  readonly #kept = new WeakMap<Sandbox, Map<string, Kept<Thing>>>()

  /**
   * Throws 503 where there is no room for one more.
   *
   * @param more Estimated bytes that the thing holds.
   */
  keep(sandbox: Sandbox, id: string, thing: Thing, more = 0): void {
    const bytes = handleBytes + more
    sandbox.holdHandle(bytes)
    const things = this.#kept.get(sandbox) ?? new Map<string, Kept<Thing>>()
    this.#kept.set(sandbox, things)
    things.set(id, { thing, bytes })
    const [oldest] = things.size > limit ? things.keys() : []
    if (oldest !== undefined) this.drop(sandbox, oldest)
  }

  find(sandbox: Sandbox, id: string): Thing | undefined {
    return this.#kept.get(sandbox)?.get(id)?.thing
  }

  drop(sandbox: Sandbox, id: string): void {
    const things = this.#kept.get(sandbox)
    const kept = things?.get(id)
    if (kept && things?.delete(id)) sandbox.holdHandle(-kept.bytes)
  }
}

interface Kept<Thing> {
  readonly thing: Thing
  readonly bytes: number
}
