/**
 * Tests how a custom dialect translates replies, streams and requests.
 */
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { toFetch } from '../../src/delivery/fetch.ts'
import type { AnsweredCall, Dialect, Extra } from '../../src/gateway/extra.ts'
import { GatewayCore } from '../../src/gateway/gateway.ts'
import type { Frame, Reply } from '../../src/http/reply.ts'
import type { AnyOperation } from '../../src/operation.ts'
import { call } from '../call.ts'

/** Returns a gateway with an extra and an operation at `POST /echo` that returns a reply. */
function gatewayWith(extra: Extra, reply?: Reply, operation: Partial<AnyOperation> = {}) {
  const echo: AnyOperation = {
    id: 'echo',
    method: 'post',
    path: '/echo',
    output: z.unknown(),
    resolve: () => reply as never,
    ...operation,
  }
  const operations = () => (reply ? [echo] : [])
  const gateway = new GatewayCore(
    { timeScale: 0 },
    { extras: [{ name: 'own', create: () => ({ ...extra, operations }) }] },
  )
  return Object.assign(gateway, { fetch: toFetch(gateway) })
}

const stream = (frames: Frame[], type = 'text/event-stream'): Reply => ({
  status: 200,
  headers: { 'content-type': type },
  body: { kind: 'frames', frames },
})
const event = (wire?: string): Frame => ({
  kind: 'event',
  event: { type: 'a', sequence_number: 0 } as never,
  ...(wire !== undefined && { wire }),
})

describe("a dialect's reply", () => {
  it.each([
    [200, 'translated'],
    [399, 'translated'],
    [400, 'original'],
    [401, 'original'],
  ])('with status %i is the %s one', async (status, expected) => {
    const dialect: Dialect = { name: 'own', reply: () => 'translated' }
    const gateway = gatewayWith(
      { dialect },
      { status, headers: {}, body: { kind: 'json', value: 'original' } },
    )
    expect((await call(gateway, 'POST /echo')).text).toBe(JSON.stringify(expected))
  })

  it("is based on the call's model, provider and prices", async () => {
    const calls: AnsweredCall[] = []
    const dialect: Dialect = {
      name: 'own',
      reply(value, answered) {
        calls.push(answered)
        return value
      },
    }
    const gateway = gatewayWith({ dialect }, { status: 200, headers: {}, body: { kind: 'json', value: 1 } })
    await call(gateway, 'POST /echo', { body: { model: 'aurora/dawn-2' } })
    await call(gateway, 'POST /echo', { body: { model: 'no/model' } })
    expect(calls.map(({ headers, seed, ...rest }) => rest)).toMatchInlineSnapshot(`
      [
        {
          "asked": [],
          "cost": 0,
          "model": "aurora/dawn-2",
          "operation": "echo",
          "prices": {
            "completion": 0.00001,
            "prompt": 0.0000025,
          },
          "provider": "Aurora",
        },
        {
          "asked": [],
          "cost": 0,
          "model": "no/model",
          "operation": "echo",
          "prices": {
            "completion": 0,
            "prompt": 0,
          },
          "provider": "Driftwood",
        },
      ]
    `)
  })
})

describe("a dialect's stream", () => {
  const frames: Frame[] = [
    { kind: 'bytes', bytes: ': keep-alive\n\n' },
    { kind: 'bytes', bytes: 'data: 1\n\n' },
    event(),
    event('event: a\ndata: {"own":"wire"}\n\n'),
    { kind: 'done' },
  ]
  const textOf = async (dialect: Omit<Dialect, 'name'>, type?: string) =>
    (await call(gatewayWith({ dialect: { name: 'own', ...dialect } }, stream(frames, type)), 'POST /echo'))
      .text

  it('is unchanged if the dialect translates neither events nor comments', async () => {
    const text = await textOf({})
    expect(text).toMatchInlineSnapshot(`
      ": keep-alive

      data: 1

      data: {"type":"a","sequence_number":0}

      event: a
      data: {"own":"wire"}

      data: [DONE]

      "
    `)
    expect(await textOf({ event: (each) => each })).toBe(text)
  })

  it('has translated events, and its own comments first and as keep-alive', async () => {
    expect(await textOf({ comment: 'BUSY', event: () => ({ type: 'b' }) as never })).toMatchInlineSnapshot(`
      ": BUSY

      : keep-alive

      data: 1

      data: {"type":"b"}

      event: b
      data: {"type":"b"}

      data: [DONE]

      "
    `)
  })

  it('is unchanged if it is not an event stream', async () => {
    expect(await textOf({ comment: 'BUSY', event: () => ({ type: 'b' }) as never }, 'text/plain')).toBe(
      await textOf({}),
    )
  })
})

describe("a dialect's models", () => {
  it.each([
    [399, ['a']],
    [400, ['a', 'b']],
    [500, ['a', 'b']],
  ])('are tried in order until one returns less than 400: after %i, %j', async (status, tried) => {
    const gateway = gatewayWith({ dialect: { name: 'own', models: () => ['a', 'b'] } })
    gateway.use({ on: 'createResponse', reply: { status, body: {} } })
    const answer = await call(gateway, 'POST /responses', { body: { model: 'a', input: 'Hello' } })
    expect(answer.status).toBe(status)
    const [entry] = gateway.journal.entries()
    expect(entry?.warnings).toEqual(
      tried.length === 1 ? [] : [`'a' returned ${status}, so 'b' was tried instead`],
    )
  })
})

