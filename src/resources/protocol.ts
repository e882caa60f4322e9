/**
 * A protocol: one of the forms in which clients ask a model and read its answer, with all that is particular to it.
 */
import type * as z from 'zod'
import type { Frame, StreamEvent } from '../http/reply.ts'
import type { Answer } from './answer.ts'
import type { Conversation } from './conversation.ts'
import type { Prompt } from './prompt.ts'

/** @typeParam Result The object of a complete answer. */
export interface Protocol<Body, Result> {
  /** Reads the conversation in a body that may be unchecked: rules look at bodies before they are checked. */
  conversation(body: unknown, stored?: StoredConversations): Conversation
  /** @param conversation Of this body. */
  prompt(body: Body, conversation: Conversation): Prompt
  /** Renders an answer. */
  object(answer: Answer, context: RenderContext<Body>): Result
  /** Renders the same as the events of a stream, each made when it is read. */
  events(object: Result, answer: Answer, body: Body): Iterable<StreamEvent>
  /**
   * Returns a function that writes the events of one stream; it returns undefined for events to leave out. Default:
   * writes each as `places` encodes it.
   */
  writer?(options: StreamOptions): (event: StreamEvent) => Frame | undefined
  /** Schema of one event of a stream, for the document. */
  readonly eventSchema?: z.ZodType
  readonly places: StreamPlaces
  /** Lists the models of an unchecked body in the order to try. Default: `model` alone. */
  models?(body: unknown): readonly string[] | undefined
  /** Schema of the body where responses are stored, and where a rule scripts the reply. Default: `input.body`. */
  readonly storingBody?: z.ZodType<Body>
  /** Writes an error in the protocol's own envelope. Default: that of the specification. */
  error?(status: number, message: string, requestId: string): object
  /** Status of a failed answer outside of a stream. Default: 200; the object shows the failure. */
  readonly failureStatus?: number
}

/** What a protocol sees of a checked request. */
export interface RenderContext<Body> {
  readonly body: Body
  /** Milliseconds since 1970. */
  readonly now: number
  /** Ids are made from it. */
  readonly requestKey: string
  readonly sandbox: { readonly seed: string | number }
}

export interface StreamOptions {
  readonly stream: { readonly events: 'all' | 'documented' }
}

/** Stored responses, as far as a conversation refers to them. */
export interface StoredConversations {
  /** Finds the conversation that a response ends. */
  find(id: string): readonly unknown[] | undefined
  /** Finds items by their ids. */
  items(ids: Iterable<string>): ReadonlyMap<string, unknown>
}

/** The places in an event stream that faults look for, and the events that only the protocol can write. */
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
