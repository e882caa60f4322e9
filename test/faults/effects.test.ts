/** Stored text of every fault's effect on small sample replies, frame by frame, and tests of parameter limits. */
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { FaultRun } from '../../src/faults/fault-run.ts'
import type { Fault } from '../../src/faults/index.ts'
import { FaultSetting, faultNames, faultOf } from '../../src/faults/index.ts'
import { toBytes } from '../../src/http/encode.ts'
import { eventStream, type Frame, ok, type Reply } from '../../src/http/reply.ts'
import { hash, random } from '../../src/lib/seed.ts'
import { applyFaults, bytesOf, citation, completed, facts, framesOf, sample } from './sample.ts'

/** Returns a stream of five text deltas and one citation, with a wait of 10 ms before each event. */
const paced = () => {
  const { body, ...reply } = sample({ perToken: 10, deltas: ['One ', 'ü', 'nd ', 'thr', 'ee'] })
  const frames = body.kind === 'frames' ? [...body.frames] : []
  return { ...reply, body: { kind: 'frames', frames } } satisfies Reply
}
const other = { ...citation, url: 'https://b.example/', start_index: 6, end_index: 9 }
const cited = (): Reply => {
  const event = (value: object) => ({ kind: 'event', event: { type: '', ...value } }) satisfies Frame
  const annotations = [citation, other]
  return eventStream([
    event({ type: 'response.output_text.delta', delta: 'One two' }),
    event({ type: 'response.output_text.annotation.added', annotation: citation, annotation_index: 0 }),
    event({ type: 'response.output_text.annotation.added', annotation: other, annotation_index: 1 }),
    event({ type: 'response.output_text.done', text: 'One two' }),
    event({ type: 'response.content_part.done', part: { text: 'One two three', annotations } }),
    { kind: 'done' },
  ])
}
const both = ok({ output: [{ content: [{ text: 'One two three', annotations: [citation, other] }] }] })
const plain = ok({
  data: [
    { a: 'text', b: 7 },
    { a: null, b: [1] },
  ],
  total: true,
})
const typed = () =>
  eventStream([{ kind: 'event', event: { type: 'a' }, wire: 'event: a\ndata: {"type":"a"}\n\n' }])
const called = ok({
  output: [
    { type: 'function_call', status: 'completed' },
    { type: 'message', status: 'completed' },
  ],
})
const none: Reply = { status: 204, headers: {}, body: { kind: 'none' } }
const cut = () =>
  eventStream([
    { kind: 'event', event: { type: 'a' } },
    { kind: 'hang-up', how: 'reset' },
  ])
const ended = () =>
  eventStream([
    { kind: 'bytes', bytes: 'abcdef' },
    { kind: 'hang-up', how: 'end' },
  ])

const replies: Record<string, () => Reply> = {
  stream: paced,
  cited,
  typed,
  cut,
  ended,
  json: () => completed,
  both: () => both,
  plain: () => plain,
  none: () => none,
  called: () => called,
}

/** Required fault parameters. */
const requiredParams: Record<string, object> = {
  field: { path: 'id' },
}

const placed = ['stream-cut', 'stream-malformed-event', 'stream-error-event'].flatMap((name) =>
  [
    { afterEvents: 0 },
    { afterEvents: 1 },
    { afterEvents: 99 },
    { afterDeltas: 0 },
    { afterDeltas: 5 },
    { afterDeltas: 6 },
    ...(name === 'stream-malformed-event'
      ? []
      : [
          { afterBytes: 0 },
          { afterBytes: 150 },
          { afterMs: 0 },
          { afterMs: 10 },
          { afterMs: 15 },
          { afterMs: 999 },
        ]),
  ].map((place) => ({ name, ...place })),
)

