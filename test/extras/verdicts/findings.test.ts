/** Tests each finding with requests that make the mistake, and with requests that almost make it. */
import { describe, expect, it } from 'vitest'
import { createGateway, type Rule, type Sandbox } from '../../../src/index.ts'
import { connectGateway } from '../../../src/remote.ts'
import { startServer } from '../../../src/serve.ts'
import { type Evidence, findings } from '../../../src/verdicts.ts'

const gateway = createGateway()
const text = 'The tide comes in twice a day, and the moon decides when.'
const question = { model: 'aurora/dawn-2', input: 'Why do tides come twice a day?' }

class App {
  readonly sandbox: Sandbox
  constructor(sandbox: Sandbox) {
    this.sandbox = sandbox
  }

  send(body: object, headers: Record<string, string> = {}): Promise<Response> {
    const { apiKey } = this.sandbox
    return gateway.fetch('https://gateway.example/api/v1/responses', {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ ...question, ...body }),
    })
  }

  /** Sends a request, and returns the text of the reply as far as it came. */
  async ask(request: object = {}, headers: Record<string, string> = {}): Promise<string> {
    try {
      const { body } = await this.send(request, headers)
      let wire = ''
      for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) wire += part
      return [...wire.matchAll(/"type":"response.output_text.delta".*?"delta":"(.*?)"/g)]
        .map(([, part]) => part)
        .join('')
    } catch {
      return ''
    }
  }

  /** Sends a request again and again, after waits in milliseconds. */
  async repeat(waits: readonly number[], body: object = {}, headers: Record<string, string> = {}) {
    await this.ask(body, headers)
    for (const ms of waits) {
      this.sandbox.clock.advance(ms)
      await this.ask(body, headers)
    }
  }
}

const stream = { stream: true }
const key = { 'idempotency-key': 'k1' }
const call = { type: 'function_call', name: 'getTide', arguments: '{"port":"Brest"}' } as const
const done = { result: 'done' }

type Case = [
  title: string,
  rule: Omit<Rule, 'on'> | undefined,
  work: (app: App) => Promise<Evidence | unknown>,
  found: string[],
]

const limited = { fault: 'rate-limit', times: 1 } as const
const cut = { fault: 'stream-cut', times: 1 } as const
const cases: Case[] = [
  ['an attempt before Retry-After is over', limited, (app) => app.repeat([500]), ['retry-after-ignored']],
  ['an attempt after Retry-After', limited, (app) => app.repeat([1000]), []],
  [
    'a rejected request again',
    { fault: { name: 'status', status: 400 } },
    (app) => app.repeat([50]),
    ['not-retryable-retried'],
  ],
  [
    'another model instead',
    { fault: { name: 'status', status: 404 } },
    (app) => app.ask().then(() => app.ask({ model: 'aurora/other' })),
    [],
  ],
  [
    'a longer conversation',
    { fault: { name: 'status', status: 400 } },
    (app) => app.ask().then(() => app.ask({ input: 'And why so high?' })),
    [],
  ],
  [
    'six attempts',
    { fault: 'status' },
    (app) => app.repeat([10, 20, 40, 80, 160]).then(() => done),
    ['retry-storm'],
  ],
  [
    'waits that do not grow',
    { fault: 'status' },
    (app) => app.repeat([100, 100, 100]).then(() => done),
    ['retry-storm'],
  ],
  ['waits that grow', { fault: 'status' }, (app) => app.repeat([100, 200, 400]).then(() => done), []],
  ['a single attempt', { fault: 'connection-reset' }, (app) => app.ask(), ['gave-up']],
  ['a fallback', { fault: 'connection-reset' }, (app) => app.ask().then(() => done), []],
  [
    'a cut text',
    cut,
    async (app) => ({ result: await app.ask(stream) }),
    ['truncated-accepted', 'error-in-stream-ignored'],
  ],
  [
    'a cut text that is marked',
    cut,
    async (app) => ({ result: { text: await app.ask(stream), stopped: true } }),
    [],
  ],
  [
    'a text in spite of an error',
    { fault: 'stream-error-event' },
    async (app) => ({ result: { answer: await app.ask(stream) } }),
    ['error-in-stream-ignored'],
  ],
  [
    'a filtered text',
    { fault: 'content-filter' },
    async (app) => ({ result: await app.ask(stream) }),
    ['truncated-accepted'],
  ],
  [
    'a retry of a cut text',
    cut,
    async (app) => ({ result: (await app.ask(stream)) && (await app.ask(stream)) }),
    [],
  ],
  [
    'a text appended to its beginning',
    cut,
    async (app) => ({ result: (await app.ask(stream)) + (await app.ask(stream)) }),
    ['text-twice'],
  ],
  [
    'a lost reply again',
    { fault: 'lost-reply', times: 1 },
    (app) => app.repeat([50]).then(() => done),
    ['duplicate-effect'],
  ],
  [
    'a lost reply again, with the same key',
    { fault: 'lost-reply', times: 1 },
    (app) => app.repeat([50], {}, key).then(() => done),
    [],
  ],
  ['the same question again, without a failure', undefined, (app) => app.repeat([50, 50]), []],
  ['a result twice', undefined, (app) => app.ask({ input: history('c1', 'c1') }), ['tool-result-twice']],
  ['two results', undefined, (app) => app.ask({ input: history('c1', 'c2') }), []],
  [
    'a fault for streams without one',
    cut,
    async (app) => ({ result: await app.ask() }),
    ['fault-never-acted'],
  ],
]

