import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Request as UndiciRequest } from 'undici'
import { describe, expect, it } from 'vitest'
import { createGateway, type GatewayOptions } from '../../src/index.ts'

const url = 'https://gateway.example/api/v1'
const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
const streamed = { method: 'POST', headers, body: '{"model":"aurora/dawn-2","input":"Hello","stream":true}' }
const make = (options: GatewayOptions = {}) => createGateway(options)

describe('gateway.fetch', () => {
  it('accepts a string, a URL or a Request, like the global fetch', async () => {
    const { fetch } = make()
    for (const input of [`${url}/providers`, new URL(`${url}/providers`), new Request(`${url}/providers`)]) {
      expect((await fetch(input, { headers })).status).toBe(200)
    }
    expect((await fetch(new Request(`${url}/providers`, { headers }))).status).toBe(200)
  })

  it('accepts requests from other realms, with their body and signal', async () => {
    const gateway = make()
    const foreign = (signal?: AbortSignal) =>
      new UndiciRequest(`${url}/responses`, { ...streamed, ...(signal && { signal }) }) as unknown as Request
    const reply = await gateway.fetch(foreign())
    expect(await reply.text()).toContain('response.completed')
    expect(gateway.journal.last('createResponse')?.body).toMatchObject({ input: 'Hello' })
    const plain = { url: `${url}/providers`, method: 'GET', headers } as unknown as Request
    expect((await gateway.fetch(plain)).status).toBe(200)
    expect((await gateway.fetch(plain, { method: 'HEAD' })).status).toBe(200)
    gateway.use({ on: 'createResponse', fault: 'timeout' })
    const leaving = new AbortController()
    const waiting = gateway.fetch(foreign(leaving.signal))
    await gateway.journal.waitFor('createResponse', { count: 2 })
    leaving.abort()
    await expect(waiting).rejects.toThrow(/abort/i)
    await expect(gateway.fetch(foreign(AbortSignal.abort()))).rejects.toThrow(/abort/i)
  })

  it('leaves the global fetch unchanged', async () => {
    const before = globalThis.fetch
    await make().fetch(`${url}/providers`, { headers })
    expect(globalThis.fetch).toBe(before)
  })

  it.each([204, 205, 304])('returns a scripted %i without a body', async (status) => {
    const gateway = make()
    gateway.use({ on: 'listProviders', reply: { status, body: { any: 'body' } } })
    const reply = await gateway.fetch(`${url}/providers`, { headers })
    expect([reply.status, await reply.text()]).toEqual([status, ''])
  })

  it('rejects immediately if the signal is already aborted', async () => {
    const gateway = make()
    await expect(gateway.fetch(`${url}/providers`, { headers, signal: AbortSignal.abort() })).rejects.toThrow(
      /abort/i,
    )
    await new Promise((resolve) => setImmediate(resolve))
    expect(gateway.journal.entries()).toEqual([])
  })

  it('reads the body of a request without a `body` property, as in Firefox', async () => {
    const gateway = make()
    const request = Object.defineProperty(new Request(`${url}/responses`, streamed), 'body', {})
    expect((await gateway.fetch(request)).status).toBe(200)
    expect(gateway.journal.last('createResponse')?.body).toMatchObject({ input: 'Hello' })
  })

  it('decompresses a body, as the global fetch does', async () => {
    const gateway = make()
    gateway.use({ on: '*', fault: 'gzip-body' })
    const read = await gateway.fetch(`${url}/providers`, { headers })
    expect([read.headers.get('content-encoding'), (await read.json()).data.length]).toEqual(['gzip', 12])
    const head = await gateway.fetch(`${url}/providers`, { method: 'HEAD', headers })
    expect([head.headers.get('content-encoding'), head.body]).toEqual(['gzip', null])
    const stream = await gateway.fetch(`${url}/responses`, streamed)
    expect(await stream.text()).toContain('response.completed')
  })

  it('stops a compressed stream when its reader cancels it', async () => {
    const gateway = make()
    gateway.use({ on: '*', fault: ['gzip-body', { name: 'stream-stall', afterEvents: 2 }] })
    const response = await gateway.fetch(`${url}/responses`, streamed)
    await response.body?.cancel()
    await expect.poll(() => gateway.journal.last('createResponse')?.delivery).toBe('aborted-by-client')
  })

  it('rejects with the abort reason while waiting for a delayed reply', async () => {
    const gateway = make()
    gateway.use({ on: '*', fault: { name: 'latency', ms: 60_000 } })
    const aborted = new AbortController()
    const answer = gateway.fetch(`${url}/providers`, { headers, signal: aborted.signal })
    setTimeout(() => aborted.abort(new Error('enough')), 10)
    await expect(answer).rejects.toThrow('enough')
    await expect.poll(() => gateway.journal.last('listProviders')?.delivery).toBe('aborted-by-client')
  })

  it.each([
    ['connection-reset', 'ECONNRESET'],
    ['empty-response', 'UND_ERR_SOCKET'],
  ] as const)(
    'throws a TypeError for %s, with the code %s in its cause, as the global fetch does',
    async (fault, code) => {
      const gateway = make()
      gateway.use({ on: '*', fault })
      const error = await gateway.fetch(`${url}/providers`, { headers }).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(TypeError)
      expect(error).toMatchObject({ message: 'fetch failed', cause: { code } })
      expect(gateway.journal.last('listProviders')?.delivery).toBe('aborted-by-fault')
    },
  )

  it('errors the body stream if aborted mid-stream', async () => {
    const gateway = make({ latency: { perToken: 20 } })
    const aborted = new AbortController()
    const response = await gateway.fetch(`${url}/responses`, { ...streamed, signal: aborted.signal })
    const reader = response.body?.getReader()
    await reader?.read()
    aborted.abort(new Error('enough'))
    await expect(reader?.read()).rejects.toThrow('enough')
    expect(gateway.journal.last('createResponse')?.delivery).toBe('aborted-by-client')
  })

  it('generates a stream no faster than it is read', async () => {
    const gateway = make()
    const event = { event: { type: 'response.output_text.delta', delta: 'x'.repeat(1000) } }
    gateway.use({ on: 'createResponse', reply: { frames: Array.from({ length: 500 }, () => event) } })
    const response = await gateway.fetch(`${url}/responses`, streamed)
    const reader = response.body?.getReader()
    await new Promise((resolve) => setImmediate(resolve))
    expect(gateway.journal.last('createResponse')?.responseBody.text).toBe('')
    await reader?.read()
    await new Promise((resolve) => setTimeout(resolve, 20))
    const entry = gateway.journal.last('createResponse')
    expect(entry?.delivery).toBe('pending')
    expect((entry?.responseBody.text.length ?? 0) + (entry?.responseBody.truncatedBytes ?? 0)).toBeLessThan(
      100_000,
    )
    await reader?.cancel()
    expect(gateway.journal.last('createResponse')?.delivery).toBe('aborted-by-client')
  })
})

it('ends a stalled reply when its signal aborts, even if nothing else is reachable', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const controller = new AbortController()
  const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<unknown>()]
  const read = async () => {
    const gateway = createGateway()
    gateway.use('stream-stall')
    const response = await gateway.fetch(`${url}/responses`, { ...streamed, signal: controller.signal })
    for await (const _ of response.body ?? []) started.resolve()
  }
  read().catch(ended.resolve)
  await started.promise
  for (let turn = 0; turn < 10; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
  }
  controller.abort()
  expect(await ended.promise).toMatchObject({ name: 'AbortError' })
})
