/**
 * Copied calls: the snippets of any call, also of a hostile one, are the intended literals and nothing else.
 */
import fc from 'fast-check'
import { load as parseYaml } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { toCurl, toTest } from '../../src/control/entry-code.ts'
import { hideInQuery, hideInText, isSecretName } from '../../src/http/secrets.ts'
import { createGateway, defineOperation, ok } from '../../src/index.ts'
import type { CallRecord } from '../../src/journal/call-record.ts'
import { startServer } from '../../src/serve.ts'
import { raw, request } from '../server/raw.ts'
import { cases } from '../whole.ts'
import { curlCalls, runTest } from './snippets.ts'

const site = { baseUrl: 'https://gateway.example/api/v1', origin: 'https://gateway.example', apiKey: "a'key" }
const ofExtras = createGateway().extras.flatMap((extra) => Object.keys(extra.exports ?? {}))
const formats = ['curl', 'vitest', 'playwright', ...ofExtras]

/** What ends a literal, a line, a comment or a paste somewhere, and what hides it. */
const fragments = [
  ...'\'"`$\\;&|!#%*?~<>(){}[] \t\n\r\0\x03\x04\x15\x1b\x7f\x85',
  ...[
    '${',
    '$(',
    "$'",
    "'\\''",
    '\\x27',
    '`id`',
    '$(touch /tmp/x)',
    '$' + '{process.exit(9)}',
    '!!',
    '*/',
    '/*',
    '//',
  ],
  ...[
    '</script>',
    '<!--',
    '-->',
    '\x1b[201~',
    '\r\n',
    '\u2028',
    '\u2029',
    '\u202e',
    '\u2066',
    '\u200b',
    '\ufeff',
  ],
  ...[
    '\ud800',
    '\udfff',
    '\u{e0041}',
    '🌊',
    'é',
    '日',
    '%00',
    '%0a',
    '__proto__',
    'constructor',
    '- ',
    ': ',
    '|-',
  ],
  ...[
    '{{now}}',
    '@',
    '-o',
    '--',
    '..',
    '/../',
    'x',
    'rm -rf ~',
    'import',
    '\n---\n',
    'true',
    'null',
    '0x1F',
    '1e999',
  ],
]
const text = (fragment = fc.constantFrom(...fragments)) =>
  fc.oneof(
    fc.array(fragment, { maxLength: 8 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 20 }),
  )
const without = (refused: RegExp) =>
  text(fc.constantFrom(...fragments.map((part) => part.replace(refused, '')))).map((each) =>
    each.replace(refused, ''),
  )

const token = fc
  .array(fc.constantFrom(..."!#$%&'*+.^_`|~-", '`id`', 'GET', 'X', '__proto__'), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(''))
const json = fc.jsonValue({ maxDepth: 2, stringUnit: fc.constantFrom(...fragments) as never })
const body = fc.oneof(
  text(),
  fc.json({ maxDepth: 3 }),
  json.map((value) => JSON.stringify(value)),
  json.map((value) => JSON.stringify(value, null, 2)),
  fc.constantFrom('{"__proto__":{"a":1},"b":["</script>"]}', '{"b":["\\u2028</script>"]}'),
  text().map((each) => JSON.stringify({ data: { [each]: each }, error: { code: -7, message: each } })),
)
const reply = fc.oneof(
  body,
  text().map((each) => `data: x\n\nevent: ${each}\ndata: y\n\n`),
)
const path = without(/[\p{Cc} ]/gu)

