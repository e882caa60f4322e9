/**
 * The table of faults: the only list of them. Names are those that people know from WireMock, toxiproxy and
 * MockServer.
 */
import * as z from 'zod'
import {
  contentFilter,
  duplicateResponseId,
  jsonInsteadOfStream,
  missingField,
  missingUsage,
  streamInsteadOfJson,
  wrongType,
} from './answer.ts'
import { connectionReset, emptyResponse, latency, timeout } from './before.ts'
import {
  bandwidth,
  brokenGzip,
  gzipBody,
  shortContentLength,
  slowBody,
  streamJoined,
  streamSplit,
  truncatedBody,
  wrongContentType,
} from './bytes.ts'
import {
  citationDroppedInStream,
  citationLate,
  citationMissingField,
  citationOutOfOrder,
  citationOutOfRange,
} from './citations.ts'
import { idleConnectionClosed, lostReply, slowHead, truncatedHead } from './connection.ts'
import {
  streamCut,
  streamDataAfterDone,
  streamErrorEvent,
  streamReset,
  streamStall,
  streamWithoutCompleted,
  streamWithoutDone,
} from './endings.ts'
import {
  slowStream,
  streamDuplicateEvent,
  streamEmptyData,
  streamHugeEvent,
  streamMalformedEvent,
  streamReorderedEvents,
  streamSequenceGap,
  streamUnknownEvent,
} from './events.ts'
import { type Fault, type Layer, layers } from './fault.ts'
import type { FaultInput, FaultName } from './fault-input.ts'
import {
  emptyBody,
  errorBodyIn200,
  htmlErrorPage,
  malformedBody,
  randomBytes,
  rateLimit,
  retryAfterDate,
  status,
} from './instead.ts'
import {
  streamBom,
  streamComments,
  streamCrlf,
  streamLoneCr,
  streamMultilineData,
  streamNoSpace,
  streamSplitCrlf,
} from './text.ts'

const table = [
  latency,
  timeout,
  connectionReset,
  emptyResponse,
  status,
  rateLimit,
  retryAfterDate,
  malformedBody,
  htmlErrorPage,
  randomBytes,
  emptyBody,
  errorBodyIn200,
  jsonInsteadOfStream,
  streamInsteadOfJson,

  missingField,
  wrongType,
  duplicateResponseId,
  missingUsage,
  contentFilter,
  citationOutOfRange,
  citationOutOfOrder,
  citationMissingField,

  citationLate,
  citationDroppedInStream,
  streamSequenceGap,
  streamReorderedEvents,
  streamHugeEvent,
  streamMalformedEvent,
  streamDuplicateEvent,
  streamUnknownEvent,
  streamEmptyData,
  streamErrorEvent,
  streamWithoutCompleted,
  streamWithoutDone,
  streamDataAfterDone,
  slowStream,
  streamCut,
  streamReset,
  streamStall,

  streamMultilineData,
  streamNoSpace,
  streamComments,
  streamBom,
  streamCrlf,
  streamLoneCr,
  streamSplitCrlf,

  wrongContentType,
  gzipBody,
  brokenGzip,
  truncatedBody,
  shortContentLength,
  slowBody,
  bandwidth,
  streamJoined,
  streamSplit,

  slowHead,
  truncatedHead,
  idleConnectionClosed,
  lostReply,
] as const

/** Every fault, in the order in which they act: by layer, and within one as listed. */
export const faults: readonly Fault[] = table

type Declared = (typeof table)[number]

/** A fault with its parameters, defaults in place. */
export type FaultSetting = { [F in Declared as F['name']]: { name: F['name'] } & Output<F> }[FaultName]

// A strict object without fields would be typed as one that has no name either.
type Output<F extends Declared> = keyof Params<F>['shape'] extends never ? unknown : z.output<Params<F>>
type Params<F extends Declared> = ReturnType<F['params']>

const byName = new Map(faults.map((fault) => [fault.name, fault]))

export function faultOf(name: string): Fault {
  return byName.get(name) as Fault
}

/** The faults of one rule in the order in which they act. */
export function inOrder(settings: readonly FaultSetting[]): FaultSetting[] {
  return settings.toSorted(
    (left, right) =>
      layers.indexOf(layerOf(left)) - layers.indexOf(layerOf(right)) || place(left) - place(right),
  )
}

function place({ name }: FaultSetting): number {
  return faults.findIndex((fault) => fault.name === name)
}

function layerOf(setting: FaultSetting): Layer {
  const fault = faultOf(setting.name)
  return ('layerOf' in fault && fault.layerOf?.(setting)) || fault.layer
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
