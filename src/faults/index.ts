/**
 * The table of faults: the only list of them. Names are those that people know from WireMock, toxiproxy and
 * MockServer.
 */
import * as z from 'zod'
import { bandwidth, missingField, slowBody, truncatedBody, wrongContentType, wrongType } from './answer.ts'
import { connectionReset, emptyResponse, latency, timeout } from './before.ts'
import {
  citationDroppedInStream,
  citationLate,
  citationMissingField,
  citationOutOfRange,
} from './citations.ts'
import type { Fault } from './fault.ts'
import { htmlErrorPage, malformedBody, randomBytes, rateLimit, status } from './instead.ts'
import {
  slowStream,
  streamComments,
  streamCrlf,
  streamCut,
  streamDuplicateEvent,
  streamErrorEvent,
  streamJoined,
  streamMalformedEvent,
  streamReorderedEvents,
  streamReset,
  streamSplit,
  streamStall,
  streamWithoutCompleted,
  streamWithoutDone,
} from './stream.ts'

const table = [
  latency,
  timeout,
  connectionReset,
  emptyResponse,

  status,
  rateLimit,
  malformedBody,
  htmlErrorPage,
  randomBytes,

  truncatedBody,
  wrongContentType,
  slowBody,
  bandwidth,
  missingField,
  wrongType,

  citationOutOfRange,
  citationMissingField,
  citationLate,
  citationDroppedInStream,

  streamCut,
  streamReset,
  streamStall,
  streamErrorEvent,
  streamWithoutDone,
  streamWithoutCompleted,
  streamMalformedEvent,
  streamDuplicateEvent,
  streamReorderedEvents,
  streamSplit,
  streamJoined,
  streamCrlf,
  streamComments,
  slowStream,
] as const

/** Every fault, in the order in which a reader meets them. */
export const faults: readonly Fault[] = table

type Declared = (typeof table)[number]
export type FaultName = Declared['name']

/** A fault with its parameters, defaults in place. */
export type FaultSetting = { [F in Declared as F['name']]: { name: F['name'] } & Output<F> }[FaultName]

type Written = { [F in Declared as F['name']]: { name: F['name'] } & Input<F> }
// A strict object without fields would be typed as one that has no name either.
type Input<F extends Declared> = keyof Params<F>['shape'] extends never ? unknown : z.input<Params<F>>
type Output<F extends Declared> = keyof Params<F>['shape'] extends never ? unknown : z.output<Params<F>>
type Params<F extends Declared> = ReturnType<F['params']>

/** The faults whose parameters all have defaults: a scenario may give the bare name. */
type BareName = { [Name in FaultName]: { name: Name } extends Written[Name] ? Name : never }[FaultName]
/** A fault as a scenario writes it: `'stream-cut'`, or `{ name: 'stream-cut', atEvent: 5 }`. */
export type FaultInput = BareName | Written[FaultName]

const byName = new Map(faults.map((fault) => [fault.name, fault]))

export function faultOf(name: string): Fault {
  return byName.get(name) as Fault
}

export const faultNames: readonly string[] = faults.map(({ name }) => name)

// The types above say, fault by fault, what this list of schemas can only say of all of them.
export const FaultSetting = z.lazy(() => {
  const built = faults.map(({ name, summary, params }) => ({ name, summary, params: params() }))
  const settings = built.map(({ name, summary, params }) =>
    params.safeExtend({ name: z.literal(name) }).describe(summary),
  )
  const bare = new Map<string, object>()
  for (const { name, params } of built) {
    // Each is parsed this once, where compiling it first, as zod does, takes longer than all the rest.
    const { data } = params.safeParse({}, { jitless: true })
    if (data) bare.set(name, data)
  }
  return z.union([
    z.enum([...bare.keys()]).transform((name) => ({ ...bare.get(name), name })),
    z.discriminatedUnion('name', settings as never),
  ])
}) as unknown as z.ZodType<FaultSetting, FaultInput>
