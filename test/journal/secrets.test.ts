/**
 * Tests that a call's keys and passwords are hidden wherever the call is printed or leaves the process. In
 * process, tests see them as sent.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hideInQuery, hideInString, hideInText, hideInValue } from '../../src/http/secrets.ts'
import { expectSandbox, promptsText } from '../../src/index.ts'
import { judgeCalls } from '../../src/journal/expectations.ts'
import { connectGateway } from '../../src/remote.ts'
import { type RequestLine, type RunningServer, startServer } from '../../src/serve.ts'
import { requestLineText } from '../../src/server/request-line.ts'
import { call } from '../call.ts'

const secret = 'sk-hush-1234'
/** Key in a known format. */
const key = `sk-${'a1b2c3d4'.repeat(4)}`
const headers = [
  'ocp-apim-subscription-key',
  'helicone-auth',
  'x-portkey-api-key',
  'private-token',
  'x-access-token',
  'cf-access-client-secret',
  'x-amz-security-token',
  'sec-websocket-protocol',
  'proxy-authorization',
  'cookie',
  'api-key',
  'x-api-key',
  'x-goog-api-key',
  'x-auth-token',
  'x-csrf-token',
  'x-vault-token',
  'x-functions-key',
  'x-hasura-admin-secret',
] as const
const fields = [
  'apikey',
  'auth',
  'Authorization',
  'X-Amz-Signature',
  'refresh_token',
  'private_key',
  'api-key',
  'bearer',
  'credential',
  'connection_string',
  'signing_key',
  'pwd',
  'key',
  'api_key',
  'apiKey',
  'access_token',
  'token',
  'secret',
  'client_secret',
  'password',
] as const

describe('a call with secrets in headers, query and body', () => {
  let server: RunningServer
  const lines: RequestLine[] = []

  beforeAll(async () => {
    server = await startServer({ timeScale: 0, onRequest: (line) => lines.push(line) })
    server.gateway.use({
      on: 'createResponse',
      when: {
        headers: { Authorization: `Bearer ${secret}-other`, 'x-api-key': { contains: `${secret}-part` } },
        query: { api_key: { matches: `^${secret}$` } },
        body: { 'metadata.token': { equals: [secret] }, metadata: 'none' },
      },
      fault: 'status',
    })
    server.gateway.use({
      on: 'createResponse',
      when: { body: { metadata: { equals: {} } } },
      fault: { name: 'status', status: 500 },
    })
    server.gateway.use({
      on: 'createResponse',
      times: 1,
      reply: { status: 200, headers: { 'set-cookie': `id=${secret}` }, body: { access_token: secret } },
    })
    const named = Object.fromEntries(fields.map((name) => [name, secret]))
    const query = new URLSearchParams({ ...named, limit: '7' })
    const target = { baseUrl: server.baseUrl, apiKey: secret }
    await call(target, `POST /responses?${query}`, {
      headers: Object.fromEntries(headers.map((name) => [name, secret])),
      body: {
        model: 'aurora/dawn-2',
        input: 'Hello?',
        max_output_tokens: 50,
        metadata: {
          ...named,
          deep: [{ password: { salt: secret } }],
          prompt_key: 'kept',
          next_page_token: 'kept',
        },
      },
    })
    await call(target, `POST /responses?key=${secret}`, {
      headers: { 'content-type': null, 'x-api-key': secret },
      body: { model: 'aurora/dawn-2', input: 'Hello?', metadata: named },
    })
  })
  afterAll(() => server.close())

  it('stays readable in process, for matchers', () => {
    const [entry] = server.gateway.journal.calls('createResponse', {
      headers: { 'x-goog-api-key': secret },
      query: { apiKey: secret },
    })
    expect(entry?.headers['authorization']).toBe(`Bearer ${secret}`)
    expect(entry?.body).toMatchObject({ metadata: { client_secret: secret } })
    expect(entry?.responseHeaders['set-cookie']).toContain(secret)
  })

  it('exposes no secrets in HTTP replies, HAR, explanations and the log', async () => {
    const { journal } = server.gateway
    const remote = await connectGateway(server.url)
    const ids = journal.entries().map(({ id }) => id)
    const printed = JSON.stringify([
      await remote.journal.entries(),
      await remote.journal.calls('createResponse', { headers: { 'x-api-key': secret } }),
      await remote.journal.waitFor('createResponse'),
      await remote.journal.nearMisses(),
      await Promise.all(ids.map((id) => remote.journal.explain(id))),
      await remote.journal.har(),
      journal.har(),
      ids.map((id) => journal.explain(id)),
      lines,
      lines.map(requestLineText),
    ])
    expect(printed).not.toContain(secret)
    for (const kept of [
      'max_output_tokens',
      '"prompt_key":"kept"',
      '"next_page_token":"kept"',
      'limit=7',
      '"content-type":"application/json"',
    ]) {
      expect(printed).toContain(kept)
    }
    expect((await remote.journal.entries())[0]).toMatchObject({
      headers: { authorization: '(hidden)', cookie: '(hidden)' },
      query: { api_key: '(hidden)', limit: '7' },
      body: { max_output_tokens: 50, metadata: { key: '(hidden)', deep: [{ password: '(hidden)' }] } },
      responseHeaders: { 'set-cookie': '(hidden)' },
      responseBody: { text: '{"access_token":"(hidden)"}' },
    })
  })

  it('is matched by its real values, but failure messages hide them', () => {
    const match = { headers: { authorization: 'Bearer another', 'x-api-key': secret }, body: { n: 1 } }
    const wanted = { operation: 'createResponse', match }
    const verdict = judgeCalls({ entries: server.gateway.journal.entries(), stray: [] }, wanted)
    expect(verdict).toMatchObject({
      pass: false,
      actual: { headers: { authorization: '(hidden)', 'x-api-key': '(hidden) 2' } },
      expected: { headers: { authorization: '(hidden) 3', 'x-api-key': '(hidden) 2' } },
    })
    expect(JSON.stringify(verdict)).not.toContain(secret)
  })
})

