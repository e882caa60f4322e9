/** Tests behaviour common to all operations: authentication, routing, bodies and replies. */
import { describe, expect, it } from 'vitest'
import { describeAdapters } from '../describe-adapters.ts'
import { hasExtra } from '../has-extra.ts'
import { isOnlySpecified } from '../only-specified.ts'

const calls = [
  ['GET /providers', undefined],
  ['PATCH /workspaces/production', { name: 'x' }],
  ['GET /embeddings/models', undefined],
  ['GET /benchmarks', undefined],
  ['GET /presets/code-review', undefined],
  ['POST /responses', { model: 'aurora/dawn-2', input: 'Hello' }],
  ['POST /responses', { model: 'aurora/dawn-2', input: 'Hello', stream: true }],
] as const

const withBody = calls.filter(([, body]) => body !== undefined)

describeAdapters('every operation', (entrance) => {
  const { call } = entrance

  describe('authentication', () => {
    it.each(calls)('%s responds with 401 without a key', async (line, body) => {
      const answer = await call(line, { body, headers: { authorization: null } })
      expect(answer.status).toBe(401)
      expect(answer.body).toEqual({ error: { code: 401, message: 'Missing Authentication header' } })
      expect(answer.headers.get('content-type')).toBe('application/json')
      expect(answer.headers.get('x-understudy-assumptions')).toContain('authentication')
    })

    it.each(['Bearer', 'Bearer ', 'Basic abc', 'sk-key', 'Bearer a b', 'Bearersk'])(
      'responds with 401 to the malformed header %j',
      async (authorization) => {
        expect((await call('GET /providers', { headers: { authorization } })).status).toBe(401)
      },
    )

    it('ignores the case of the scheme', async () => {
      expect((await call('GET /providers', { headers: { authorization: 'bearer sk' } })).status).toBe(200)
    })
  })

  describe('paths and methods', () => {
    it.each([
      ['POST /providers', 'GET, HEAD'],
      isOnlySpecified || !hasExtra('management')
        ? ['DELETE /workspaces/production', 'PATCH']
        : ['PUT /workspaces/production', 'PATCH, GET, DELETE, HEAD'],
      ['GET /responses', 'POST'],
      ['PUT /presets/code-review', 'GET, HEAD'],
    ] as const)('%s responds with 405 and Allow: %s', async (line, allow) => {
      const { status, headers, body } = await call(line)
      expect(status).toBe(405)
      expect(headers.get('allow')).toBe(allow)
      expect(body.error.code).toBe(405)
    })

    it.each(['GET /presets/', 'PATCH /workspaces/'] as const)(
      '%s responds with 400 because a path parameter is empty',
      async (line) => {
        const { status, body } = await call(line, line.startsWith('PATCH') ? { body: {} } : {})
        expect(status).toBe(400)
        expect(body.error.metadata.violations[0].path).toMatch(/^params\./)
      },
    )

    it('require a key only for known paths', async () => {
      expect((await call('GET /nothing', { headers: { authorization: null } })).status).toBe(404)
    })

    it('treat HEAD like GET, but without a body', async () => {
      const { status, headers, text } = await call('HEAD /providers')
      expect(status).toBe(200)
      expect(headers.get('content-type')).toBe('application/json')
      expect(text).toBe('')
    })
  })

  describe('bodies', () => {
    it.each(withBody)('%s responds with 400 to malformed JSON', async (line) => {
      const { status, headers, body } = await call(line, { body: '{"name": ' })
      expect(status).toBe(400)
      expect(body.error.metadata.violations[0]).toMatchObject({ path: 'body', rule: 'json' })
      expect(headers.get('x-understudy-assumptions')).toContain('requestBody')
    })

    it.each([
      ['content-type', 'text/plain', ''],
      ['content-type', 'application/x-www-form-urlencoded', ''],
      ['content-type', 'multipart/form-data; boundary=x', ''],
      ['content-encoding', 'gzip', "'gzip'"],
      ['content-encoding', 'GZIP', "'gzip'"],
    ])('are rejected with 415 with %s: %s', async (name, value, message) => {
      const options = { body: '{"name":"x"}', headers: { [name]: value } }
      const { status, body } = await call('PATCH /workspaces/staging', options)
      expect([status, body.error.code]).toEqual([415, 415])
      expect(body.error.message).toContain(message)
    })

    it.each([
      ['without a content type', 200, [0x7b, 0x7d]],
      ['with invalid UTF-8', 400, [0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]],
      ['with a byte order mark', 200, [0xef, 0xbb, 0xbf, 0x7b, 0x7d]],
    ])('are parsed as UTF-8 and JSON: %s, the status is %i', async (_, status, bytes) => {
      const { baseUrl, fetch, sandbox } = entrance
      const answer = await fetch(`${baseUrl}/workspaces/staging`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${sandbox.apiKey}` },
        body: new Uint8Array(bytes),
      })
      expect(answer.status).toBe(status)
    })

    it('may be nested up to 500 levels deep', async () => {
      const nested = (levels: number) => `{"x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
      expect((await call('PATCH /workspaces/staging', { body: nested(500) })).status).toBe(200)
      for (const levels of [501, 100_000]) {
        const { status, body } = await call('PATCH /workspaces/staging', { body: nested(levels) })
        expect(status).toBe(400)
        expect(body.error.metadata.violations[0].message).toBe('Nested deeper than 500 levels')
      }
    })
  })

  describe('replies', () => {
    it('have unique, deterministic request ids', async () => {
      const first = (await call('GET /providers')).headers.get('x-request-id')
      const second = (await call('GET /providers')).headers.get('x-request-id')
      entrance.sandbox.reset()
      const again = (await call('GET /providers')).headers.get('x-request-id')
      expect(first).toMatch(/^req_[0-9a-f]{16}$/)
      expect(second).not.toBe(first)
      expect(again).toBe(first)
    })

    it('are recorded in the journal with their request id, including rejections', async () => {
      const { headers } = await call('PATCH /workspaces/staging', { body: { name: 7 } })
      const entry = entrance.sandbox.journal.last('updateWorkspace')
      expect(entry).toMatchObject({
        id: headers.get('x-request-id'),
        operation: 'updateWorkspace',
        method: 'PATCH',
        params: { id: 'staging' },
        body: { name: 7 },
        status: 400,
        delivery: 'complete',
      })
    })

    it('can be modified without changing the database', async () => {
      const { data } = (await call('GET /providers')).body
      data[0].name = 'Changed'
      const records = await entrance.sandbox.db.providers.list()
      if (records[0]) records[0].name = 'Changed'
      expect((await call('GET /providers')).body.data[0].name).toBe('Aurora')
    })
  })
})

describeAdapters(
  'a gateway with `limits.requestBodyBytes`',
  { limits: { requestBodyBytes: 100 } },
  ({ call }) => {
    it('accepts a body of exactly this length, and responds with 413 to a longer one', async () => {
      const fit = JSON.stringify({ name: 'x', padding: 'x'.repeat(75) })
      expect(fit).toHaveLength(100)
      expect((await call('PATCH /workspaces/staging', { body: fit })).status).toBe(200)
      const { status, body } = await call('PATCH /workspaces/staging', { body: `${fit} ` })
      expect(status).toBe(413)
      expect(body.error.code).toBe(413)
    })
  },
)