/** Cases with other parameters or combined faults: the name of a reply, and the faults to apply to it. */
const furtherCases: [string, (object | string)[]][] = [
  ...placed.map((fault): [string, object[]] => ['stream', [fault]]),
  ['cut', [{ name: 'stream-cut', afterBytes: 9999 }]],
  ['cut', ['stream-without-done']],
  ['stream', [{ name: 'stream-error-event', form: 'error', code: 'a', message: 'b', afterEvents: 0 }]],
  ['stream', [{ name: 'stream-error-event', afterEvents: 1, code: 'a', message: 'b' }]],
  ['stream', [{ name: 'stream-sequence-gap', missing: 1, afterEvents: 8 }]],
  ['stream', [{ name: 'stream-reordered-events', afterEvents: 10 }]],
  ['stream', [{ name: 'stream-reordered-events', afterEvents: 9 }]],
  ['stream', [{ name: 'stream-huge-event', bytes: 3 }]],
  ['stream', [{ name: 'stream-unknown-event', afterEvents: 0, type: 'x' }]],
  ['stream', [{ name: 'stream-comments', comment: 'c' }]],
  ['stream', [{ name: 'slow-stream', firstToken: 5, perToken: 0 }]],
  ['stream', [{ name: 'slow-stream', firstToken: 0, perToken: 0 }]],
  ['stream', [{ name: 'stream-joined', ms: 0 }]],
  ['stream', [{ name: 'stream-stall', heartbeat: 'in_progress', every: '1s', afterMs: 25 }]],
  ['stream', [{ name: 'stream-stall', heartbeat: 'comment' }, 'stream-joined']],
  ['json', [{ name: 'stream-joined' }]],
  ['called', ['content-filter']],
  ['stream', [{ name: 'stream-split', bytes: 300 }]],
  ['stream', ['stream-malformed-event', 'stream-unknown-event']],
  ['stream', ['stream-duplicate-event', 'stream-crlf', 'stream-cut']],
  ['stream', ['stream-malformed-event', 'truncated-body']],
  ['stream', [{ name: 'stream-duplicate-event', afterEvents: 0 }, 'stream-cut']],
  ['stream', [{ name: 'stream-duplicate-event', afterEvents: 9 }, 'stream-cut']],
  ['typed', ['stream-malformed-event', 'stream-no-space']],
  ['plain', [{ name: 'field', path: 'data.*.a' }]],
  ['plain', [{ name: 'field', path: 'data.1' }]],
  ['plain', [{ name: 'field', path: 'data.2' }]],
  ['plain', [{ name: 'field', path: 'total', event: 0 }]],
  ...['data', 'data.*.b', 'total', 'data.0.a'].flatMap((path): [string, object[]][] =>
    ['wrong-type', 'null', { value: [1] }].map((to) => ['plain', [{ name: 'field', path, to }]]),
  ),
  ...[0, 10, 11, 'response.created', 'response.output_text.delta', 'other'].map(
    (event): [string, object[]] => [
      'stream',
      [{ name: 'field', path: 'sequence_number', to: 'null', event }],
    ],
  ),
  ['json', [{ name: 'usage', form: 'twice' }]],
  ['stream', [{ name: 'usage', form: 'twice' }]],
  ['json', [{ name: 'duplicate-response-id', id: 'i' }]],
  ...['plain', 'ended'].flatMap((reply): [string, (object | string)[]][] => [
    [reply, [{ name: 'truncated-body', afterBytes: 0 }]],
    [reply, [{ name: 'truncated-body', afterBytes: 5 }]],
    [reply, [{ name: 'truncated-body', afterBytes: 6 }]],
    [reply, [{ name: 'truncated-body', afterBytes: 999 }]],
    [reply, [{ name: 'short-content-length', by: 1 }]],
    [reply, [{ name: 'short-content-length', by: 6 }]],
    [reply, [{ name: 'short-content-length', by: 7 }]],
    [reply, [{ name: 'short-content-length', by: 999 }]],
    [reply, [{ name: 'slow-body', ms: 60, chunks: 1 }]],
    [reply, [{ name: 'slow-body', ms: 60, chunks: 4 }]],
    [reply, [{ name: 'slow-body', ms: 0, chunks: 99 }]],
    [reply, [{ name: 'bandwidth', bytesPerSecond: 1 }]],
    [reply, [{ name: 'bandwidth', bytesPerSecond: 79 }]],
    [reply, [{ name: 'bandwidth', bytesPerSecond: 80 }]],
    [reply, [{ name: 'slow-head', ms: 0 }]],
    [reply, [{ name: 'slow-head', ms: 5 }, 'bandwidth']],
    [reply, [{ name: 'idle-connection-closed', afterMs: 5 }]],
    [reply, ['gzip-body', 'slow-body']],
  ]),
]

