/** Tests values that are proxies, copies, or objects of another realm: each works, or is refused in one sentence. */
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import {
  createGateway,
  expectSandbox,
  type Gateway,
  type JournalEntry,
  json,
  type Rule,
} from '../../src/index.ts'

const body = JSON.stringify({ model: 'aurora/dawn-2', input: 'Hello' })
const headers = { authorization: 'Bearer any', 'content-type': 'application/json' }
const post = { method: 'POST', headers }
const url = 'https://gateway.example/api/v1/responses'
const providers = 'https://gateway.example/api/v1/providers'

/** Wraps an object and, when they are read, its values. */
function proxied<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  return new Proxy(value, { get: (target, key) => proxied(Reflect.get(target, key)) })
}
const wraps: Record<string, <Value>(value: Value) => Value> = {
  'a proxy': proxied,
  'of another realm': (value) => runInNewContext(`(${JSON.stringify(value)})`),
  'a copy': structuredClone,
  frozen: Object.freeze,
}

describe.each(Object.entries(wraps))('a value that is %s', (_, wrap) => {
  it('is accepted as options, rule, turns, record, match and request', async () => {
    const provider = { name: 'A', slug: 'aa', privacy_policy_url: null, terms_of_service_url: null }
    const gateway = createGateway(wrap({ seed: 'x', fixtures: { providers: [provider] } }))
    gateway.script(wrap([{ text: 'first' }]))
    gateway.use(wrap<Rule>({ on: 'listProviders', reply: { body: { list: [{ a: 1 }] } } }))
    await gateway.db.providers.create(wrap({ name: 'B', slug: 'bb', datacenters: ['DE'] }))
    expect(await gateway.db.providers.update('bb', wrap({ datacenters: ['FR'] }))).toMatchObject({
      name: 'B',
    })
    expect(await (await gateway.fetch(url, wrap({ ...post, body }))).text()).toContain('first')
    expect(await (await gateway.fetch(providers, wrap({ headers }))).json()).toEqual({ list: [{ a: 1 }] })
    expectSandbox(gateway).toHaveReceived('createResponse', wrap({ body: { input: 'Hello' } }))
  })
})

it('results can be copied with structuredClone', async () => {
  const gateway = createGateway()
  gateway.use({ on: 'createResponse', reply: { text: 'Hi' } })
  await gateway.fetch(url, { ...post, body })
  await gateway.fetch(`${url}/nothing`, post)
  const { journal, db } = gateway
  const results = [
    [
      journal.entries(),
      journal.unmatched(),
      journal.explain(journal.entries()[0] as JournalEntry),
      journal.har(),
    ],
    [
      gateway.usage(),
      gateway.unusedRules(),
      gateway.scripts(),
      gateway.activeScenarios(),
      gateway.snapshot(),
    ],
    [await db.providers.list(), await db.providers.get('aurora'), json(200, { a: 1 })],
  ]
  expect(structuredClone(results)).toEqual(results)
})

describe('a value that cannot be used', () => {
  const foreign = (code: string) => runInNewContext(code)
  const reply = (body: unknown) => ({ on: 'createResponse', reply: { body } }) as Rule
  it.each<[title: string, use: (gateway: Gateway) => unknown, message: string]>([
    [
      'a RegExp of another realm',
      (gateway) => gateway.use(reply(foreign('/a/'))),
      'a RegExp (/a/) is not supported; write {"matches":"a"}',
    ],
    [
      'a proxy of a RegExp',
      (gateway) => gateway.use(reply(new Proxy(/a/, {}))),
      'must be plain data, got a RegExp',
    ],
    [
      'a Map of another realm',
      (gateway) => gateway.use(reply(foreign('new Map()'))),
      'must be plain data, got a Map',
    ],
    [
      'a proxy of a sandbox',
      (gateway) => gateway.run(new Proxy(gateway.createSandbox(), {}), () => {}),
      'run() expects a sandbox from createSandbox() of the same gateway',
    ],
    [
      'a copy of a snapshot',
      (gateway) => gateway.restore(structuredClone(gateway.snapshot())),
      'or is a copy',
    ],
  ])('is refused: %s', (_, use, message) => {
    expect(() => use(createGateway())).toThrow(message)
  })

  it('is named if a reply function throws it', async () => {
    const gateway = createGateway()
    gateway.reply(foreign('() => { throw new TypeError("theirs") }'))
    const response = await gateway.fetch(url, { ...post, body })
    expect((await response.json()).error.message).toBe(
      'The function passed to reply() threw TypeError: theirs',
    )
  })
})
