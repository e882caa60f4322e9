/**
 * What an answer rests on: a page or a post that a search found, or one that a script names.
 */

/** What a citation cites. */
export interface Source {
  url: string
  title: string
  /** An excerpt. */
  content?: string | undefined
  /** Whether it shares no word with the question. Default: false. */
  isUnrelated?: boolean | undefined
}
