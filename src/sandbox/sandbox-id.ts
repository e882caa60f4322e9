/**
 * Sandbox ids. A standalone gateway numbers its sandboxes `s1`, `s2` and so on. A cluster node adds its name as a
 * prefix and a random suffix, as in `n3s17x8k2f1q0z`, so that a load balancer can route by id. Clients can also
 * choose custom ids.
 */
import { invalidRequest } from '../http/errors.ts'
import { shown } from '../lib/schema-messages.ts'

/** Letters followed by a number, such as `n3`. */
export const nodeNameForm = /^[a-z]{1,12}[0-9]{1,6}$/
const nodeIdForm = /^([a-z]{1,12}[0-9]{1,6})s[0-9]+x[0-9a-z]+$/
/** Lowercase letters and digits with single hyphens in between, like slugs. */
const customForm = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/
/** Reserved for generated ids. */
const generatedForm = /^(default|s[0-9]+)$/

/** Returns the name of the cluster node in a sandbox id, if any. */
export function nodeOf(id: string): string | undefined {
  return nodeIdForm.exec(id)?.[1]
}

/** Throws 400 for an invalid or reserved custom id. */
export function assertCustomId(id: string): void {
  const message = !customForm.test(id)
    ? `Must be 1 to 64 lowercase letters and digits, with single hyphens in between, got ${shown(id)}`
    : generatedForm.test(id) || nodeOf(id) !== undefined
      ? `'${id}' is reserved for generated ids: choose another`
      : undefined
  if (message) throw invalidRequest([{ path: 'body.id', message, rule: 'sandbox_name' }])
}

/** Generates the ids of one gateway. */
export class SandboxIds {
  readonly #before: string
  readonly #after: string
  #count = 0

  /** @param node Name of this node. Default: none. */
  constructor(node: string | undefined) {
    this.#before = `${node ?? ''}s`
    this.#after = node === undefined ? '' : `x${entropy()}`
  }

  next(): string {
    return `${this.#before}${++this.#count}${this.#after}`
  }
}

/**
 * Returns a random string. It does not depend on the seed, because a restarted node must not reuse ids from its
 * previous run.
 */
function entropy(): string {
  const numbers = Array.from(crypto.getRandomValues(new Uint32Array(2)), (number) => number.toString(36))
  return numbers.join('').padStart(8, '0')
}

export function sandboxBaseUrl(baseUrl: string, id: string): string {
  const base = '/api/v1'
  return `${baseUrl.slice(0, baseUrl.lastIndexOf(base))}/sandboxes/${id}${base}`
}
