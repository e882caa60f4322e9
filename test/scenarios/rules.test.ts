import { describe, expect, it } from 'vitest'
import { Clock } from '../../src/lib/clock.ts'
import { hash } from '../../src/lib/seed.ts'
import { checkScenario } from '../../src/scenarios/check-scenario.ts'
import type { RuleRequest } from '../../src/scenarios/condition.ts'
import { explainNearMisses } from '../../src/scenarios/near-misses.ts'
import { type Outcome, Rules } from '../../src/scenarios/rules.ts'
import type { RuleInput } from '../../src/scenarios/scenario.ts'

const operations = [
  { id: 'listProviders', method: 'get', path: '/providers' },
  { id: 'getPreset', method: 'get', path: '/presets/{slug}' },
  { id: 'createResponse', method: 'post', path: '/responses', protocol: { streams: true } },
]

function setup(...rules: RuleInput[]) {
  const clock = new Clock({ timeScale: 0 })
  const set = new Rules({ seed: 1, clock })
  if (rules.length > 0) set.use(scenario('mine', ...rules))
  return { clock, rules: set, ask: (change?: Partial<RuleRequest>) => set.match(call(change)) }
}

function scenario(name: string, ...rules: RuleInput[]) {
  return checkScenario({ name, rules }, operations)
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
    ...change,
    body,
  }
}

function happens({ match }: Outcome): boolean {
  return match !== undefined
}

function why(outcome: Outcome, change?: Partial<RuleRequest>): string[] {
  return outcome.skipped ? explainNearMisses(outcome.skipped, call(change)).map(({ reason }) => reason) : []
}

describe('on', () => {
  it('means one operation, several, or every call', () => {
    const one = setup({ on: 'getPreset', fault: 'status' })
    expect(happens(one.ask())).toBe(false)
    expect(happens(one.ask({ operation: 'getPreset' }))).toBe(true)

    const several = setup({ on: ['getPreset', 'createResponse'], fault: 'status' })
    expect([several.ask(), several.ask({ operation: 'listProviders' })].map(happens)).toEqual([true, false])

    const every = setup({ on: '*', fault: 'status' })
    expect(happens(every.ask({ operation: undefined, method: 'GET', route: '/nowhere' }))).toBe(true)
  })

  it('means a path that no operation describes, by method and path', () => {
    const { rules, ask } = setup({ on: 'POST /chat/completions', reply: { body: {} } })
    expect(happens(ask({ operation: undefined, route: '/chat/completions' }))).toBe(true)
    expect(happens(ask({ operation: undefined, method: 'GET', route: '/chat/completions' }))).toBe(false)
    expect(rules.has('POST', '/chat/completions')).toBe(true)
    expect(rules.has('POST', '/chat')).toBe(false)
  })

  it('does not take a path for its own because a rule is about every call', () => {
    expect(setup({ on: '*', fault: 'status' }).rules.has('POST', '/chat/completions')).toBe(false)
  })
})

