import { describe, expect, it } from 'vitest'
import type { FaultInputs } from '../../src/faults/fault.ts'
import { FaultRun } from '../../src/faults/fault-run.ts'
import type { FaultInput } from '../../src/faults/index.ts'
import { FaultSetting, faults } from '../../src/faults/index.ts'
import type { Reply } from '../../src/http/reply.ts'
import { random } from '../../src/lib/seed.ts'
import { bytesOf, facts, framesOf } from './sample.ts'

function outcome(input: FaultInput, change: Partial<FaultInputs> = {}): number | Reply {
  const run = new FaultRun(
    [FaultSetting.parse(input)],
    { ...facts, random: random('seed'), ...change },
    {
      noEffect() {},
      warn() {},
    },
  )
  const { waitMs, instead } = run.applyBeforeOperation()
  return instead ?? waitMs
}

const reply = (...args: Parameters<typeof outcome>) => outcome(...args) as Reply
const value = ({ body }: Reply) => (body.kind === 'json' ? body.value : undefined)

describe('latency', () => {
  it('waits for a fixed time', () => expect(outcome({ name: 'latency', ms: 250 })).toBe(250))

  it.each([0, 1, 2])('adds a random part of `jitterMs: %i`', (jitterMs) => {
    const waitMs = outcome({ name: 'latency', ms: 100, jitterMs }, { random: () => 0.5 })
    expect(waitMs).toBe(100 + jitterMs / 2)
  })

  it('adds uniformly distributed jitter', () => {
    const draws = random('jitter')
    const drawn = Array.from({ length: 500 }, () =>
      Number(outcome({ name: 'latency', ms: 100, jitterMs: 50 }, { random: draws })),
    )
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(100)
    expect(Math.max(...drawn)).toBeLessThan(150)
    expect(Math.max(...drawn) - Math.min(...drawn)).toBeGreaterThan(45)
  })

  it('draws from a log-normal distribution with `ms` as the median', () => {
    const draws = random('log-normal')
    const drawn = Array.from({ length: 999 }, () =>
      Number(outcome({ name: 'latency', ms: 100, sigma: 0.5 }, { random: draws })),
    )
    const median = drawn.sort((left, right) => left - right)[499]
    expect(median).toBeGreaterThan(93)
    expect(median).toBeLessThan(107)
    expect(drawn.at(-1)).toBeGreaterThan(300)
  })
})

it.each([
  ['timeout', 'stall'],
  ['connection-reset', 'reset'],
  ['empty-response', 'end'],
] as const)('%s hangs up without a reply (%s)', (name, how) => {
  expect(reply(name).body).toEqual({ kind: 'hang-up', how })
})

describe('status', () => {
  it("sends the specification's error envelope by default", () => {
    expect(reply('status')).toMatchObject({ status: 500, headers: { 'content-type': 'application/json' } })
    expect(value(reply('status'))).toEqual({ error: { code: 500, message: 'Internal Server Error' } })
  })

  it('accepts every field of the envelope, and headers', () => {
    const all = { message: 'No', metadata: { a: 1 }, gateway_metadata: null, user_id: 'user_1' }
    const { status, headers, body } = reply({
      name: 'status',
      status: 418,
      ...all,
      headers: { 'Retry-After': '3' },
    })
    expect({ status, retry: headers['retry-after'] }).toEqual({ status: 418, retry: '3' })
    expect(body).toMatchObject({
      value: {
        error: { code: 418, message: 'No', metadata: { a: 1 } },
        gateway_metadata: null,
        user_id: 'user_1',
      },
    })
  })

  it('sends a default Retry-After with 429 and 503, unless the rule sets one', () => {
    expect(reply({ name: 'status', status: 503 }).headers['retry-after']).toBe('1')
    expect(reply({ name: 'status', status: 429 }).headers).toMatchObject({
      'retry-after': '1',
      'x-ratelimit-remaining': '0',
    })
    expect(reply({ name: 'status', status: 502 }).headers).not.toHaveProperty('retry-after')
    const custom = { name: 'status', status: 503, headers: { 'Retry-After': '7' } } as const
    expect(reply(custom).headers['retry-after']).toBe('7')
  })

  it.each([399, 600, 200])('rejects status %i', (status) => {
    expect(FaultSetting.safeParse({ name: 'status', status }).success).toBe(false)
  })
})

describe('rate-limit', () => {
  it("reports the rate limit's state and rounds Retry-After up to whole seconds", () => {
    const { status, headers } = reply('rate-limit', {
      rateLimit: { limit: 5, remaining: 0, resetMs: 1200.5 },
    })
    expect(status).toBe(429)
    expect(headers).toMatchObject({
      'retry-after': '2',
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '2',
    })
  })

  it('uses its parameters if the rule has no rate limit', () => {
    const { headers } = reply({ name: 'rate-limit', limit: 7, retryAfterMs: 3000 })
    expect(headers).toMatchObject({
      'retry-after': '3',
      'x-ratelimit-limit': '7',
      'x-ratelimit-remaining': '0',
    })
  })
})

it.each([
  [1, '00:00:01'],
  [3001, '00:00:04'],
  [1_000_000, '00:16:40'],
])('retry-after-date: rounds %i ms up to whole seconds', (ms, time) => {
  const { headers } = reply({ name: 'retry-after-date', ms })
  expect(headers['retry-after']).toBe(`Thu, 01 Jan 2026 ${time} GMT`)
})

