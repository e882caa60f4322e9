/**
 * One difference that somebody should know of.
 */

/** What it means for a client that works with the double. */
export type Severity = 'breaking' | 'additive' | 'info'

/**
 * Whose word is wrong: the double's; the document's, which the vendor does not follow; or nobody ships what is
 * documented.
 */
export type Verdict = 'ours-is-wrong' | 'undocumented' | 'not-shipped'

export const verdictTexts: Record<Verdict, string> = {
  'ours-is-wrong': 'the double is wrong',
  undocumented: 'the vendor does what it does not document',
  'not-shipped': 'documented and not shipped',
}

export interface Difference {
  /** `reply 200`, `request`, `stream`. */
  readonly part: string
  /** Into the body, `data[].slug`; `output[message].content` for the messages among the items. */
  readonly path: string
  /** `field-added`, `type-changed`, … */
  readonly kind: string
  readonly severity: Severity
  /** In words, without its place. */
  readonly message: string
}

export interface Finding extends Difference {
  readonly operation: string
  readonly verdict: Verdict
  /** What the double was compared with: `document`, `tapes`, `live`. */
  readonly source: string
}

/** The same difference has the same name every day. */
export function nameOf({
  operation,
  part,
  path,
  kind,
}: Omit<Finding, 'verdict' | 'source' | keyof Difference> & Difference): string {
  return [operation, part, path, kind].filter((word) => word !== '').join(' ')
}
