/**
 * One request, as the corridor takes it: no `Request`, so that each adapter brings what it has.
 */
export interface Call {
  /** Upper case. */
  readonly method: string
  /** As requested, with whatever comes before the base address, without the query; still percent-encoded. */
  readonly path: string
  /** The query with its question mark, or the empty string. */
  readonly search: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Reads the body, as text of UTF-8.
   *
   * @param limit Bytes; a longer body throws a 413.
   * @param isText Whether bytes that are no UTF-8 throw a 400. Default: true; otherwise they become U+FFFD.
   */
  readBody(limit: number, isText?: boolean): Promise<string> | string
  /** Whether the reply goes over a connection of its own, which faults may act on. Default: false. */
  readonly hasConnection?: boolean
  /** Aborts when the client leaves. */
  readonly signal?: AbortSignal | undefined
}
