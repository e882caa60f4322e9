/**
 * The declaration of a fault: one planned misbehaviour, as a value. Scenario files refer to it by name; its layer says
 * when it acts and which other faults it can act with.
 */
import * as z from 'zod'
import type { Frame, Reply } from '../http/reply.ts'
import type { StreamPlaces } from '../resources/protocol.ts'

/** What the faults of each layer act on. Faults act in the order of these layers. */
export const layers = {
  delay: 'the time before the request is processed',
  replacement: 'the reply as a whole: another reply is sent, or none, and the operation does not run',
  form: 'the form of the answer: JSON or an event stream',
  fields: 'the fields of a JSON body, or of the JSON in each event',
  answer: 'the contents of a generated answer, as JSON or in the events of a stream',
  events: 'the events of a stream: which ones are sent, in which order, when, and how the stream ends',
  text: 'how the events of a stream are written',
  bytes: 'the encoding of the body, its length and its speed',
  chunks: 'the chunks in which a stream is sent',
  connection: 'the response head, and the connection of the reply',
} as const
export type Layer = keyof typeof layers

/** What a fault may know of the request in addition to its parameters. */
export interface FaultFacts {
  /** Returns the next number in [0, 1). Equal requests get equal numbers, whatever else runs. */
  random(): number
  /** Sandbox time of the request, in milliseconds since 1970. */
  readonly now: number
  /** State of the rule's quota, if it has one. */
  readonly quota: QuotaReading | undefined
  /** If true, the reply has a connection of its own: a socket, not MSW or `fetch`. */
  readonly hasConnection: boolean
  /** Where the parts of an answer are in the operation's streams. */
  readonly protocol: StreamPlaces
}

export interface FaultContext extends FaultFacts {
  /** Reports that the fault had its effect. Call it after yielding everything that shows the effect. */
  acted(): void
  /** Reports why the fault had nothing to act on: the end of the warning `… found nothing to act on: …`. */
  missed(why: string): void
  /** Returns true after all other faults of the rule that act on the reply before this one have acted. */
  othersActed(): boolean
  /** If true, no other fault of the rule acts on the reply before this one. */
  readonly isFirst: boolean
}

export interface QuotaReading {
  /** Requests allowed per window. */
  limit: number
  /** Requests left in this window. */
  remaining: number
  /** Milliseconds until the next window. */
  resetMs: number
  /** Both dimensions separately, if the quota limits tokens. */
  requests?: { limit: number; remaining: number }
  tokens?: { limit: number; remaining: number }
}

interface Described<Name extends string, Params extends z.ZodObject> {
  /** As scenario files write it: `stream-cut`. */
  readonly name: Name
  /** Effect that the client sees. */
  readonly summary: string
  /** Builds the schema of the parameters, when the first scenario is checked. */
  params(): Params
}

interface Delaying<Params extends z.ZodObject> {
  readonly layer: 'delay'
  /** Returns milliseconds of sandbox time. */
  apply(params: z.output<Params>, context: FaultContext): number
}

interface Replacing<Params extends z.ZodObject> {
  readonly layer: 'replacement'
  apply(params: z.output<Params>, context: FaultContext): Reply
}

/** Acts on requests for one form of the answer only. The operation answers in the other one. */
interface OnForm {
  readonly layer: 'form'
  readonly asked: 'stream' | 'json'
}

interface OnReply<Params extends z.ZodObject> {
  readonly layer: 'fields' | 'answer' | 'bytes' | 'chunks' | 'connection'
  apply(params: z.output<Params>, context: FaultContext, reply: Reply): Reply
}

/** Changes, drops, delays or ends the frames of an event stream; lazily, one at a time. */
interface OnStream<Params extends z.ZodObject> {
  readonly layer: 'events' | 'text'
  /** Returns the layer in which the fault acts with these parameters. Default: `layer`. */
  layerOf?(params: z.output<Params>): Layer
  apply(params: z.output<Params>, context: FaultContext, frames: Iterable<Frame>): Iterable<Frame>
}

type Effect<Params extends z.ZodObject> =
  | Delaying<Params>
  | Replacing<Params>
  | OnForm
  | OnReply<Params>
  | OnStream<Params>

export type Fault<Name extends string = string, Params extends z.ZodObject = z.ZodObject> = Described<
  Name,
  Params
> &
  Effect<Params>

/**
 * Declares a fault. If all of its parameters have defaults, scenario files may write the bare name.
 *
 * @param fault `params` may be left out for a fault without parameters.
 */
export function defineFault<const Name extends string, Params extends z.ZodObject = ReturnType<typeof none>>(
  fault: Omit<Described<Name, Params>, 'params'> & { params?(): Params } & Effect<Params>,
): Fault<Name, Params> {
  // The spread of a union forgets which layer belongs to which `apply`.
  return { params: none, ...fault } as Fault<Name, Params>
}

const none = () => z.strictObject({})

/** Returns true for a fault that only an event stream can show. */
export function needsStream({ layer }: Fault): boolean {
  return layer === 'events' || layer === 'text' || layer === 'chunks'
}

/** Returns true for a fault that only operations with generated answers can show. */
export function needsGeneratedAnswer(fault: Fault): boolean {
  return fault.layer === 'form' || fault.layer === 'answer' || needsStream(fault)
}

/** Returns the form of the answer that a request must ask for; undefined for either. */
export function askedForm(fault: Fault): 'stream' | 'json' | undefined {
  if (fault.layer === 'form') return fault.asked
  return needsStream(fault) ? 'stream' : undefined
}

/**
 * Returns the form of the answer that a request must ask for so that one of the faults can act; undefined for either.
 * A fault of streams also acts on the stream that `stream-instead-of-json` makes of JSON.
 */
export function formFor(faults: readonly Fault[]): 'stream' | 'json' | undefined {
  const forms = new Set(faults.map(askedForm))
  const forced = faults.find(({ layer }) => layer === 'form')
  if (forced) return forms.has(undefined) ? undefined : askedForm(forced)
  return forms.size === 1 ? [...forms][0] : undefined
}
