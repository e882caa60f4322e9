import { describe, expect, it } from 'vitest'
import { createGateway, expectSandbox, type Rule } from '../../src/index.ts'
import { call, open } from '../call.ts'
import { hasExtra } from '../has-extra.ts'

const on = 'createResponse'
const question = { model: 'aurora/dawn-1', input: 'Why is the sky blue?' }

function setup() {
  const gateway = createGateway({ timeScale: 0 })
  const ask = async (body: object = {}, headers = {}) => {
    const reply = await call(gateway, 'POST /responses', { body: { ...question, ...body }, headers })
    return reply.status === 200 ? reply.body.output.at(-1).content[0].text : reply.status
  }
  const stream = async () => {
    const response = await open(gateway, 'POST /responses', { body: { ...question, stream: true } })
    return response.text()
  }
  const last = () => gateway.journal.last(on)
  return { gateway, ask, stream, last }
}

describe('rules of different activations', () => {
  it.each(['reply first', 'fault first'])('act together: %s', async (order) => {
    const { gateway, stream, last } = setup()
    const add = [
      () => gateway.reply('The sky scatters blue light in all directions.'),
      () => gateway.use({ on, fault: { name: 'stream-error-event', afterDeltas: 2 } }),
    ]
    for (const each of order === 'reply first' ? add : add.reverse()) each()
    const text = await stream()
    expect([text.includes('The'), text.includes('response.failed')]).toEqual([true, true])
    expect(last()?.rules).toEqual([
      { scenario: 'reply', index: 1, name: null, kind: 'answer', faults: [] },
      { scenario: 'rule', index: 1, name: null, kind: 'modifier', faults: ['stream-error-event'] },
    ])
    expect(last()?.responseHeaders['x-understudy-scenario']).toBe('reply#1, rule#1')
  })

  it('leave a script its turn if another rule answers', async () => {
    const { gateway, ask } = setup()
    gateway.script([{ expect: { input: 'weather' }, text: 'It is sunny.' }])
    gateway.reply('A title', { when: { input: 'Generate a title' } })
    expect(await ask({ input: 'Generate a title: weather?' })).toBe('A title')
    expect(await ask({ input: 'The weather?' })).toBe('It is sunny.')
  })

  it('answer by `times` before a script', async () => {
    const { gateway, ask } = setup()
    gateway.script([{ text: 'first' }])
    gateway.fail(503, { times: 2 })
    expect([await ask(), await ask(), await ask()]).toEqual([503, 503, 'first'])
  })

  it('see the state at arrival, and set it in their order', async () => {
    const { gateway, ask } = setup()
    gateway.use({ on, when: { state: 'b' }, reply: { text: 'in b' } })
    gateway.use({ on, times: 1, setState: 'b' })
    expect([await ask({ max_output_tokens: 1 }), await ask()]).toEqual([expect.any(String), 'in b'])
  })

  it('keep their state if they are hidden', async () => {
    const { gateway, ask } = setup()
    gateway.use({ on, setState: 'b', reply: { text: 'older' } })
    gateway.use({ on, when: { state: 'b' }, fault: { name: 'status', status: 503 } })
    gateway.reply('newer')
    expect([await ask(), await ask()]).toEqual(['newer', 'newer'])
  })

  it('play a turn again for a client that repeats its request, if another rule changed the reply', async () => {
    const { gateway, ask, stream } = setup()
    const first = 'The first turn has several words.'
    gateway.script([{ text: first }, { text: 'second' }])
    gateway.use({ on, times: 1, fault: 'stream-cut' })
    await stream()
    expect(await ask()).toBe(first)
    const history = [
      { role: 'user', content: question.input },
      { role: 'assistant', content: first },
      { role: 'user', content: 'And then?' },
    ]
    gateway.use({ on, times: 1, fault: 'lost-reply' })
    await expect(ask({ input: history })).rejects.toThrow()
    expect(await ask({ input: history })).toBe('second')
  })

  it("play the next turn after a turn's own fault", async () => {
    const { gateway, ask, stream } = setup()
    gateway.script([{ text: 'The first turn.', fault: 'stream-cut' }, { text: 'second' }])
    await stream()
    expect(await ask()).toBe('second')
  })
})

describe('a modifier', () => {
  const admitted = async (rule: Rule) => {
    const { gateway, ask, last } = setup()
    gateway.use(rule)
    gateway.fail(503, { times: 1 })
    await ask({ stream: true })
    const [miss] = gateway.journal.explain(last() ?? '').match(/Near miss: .*/) ?? []
    return [miss, gateway.unusedRules().length]
  }

  it('waits, if the answer leaves it nothing to act on', async () => {
    expect(await admitted({ on, times: 1, fault: 'stream-cut' })).toEqual([
      "Near miss: the inline rule does not act next to fail() (times: 1): with 'status', there is no answer from the operation for 'stream-cut'.",
      1,
    ])
    expect(await admitted({ on, fault: 'latency' })).toEqual([undefined, 0])
  })

  it('leaves the request to the next rule of its scenario, if the answer excludes it', async () => {
    const { gateway, ask, last } = setup()
    gateway.fail(503)
    gateway.use({
      name: 'slow',
      rules: [
        { on, fault: 'stream-cut' },
        { on, fault: 'latency' },
      ],
    })
    await ask({ stream: true })
    expect(last()?.rules.map(({ index, faults }) => [index, faults])).toEqual([
      [1, ['status']],
      [2, ['latency']],
    ])
  })

  it('overrides an older one with the same fault, unless they change different fields', async () => {
    const { gateway, ask, last } = setup()
    gateway.use({ on, fault: { name: 'latency', ms: 1 } }, { on, fault: { name: 'latency', ms: 2 } })
    for (const path of ['model', 'id', 'model']) gateway.use({ on, fault: { name: 'field', path } })
    await ask().catch(() => {})
    expect(last()?.rules.flatMap(({ faults }) => faults)).toEqual(['field', 'field', 'latency'])
    expect(last()?.nearMisses.map(({ kind }) => kind)).toEqual(['modifier', 'modifier'])
  })

  it('leaves a path without an operation unmatched', async () => {
    const { gateway } = setup()
    gateway.use({ on: '*', fault: 'latency' })
    await open(gateway, 'GET /nothing')
    expect(gateway.journal.unmatched()).toHaveLength(1)
  })
})

