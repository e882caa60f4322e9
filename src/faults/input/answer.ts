/**
 * Faults of the layer `answer` as a scenario writes them.
 */
// Written by `npm run generate` from the schemas: change those.

export type AnswerFault =
  | MissingFieldFault
  | WrongTypeFault
  | DuplicateResponseIdFault
  | MissingUsageFault
  | ContentFilterFault
  | CitationOutOfRangeFault
  | CitationOutOfOrderFault
  | CitationMissingFieldFault

/** A field of the answer is not there, against the contract. */
export interface MissingFieldFault {
  name: 'missing-field'
  /** The field by its path: `data.0.slug`; `*` stands for any of them. In a stream, of each event. */
  path: string
}

/** A field of the answer has another type than the contract says. */
export interface WrongTypeFault {
  name: 'wrong-type'
  /** The field by its path: `data.0.slug`; `*` stands for any of them. In a stream, of each event. */
  path: string
  /** Default: a string becomes a number, everything else a string. */
  as?: 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object'
}

/** Every answer has the same id. */
export interface DuplicateResponseIdFault {
  name: 'duplicate-response-id'
  /** The id that every response has. */
  id?: string
}

/** The answer does not say how many tokens it took: `usage` is not there. */
export interface MissingUsageFault {
  name: 'missing-usage'
}

/** The answer is `incomplete` with the reason `content_filter`; its text is as far as it got. */
export interface ContentFilterFault {
  name: 'content-filter'
}

/** The offsets of each citation lie past the end of the text. */
export interface CitationOutOfRangeFault {
  name: 'citation-out-of-range'
  /** Characters between the end of the text and the beginning of the citation. */
  by?: number
}

/** The citations of a text come in the reverse of their order. */
export interface CitationOutOfOrderFault {
  name: 'citation-out-of-order'
}

/** A field of each citation is not there. */
export interface CitationMissingFieldFault {
  name: 'citation-missing-field'
  /** The field that is left out. */
  field?: 'type' | 'url' | 'title' | 'start_index' | 'end_index' | 'content'
}
