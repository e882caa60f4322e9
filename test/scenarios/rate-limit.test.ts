import { describe, expect, it, vi } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { Clock } from '../../src/lib/clock.ts'
import { random } from '../../src/lib/seed.ts'
import { checkScenario } from '../../src/scenarios/check-scenario.ts'
import type { RuleRequest } from '../../src/scenarios/condition.ts'
import { Rules } from '../../src/scenarios/rules.ts'
import type { RuleInput } from '../../src/scenarios/scenario.ts'
import { type Answer, call, open, type Target } from '../call.ts'
import { cases } from '../suite-size.ts'

type RateLimit = NonNullable<RuleInput['rateLimit']>

const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000 }

/** A reference model of a rate limit, which stores every use and recounts all uses for each request. */
class ReferenceLimit {
  readonly #limit: RateLimit
  readonly #uses: { at: number; caller: string; requests: number; tokens: number }[] = []

  constructor(rateLimit: RateLimit) {
    this.#limit = rateLimit
  }

  get #ms(): number {
    const { per } = this.#limit
    if (typeof per === 'number') return per
    return Number.parseFloat(per) * (units[per.replace(/[\d.]/g, '')] ?? 0)
  }

  /** Returns the uses by `caller` in the window that contains `now`. */
  #usesInWindow(caller: string, now: number) {
    const uses = this.#uses.filter((use) => use.caller === caller)
    let start = Number.NEGATIVE_INFINITY
    for (const { at } of uses) if (at - start >= this.#ms) start = at
    return now - start >= this.#ms ? [] : uses.filter(({ at }) => at >= start)
  }

  passes(caller: string, now: number): boolean {
    const uses = this.#usesInWindow(caller, now)
    const requests = uses.reduce((sum, use) => sum + use.requests, 0)
    const tokens = uses.reduce((sum, use) => sum + use.tokens, 0)
    const { requests: most = Number.POSITIVE_INFINITY, tokens: mostTokens = Number.POSITIVE_INFINITY } =
      this.#limit
    const passes = requests < most && tokens < mostTokens
    if (passes) this.#uses.push({ at: now, caller, requests: 1, tokens: 0 })
    return passes
  }

  charge(caller: string, now: number, tokens: number): void {
    if (tokens > 0) this.#uses.push({ at: now, caller, requests: 0, tokens })
  }
}

const operations = [{ id: 'createResponse', method: 'post', path: '/responses', protocol: { streams: true } }]

function request(key: string, model: string, occurrence: number): RuleRequest {
  return {
    operation: 'createResponse',
    method: 'POST',
    route: '/responses',
    params: {},
    query: {},
    headers: { authorization: `Bearer ${key}` },
    body: { model },
    contentKey: key,
    occurrence,
  }
}

/** Runs one random trace against the rules and the reference model. Returns the first difference. */
function playTrace(trace: number): string | undefined {
  const draw = random('rate limit trace', trace)
  const pick = <Value>(...values: Value[]) => values[Math.floor(draw() * values.length)] as Value
  const amount = () => ({ requests: pick(undefined, 1, 3, 10), tokens: pick(undefined, 0, 50, 400) })
  const { requests, tokens } = amount()
  const rateLimit: RateLimit = {
    ...(requests !== undefined && { requests }),
    ...(tokens !== undefined || requests === undefined ? { tokens: tokens ?? 100 } : {}),
    per: pick<RateLimit['per']>(100, '500ms', '1s', '0.5s'),
    ...pick<{ by?: 'key' | 'model' }>({}, { by: 'key' }, { by: 'model' }),
  }
  const clock = new Clock({ timeScale: 0 })
  const rules = new Rules({ seed: 1, clock })
  rules.use(checkScenario({ name: 'limited', rules: [{ on: 'createResponse', rateLimit }] }, { operations }))
  const reference = new ReferenceLimit(rateLimit)
  const unanswered: { caller: string; charge: (tokens: number) => unknown }[] = []
  for (let step = 0; step < 40; step++) {
    if (draw() < 0.5) clock.advance(Math.floor(draw() * 300))
    const answered =
      draw() < 0.6 ? unanswered.splice(Math.floor(draw() * unanswered.length), 1)[0] : undefined
    if (answered) {
      const used = pick(0, 7, 60)
      answered.charge(used)
      reference.charge(answered.caller, clock.elapsed(), used)
    }
    const [key, model] = [pick('a', 'b'), pick('x/1', 'x/2')]
    const caller = rateLimit.by === 'key' ? key : rateLimit.by === 'model' ? model : ''
    const expected = reference.passes(caller, clock.elapsed())
    const { match, charge } = rules.match(request(key, model, step))
    if ((match === undefined) !== expected)
      return `trace ${trace}, step ${step}: ${JSON.stringify(rateLimit)}: the reference model ${expected ? 'accepts' : 'rejects'} the request`
    if (charge) unanswered.push({ caller, charge })
  }
  return undefined
}