describe("an extra's keys", () => {
  it.each([
    [false, 401, 'Invalid API key: the key was deleted, disabled or never created: send sandbox.apiKey'],
    [true, 200, null],
    [undefined, 200, null],
  ])('are valid: %s, which leads to a %i', async (isValid, status, reason) => {
    const gateway = gatewayWith({ isValidKey: () => isValid })
    expect((await call({ fetch: gateway.fetch }, 'GET /providers')).status).toBe(status)
    expect(gateway.journal.entries()[0]?.error).toBe(reason)
  })

  it('are described as unlisted if the apiKeys option does not list them', async () => {
    const gateway = new GatewayCore({ apiKeys: ['known'] })
    await call({ fetch: toFetch(gateway), apiKey: 'other' }, 'GET /providers')
    expect(gateway.journal.entries()[0]?.error).toBe(
      'Invalid API key: the key is not in the apiKeys option: send one of those, or sandbox.apiKey',
    )
  })
})

describe('media types', () => {
  it.each([
    ['image/*', 'image/png', 200],
    ['image/*', 'text/png', 415],
    ['image/png', 'image/png', 200],
    ['image/png', 'image/png; a=1; b=2', 200],
    ['image/png', 'image/pngs', 415],
    ['image/png', 'application/json', 415],
    ['*/*', 'text/plain', 200],
  ])('of an operation that accepts %s: %s leads to a %i', async (accepted, type, status) => {
    const operation = { input: { body: z.unknown(), otherBody: { types: [accepted], isJsonToo: false } } }
    const gateway = gatewayWith({}, { status: 200, headers: {}, body: { kind: 'json', value: 1 } }, operation)
    const answer = await call(gateway, 'POST /echo', { body: 'x', headers: { 'content-type': type } })
    expect(answer.status).toBe(status)
    if (status === 415)
      expect(answer.body.error.message).toBe(`Unsupported media type '${type}': send ${accepted}`)
  })
})

describe("an error in an extra's operation", () => {
  it('is a 500, and a schema violation with a warning in the journal', async () => {
    const resolve = () => {
      throw new TypeError('Broken')
    }
    const gateway = gatewayWith({}, { status: 200, headers: {}, body: { kind: 'none' } }, { resolve })
    expect((await call(gateway, 'POST /echo')).body).toEqual({
      error: { code: 500, message: 'Bug in Understudy: Broken' },
    })
    expect(gateway.journal.entries()).toMatchObject([
      { schemaViolation: true, warnings: [expect.stringMatching(/^TypeError: Broken\n +at /)] },
    ])
  })
})

describe('a body of an operation that accepts another media type', () => {
  it.each([
    [false, '', undefined, 'body: a body is required'],
    [true, '', undefined, 'body: a JSON body is required'],
    [false, '{', 'image/png', undefined],
    [true, '{', 'image/png', undefined],
    [true, '{', 'application/json', expect.stringMatching(/^body: malformed JSON/)],
  ])('is read (JSON too: %s, body %j, type %s)', async (isJsonToo, body, type, message) => {
    const operation = { input: { body: z.unknown(), otherBody: { types: ['image/*'], isJsonToo } } }
    const gateway = gatewayWith({}, { status: 200, headers: {}, body: { kind: 'json', value: 1 } }, operation)
    const headers = { 'content-type': type ?? null }
    const answer = await call(gateway, 'POST /echo', { body, headers })
    expect(answer.body.error?.message).toEqual(message)
  })
})

describe('the headers of a request', () => {
  it("are validated by the operation's schema", async () => {
    const operation = { input: { headers: z.looseObject({ 'x-own': z.string() }) } }
    const gateway = gatewayWith({}, { status: 200, headers: {}, body: { kind: 'json', value: 1 } }, operation)
    expect((await call(gateway, 'POST /echo', { headers: { 'x-own': 'a' } })).status).toBe(200)
    const { status, body } = await call(gateway, 'POST /echo')
    expect([status, body.error.metadata.violations]).toEqual([
      400,
      [{ path: 'header.x-own', message: 'Is required', rule: 'invalid_type' }],
    ])
  })
})

describe("an extra's listener", () => {
  it('is called for each reply, and once the reply was delivered', async () => {
    const calls: string[] = []
    const listener = {
      replied: ({ route }: { route: string | undefined }) => void calls.push(`replied ${route}`),
      settled: ({ route }: { route: string | undefined }) => void calls.push(`settled ${route}`),
    }
    const fetch = toFetch(new GatewayCore({ timeScale: 0 }, { extras: [{ name: 'own', listener }] }))
    await call({ fetch }, 'GET /providers')
    expect(calls).toEqual(['replied /providers', 'settled /providers'])
  })
})
