/** Tests that fields of several megabytes get one quick line. */
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { call } from '../call.ts'
import { hasExtra } from '../has-extra.ts'

const megabytes = 9_000_000
const long = 'x'.repeat(megabytes)
const listOf = (text: string) => `[${`${text},`.repeat(megabytes / (text.length + 1))}${text}]`
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']))

describe('a request body of 9 MB', () => {
  it.each([
    ['{}', listOf('{}'), 'body: has more than 500,000 values'],
    ['texts', `{"model":"aurora/dawn-2","input":${listOf('"a"')}}`, 'body: has more than 500,000 values'],
    ['keys', `{${listOf('"k":1').slice(1, -1)}}`, 'body: has more than 500,000 values and keys'],
    [
      '__proto__',
      `{${listOf('"__proto__":{}').slice(1, -1)}}`,
      'body: has more than 500,000 values and keys',
    ],
    ['lists in lists', '['.repeat(megabytes), 'body: nested deeper than 500 levels'],
    ['quotes', JSON.stringify('"'.repeat(megabytes / 2)), /^body: must be an object, got '"{60}…'$/],
    ['an endless string', `{"model":"${'\\"'.repeat(megabytes / 2)}`, /^body: malformed JSON: .{1,100}$/],
  ])('is rejected with one line: %s', async (_, body, message) => {
    const reply = await call(createGateway(), 'POST /responses', { body })
    expect(reply.status).toBe(400)
    expect(reply.body.error.message).toMatch(message)
  })
})

it.runIf(hasExtra('models'))('a body has room for a million token ids', async () => {
  const input = Array.from({ length: 2048 }, () => Array(512).fill(100_000))
  const { body } = await call(createGateway(), 'POST /embeddings', { body: { input } })
  expect(body.error.message).toMatch(/^model: /)
})

it('a slug of 9 MB is rejected for its length only', async () => {
  const slug = `${'a-'.repeat(megabytes / 2)}a`
  const { status, body } = await call(createGateway(), 'PATCH /workspaces/staging', { body: { slug } })
  expect(status).toBe(400)
  expect(body.error.message).toBe('slug: must have at most 50 characters, has 9000001')
})

it('a key of 9 MB is accepted', async () => {
  const headers = { authorization: `Bearer ${long}` }
  expect((await call(createGateway(), 'GET /providers', { headers })).status).toBe(200)
})

describe('an unknown name of 9 MB', () => {
  const gateway = createGateway()
  it.each<[what: string, use: () => unknown]>([
    ['operation', () => gateway.journal.calls(long as 'createResponse')],
    ['entry', () => gateway.journal.explain(long)],
    ['sandbox', () => gateway.createSandbox({ fork: long })],
    ['snapshot', () => gateway.restore({ id: `${long}-1` })],
    ['record', () => gateway.db.providers.delete(long)],
  ])('is shortened: %s', async (_, use) => {
    const { message } = (await Promise.resolve()
      .then(use)
      .catch((error: Error) => error)) as Error
    expect(message).toMatch(/'x{60}…'/)
    expect(message.length).toBeLessThan(500)
  })
})

describe('a large scenario', () => {
  const rule = { on: 'createResponse', fault: 'latency' }
  const pattern = (at: number) => ({ ...rule, when: { input: { matches: `a{1,${at}}[b-d]+${at}` } } })
  it.each([
    [
      'faults',
      { ...rule, fault: Array(8000).fill('latency') },
      'fault must have at most 100 items, got 8000',
    ],
    ['names', { ...rule, on: Array(2000).fill('POST /a') }, 'on must have at most 1000 items, got 2000'],
    [
      'positions',
      { ...rule, when: { call: Array(200_000).fill(1) } },
      /^when.call must have at most 1000 items/,
    ],
    ['conditions', { ...rule, when: { headers: keys(2000) } }, /^when.headers must have at most 1000 fields/],
    [
      'problems',
      { name: 'many', rules: Array(10_000).fill({ on: 1 }) },
      /^rule 1 of 'many': on must be .* \(and 99 more problems\)$/,
    ],
    [
      'an expression',
      { ...rule, when: { input: { matches: `(${long})` } } },
      /matches must have at most 200/,
    ],
    [
      'many expressions',
      { name: 'many', rules: Array.from({ length: 5000 }, (_, at) => pattern(at)) },
      /^rule \d+ of 'many': when.input: the scenario's regular expressions have more than 20,000 characters$/,
    ],
    ['a name', { name: long, rules: [rule] }, /^scenario 'x{100}…': name must be 1 to 100 letters/],
    ['unknown fields', { ...rule, ...keys(10_000) }, /^unknown field 'k0'.* \(and 99 more problems\)$/],
  ])('is rejected with one line: %s', (_, scenario, message) => {
    const refusal = () => {
      try {
        createGateway().use(scenario as never)
      } catch (error) {
        return (error as Error).message
      }
      return ''
    }
    expect(refusal().slice(0, 500)).toBe(refusal())
    expect(refusal()).toMatch(/^use\(\): /)
    expect(refusal().replace('use(): ', '')).toMatch(message)
  })
})
