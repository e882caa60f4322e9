import { describe, expect, it, vi } from 'vitest'
import { createGateway } from '../../src/index.ts'
import type { Rule } from '../../src/scenarios/scenario.ts'
import { type Answer, call, open, type Target } from '../call.ts'
import { hasExtra } from '../has-extra.ts'

type RateLimit = NonNullable<Rule['rateLimit']>

describe('rate limits', () => {
  const requester =
    ({ fetch }: Target, apiKey = 'any') =>
    (body: object = {}) =>
      call({ fetch, apiKey }, 'POST /responses', {
        body: { model: 'aurora/dawn-2', input: 'Hello', ...body },
      })
  const limits = ({ headers }: Answer) =>
    Object.fromEntries([...headers].filter(([name]) => /ratelimit|retry/.test(name)))

  it('respond with 429 and headers once the tokens are used up, until the clock advances by a minute', async () => {
    const gateway = createGateway({ timeScale: 0 })
    gateway.use({
      on: 'text',
      when: { input: 'More' },
      reply: { text: 'Two', usage: { input_tokens: 50, output_tokens: 60 } },
    })
    gateway.use({
      on: 'text',
      when: { body: { input: 'Hello' } },
      reply: { text: 'One', usage: { input_tokens: 600, output_tokens: 300 } },
    })
    gateway.use({ on: 'createResponse', rateLimit: { tokens: 1000, requests: 60, per: '1m' } })
    const ask = requester(gateway)
    const history = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'One' },
      { role: 'user', content: 'More' },
    ]
    const first = await ask()
    expect(limits(first)).toMatchObject({
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-limit-tokens': '1000',
      'x-ratelimit-remaining-tokens': '100',
    })
    expect((await ask({ input: history })).status).toBe(200)
    const rejected = await ask()
    expect(rejected.status).toBe(429)
    expect(limits(rejected)).toEqual({
      'retry-after': '60',
      'x-ratelimit-limit': '1000',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '60',
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '58',
      'x-ratelimit-limit-tokens': '1000',
      'x-ratelimit-remaining-tokens': '0',
    })
    gateway.clock.advance(60_000)
    expect((await ask()).status).toBe(200)
  })

  it.each([
    [404, 'GET /nowhere'],
    [400, 'POST /responses'],
  ])('add their headers to a %i that no rule caused', async (status, line) => {
    const gateway = createGateway()
    gateway.use({ on: '*', rateLimit: { requests: 5, per: '1m' } })
    const answer = await call({ fetch: gateway.fetch }, line)
    expect(answer.status).toBe(status)
    expect(limits(answer)).toMatchObject({ 'x-ratelimit-remaining': '4' })
  })

  it('count down to the next window in sandbox time, which is real time with the system clock', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    for (const clock of ['fixed', 'system'] as const) {
      const gateway = createGateway({ timeScale: 0, clock })
      gateway.use({ on: 'createResponse', rateLimit: { requests: 1, per: '1m' } })
      const ask = requester(gateway)
      await ask()
      if (clock === 'system') vi.setSystemTime(Date.now() + 45_000)
      else gateway.clock.advance(45_000)
      expect(limits(await ask())).toMatchObject({ 'retry-after': '15', 'x-ratelimit-reset': '15' })
    }
    vi.useRealTimers()
  })

  it.each<[per: RateLimit['per'], seconds: number]>([
    [1000, 1],
    ['1ms', 1],
    ['1500ms', 2],
    ['0.5m', 30],
    ['1m', 60],
    ['1d', 86_400],
    [1e12, 1e9],
    ['11574d', 999_993_600],
  ])('with a window of %j reset after %i s', async (per, seconds) => {
    const gateway = createGateway({ timeScale: 0 })
    gateway.use({ on: 'createResponse', rateLimit: { requests: 1, per } })
    const ask = requester(gateway)
    expect(limits(await ask())).toEqual({
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(seconds),
    })
    expect((await ask()).status).toBe(429)
  })

  it.each<RateLimit['per']>([1e308, '999999999d', '9999999999d'])('reject a window of %j', (per) => {
    expect(() => createGateway().use({ on: '*', rateLimit: { requests: 1, per } })).toThrow('rateLimit.per')
  })

  it.each<[Omit<RateLimit, 'per'>]>([[{ requests: 3 }], [{ requests: 3, tokens: 10_000 }]])(
    'count down for concurrent requests, which the journal lists in order of arrival: %j',
    async (rateLimit) => {
      const gateway = createGateway()
      const { journal } = gateway
      gateway.use({ on: 'createResponse', rateLimit: { ...rateLimit, per: '1m' } })
      gateway.use({ on: 'createResponse', when: { body: { user: '1' } }, fault: { name: 'latency', ms: 5 } })
      const users = ['1', '2', '3', '4']
      const answers = await Promise.all(users.map((user) => requester(gateway)({ user })))
      expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual(['2', '1', '0', '0'])
      const calls = journal.calls('createResponse')
      expect(calls.map(({ body, status }) => [body.user, status])).toEqual([
        ['1', 200],
        ['2', 200],
        ['3', 200],
        ['4', 429],
      ])
      expect(journal.last('createResponse')?.body.user).toBe('4')
    },
  )

  it('report tokens in X-RateLimit headers if only tokens are limited or exhausted', async () => {
    const limitsAfter = async (rateLimit: Omit<RateLimit, 'per'>, count: number) => {
      const gateway = createGateway({ timeScale: 0 })
      gateway.use({ on: 'text', reply: { text: 'One', usage: { input_tokens: 6, output_tokens: 4 } } })
      gateway.use({ on: 'createResponse', rateLimit: { ...rateLimit, per: '1m' } })
      const ask = requester(gateway)
      for (let call = 1; call < count; call++) await ask()
      const { status, headers } = await ask()
      const of = (name: string) =>
        ['limit', 'remaining'].map((what) => headers.get(`x-ratelimit-${what}${name}`)).join('/')
      return [status, of(''), of('-requests'), of('-tokens')]
    }
    expect(await limitsAfter({ tokens: 25 }, 1)).toEqual([200, '25/15', '/', '25/15'])
    expect(await limitsAfter({ tokens: 25 }, 4)).toEqual([429, '25/0', '/', '25/0'])
    expect(await limitsAfter({ requests: 5 }, 2)).toEqual([200, '5/3', '/', '/'])
    expect(await limitsAfter({ requests: 5, tokens: 25 }, 1)).toEqual([200, '5/4', '5/4', '25/15'])
    // The tokens are exhausted, but the requests are not.
    expect(await limitsAfter({ requests: 5, tokens: 10 }, 1)).toEqual([200, '10/0', '5/4', '10/0'])
    expect(await limitsAfter({ requests: 2, tokens: 10 }, 1)).toEqual([200, '10/0', '2/1', '10/0'])
    expect(await limitsAfter({ requests: 5, tokens: 11 }, 1)).toEqual([200, '5/4', '5/4', '11/1'])
    expect(await limitsAfter({ requests: 1, tokens: 10 }, 2)).toEqual([429, '1/0', '1/0', '10/0'])
  })

  it('can be scoped to an API key or a model', async () => {
    const passed = async (rateLimit: object) => {
      const gateway = createGateway({ timeScale: 0 })
      gateway.use({ on: 'createResponse', rateLimit: { requests: 1, per: '1m', ...rateLimit } })
      const statuses = []
      for (const model of ['a/b', 'a/c'])
        for (const key of ['one', 'two']) statuses.push((await requester(gateway, key)({ model })).status)
      return statuses
    }
    expect(await passed({})).toEqual([200, 429, 429, 429])
    expect(await passed({ by: 'key' })).toEqual([200, 200, 429, 429])
    expect(await passed({ by: 'model' })).toEqual([200, 429, 200, 429])
  })

  it.runIf(hasExtra('messages'))('can be scoped to the key in x-api-key', async () => {
    const gateway = createGateway({ timeScale: 0 })
    gateway.use({ on: 'createMessage', rateLimit: { requests: 1, per: '1m', by: 'key' } })
    const body = { model: 'a/b', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }
    const statuses = []
    for (const key of ['one', 'two', 'one']) {
      const headers = { 'content-type': 'application/json', 'x-api-key': key }
      const url = 'https://gateway.example/api/v1/messages'
      const reply = await gateway.fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
      statuses.push(reply.status)
    }
    expect(statuses).toEqual([200, 200, 429])
  })

  it('count the tokens of streams, separately for each API key', async () => {
    const gateway = createGateway({ timeScale: 0 })
    gateway.use({ on: 'createResponse', rateLimit: { tokens: 1, per: 1000, by: 'key' } })
    expect((await requester(gateway, 'one')({ stream: true })).status).toBe(200)
    expect([(await requester(gateway, 'one')()).status, (await requester(gateway, 'two')()).status]).toEqual([
      429, 200,
    ])
  })

  it.each(['rate-limit', 'retry-after-date', { name: 'status', status: 429, message: 'Slow down' }] as const)(
    'announce themselves in replies that pass, and reset when a 429 says: %j',
    async (fault) => {
      const gateway = createGateway({ timeScale: 0 })
      gateway.use({ on: 'createResponse', rateLimit: { requests: 1, per: '10s' }, fault })
      const ask = requester(gateway)
      expect(limits(await ask())).toMatchObject({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '10' })
      const { 'retry-after': wait, ...others } = limits(await ask())
      expect(others).toMatchObject({ 'x-ratelimit-reset': '10' })
      expect(['10', 'Thu, 01 Jan 2026 00:00:10 GMT']).toContain(wait)
    },
  )

  it.each([
    [{ name: 'status', status: 429, headers: { 'Retry-After': '5' } }, '5'],
    [{ name: 'status', status: 429, headers: { 'retry-after': 'soon' } }, '1'],
    [{ name: 'retry-after-date', ms: 3000 }, '3'],
  ] as const)('reset at the same time as Retry-After without a limit: %j', async (fault, reset) => {
    const gateway = createGateway()
    gateway.use({ on: '*', fault })
    expect(limits(await requester(gateway)())).toMatchObject({ 'x-ratelimit-reset': reset })
  })

  it("reject requests with their rule's fault", async () => {
    const gateway = createGateway({ timeScale: 0 })
    gateway.use({
      on: 'createResponse',
      rateLimit: { requests: 1, per: '1h' },
      fault: { name: 'status', status: 402 },
    })
    const ask = requester(gateway)
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 402])
  })

  it.each([
    [
      { per: '1 minute', requests: 1 },
      "use(): rateLimit.per must be milliseconds, or a duration such as '500ms', '10s' or '1m', got '1 minute'",
    ],
    [{ requests: 1 }, 'use(): rateLimit.per is required: milliseconds, or a duration such as'],
    [{ per: '1m' }, 'must limit requests, tokens or both'],
    [{ per: '1m', token: 1 }, "use(): unknown field 'rateLimit.token'; did you mean 'tokens'?"],
    [{ per: '1m', tokens: 1, by: 'user' }, "use(): rateLimit.by must be 'key' or 'model', got 'user'"],
  ])('reject invalid options: %j', (rateLimit, message) => {
    expect(() => createGateway().use({ on: '*', rateLimit } as never)).toThrow(message)
  })
})

