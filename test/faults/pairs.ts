/**
 * Runs pairs of faults in one rule: either both take effect on the wire, or the rule is rejected with a
 * reason.
 */
import { setupServer } from 'msw/node'
import { needsStream, requestedForm } from '../../src/faults/fault.ts'
import type { FaultName } from '../../src/faults/index.ts'
import { faultOf, faults } from '../../src/faults/index.ts'
import { createGateway, type Sandbox } from '../../src/index.ts'
import { handlers } from '../../src/msw.ts'
import { startServer } from '../../src/serve.ts'
import { type ExpectedEffect, expectedEffects, type FaultContext } from './expected-effects.ts'
import { type Protocol, toResponsesTypes } from './responses-types.ts'
import { overFetch, overSocket, type Wire } from './wire.ts'

export interface Case {
  first: FaultName
  /** The second fault; undefined for a single fault. */
  second: FaultName | undefined
  form: 'json' | 'stream'
  adapter: FaultContext['adapter']
  protocol: Protocol
}

const input = 'How do tides work, and what do the moon and the sun have to do with them?'

const names = faults.map(({ name }) => name as FaultName)

/** Faults in calls, which these answers do not have. */
const onCalls = ['tool-arguments', 'tool-call'] as const

/**
 * Each fault alone and each unordered pair, including a fault with itself, as JSON and stream, through each adapter.
 * `field` is not paired with itself, because its expected effect has only one path. `stream-reordered-events` is not
 * paired with faults that never act, because it waits for them, and the end leaves too few events to reorder.
 */
export const allCases: Case[] = names.flatMap((first, index) =>
  [undefined, ...names.slice(first === 'field' ? index + 1 : index)]
    .filter((second) => second !== 'stream-reordered-events' || !onCalls.some((name) => name === first))
    .flatMap((second) =>
      (['json', 'stream'] as const).flatMap((form) =>
        (['msw', 'fetch', 'node'] as const).map((adapter) => ({
          first,
          second,
          form,
          adapter,
          protocol: 'responses' as const,
        })),
      ),
    ),
)

/**
 * The same cases for chat and messages streams, through `fetch` and over a socket. Excludes `stream-reordered-events`
 * after faults that act at the end of these streams, because too few events remain to reorder.
 */
export const protocolCases: Case[] = allCases
  .filter(({ form, adapter }) => form === 'stream' && adapter !== 'msw')
  .filter(
    ({ first, second = '' }) =>
      !(
        second === 'stream-reordered-events' &&
        /^(citation-|usage|content-filter|stream-sequence-gap)/.test(first)
      ),
  )
  .flatMap((each) => (['chat', 'messages'] as const).map((protocol) => ({ ...each, protocol })))

/** Each protocol's operation, path and request body. */
const requests = {
  responses: { on: 'createResponse', path: '/responses', body: { input } },
  chat: {
    on: 'createChatCompletion',
    path: '/chat/completions',
    body: { messages: [{ role: 'user', content: input }], stream_options: { include_usage: true } },
  },
  messages: {
    on: 'createMessage',
    path: '/messages',
    body: { messages: [{ role: 'user', content: input }], max_tokens: 5000 },
  },
} as const

/**
 * Faults without an effect in a protocol, because its streams have no sequence numbers, [DONE] or citation offsets, or
 * because the answers have no calls.
 */
const ineffective: Record<Protocol, readonly FaultName[]> = {
  responses: onCalls,
  chat: [...onCalls, 'stream-sequence-gap'],
  messages: [
    ...onCalls,
    'stream-sequence-gap',
    'stream-without-done',
    'stream-data-after-done',
    'citation-out-of-range',
  ],
}

export type Result =
  | { kind: 'both' }
  /** Neither fault applies to requests for this format. */
  | { kind: 'not-applicable' }
  | { kind: 'rejected'; reason: string }
  | { kind: 'failed'; why: string; wire?: Wire }

/** Real-time limits for faults that never finish: time to the first byte, and silence after it. */
interface TimeLimits {
  answerMs: number
  silenceMs: number
}

/** Limits for an idle machine. Failed cases are repeated with longer limits. */
const shortLimits: TimeLimits = { answerMs: 150, silenceMs: 300 }
const longLimits: TimeLimits = { answerMs: 400, silenceMs: 1500 }