describe('a rate limit', () => {
  it.each(['limit first', 'reply first'])('limits requests that another rule answers: %s', async (order) => {
    const { gateway, ask } = setup()
    const add = [
      () => void gateway.use({ on, rateLimit: { requests: 1, per: '1h' } }),
      () => void gateway.reply('x'),
    ]
    for (const each of order === 'limit first' ? add : add.reverse()) each()
    expect([await ask(), await ask()]).toEqual(['x', 429])
    expect(gateway.unusedRules()).toEqual([])
  })

  it.runIf(hasExtra('openrouter'))(
    'counts a request once, also if it fails over to other models',
    async () => {
      const gateway = createGateway({ dialect: 'openrouter' } as object)
      gateway.use({ on, rateLimit: { requests: 2, per: '1h' } })
      gateway.fail(503, { when: { model: 'aurora/dawn-1' } })
      const models = ['aurora/dawn-1', 'aurora/dusk-1']
      const ask = async () => {
        const { status } = await call(gateway, 'POST /responses', { body: { models, input: 'x' } })
        return status
      }
      expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429])
    },
  )

  it('is used once it has counted a request', async () => {
    const { gateway, ask } = setup()
    gateway.use({ on, rateLimit: { requests: 5, per: '1h' } })
    expect(gateway.unusedRules()).toHaveLength(1)
    await ask()
    expect(gateway.unusedRules()).toEqual([])
  })

  it('counts nothing if another limit is exceeded', async () => {
    const { gateway, ask } = setup()
    gateway.use({ on, rateLimit: { requests: 2, per: '1h' } })
    using _tight = gateway.use({ on, rateLimit: { requests: 0, per: '1h' } })
    expect([await ask(), await ask()]).toEqual([429, 429])
    _tight[Symbol.dispose]()
    expect(await ask()).toEqual(expect.any(String))
    expect(gateway.journal.last(on)?.responseHeaders['x-ratelimit-remaining']).toBe('1')
  })
})

it('an answer hidden by a newer one is named by explain(), unusedRules() and failing tests', async () => {
  const { gateway, ask, last } = setup()
  gateway.fail(503)
  gateway.reply('newer')
  expect(await ask()).toBe('newer')
  expect(gateway.journal.explain(last() ?? '')).toContain('fail() is hidden by reply().')
  const facts = { hiddenBy: 'reply()', reason: 'fail() is hidden by reply()' }
  expect(gateway.unusedRules()).toEqual([{ scenario: 'fail', rule: 1, on: ['*'], ...facts }])
  const failing = () => expectSandbox(gateway).toHaveUsedAllRules()
  expect(failing).toThrow('but these were not:\n  fail() is hidden by reply()\n')
})

describe('when.turn', () => {
  const user = { role: 'user', content: 'Hi' }
  const assistant = { role: 'assistant', content: 'Hello' }
  const toolCall = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }
  const result = { type: 'function_call_output', call_id: 'c1', output: 'x' }

  it.each([
    ['first', [user], true],
    ['first', [user, assistant, user], false],
    ['tool-result', [user, toolCall, result], true],
    ['tool-result', [user, toolCall, result, user], false],
    [2, [user, assistant, user], true],
    [2, [user], false],
  ] as const)('%s: matches %j: %s', async (turn, input, isMatch) => {
    const { gateway, ask, last } = setup()
    gateway.reply('matched', { when: { turn } })
    expect((await ask({ input })) === 'matched').toBe(isMatch)
    const reason = last()?.nearMisses[0]?.reason
    if (isMatch) expect(reason).toBeUndefined()
    else expect(reason).toMatch(/^reply\(\) expected turn .*, but the request is /)
  })

  it('limits fail() to operations that have conversations', async () => {
    const { gateway, ask } = setup()
    gateway.fail(503, { when: { turn: 'first' } })
    expect((await call(gateway, 'GET /providers')).status).toBe(200)
    expect(await ask()).toBe(503)
  })

  it.each(['*', 'listProviders'] as const)('is rejected on %s', (on) => {
    const rule: Rule = { on, when: { turn: 'first' }, fault: 'status' }
    expect(() => createGateway().use(rule)).toThrow(
      `use(): when.turn needs a conversation, which '${on}' does not have: use it on 'text'`,
    )
  })
})
