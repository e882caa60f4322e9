/** Tests the 404 message for an unknown path, and other places that report why a request was rejected. */
import { describe, expect, it, vi } from 'vitest'
import * as zod from 'zod'
import { createGateway, defineOperation, type GatewayOptions, ok } from '../../src/index.ts'
import { journalText } from '../../src/journal/journal-text.ts'
import { connectGateway } from '../../src/remote.ts'
import { startServer } from '../../src/serve.ts'
import { type RequestLine, requestLineText } from '../../src/server/request-line.ts'
import { call, open } from '../call.ts'
import { hasExtra } from '../has-extra.ts'

/** Returns the error message for a request such as `GET /api/v1/provider`. */
async function refusalOf(line: string, options: GatewayOptions = {}): Promise<string> {
  const target = { fetch: createGateway(options).fetch, baseUrl: 'https://gateway.example' }
  const { status, body } = await call(target, line)
  expect(status).toBe(404)
  return body.error.message
}

describe('the 404 for an unknown path', () => {
  it.each([
    ['GET', 'GET'],
    ['PUT', 'PUT'],
    ['POST', 'PUT'],
  ])('suggests for %s the operation with this method, or the nearest one', async (method, suggested) => {
    const operations = (['get', 'put'] as const).map((each) =>
      defineOperation({
        id: `${each}Report`,
        method: each,
        path: '/reports/{id}',
        output: zod.object({}),
        resolve: () => ok({}),
      }),
    )
    expect(await refusalOf(`${method} /api/v1/report/7`, { operations })).toContain(
      `no operation handles ${method} /report/7. Did you mean ${suggested} /reports/7?`,
    )
  })

  it.each([
    ['GET /api/v1/provider', 'GET /provider. Did you mean GET /providers?'],
    ['GET /api/v1/benchmarks/', 'GET /benchmarks/. Did you mean GET /benchmarks?'],
    ['GET /api/v1/presets/code-review/', 'GET /presets/code-review/. Did you mean GET /presets/code-review?'],
    [`GET /api/v1/${'a'.repeat(300)}`, `GET /${'a'.repeat(199)}…`],
    [
      'POST /api/v1/api/v1/responses',
      'POST /api/v1/responses, because the base URL already ends in /v1: omit /api/v1. Did you mean POST /responses?',
    ],
    [
      'POST /api/v1/v1/responses',
      'POST /v1/responses, because the base URL already ends in /v1: omit /v1. Did you mean POST /responses?',
    ],
    ['POST /v1/response', 'POST /response. Did you mean POST /responses?'],
    [
      'POST /responses',
      'POST /responses, because paths start with /api/v1/ or /v1/. Did you mean POST /api/v1/responses?',
    ],
    [
      'GET /api/v1/files',
      "GET /files. A rule can handle it, for example { on: 'GET /files', reply: { body: {} } }",
    ],
    [
      'PATCH /api/v1/workspace/9f9b5e0c-87b5-4a0e-a2a4-5c2f4d4e1c11',
      'PATCH /workspace/9f9b5e0c-87b5-4a0e-a2a4-5c2f4d4e1c11. Did you mean PATCH /workspaces/9f9b5e0c-87b5-4a0e-a2a4-5c2f4d4e1c11?',
    ],
    // Not a misspelling of `/workspaces/{id}`, although the long last segment makes the paths similar.
    [
      'POST /api/v1/responses/input_tokens',
      "POST /responses/input_tokens. A rule can handle it, for example { on: 'POST /responses/input_tokens', reply: { body: {} } }",
    ],
    // Too far from `GET /generation` for another method.
    [
      'POST /api/v1/moderations',
      "POST /moderations. A rule can handle it, for example { on: 'POST /moderations', reply: { body: {} } }",
    ],
    ['GET /', 'GET /, because paths start with /api/v1/ or /v1/'],
  ])('gives the reason and, if possible, a suggestion for %s', async (line, message) => {
    expect(await refusalOf(line)).toBe(`Resource not found: no operation handles ${message}`)
  })

  it('contains a rule that works when pasted', async () => {
    const [, rule] = /for example (\{.*\})$/.exec(await refusalOf('GET /api/v1/files')) ?? []
    const gateway = createGateway()
    gateway.use(new Function(`return ${rule}`)())
    expect((await open(gateway, 'GET /files')).status).toBe(200)
  })

  it.each([
    [200, true],
    [201, false],
  ])('suggests a rule for a path of %i characters: %s', async (length, isSuggested) => {
    const message = await refusalOf(`GET /api/v1/${'a'.repeat(length - 1)}`)
    expect(message).toContain(`no operation handles GET /${'a'.repeat(199)}`)
    expect(message.includes('A rule can handle it')).toBe(isSuggested)
  })

  it.each(['GET /presets/50%', 'POST /presets/%zz', 'GET /%ff'])(
    'is a 400 if the path has invalid percent-encoding: %s',
    async (line) => {
      const gateway = createGateway()
      const { status, body } = await call(gateway, line)
      expect([status, body.error.message]).toEqual([
        400,
        'path: has invalid percent-encoding: write a percent sign as %25',
      ])
      await using server = await startServer()
      const control = { baseUrl: `${server.url}/__understudy` }
      expect((await call(control, line.replace(/^\w+/, 'GET'))).status).toBe(400)
    },
  )

  it.runIf(hasExtra('chat'))('suggests operations outside the specification', async () => {
    const message = await refusalOf('POST /api/v1/chat/completion')
    expect(message).toContain('Did you mean POST /chat/completions?')
  })

  it('stays short for a path of 5,000 characters', async () => {
    expect((await refusalOf(`GET /api/v1/${'x'.repeat(5000)}`)).length).toBeLessThan(400)
  })
})

describe('the reason for a rejection', () => {
  it('appears in the server log, journal text, journal entry and explanation', async () => {
    const lines: RequestLine[] = []
    await using server = await startServer({ onRequest: (line) => lines.push(line) })
    const { body } = await call(server, 'POST /responses', { body: { model: '', input: 'Hi' } })
    const { message } = body.error
    expect(message).toMatch(/^model: /)

    await vi.waitFor(() => expect(lines).toHaveLength(1))
    expect(requestLineText(lines[0] as RequestLine)).toMatch(/^POST \/api\/v1\/responses 400 [\d.]+ ms: /)
    expect(requestLineText(lines[0] as RequestLine)).toContain(message)
    const { journal } = await connectGateway(server.url)
    const entries = await journal.entries()
    expect(entries.map((entry) => entry.error)).toEqual([message])
    expect(journalText('The sandbox', entries)).toMatch(/\(createResponse\): 400, \d+ ms\n {5}model: /)
    expect(await journal.explain(entries[0] as never)).toContain(`Rejected: ${message}`)
  })

  it("contains a fault's error message, in every protocol", async () => {
    const gateway = createGateway()
    gateway.fail(529)
    const init = { method: 'POST', headers: { 'x-api-key': 'any' }, body: '{}' }
    await gateway.fetch('https://gateway.example/api/v1/messages', init)
    await gateway.fetch('https://gateway.example/api/v1/providers')
    expect(gateway.journal.entries().map(({ error }) => error)).toEqual([
      'Provider overloaded',
      'Provider overloaded',
    ])
  })
})
