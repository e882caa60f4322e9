import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import type { RuleInput } from '../../src/scenarios/scenario.ts'
import { call, open, type Target } from '../call.ts'

const question = { model: 'aurora/dawn-1', input: 'Why is the sky blue?' }

function setup() {
  const gateway = createGateway()
  const ask = async (body: object = {}) => {
    const reply = await call(gateway, 'POST /responses', { body: { ...question, ...body } })
    if (!reply.headers.get('content-type')?.includes('json')) return reply.text
    const { output, error } = reply.body
    return error ? error.code : output.at(-1).content[0].text
  }
  return { gateway, ask }
}

describe('Rules with times', () => {
  it('are used up in the order in which they are written', async () => {
    const { gateway, ask } = setup()
    gateway.reply('first', { times: 1 })
    gateway.fail(503, { times: 2 })
    gateway.use({ on: 'createResponse', times: 1, reply: { text: 'last' } })
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual(['first', 503, 503, 'last'])
  })

  it('come before those without, whichever is newer', async () => {
    const { gateway, ask } = setup()
    gateway.reply('always')
    gateway.reply('once', { times: 1 })
    gateway.fail(429)
    expect([await ask(), await ask()]).toEqual(['once', 429])
  })

  it('answer calls that the `after` of those without does not count', async () => {
    const { gateway, ask } = setup()
    gateway.use({ on: 'createResponse', after: 1, fault: 'status' })
    gateway.reply('once', { times: 1 })
    gateway.reply('twice', { times: 1 })
    const [first, second, third, fourth] = [await ask(), await ask(), await ask(), await ask()]
    expect([first, second, fourth]).toEqual(['once', 'twice', 500])
    expect(third).toMatch(/sky/i)
  })

  it('only wait for those that are about the same request', async () => {
    const { gateway, ask } = setup()
    gateway.reply('about tides', { times: 1, when: { input: { contains: 'tides' } } })
    gateway.reply('about skies', { times: 1 })
    expect([await ask(), await ask({ input: 'Why tides?' })]).toEqual(['about skies', 'about tides'])
  })

  it('of whole and bundled scenarios are used up in the same order', async () => {
    const { gateway, ask } = setup()
    gateway.reply('older')
    gateway.use({
      name: 'two-rules',
      rules: [
        { on: 'createResponse', times: 1, reply: { text: 'rule 1' } },
        { on: 'createResponse', times: 1, reply: { text: 'rule 2' } },
      ],
    })
    gateway.use('flaky')
    gateway.reply('once', { times: 1 })
    gateway.reply('newest')
    const answers = []
    for (let turn = 0; turn < 7; turn++) answers.push(await ask())
    expect(answers).toEqual(['rule 1', 'rule 2', 503, 503, 'once', 'newest', 'newest'])
  })

  it('keep their order in a snapshot and a fork', async () => {
    const { gateway, ask } = setup()
    gateway.reply('first', { times: 1 })
    gateway.reply('second', { times: 1 })
    const snapshot = gateway.snapshot()
    expect([await ask(), await ask()]).toEqual(['first', 'second'])
    gateway.restore(snapshot)
    expect([await ask(), await ask()]).toEqual(['first', 'second'])
  })

  it('come first where the sandbox began with them', async () => {
    const gateway = createGateway({
      scenarios: [{ on: '*', times: 1, fault: { name: 'status', status: 500 } }],
    })
    gateway.fail(503, { times: 1 })
    const statuses = [await status(gateway), await status(gateway), await status(gateway)]
    expect(statuses).toEqual([500, 503, 200])
  })
})

const status = async (gateway: Target) => (await open(gateway, 'GET /providers')).status

