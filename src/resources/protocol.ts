/** A protocol translates between a client's formats and the gateway's prompts and answers. */
import type * as z from 'zod'
import type { Frame, StreamEvent } from '../http/reply.ts'
import type { RecentMap } from '../lib/recent-map.ts'
import type { Answer } from './answer.ts'
import type { Conversation } from './conversation.ts'
import type { Prompt } from './prompt.ts'

/** @typeParam Result Object that represents a complete answer. */
export interface Protocol<Body, Result> {
  /** Reads the conversation from a body, which may be invalid: rules match it before it is validated. */
  conversation(body: unknown, stored?: StoredConversations): Conversation
  prompt(body: Body, conversation: Conversation): Prompt
  object(answer: Answer, context: RenderContext<Body>): Result
  /** Fields of scripted output items that the result shows, as paths such as `message.content.text`. Default: all. */
  readonly shown?: readonly string[]
  events(object: Result, answer: Answer, body: Body): Iterable<StreamEvent>
  /** Returns a function that encodes one stream's events, or returns undefined to omit one. Default: `places.encode`. */
  writer?(options: StreamOptions): (event: StreamEvent) => Frame | undefined
  readonly places: StreamPlaces
  /** Returns the models in an unvalidated body, in the order in which they are tried. Default: only `model`. */
  models?(body: unknown): readonly string[] | undefined
  /** Body schema if responses are stored or a rule scripts the reply. Default: `input.body`. */
  readonly storingBody?: z.ZodType<Body>
  /** Returns an error in the protocol's envelope. Default: the specification's envelope. */
  error?(status: number, message: string, requestId: string, metadata?: Record<string, unknown>): object
  /** Request header that only the protocol's clients send. These clients get the protocol's errors for every path. */
  readonly clientHeader?: string
  /** Reply header that contains the request's id, in addition to `x-request-id`. Default: none. */
  readonly idHeader?: string
  /** Prefix of function call ids. Default: `call_`. */
  readonly callPrefix?: string | undefined
  readonly errorSchema?: z.ZodType
  /** Status of a failed answer that is not streamed. Default: 200, because the object shows the failure. */
  readonly failureStatus?: number
  /** If true, the object can show a failure, and a rule can send it with its own status. Default: false. */
  readonly showsFailure?: boolean
}

export interface RenderContext<Body> {
  readonly body: Body
  /** Sandbox time of the request, as Unix time in milliseconds. */
  readonly now: number
  /** Key for generating ids. Unique for each request. */
  readonly requestKey: string
  readonly sandbox: { readonly seed: string | number; readonly memory: Pick<RecentMap<number>, 'set'> }
}

export interface StreamOptions {
  readonly stream: { readonly events: 'all' | 'documented' }
}

export interface StoredConversations {
  /** Returns the conversation up to and including a response. */
  find(id: string): readonly unknown[] | undefined
  items(ids: Iterable<string>): ReadonlyMap<string, unknown>
  /** Maps each id to the item directly before the item with that id. */
  before(ids: Iterable<string>): ReadonlyMap<string, unknown>
}

/** Stream positions that faults refer to, and events that only the protocol can create. */
export interface StreamPlaces {
  /** Matches events that only this protocol has. */
  owns(event: StreamEvent): boolean
  /** Matches a delta of text, function call arguments, refusal or reasoning. */
  isDelta(event: StreamEvent): boolean
  isReasoningDelta(event: StreamEvent): boolean
  /** Matches an event that ends an answer, such as `response.completed`. No content follows it. */
  isFinal(event: StreamEvent): boolean
  /** If true, streams end without `[DONE]`. Default: false. */
  readonly endsWithoutDone?: boolean
  /** Makes an answer or event end with this reason. Returns the argument itself if unchanged. */
  ended(value: object, reason: 'stop' | 'length' | 'content_filter'): object
  /** Locates the texts and calls in an answer or event. */
  partsOf(value: object): readonly AnswerPart[]
  /** Turns text into a refusal. Returns undefined for events that refusals lack. Default: there are no refusals. */
  refused?(value: object): object | undefined
  /** Field with the list of alternative answers. Default: there is only one answer. */
  readonly choices?: string
  /** Encodes an event. Default: a data line with the event as JSON. */
  encode?(event: StreamEvent): string
  failure(failure: StreamFailure, seen: StreamSoFar): StreamEvent
  /** Creates an event without content. Returns undefined if the protocol has no such event. */
  heartbeat?(kind: (typeof heartbeats)[number], seen: StreamSoFar): StreamEvent | undefined
}

export const heartbeats = ['ping', 'in_progress', 'empty-delta'] as const

/** A part of an answer, as shown in the answer or in an event. Fields are paths, such as `delta.text`. */
export interface AnswerPart {
  /** Default: the kind in an earlier event about the same part. */
  readonly kind?: 'text' | 'reasoning' | 'call' | 'other' | undefined
  /** Identifies the part within the answer. */
  readonly of: string
  /** Path of the value that exists only for this part. An empty path means the whole event. */
  readonly at: string
  /** Paths of the text or arguments, which may be missing. */
  readonly texts: readonly string[]
  /** If true, the fields continue fields of earlier events. */
  readonly isDelta?: boolean
  readonly id?: string
  readonly name?: string
  readonly index?: string
}

export interface StreamSoFar {
  last?: StreamEvent
  /** The `response` object of the latest event that contains one. */
  response: object | undefined
  sequence: number
}

export interface StreamFailure {
  form: 'failed' | 'error'
  /** Default: chosen by the protocol. */
  code?: string | undefined
  message: string
}