describe('rate limits', () => {
  it('agree with a reference model on random traces', () => {
    const differences = Array.from({ length: cases(400, 10_000) }, (_value, trace) => playTrace(trace))
    expect(differences.filter((difference) => difference !== undefined)).toEqual([])
  }, 180_000)

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
    [1, 1],
    [60_000, 60],
    ['1ms', 1],
    ['1500ms', 2],
    ['2s', 2],
    ['0.5m', 30],
    ['1m', 60],
    ['1h', 3600],
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

  it('report a reset time of 0 rather than a negative one when sandbox time is past the window', async () => {
    const gateway = createGateway({ timeScale: 0 })
    gateway.use({ on: 'createResponse', rateLimit: { requests: 1, per: 1000 } })
    await requester(gateway)()
    const file = gateway.save()
    // Each request advances sandbox time, but not elapsed time, by a millisecond.
    file.clock.steps += 5000
    const other = createGateway({ timeScale: 0 })
    const { apiKey } = await other.openSandbox(file)
    const rejected = await requester(other, apiKey)()
    expect(rejected.status).toBe(429)
    expect(limits(rejected)).toMatchObject({ 'retry-after': '0', 'x-ratelimit-reset': '0' })
  })

  it('track 10,000 callers and evict the oldest', () => {
    const rules = new Rules({ seed: 1, clock: new Clock({ timeScale: 0 }) })
    const rateLimit: RateLimit = { requests: 1, per: '1h', by: 'model' }
    rules.use(
      checkScenario({ name: 'limited', rules: [{ on: 'createResponse', rateLimit }] }, { operations }),
    )
    const passes = (model: number) => rules.match(request('key', `a/${model}`, 0)).match === undefined
    for (let model = 0; model < 10_000; model++) passes(model)
    expect([passes(0), passes(10_000), passes(0), passes(9_999)]).toEqual([false, true, true, false])
  })

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

  it('can be scoped to the key in x-api-key', async () => {
    const gateway = createGateway({ timeScale: 0, extensions: ['messages'] })
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

  it('are saved and restored with their sandbox', async () => {
    const gateway = createGateway({ timeScale: 0 })
    gateway.use({ on: 'createResponse', rateLimit: { requests: 1, per: '1h' } })
    const ask = requester(gateway)
    await ask()
    const snapshot = gateway.snapshot()
    expect((await ask()).status).toBe(429)
    gateway.restore(snapshot)
    expect((await ask()).status).toBe(429)
    const other = createGateway({ timeScale: 0 })
    const opened = await other.openSandbox(gateway.save())
    const askOpened = requester(other, opened.apiKey)
    expect((await askOpened()).status).toBe(429)
    opened.clock.advance(3_600_000)
    expect((await askOpened()).status).toBe(200)
    gateway.reset()
    gateway.use({ on: 'createResponse', rateLimit: { requests: 1, per: '1h' } })
    expect((await ask()).status).toBe(200)
    gateway.restore(snapshot)
    gateway.clock.advance(3_599_999)
    expect((await ask()).status).toBe(429)
    gateway.clock.advance(1)
    expect((await ask()).status).toBe(200)
  })

  it.each([
    [
      { per: '1 minute', requests: 1 },
      "use(): rateLimit.per must be milliseconds, or a duration such as '500ms', '10s' or '1m', got '1 minute'",
    ],
    [{ requests: 1 }, 'use(): rateLimit.per is required'],
    [{ per: '1m' }, 'limits nothing'],
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
    expect(gateway.journal.last('listProviders')?.rule).toMatchObject({ rule: 3 })
    expect(gateway.unusedRules()).toEqual([])
    gateway.restore(before)
    await status('GET /providers')
    expect(gateway.journal.last('listProviders')?.rule).toBeNull()
  })
})