describe('A script', () => {
  it('comes before endless rules while it has turns left, then at its own place among them', async () => {
    const { gateway, ask } = setup()
    gateway.script([{ text: 'first' }, { text: 'second' }])
    gateway.reply('default')
    const input: unknown[] = [{ role: 'user', content: 'Hello' }]
    const answers: unknown[] = []
    for (let turn = 0; turn < 4; turn++) {
      const answer = await ask({ input })
      answers.push(answer)
      input.push({ role: 'assistant', content: answer }, { role: 'user', content: 'Go on' })
    }
    expect(answers).toEqual(['first', 'second', 'default', 'default'])
    expect(await ask({ input: 'A new conversation' })).toBe('default')
  })

  it('refuses calls after its last turn before older endless rules', async () => {
    const { gateway, ask } = setup()
    gateway.reply('older')
    gateway.script([{ text: 'only' }])
    expect([await ask(), await ask({ input: 'Another' })]).toEqual(['only', 400])
  })

  it('takes its turns after finite rules that were added before it, and before later ones', async () => {
    const { gateway, ask } = setup()
    gateway.fail(503, { times: 1 })
    gateway.script([{ text: 'turn' }], { onEnd: 'pass' })
    gateway.fail(529, { times: 1 })
    expect([await ask(), await ask(), await ask({ input: 'Another' })]).toEqual([503, 'turn', 529])
  })
})

describe('onEnd of a sequence', () => {
  const first = { reply: { text: 'first' } }
  const second = { reply: { text: 'second' } }
  const answersWith = async (onEnd: RuleInput['onEnd'], newest = 'newest') => {
    const { gateway, ask } = setup()
    gateway.use({ on: 'text', sequence: [first, second], onEnd })
    if (newest) gateway.reply(newest)
    return [await ask(), await ask(), await ask(), await ask()]
  }

  it.each(['pass', 'fail', 'repeat', 'repeat-last'] as const)(
    '%s: takes its steps before a newer endless rule, which answers from then on',
    async (onEnd) => {
      expect(await answersWith(onEnd)).toEqual(['first', 'second', 'newest', 'newest'])
    },
  )

  it('fail refuses, repeat begins again, repeat-last stays at the last step', async () => {
    expect(await answersWith('fail', '')).toEqual(['first', 'second', 400, 400])
    expect(await answersWith('repeat', '')).toEqual(['first', 'second', 'first', 'second'])
    expect(await answersWith('repeat-last', '')).toEqual(['first', 'second', 'second', 'second'])
  })

  it('fail refuses calls after `times` too, in a sandbox file as well', async () => {
    const { gateway, ask } = setup()
    gateway.use({ name: 'twice', rules: [{ on: 'text', times: 2, onEnd: 'fail', ...first }] })
    expect([await ask(), await ask()]).toEqual(['first', 'first'])
    const opened = await gateway.openSandbox(gateway.save())
    const { status, body } = await call(gateway, 'POST /responses', {
      body: question,
      headers: { authorization: `Bearer ${opened.apiKey}` },
    })
    expect([status, body.error.message]).toEqual([400, 'Scenario: the rule is over after 2 calls'])
  })
})

describe('Within one scenario', () => {
  it('the first matching rule wins, so a finite rule stays behind an endless one', async () => {
    const { gateway, ask } = setup()
    gateway.use({
      name: 'endless-first',
      rules: [
        { on: 'text', after: 1, reply: { text: 'endless' } },
        { on: 'text', times: 2, reply: { text: 'finite' } },
      ],
    })
    expect([await ask(), await ask(), await ask()]).toEqual(['finite', 'endless', 'endless'])
    gateway.reply('newer')
    expect(await ask()).toBe('newer')
  })

  it('a finite rule does not wait behind an endless one for other operations', async () => {
    const { gateway, ask } = setup()
    gateway.use({
      name: 'others-first',
      rules: [
        { on: 'listProviders', fault: 'status' },
        { on: 'text', times: 1, reply: { text: 'finite' } },
      ],
    })
    gateway.reply('newer')
    expect([await ask(), await ask()]).toEqual(['finite', 'newer'])
  })
})

