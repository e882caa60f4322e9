/**
 * Things of a sandbox that a remote caller knows by id. They go with their sandbox.
 */
import type { Sandbox } from '../sandbox/sandbox.ts'

/** Maximum number per sandbox; the oldest is evicted first. */
const limit = 1000

export class Handles<Thing> {
  readonly #kept = new WeakMap<Sandbox, Map<string, Thing>>()

  keep(sandbox: Sandbox, id: string, thing: Thing): void {
    const things = this.#kept.get(sandbox) ?? new Map<string, Thing>()
    this.#kept.set(sandbox, things)
    things.set(id, thing)
    const [oldest] = things.size > limit ? things.keys() : []
    if (oldest !== undefined) things.delete(oldest)
  }

  find(sandbox: Sandbox, id: string): Thing | undefined {
    return this.#kept.get(sandbox)?.get(id)
  }

  drop(sandbox: Sandbox, id: string): void {
    this.#kept.get(sandbox)?.delete(id)
  }
}
