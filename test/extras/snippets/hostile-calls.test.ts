/** Tests that snippets copied from any call, including hostile ones, contain only the intended literals. */
import fc from 'fast-check'
import { load as parseYaml } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { toCurl, toTest } from '../../../src/extras/snippets/snippets.ts'
import { createGateway, defineOperation, ok } from '../../../src/index.ts'
import { startServer } from '../../../src/serve.ts'
import { raw, request } from '../../server/raw.ts'
import { cases } from '../../suite-size.ts'
import {
  anyRecord,
  argumentsFor,
  body,
  expectedOf,
  json,
  path,
  reply,
  site,
  text,
  token,
  tryCurl,
  tryTest,
  without,
} from './any-record.ts'
import { curlCalls, runTest } from './run-snippets.ts'

const ofExtras = createGateway().extras.flatMap((extra) => Object.keys(extra.exports ?? {}))
const formats = ['curl', 'vitest', 'playwright', ...ofExtras]

/** Running the full set of cases takes minutes. */
const timeoutMs = cases(15_000, 600_000)

describe('snippets of arbitrary calls', () => {
  it(
    'contain exactly one curl command with the intended arguments',
    () => {
      const property = fc.property(fc.array(anyRecord, { minLength: 1, maxLength: 40 }), tryCurl)
      fc.assert(property, { numRuns: cases(4, 250), seed: 1 })
    },
    timeoutMs,
  )

  it(
    'are tests of a single request with the intended literals',
    async () => {
      const property = fc.asyncProperty(anyRecord, fc.constantFrom('vitest', 'playwright'), tryTest)
      await fc.assert(property, { numRuns: cases(60, 5000), seed: 1 })
    },
    timeoutMs,
  )
})

/** A call from a valid sandbox file. */
const savedCall = fc.record({
  method: fc.oneof(token, fc.constantFrom('GET', 'POST', 'PATCH')),
  path: path.map((each) => `/api/v1/${each}`),
  operation: fc.constantFrom('createResponse', 'listProviders', 'getPreset', null, 'other.operation-2'),
  params: fc.dictionary(text(), text(), { maxKeys: 2 }),
  query: fc.dictionary(text(), fc.oneof(text(), fc.array(text(), { maxLength: 2 })), { maxKeys: 2 }),
  headers: fc.dictionary(token, without(/[\0\r\n]/g), { maxKeys: 3 }),
  rawBody: fc.record({ text: body, cut: fc.constant(0) }),
  status: fc.constantFrom(0, 200, 404, 503),
  replyHeaders: fc.dictionary(token, without(/[\0\r\n]/g), { maxKeys: 3 }),
  replyBody: fc.record({ text: reply, cut: fc.constant(0) }),
  delivery: fc.constantFrom('pending', 'complete', 'aborted-by-fault', 'aborted-by-client'),
  warnings: fc.array(text(), { maxLength: 2 }),
  assumptions: fc.array(text(), { maxLength: 2 }),
  reason: fc.option(text()),
  id: fc.stringMatching(/^[\w.-]{8,100}$/),
})

/** Throws unless the text is JSON Lines with the request on the second line. */
function assertRecording(text: string, method: string): void {
  const [, second] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(second.request.method).toBe(method)
}

