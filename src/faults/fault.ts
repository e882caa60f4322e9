/**
 * What a fault is: one planned misbehaviour, declared as a value, as an operation is. Scenario files name it;
 * its family says when in the life of a request it acts.
 */
import type * as z from 'zod'
import type { Frame, Reply } from '../http/reply.ts'

/** What a fault may know besides its own parameters. */
export interface FaultContext {
  /** The next number in [0, 1); the same numbers for the same call, whatever else runs. */
  random(): number
  /** Milliseconds of sandbox time since the sandbox was made or reset. */
  elapsedMs: number
  /** Where the rule's quota stands, if it has one. */
  quota: QuotaReading | undefined
  /** Says in the journal what a caller should know. */
  warn(message: string): void
}

export interface QuotaReading {
  /** Calls that pass in one window. */
  limit: number
  /** Calls that still pass in this window. */
  remaining: number
  /** Milliseconds until the next window. */
  resetMs: number
}

interface Described<Name extends string, Params extends z.ZodObject> {
  /** As scenario files write it: `stream-cut`. */
  readonly name: Name
  /** What the client sees. */
  readonly summary: string
  /** Built when the first scenario is checked: see `scenario.ts`. */
  params(): Params
}

/** The request waits so many milliseconds, or gets no answer at all; it is not checked and nothing is written. */
interface Before<Params extends z.ZodObject> {
  readonly family: 'before'
  apply(params: z.output<Params>, context: FaultContext): number | Reply
}

/** Another answer in place of the operation's own, which is not even asked: nothing is written. */
interface Instead<Params extends z.ZodObject> {
  readonly family: 'instead'
  apply(params: z.output<Params>, context: FaultContext): Reply
}

/** The operation answers, and its answer is changed. */
interface Answer<Params extends z.ZodObject> {
  readonly family: 'answer'
  apply(params: z.output<Params>, context: FaultContext, reply: Reply): Reply
}

/** As `answer`, for the operations that cite; `streamed` where only an event stream can show it. */
interface Citations<Params extends z.ZodObject> {
  readonly family: 'citations'
  readonly streamed?: boolean
  apply(params: z.output<Params>, context: FaultContext, reply: Reply): Reply
}

/** The frames of an event stream are changed, dropped, held back or ended; lazily, one at a time. */
interface Stream<Params extends z.ZodObject> {
  readonly family: 'stream'
  apply(params: z.output<Params>, context: FaultContext, frames: Iterable<Frame>): Iterable<Frame>
}

export type Fault<Name extends string = string, Params extends z.ZodObject = z.ZodObject> = Described<
  Name,
  Params
> &
  (Before<Params> | Instead<Params> | Answer<Params> | Citations<Params> | Stream<Params>)

export type Family = Fault['family']

/**
 * Declares a fault. A parameter without which it means nothing has no default; with defaults for all of them,
 * scenario files may give the bare name.
 */
export function defineFault<const Name extends string, Params extends z.ZodObject>(
  fault: Fault<Name, Params>,
): Fault<Name, Params> {
  return fault
}

/** Only an event stream can show this fault. */
export function needsStream(fault: Fault): boolean {
  return fault.family === 'stream' || (fault.family === 'citations' && fault.streamed === true)
}