describe('A fault of streams as one step of a sequence', () => {
  const steps: RuleInput = {
    on: 'createResponse',
    sequence: [
      { reply: { text: 'plain' } },
      { fault: { name: 'stream-cut', atEvent: 1 } },
      { fault: { name: 'status', status: 529 } },
    ],
  }

  it('leaves the other steps to requests of either kind', async () => {
    const { gateway, ask } = setup()
    gateway.use(steps)
    expect(await ask()).toBe('plain')
    expect(await ask({ stream: true })).not.toContain('response.in_progress')
    expect(await ask()).toBe(529)
  })

  it('waits for a request that asks for a stream, and says so', async () => {
    const { gateway, ask } = setup()
    gateway.use(steps)
    await ask()
    expect(await ask()).toContain('sky')
    expect(gateway.journal.last('createResponse')?.nearMisses[0]?.reason).toBe(
      "rule 1 of 'rule' is at step 2 of its sequence, a fault of streams: the request asks for none",
    )
    expect(await ask({ stream: true })).not.toContain('response.in_progress')
  })
})

describe('A step of a sequence that finds nothing to act on', () => {
  const late: RuleInput['fault'] = { name: 'stream-cut', atEvent: 10_000 }

  it('is taken all the same, and the next call has the next step', async () => {
    const { gateway, ask } = setup()
    gateway.use({
      on: 'createResponse',
      sequence: [{ fault: late }, { fault: { name: 'status', status: 529 } }],
    })
    expect([await ask({ stream: true }), await ask()]).toEqual([expect.stringContaining('[DONE]'), 529])
  })

  it('is left for another call where it is the only one, with times', async () => {
    const { gateway, ask } = setup()
    gateway.use({ on: 'createResponse', times: 1, fault: { name: 'stream-cut', atEvent: 20 } })
    expect(await ask({ stream: true, max_output_tokens: 1 })).toContain('[DONE]')
    expect(gateway.unusedRules()).toHaveLength(1)
    expect(await ask({ stream: true })).not.toContain('[DONE]')
    expect(gateway.unusedRules()).toEqual([])
  })
})

describe('A mistake in a call', () => {
  const untyped = () => createGateway() as unknown as Record<string, (...args: unknown[]) => void>

  it.each([
    [
      'a count in the place of the options',
      (gateway) => gateway['fail']?.(503, 2),
      'fail(503, 2): the second argument is an object, as in fail(503, { times: 2 })',
    ],
    [
      'a text in the place of the options',
      (gateway) => gateway['fail']?.(503, 'twice'),
      'fail(503, twice): the second argument is an object, as in fail(503, { times: 2 })',
    ],
    [
      'a count of 3 beside a text',
      (gateway) => gateway['reply']?.('Hello', 3),
      `reply("Hello", 3): the second argument is an object, as in reply("Hello", { times: 3 })`,
    ],
    [
      'a number in the place of a text',
      (gateway) => gateway['reply']?.(7),
      `reply() takes a text or a reply first, as in reply('Hello', { times: 2 }), not 7`,
    ],
    [
      'an object in the place of a status',
      (gateway) => gateway['fail']?.({ status: 503 }),
      'fail() takes a status first, as in fail(503, { times: 2 }), not {"status":503}',
    ],
    [
      'a text in the place of a status',
      (gateway) => gateway['fail']?.('503'),
      'fail() takes a status first, as in fail(503, { times: 2 }), not 503',
    ],
    [
      'a number written as a text',
      (gateway) => gateway['use']?.({ on: '*', fault: { name: 'latency', ms: '2000' } }),
      `Wrong 'fault.ms' in scenario 'rule', rule 1: give milliseconds, or a duration: '500ms', '10s', '1m'`,
    ],
    [
      'a RegExp where data is wanted',
      (gateway) => gateway['use']?.({ on: '*', when: { body: { model: /dawn/i } }, fault: 'status' }),
      `/dawn/i in scenario 'rule', rule 1: a scenario is data: write { matches: "dawn", flags: 'i' }`,
    ],
  ] satisfies [string, (gateway: ReturnType<typeof untyped>) => void, string][])(
    'is told in one line: %s',
    (_title, mistake, message) => {
      expect(() => mistake(untyped())).toThrow(message)
    },
  )

  it('is told in one line: a sandbox that is disposed of', () => {
    const sandbox = createGateway().createSandbox()
    sandbox.dispose()
    expect(() => sandbox.reply('Hello')).toThrow(`Sandbox '${sandbox.id}' was disposed`)
  })
})
