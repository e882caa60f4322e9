import { describe, expect, it } from 'vitest'
import { Clock } from '../../src/lib/clock.ts'
import { hash } from '../../src/lib/seed.ts'
import type { Progress } from '../../src/scenarios/activation.ts'
import { checkScenario } from '../../src/scenarios/check-scenario.ts'
import type { Outcome } from '../../src/scenarios/compose.ts'
import { asksForStream, type RuleRequest } from '../../src/scenarios/condition.ts'
import { explainNearMisses } from '../../src/scenarios/near-misses.ts'
import { Rules } from '../../src/scenarios/rules.ts'
import type { Rule } from '../../src/scenarios/scenario.ts'

const operations = [
  { id: 'listProviders', method: 'get', path: '/providers' },
  { id: 'getPreset', method: 'get', path: '/presets/{slug}' },
  { id: 'createResponse', method: 'post', path: '/responses', protocol: { streams: true } },
]

function setup(...rules: Rule[]) {
  const clock = new Clock({ timeScale: 0 })
  const set = new Rules({ seed: 1, clock })
  if (rules.length > 0) set.use(scenario('mine', ...rules))
  return { clock, rules: set, ask: (change?: Partial<RuleRequest>) => set.match(call(change)) }
}

function scenario(name: string, ...rules: Rule[]) {
  return checkScenario({ name, rules }, { operations })
}

function call(change: Partial<RuleRequest> = {}): RuleRequest {
  const body = { model: 'aurora/dawn-1', input: 'What is the weather?', ...(change.body as object) }
  return {
    operation: 'createResponse',
    method: 'POST',
    route: '/responses',
    params: {},
    query: {},
    headers: {},
    contentKey: hash(JSON.stringify(body)),
    occurrence: 0,
    asksForStream: asksForStream(body),
    ...change,
    body,
  }
}

function matched({ matches }: Outcome): boolean {
  return matches.length > 0
}

function explain(outcome: Outcome, change?: Partial<RuleRequest>): string[] {
  return explainNearMisses(outcome.skipped, call(change)).map(({ reason }) => reason)
}

describe('rule.on', () => {
  it('matches one operation, several, or every request', () => {
    const one = setup({ on: 'getPreset', fault: 'status' })
    expect(matched(one.ask())).toBe(false)
    expect(matched(one.ask({ operation: 'getPreset' }))).toBe(true)

    const several = setup({ on: ['getPreset', 'createResponse'], fault: 'status' })
    expect([several.ask(), several.ask({ operation: 'listProviders' })].map(matched)).toEqual([true, false])

    const every = setup({ on: '*', fault: 'status' })
    expect(matched(every.ask({ operation: undefined, method: 'GET', route: '/nowhere' }))).toBe(true)
  })

  it("with '*' does not define new paths", () => {
    expect(setup({ on: '*', fault: 'status' }).rules.has('POST /chat/completions')).toBe(false)
  })
})