interface Bench {
  run(pair: Case, limits: TimeLimits): Promise<Result>
  close(): Promise<void>
}

/** Opens a gateway behind an adapter. Only one at a time, because interception also affects the others' sockets. */
async function openBench(adapter: Case['adapter']): Promise<Bench> {
  const baseUrl = 'https://gateway.example/api/v1'
  const gateway = createGateway({
    baseUrl,
    limits: { journalEntries: 5 },
  } as object)
  const bench = (entrance: Entrance, close: () => unknown): Bench => ({
    run: (pair, limits) => run(pair, gateway.createSandbox() as Sandbox, entrance, limits),
    close: async () => {
      await close()
    },
  })
  if (adapter === 'node') {
    const server = await startServer({ gateway })
    return bench([overSocket, server.baseUrl], () => server.close())
  }
  if (adapter === 'fetch') return bench([(asked) => overFetch(gateway.fetch, asked), baseUrl], () => {})
  const interception = setupServer(...handlers(gateway))
  interception.listen()
  return bench([(asked) => overFetch(globalThis.fetch, asked), baseUrl], () => interception.close())
}

type Entrance = [ask: typeof overSocket, baseUrl: string]

async function run(
  pair: Case,
  sandbox: Sandbox,
  entrance: Entrance,
  { answerMs, silenceMs }: TimeLimits,
): Promise<Result> {
  const { first, second } = pair
  const both = second ? [first, second] : [first]
  const form = formOnWire(pair, both)
  const settings = both.map((name) => expectedEffectOf(name, pair, form).setting)
  const rejections = [settings, settings.toReversed()].map((list) =>
    rejectionOf(sandbox, pair.protocol, list),
  )
  if (rejections[0] !== undefined || rejections[1] !== undefined) {
    const isSame = (rejections[0] === undefined) === (rejections[1] === undefined)
    sandbox.dispose()
    if (!isSame) return { kind: 'failed', why: `rejected in one order only: ${rejections.join(' / ')}` }
    return { kind: 'rejected', reason: rejections[0] as string }
  }
  const acting = both.filter((name) => acts(name, pair, both))
  if (acting.length === 0) {
    sandbox.dispose()
    return { kind: 'not-applicable' }
  }
  // Alternates the order in the list, which must not matter.
  const listed = (first.length + (second?.length ?? 0)) % 2 === 0 ? settings : settings.toReversed()
  const { on, path, body } = requests[pair.protocol]
  sandbox.use({ on, fault: listed as never })
  const [ask, baseUrl] = entrance
  const isQuiet =
    both.some((name) => ['timeout', 'stream-stall', 'body-stall'].includes(name)) ||
    (pair.adapter === 'node' && both.includes('short-content-length'))
  const read = await ask({
    url: `${baseUrl}${path}`,
    key: sandbox.apiKey,
    body: {
      model: 'aurora/dawn-1',
      ...body,
      tools: [{ type: 'gateway:web_search', parameters: { max_results: 2 } }],
      ...(pair.form === 'stream' && { stream: true }),
    },
    answerMs: both.includes('timeout') ? answerMs : 20_000,
    patienceMs: isQuiet ? silenceMs : 20_000,
    untilClosed: both.some((name) => ['idle-connection-closed', 'short-content-length'].includes(name)),
  })
  const wire = toResponsesTypes(read, pair.protocol)
  const failure = acting.find(
    (name) => isVisible(name, pair, both) && !expectedEffectOf(name, pair, form).isIn(wire),
  )
  const warnings = sandbox.journal.entries().at(-1)?.warnings ?? []
  const reportedIneffective = acting.find((name) =>
    warnings.some((warning) => warning.startsWith(`'${name}' found nothing`)),
  )
  const unreported = both.find(
    (name) =>
      !acting.includes(name) && !warnings.some((warning) => warning.startsWith(`'${name}' found nothing`)),
  )
  sandbox.dispose()
  if (failure) return { kind: 'failed', why: `no effect of ${failure}`, wire }
  if (reportedIneffective)
    return {
      kind: 'failed',
      why: `the journal reports that ${reportedIneffective} had no effect: ${warnings}`,
      wire,
    }
  if (unreported)
    return { kind: 'failed', why: `the journal does not report that ${unreported} had no effect`, wire }
  return { kind: 'both' }
}

