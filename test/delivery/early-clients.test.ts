/**
 * Tests clients created at module level, before interception, as in applications. ../consumers/early-clients
 * tests LangChain and the agents SDK, which are too large to install here.
 */
import { Agent } from 'node:https'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, streamText } from 'ai'
import axios from 'axios'
import got from 'got'
import nodeFetch from 'node-fetch'
import OpenAI from 'openai'
import { fetch as undiciFetch, request as undiciRequest } from 'undici'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createGateway, type Interception, intercept, type Sandbox } from '../../src/node.ts'

const baseURL = 'https://models.example/api/v1'
const url = `${baseURL}/responses`
const headers = { authorization: 'Bearer sk-fixed', 'content-type': 'application/json' }
const ask = { model: 'aurora/dawn-2', input: 'Hello' }
const bodyFor = (stream: boolean) => JSON.stringify({ ...ask, stream })

/** A client under test. Its methods return text as the client does, unchanged. */
interface Client {
  /** Returns the reply's text, or its raw body. */
  plain(signal?: AbortSignal): Promise<string>
  /** Calls back with each part of the streamed reply. */
  stream(onPart: (part: string) => void, signal?: AbortSignal): Promise<void>
}

const capturedFetch = globalThis.fetch
const openai = new OpenAI({ apiKey: 'sk-fixed', baseURL, maxRetries: 0 })
const aiSdk = createOpenAI({ apiKey: 'sk-fixed', baseURL })('aurora/dawn-2')
const http = axios.create({ baseURL, headers, adapter: 'http', httpsAgent: new Agent({ keepAlive: true }) })
const gotten = got.extend({ headers, retry: { limit: 0 } })

async function read(
  body: AsyncIterable<string | Uint8Array> | null,
  onPart: (part: string) => void,
): Promise<void> {
  for await (const part of body ?? []) onPart(String(part))
}

/** Wraps a function with the signature of `fetch`. */
function fetching(send: (url: string, init: object) => Promise<unknown>): Client {
  const open = (stream: boolean, signal?: AbortSignal) =>
    send(url, {
      method: 'POST',
      headers,
      body: bodyFor(stream),
      ...(signal && { signal }),
    }) as Promise<Response>
  return {
    plain: async (signal) => (await open(false, signal)).text(),
    stream: async (onPart, signal) =>
      read((await open(true, signal)).body as unknown as AsyncIterable<Uint8Array>, onPart),
  }
}

const clients: Record<string, Client> = {
  'a fetch captured earlier': fetching(capturedFetch),
  openai: {
    plain: async (signal) => (await openai.responses.create(ask, { signal })).output_text,
    async stream(onPart, signal) {
      const stream = await openai.responses.create({ ...ask, stream: true }, { signal })
      for await (const event of stream) onPart(event.type)
    },
  },
  'the AI SDK': {
    plain: async (abortSignal) =>
      (await generateText({ model: aiSdk, prompt: 'Hello', maxRetries: 0, abortSignal })).text,
    async stream(onPart, abortSignal) {
      const { fullStream } = streamText({
        model: aiSdk,
        prompt: 'Hello',
        maxRetries: 0,
        abortSignal,
        onError() {},
      })
      for await (const part of fullStream) {
        if (part.type === 'error') throw part.error
        if (part.type === 'abort') throw new Error('aborted')
        if (part.type === 'text-delta') onPart(part.text)
      }
    },
  },
  axios: {
    plain: async (signal) =>
      JSON.stringify((await http.post('/responses', ask, { ...(signal && { signal }) })).data),
    async stream(onPart, signal) {
      const options = { responseType: 'stream', ...(signal && { signal }) } as const
      const { data } = await http.post('/responses', { ...ask, stream: true }, options)
      await read(data, onPart)
    },
  },
  'node-fetch': fetching(nodeFetch as never),
  got: {
    plain: (signal) => gotten.post(url, { json: ask, ...(signal && { signal }) }).text(),
    stream: (onPart, signal) =>
      read(gotten.stream.post(url, { json: { ...ask, stream: true }, ...(signal && { signal }) }), onPart),
  },
  "undici's fetch": fetching(undiciFetch as never),
  "undici's request": {
    plain: async (signal) =>
      (await undiciRequest(url, { method: 'POST', headers, body: bodyFor(false), signal })).body.text(),
    stream: async (onPart, signal) =>
      read((await undiciRequest(url, { method: 'POST', headers, body: bodyFor(true), signal })).body, onPart),
  },
}

