/**
 * Tests that each of the vendor's operations has the kind listed in the README. The document is read from the
 * published SDK, which has all but two operations.
 */
import { HTTPClient, OpenRouter } from '@openrouter/sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createGateway, type GatewayOptions, type Sandbox } from '../../../src/index.ts'
import { generateValue } from '../../../src/model/json-schema/generate-value.ts'
import type { JsonSchema } from '../../../src/resources/json-schema.ts'
import { call } from '../../call.ts'
import { type Line, type SdkRequest, sdkDocument } from './sdk-document.ts'
import { type Kind, vendorOperations } from './vendor-operations.ts'

/** Operations without an SDK method: the SDK sends messages to POST /responses, and omits a removed operation. */
const withoutMethod = ['POST /messages', 'POST /credits/coinbase']

let lines: readonly Line[]
let requests: ReadonlyMap<Line, SdkRequest>
let gateway: ReturnType<typeof createGateway>
beforeAll(async () => {
  const { document, ...sdk } = await sdkDocument()
  lines = sdk.lines
  requests = sdk.requests
  // The options belong to different extras. The spread lets the file compile without one of them.
  const options: GatewayOptions = { timeScale: 0, ...{ dialect: 'openrouter', openapi: document } }
  gateway = createGateway(options)
})

const shapeOf = (line: string) => line.replace(/\{[^}]*\}/g, '{}')

it('the table lists 97 operations, all but two of them in the SDK, and at least 45 stateful or computed', () => {
  const known = new Set(lines.map(shapeOf))
  const names = vendorOperations.map(([line]) => line)
  expect(new Set(names.map(shapeOf)).size).toBe(97)
  expect(names.filter((line) => !known.has(shapeOf(line)))).toEqual(withoutMethod.toReversed())
  const countOf = (wanted: Kind) => vendorOperations.filter(([, kind]) => kind === wanted).length
  expect(countOf('stateful') + countOf('computed')).toBeGreaterThanOrEqual(45)
})

describe('the operation', () => {
  it.each(vendorOperations)('%s is %s, implemented by %s', async (line, kind, from) => {
    const [method = '', path = ''] = line.split(' ')
    const { operation } = gateway.router.find(method, path.replace(/\{[^}]*\}/g, 'a'))
    const origin = operation?.doc?.isDescribed
      ? 'document'
      : operation?.marks?.extension
        ? 'extension'
        : 'core'
    expect(origin).toBe(from === 'core' || from === 'document' ? from : 'extension')
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
    const reply = await call(gateway, `${method} ${path.replace(/\{[^}]*\}/g, 'a')}`, body)
    const isSample = reply.headers.get('x-understudy-assumptions')?.includes('documentSample') ?? false
    expect(isSample).toBe(kind === 'sample')
    expect(reply.status === 410).toBe(kind === 'refused')
    expect(reply.status).not.toBe(405)
    expect(reply.status).toBeLessThan(500)
  })
})

type Ask = (line: string, body?: unknown) => Promise<{ readonly status: number; readonly text: string }>
const model = 'aurora/dawn-2'
const messages = [{ role: 'user', content: 'Why tides?' }]
const think: [line: string, body: object] = ['POST /chat/completions', { model, messages }]

/** Sends a request before and after all rows of a collection except the first are deleted. */
const afterDeleting =
  (line: string, collection: 'providers' | 'embeddingsModels' | 'models') =>
  async (ask: Ask, { db }: Sandbox) => {
    const before = await ask(line)
    // Providers have no id.
    const rows = (await db[collection].list()) as { id?: string; slug?: string }[]
    for (const { id, slug } of rows.slice(1)) await db[collection].delete(String(id ?? slug))
    return [before, await ask(line)]
  }
/** Sends a request before and after a call that costs money. */
const afterCall = (line: string) => async (ask: Ask) => {
  const before = await ask(line)
  await ask(...think)
  return [before, await ask(line)]
}
/** Sends a request twice, with different bodies. */
const withBodies = (line: string, first: object, second: object) => async (ask: Ask) => [
  await ask(line, first),
  await ask(line, second),
]
const withLines = (first: string, second: string) => async (ask: Ask) => [await ask(first), await ask(second)]
/** Sends two requests, each with the id of another call's generation. */
const withIds = (send: (ask: Ask, id: string) => ReturnType<Ask>) => async (ask: Ask) => {
  const idOf = async (content: string) =>
    JSON.parse((await ask('POST /chat/completions', { model, messages: [{ role: 'user', content }] })).text)
      .id
  return [await send(ask, await idOf('Why tides?')), await send(ask, await idOf('Why rain?'))]
}

