/**
 * Tests plausible ways to write replies, durations and rules: each works, or its error names the correct
 * form.
 */
import { describe, expect, it, vi } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { call } from '../call.ts'

const question = { model: 'aurora/dawn-1', input: 'Why is the sky blue?' }

function setup() {
  const gateway = createGateway({ timeScale: 0 })
  const ask = async (change: object = {}) =>
    (await call(gateway, 'POST /responses', { body: { ...question, ...change } })).body
  return { gateway, ask, textOf: async () => (await ask()).output.at(-1).content[0].text }
}

describe('reply()', () => {
  it('accepts a string, a reply object or a function', async () => {
    const { gateway, ask, textOf } = setup()
    gateway.reply('a text')
    expect(await textOf()).toBe('a text')
    gateway.reply({ text: 'a reply', usage: { input_tokens: 7 } })
    expect(await ask()).toMatchObject({ usage: { input_tokens: 7 } })
    expect(await textOf()).toBe('a reply')
    gateway.reply(({ request }) => `a function: ${request.body.model}`)
    expect(await textOf()).toBe('a function: aurora/dawn-1')
  })

  it('shares its short form, a string, with the `reply` field of rules and sequence steps', async () => {
    const { gateway, textOf } = setup()
    gateway.use({ on: 'text', sequence: [{ reply: 'a step' }] })
    gateway.use({ on: 'text', reply: 'a rule' })
    expect([await textOf(), await textOf()]).toEqual(['a step', 'a rule'])
  })
})

describe('durations', () => {
  it("accept milliseconds or strings such as '1m' in faults, windows, clock.advance() and waitFor()", async () => {
    const { gateway } = setup()
    const { elapsedMs } = gateway.clock.advance('1m')
    expect(elapsedMs).toBeGreaterThanOrEqual(60_000)
    gateway.use({ on: '*', during: { from: '1m', to: '2m' }, fault: { name: 'latency', ms: '2s' } })
    const wait = vi.spyOn(gateway.sandboxes.default.state.clock, 'wait').mockImplementation(() => undefined)
    await call(gateway, 'GET /providers')
    expect(wait.mock.calls[0]?.[0]).toBe(2000)
    await gateway.journal.waitFor('listProviders', { timeout: '1s' })
  })
})

describe('rules written in the style of other tools', () => {
  it.each([
    [{ on: '*', once: true, fault: 'status' }, "unknown field 'once'; use times: 1"],
    [{ on: '*', delay: 100 }, "unknown field 'delay'; use fault: { name: 'latency', ms: 100 }"],
    [{ on: 'text', response: { text: 'Hi' } }, "unknown field 'response'; did you mean 'reply'?"],
    [
      { on: '*', status: 503 },
      "unknown field 'status'; use fault: { name: 'status', status: 503 }, or reply: { status: 200, … }",
    ],
    [{ on: '*', fault: 503 }, "fault: 503 is unknown; write { name: 'status', status: 503 }"],
    [
      { on: '*', fault: 'status-503' },
      "fault: 'status-503' is unknown; write { name: 'status', status: 503 }",
    ],
    [{ on: '*', fault: 'delay' }, "fault: 'delay' is unknown; did you mean 'latency'?"],
    [{ on: '*', fault: 'disconnect' }, "fault: 'disconnect' is unknown; did you mean 'connection-reset'?"],
    [
      { on: '*', fault: 'network-error' },
      "fault: 'network-error' is unknown; did you mean 'connection-reset'?",
    ],
    [
      { on: 'text', fault: 'stream-error' },
      "fault: 'stream-error' is unknown; did you mean 'stream-error-event'?",
    ],
    [{ on: '/responses', fault: 'status' }, "on: '/responses' is an operation: use its id 'createResponse'"],
    [
      { on: 'https://api.example/api/v1/responses', fault: 'status' },
      "on: 'https://api.example/api/v1/responses' is an operation: use its id 'createResponse'",
    ],
    [{ on: '*', faults: ['latency', 'status'] }, "unknown field 'faults'; did you mean 'fault'?"],
    [
      { on: 'text', script: [{ text: 'Hi' }], fault: 'latency' },
      "fault cannot be combined with script: put it into a turn, as in script: [{ text: 'Hello', fault: … }]",
    ],
    [{ on: 'text', sequence: [{}] }, "sequence[0] has no effect: add a fault or a reply, or write 'pass'"],
    [
      { on: 'text', reply: { text: 'Hi', citations: [{ url: 'https://a.example/', text: 'Ho' }] } },
      "reply.citations[0].text: 'Ho' is not in the reply's text",
    ],
  ])('cause an error that names the correct form: %j', (rule, message) => {
    expect(() => createGateway().use(rule as never)).toThrow(`use(): ${message}`)
  })

  it('combine faults listed in `faults`', async () => {
    const { gateway } = setup()
    gateway.use({ on: '*', fault: ['latency', { name: 'status', status: 529 }] })
    expect((await call(gateway, 'GET /providers')).status).toBe(529)
    expect(gateway.journal.last('listProviders')?.rules[0]?.faults).toEqual(['latency', 'status'])
  })

  it.each([
    ['reply', () => createGateway().reply('Hi', { once: true } as never), '; use times: 1'],
    [
      'reply',
      () => createGateway().reply('Hi', { usage: { cost: 0.25 } } as never),
      "reply(): unknown field 'usage'; write reply({ text, usage }, …)",
    ],
    ['reply', () => createGateway().reply('Hi', { body: {} } as never), '; write reply({ body }, …)'],
    ['reply', () => createGateway().reply('Hi', { citation: [] } as never), "; did you mean 'citations'?"],
    [
      'reply',
      () => createGateway().reply('Hi', { question: 1 } as never),
      '; expected one of citations, on, when, times, after, status, headers, probability',
    ],
    [
      'script',
      () => createGateway().script([{ text: 'Hi' }], { question: 1 } as never),
      'of on, when, onEnd',
    ],
    [
      'fail',
      () => createGateway().fail(503, { delay: 100 } as never),
      "use fault: { name: 'latency', ms: 100 }",
    ],
  ])(
    'cause an error that names the correct option, if they are arguments of %s()',
    (_verb, mistake, message) => {
      expect(mistake).toThrow(message)
    },
  )
})

describe('warnings and rejections', () => {
  it.each([{ background: true }, { conversation: 'c' }])(
    'only a rule can reply to a request with %j',
    async (fields) => {
      const gateway = createGateway()
      const body = { ...question, ...fields }
      const rejected = await call(gateway, 'POST /responses', { body })
      expect(rejected).toMatchObject({ status: 400 })
      expect(rejected.body.error.message).toContain(
        'is not simulated: only a rule can reply to such a request',
      )
      expect(rejected.headers.get('x-understudy-assumptions')).toContain('notSimulated')
      gateway.reply('Soon.')
      expect(await call(gateway, 'POST /responses', { body })).toMatchObject({ status: 200 })
    },
  )
})
