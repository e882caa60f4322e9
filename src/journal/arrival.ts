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

/** Characters of its headers. */
export function sizeOf(headers: Arrival['headers']): number {
  let size = 0
  for (const name in headers) size += name.length + (headers[name] as string).length
  return size
}