function history(...ids: string[]): object[] {
  const result = (id: string) => [
    { ...call, call_id: id },
    { type: 'function_call_output', call_id: id, output: 'At six' },
  ]
  return [{ role: 'user', content: question.input }, ...ids.flatMap(result)]
}

describe('findings()', () => {
  it.each(cases)('judges %s', async (_title, rule, work, expected) => {
    using sandbox = gateway.createSandbox()
    sandbox.reply(text)
    if (rule) sandbox.use({ on: 'createResponse', ...rule })
    const evidence = Object(await work(new App(sandbox))) as Evidence
    expect(findings(sandbox, 'result' in evidence ? evidence : {}).map(({ name }) => name)).toEqual(expected)
  })

  it('judges a function that ran with half of its arguments', async () => {
    using sandbox = gateway.createSandbox()
    sandbox.reply({ output: [call] })
    sandbox.use({ on: 'createResponse', ...cut })
    const app = new App(sandbox)
    await app.ask(stream)
    const id = /call_[\da-f]{8,}/.exec(sandbox.journal.entries()[0]?.responseBody.text ?? '')?.[0] ?? ''
    await app.ask({ input: history(id) })
    const [found] = findings(sandbox, done)
    expect(found).toMatchObject({ name: 'tool-executed-on-broken-arguments' })
    expect(found?.message).toMatch(
      /^POST \/api\/v1\/responses, calls 1, 2: call_\w+ ran, but its arguments are not whole JSON/,
    )
    expect(found?.calls).toEqual(sandbox.journal.entries().map(({ id }) => id))
  })

  it.each([
    ['the request', []],
    ['only the wait for it', ['abort-not-passed-on']],
  ])('judges an abort that ends %s', async (what, expected) => {
    using sandbox = gateway.createSandbox()
    sandbox.use({ on: 'createResponse', fault: 'stream-stall' })
    const { body } = await new App(sandbox).send(stream)
    if (what === 'the request') await body?.cancel()
    expect(findings(sandbox, { userAborted: true }).map(({ name }) => name)).toEqual(expected)
    await body?.cancel()
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
    await new App(sandbox).repeat([1000])
    expect(sandbox).toHaveRecovered({ result: text })
    expect(() => expect(sandbox).not.toHaveRecovered({ result: text })).toThrow('it made no mistake')
  })

  it('names the calls, and what lacks evidence', async () => {
    using sandbox = gateway.createSandbox()
    sandbox.use({ on: 'createResponse', fault: 'stream-error-event' })
    await new App(sandbox).ask(stream)
    expect(() => expect(sandbox).toHaveRecovered()).toThrow(
      /error-in-stream-ignored \(not judged\): POST \/api\/v1\/responses, call 1: .* pass the result of the application/,
    )
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