describe('`setState` and `when.state`', () => {
  it('link rules for different operations', async () => {
    const gateway = createGateway()
    gateway.use({
      name: 'renamed',
      rules: [
        { on: 'updateWorkspace', setState: 'renamed' },
        {
          on: 'getPreset',
          when: { state: 'renamed' },
          fault: { name: 'status', status: 404 },
          setState: 'noticed',
        },
        { on: 'listProviders', when: { state: ['noticed', 'over'] }, reply: { body: { data: [] } } },
      ],
    })
    const status = async (line: string, body?: object) => (await open(gateway, line, { body })).status
    const before = gateway.snapshot()
    expect(await status('GET /presets/code-review')).toBe(200)
    expect(gateway.journal.last('getPreset')?.nearMisses[0]?.reason).toBe(
      "rule 2 of 'renamed' expected the state 'renamed', but it is 'started'",
    )
    expect(await status('PATCH /workspaces/production', { name: 'New' })).toBe(200)
    expect([await status('GET /presets/code-review'), await status('GET /presets/code-review')]).toEqual([
      404, 200,
    ])
    await status('GET /providers')
    expect(gateway.journal.last('listProviders')?.rules[0]).toMatchObject({ index: 3 })
    expect(gateway.unusedRules()).toEqual([])
    gateway.restore(before)
    await status('GET /providers')
    expect(gateway.journal.last('listProviders')?.rules).toEqual([])
  })
})