function messageOf(assert: () => void): string {
  try {
    return `passed: ${assert()}`
  } catch (error) {
    return String(error)
  }
}

describe('a call with secrets inside longer strings', () => {
  const tools = [
    { type: 'mcp', server_label: 'x', authorization: secret, headers: { Authorization: `Bearer ${secret}` } },
  ]
  const readable = {
    max_tokens: 5,
    token_count: 6,
    prompt_tokens: 7,
    author: 'Ada',
    tokenizer: 'bpe',
    session_id: 's1',
    signature: 'signed',
    sort_key: 'name',
  }
  const input = [
    `Use ${key}, please`,
    JSON.stringify({ api_key: secret }),
    `Get https://files.example/a?sig=${secret}&n=1 or https://ada:${secret}@files.example/`,
    `authorization: Bearer ${secret}`,
  ].join(' ')

  it('exposes no secrets in HAR, the remote journal, the log, snippets and explanations', async () => {
    const lines: RequestLine[] = []
    await using server = await startServer({ timeScale: 0, onRequest: (line) => lines.push(line) })
    const body = { model: `x/${key}`, input, tools, metadata: readable }
    await call(server, `POST /responses?q=${key}`, { headers: { 'x-note': key }, body })
    await call(server, `GET /presets/${key}`)
    server.gateway.script([{ expect: { input: 'Hi' }, text: 'Hello' }])
    const refused = [await call(server, 'POST /responses', { body }), await call(server, `GET /a/${key}`)]
    const remote = await connectGateway(server.url)
    const { journal } = server.gateway
    const asserts = expectSandbox(server.gateway)
    await expect.poll(() => lines.length).toBeGreaterThan(3)
    const entries = await remote.journal.entries()
    const snippets = entries.flatMap(({ id }) =>
      ['curl', 'vitest', 'playwright'].map((as) =>
        fetch(`${server.url}/__understudy/sandboxes/default/calls/${id}/export?as=${as}`).then((each) =>
          each.text(),
        ),
      ),
    )
    const printed = [
      JSON.stringify(journal.har()),
      JSON.stringify(entries),
      JSON.stringify(lines),
      ...(await Promise.all(snippets)),
      ...journal.entries().map((entry) => journal.explain(entry)),
      judgeCalls({ entries: journal.entries(), stray: [] }, { operation: 'listProviders' }).message,
      JSON.stringify([await remote.usage(), refused]),
      promptsText(journal.entries()),
      ...[asserts.toHaveNoUnmatchedRequests, asserts.toHaveFinishedScript].map(messageOf),
    ]
    for (const text of printed) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(key)
    }
    expect(entries[0]?.body).toMatchObject({ metadata: readable, tools: [{ authorization: '(hidden)' }] })
  })

  it('hides a key that is split across the deltas of a stream', async () => {
    await using server = await startServer({ timeScale: 0 })
    server.gateway.script([{ text: `Use ${key}.` }])
    await call(server, 'POST /responses', { body: { model: 'aurora/dawn-2', stream: true, input: 'Hi' } })
    const deltasOf = (stream = '') =>
      [...stream.matchAll(/"delta":"([^"]+)"/g)].map(([, delta]) => delta).join('')
    expect(deltasOf(server.gateway.journal.entries()[0]?.responseBody.text)).toContain(key)
    const { journal } = await connectGateway(server.url)
    const [entry] = await journal.entries()
    expect(deltasOf(entry?.responseBody.text)).toMatch(/^Use (\(hidden\)){2,}\./)
    const har = JSON.parse(JSON.stringify(await journal.har()))
    expect(deltasOf(har.log.entries[0].response.content.text)).not.toContain(key)
  })
})

