/** Tests that every transport replays recordings of any path and method. */
import { setupServer } from 'msw/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGateway, type Gateway } from '../../../src/index.ts'
import { toLatin1 } from '../../../src/lib/bytes.ts'
import { handlers } from '../../../src/msw.ts'
import { intercept } from '../../../src/node.ts'
import { startServer } from '../../../src/serve.ts'
import { head, recordingOf, requestOf } from './samples.ts'

const binary = Uint8Array.from({ length: 300 }, (_, index) => index)

/** Returns a multipart body with a file, as clients encode it: the boundary differs for each request. */
function upload(boundary: string): Uint8Array {
  const part = (name: string) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n`
  const texts = [`${part('model')}whisper-1\r\n${part('file')}`, `\r\n--${boundary}--\r\n`] as const
  return Buffer.concat([Buffer.from(texts[0]), binary, Buffer.from(texts[1])])
}

const cases: [line: string, body?: string | Uint8Array, type?: string][] = [
  ['POST /responses', '{"model":"aurora/dawn-2","input":"Hello"}', 'application/json'],
  ['GET /files?limit=2'],
  ['HEAD /files?limit=2'],
  ['HEAD /only-head'],
  ['GET /files/file-1/content'],
  ['DELETE /providers'],
  ['POST /v2/anything', '{"a":1}', 'application/json'],
  ['PUT /notes/%C3%BC', 'plain ü', 'text/plain'],
  ['POST /audio/transcriptions', upload('sent'), 'multipart/form-data; boundary=sent'],
]

const recordings = cases.flatMap(([line, body], index) => {
  const [, method = '', path = '', query = ''] = /^(\S+) ([^?]+)(.*)$/.exec(line) ?? []
  if (line === 'HEAD /files?limit=2') return []
  const isForm = body instanceof Uint8Array
  const content = isForm ? { base64: btoa(toLatin1(upload('recorded'))) } : { text: body }
  const request = requestOf(undefined, { method, path, query, ...content })
  const base64 = btoa(toLatin1(binary.subarray(index)))
  const headers = { 'content-type': 'application/octet-stream', 'x-ratelimit-limit': line.replace('ü', '') }
  return recordingOf(method === 'HEAD' ? [] : [{ ms: 0, base64 }], {
    head: { ...head, operation: `case-${index}` },
    request,
    reply: { ms: 0, status: 201, headers },
    end: { end: 'fin', ms: 0, bytes: 0 },
  })
})

const base = 'https://gateway.example/api/v1'
type Reached = Disposable & { fetch: typeof fetch; base: string }
const transports: Record<string, (gateway: Gateway) => Reached | Promise<Reached>> = {
  'gateway.fetch': ({ fetch }) => ({ fetch, base, [Symbol.dispose]() {} }),
  intercept(gateway) {
    const { close } = intercept(gateway)
    return { fetch, base, [Symbol.dispose]: close }
  },
  handlers(gateway) {
    const server = setupServer(...handlers(gateway))
    server.listen({ onUnhandledFrame: 'error' })
    return { fetch, base, [Symbol.dispose]: () => server.close() }
  },
  async startServer(gateway) {
    const { baseUrl, close } = await startServer({ gateway })
    return { fetch, base: baseUrl, [Symbol.dispose]: () => void close() }
  },
}

describe.each(Object.keys(transports))('recordings with %s', (name) => {
  let gateway: Gateway
  let reached: Reached
  beforeEach(async () => {
    gateway = createGateway({ recordings, timeScale: 0, apiKeys: ['key'] })
    reached = await (transports[name] as (typeof transports)[string])(gateway)
  })
  afterEach(() => reached[Symbol.dispose]())

  const send = ([line, body, type]: (typeof cases)[number], key = 'key') => {
    const [method = '', target = ''] = line.split(' ')
    const headers = { authorization: `Bearer ${key}`, ...(type && { 'content-type': type }) }
    return reached.fetch(reached.base + target, { method, headers, body: (body as string) ?? null })
  }

  it('are replayed for each path and method, with the name of their file', async () => {
    for (const [index, each] of cases.entries()) {
      const response = await send(each)
      const received = new Uint8Array(await response.arrayBuffer())
      const isHead = each[0].startsWith('HEAD')
      expect([each[0], response.status, toLatin1(received)]).toEqual([
        each[0],
        201,
        isHead ? '' : toLatin1(binary.subarray(index)),
      ])
      const file = `case-${each[0] === 'HEAD /files?limit=2' ? 1 : index}.recording.jsonl`
      const { rules, nearMisses, error } = gateway.journal.entries().at(-1) ?? {}
      expect([rules, nearMisses, error]).toEqual([
        [{ scenario: file, index: 1, name: null, kind: 'answer', faults: [] }],
        [],
        null,
      ])
      expect(response.headers.get('x-understudy-scenario')).toBe(`${file}#1`)
    }
    expect(gateway.journal.unmatched()).toEqual([])
  })

  it('require a key on every path', async () => {
    for (const each of cases) expect([each[0], (await send(each, 'other')).status]).toEqual([each[0], 401])
  })

  it('change with modifiers on a path without an operation', async () => {
    gateway.use({ on: 'POST /v2/anything', fault: { name: 'truncated-body', afterBytes: 4 } })
    const response = await send(['POST /v2/anything', '{"a":1}', 'application/json'])
    await expect(response.arrayBuffer()).rejects.toThrow()
    const entry = gateway.journal.entries()[0]
    expect(entry?.rules.map(({ kind }) => kind)).toEqual(['answer', 'modifier'])
  })
})