describe('when', () => {
  const cases: [string, NonNullable<RuleInput['when']>, Partial<RuleRequest>, Partial<RuleRequest>][] = [
    ['model by glob', { model: 'aurora/*' }, {}, { body: { model: 'borealis/tide-1' } }],
    [
      'one of several models',
      { model: ['x/y', 'aurora/dawn-?', 'AURORA/dawn-1'] },
      {},
      { body: { model: 'x/z' } },
    ],
    ['a part of the input text', { input: 'weather' }, {}, { body: { input: 'What is the time?' } }],
    [
      'input text by regular expression',
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
      'any of a list',
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

  it.each(cases)('looks at %s', (_name, when, meeting, failing) => {
    const { ask } = setup({ on: '*', when, fault: 'status' })
    expect([ask(meeting), ask(failing)].map(happens)).toEqual([true, false])
  })

  it('reads the input text of messages and their parts', () => {
    const { ask } = setup({ on: '*', when: { input: 'tide' }, fault: 'status' })
    const input = [{ role: 'user', content: [{ type: 'input_text', text: 'The tide is high' }] }]
    expect(happens(ask({ body: { input } }))).toBe(true)
    expect(happens(ask({ body: { input: undefined, messages: [{ content: 'low tide' }] } }))).toBe(true)
  })

  it('finds only own fields', () => {
    const { ask } = setup({ on: '*', when: { body: { constructor: { present: true } } }, fault: 'status' })
    expect(happens(ask())).toBe(false)
  })

  it('counts the calls that meet the other conditions', () => {
    const { ask } = setup({ on: '*', when: { call: [2, 3], model: 'aurora/*' }, fault: 'status' })
    const other = { body: { model: 'x/y' } }
    expect([ask(), ask(other), ask(), ask(), ask()].map(happens)).toEqual([false, false, true, true, false])
  })

  it('keeps a fault of streams to requests for a stream', () => {
    const { ask } = setup({ on: 'createResponse', fault: 'stream-cut' })
    expect([ask(), ask({ body: { stream: true } })].map(happens)).toEqual([false, true])
    expect(why(ask())).toEqual(["rule 1 of 'mine' wants a request with stream true, the request has none"])
  })
})

describe('how often', () => {
  const run = (rule: Partial<RuleInput>, calls = 8) => {
    const { ask } = setup({ on: '*', fault: 'status', ...rule } as RuleInput)
    return Array.from({ length: calls }, () => (happens(ask()) ? 'x' : '.')).join('')
  }

  it('times: so often at most', () => expect(run({ times: 2 })).toBe('xx......'))
  it('after: when so many have passed', () => expect(run({ after: 3 })).toBe('...xxxxx'))
  it('every: at every so-many-th call', () => expect(run({ every: 3 })).toBe('..x..x..'))
  it('all of them together', () => expect(run({ after: 1, every: 2, times: 2 })).toBe('..x.x...'))

  it('probability: a share of the calls, the same ones for the same seed', () => {
    const happened = (seed: number) => {
      const rules = new Rules({ seed, clock: new Clock() })
      rules.use(scenario('mine', { on: '*', probability: 0.3, fault: 'status' }))
      return Array.from({ length: 1000 }, (_, index) =>
        happens(rules.match(call({ contentKey: hash(index) }))),
      )
    }
    expect(happened(1)).toEqual(happened(1))
    expect(happened(1)).not.toEqual(happened(2))
    expect(happened(1).filter(Boolean).length).toBeGreaterThan(250)
    expect(happened(1).filter(Boolean).length).toBeLessThan(350)
  })

  it('probability: what a call draws does not depend on the calls before it', () => {
    const keys = Array.from({ length: 50 }, (_, index) => hash(index))
    const outcomes = (order: string[]) => {
      const { ask } = setup({ on: '*', probability: 0.5, fault: 'status' })
      return new Map(order.map((contentKey) => [contentKey, happens(ask({ contentKey }))]))
    }
    expect(outcomes(keys.toReversed())).toEqual(new Map([...outcomes(keys)].toReversed()))
  })

  it('probability: 0 never, 1 always', () => {
    expect(run({ probability: 0 })).toBe('........')
    expect(run({ probability: 1 })).toBe('xxxxxxxx')
  })

  it('rateLimit: so many calls pass in a window, which begins with its first call', () => {
    const { ask, clock } = setup({ on: '*', rateLimit: { requests: 2, per: 1000 }, fault: 'rate-limit' })
    clock.advance(700)
    expect([ask(), ask(), ask()].map(happens)).toEqual([false, false, true])
    clock.advance(999)
    expect(happens(ask())).toBe(true)
    clock.advance(1)
    expect(happens(ask())).toBe(false)
  })

  it('rateLimit: the calls that pass say how many are left', () => {
    const { ask, clock } = setup({ on: '*', rateLimit: { requests: 2, per: 9000 }, fault: 'rate-limit' })
    const remaining = () => ask().headers?.['x-ratelimit-remaining']
    expect([remaining(), remaining(), remaining()]).toEqual(['1', '0', undefined])
    clock.advance(4500)
    expect(ask().match?.rateLimit).toEqual({ limit: 2, remaining: 0, resetMs: 4500 })
  })

  it('during: a part of the elapsed time, without its end', () => {
    const { ask, clock } = setup({ on: '*', during: { fromMs: 100, toMs: 200 }, fault: 'status' })
    const at = (ms: number) => {
      clock.advance(ms - clock.elapsed())
      return happens(ask())
    }
    expect([at(99), at(100), at(199), at(200)]).toEqual([false, true, true, false])
  })
})

describe('sequence', () => {
  const names = (onEnd: RuleInput['onEnd']) => {
    const steps = [{ fault: 'timeout' }, 'pass', { fault: 'status' }] as const
    const { ask } = setup({ on: '*', sequence: [...steps], onEnd })
    return Array.from({ length: 5 }, () => {
      return ask().match?.effect.faults[0]?.name ?? '-'
    })
  }

  it('takes one step a call, and passes when it has run out', () => {
    expect(names(undefined)).toEqual(['timeout', '-', 'status', '-', '-'])
  })
  it('stays at its last step', () =>
    expect(names('repeat-last')).toEqual(['timeout', '-', 'status', 'status', 'status']))
  it('refuses the calls after it', () =>
    expect(names('fail')).toEqual(['timeout', '-', 'status', 'status', 'status']))
  it('begins again', () => expect(names('repeat')).toEqual(['timeout', '-', 'status', 'timeout', '-']))

  it('leaves a call that it passes to an older rule', () => {
    const { rules, ask } = setup({ on: '*', reply: { body: 'older' } })
    rules.use(scenario('newer', { on: '*', sequence: [{ fault: 'status' }] }))
    expect([ask(), ask()].map(({ match }) => match?.scenario)).toEqual(['newer', 'mine'])
  })
})

describe('scenarios in force', () => {
  it('asks the newest first, and its rules in their order', () => {
    const { rules, ask } = setup({ on: '*', fault: 'status' })
    rules.use(
      scenario(
        'newer',
        { on: 'getPreset', fault: 'status' },
        { on: '*', fault: 'status' },
        { on: '*', fault: 'timeout' },
      ),
    )
    expect(ask().match).toMatchObject({ scenario: 'newer', rule: 2 })
  })

  it('asks before them those that the request names, which have their own counters', () => {
    const { rules, ask } = setup({ on: '*', fault: 'status' })
    const named = scenario('named', { on: '*', times: 1, fault: 'timeout' })
    const again = scenario('named', { on: '*', times: 1, fault: 'timeout' })
    expect(rules.match(call(), [named]).match?.scenario).toBe('named')
    expect(rules.match(call(), [again]).match?.scenario).toBe('mine')
    expect(ask().match?.scenario).toBe('mine')
  })

  it('ends with what use() returned, once', () => {
    const { rules, ask } = setup()
    {
      using outage = rules.use(scenario('outage', { on: '*', fault: 'status' }))
      expect(outage.name).toBe('outage')
      expect(happens(ask())).toBe(true)
      outage[Symbol.dispose]()
      rules.use(scenario('other', { on: '*', fault: 'status' }))
    }
    expect(ask().match?.scenario).toBe('other')
  })

  it('begins again after a reset, and is gone after a clear', () => {
    const { rules, ask } = setup({ on: '*', times: 1, fault: 'status' })
    expect([ask(), ask()].map(happens)).toEqual([true, false])
    rules.reset()
    expect([ask(), ask()].map(happens)).toEqual([true, false])
    rules.clear()
    expect(happens(ask())).toBe(false)
    expect(ask().skipped).toBeUndefined()
  })

  it('lists the rules that have not happened', () => {
    const { rules, ask } = setup(
      { on: 'createResponse', fault: 'status' },
      { name: 'late', on: 'getPreset', fault: 'status' },
    )
    ask()
    expect(rules.unused()).toEqual([{ scenario: 'mine', rule: 2, name: 'late', on: ['getPreset'] }])
  })

  it('goes back to a snapshot, and a fork goes on by itself', () => {
    const { rules, ask } = setup({ on: '*', times: 2, fault: 'status' })
    ask()
    const snapshot = rules.snapshot()
    const fork = rules.fork(new Clock())
    expect([ask(), ask()].map(happens)).toEqual([true, false])
    expect([fork.match(call()), fork.match(call())].map(happens)).toEqual([true, false])
    rules.restore(snapshot)
    expect([ask(), ask()].map(happens)).toEqual([true, false])
    rules.restore(snapshot)
    expect(happens(ask())).toBe(true)
  })

  it('can still be disposed of after a restore', () => {
    const { rules, ask } = setup()
    const use = rules.use(scenario('outage', { on: '*', fault: 'status' }))
    rules.restore(rules.snapshot())
    use[Symbol.dispose]()
    expect(happens(ask())).toBe(false)
  })
})

describe('explaining', () => {
  it('names the condition that failed and the value that it saw', () => {
    const { ask } = setup(
      { on: 'createResponse', when: { model: 'borealis/*' }, fault: 'status' },
      {
        on: 'createResponse',
        when: { body: { temperature: 0 }, headers: { 'x-title': 'a' } },
        fault: 'status',
      },
      { name: 'hot', on: '*', when: { input: { matches: 'storm' } }, fault: 'status' },
      { on: 'listProviders', fault: 'status' },
    )
    expect(why(ask())).toEqual([
      "rule 1 of 'mine' wants model 'borealis/*', the request has 'aurora/dawn-1'",
      "rule 2 of 'mine' wants header 'x-title' 'a', the request has none",
      "rule 3 (hot) of 'mine' wants input text like /storm/, the request has 'What is the weather?'",
    ])
  })

  it('tells what depends on the moment as it was then', () => {
    const { ask, clock } = setup(
      { on: '*', times: 1, fault: 'status' },
      { on: '*', sequence: ['pass'] },
      { on: '*', after: 5, fault: 'status' },
      { on: '*', every: 3, fault: 'status' },
      { on: '*', when: { call: 7 }, fault: 'status' },
      { on: '*', rateLimit: { requests: 9, per: 1000 }, fault: 'rate-limit' },
      { on: '*', probability: 0, fault: 'status' },
      { on: '*', during: { fromMs: 500 }, fault: 'status' },
    )
    ask()
    const outcome = ask()
    ask()
    clock.advance(800)
    const reasons = why(outcome)
    expect(reasons.toSpliced(6, 1)).toEqual([
      "rule 1 of 'mine' is spent: it was to happen once",
      "rule 2 of 'mine' is at step 1 of its sequence, which lets the call pass",
      "rule 3 of 'mine' lets 5 calls pass first, this is call 1",
      "rule 4 of 'mine' happens at every 3rd call, this is call 1",
      "rule 5 of 'mine' wants call 7, this is call 1",
      "rule 6 of 'mine' lets 9 calls pass in 1000 ms, this is call 1",
      "rule 8 of 'mine' runs from 500 ms on of the elapsed time, this call came at 0 ms",
    ])
    expect(reasons[6]).toMatch(/^rule 7 of 'mine' has probability 0, this call drew 0\.\d+$/)
  })

  it('tells a sequence that has run out from a rule that does not match', () => {
    const { ask } = setup({ on: '*', sequence: [{ fault: 'status' }, { fault: 'timeout' }] })
    ask()
    ask()
    expect(why(ask())).toEqual(["rule 1 of 'mine' is spent: its sequence of 2 has run out"])
  })

  it('says nothing of rules for other operations, nor of those behind the one that happened', () => {
    const { ask } = setup(
      { on: 'getPreset', fault: 'status' },
      { on: '*', fault: 'status' },
      { on: '*', times: 1, fault: 'status' },
    )
    expect(why(ask())).toEqual([])
  })
})

describe('A wildcard path that a rule wants to be absent', () => {
  const when = { body: { 'tools.*.strict': { present: false } } }

  it.each([
    [{}, true],
    [{ tools: [] }, true],
    [{ tools: [{ type: 'function' }] }, true],
    [{ tools: 'none' }, true],
    [{ tools: [{ strict: false }, { strict: null }] }, false],
  ])('meets %j: %s', (body, isMet) => {
    const { ask } = setup({ on: 'createResponse', when, fault: 'status' })
    expect(ask({ body }).match !== undefined).toBe(isMet)
  })
})