describe('hideInText()', () => {
  it('hides secrets in JSON, truncated JSON and event streams', () => {
    expect(hideInText('{"a": 1, "password" : "hun')).toBe('{"a": 1, "password" : "(hidden)')
    expect(hideInText('data: {"api_key":"12","n":1}\n\n')).toBe('data: {"api_key":"(hidden)","n":1}\n\n')
    const chunk = (text: string) => `data: {"choices":[{"delta":{"content":"${text}"}}]}\n\n`
    expect(hideInText(chunk(key.slice(0, 9)) + chunk(key.slice(9)))).toBe(chunk('(hidden)').repeat(2))
    expect(hideInText('{ "\\u006bey": "s", "k": 1 }')).toBe('{"key":"(hidden)","k":1}')
    expect(hideInText('{ "k": 1.0 }')).toBe('{ "k": 1.0 }')
    expect(hideInText('<k>API_KEY=a1b2c3d4e5</k>')).toBe('<k>API_KEY=(hidden)</k>')
    expect(hideInText('use Basic YWRhOjZiRXJIT0do')).toBe('use Basic (hidden)')
    expect(hideInString('"-----BEGIN PRIVATE KEY-----\\nMII"')).toMatch(/---\(hidden\)"$/)
    expect(hideInQuery('?api%5Fkey=s&n=1&token')).toBe('?api%5Fkey=(hidden)&n=1&token=(hidden)')
  })

  it('hides the same secrets in JSON text as hideInValue() does in the parsed value', () => {
    const name = fc.oneof(fc.constantFrom(...fields), fc.string())
    const { json } = fc.letrec<{ json: unknown }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<unknown>(null, true, 1.5, ''),
        fc.string(),
        fc.array(tie('json'), { maxLength: 4 }),
        fc.dictionary(name, tie('json'), { maxKeys: 4 }),
      ),
    }))
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 2), (value, space) => {
        const text = JSON.stringify(value, null, space)
        expect(JSON.parse(hideInText(text))).toEqual(hideInValue(JSON.parse(text)))
      }),
      { numRuns: 300 },
    )
  })
})

describe('redaction of 9 MB of text', () => {
  const long = 'a1'.repeat(4.5e6)
  it.each([
    ['an API key', `a/sk-${long}`, 'a/(hidden)'],
    ['a bearer token', `Bearer ${long} x`, 'Bearer (hidden) x'],
    ['a password in JSON', `{"password":"${long} ${long}","a":1}`, '{"password":"(hidden)","a":1}'],
    ['a header in HAR', `"name":"cookie","value":"${long}"`, '"name":"cookie","value":"(hidden)"'],
  ])('handles %s', (_, text, shown) => {
    expect(hideInString(text)).toBe(shown)
  })

  it.each([0, 1, 16_380, 100_000, 245_750, 245_760, 262_130, 262_144, 600_000])(
    'hides a key at position %i once',
    (position) => {
      const before = 'x '.repeat(position).slice(0, position)
      const text = `${before} ${key} ${'y '.repeat(300_000)}`
      expect(hideInString(text) === text.replace(key, '(hidden)')).toBe(true)
    },
  )
})
