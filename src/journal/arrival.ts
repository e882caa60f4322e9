/**
 * What is known of a call at its arrival.
 */

export interface Arrival {
  /** Upper case. */
  readonly method: string
  /** As requested. */
  readonly path: string
  /** The query with its question mark, or the empty string. */
  readonly search: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}
