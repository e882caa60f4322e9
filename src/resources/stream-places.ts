/**
 * The places in an operation's event streams that faults look for, and the events that only the protocol can write.
 */
import type { StreamEvent } from '../http/reply.ts'

export interface StreamPlaces {
  /** Matches a piece of generated text, function call arguments, refusal or reasoning. */
  isDelta(event: StreamEvent): boolean
  /** Matches an event that adds one citation to a text. */
  isAnnotation(event: StreamEvent): boolean
  /** Matches the end of a text. */
  isTextDone(event: StreamEvent): boolean
  /** Matches the last event of an answer: only `[DONE]` may follow. */
  isFinal(event: StreamEvent): boolean
  /** If true, streams end without `[DONE]`. Default: false. */
  readonly endsWithoutDone?: boolean
  /** Returns an answer or event as a content filter ends it; returns the argument itself if it contains no ending. */
  filtered(value: object): object
  /** Writes an event that is more than a data line. Default: a data line with its JSON. */
  encode?(event: StreamEvent): string
  /** Returns the event that reports a failure in the middle of a stream. */
  failure(failure: StreamFailure, seen: StreamSoFar): StreamEvent
}

/** The part of a stream before a failure. */
export interface StreamSoFar {
  /** The newest event. */
  readonly last?: StreamEvent
  /** The newest complete answer in an event. */
  readonly response: object | undefined
  /** The next sequence number. */
  readonly sequence: number
}

export interface StreamFailure {
  form: 'failed' | 'error'
  code: string
  message: string
}