/** Headers that a snippet repeats: those of one connection are not among them. */
const repeated = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).filter(
    ([name]) => /^(?!host$|connection$)[\w!#$%&'*+.^`|~-]+$/.test(name) && !isSecretName(name),
  )

interface Expected {
  isStream: boolean
  method: string
  url: (base: string, origin: string) => string
  headers: [string, string][]
  body: string
}

function expectedOf(record: CallRecord): Expected {
  const { method, path: given, route, search, headers, requestBody, asksForStream } = record
  const target = given.startsWith('/') ? given : `/${given.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*\/?/i, '')}`
  return {
    isStream: asksForStream,
    method,
    url: (base, origin) => (route === undefined ? origin + target : base + route) + hideInQuery(search),
    headers: repeated(headers),
    body: hideInText(requestBody.text),
  }
}

/** Arguments of curl for a call. */
function argumentsFor({ isStream, method, url, headers, body: sent }: Expected): string[] {
  const { baseUrl, origin, apiKey } = site
  return [
    ...(/[[\]{}]/.test(url('', '')) ? ['-g'] : []),
    ...(isStream ? ['-N'] : []),
    ...(method === 'GET' ? [] : ['-X', method]),
    url(baseUrl, origin),
    ...[`authorization: Bearer ${apiKey}`, ...headers.map(headerArgument)].flatMap((each) => ['-H', each]),
    ...(sent === '' ? [] : ['--data-raw', sent]),
    // As UTF-8 has them.
  ].map((each) => each.toWellFormed())
}

/** As curl wants a header without a value. */
const headerArgument = ([name, value]: [string, string]) => (value === '' ? `${name};` : `${name}: ${value}`)

/** Whole, the properties take minutes. */
const timeoutMs = cases(15_000, 600_000)

/** Any call, also one that no transport and no file could bring. */
const anyRecord = fc
  .record({
    method: fc.oneof(token, text(), fc.constantFrom('GET', 'POST')),
    path: fc.oneof(
      text(),
      path.map((each) => `/${each}`),
      fc.constantFrom('//evil.example/x', '/\\evil.example', '@evil.example/', 'http://evil.example/x', '*'),
    ),
    route: fc.option(
      text().map((each) => `/${each}`),
      { nil: undefined },
    ),
    search: fc.oneof(
      text().map((each) => `?${each}`),
      fc.constantFrom('', '?api_key=abc&a={b,c}[1-9]'),
    ),
    operation: fc.option(
      text().filter((each) => each !== ''),
      { nil: undefined },
    ),
    headers: fc.dictionary(fc.oneof(token, text(), fc.constant('__proto__')), text(), { maxKeys: 3 }),
    requestBody: body.map((each) => ({ text: each, cut: 0 })),
    replyBody: reply.map((each) => ({ text: each, cut: 0 })),
    replyHeaders: fc.record({ 'content-type': fc.oneof(text(), fc.constant('text/event-stream')) }),
    status: fc.constantFrom(0, 200, 404, 500),
    delivery: fc.constantFrom('pending', 'complete', 'cut', 'client-left'),
    asksForStream: fc.boolean(),
    match: fc.option(
      fc.record({
        scenario: text(),
        rule: fc.nat(),
        effect: fc.record({
          faults: fc.array(fc.record({ name: text(), message: text() }), { maxLength: 2 }),
          reply: fc.option(fc.record({ text: text(), body: json, headers: fc.dictionary(text(), text()) }), {
            nil: undefined,
          }),
        }),
      }),
      { nil: undefined },
    ),
  })
  .map((record) => record as unknown as CallRecord)

describe('snippets of any call', () => {
  const sandbox = { baseUrl: 'https://gateway.example/sandboxes/s1/api/v1', apiKey: 'a`key' }

  it(
    'are one call of curl with the intended words',
    () => {
      const property = fc.property(fc.array(anyRecord, { minLength: 1, maxLength: 40 }), (records) => {
        const wanted: string[][] = []
        const commands: string[] = []
        for (const record of records) {
          const words = argumentsFor(expectedOf(record))
          if (words.some((word) => word.includes('\0'))) {
            expect(() => toCurl(record, site)).toThrow('NUL')
            continue
          }
          wanted.push(words)
          const command = toCurl(record, site)
          // A pasted control character acts on the terminal, not on the shell: it can end the command.
          expect(command.replaceAll(' \\\n  ', '').trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
          commands.push(command)
        }
        expect(curlCalls(commands)).toEqual(wanted)
        // A shell without $'…' reads other words, and as many.
        expect(curlCalls(commands, 'sh').map(({ length }) => length)).toEqual(
          wanted.map(({ length }) => length),
        )
      })
      fc.assert(property, { numRuns: cases(8, 250), seed: 1 })
    },
    timeoutMs,
  )

  it(
    'are tests of one call with the intended literals',
    async () => {
      const property = fc.asyncProperty(
        anyRecord,
        fc.constantFrom('vitest', 'playwright'),
        async (record, runner) => {
          const code = toTest(record, runner)
          expect(code).not.toMatch(/<\/script|(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
          const { url, init, rule, title, literals } = await runTest(code, sandbox)
          const wanted = expectedOf(record)
          expect(url).toBe(wanted.url(sandbox.baseUrl, 'https://gateway.example'))
          expect(init.method ?? 'GET').toBe(wanted.method)
          expect(Object.entries(init.headers).sort()).toEqual(
            [['authorization', `Bearer ${sandbox.apiKey}`], ...wanted.headers].sort(),
          )
          expect(init.body ?? '').toBe(wanted.body)
          expect(title).toContain(record.method)
          const { operation, match } = record
          if (match) {
            const { faults, reply: scripted } = match.effect
            expect(rule).toMatchObject({
              on: operation ?? (record.route === undefined ? '*' : expect.any(String)),
            })
            expect(JSON.stringify(rule)).toContain(JSON.stringify(scripted ?? faults).slice(1, -1))
          } else expect(rule).toBeUndefined()
          if (operation !== undefined) expect(literals).toContain(operation)
        },
      )
      await fc.assert(property, { numRuns: cases(200, 5000), seed: 1 })
    },
    timeoutMs,
  )
})

/** A call of a file that is accepted. */
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
  delivery: fc.constantFrom('pending', 'complete', 'cut', 'client-left'),
  warnings: fc.array(text(), { maxLength: 2 }),
  assumptions: fc.array(text(), { maxLength: 2 }),
  reason: fc.option(text()),
  id: fc.stringMatching(/^[\w.-]{8,100}$/),
})

/** Lines of JSON, the second with the request. */
function assertTape(text: string, method: string): void {
  const [, second] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(second.request.method).toBe(method)
}

describe('snippets of a sandbox file', () => {
  const file = createGateway().save()

  it(
    'are the intended literals in every form',
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
              else if (as === 'tape') assertTape(data.text, calls[place]?.method ?? '')
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

  it('have no names for numbers beyond those of JavaScript', async () => {
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
    'do not arise from a file with any string in any field: it is refused in one line, or harmless',
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
      await fc.assert(property, { numRuns: cases(300, 5000), seed: 1 })
    },
    timeoutMs,
  )
})

describe('snippets of live calls', () => {
  it('quote hostile methods, paths, headers and bodies of clients', async () => {
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
    // What a live call may hold, a file may hold.
    expect((await gateway.openSandbox(gateway.save())).journal.entries()).toHaveLength(records.length)
    const calls = curlCalls(records.map((record) => toCurl(record, site)))
    expect(calls).toEqual(records.map((record) => argumentsFor(expectedOf(record))))
    for (const record of records) {
      const { url } = await runTest(toTest(record, 'vitest'), { ...site, baseUrl: server.baseUrl })
      expect(url).toBe(expectedOf(record).url(server.baseUrl, server.url))
      expect(new URL(url).host).toBe(host)
    }
  })

  it('quote the ids of custom operations, whose sandboxes are saved and opened again', async () => {
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
