/** Tests the parts of an extra that no bundled extra tests: keys, listeners, errors, and bodies that are not JSON. */
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { toFetch } from '../../src/delivery/fetch.ts'
import type { Extra } from '../../src/gateway/extra.ts'
import { GatewayCore } from '../../src/gateway/gateway.ts'
import type { Reply } from '../../src/http/reply.ts'
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
      'Invalid API key: the key is not in the apiKeys option: send a key that is listed there, or sandbox.apiKey',
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
