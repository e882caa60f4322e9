/**
 * Faults of the layer `text` as a scenario writes them.
 */
// Written by `npm run generate` from the schemas: change those.

export type TextFault =
  | StreamMultilineDataFault
  | StreamNoSpaceFault
  | StreamCommentsFault
  | StreamBomFault
  | StreamCrlfFault
  | StreamLoneCrFault
  | StreamSplitCrlfFault

/** The JSON of each event is spread over several `data:` lines. */
export interface StreamMultilineDataFault {
  name: 'stream-multiline-data'
}

/** No space stands after `data:`. */
export interface StreamNoSpaceFault {
  name: 'stream-no-space'
}

/** A comment line stands before each event, as gateways send to keep a connection alive. */
export interface StreamCommentsFault {
  name: 'stream-comments'
  /** What the comment lines say. */
  comment?: string
}

/** The stream begins with a byte order mark. */
export interface StreamBomFault {
  name: 'stream-bom'
}

/** Lines end in CR LF. */
export interface StreamCrlfFault {
  name: 'stream-crlf'
}

/** Lines end in CR alone. */
export interface StreamLoneCrFault {
  name: 'stream-lone-cr'
}

/** Lines end in CR LF, and a chunk ends between the two. */
export interface StreamSplitCrlfFault {
  name: 'stream-split-crlf'
}