function formatBytes(bytes: string | Uint8Array): string {
  const raw = Buffer.from(toBytes(bytes))
  const text = raw.toString()
  const isText = Buffer.from(text).equals(raw)
  const formatted = isText ? JSON.stringify(text) : raw.toString('base64')
  const rest = () => `… (${raw.length} bytes, ${hash(raw.toString('base64')).slice(0, 8)})`
  return formatted.length > 110 ? formatted.slice(0, 40) + rest() : formatted
}

/** Formats a reply's frames as text. An unchanged event is shown as a letter for its position: a, b, c. */
function frameLines({ body }: Reply, before: Reply): string[] {
  if (body.kind === 'none') return ['no body']
  if (body.kind === 'hang-up') return [`hang up: ${body.how}`]
  if (body.kind === 'json') return [`json ${JSON.stringify(body.value)}`]
  const originals =
    before.body.kind === 'frames' ? [...before.body.frames].filter(({ kind }) => kind === 'event') : []
  const lines: string[] = []
  for (const frame of body.frames) {
    const index = originals.findIndex((each) => JSON.stringify(each) === JSON.stringify(frame))
    if (index >= 0) lines.push(String.fromCharCode(97 + index))
    else if (frame.kind === 'wait') lines.push(String(Math.round(frame.ms * 100) / 100))
    else if (frame.kind === 'done') lines.push('[DONE]')
    else if (frame.kind === 'bytes') lines.push(formatBytes(frame.bytes))
    else if (frame.kind === 'event')
      lines.push(
        frame.wire === undefined ? formatBytes(JSON.stringify(frame.event)) : `as ${formatBytes(frame.wire)}`,
      )
    else {
      lines.push(`hang up: ${frame.how}`)
      // Frames after a hang-up are never sent.
      break
    }
  }
  return lines.length > 50
    ? [...lines.slice(0, 20), `… ${lines.length - 30} more …`, ...lines.slice(-10)]
    : lines
}

/** Describes the effect of faults on a sample reply, as lines. */
function effect(name: string, settings: (object | string)[], change: object = {}): string[] {
  const faults = settings.map((fault) => FaultSetting.parse(fault))
  const lines: string[] = []
  const report = (line: string) => void lines.push(`${line};`)
  const before = (replies[name] as () => Reply)()
  let next = 0
  const inputs = { ...facts, random: () => [0.25, 0.5, 0.75][next++ % 3] as number, ...change }
  const run = new FaultRun([{ faults, inputs, noEffect: () => report('no effect') }], report)
  const { waitMs, instead, stream } = run.applyBeforeOperation()
  if (waitMs > 0) report(`waits ${Math.round(waitMs * 1000) / 1000}`)
  if (stream !== undefined) report(`requires ${stream ? 'a stream' : 'JSON'}`)
  const reply = run.applyToReply(instead ?? before)
  const { status, headers, transport } = reply
  if (status !== before.status || JSON.stringify(headers) !== JSON.stringify(before.headers))
    report(`${status} ${JSON.stringify(headers)}`)
  if (transport) report(`transport ${JSON.stringify(transport)}`)
  const frames = frameLines(reply, before)
  lines.push(
    ...(JSON.stringify(frames) === JSON.stringify(frameLines(before, before)) ? ['unchanged'] : frames),
  )
  return lines
}

const entry = (title: string, lines: string[]) => [title, `  ${lines.join(' ')}`]

const rateLimit = { limit: 9, remaining: 0, resetMs: 2500 }
const shared = { requests: { limit: 1, remaining: 2 }, tokens: { limit: 3, remaining: 4 } }
const overridden = { status: 429, metadata: null, message: 'm', headers: { 'Retry-After': '7', 'X-A': 'b' } }