it('malformed-body: sends invalid JSON with a JSON content type', () => {
  const { headers } = reply('malformed-body')
  expect(headers['content-type']).toBe('application/json')
  expect(() => JSON.parse(bytesOf(framesOf(reply('malformed-body'))).toString())).toThrow(SyntaxError)
})

it('error-body-in-200: sends the error envelope as JSON with status 200', () => {
  const { status, headers, body } = reply({ name: 'error-body-in-200', code: 503 })
  expect({ status, headers, body }).toMatchObject({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: { kind: 'json', value: { error: { code: 503 } } },
  })
})

it('html-error-page: sends HTML with the given status', () => {
  const { status, headers } = reply({ name: 'html-error-page', status: 504 })
  expect({ status, type: headers['content-type'] }).toEqual({ status: 504, type: 'text/html' })
  expect(bytesOf(framesOf(reply('html-error-page'))).toString()).toContain('<title>502 Bad Gateway</title>')
})

it('random-bytes: sends the same bytes for the same request', () => {
  const bytes = () => bytesOf(framesOf(reply({ name: 'random-bytes', bytes: 64 })))
  expect(bytes()).toHaveLength(64)
  expect(bytes()).toEqual(bytes())
  expect(new Set(bytes()).size).toBeGreaterThan(30)
})

it('random-bytes: sends 0xff, then bytes from 0 to 0xff', () => {
  const drawn = [0, 0, 0.5, 0.999]
  const { body } = reply({ name: 'random-bytes', bytes: 4 }, { random: () => drawn.shift() as number })
  expect(body).toEqual({
    kind: 'frames',
    frames: [{ kind: 'bytes', bytes: Uint8Array.of(0xff, 0, 0x80, 0xff) }],
  })
})

const json = { 'content-type': 'application/json' }
const noneLeft = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' }
const refused = (code: number, message: string, metadata?: object) => ({
  kind: 'json',
  value: { error: { code, message, ...(metadata && { metadata }) } },
})
const tooMany = refused(429, 'Rate limit exceeded', { error_type: 'rate_limit_exceeded' })
const badGateway = refused(502, 'Provider returned error', { error_type: 'provider_unavailable' })
const raw = (bytes: string) => ({ kind: 'frames', frames: [{ kind: 'bytes', bytes }] })
const page = (title: string) =>
  raw(
    `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`,
  )

it.each<[FaultInput, unknown]>([
  ['latency', 1000],
  ['status', { status: 500, headers: json, body: refused(500, 'Internal Server Error') }],
  ['rate-limit', { status: 429, headers: { ...json, ...noneLeft, 'retry-after': '1' }, body: tooMany }],
  [
    'retry-after-date',
    {
      status: 429,
      headers: {
        ...json,
        ...noneLeft,
        date: 'Thu, 01 Jan 2026 00:00:00 GMT',
        'retry-after': 'Thu, 01 Jan 2026 00:00:02 GMT',
      },
      body: tooMany,
    },
  ],
  ['malformed-body', { status: 200, headers: json, body: raw('{"data":[{"id":') }],
  ['empty-body', { status: 200, headers: { ...json, 'content-length': '0' }, body: { kind: 'none' } }],
  [
    { name: 'empty-body', status: 204 },
    { status: 204, headers: {}, body: { kind: 'none' } },
  ],
  ['error-body-in-200', { status: 200, headers: json, body: badGateway }],
  [
    'html-error-page',
    { status: 502, headers: { 'content-type': 'text/html' }, body: page('502 Bad Gateway') },
  ],
  ...(
    [
      [418, '418 Bad Request'],
      [499, '499 Bad Request'],
      [500, '500 Internal Server Error'],
      [501, '501 Not Implemented'],
      [506, '506 Internal Server Error'],
      [599, '599 Internal Server Error'],
    ] as const
  ).map(([status, title]): [FaultInput, unknown] => [
    { name: 'html-error-page', status },
    { status, headers: { 'content-type': 'text/html' }, body: page(title) },
  ]),
])('%j sends exactly its default reply', (input, expected) => {
  expect(outcome(input, { now: Date.UTC(2026, 0, 1) })).toEqual(expected)
})

it.each([
  ['status', 'status', [400, 599], [399, 600]],
  ['html-error-page', 'status', [400, 599], [399, 600]],
  ['error-body-in-200', 'code', [400, 599], [399, 600]],
  ['retry-after-date', 'status', [429, 503], [428, 430, 502, 504]],
  ['empty-body', 'status', [200, 204], [201, 203, 205]],
  ['latency', 'sigma', [0.001, 3], [0, 3.001]],
  ['latency', 'ms', [0], [-1]],
  ['random-bytes', 'bytes', [1, 1_048_576], [0, 1_048_577]],
])('%s accepts only valid values of %s', (name, param, valid, invalid) => {
  const accepted = [...valid, ...invalid].filter(
    (each) => FaultSetting.safeParse({ name, [param]: each }).success,
  )
  expect(accepted).toEqual(valid)
})

it('fault names are unique', () => {
  expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length)
})
