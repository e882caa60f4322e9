import { expect, it } from 'vitest'
import { createGateway, type Gateway } from '../../src/index.ts'
import { journalText } from '../../src/journal/journal-text.ts'
import { call } from '../call.ts'
import { hasExtra } from '../has-extra.ts'

const question = { model: 'aurora/dawn-1', input: 'Hi' }
const on = 'createResponse'

function setup(add: (gateway: Gateway) => unknown, options = {}) {
  const gateway = createGateway({ timeScale: 0, ...options })
  add(gateway)
  const ask = async (body: object = {}) => {
    const reply = await call(gateway, 'POST /responses', { body: { ...question, ...body } })
    return reply.status === 200 ? reply.body.output.at(-1).content[0].text : reply.status
  }
  return { gateway, ask }
}

const rules: [name: string, add: (gateway: Gateway) => unknown][] = [
  ['a script', (gateway) => gateway.script([{ text: 'ONE' }])],
  [
    'a repeating script',
    (gateway) => gateway.script([{ text: 'ONE' }, { text: 'TWO' }], { onEnd: 'repeat' }),
  ],
  ['a reply with times', (gateway) => gateway.reply('ONE', { times: 1 })],
  ['a function with times', (gateway) => gateway.reply(() => 'ONE', { times: 1 })],
  ['a sequence', (gateway) => gateway.use({ on, sequence: [{ reply: { text: 'ONE' } }, 'pass'] })],
  ['a rule for the first call', (gateway) => gateway.use({ on, when: { call: 1 }, reply: { text: 'ONE' } })],
  [
    'a reply with a fault',
    (gateway) => gateway.use({ on, times: 1, reply: { text: 'ONE' }, fault: { name: 'latency', ms: 1 } }),
  ],
]

it.each(rules)('a rejected request does not use %s', async (_, add) => {
  const { gateway, ask } = setup(add)
  expect([await ask({ temperature: 'hot' }), await ask({ temperature: 'hot' })]).toEqual([400, 400])
  expect(gateway.unusedRules()).toHaveLength(1)
  expect([await ask(), gateway.unusedRules()]).toEqual(['ONE', []])
})

it.each([
  ['an unknown field with strict', { strict: true }, { typo: 1 }],
  ['an unlisted model with strict', { strict: true, models: ['aurora/*'] }, { model: 'boreal/dusk-1' }],
  ['an unknown preset', {}, { model: '@preset/none' }],
])('%s does not use a turn', async (_, options, body) => {
  const { gateway, ask } = setup((gateway) => gateway.script([{ text: 'ONE' }]), options)
  expect(await ask(body)).toBeGreaterThanOrEqual(400)
  expect([await ask(), gateway.unusedRules()]).toEqual(['ONE', []])
})

it('a rejected request within a conversation leaves its next turn', async () => {
  const { ask } = setup((gateway) => gateway.script([{ text: 'ONE' }, { text: 'TWO' }]))
  expect(await ask()).toBe('ONE')
  const input = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'ONE' },
    { role: 'user', content: 'More' },
  ]
  expect([await ask({ input, top_p: 'x' }), await ask({ input })]).toEqual([400, 'TWO'])
})

it('the journal names the validation, and the rule only as a near miss', async () => {
  const { gateway, ask } = setup((gateway) => gateway.script([{ text: 'ONE' }]))
  await ask({ temperature: 'hot' })
  const entry = gateway.journal.last(on)
  expect([entry?.rules, entry?.turn, entry?.responseHeaders['x-understudy-scenario']]).toEqual([
    [],
    null,
    undefined,
  ])
  expect(journalText('It', gateway.journal.entries()).replace(/, \d+ ms/, '')).toBe(`It has 1 call:
  1. POST /api/v1/responses (createResponse): 400
     temperature: must be a number, got 'hot'.
     script() was not used, because the request was rejected.`)
  await ask()
  expect(gateway.journal.last(on)?.turn).toMatchObject({ conversation: 1, number: 1 })
})

it('a rejected request does not set the state, but counts for a rate limit, and faults of other rules act on it', async () => {
  const { gateway, ask } = setup((gateway) => {
    gateway.use({ on, reply: { text: 'ONE' }, setState: 'answered' })
    gateway.use({ on, rateLimit: { requests: 2, per: '1h' } })
    gateway.use({ on, fault: { name: 'wrong-content-type' } })
    gateway.use({ on, when: { state: 'answered' }, reply: { text: 'TWO' } })
  })
  expect(await ask({ temperature: 'hot' })).toBe(400)
  const entry = gateway.journal.last(on)
  expect([entry?.rules.map(({ kind }) => kind), entry?.responseHeaders['content-type']]).toEqual([
    ['modifier'],
    'text/plain',
  ])
  expect([await ask(), await ask()]).toEqual(['ONE', 429])
})

it.skipIf(!hasExtra('chat'))('a scripted failure uses its turn', async () => {
  const { gateway } = setup((gateway) => gateway.script([{ error: { message: 'Down' } }, { text: 'ONE' }]))
  const body = { model: 'aurora/dawn-1', messages: [{ role: 'user', content: 'Hi' }] }
  const statuses = [1, 2].map(async () => (await call(gateway, 'POST /chat/completions', { body })).status)
  expect(await Promise.all(statuses)).toEqual([502, 200])
})
