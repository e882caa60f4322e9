/**
 * What a fault is: one planned misbehaviour, declared as a value, as an operation is. Scenario files name it; its
 * layer says when it acts, whatever order a rule lists its faults in.
 */
import type * as z from 'zod'
import type { Frame, Reply } from '../http/reply.ts'
import type { StreamProtocol } from './protocol.ts'

/** From the request to the connection: the order in which faults act. */
export const layers = ['request', 'answer', 'events', 'text', 'bytes', 'connection'] as const
export type Layer = (typeof layers)[number]

/** What a fault may know of the call besides its own parameters. */
export interface FaultFacts {
  /** The next number in [0, 1); the same numbers for the same call, whatever else runs. */
  random(): number
  /** Sandbox time of the request, in milliseconds since 1970. */
  readonly now: number
  /** Milliseconds of sandbox time since the sandbox was made or reset. */
  readonly elapsedMs: number
  /** State of the rule's quota, if it has one. */
  readonly quota: QuotaReading | undefined
  /** Whether the reply goes over a connection of its own: on a socket, and not through MSW or `fetch`. */
  readonly hasConnection: boolean
  /** What the events of the operation's streams are. */
  readonly protocol: StreamProtocol
}

export interface FaultContext extends FaultFacts {
  /** Says that the fault has had its effect, once everything that shows it has been passed on. */
  acted(): void
  /** Says why the fault finds nothing to act on: the end of `… found nothing to act on: …`. */
  missed(why: string): void
  /** Whether the faults of the same rule that act before this one have all acted. */
  othersActed(): boolean
  /** Whether no other fault of the same rule acts before this one on the reply. */
  readonly isFirst: boolean
}

export interface QuotaReading {
  /** Calls that pass in one window. */
  limit: number
  /** Calls that still pass in this window. */
  remaining: number
  /** Milliseconds until the next window. */
  resetMs: number
  /** Where a quota limits tokens: both dimensions by themselves. */
  requests?: { limit: number; remaining: number }
  tokens?: { limit: number; remaining: number }
}

interface Described<Name extends string, Params extends z.ZodObject> {
  /** As scenario files write it: `stream-cut`. */
  readonly name: Name
  /** What the client sees. */
  readonly summary: string
  /** Parts of the exchange that it acts on. A reply is always one of them, unless the fault decides the answer. */
  readonly needs?: readonly Part[]
  /** Parts that can only be one way: no two faults of a rule decide the same one. */
  readonly decides?: readonly Part[]
  /** Parts that are gone after it: no fault of the same rule may need or decide them. */
  readonly removes?: readonly Part[]
  /** Acts on what a model writes: only operations that write texts have it. Default: false. */
  readonly generated?: boolean
  /** Acts on requests for this form of the answer only. Default: on both; a fault that needs a stream, on streams. */
  readonly asked?: 'stream' | 'json'
  /** Its parameters; built when the first scenario is checked. */
  params(): Params
}

/** Parts of an exchange that two faults may get in each other's way about, as messages name them. */
export const parts = {
  reply: 'reply',
  answer: 'answer of the call',
  own: 'answer of the operation',
  form: 'form of the answer',
  stream: 'event stream',
  json: 'content that can be read',
  citations: 'place of the citations',
  final: 'final event',
  done: '`[DONE]`',
  lines: 'line ends',
  chunks: 'chunks of the body',
  headers: 'headers',
  type: 'content type',
  encoding: 'content encoding',
  length: '`Content-Length`',
  body: 'body',
  tail: 'last part of the body',
  end: 'end of the body',
  head: 'response head',
  connection: 'end of the connection',
} as const
export type Part = keyof typeof parts

/** The request waits so many milliseconds, gets this instead of the operation's answer, or asks for another form. */
export type RequestOutcome = number | Reply | { readonly stream: boolean }

interface OnRequest<Params extends z.ZodObject> {
  readonly layer: 'request'
  apply(params: z.output<Params>, context: FaultContext): RequestOutcome
}

/** The reply is changed: its JSON or the events of its stream, its bytes, or how it is carried. */
interface OnReply<Params extends z.ZodObject> {
  readonly layer: 'answer' | 'bytes' | 'connection'
  apply(params: z.output<Params>, context: FaultContext, reply: Reply): Reply
}

/** The frames of an event stream are changed, dropped, delayed or ended; lazily, one at a time. */
interface OnStream<Params extends z.ZodObject> {
  readonly layer: 'events' | 'text'
  /** The layer that these parameters ask for. Default: `layer`. */
  layerOf?(params: z.output<Params>): Layer
  apply(params: z.output<Params>, context: FaultContext, frames: Iterable<Frame>): Iterable<Frame>
}

export type Fault<Name extends string = string, Params extends z.ZodObject = z.ZodObject> = Described<
  Name,
  Params
> &
  (OnRequest<Params> | OnReply<Params> | OnStream<Params>)

/**
 * Declares a fault. A parameter without which it means nothing has no default; with defaults for all of them,
 * scenario files may give the bare name.
 */
export function defineFault<const Name extends string, Params extends z.ZodObject>(
  fault: Fault<Name, Params>,
): Fault<Name, Params> {
  return fault
}

export function actsOnStream(fault: Fault): fault is Fault & OnStream<z.ZodObject> {
  return fault.layer === 'events' || fault.layer === 'text'
}

/** Only an event stream can show this fault. */
export function needsStream(fault: Fault): boolean {
  return actsOnStream(fault) || (fault.needs?.includes('stream') ?? false)
}

/** The form of the answer that a request must ask for; undefined where either will do. */
export function askedForm(fault: Fault): 'stream' | 'json' | undefined {
  return fault.asked ?? (needsStream(fault) ? 'stream' : undefined)
}
