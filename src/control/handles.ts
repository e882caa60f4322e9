/**
 * Things of a sandbox that a caller far away only knows by id. They go with their sandbox, and count as held.
 */
import type { Sandbox } from '../sandbox/sandbox.ts'

/** Of one sandbox; from then on the old ones go that may. */
const limit = 1000

/** How many old ones are looked at for each new one. */
const looks = 10

/** What a handle takes, measured. */
const handleBytes = 1000

export class Handles<Thing> {
  readonly #mayGo: (sandbox: Sandbox, thing: Thing) => boolean
  readonly #kept = new WeakMap<Sandbox, Map<string, Thing>>()

  /** @param mayGo Whether nobody needs a thing any more. Default: of any, the oldest. */
  constructor(mayGo: (sandbox: Sandbox, thing: Thing) => boolean = () => true) {
    this.#mayGo = mayGo
  }

  /** Throws 503 where there is no room for one more. */
  keep(sandbox: Sandbox, id: string, thing: Thing): void {
    sandbox.holdHandle(handleBytes)
    const things = this.#kept.get(sandbox) ?? new Map<string, Thing>()
    this.#kept.set(sandbox, things)
    things.set(id, thing)
    if (things.size <= limit) return
    for (const [old, other] of things.entries().take(looks))
      if (this.#mayGo(sandbox, other)) return void this.drop(sandbox, old)
  }

  find(sandbox: Sandbox, id: string): Thing | undefined {
    return this.#kept.get(sandbox)?.get(id)
  }

  drop(sandbox: Sandbox, id: string): void {
    if (this.#kept.get(sandbox)?.delete(id)) sandbox.holdHandle(-handleBytes)
  }
}
