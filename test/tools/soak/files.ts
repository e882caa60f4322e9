/**
 * Files that users exchange, each changed in one or two places. Each is accepted and works, or is rejected with a
 * one-line message.
 */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { createGateway, parseRecording } from '../../../src/index.ts'
import { part } from './part.ts'
import { exercise, tryScenario } from './scenarios.ts'

/** One rule per numeric feature. */
const rules = [
  { on: 'createResponse', rateLimit: { requests: 5, tokens: 9000, per: '1m', by: 'key' } },
  { on: 'listProviders', rateLimit: { requests: 50, per: 60_000 }, fault: { name: 'latency', ms: 20 } },
  { on: 'createResponse', when: { call: [3, 9], stream: true }, fault: { name: 'stream-cut', atEvent: 2 } },
  { on: 'createResponse', after: 1, probability: 0.5, fault: { name: 'slow-body', ms: 50, chunks: 5 } },
  { on: 'updateWorkspace', fault: { name: 'retry-after-date', ms: 3000 } },
  { on: 'createResponse', during: { fromMs: 10, toMs: 5000 }, fault: 'timeout' },
  { on: 'getPreset', times: 2, fault: { name: 'rate-limit', retryAfterMs: 10, limit: 5 } },
  {
    on: 'getPreset',
    sequence: ['pass', { fault: { name: 'bandwidth', bytesPerSecond: 100 } }],
    onEnd: 'repeat-last',
  },
  {
    on: 'createResponse',
    when: { input: 'Usage' },
    reply: { text: 'Five.', usage: { input_tokens: 5, output_tokens: 2 } },
  },
  {
    on: 'createResponse',
    when: { input: 'Frames' },
    reply: { status: 201, frames: [{ wait: 5 }, { data: 'x' }] },
  },
]
const scenario = { name: 'many', rules }

const folder = new URL('../../extras/recordings/golden/', import.meta.url)
const recording = parseRecording(
  readFileSync(new URL('createResponse-4649300636fb4c01.recording.jsonl', folder), 'utf8'),
)

const config = {
  seed: 7,
  recordCounts: { providers: 20 },
  timeScale: 0,
  latency: { firstToken: 5, perToken: '2ms' },
  limits: {
    requestBodyBytes: 100_000,
    journalEntries: 100,
    journalBytes: 100_000,
    journalBodyBytes: 1000,
    sandboxes: 10,
    sandboxIdleMs: 1000,
  },
  sandboxes: { default: true },
  scenarios: [scenario],
  strict: false,
}

export const originals = { scenario, recording, config }
type Kind = keyof typeof originals

const number = fc.constantFrom(4_294_967_294, 9e15, -1e15, 1e308, -1, 0, 1e-300, 0.5, 7, 1e11)
const other = fc.oneof(
  fc.constantFrom('', 'x', '9'.repeat(300), 'a\r\nb: c', '__proto__', '2026-13-99', null, true, [], {}),
  fc.jsonValue({ maxDepth: 1 }),
)
/** A position, as a share of all positions, and a change. Half of the changes replace one number with another. */
const change = fc.record({
  at: fc.noBias(fc.nat({ max: 9999 })).map((place) => place / 10_000),
  how: fc.constantFrom('number', 'number', 'number', 'number', 'set', 'delete', 'add', 'repeat'),
  number,
  other,
})
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never

/** Returns a copy of the data with the changes applied. */
function changed(data: unknown, changes: readonly Change[]): unknown {
  const root: Record<string, unknown> = { file: structuredClone(data) }
  for (const { at, how, number, other } of changes) {
    const places = placesIn(root['file'])
    const numbers = places.filter(({ owner, key }) => typeof owner[key] === 'number')
    const all = how === 'number' && numbers.length > 0 ? numbers : places
    const { owner, key } = all[Math.floor(at * all.length)] ?? { owner: root, key: 'file' }
    if (how === 'delete') delete owner[key]
    else if (how === 'repeat' && Array.isArray(owner)) owner.push(structuredClone(owner[Number(key)]))
    else if (how === 'add') owner[Array.isArray(owner) ? owner.length : 'extra'] = other
    else owner[key] = how === 'number' ? number : other
  }
  // Normalised as if read from a file: without holes and without numbers that JSON cannot represent.
  return JSON.parse(JSON.stringify(root['file']) ?? 'null')
}

function placesIn(value: unknown): { owner: Record<string, unknown>; key: string }[] {
  if (typeof value !== 'object' || value === null) return []
  const owner = value as Record<string, unknown>
  return Object.keys(owner).flatMap((key) => [{ owner, key }, ...placesIn(owner[key])])
}

const mutation = fc.record({
  kind: fc.constantFrom<Kind>('scenario', 'recording', 'config'),
  changes: fc.array(change, { minLength: 1, maxLength: 2 }),
})

export const files = part(
  'mutated files',
  mutation,
  () =>
    ({ kind, changes }) =>
      tryFile(kind, changed(originals[kind], changes)),
)

/** Returns false for a file that is rejected with one line. */
export async function tryFile(kind: Kind, file: unknown): Promise<boolean> {
  if (kind === 'scenario') return tryScenario(createGateway({ timeScale: 0 }), file)
  const replaying = { timeScale: 0, recordings: [file], replay: { onUnmatchedRecording: 'simulate' } }
  try {
    const gateway = createGateway((kind === 'config' ? file : replaying) as never)
    const sandbox = gateway.createSandbox()
    await sandbox.db.providers.list()
    await exercise(gateway, sandbox, [Object(recording.request?.json)])
    return true
  } catch (error) {
    if (isOneLine(error as Error)) return false
    throw error
  }
}

/** Returns true for one of Understudy's one-line messages, without text from the JavaScript engine. */
function isOneLine({ name, message, status }: Error & { status?: number }): boolean {
  const isOurs =
    (name === 'GatewayError' && status !== undefined && status < 500) ||
    name === 'ScenarioError' ||
    /^(?:createGateway: |A scenario is |options\.fixtures\.)/.test(message)
  return isOurs && !message.includes('\n')
}
