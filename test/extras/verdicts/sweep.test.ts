import { describe, expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { sweep, sweepTable } from '../../../src/verdicts.ts'
import { test } from '../../../src/vitest.ts'

interface Target {
  readonly baseUrl: string
  readonly fetch: typeof fetch
  readonly signal: AbortSignal
}

async function post({ baseUrl, fetch, signal }: Target, input: string, stream = false): Promise<string> {
  const headers = {
    authorization: 'Bearer any',
    'content-type': 'application/json',
    'idempotency-key': input,
  }
  const body = JSON.stringify({ model: 'aurora/dawn-2', input, stream })
  const response = await fetch(`${baseUrl}/responses`, { method: 'POST', headers, body, signal })
  if (!response.ok) throw new Error(`The gateway responded with ${response.status}`)
  return response.text()
}

async function ask(target: Target, input = 'Why tides?'): Promise<string> {
  return JSON.parse(await post(target, input)).output[0].content[0].text
}

async function askStreamed(target: Target): Promise<string> {
  const text = await post(target, 'Why tides?', true)
  return Array.from(text.matchAll(/"delta":"(.*?)"/g), ([, delta]) => delta).join('')
}

const setUp = (sandbox: { reply(text: string): unknown }) => void sandbox.reply('The moon.')

describe('sweep()', () => {
  it.each([
    { verdict: 'recovered', fault: 'status-503', work: (to: Target) => ask(to).catch(() => ask(to)) },
    { verdict: 'rejected', fault: 'status-503', work: ask, message: 'Error: The gateway responded with 503' },
    { verdict: 'rejected', fault: 'connection-reset', work: ask, message: 'TypeError: fetch failed' },
    {
      verdict: 'rejected',
      fault: 'status',
      work: (to: Target) => ask(to).catch(() => Promise.reject(new SyntaxError('Unreadable'))),
      message: 'SyntaxError: Unreadable',
    },
    { verdict: 'partial', fault: 'status', work: (to: Target) => ask(to).catch(() => 'partly') },
    {
      verdict: 'silent',
      fault: 'stream-cut',
      work: askStreamed,
      message: 'it returned "The moon" instead of "The moon."',
    },
    { verdict: 'hung', fault: 'timeout', work: ask, message: 'it had no result within 150 ms' },
    {
      verdict: 'crashed',
      fault: 'error-body-in-200',
      work: ask,
      message: /^it threw TypeError: Cannot read/,
    },
    { verdict: 'crashed', fault: 'status', work: async (to: Target) => void ask(to).then(() => {}, fail) },
    {
      verdict: 'not-reached',
      fault: 'citation-out-of-range',
      work: ask,
      message: /the answer has no citations$/,
    },
  ] as const)('gives the verdict $verdict under $fault', async ({ verdict, fault, work, ...more }) => {
    const options = { setUp, faults: [fault], limitMs: 150, isPartial: (text: unknown) => text === 'partly' }
    const { runs } = await sweep<unknown>((target) => settle(work(target)), options)
    const message = expect.stringMatching(('message' in more && more.message) || /./)
    expect(runs).toEqual([
      expect.objectContaining({ verdict, message, call: 1, operation: 'createResponse' }),
    ])
  })

  it('applies each fault to one call of its operation, and equal sweeps give equal results', async () => {
    const work = async (target: Target) => [await ask(target, 'Why?'), await ask(target, 'How?')]
    const [one, other] = await Promise.all([sweep(work), sweep(work)])
    expect(one).toEqual(other)
    const failed = one.runs.filter(({ fault }) => fault === 'status-400')
    expect(failed.map(({ calls }) => calls)).toEqual([
      ['createResponse: 400'],
      ['createResponse: 200', 'createResponse: 400'],
    ])
  })

  it.each([
    ['{"port":"Brest"}', true],
    ['The moon.', false],
  ])('knows whether a client can detect that %s has code fences', async (text, expected) => {
    const faults = [{ name: 'answer', form: 'fenced-json' } as const]
    const { runs } = await sweep(ask, { setUp: (sandbox) => sandbox.reply(text), faults })
    expect(runs).toEqual([expect.objectContaining({ verdict: 'silent', isDetectable: expected })])
  })

  it.each([
    ['without a call', async () => 1, 'no call reached the sandbox: pass baseUrl, apiKey and fetch'],
    ['that fails', () => Promise.reject(new Error('No')), 'application fails: Error: No; no call reached'],
    ['that hangs', () => new Promise(() => {}), 'no result within 100 ms'],
    [
      'with changing results',
      async (to: Target) => [await ask(to), Math.random()],
      'only what stays the same',
    ],
  ])('rejects work %s', async (_, work, message) => {
    await expect(sweep<unknown>(work, { limitMs: 100 })).rejects.toThrow(message)
  })

  it('rejects unknown faults and options', async () => {
    await expect(sweep(ask, { faults: ['stream-cutt' as 'stream-cut'] })).rejects.toThrow(
      "did you mean 'stream-cut'?",
    )
    await expect(sweep(ask, { dept: 'all' } as object)).rejects.toThrow("unknown option 'dept'")
    await expect(sweep(ask, { depth: 'full' as 'all' })).rejects.toThrow(
      "depth must be 'quick' or 'all', got",
    )
    await expect(sweep('x' as never)).rejects.toThrow("sweep() expects a function, got 'x'")
    expect(() => test.survives('the chat', undefined as never)).toThrow('expects a name and a function, got')
  })

  it('prints a table, with the message and a line to paste for each failure', async () => {
    const work = async (to: Target) => [await ask(to), await askStreamed(to)]
    const result = await sweep(work, { setUp, faults: ['status-503', 'stream-cut'] })
    expect(sweepTable(result)).toBe(`call 1: createResponse: 200
call 2: createResponse: 200
            1  2
status-503  r  r
stream-cut     S
r rejected (2), S silent (1)
call 2 (createResponse), stream-cut: silent: it returned ["The moon.","The moon"] instead of ["The moon.","The moon."]
  sandbox.use({"on":"createResponse","when":{"call":1,"stream":true},"times":1,"fault":{"name":"stream-cut"}})
rejected (2): Error: The gateway responded with 503`)
  })
})

describe('test.survives()', () => {
  test.survives('passes for an application that tries again, with the global fetch', async () => {
    const baseUrl = 'https://gateway.example/api/v1'
    const attempt = () => ask({ baseUrl, fetch, signal: AbortSignal.timeout(500) })
    return attempt().catch(attempt)
  })

  const accepted = 'call 1 (createResponse), timeout: hung'
  it.each([
    { list: [], message: /^1 of 1 runs failed\n(?:.*\n)*timeout {2}H\n/ },
    {
      list: [accepted, 'call 2 (createResponse), timeout: hung'],
      message: /^accepted has 'call 2 .*remove it\n/,
    },
    { list: [accepted], message: undefined },
  ])(
    'fails for findings that are not accepted, and for accepted ones that no longer occur: $list',
    async (row) => {
      const options = { faults: ['timeout' as const], limitMs: 100, accepted: row.list }
      const gateway = createGateway()
      const outcome = await new Promise((resolve) => {
        const add: ThisParameterType<typeof test.survives> = (_, run) =>
          run({ gateway, task: { meta: {} } }).then(resolve, (error: Error) => resolve(error.message))
        test.survives.call(add, 'the application', ask, options)
      })
      expect(outcome).toEqual(row.message && expect.stringMatching(row.message))
    },
  )
})

function fail() {
  return Promise.reject(new Error('Left alone'))
}

/** Gives rejections that the work has left alone time to occur. */
async function settle(result: Promise<unknown>): Promise<unknown> {
  const value = await result
  if (value === undefined) await new Promise((resolve) => setTimeout(resolve, 20))
  return value
}
