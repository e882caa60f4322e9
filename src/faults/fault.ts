/** Declares faults. A fault's layer determines when it is applied and which faults can be combined with it. */
import * as z from 'zod'
import type { Frame, Reply } from '../http/reply.ts'
import type { StreamPlaces } from '../resources/protocol.ts'
import { positionProblem } from './position.ts'

/** Fault layers with their targets, in order of application. */
export const layers = {
  delay: 'the time before the request is processed',
  replacement: 'the reply as a whole: another reply or none is sent, and the operation does not run',
  form: "the answer's format: JSON or an event stream",
  fields: 'the fields of a JSON body, or of the JSON in each event',
  answer: 'the content of a generated answer, in JSON or in stream events',
  events: 'which events a stream sends, in what order and when, and how it ends',
  text: 'the encoding of stream events',
  bytes: "the body's encoding, length and speed",
  chunks: 'how a stream is split into chunks',
  connection: 'the response head and the connection',
} as const
export type Layer = keyof typeof layers

/** Request data that a fault may use in addition to its parameters. */
export interface FaultInputs {
  /** Returns the next number in [0, 1). Seeded with the sandbox's seed, the rule, the request and its occurrence. */
  random(): number
  /** Sandbox time of the request, as Unix time in milliseconds. */
  readonly now: number
  readonly rateLimit: RateLimitState | undefined
  /** If true, the reply is sent over a socket, not through MSW or an intercepted `fetch`. */
  readonly hasConnection: boolean
  readonly canStream: boolean
  readonly protocol: StreamPlaces
  /** Protocols that a stream's events may belong to, if the operation has none. Default: only `protocol`. */
  readonly protocols?: readonly StreamPlaces[]
}

export interface FaultContext extends FaultInputs {
  /** Reports that the fault took effect. Call it after yielding a changed frame, because later faults wait for it. */
  acted(): void
  /** Reports why the fault had no effect, for the warning `… found nothing to act on: …`. */
  missed(why: string): void
  /** Returns true if all preceding faults that change the reply have taken effect. */
  othersActed(): boolean
  /** If true, no preceding fault changes the reply. */
  readonly isFirst: boolean
}

export interface RateLimitState {
  /** Requests allowed per window, or tokens if only tokens are limited or exhausted. */
  limit: number
  remaining: number
  resetMs: number
  /** Set if both requests and tokens are limited. */
  requests?: { limit: number; remaining: number }
  /** Set if tokens are limited. */
  tokens?: { limit: number; remaining: number }
}

interface Effects<Params> {
  /** Returns the delay in milliseconds of sandbox time. */
  delay: { apply(params: Params, context: FaultContext): number }
  replacement: { apply(params: Params, context: FaultContext): Reply }
  /** Applies only to requests for the `requested` format. The reply uses the other format. */
  form: { readonly requested: 'stream' | 'json' }
  fields: ChangesReply<Params>
  answer: ChangesReply<Params>
  events: ChangesFrames<Params>
  text: ChangesFrames<Params>
  bytes: ChangesReply<Params>
  chunks: ChangesReply<Params>
  connection: ChangesReply<Params>
}

interface ChangesReply<Params> {
  apply(params: Params, context: FaultContext, reply: Reply): Reply
}

/** Changes, drops or delays an event stream's frames, or ends the stream. Works lazily, one frame at a time. */
interface ChangesFrames<Params> {
  /** Default: `layer`. */
  layerOf?(params: Params): Layer
  apply(params: Params, context: FaultContext, frames: Iterable<Frame>): Iterable<Frame>
}

type Schemas = Readonly<Record<string, z.ZodType>>
type Output<Shape extends Schemas> = z.output<z.ZodObject<Shape, z.core.$strict>>

export type FaultDefinition<Name extends string = string, Shape extends Schemas = Schemas> = {
  [Applied in Layer]: {
    readonly name: Name
    readonly layer: Applied
    readonly summary: string
    /** Creates the parameter schema. Called when the first scenario is checked. */
    params(): z.ZodObject<Shape, z.core.$strict>
  } & Effects<Output<Shape>>[Applied]
}[Layer]

interface Declaration<Shape extends Schemas> {
  readonly summary: string
  /** Default: no parameters. */
  params?(): Shape
  /** Returns a problem with the parameters as a whole. */
  problem?(params: Output<Shape>): string | undefined
}

/** Declares a fault. If all parameters have defaults, a scenario file can contain just the fault's name. */
export function defineFault<
  const Name extends string,
  Applied extends Layer,
  Shape extends Schemas = Record<never, never>,
>(
  name: Name,
  layer: Applied,
  { params, problem, ...fault }: Declaration<Shape> & Effects<Output<Shape>>[Applied],
): FaultDefinition<Name, Shape> {
  const schema = () =>
    z.strictObject(params?.() ?? {}).superRefine((setting, context) => {
      const message = positionProblem(setting) ?? problem?.(setting as Output<Shape>)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    })
  // Spreading a union loses the connection between `layer` and `apply`.
  return { ...fault, name, layer, params: schema } as unknown as FaultDefinition<Name, Shape>
}

export function needsStream({ layer }: FaultDefinition): boolean {
  return layer === 'events' || layer === 'text' || layer === 'chunks'
}

export function needsGeneratedAnswer(fault: FaultDefinition): boolean {
  return fault.layer === 'form' || fault.layer === 'answer' || needsStream(fault)
}

/** Returns the format that the client must request for the fault to take effect, or undefined if either works. */
export function requestedForm(fault: FaultDefinition): 'stream' | 'json' | undefined {
  if (fault.layer === 'form') return fault.requested
  return needsStream(fault) ? 'stream' : undefined
}

/** Returns the format that any of the faults needs to act. Stream faults also act on streams that a fault forces. */
export function formFor(faults: readonly FaultDefinition[]): 'stream' | 'json' | undefined {
  const forms = new Set(faults.map(requestedForm))
  const forced = faults.find(({ layer }) => layer === 'form')
  if (forced) return forms.has(undefined) ? undefined : requestedForm(forced)
  return forms.size === 1 ? [...forms][0] : undefined
}
