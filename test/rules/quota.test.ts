import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { Clock } from '../../src/lib/clock.ts'
import { random } from '../../src/lib/seed.ts'
import { checkScenario } from '../../src/rules/check-scenario.ts'
import type { RuleRequest } from '../../src/rules/rule-request.ts'
import { Rules } from '../../src/rules/rules.ts'
import type { RuleInput } from '../../src/rules/scenario-input.ts'
import { cases } from '../whole.ts'

type Quota = Extract<NonNullable<RuleInput['quota']>, { per: unknown }>

const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000 }

/** The quota as a sentence would have it: everything that ever happened is kept, and counted anew each time. */
class ReferenceQuota {
  readonly #quota: Quota
  readonly #uses: { at: number; caller: string; requests: number; tokens: number }[] = []

  constructor(quota: Quota) {
    this.#quota = quota
  }

  get #ms(): number {
    const { per } = this.#quota
    if (typeof per === 'number') return per
    return Number.parseFloat(per) * (units[per.replace(/[\d.]/g, '')] ?? 0)
  }

  /** The uses of a caller that count at a time. */
  #counting(caller: string, now: number) {
    const uses = this.#uses.filter((use) => use.caller === caller)
    if (this.#quota.window === 'sliding') return uses.filter(({ at }) => now - at < this.#ms)
    let start = Number.NEGATIVE_INFINITY
    for (const { at } of uses) if (at - start >= this.#ms) start = at
    return now - start >= this.#ms ? [] : uses.filter(({ at }) => at >= start)
  }

  passes(caller: string, now: number): boolean {
    const uses = this.#counting(caller, now)
    const requests = uses.reduce((sum, use) => sum + use.requests, 0)
    const tokens = uses.reduce((sum, use) => sum + use.tokens, 0)
    const { requests: most = Number.POSITIVE_INFINITY, tokens: mostTokens = Number.POSITIVE_INFINITY } =
      this.#quota
    const passes = requests < most && tokens < mostTokens
    if (passes) this.#uses.push({ at: now, caller, requests: 1, tokens: 0 })
    return passes
  }

  answered(caller: string, now: number, tokens: number): void {
    if (tokens > 0) this.#uses.push({ at: now, caller, requests: 0, tokens })
  }
}

const operations = [{ id: 'createResponse', method: 'post', path: '/responses', streams: true }]

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

/** Plays one random trace against both; returns the first difference. */
function playTrace(trace: number): string | undefined {
  const draw = random('quota trace', trace)
  const pick = <Value>(...values: Value[]) => values[Math.floor(draw() * values.length)] as Value
  const amount = () => ({ requests: pick(undefined, 1, 3, 10), tokens: pick(undefined, 0, 50, 400) })
  const { requests, tokens } = amount()
  const quota: Quota = {
    ...(requests !== undefined && { requests }),
    ...(tokens !== undefined || requests === undefined ? { tokens: tokens ?? 100 } : {}),
    per: pick<number | string>(100, '500ms', '1s', '0.5s'),
    window: pick('sliding', 'fixed'),
    ...pick<{ by?: 'key' | 'model' }>({}, { by: 'key' }, { by: 'model' }),
  }
  const clock = new Clock({ timeScale: 0 })
  const rules = new Rules({ seed: 1, clock })
  rules.use(checkScenario({ name: 'limited', rules: [{ on: 'createResponse', quota }] }, operations))
  const reference = new ReferenceQuota(quota)
  const unanswered: { caller: string; charge: (tokens: number) => unknown }[] = []
  for (let step = 0; step < 40; step++) {
    if (draw() < 0.5) clock.advance(Math.floor(draw() * 300))
    const answered =
      draw() < 0.6 ? unanswered.splice(Math.floor(draw() * unanswered.length), 1)[0] : undefined
    if (answered) {
      const used = pick(0, 7, 60)
      answered.charge(used)
      reference.answered(answered.caller, clock.elapsed(), used)
    }
    const [key, model] = [pick('a', 'b'), pick('x/1', 'x/2')]
    const caller = quota.by === 'key' ? key : quota.by === 'model' ? model : ''
    const wanted = reference.passes(caller, clock.elapsed())
    const { match, charge } = rules.match(request(key, model, step))
    if ((match === undefined) !== wanted)
      return `trace ${trace}, step ${step}: ${JSON.stringify(quota)} ${wanted ? 'passes' : 'is spent'}, ours otherwise`
    if (charge) unanswered.push({ caller, charge })
  }
  return undefined
}

