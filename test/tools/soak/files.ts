/**
 * Files that users exchange, each with one or two values changed. Each is accepted and works, or is rejected with a
 * one-line message.
 */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { createGateway, parseRecording } from '../../../src/index.ts'
import { json, number, part } from './part.ts'
import { exercise, tryScenario } from './scenarios.ts'

const onResponse = (fields: object) => ({ on: 'createResponse', ...fields })
/** One rule per numeric feature. */
const rules = [
  onResponse({ rateLimit: { requests: 5, tokens: 9000, per: '1m', by: 'key' } }),
  onResponse({ when: { call: [3, 9], stream: true }, fault: { name: 'stream-cut', afterEvents: 2 } }),
  onResponse({ after: 1, probability: 0.5, fault: { name: 'slow-body', ms: 50, chunks: 5 } }),
  onResponse({ during: { from: 10, to: 5000 }, times: 2, fault: 'timeout' }),
  onResponse({
    sequence: ['pass', { fault: { name: 'bandwidth', bytesPerSecond: 100 } }],
    onEnd: 'repeat-last',
  }),
  onResponse({
    when: { input: 'Usage' },
    reply: { text: 'Five.', usage: { input_tokens: 5, output_tokens: 2 } },
  }),
  onResponse({ when: { input: 'Frames' }, reply: { status: 201, frames: [{ wait: 5 }, { data: 'x' }] } }),
]
const scenario = { name: 'many', rules }

const golden = '../../extras/recordings/golden/createResponse-4649300636fb4c01.recording.jsonl'
const recording = parseRecording(readFileSync(new URL(golden, import.meta.url), 'utf8'))

const config = {
  seed: 7,
  recordCounts: { providers: 20 },
  timeScale: 0,
  latency: { firstToken: 5, perToken: '2ms' },
  limits: { requestBodyBytes: 100_000, journalEntries: 100, journalBytes: 100_000, sandboxes: 10 },
  scenarios: [scenario],
  strict: false,
}

export const originals = { scenario, recording, config }
type Kind = keyof typeof originals

/**
 * A position, as a share of all values, and the value that replaces it there. Numbers replace numbers, and undefined
 * removes a value.
 */
const change = fc.record({
  at: fc.noBias(fc.nat({ max: 9999 })).map((place) => place / 10_000),
  to: fc.oneof(number, fc.constantFrom(4_294_967_294, -1e15, 1e11), fc.constant(undefined), json),
})
const mutation = fc.record({
  kind: fc.constantFrom<Kind>('scenario', 'recording', 'config'),
  changes: fc.array(change, { minLength: 1, maxLength: 2 }),
})

export const files = part('mutated files', mutation, () => ({ kind, changes }) => {
  const root = structuredClone({ file: originals[kind] as unknown })
  for (const { at, to } of changes) {
    const places = placesIn(root.file).filter(
      ({ value }) => typeof to !== 'number' || typeof value === 'number',
    )
    const { owner, key } = places[Math.floor(at * places.length)] ?? { owner: root, key: 'file' }
    Reflect.set(owner, key, to)
  }
  // Normalised as if read from a file: without undefined and without numbers that JSON cannot represent.
  return tryFile(kind, JSON.parse(JSON.stringify(root)).file ?? null)
})

function placesIn(value: unknown): { owner: object; key: string; value: unknown }[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    { owner: value, key, value: inner },
    ...placesIn(inner),
  ])
}

/** Returns false for a file that is rejected with one line. */
export async function tryFile(kind: Kind, file: unknown): Promise<boolean> {
  if (kind === 'scenario') return tryScenario(createGateway({ timeScale: 0 }), file)
  const replaying = { timeScale: 0, recordings: { from: [file], onUnmatched: 'simulate' } }
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