describe('rule.when', () => {
  const cases: [string, NonNullable<Rule['when']>, Partial<RuleRequest>, Partial<RuleRequest>][] = [
    ['a model glob', { model: 'aurora/*' }, {}, { body: { model: 'borealis/tide-1' } }],
    [
      'one of several models',
      { model: ['x/y', 'aurora/dawn-?', 'AURORA/dawn-1'] },
      {},
      { body: { model: 'x/z' } },
    ],
    ['a substring of the input text', { input: 'weather' }, {}, { body: { input: 'What is the time?' } }],
    [
      'a regular expression on the input text',
      { input: { matches: '^what', flags: 'i' } },
      {},
      { body: { input: 'So what?' } },
    ],
    ['stream', { stream: true }, { body: { stream: true } }, { body: { stream: false } }],
    [
      'a header',
      { headers: { 'X-Title': 'Demo' } },
      { headers: { 'x-title': 'Demo' } },
      { headers: { 'x-title': 'demo' } },
    ],
    ['a query parameter', { query: { source: { present: true } } }, { query: { source: '' } }, {}],
    ['an absent header', { headers: { cookie: { present: false } } }, {}, { headers: { cookie: 'a=b' } }],
    [
      'a path parameter',
      { params: { slug: { contains: 'mail' } } },
      { params: { slug: 'email-copy' } },
      { params: {} },
    ],
    [
      'a body field by path',
      { body: { 'tools.0.type': 'function' } },
      { body: { tools: [{ type: 'function' }] } },
      {},
    ],
    [
      'any item of a list',
      { body: { 'tools[*].type': 'b' } },
      { body: { tools: [{ type: 'a' }, { type: 'b' }] } },
      { body: { tools: [] } },
    ],
    [
      'a whole value',
      { body: { reasoning: { equals: { effort: 'low' } } } },
      { body: { reasoning: { effort: 'low' } } },
      { body: { reasoning: {} } },
    ],
    ['a null', { body: { metadata: null } }, { body: { metadata: null } }, {}],
    ['an absent field', { body: { store: { present: false } } }, {}, { body: { store: false } }],
  ]

  it.each(cases)('matches by %s', (_name, when, matching, failing) => {
    const { ask } = setup({ on: '*', when, fault: 'status' })
    expect([ask(matching), ask(failing)].map(matched)).toEqual([true, false])
  })

  it.each([
    ['a system prompt', [{ role: 'system', content: 'Tides' }, 'Hello'], false],
    ['an earlier turn', ['Tides', { role: 'assistant', content: 'Yes' }, 'Thanks'], false],
    ['an answer', ['Hello', { role: 'assistant', content: 'Tides' }, 'Thanks'], false],
    ['a second message of the turn', ['Hello', { role: 'assistant', content: 'Yes' }, 'Tides', 'Now'], true],
    [
      'the question that a tool call belongs to',
      ['Tides', { type: 'function_call' }, { type: 'function_call_output', output: 'x' }],
      true,
    ],
    ['reasoning', ['Hello', { type: 'reasoning', content: [{ text: 'Tides' }] }], false],
    [
      "a tool's result",
      ['Hello', { role: 'user', content: [{ type: 'tool_result', content: 'Tides' }] }],
      false,
    ],
    ["an agent's reminder", ['Hello', '<system-reminder>Tides</system-reminder>'], false],
  ])('input: in %s', (_place, items, isMatch) => {
    const { ask } = setup({ on: '*', when: { input: { matches: '^Tides' } }, fault: 'status' })
    const toMessage = (item: unknown) => (typeof item === 'string' ? { role: 'user', content: item } : item)
    expect(matched(ask({ body: { input: items.map(toMessage) } }))).toBe(isMatch)
  })

  it('finds input text in messages and their parts', () => {
    const { ask } = setup({ on: '*', when: { input: 'tide' }, fault: 'status' })
    const input = [{ role: 'user', content: [{ type: 'input_text', text: 'The tide is high' }] }]
    expect(matched(ask({ body: { input } }))).toBe(true)
    expect(matched(ask({ body: { input: undefined, messages: [{ content: 'low tide' }] } }))).toBe(true)
  })

  it('call: counts only requests that match the other conditions', () => {
    const { ask } = setup({ on: '*', when: { call: [2, 3], model: 'aurora/*' }, fault: 'status' })
    const other = { body: { model: 'x/y' } }
    expect([ask(), ask(other), ask(), ask(), ask()].map(matched)).toEqual([false, false, true, true, false])
  })

  it.each<[Extract<Rule['fault'], unknown[]>, json: boolean, stream: boolean]>([
    [['status'], true, true],
    [['stream-cut'], false, true],
    [['latency', 'stream-cut'], true, true],
    [['json-instead-of-stream'], false, true],
    [['stream-instead-of-json'], true, false],
    [['stream-instead-of-json', 'stream-cut'], true, false],
    [['stream-instead-of-json', { name: 'field', path: 'id' }], true, true],
  ])('is implied by the faults %j: matches JSON: %s, matches streams: %s', (faults, json, stream) => {
    const { ask } = setup({ on: 'createResponse', fault: faults })
    expect([ask(), ask({ body: { stream: true } })].map(matched)).toEqual([json, stream])
  })

  it('names the implied condition of a stream fault', () => {
    const { ask } = setup({ on: 'createResponse', fault: 'stream-cut' })
    expect(explain(ask())).toEqual([
      "rule 1 of 'mine' expected a request with stream true, but the request has none",
    ])
  })
})