/** For each computed operation, returns replies that differ because data, the request or earlier calls differ. */
const pairs: Readonly<Record<string, (ask: Ask, sandbox: Sandbox) => Promise<Awaited<ReturnType<Ask>>[]>>> = {
  'GET /activity': afterCall('GET /activity'),
  'GET /benchmarks': withLines('GET /benchmarks?max_results=1', 'GET /benchmarks?max_results=2'),
  'POST /chat/completions': withBodies(
    'POST /chat/completions',
    { model, messages },
    { model, messages: [{ role: 'user', content: 'Why rain?' }] },
  ),
  'GET /credits': afterCall('GET /credits'),
  'POST /embeddings': withBodies('POST /embeddings', { model, input: 'Tides' }, { model, input: 'Rain' }),
  'GET /embeddings/models': afterDeleting('GET /embeddings/models', 'embeddingsModels'),
  'GET /generation': withIds((ask, id) => ask(`GET /generation?id=${id}`)),
  'GET /generation/content': withIds((ask, id) => ask(`GET /generation/content?id=${id}`)),
  'GET /key': afterCall('GET /key'),
  'POST /messages': withBodies(
    'POST /messages',
    { model, messages, max_tokens: 50 },
    { model, messages: [{ role: 'user', content: 'Why rain?' }], max_tokens: 50 },
  ),
  'GET /model/{author}/{slug}': withLines('GET /model/aurora/dawn-2', 'GET /model/aurora/dawn-2-mini'),
  'GET /models': afterDeleting('GET /models', 'models'),
  'GET /models/count': afterDeleting('GET /models/count', 'models'),
  'GET /models/user': afterDeleting('GET /models/user', 'models'),
  'GET /models/{author}/{slug}/endpoints': withLines(
    'GET /models/aurora/dawn-2/endpoints',
    'GET /models/aurora/dawn-2-mini/endpoints',
  ),
  'GET /providers': afterDeleting('GET /providers', 'providers'),
  'POST /rerank': withBodies(
    'POST /rerank',
    { model, query: 'tides', documents: ['rain', 'tides'] },
    { model, query: 'rain', documents: ['rain', 'tides'] },
  ),
  'POST /responses': withBodies(
    'POST /responses',
    { model, input: 'Why tides?' },
    { model, input: 'Why rain?' },
  ),
}

describe('the computed operation', () => {
  const computed = vendorOperations.filter(([line, kind]) => kind === 'computed' && line in pairs)

  it.each(computed)('%s depends on data, the request or earlier calls', async (line) => {
    const [first, second] = await answersIn(gateway.createSandbox(), line)
    expect([first?.status, second?.status]).toEqual([200, 200])
    expect(second?.text).not.toBe(first?.text)
    expect(await answersIn(gateway.createSandbox(), line)).toEqual([first, second])
  })

  it('POST /generation/feedback accepts only feedback on earlier calls, and is the only one without a pair of replies', async () => {
    const sandbox = gateway.createSandbox()
    const ask = asker(sandbox)
    const { id } = JSON.parse((await ask(...think)).text)
    const feedback = (generation_id: string) =>
      ask('POST /generation/feedback', { generation_id, category: 'other' })
    expect([(await feedback(id)).status, (await feedback('gen-none')).status]).toEqual([200, 404])
    const lines = vendorOperations.filter(([, kind]) => kind === 'computed').map(([line]) => line)
    expect(lines.filter((each) => !(each in pairs))).toEqual(['POST /generation/feedback'])
  })
})

describe('the sample operation', () => {
  const samples = vendorOperations.filter(([, kind]) => kind === 'sample')

  it.each(samples)('%s replies with the same sample after other calls', async (line) => {
    const ask = asker(gateway.createSandbox())
    const [method = '', template = ''] = line.split(' ')
    const send = () =>
      ask(`${method} ${template.replace(/\{[^}]*\}/g, 'a')}`, method === 'GET' ? undefined : {})
    const first = await send()
    expect(first.status).toBeLessThan(300)
    await ask(...think)
    await ask('POST /guardrails', { name: 'Tides' })
    expect(await send()).toEqual(first)
  })

  it.each(samples)('%s has a sample that the SDK accepts', async (line) => {
    const sdk = new OpenRouter({
      apiKey: gateway.createSandbox().apiKey,
      serverURL: 'https://gateway.example/api/v1',
      retryConfig: { strategy: 'none' },
      httpClient: new HTTPClient({ fetcher: gateway.fetch }),
    })
    const [, { send, schema } = {}] = [...requests].find(([each]) => shapeOf(each) === shapeOf(line)) ?? []
    const request = schema && requestFor(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))
    expect(await send?.(sdk, request)).toMatchObject({ ok: true })
  })

  /** Generates a request from a schema. The SDK expects `Date` objects for some fields. */
  function requestFor(schema: object): unknown {
    const { value } = generateValue(schema as JsonSchema, { seed: 'a', source: () => undefined })
    const times = ['start', 'end', 'expiresAt']
    return JSON.parse(JSON.stringify(value), (key, each) => (times.includes(key) ? new Date(0) : each))
  }
})

function asker({ apiKey, id }: Sandbox): Ask {
  return async (line, body) => {
    const { status, text } = await call({ fetch: gateway.fetch, apiKey }, line, { body })
    return { status, text: text.replace(`sandbox ${id}`, 'sandbox') }
  }
}

async function answersIn(sandbox: Sandbox, line: string) {
  return (await pairs[line]?.(asker(sandbox), sandbox)) ?? []
}
