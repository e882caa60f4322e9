/**
 * Every pair of faults in one rule: both have their effect on the wire, or the scenario is refused with the reason.
 */
import { setupServer } from 'msw/node'
import { askedForm, needsStream } from '../../src/faults/fault.ts'
import type { FaultName } from '../../src/faults/index.ts'
import { faultOf, faults } from '../../src/faults/index.ts'
import { createGateway, type Sandbox } from '../../src/index.ts'
import { handlers } from '../../src/msw.ts'
import { startServer } from '../../src/serve.ts'
import { inResponsesWords, type Protocol } from './in-responses-words.ts'
import { type Mark, type Meeting, marks } from './marks.ts'
import { overFetch, overSocket, type Wire } from './wire.ts'

export interface Case {
  first: FaultName
  /** Undefined for a fault on its own. */
  second: FaultName | undefined
  form: 'json' | 'stream'
  adapter: Meeting['adapter']
  protocol: Protocol
}

const input = 'How do tides work, and what do the moon and the sun have to do with them?'

const names = faults.map(({ name }) => name as FaultName)

/**
 * Each fault on its own, and each unordered pair, with itself as well; in both forms, through each adapter. A field can be
 * missing once: the mark of `missing-field` has one path.
 */
export const allCases: Case[] = names.flatMap((first, index) =>
  [undefined, ...names.slice(first === 'missing-field' ? index + 1 : index)].flatMap((second) =>
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
 * The same in streams of the other protocols, through `fetch` and over a socket. Events that change their places do so
 * behind what the other fault does: where that is at the end of these streams, there are no two events left.
 */
export const protocolCases: Case[] = allCases
  .filter(({ form, adapter }) => form === 'stream' && adapter !== 'msw')
  .filter(
    ({ first, second = '' }) =>
      !(
        second === 'stream-reordered-events' &&
        /^(citation-|missing-usage|content-filter|stream-sequence-gap)/.test(first)
      ),
  )
  .flatMap((each) => (['chat', 'messages'] as const).map((protocol) => ({ ...each, protocol })))

/** Where each protocol is asked, and what it asks with. */
const asking = {
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

/** What the events of a protocol have not got: numbers, a last line, offsets of citations. */
const without: Record<Protocol, readonly FaultName[]> = {
  responses: [],
  chat: ['stream-sequence-gap'],
  messages: ['stream-sequence-gap', 'stream-without-done', 'stream-data-after-done', 'citation-out-of-range'],
}

export type Result =
  | { kind: 'both' }
  /** Neither is about requests of this form. */
  | { kind: 'elsewhere' }
  | { kind: 'refused'; reason: string }
  | { kind: 'wrong'; why: string; wire?: Wire }

/** Real milliseconds without a first byte, and of silence after one, where a fault is to keep silent. */
interface Patience {
  answerMs: number
  silenceMs: number
}

/** Enough where the machine is not busy; what looks wrong is looked at again with more. */
const little: Patience = { answerMs: 150, silenceMs: 300 }
const much: Patience = { answerMs: 400, silenceMs: 1500 }

interface Bench {
  run(pair: Case, patience: Patience): Promise<Result>
  close(): Promise<void>
}

/** A gateway behind one of its entrances: interception would sit on the sockets of the others as well. */
async function openBench(adapter: Case['adapter']): Promise<Bench> {
  const baseUrl = 'https://gateway.example/api/v1'
  const gateway = createGateway({
    baseUrl,
    limits: { journalEntries: 5 },
    extensions: ['chat', 'messages'],
  } as object)
  const bench = (entrance: Entrance, close: () => unknown): Bench => ({
    run: (pair, patience) => run(pair, gateway.createSandbox() as Sandbox, entrance, patience),
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
  { answerMs, silenceMs }: Patience,
): Promise<Result> {
  const { first, second } = pair
  const both = second ? [first, second] : [first]
  const form = formOnWire(pair, both)
  const settings = both.map((name) => markOf(name, pair, form).setting)
  const refusals = [settings, settings.toReversed()].map((list) => refusalOf(sandbox, pair.protocol, list))
  if (refusals[0] !== undefined || refusals[1] !== undefined) {
    const isSame = (refusals[0] === undefined) === (refusals[1] === undefined)
    sandbox.dispose()
    if (!isSame) return { kind: 'wrong', why: `refused one way round only: ${refusals.join(' / ')}` }
    return { kind: 'refused', reason: refusals[0] as string }
  }
  const acting = both.filter((name) => acts(name, pair, both))
  if (acting.length === 0) {
    sandbox.dispose()
    return { kind: 'elsewhere' }
  }
  // Whether the one or the other is listed first must not matter: by turns.
  const listed = (first.length + (second?.length ?? 0)) % 2 === 0 ? settings : settings.toReversed()
  const { on, path, body } = asking[pair.protocol]
  sandbox.use({ on, faults: listed as never })
  const [ask, baseUrl] = entrance
  const isQuiet =
    both.some((name) => name === 'timeout' || name === 'stream-stall') ||
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
  const wire = inResponsesWords(read, pair.protocol)
  const failure = acting.find((name) => isVisible(name, pair, both) && !markOf(name, pair, form).shows(wire))
  const warnings = sandbox.journal.entries().at(-1)?.warnings ?? []
  const silent = acting.find((name) =>
    warnings.some((warning) => warning.startsWith(`'${name}' found nothing`)),
  )
  const untold = both.find(
    (name) =>
      !acting.includes(name) && !warnings.some((warning) => warning.startsWith(`'${name}' found nothing`)),
  )
  sandbox.dispose()
  if (failure) return { kind: 'wrong', why: `no trace of ${failure}`, wire }
  if (silent) return { kind: 'wrong', why: `the journal says that ${silent} did nothing: ${warnings}`, wire }
  if (untold) return { kind: 'wrong', why: `the journal does not say that ${untold} did nothing`, wire }
  return { kind: 'both' }
}

function refusalOf(sandbox: Sandbox, protocol: Protocol, fault: readonly unknown[]): string | undefined {
  try {
    sandbox.use({ on: asking[protocol].on, faults: fault as never })[Symbol.dispose]()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** What the answer is in the end: a fault may turn it into the other form. */
function formOnWire({ form }: Case, both: readonly FaultName[]): 'json' | 'stream' {
  if (both.includes('json-instead-of-stream') && form === 'stream') return 'json'
  if (both.includes('stream-instead-of-json') && form === 'json') return 'stream'
  return form
}

function markOf(name: FaultName, pair: Case, form: 'json' | 'stream'): Mark {
  const other = name === pair.first ? pair.second : pair.first
  return marks[name]({ form, other, adapter: pair.adapter, protocol: pair.protocol })
}

/** Returns the form that a request must ask for so that this fault can give it the other one. */
function formOf(name: FaultName): 'stream' | 'json' | undefined {
  const fault = faultOf(name)
  return fault.layer === 'form' ? fault.asked : undefined
}

/** Whether a fault can act on a request of this form. */
function acts(name: FaultName, pair: Case, both: readonly FaultName[]): boolean {
  if (name === 'idle-connection-closed' && pair.adapter !== 'node') return false
  if (without[pair.protocol].includes(name)) return false
  const isAfterCut = pair.protocol === 'chat' && both.some((each) => cuts.has(each))
  if (isAfterCut && (name === 'citation-late' || name === 'citation-dropped-in-stream')) return false
  const fault = faultOf(name)
  const form = formOf(name)
  if (form) return form === pair.form
  const other = both.find((each) => each !== name)
  const asked = other && formOf(other)
  if (needsStream(fault)) return formOnWire(pair, both) === 'stream' && (asked ?? pair.form) === pair.form
  // A rule about the form of the answer is only about requests for the other one.
  return asked === undefined || asked === pair.form || askedForm(fault) !== undefined
}

/** One chunk ends text and answer of a completion: what shows there is gone with it. */
const atEnd = new Set<FaultName>([
  'content-filter',
  'citation-dropped-in-stream',
  'citation-late',
  'missing-field',
  'stream-without-done',
])
const cuts = new Set<FaultName>(['stream-cut', 'stream-error-event', 'stream-reset', 'stream-stall'])
const takesEnd = new Set<FaultName>([...cuts, 'stream-malformed-event', 'stream-without-completed'])

/** Over `fetch` there is nothing to see of a reply whose head is cut, and through MSW of JSON in broken gzip. */
function isVisible(name: FaultName, { adapter, protocol }: Case, both: readonly FaultName[]): boolean {
  if (adapter === 'msw' && both.includes('broken-gzip') && name !== 'broken-gzip')
    return needsStream(faultOf(name))
  // Where the final event repeats no citations, those that are dropped are nowhere.
  const isDropped = protocol !== 'responses' && both.includes('citation-dropped-in-stream')
  if (isDropped && name !== 'citation-dropped-in-stream' && name.startsWith('citation-')) return false
  if (protocol === 'chat' && atEnd.has(name) && both.some((each) => takesEnd.has(each))) return false
  return (
    name === 'truncated-head' || adapter === 'node' || !both.includes('truncated-head') || name === 'latency'
  )
}

/** Runs cases, several at a time, and gives the results in their order. */
export async function runAll(list: readonly Case[], atOnce: number): Promise<Result[]> {
  const results: Result[] = []
  for (const adapter of ['msw', 'fetch', 'node'] as const) {
    const bench = await openBench(adapter)
    const places = [...list.keys()].filter((place) => list[place]?.adapter === adapter)
    const worker = async () => {
      for (let place = places.pop(); place !== undefined; place = places.pop())
        results[place] = await bench.run(list[place] as Case, little)
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    // A busy machine reads late, and what a fault does in time is not seen: what looks wrong is looked at alone.
    for (const [place, result] of results.entries()) {
      if (result?.kind !== 'wrong' || list[place]?.adapter !== adapter) continue
      for (let look = 0; look < 3 && results[place]?.kind === 'wrong'; look++)
        results[place] = await bench.run(list[place] as Case, much)
    }
    await bench.close()
  }
  return results
}

export function describeCase({ first, second, form, adapter, protocol }: Case): string {
  const where = protocol === 'responses' ? '' : `, ${protocol}`
  return `${first}${second ? ` + ${second}` : ''} (${form}, ${adapter}${where})`
}
