/**
 * Faults of the layer `bytes` as a scenario writes them.
 */
// Written by `npm run generate` from the schemas: change those.

export type BytesFault =
  | WrongContentTypeFault
  | GzipBodyFault
  | BrokenGzipFault
  | TruncatedBodyFault
  | ShortContentLengthFault
  | SlowBodyFault
  | BandwidthFault
  | StreamJoinedFault
  | StreamSplitFault

/** The right body under another content type. */
export interface WrongContentTypeFault {
  name: 'wrong-content-type'
  /** The `Content-Type` instead. */
  contentType?: string
}

/** The body comes as gzip, with `Content-Encoding: gzip`, also to a client that did not ask for it. */
export interface GzipBodyFault {
  name: 'gzip-body'
}

/** The body comes as gzip whose checksum is wrong: it fails at its end, when all of it has been read. */
export interface BrokenGzipFault {
  name: 'broken-gzip'
}

/** The body ends too early, against its `Content-Length` or without the end of its chunks, and the connection closes. */
export interface TruncatedBodyFault {
  name: 'truncated-body'
  /** Bytes that are sent. Default: half of them. */
  atByte?: number
}

/** `Content-Length` is too short: the last bytes of the body are none of it. */
export interface ShortContentLengthFault {
  name: 'short-content-length'
  /** Bytes that the length is too short. */
  by?: number
}

/** The head comes at once; the body dribbles in, in equal pieces. */
export interface SlowBodyFault {
  name: 'slow-body'
  /** Milliseconds that the body takes. */
  ms?: number
  /** In how many pieces. */
  chunks?: number
}

/** The body comes at so many bytes per second. */
export interface BandwidthFault {
  name: 'bandwidth'
  /** Bytes of the body in a second. */
  bytesPerSecond?: number
}

/** Head and events of a stream come together at its end, in one chunk, as through a proxy that buffers. */
export interface StreamJoinedFault {
  name: 'stream-joined'
  /** Milliseconds that a stream is held back which itself takes less. */
  ms?: number
}

/** The stream comes in chunks of so many bytes: also inside a line, and inside a character. */
export interface StreamSplitFault {
  name: 'stream-split'
  /** Bytes of each chunk. */
  bytes?: number
}