describe("a rule's frequency", () => {
  const run = (rule: Partial<Rule>, calls = 8) => {
    const { ask } = setup({ on: '*', fault: 'status', ...rule } as Rule)
    return Array.from({ length: calls }, () => (matched(ask()) ? 'x' : '.')).join('')
  }

  it('times: applies at most n times', () => expect(run({ times: 2 })).toBe('xx......'))
  it('after: skips the first n requests', () => expect(run({ after: 3 })).toBe('...xxxxx'))
  it('after, times: can be combined', () => expect(run({ after: 1, times: 2 })).toBe('.xx.....'))

  it('probability: applies to a share of the requests, selected by the seed', () => {
    const outcomesFor = (seed: number) => {
      const rules = new Rules({ seed, clock: new Clock() })
      rules.use(scenario('mine', { on: '*', probability: 0.3, fault: 'status' }))
      return Array.from({ length: 1000 }, (_, index) =>
        matched(rules.match(call({ contentKey: hash(index) }))),
      )
    }
    expect(outcomesFor(1)).toEqual(outcomesFor(1))
    expect(outcomesFor(1)).not.toEqual(outcomesFor(2))
    expect(outcomesFor(1).filter(Boolean).length).toBeGreaterThan(250)
    expect(outcomesFor(1).filter(Boolean).length).toBeLessThan(350)
  })

  it('probability: 1 always applies, and one near 0 hardly ever', () => {
    expect(run({ probability: 1e-9 })).toBe('........')
    expect(run({ probability: 1 })).toBe('xxxxxxxx')
  })

  it('during: applies from `from` up to, but not including, `to`', () => {
    const { ask, clock } = setup({ on: '*', during: { from: 100, to: 200 }, fault: 'status' })
    const at = (ms: number) => {
      clock.advance(ms - clock.elapsed())
      return matched(ask())
    }
    expect([at(99), at(100), at(199), at(200)]).toEqual([false, true, true, false])
  })
})

describe('the conversations of a script', () => {
  it('are limited to the newest 1000', () => {
    const { rules: origin, clock } = setup({ on: 'text', script: [{ text: 'Hi' }], onEnd: 'repeat' })
    const begin = (rules: Rules, text: string) => {
      const items = [{ kind: 'message', role: 'user', text }] as const
      rules.match(call({ generatesText: true }), [], () => ({ items, tools: [] }))
      return rules.scripts()[0]?.conversations.map(({ conversation }) => conversation)
    }
    begin(origin, 'First')
    const snapshot = origin.snapshot()
    const progress = snapshot.activations[0]?.progress[1] as Progress
    progress.runs = Array(999).fill(progress.runs[0])
    const rules = new Rules({ seed: 1, clock }, snapshot)
    expect(begin(rules, 'Second')).toEqual([...Array(999).fill(1), 2])
    expect(begin(rules, 'Third')).toEqual([...Array(998).fill(1), 2, 3])
  })
})

describe('a rate limit', () => {
  it('is not announced or charged for calls that its rule skips for another reason', () => {
    const { ask } = setup({ on: '*', after: 1, rateLimit: { requests: 1, per: 1000 } })
    const [skipped, passed, over] = [ask(), ask(), ask()]
    expect([skipped.charge, skipped.matches]).toEqual([undefined, []])
    expect(passed.charge?.(0)).toEqual({
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '1',
    })
    expect(over.matches[0]?.rateLimit).toEqual({ limit: 1, remaining: 0, resetMs: 1000 })
    expect(over.charge).toBeUndefined()
  })
})

