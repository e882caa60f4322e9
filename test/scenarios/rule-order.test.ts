import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import type { Rule } from '../../src/scenarios/scenario.ts'
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

describe('rules with `times`', () => {
  it('are consumed in the order they are added', async () => {
    const { gateway, ask } = setup()
    gateway.reply('first', { times: 1 })
    gateway.fail(503, { times: 2 })
    gateway.use({ on: 'createResponse', times: 1, reply: { text: 'last' } })
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual(['first', 503, 503, 'last'])
  })

  it('take precedence over rules without `times`, whichever is newer', async () => {
    const { gateway, ask } = setup()
    gateway.reply('always')
    gateway.reply('once', { times: 1 })
    gateway.fail(429)
    expect([await ask(), await ask()]).toEqual(['once', 429])
  })

  it('wait only for earlier rules that match the same request', async () => {
    const { gateway, ask } = setup()
    gateway.reply('about tides', { times: 1, when: { input: { contains: 'tides' } } })
    gateway.reply('about skies', { times: 1 })
    expect([await ask(), await ask({ input: 'Why tides?' })]).toEqual(['about skies', 'about tides'])
  })

  it('keep their order after restoring a snapshot', async () => {
    const { gateway, ask } = setup()
    gateway.reply('first', { times: 1 })
    gateway.reply('second', { times: 1 })
    const snapshot = gateway.snapshot()
    expect([await ask(), await ask()]).toEqual(['first', 'second'])
    gateway.restore(snapshot)
    expect([await ask(), await ask()]).toEqual(['first', 'second'])
  })

  it('run first if they are in the `scenarios` option', async () => {
    const gateway = createGateway({
      scenarios: [{ on: '*', times: 1, fault: { name: 'status', status: 500 } }],
    })
    gateway.fail(503, { times: 1 })
    const statuses = [await status(gateway), await status(gateway), await status(gateway)]
    expect(statuses).toEqual([500, 503, 200])
  })
})

const status = async (gateway: Target) => (await open(gateway, 'GET /providers')).status

describe('scripts among other rules', () => {
  it('play their turns before unlimited rules apply, and rank by age afterwards', async () => {
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
})

describe('a finite rule after a script in the same scenario', () => {
  it.each([
    ['pass', ['turn', 'finite', 'newer']],
    ['fail', ['turn', 'newer', 'newer']],
  ] as const)(
    'applies before newer unlimited rules only if the script lets requests pass: %s',
    async (onEnd, expected) => {
      const { gateway, ask } = setup()
      gateway.use({
        name: 'scripted',
        rules: [
          { on: 'text', script: [{ text: 'turn' }], onEnd },
          { on: 'text', times: 1, reply: { text: 'finite' } },
        ],
      })
      gateway.reply('newer')
      const answers = []
      for (const input of ['One', 'Two', 'Three']) answers.push(await ask({ input }))
      expect(answers).toEqual(expected)
    },
  )
})

describe('`onEnd` of a sequence', () => {
  const first = { reply: { text: 'first' } }
  const second = { reply: { text: 'second' } }
  const repliesWith = async (onEnd: Rule['onEnd'], newest = 'newest') => {
    const { gateway, ask } = setup()
    gateway.use({ on: 'text', sequence: [first, second], onEnd })
    if (newest) gateway.reply(newest)
    return [await ask(), await ask(), await ask(), await ask()]
  }

  it.each(['pass', 'fail', 'repeat', 'repeat-last'] as const)(
    '%s: runs the steps before a newer unlimited rule, which handles all later requests',
    async (onEnd) => {
      expect(await repliesWith(onEnd)).toEqual(['first', 'second', 'newest', 'newest'])
    },
  )

  it('fail rejects, repeat starts over, repeat-last stays at the last step', async () => {
    expect(await repliesWith('fail', '')).toEqual(['first', 'second', 400, 400])
    expect(await repliesWith('repeat', '')).toEqual(['first', 'second', 'first', 'second'])
    expect(await repliesWith('repeat-last', '')).toEqual(['first', 'second', 'second', 'second'])
  })
})

describe('rules of one scenario', () => {
  it('match in order, so that an earlier unlimited rule hides a later finite rule', async () => {
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

  it('do not wait for an unlimited rule for another operation', async () => {
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

describe('a stream fault as one step of a sequence', () => {
  const steps: Rule = {
    on: 'createResponse',
    sequence: [
      { reply: { text: 'plain' } },
      { fault: { name: 'stream-cut', afterEvents: 1 } },
      { fault: { name: 'status', status: 529 } },
    ],
  }

  it('lets the other steps match both JSON and streaming requests', async () => {
    const { gateway, ask } = setup()
    gateway.use(steps)
    expect(await ask()).toBe('plain')
    expect(await ask({ stream: true })).not.toContain('response.in_progress')
    expect(await ask()).toBe(529)
  })

  it('waits for a streaming request, as the journal explains', async () => {
    const { gateway, ask } = setup()
    gateway.use(steps)
    await ask()
    expect(await ask()).toContain('sky')
    expect(gateway.journal.last('createResponse')?.nearMisses[0]?.reason).toBe(
      'the inline rule is at step 2 of its sequence, a fault for streams, but the request is for JSON',
    )
    expect(await ask({ stream: true })).not.toContain('response.in_progress')
  })
})

describe('a fault with nothing to act on', () => {
  const late: Rule['fault'] = { name: 'stream-cut', afterEvents: 10_000 }

  it('consumes its sequence step', async () => {
    const { gateway, ask } = setup()
    gateway.use({
      on: 'createResponse',
      sequence: [{ fault: late }, { fault: { name: 'status', status: 529 } }],
    })
    expect([await ask({ stream: true }), await ask()]).toEqual([expect.stringContaining('[DONE]'), 529])
  })

  it('does not consume the `times` of a rule without a sequence', async () => {
    const { gateway, ask } = setup()
    gateway.use({ on: 'createResponse', times: 1, fault: { name: 'stream-cut', afterEvents: 20 } })
    expect(await ask({ stream: true, max_output_tokens: 1 })).toContain('[DONE]')
    expect(gateway.unusedRules()).toHaveLength(1)
    expect(await ask({ stream: true })).not.toContain('[DONE]')
    expect(gateway.unusedRules()).toEqual([])
  })
})