function rejectionOf(sandbox: Sandbox, protocol: Protocol, fault: readonly unknown[]): string | undefined {
  try {
    sandbox.use({ on: requests[protocol].on, fault: fault as never })[Symbol.dispose]()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Format of the final reply, because a fault may turn JSON into a stream or the reverse. */
function formOnWire({ form }: Case, both: readonly FaultName[]): 'json' | 'stream' {
  if (both.includes('json-instead-of-stream') && form === 'stream') return 'json'
  if (both.includes('stream-instead-of-json') && form === 'json') return 'stream'
  return form
}

function expectedEffectOf(name: FaultName, pair: Case, form: 'json' | 'stream'): ExpectedEffect {
  const other = name === pair.first ? pair.second : pair.first
  return expectedEffects[name]({ form, other, adapter: pair.adapter, protocol: pair.protocol })
}

/** Requested format to which a fault that changes the format applies. */
function formOf(name: FaultName): 'stream' | 'json' | undefined {
  const fault = faultOf(name)
  return fault.layer === 'form' ? fault.requested : undefined
}

/** Returns true if the fault can act on the request. */
function acts(name: FaultName, pair: Case, both: readonly FaultName[]): boolean {
  if (name === 'idle-connection-closed' && pair.adapter !== 'node') return false
  if (ineffective[pair.protocol].includes(name)) return false
  const fault = faultOf(name)
  const form = formOf(name)
  if (form) return form === pair.form
  const other = both.find((each) => each !== name)
  const otherForm = other && formOf(other)
  if (needsStream(fault)) return formOnWire(pair, both) === 'stream' && (otherForm ?? pair.form) === pair.form
  // A rule that changes the reply's format matches only requests for the other format.
  return otherForm === undefined || otherForm === pair.form || requestedForm(fault) !== undefined
}

/** Faults whose effect is in a chat completion's final chunk, and is lost with that chunk. */
const atEnd = new Set<FaultName>(['content-filter', 'field', 'stream-without-done'])
const cuts = new Set<FaultName>(['stream-cut', 'stream-error-event', 'stream-reset', 'stream-stall'])
const takesEnd = new Set<FaultName>([...cuts, 'stream-malformed-event', 'stream-without-completed'])

/** Returns false if the other fault or the adapter hides the effect, as a truncated head does over `fetch`. */
function isVisible(name: FaultName, { adapter, protocol }: Case, both: readonly FaultName[]): boolean {
  if (adapter === 'msw' && both.includes('broken-gzip') && name !== 'broken-gzip')
    return needsStream(faultOf(name))
  if (protocol === 'chat' && atEnd.has(name) && both.some((each) => takesEnd.has(each))) return false
  return (
    name === 'truncated-head' || adapter === 'node' || !both.includes('truncated-head') || name === 'latency'
  )
}

/** Runs cases concurrently and returns the results in order. */
export async function runAll(list: readonly Case[], concurrency: number): Promise<Result[]> {
  const results: Result[] = []
  for (const adapter of ['msw', 'fetch', 'node'] as const) {
    const bench = await openBench(adapter)
    const indexes = [...list.keys()].filter((index) => list[index]?.adapter === adapter)
    const worker = async () => {
      for (let index = indexes.pop(); index !== undefined; index = indexes.pop())
        results[index] = await bench.run(list[index] as Case, shortLimits)
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
    // A busy machine can miss effects that depend on timing, so failed cases run again, one at a time.
    for (const [index, result] of results.entries()) {
      if (result?.kind !== 'failed' || list[index]?.adapter !== adapter) continue
      for (let attempt = 0; attempt < 3 && results[index]?.kind === 'failed'; attempt++)
        results[index] = await bench.run(list[index] as Case, longLimits)
    }
    await bench.close()
  }
  return results
}

export function describeCase({ first, second, form, adapter, protocol }: Case): string {
  const where = protocol === 'responses' ? '' : `, ${protocol}`
  return `${first}${second ? ` + ${second}` : ''} (${form}, ${adapter}${where})`
}
