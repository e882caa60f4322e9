/**
 * A protocol translates between a client's request and reply formats and the gateway's prompts and answers.
 */
import type * as z from 'zod'
import type { Frame, StreamEvent } from '../http/reply.ts'
import type { Answer } from './answer.ts'
import type { Conversation } from './conversation.ts'
import type { Prompt } from './prompt.ts'

/** @typeParam Result The object of a complete answer. */
export interface Protocol<Body, Result> {
  /** Reads the conversation from a body, which may be invalid: rules match bodies before they are validated. */
  conversation(body: unknown, stored?: StoredConversations): Conversation
  /** @param conversation Conversation of this body. */
  prompt(body: Body, conversation: Conversation): Prompt
  /** Renders an answer. */
  object(answer: Answer, context: RenderContext<Body>): Result
  /** Renders an answer as the events of a stream, lazily. */
  events(object: Result, answer: Answer, body: Body): Iterable<StreamEvent>
  /**
   * Returns a function that encodes the events of one stream; it returns undefined for events to omit. Default:
   * encodes each event as `places` does.
   */
  writer?(options: StreamOptions): (event: StreamEvent) => Frame | undefined
  /** Schema of an event, for the OpenAPI document. */
  readonly eventSchema?: z.ZodType
  readonly places: StreamPlaces
  /** Returns the models to try, in order, from an unvalidated body. Default: only `model`. */
  models?(body: unknown): readonly string[] | undefined
  /** Schema of the body if responses are stored, or if a rule scripts the reply. Default: `input.body`. */
  readonly storingBody?: z.ZodType<Body>
  /** Returns an error in the protocol's envelope. Default: the envelope of the specification. */
  error?(status: number, message: string, requestId: string): object
  /** Status of a failed answer that is not streamed. Default: 200; the object shows the failure. */
  readonly failureStatus?: number
}

/** Data of a validated request that a protocol may read. */
export interface RenderContext<Body> {
  readonly body: Body
  /** Milliseconds since 1970. */
  readonly now: number
  /** Source of generated ids. */
  readonly requestKey: string
  readonly sandbox: { readonly seed: string | number }
}

export interface StreamOptions {
  readonly stream: { readonly events: 'all' | 'documented' }
}

/** Stored responses that a conversation may refer to. */
export interface StoredConversations {
  /** Returns the conversation up to and including a response. */
  find(id: string): readonly unknown[] | undefined
  /** Returns items by id. */
  items(ids: Iterable<string>): ReadonlyMap<string, unknown>
}

/** Positions in an event stream that faults refer to, and events that only the protocol can create. */
export interface StreamPlaces {
  /** Matches a delta of text, function call arguments, refusal or reasoning. */
  isDelta(event: StreamEvent): boolean
  /** Matches an event that adds one citation. */
  isAnnotation(event: StreamEvent): boolean
  /** Matches the event that ends the text of a part. */
  isTextDone(event: StreamEvent): boolean
  /** Matches the last event of an answer: only `[DONE]` may follow. */
  isFinal(event: StreamEvent): boolean
  /** If true, streams end without `[DONE]`. Default: false. */
  readonly endsWithoutDone?: boolean
  /**
   * Changes the end of an answer or event to that of a content filter. Returns the argument itself if it has no end.
   */
  filtered(value: object): object
  /** Encodes an event. Default: a data line with its JSON. */
  encode?(event: StreamEvent): string
  /** Returns the event that reports a failure in the middle of a stream. */
  failure(failure: StreamFailure, seen: StreamSoFar): StreamEvent
}

/** The part of a stream before a failure. */
export interface StreamSoFar {
  /** The latest event. */
  readonly last?: StreamEvent
  /** The latest event that contains a complete answer. */
  readonly response: object | undefined
  /** The next sequence number. */
  readonly sequence: number
}

export interface StreamFailure {
  form: 'failed' | 'error'
  code: string
  message: string
}
