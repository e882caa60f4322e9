/**
 * Faults of the layer `events` as a scenario writes them.
 */
// Written by `npm run generate` from the schemas: change those.

export type EventsFault =
  | CitationLateFault
  | CitationDroppedInStreamFault
  | StreamSequenceGapFault
  | StreamReorderedEventsFault
  | StreamHugeEventFault
  | StreamMalformedEventFault
  | StreamDuplicateEventFault
  | StreamUnknownEventFault
  | StreamEmptyDataFault
  | StreamErrorEventFault
  | StreamWithoutCompletedFault
  | StreamWithoutDoneFault
  | StreamDataAfterDoneFault
  | SlowStreamFault
  | StreamCutFault
  | StreamResetFault
  | StreamStallFault

/** The citations of a stream come after its text is done. */
export interface CitationLateFault {
  name: 'citation-late'
}

/** The citations of a stream are nowhere but in the final answer. */
export interface CitationDroppedInStreamFault {
  name: 'citation-dropped-in-stream'
}

/** From one event on, the sequence numbers are too high: as if events had been lost. */
export interface StreamSequenceGapFault {
  name: 'stream-sequence-gap'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
  /** Numbers that are left out. */
  missing?: number
}

/** Two neighbouring events come in the wrong order. */
export interface StreamReorderedEventsFault {
  name: 'stream-reordered-events'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
}

/** One event has an additional field, `padding`, and is as long as that makes it. */
export interface StreamHugeEventFault {
  name: 'stream-huge-event'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
  /** Length of the field, in bytes. */
  bytes?: number
}

/** The JSON of one event is broken; the stream goes on. */
export interface StreamMalformedEventFault {
  name: 'stream-malformed-event'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
}

/** One event comes twice, with the same sequence number. */
export interface StreamDuplicateEventFault {
  name: 'stream-duplicate-event'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
}

/** An event of a type that no client knows comes in between, with a sequence number of its own. */
export interface StreamUnknownEventFault {
  name: 'stream-unknown-event'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
  /** The type of the event. */
  type?: string
}

/** An event with nothing in its `data:` line comes in between. */
export interface StreamEmptyDataFault {
  name: 'stream-empty-data'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
}

/** The stream reports a failure in its middle and ends. */
export interface StreamErrorEventFault {
  name: 'stream-error-event'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
  /** Bytes that are delivered before it. */
  atByte?: number
  /** Milliseconds of the pace of the stream before it. */
  afterMs?: number
  /** `response.failed` with the whole Response, or the flat `error` event. Default: failed. */
  form?: 'failed' | 'error'
  /** `error.code`. */
  code?: string
  /** `error.message`. */
  message?: string
}

/** The final event, with the whole answer, is missing; `[DONE]` comes. */
export interface StreamWithoutCompletedFault {
  name: 'stream-without-completed'
}

/** The stream is complete, but its last line, `[DONE]`, is missing. */
export interface StreamWithoutDoneFault {
  name: 'stream-without-done'
}

/** After `[DONE]` the first event of the stream comes once more. */
export interface StreamDataAfterDoneFault {
  name: 'stream-data-after-done'
}

/** The head comes at once, the events slowly. */
export interface SlowStreamFault {
  name: 'slow-stream'
  /** Milliseconds before the first event. */
  firstEventMs?: number
  /** Milliseconds before each other event. */
  everyMs?: number
}

/** The stream ends cleanly in the middle: no final event, no `[DONE]`. */
export interface StreamCutFault {
  name: 'stream-cut'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
  /** Bytes that are delivered before it. */
  atByte?: number
  /** Milliseconds of the pace of the stream before it. */
  afterMs?: number
}

/** The connection is reset in the middle of the stream; through MSW and fetch, the body fails to read on. */
export interface StreamResetFault {
  name: 'stream-reset'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
  /** Bytes that are delivered before it. */
  atByte?: number
  /** Milliseconds of the pace of the stream before it. */
  afterMs?: number
}

/** The stream goes silent in the middle and stays open. */
export interface StreamStallFault {
  name: 'stream-stall'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
  /** Bytes that are delivered before it. */
  atByte?: number
  /** Milliseconds of the pace of the stream before it. */
  afterMs?: number
}