it('a rate limit tracks 10,000 callers, and evicts the oldest', () => {
  const { ask } = setup({ on: '*', rateLimit: { requests: 1, per: '1h', by: 'model' } })
  const passes = (model: number) => !matched(ask({ body: { model: `a/${model}` } }))
  for (let model = 0; model <= 20_000; model++) passes(model)
  expect([passes(0), passes(10_001)]).toEqual([true, false])
})

describe('the explanations of skipped rules', () => {
  it.each<[NonNullable<Rule['when']>, string]>([
    [
      { body: { 'tools.*.type': 'c' } },
      "expected a body field 'tools.*.type' equal to 'c', but the request has 'a', 'b'",
    ],
    [
      { body: { 'tags.*': { contains: 'c' } } },
      "expected a body field 'tags.*' containing 'c', but the request has none",
    ],
    [
      { body: { metadata: { present: true } } },
      "expected body field 'metadata' to be present, but the request has none",
    ],
    [
      { body: { tools: { present: false } } },
      `expected body field 'tools' to be absent, but the request has [{"type":"a"},{"type":"b"}]`,
    ],
  ])('quote the values for %j', (when, reason) => {
    const body = { tools: [{ type: 'a' }, { type: 'b' }] }
    const { ask } = setup({ on: '*', when, fault: 'status' })
    expect(explain(ask({ body }), { body })).toEqual([`rule 1 of 'mine' ${reason}`])
  })

  it("report counters and times as of the request's arrival", () => {
    const { ask, clock } = setup(
      { on: '*', times: 1, fault: 'status' },
      { on: '*', sequence: ['pass'] },
      { on: '*', after: 5, fault: 'status' },
      { on: '*', when: { call: 7 }, fault: 'status' },
      { on: '*', rateLimit: { requests: 9, per: 1000 }, fault: 'rate-limit' },
      { on: '*', probability: 1e-9, fault: 'status' },
      { on: '*', during: { from: 500 }, fault: 'status' },
    )
    ask()
    const outcome = ask()
    ask()
    clock.advance(800)
    const reasons = explain(outcome)
    expect(reasons.toSpliced(5, 1)).toEqual([
      "rule 1 of 'mine' is used up: it applies once",
      "rule 2 of 'mine' is at step 1 of its sequence, which lets the call pass",
      "rule 3 of 'mine' skips the first 5 calls, but this is call 1",
      "rule 4 of 'mine' expected call 7, but this is call 1",
      "rule 5 of 'mine' has not reached its limit of 9 calls in 1 s: this is call 1 in this window",
      "rule 7 of 'mine' applies after 500 ms of elapsed time, but this call arrived at 0 ms",
    ])
    expect(reasons[5]).toMatch(/^rule 6 of 'mine' has probability 0, but this call drew 0\.\d+$/)
  })

  it('omit rules for other operations and rules after the matched rule', () => {
    const { ask } = setup(
      { on: 'getPreset', fault: 'status' },
      { on: '*', fault: 'status' },
      { on: '*', times: 1, fault: 'status' },
    )
    expect(explain(ask())).toEqual([])
  })
})

describe('a wildcard path with `present: false`', () => {
  const when = { body: { 'tools.*.strict': { present: false } } }

  it.each([
    [{}, true],
    [{ tools: [] }, true],
    [{ tools: [{ type: 'function' }] }, true],
    [{ tools: 'none' }, true],
    [{ tools: [{ strict: false }, { strict: null }] }, false],
  ])('matches %j: %s', (body, matches) => {
    const { ask } = setup({ on: 'createResponse', when, fault: 'status' })
    expect(matched(ask({ body }))).toBe(matches)
  })
})
