/**
 * The ids of sandboxes. Alone, a gateway counts: `s1`, `s2`. As a node of several it puts its own name first, and
 * something that no other run of it has at the end, `n3s17x8k2f1q0z`, so that whatever stands before the nodes can
 * read in the id where a sandbox lives. A client may also choose a name of its own.
 */
import { invalidRequest } from '../http/errors.ts'

/** Letters, then a number: `n3`. */
export const nodeNameForm = /^[a-z]{1,12}[0-9]{1,6}$/
const nodeIdForm = /^([a-z]{1,12}[0-9]{1,6})s[0-9]+x[0-9a-z]+$/
/** Segments of small letters and digits with single hyphens between them, as slugs have. */
const chosenForm = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/
/** The names that this gateway gives, itself or as a node. */
const givenForm = /^(default|s[0-9]+)$/

/** The node on which a sandbox lives, where its id names one. */
export function nodeOf(id: string): string | undefined {
  return nodeIdForm.exec(id)?.[1]
}

/** Throws 400 for a name that no client may choose. */
export function assertChosenId(id: string): void {
  const message = !chosenForm.test(id)
    ? 'A name has 1 to 64 small letters and digits, with single hyphens between them'
    : givenForm.test(id) || nodeOf(id) !== undefined
      ? `'${id}' has the form of the names that the gateway gives itself: choose another`
      : undefined
  if (message) throw invalidRequest([{ path: 'params.sandbox', message, rule: 'sandbox_name' }])
}

/** Counts the ids of one gateway. */
export class SandboxIds {
  readonly #before: string
  readonly #after: string
  #made = 0

  /** @param node The name of this node. Default: none, and ids are `s1`, `s2`. */
  constructor(node: string | undefined) {
    this.#before = `${node ?? ''}s`
    this.#after = node === undefined ? '' : `x${entropy()}`
  }

  next(): string {
    return `${this.#before}${++this.#made}${this.#after}`
  }
}

/** Not from the seed: a node that is started again must not bring back the names of its last run. */
function entropy(): string {
  const numbers = Array.from(crypto.getRandomValues(new Uint32Array(2)), (number) => number.toString(36))
  return numbers.join('').padStart(8, '0')
}

/** The base URL of one sandbox. */
export function sandboxBaseUrl(baseUrl: string, id: string): string {
  const base = '/api/v1'
  return `${baseUrl.slice(0, baseUrl.lastIndexOf(base))}/sandboxes/${id}${base}`
}