/** Cases with other inputs than the parameters: a fault, and the inputs. */
const beforeOperation: [Fault, object?][] = [
  ['idle-connection-closed', { hasConnection: false }],
  [{ name: 'short-content-length', by: 5 }, { hasConnection: false }],
  ['truncated-head', { hasConnection: false }],
  ['stream-instead-of-json', { canStream: false }],
  [{ name: 'latency', ms: 0 }],
  [{ name: 'latency', ms: 100, jitterMs: 100 }],
  [{ name: 'latency', ms: 100, sigma: 1 }],
  [{ name: 'latency', ms: 100, sigma: 1, jitterMs: 100 }],
  ...[400, 401, 402, 408, 410, 418, 429, 499, 500, 502, 503, 524, 529, 599].map((status): [Fault] => [
    { name: 'status', status },
  ]),
  [{ name: 'status', status: 429 }, { rateLimit }],
  [{ name: 'status', status: 503 }, { rateLimit }],
  [{ name: 'status', ...overridden }],
  [{ name: 'status', status: 500, metadata: { a: 1 }, gateway_metadata: { b: 2 }, user_id: 'u' }],
  ['rate-limit', { rateLimit }],
  ['rate-limit', { rateLimit: { ...rateLimit, ...shared } }],
  [{ name: 'rate-limit', limit: 5, retryAfterMs: 1001, message: 'm' }],
  [{ name: 'rate-limit', retryAfterMs: 0 }],
  [{ name: 'retry-after-date', status: 503, ms: 1 }, { rateLimit }],
  [{ name: 'retry-after-date', ms: 0 }],
  ...[418, 400, 599, 504].map((status): [Fault] => [{ name: 'html-error-page', status }]),
  [{ name: 'random-bytes', bytes: 4, contentType: 'a/b' }],
  [{ name: 'empty-body', status: 204 }],
  [{ name: 'error-body-in-200', code: 429, message: 'm' }],
]

it('the effects of faults match effects.txt', async () => {
  const withDefaults = faultNames.flatMap((name) => {
    const setting = { name, ...requiredParams[name] }
    const isBefore = ['delay', 'replacement', 'form'].includes(faultOf(name).layer)
    const names = isBefore ? ['plain'] : Object.keys(replies).filter((reply) => reply !== 'called')
    const byEffect = Map.groupBy(names, (reply) => effect(reply, [setting]).join(' '))
    return [...byEffect].flatMap(([text, alike]) =>
      entry(`${JSON.stringify(setting)} on ${alike.join(', ')}`, [text]),
    )
  })
  const withParameters = furtherCases.flatMap(([reply, faults]) =>
    entry(`${JSON.stringify(faults)} on ${reply}`, effect(reply, faults)),
  )
  const withInputs = beforeOperation.flatMap(([fault, change]) =>
    entry(
      `${JSON.stringify(fault)}${change ? ` with ${JSON.stringify(change)}` : ''}`,
      effect('plain', [fault], change),
    ),
  )
  const lines = [...withDefaults, ...withParameters, ...withInputs]
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('effects.txt')
})

it('latency: draws from a log-normal distribution with `ms` as the median, or adds uniform jitter', () => {
  const delaysOf = (fault: Fault) => {
    const draws = random('latency')
    return Array.from({ length: 999 }, () => {
      const inputs = { ...facts, random: draws }
      const faults = [FaultSetting.parse(fault)]
      const run = new FaultRun([{ faults, inputs, noEffect() {} }], () => {})
      return run.applyBeforeOperation().waitMs
    }).sort((left, right) => left - right)
  }
  const skewed = delaysOf({ name: 'latency', ms: 100, sigma: 0.5 })
  expect(skewed[499]).toBeCloseTo(100, -1)
  expect(skewed.at(-1)).toBeGreaterThan(300)
  const even = delaysOf({ name: 'latency', ms: 100, jitterMs: 50 })
  expect([even[0], even[499], even.at(-1)].map((ms) => Math.round(Number(ms)))).toEqual([100, 125, 150])
})

it.each([65_533, 65_534, 200_000])('gzip-body: encodes a text of %i characters', (length) => {
  const sent = bytesOf(framesOf(applyFaults(ok('x'.repeat(length)), 'gzip-body')))
  expect(gunzipSync(sent).toString()).toBe(JSON.stringify('x'.repeat(length)))
})

it('field: does not modify the original reply', () => {
  applyFaults(plain, { name: 'field', path: 'data' })
  expect(plain.body).toMatchObject({ value: { total: true, data: [{}, {}] } })
})