describe('snippets of calls from a sandbox file', () => {
  const file = createGateway().save()

  it(
    'contain only the intended literals in every format',
    async () => {
      await using server = await startServer()
      const property = fc.asyncProperty(
        fc.array(savedCall, { minLength: 1, maxLength: 10 }),
        async (calls) => {
          const opened = await server.gateway.openSandbox({ ...file, calls })
          const commands: string[] = []
          for (const [place, { id }] of opened.journal.entries().entries()) {
            const record = server.gateway.sandboxes.find(opened.id).journal.record(id)
            const wanted = expectedOf(record)
            const sandbox = { baseUrl: `${server.url}/sandboxes/${opened.id}/api/v1`, apiKey: opened.apiKey }
            for (const as of formats) {
              const response = await fetch(
                `${server.url}/__understudy/sandboxes/${opened.id}/calls/${id}/export?as=${as}`,
              )
              const { data, error } = (await response.json()) as {
                data?: { text: string }
                error?: { message: string }
              }
              if (!data) {
                expect(response.status).toBe(409)
                expect(error?.message).toMatch(/^.{5,300}$/)
                continue
              }
              if (as === 'curl') commands.push(data.text)
              else if (as === 'fixture') expect(JSON.parse(data.text)).toBeTypeOf('object')
              else if (as === 'recording') assertRecording(data.text, calls[place]?.method ?? '')
              else if (as === 'rule') {
                const { rules, ...rest } = parseYaml(data.text) as { rules: [object] }
                expect(Object.keys(rest)).toEqual(['name'])
                expect(rules).toHaveLength(1)
                const keys = Object.keys(rules[0]).filter(
                  (key) => !['name', 'on', 'when', 'reply', 'fault'].includes(key),
                )
                expect(keys).toEqual([])
              } else {
                const { url, init } = await runTest(data.text, sandbox)
                expect(url).toBe(wanted.url(sandbox.baseUrl, server.url))
                expect(init.body ?? '').toBe(wanted.body)
              }
            }
          }
          expect(curlCalls(commands)).toHaveLength(commands.length)
          opened.dispose()
        },
      )
      await fc.assert(property, { numRuns: cases(4, 100), seed: 1 })
    },
    timeoutMs,
  )

  it("do not compare numbers beyond JavaScript's range", async () => {
    const replyBody = { text: '{"error":{"code":1e999}}', cut: 0 }
    const [call] = fc.sample(savedCall, { numRuns: 1, seed: 1 })
    const plain = { method: 'GET', status: 500, replyHeaders: {}, delivery: 'complete' }
    const gateway = createGateway()
    const opened = await gateway.openSandbox({ ...file, calls: [{ ...call, ...plain, replyBody }] })
    const { journal } = gateway.sandboxes.find(opened.id)
    const code = toTest(journal.record(journal.entries()[0]?.id ?? ''), 'vitest')
    expect((await runTest(code, site)).literals).toContainEqual(['error'])
  })

  it(
    'are harmless, or the file is rejected with a one-line error, for any value in any field',
    async () => {
      const gateway = createGateway()
      const fields = Object.keys(fc.sample(savedCall, 1)[0] ?? {})
      const property = fc.asyncProperty(
        savedCall,
        fc.constantFrom(...fields),
        fc.oneof(text(), fc.dictionary(text(), text(), { minKeys: 1, maxKeys: 2 }), json),
        async (call, field, value) => {
          const opened = await gateway
            .openSandbox({ ...file, calls: [{ ...call, [field]: value }] })
            .catch((error: Error & { status?: number }) => error)
          if (opened instanceof Error) {
            expect(opened).toMatchObject({ status: 400, message: expect.stringMatching(/^[^\r\n]+$/) })
            return
          }
          const { method, operation } = opened.journal.entries()[0] ?? {}
          expect(method).toMatch(/^[\w!#$%&'*+.^`|~-]+$/)
          expect(operation ?? 'none').toMatch(/^[\w.-]+$/)
          opened.dispose()
        },
      )
      await fc.assert(property, { numRuns: cases(80, 5000), seed: 1 })
    },
    timeoutMs,
  )
})

describe('snippets of live calls', () => {
  it('quote hostile methods, paths, headers and bodies', async () => {
    const gateway = createGateway()
    await using server = await startServer({ gateway })
    const { host, port } = new URL(server.url)
    const hostile = "it's`id`$(id)$" + '{1}'
    await gateway.fetch(`https://gateway.example/api/v1/x?a=${hostile}`, {
      method: "X`id`|&'",
      headers: { authorization: 'Bearer any', 'x-own': hostile, "x-'`id`": '1' },
      body: `\x03\nid\n${hostile}`,
    })
    const head = { host, authorization: 'Bearer any', connection: 'close', 'x-own': hostile }
    const targets = [
      `/api/v1/${hostile}`,
      `/${hostile}`,
      '//evil.example/x',
      '/\\evil.example',
      `http://${host}/x`,
    ]
    for (const target of targets) await raw(Number(port), request(`GET ${target}`, head)).closed()
    const { default: sandbox } = server.gateway.sandboxes
    const records = sandbox.journal.entries().map(({ id }) => sandbox.journal.record(id))
    expect(records).toHaveLength(1 + targets.length)
    // Anything that live calls can contain is also valid in a file.
    expect((await gateway.openSandbox(gateway.save())).journal.entries()).toHaveLength(records.length)
    const calls = curlCalls(records.map((record) => toCurl(record, site)))
    expect(calls).toEqual(records.map((record) => argumentsFor(expectedOf(record))))
    for (const record of records) {
      const { url } = await runTest(toTest(record, 'vitest'), { ...site, baseUrl: server.baseUrl })
      expect(url).toBe(expectedOf(record).url(server.baseUrl, server.url))
      expect(new URL(url).host).toBe(host)
    }
  })

  it('quote the ids of custom operations, even after saving and opening the sandbox', async () => {
    const { z } = await import('zod')
    const own = defineOperation({
      id: "it's`$" + '{1}`',
      method: 'get',
      path: '/own',
      summary: 'Own',
      tag: 'Own',
      response: z.object({}),
      resolve: () => ok({}),
    })
    const gateway = createGateway({ operations: [own] })
    await gateway.fetch('https://gateway.example/api/v1/own', { headers: { authorization: 'Bearer any' } })
    const opened = await gateway.openSandbox(gateway.save())
    const [entry] = opened.journal.entries()
    expect(entry?.operation).toBe(own.id)
    const { literals } = await runTest(
      toTest(gateway.sandboxes.find(opened.id).journal.record(entry?.id ?? ''), 'vitest'),
      site,
    )
    expect(literals).toContain(own.id)
    await expect(createGateway().openSandbox(gateway.save())).rejects.toThrow('calls[0].operation')
  })
})
