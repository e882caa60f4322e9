/** Tests each finding with requests that make the mistake, and with requests that almost make it. */
import { describe, expect, it } from 'vitest'
import { createGateway, type Rule, type Sandbox } from '../../../src/index.ts'
import { connectGateway } from '../../../src/remote.ts'
import { startServer } from '../../../src/serve.ts'
import { type Evidence, findings } from '../../../src/verdicts.ts'

const gateway = createGateway()
const url = 'https://gateway.example/api/v1/responses'
const text = 'The tide comes in twice a day, and the moon decides when.'
const input = 'Why do tides come twice a day?'
const stream = { stream: true }
const call = { type: 'function_call', name: 'getTide', arguments: '{"port":"Brest"}' } as const

/** Sends a request, and returns the text of the stream as far as it came. */
async function ask({ apiKey }: Sandbox, body: object = {}, headers: Record<string, string> = {}) {
  const sent = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers }
  const init = {
    method: 'POST',
    headers: sent,
    body: JSON.stringify({ model: 'aurora/dawn-2', input, ...body }),
  }
  const response = await gateway.fetch(url, init).catch(() => new Response())
  let wire = ''
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) wire += part
  return [...wire.matchAll(/_text.delta".*?"delta":"(.*?)"/g)].map(([, part]) => part).join('')
}

type Work = (sandbox: Sandbox) => Promise<Evidence>

/** Sends the same request again, after waits in milliseconds. */
function again(
  waits: readonly number[],
  evidence: Evidence = {},
  headers: Record<string, string> = {},
): Work {
  return async (sandbox) => {
    await ask(sandbox, {}, headers)
    for (const ms of waits) {
      sandbox.clock.advance(ms)
      await ask(sandbox, {}, headers)
    }
    return evidence
  }
}

const afterwards =
  (body: object): Work =>
  (sandbox) =>
    ask(sandbox)
      .then(() => ask(sandbox, body))
      .then(() => ({}))
const asks =
  (body: object): Work =>
  (sandbox) =>
    ask(sandbox, body).then(() => ({}))
const shows =
  (toResult: (text: string) => unknown): Work =>
  async (sandbox) => ({ result: toResult(await ask(sandbox, stream)) })
const joins =
  (from: number): Work =>
  async (sandbox) => {
    const texts = [await ask(sandbox, stream), await ask(sandbox, stream)]
    return { result: texts.slice(from).join('') }
  }

function history(...ids: string[]): object[] {
  const pair = (id: string) => [
    { ...call, call_id: id },
    { type: 'function_call_output', call_id: id, output: 'At six' },
  ]
  return [{ role: 'user', content: input }, ...ids.flatMap(pair)]
}

const done = { result: 'done' }
const key = { 'idempotency-key': 'k1' }
const limited = { fault: { name: 'rate-limit', retryAfterMs: 60_000 }, times: 1 } as const
const cut = { fault: 'stream-cut', times: 1 } as const
const lost = { fault: 'lost-reply', times: 1 } as const
const broken = { fault: 'stream-error-event' } as const
const cutJson = {
  fault: { name: 'stream-cut', afterDeltas: 6 },
  reply: '{"port":"Brest","n":[5,6]}',
} as const
const refused = { fault: { name: 'status', status: 400 } } as const
const down = { fault: 'status' } as const
const failing = { when: { call: 2 }, fault: 'error-body-in-200' } as const
const asksAll: Work = async (sandbox) => {
  for (const input of ['Why?', 'How?', 'Why?', 'How?']) await ask(sandbox, { input })
  return done
}

const cases: [title: string, rule: Omit<Rule, 'on'> | undefined, work: Work, found: string][] = [
  ['an attempt before Retry-After is over', limited, again([30_000]), 'retry-after-ignored'],
  ['an attempt before a date in sandbox time', { fault: 'retry-after-date', times: 1 }, again([50]), ''],
  ['an attempt after Retry-After', limited, again([60_000]), ''],
  ['another model before Retry-After is over', limited, afterwards({ model: 'aurora/other' }), ''],
  ['a rejected request again', refused, again([50]), 'not-retryable-retried'],
  ['another model instead', refused, afterwards({ model: 'aurora/other' }), ''],
  ['another question', refused, afterwards({ input: 'And why so high?' }), ''],
  ['six attempts', down, again([1000, 2000, 4000, 8000, 16_000], done), 'retry-storm'],
  ['waits that do not grow', down, again([9000, 9000, 9000], done), 'retry-storm'],
  ['waits that grow', down, again([9000, 18_000, 36_000], done), ''],
  ['a single attempt', { fault: 'connection-reset' }, again([]), 'gave-up'],
  ['a fallback', { fault: 'connection-reset' }, again([], done), ''],
  ['a cut text', cut, shows((part) => part), 'truncated-accepted'],
  ['a cut text that is marked', cut, shows((part) => ({ part, stopped: true })), ''],
  ['a cut text with a state', cut, shows((part) => ({ part, state: 'cut' })), ''],
  ['a cut text with an error', cut, shows((part) => ({ part, error: 'cut off' })), ''],
  ['a cut text without a reason', cut, shows((part) => ({ part, finish_reason: null })), ''],
  ['a cut text without an error', cut, shows((part) => ({ part, errors: [] })), 'truncated-accepted'],
  ['a cut object', cutJson, shows(() => ({ port: 'Brest' })), 'truncated-accepted'],
  ['a text with an error', broken, shows((answer) => ({ answer })), 'error-in-stream-ignored'],
  ['a filtered text', { fault: 'content-filter' }, shows((part) => [part]), 'truncated-accepted'],
  ['a retry of a cut text', cut, joins(1), ''],
  ['a text behind its beginning', cut, joins(0), 'text-twice'],
  ['a retry of a text without its end', { fault: 'stream-without-completed', times: 1 }, joins(1), ''],
  ['a lost reply again', lost, again([50], done), 'duplicate-effect'],
  ['a lost reply again with its key', lost, again([50], done, key), ''],
  ['all again after an error in a 200', failing, asksAll, 'duplicate-effect'],
  ['the same question without a failure', undefined, again([50, 50]), ''],
  ['a result twice', undefined, asks({ input: history('c1', 'c1') }), 'tool-result-twice'],
  ['two results', undefined, asks({ input: history('c1', 'c2') }), ''],
  ['a fault in streams without one', cut, again([]), 'fault-never-acted'],
  ['a fault in streams next to a reply', { ...cut, reply: text }, again([]), 'fault-never-acted'],
]

describe('findings()', () => {
  it.each(cases)('judges %s', async (_title, rule, work, expected) => {
    using sandbox = gateway.createSandbox()
    sandbox.reply(text)
    if (rule) sandbox.use({ on: 'createResponse', ...rule })
    const found = findings(sandbox, await work(sandbox))
    expect(found.map(({ name }) => name).join(' ')).toBe(expected)
  })

  it('judges a function that ran with half of its arguments', async () => {
    using sandbox = gateway.createSandbox()
    sandbox.reply({ output: [call] })
    sandbox.use({ on: 'createResponse', ...cut })
    await ask(sandbox, stream)
    const [id = ''] = /call_[\da-f]{8,}/.exec(sandbox.journal.entries()[0]?.responseBody.text ?? '') ?? []
    await ask(sandbox, { input: history(id) })
    const message = `POST /api/v1/responses, calls 1, 2: ${id} ran, but its arguments are not whole JSON: {"port":"`
    const calls = sandbox.journal.entries().map(({ id }) => id)
    expect(findings(sandbox, done)).toEqual([{ name: 'tool-executed-on-broken-arguments', message, calls }])
  })

  it.each([
    ['the request', ''],
    ['only the wait for it', 'abort-not-passed-on'],
  ])('judges an abort that ends %s', async (what, expected) => {
    using sandbox = gateway.createSandbox()
    sandbox.use({ on: 'createResponse', fault: 'stream-stall' })
    const stop = new AbortController()
    const headers = { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'aurora/dawn-2', input, ...stream })
    await gateway.fetch(url, { method: 'POST', headers, body, signal: stop.signal })
    if (what === 'the request') stop.abort()
    await Promise.resolve()
    expect(
      findings(sandbox, { userAborted: true })
        .map(({ name }) => name)
        .join(' '),
    ).toBe(expected)
  })

  it('rejects unknown options, and anything but a sandbox', () => {
    expect(() => findings(gateway, { reslt: text } as object)).toThrow(
      "findings(): unknown option 'reslt'; did you mean 'result'?",
    )
    expect(() => findings(undefined as never)).toThrow(
      'findings() requires a gateway or a sandbox, got undef',
    )
  })

  it('judges a remote sandbox', async () => {
    await using server = await startServer()
    await using sandbox = await (await connectGateway(server.url)).createSandbox()
    await sandbox.fail(503)
    await fetch(`${sandbox.baseUrl}/providers`)
    expect(await findings(sandbox)).toMatchObject([{ name: 'gave-up' }])
    await expect(expect(sandbox).toHaveRecovered()).rejects.toThrow('call 1: the reply was a 503')
  })
})

describe('toHaveRecovered()', () => {
  it('passes if a retry succeeds', async () => {
    using sandbox = gateway.createSandbox()
    sandbox.fail(503, { times: 1 })
    await again([1000])(sandbox)
    expect(sandbox).toHaveRecovered({ result: text })
    expect(() => expect(sandbox).not.toHaveRecovered({ result: text })).toThrow('it made no mistake')
  })

  it('fails if a stream failed and there is no result to judge', async () => {
    using sandbox = gateway.createSandbox()
    sandbox.use({ on: 'createResponse', ...broken })
    await ask(sandbox, stream)
    const message = /error-in-stream-ignored \(not judged\): POST .*, call 1: .* pass the result/
    expect(() => expect(sandbox).toHaveRecovered()).toThrow(message)
  })

  it('does not judge waits while the clock stands still', async () => {
    const still = createGateway({ timeScale: 0 })
    still.use({ on: '*', ...limited })
    const init = { headers: { authorization: 'Bearer any' } }
    for (let call = 0; call < 2; call++) await still.fetch('https://gateway.example/api/v1/providers', init)
    expect(findings(still, done)).toEqual([])
    expect(() => expect(still).toHaveRecovered(done)).toThrow('stands still (timeScale: 0)')
  })
})