const gateway = createGateway()
let interception: Interception
let sandbox: Sandbox
beforeAll(() => {
  interception = intercept(gateway)
})
afterAll(() => interception.close())
beforeEach(() => {
  sandbox = gateway.createSandbox()
})

describe.each(Object.entries(clients))('%s, created before the interception,', (_, client) => {
  /** Runs code in the current test's sandbox. */
  const inSandbox = <Result>(work: () => Promise<Result>) => gateway.run(sandbox, work)

  it('receives a reply', async () => {
    sandbox.reply('Tides follow the moon.')
    expect(await inSandbox(() => client.plain())).toContain('Tides follow the moon.')
    expect(sandbox.journal.last('createResponse')).toMatchObject({ status: 200, delivery: 'complete' })
  })

  it('receives a paced stream in parts', async () => {
    sandbox.use({ on: 'createResponse', fault: { name: 'slow-stream', perToken: 1 } })
    const parts: string[] = []
    await inSandbox(() => client.stream((part) => parts.push(part)))
    expect(parts.length).toBeGreaterThan(1)
    expect(sandbox.journal.last('createResponse')).toMatchObject({ status: 200, delivery: 'complete' })
  })

  it('can abort while the gateway is silent', async () => {
    sandbox.use({ on: 'createResponse', fault: 'timeout' })
    const controller = new AbortController()
    const answer = inSandbox(() => client.plain(controller.signal))
    await expect.poll(() => sandbox.journal.entries()).toHaveLength(1)
    controller.abort()
    await expect(answer).rejects.toThrow()
    await expect.poll(() => sandbox.journal.last('createResponse')?.delivery).toBe('aborted-by-client')
  })

  it('can abort in the middle of a stream', async () => {
    sandbox.use({ on: 'createResponse', fault: { name: 'stream-stall', afterEvents: 8 } })
    const controller = new AbortController()
    await inSandbox(() => client.stream(() => controller.abort(), controller.signal)).catch(() => {})
    await expect.poll(() => sandbox.journal.last('createResponse')?.delivery).toBe('aborted-by-client')
  })

  it('reports a connection reset', async () => {
    sandbox.use({ on: 'createResponse', fault: 'connection-reset' })
    await expect(inSandbox(() => client.plain())).rejects.toThrow()
    expect(sandbox.journal.last('createResponse')?.delivery).toBe('aborted-by-fault')
  })

  it('reports a stream reset after delivering everything sent before it', async () => {
    sandbox.use({ on: 'createResponse', fault: { name: 'stream-reset', afterEvents: 8 } })
    const parts: string[] = []
    await expect(inSandbox(() => client.stream((part) => parts.push(part)))).rejects.toThrow()
    expect(parts.length).toBeGreaterThan(0)
    expect(sandbox.journal.last('createResponse')?.delivery).toBe('aborted-by-fault')
  })

  it('never receives the final event of a stream that is cut', async () => {
    sandbox.use({ on: 'createResponse', fault: { name: 'stream-cut', afterEvents: 8 } })
    const parts: string[] = []
    await inSandbox(() => client.stream((part) => parts.push(part))).catch(() => {})
    expect(parts.join()).not.toMatch(/response\.completed/)
    expect(sandbox.journal.last('createResponse')?.delivery).toBe('aborted-by-fault')
  })
})