it.each<[string, object[], object[]]>([
  [
    'latency',
    [{ ms: 0, jitterMs: 0, sigma: 3 }],
    [{ ms: -1 }, { jitterMs: -1 }, { sigma: 0 }, { sigma: 3.1 }, { ms: { from: 0, to: 1, overMs: 1 } }],
  ],
  [
    'status',
    [{ status: 400 }, { status: 599 }],
    [{ status: 399 }, { status: 600 }, { status: 400.5 }, { headers: { 'a b': 'c' } }],
  ],
  ['rate-limit', [{ limit: 0, retryAfterMs: 0 }], [{ limit: -1 }, { limit: 0.5 }, { retryAfterMs: -1 }]],
  ['retry-after-date', [{ status: 429, ms: 0 }], [{ status: 500 }, { ms: -1 }]],
  ['html-error-page', [{ status: 400 }, { status: 599 }], [{ status: 399 }, { status: 600 }]],
  [
    'random-bytes',
    [{ bytes: 1 }, { bytes: 1_048_576 }],
    [{ bytes: 0 }, { bytes: 1_048_577 }, { contentType: 'a\nb' }],
  ],
  ['empty-body', [{ status: 200 }, { status: 204 }], [{ status: 201 }]],
  ['error-body-in-200', [{ code: 400 }, { code: 599 }], [{ code: 399 }, { code: 600 }]],
  [
    'field',
    [{ path: 'a.*.0' }, { path: 'a', event: 0, to: 'null' }, { path: 'a', event: 'b', to: { value: null } }],
    [{}, { path: '' }, { path: 'a', to: 'date' }, { path: 'a', event: -1 }, { path: 'a', to: {} }],
  ],
  ['duplicate-response-id', [{ id: 'a' }], [{ id: '' }]],
  ['citation-out-of-range', [{ by: 1 }], [{ by: 0 }]],
  [
    'stream-cut',
    [{ afterEvents: 0 }, { afterDeltas: 0 }, { afterBytes: 0 }, { afterMs: 0 }],
    [
      { afterEvents: -1 },
      { afterDeltas: 0.5 },
      { afterBytes: -1 },
      { afterMs: -1 },
      { afterEvents: 0, afterMs: 0 },
    ],
  ],
  [
    'stream-stall',
    [{ heartbeat: 'ping' }, { heartbeat: 'comment', every: 0 }],
    [{ every: 5 }, { heartbeat: 'a' }],
  ],
  [
    'stream-sequence-gap',
    [{ missing: 1 }],
    [{ missing: 0 }, { afterBytes: 1 }, { afterEvents: 0, afterDeltas: 0 }],
  ],
  ['stream-huge-event', [{ bytes: 1 }, { bytes: 16_777_216 }], [{ bytes: 0 }, { bytes: 16_777_217 }]],
  ['stream-unknown-event', [{ type: 'a' }], [{ type: '' }]],
  ['stream-comments', [{ comment: '' }], [{ comment: 'a\nb' }]],
  ['slow-stream', [{ firstToken: 0, perToken: 0 }], [{ firstToken: -1 }, { perToken: -1 }]],
  ['truncated-body', [{ afterBytes: 0 }], [{ afterBytes: -1 }, { afterBytes: 0.5 }]],
  ['short-content-length', [{ by: 1 }], [{ by: 0 }]],
  ['slow-body', [{ ms: 0, chunks: 1 }, { chunks: 10_000 }], [{ ms: -1 }, { chunks: 0 }, { chunks: 10_001 }]],
  ['bandwidth', [{ bytesPerSecond: 1 }], [{ bytesPerSecond: 0 }]],
  ['stream-joined', [{ ms: 0 }], [{ ms: -1 }]],
  ['stream-split', [{ bytes: 1 }], [{ bytes: 0 }]],
  ['slow-head', [{ ms: 0 }], [{ ms: -1 }]],
  ['idle-connection-closed', [{ afterMs: 0 }], [{ afterMs: -1 }]],
])('fault %s accepts the parameters %j and rejects %j', (name, valid, invalid) => {
  const asSetting = (params: object) => FaultSetting.safeParse({ name, ...params }).success
  const alone = (params: object) => faultOf(name).params().safeParse(params).success
  for (const accepts of [asSetting, alone]) {
    expect(valid.map(accepts)).toEqual(valid.map(() => true))
    expect([...invalid, { other: 1 }].map(accepts)).toEqual([...invalid, {}].map(() => false))
  }
})