describe('A quota of requests and tokens', () => {
  it('is equal to a reference model on random traces', () => {
    const differences = Array.from({ length: cases(1000, 10_000) }, (_value, trace) => playTrace(trace))
    expect(differences.filter((difference) => difference !== undefined)).toEqual([])
  }, 180_000)

  const asking =
    (gateway: ReturnType<typeof createGateway>, key = 'any') =>
    async (body: object = {}) => {
      const response = await gateway.fetch('https://gateway.example/api/v1/responses', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'aurora/dawn-2', input: 'Hello', ...body }),
      })
      await response.text()
      return response
    }
  const limits = ({ headers }: Response) =>
    Object.fromEntries([...headers].filter(([name]) => /ratelimit|retry/.test(name)))

  it('refuses with 429 and the right headers when the tokens are used, and a minute is over at once', async () => {
    const gateway = createGateway({ timeScale: 0 })
    gateway.script(
      [
        { text: 'One', usage: { input_tokens: 600, output_tokens: 300 } },
        { text: 'Two', usage: { input_tokens: 50, output_tokens: 60 } },
      ],
      { exhausted: 'repeat' },
    )
    gateway.use({ on: 'createResponse', quota: { tokens: 1000, requests: 60, per: '1m' } })
    const ask = asking(gateway)
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
    const refused = await ask()
    expect(refused.status).toBe(429)
    expect(limits(refused)).toEqual({
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

  it('counts the tokens of streams too, and keeps callers apart', async () => {
    const gateway = createGateway({ timeScale: 0 })
    gateway.use({ on: 'createResponse', quota: { tokens: 1, per: 1000, by: 'key' } })
    expect((await asking(gateway, 'one')({ stream: true })).status).toBe(200)
    expect([(await asking(gateway, 'one')()).status, (await asking(gateway, 'two')()).status]).toEqual([
      429, 200,
    ])
  })

  it('has a fault of its own where the rule names one', async () => {
    const gateway = createGateway({ timeScale: 0 })
    gateway.use({
      on: 'createResponse',
      quota: { requests: 1, per: '1h' },
      fault: { name: 'status', status: 402 },
    })
    const ask = asking(gateway)
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 402])
  })

  it('goes back with its sandbox', async () => {
    const gateway = createGateway({ timeScale: 0 })
    gateway.use({ on: 'createResponse', quota: { requests: 1, per: '1h' } })
    const ask = asking(gateway)
    await ask()
    const snapshot = gateway.snapshot()
    expect((await ask()).status).toBe(429)
    gateway.restore(snapshot)
    expect((await ask()).status).toBe(429)
    gateway.reset()
    gateway.use({ on: 'createResponse', quota: { requests: 1, per: '1h' } })
    expect((await ask()).status).toBe(200)
  })

  it.each([
    [{ per: '1 minute', requests: 1 }, "give a duration, '1m' or '500ms'"],
    [{ requests: 1 }, "'quota.per' is missing"],
    [{ per: '1m' }, 'limits nothing'],
    [{ per: '1m', token: 1 }, "Unknown field 'token'"],
    [{ per: '1m', tokens: 1, by: 'user' }, "Wrong 'quota.by'"],
  ])('a mistake is told: %j', (quota, message) => {
    expect(() => createGateway().use({ on: '*', quota } as never)).toThrow(message)
  })
})

describe('The state of a story', () => {
  it('is set by a rule and wanted by others, across operations', async () => {
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
    const call = async (method: string, path: string, body?: object) => {
      const headers = { authorization: 'Bearer any', 'content-type': 'application/json' }
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
      return (await gateway.fetch(`https://gateway.example/api/v1${path}`, init)).status
    }
    const before = gateway.snapshot()
    expect(await call('GET', '/presets/code-review')).toBe(200)
    expect(gateway.journal.last('getPreset')?.nearMisses[0]?.reason).toBe(
      "rule 2 of 'renamed' wants the state 'renamed', it is 'started'",
    )
    expect(await call('PATCH', '/workspaces/production', { name: 'New' })).toBe(200)
    expect([await call('GET', '/presets/code-review'), await call('GET', '/presets/code-review')]).toEqual([
      404, 200,
    ])
    await call('GET', '/providers')
    expect(gateway.journal.last('listProviders')?.rule).toMatchObject({ rule: 3 })
    expect(gateway.unusedRules()).toEqual([])
    gateway.restore(before)
    await call('GET', '/providers')
    expect(gateway.journal.last('listProviders')?.rule).toBeNull()
  })
})
