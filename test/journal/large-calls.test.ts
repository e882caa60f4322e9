/** Tests that a call's size bounds what is checked, kept and shown of it. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { createGateway, type Gateway } from '../../src/index.ts'
import { judgeCalls } from '../../src/journal/expectations.ts'
import { call } from '../call.ts'

const list = (count: number, item: string) => `[${Array(count).fill(item).join(',')}]`

describe('POST /responses with 20,000 invalid items', () => {
  const inMessage = (parts: string) => `[{"role":"user","content":${parts}}]`

  it.each([
    ['content parts', { input: inMessage(list(20_000, '{}')) }],
    ['messages', { input: list(20_000, '{"role":1}') }],
    ['tools', { input: '"x"', tools: list(20_000, '{}') }],
    ['includes', { input: '"x"', include: list(20_000, '1') }],
  ])('stops checking %s after some hundred violations', async (_, fields) => {
    const body = Object.entries({ model: '"aurora/dawn-2"', ...fields }).map(
      ([key, value]) => `"${key}":${value}`,
    )
    const reply = await call(createGateway(), 'POST /responses', { body: `{${body.join(',')}}` })
    const { violations, more } = reply.body.error.metadata
    expect(reply.status).toBe(400)
    expect(violations).toHaveLength(100)
    expect(more).toBeGreaterThan(0)
    expect(more).toBeLessThan(1000)
  })
})

describe('the journal', () => {
  const picture = 'A'.repeat(80_000)
  const content = [
    { type: 'input_text', text: 'What is in it?' },
    { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${picture}` },
  ]

  it('keeps the body of a request with a screenshot', async () => {
    const gateway = createGateway()
    const body = { model: 'aurora/dawn-2', input: [{ role: 'user', content }] }
    await call(gateway, 'POST /responses', { body })
    expect(gateway.journal.last('createResponse')?.body).toEqual(body)
  })

  it('evicts the oldest calls beyond `journalBytes`', async () => {
    const gateway = createGateway({ limits: { journalBytes: 300_000 } })
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      await call(gateway, 'PATCH /workspaces/staging', { body: { name, description: picture } })
    const names = gateway.journal.calls('updateWorkspace').map(({ body }) => body.name)
    expect(names).toEqual(['c', 'd', 'e'])
    expect(gateway.journal.evictedCount).toBe(2)
  })
})

it('calls that a script rejects keep no more than their bodies', async () => {
  setFlagsFromString('--expose-gc')
  const used = () => runInNewContext('gc(); process.memoryUsage().heapUsed', { process })
  const gateway = createGateway({ limits: { journalBytes: 9_000_000 } })
  gateway.script([{ expect: { input: 'Hello' }, text: 'x' }])
  const before = used()
  for (let at = 0; at < 20; at++)
    await call(gateway, 'POST /responses', { body: { model: 'a/b', input: at + 'x'.repeat(900_000) } })
  expect(used() - before).toBeLessThan(18_000_000)
})

it('an assertion on a truncated body says that it was not compared', async () => {
  const gateway = createGateway({ limits: { journalBodyBytes: 10 } })
  await call(gateway, 'POST /responses', { body: { model: 'aurora/dawn-2', input: 'Hello' } })
  const match = { body: { input: 'Hello' } }
  const received = { entries: gateway.journal.entries(), stray: [] }
  const { message } = judgeCalls(received, { operation: 'createResponse', match })
  expect(message).toContain('but received none; the body of 1 call was truncated and not compared')
})

describe('the size of a call in the journal', () => {
  const long = 'x'.repeat(900_000)
  const post = (gateway: Gateway, body: object) =>
    call(gateway, 'POST /responses', { body: { model: 'aurora/dawn-2', input: 'x', ...body } })
  const bodyBytes = 1000

  it.each<[string, (gateway: Gateway) => Promise<unknown>]>([
    ['a name of a model', (gateway) => post(gateway, { model: `aurora/${long}` })],
    ['names of fallback models', (gateway) => post(gateway, { models: [`aurora/${long}`] })],
    ['names of fields', (gateway) => post(gateway, { [long]: 1 })],
    [
      'a rendered reply',
      (gateway) => {
        gateway.reply('{{ body.metadata.long }}')
        return post(gateway, { metadata: { long } })
      },
    ],
    [
      'the reply of a function',
      (gateway) => {
        gateway.reply(() => long)
        return post(gateway, {})
      },
    ],
    [
      'the problem of a script',
      (gateway) => {
        gateway.script([{ expect: { input: 'other' }, text: 'x' }])
        return post(gateway, { input: long })
      },
    ],
  ])('does not depend on %s', async (_, send) => {
    const gateway = createGateway({ limits: { journalBodyBytes: bodyBytes } })
    await send(gateway)
    const { requestText, responseBody, ...entry } = gateway.journal.entries()[0] ?? {}
    expect(Math.max(requestText?.text.length ?? 0, responseBody?.text.length ?? 0)).toBe(bodyBytes)
    expect(JSON.stringify(entry).length).toBeLessThan(10_000)
    expect(JSON.stringify([gateway.usage(), gateway.scripts()]).length).toBeLessThan(10_000)
  })

  it('includes headers and the path', async () => {
    const gateway = createGateway({ limits: { journalBytes: 100_000 } })
    for (let index = 0; index < 4; index++)
      await call(gateway, `GET /providers?long=${'x'.repeat(20_000)}`, {
        headers: { 'x-long': 'x'.repeat(20_000) },
      })
    expect(gateway.journal.size).toBe(2)
    expect(gateway.journal.evictedCount).toBe(2)
  })
})
