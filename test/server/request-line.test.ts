import { expect, it, onTestFinished, vi } from 'vitest'
import { startServer } from '../../src/serve.ts'
import { type RequestLine, requestLineText } from '../../src/server/request-line.ts'
import { call } from '../call.ts'
import { hasExtra } from '../has-extra.ts'

const line: RequestLine = {
  method: 'GET',
  path: '/api/v1/providers',
  status: 200,
  durationMs: 12.4,
  rule: undefined,
  reason: undefined,
  delivery: 'complete',
}

it.each([
  [{}, 'GET /api/v1/providers 200 12 ms'],
  [{ durationMs: 0.04 }, 'GET /api/v1/providers 200 0.0 ms'],
  [{ durationMs: 9.94 }, 'GET /api/v1/providers 200 9.9 ms'],
  [{ durationMs: 10 }, 'GET /api/v1/providers 200 10 ms'],
  [{ durationMs: 10.5 }, 'GET /api/v1/providers 200 11 ms'],
  [{ status: 0 }, 'GET /api/v1/providers no response 12 ms'],
  [{ rule: 'flaky#1', status: 503 }, 'GET /api/v1/providers 503 12 ms flaky#1'],
  [
    { delivery: 'aborted-by-fault', rule: 'flaky#1' },
    'GET /api/v1/providers 200 12 ms flaky#1 aborted-by-fault',
  ],
  [{ delivery: 'aborted-by-client' }, 'GET /api/v1/providers 200 12 ms aborted-by-client'],
  [{ status: 400, reason: 'model:\n  must\tbe' }, 'GET /api/v1/providers 400 12 ms: model: must be'],
] satisfies [Partial<RequestLine>, string][])('requestLineText() formats %j', (more, text) => {
  expect(requestLineText({ ...line, ...more })).toBe(text)
})

it("onRequest reports each request's status, rule and reason, and redacts secrets in the query", async () => {
  const lines: RequestLine[] = []
  await using server = await startServer({ onRequest: (line) => lines.push(line) })
  const logged = async (path: string) => {
    await call({ baseUrl: server.url }, `GET ${path}`)
    await expect.poll(() => lines.length).toBe(1)
    const { durationMs, ...rest } = lines.pop() as RequestLine
    expect(durationMs).toBeGreaterThan(0)
    expect(durationMs).toBeLessThan(30_000)
    return rest
  }
  const { durationMs, ...usual } = line
  expect(await logged('/api/v1/providers')).toEqual(usual)
  expect(await logged('/api/v1/providers?api_key=abc&a=1')).toMatchObject({
    path: expect.stringMatching(/^\/api\/v1\/providers\?api_key=[^a]+&a=1$/),
  })
  expect(await logged('/api/v1/providers?api%5Fkey=abc')).toMatchObject({
    path: '/api/v1/providers?api%5Fkey=(hidden)',
  })
  const documents = hasExtra('exports') ? ['/openapi.json'] : []
  for (const path of [...documents, '/__understudy/sandboxes'])
    expect(await logged(path)).toEqual({ ...usual, path })
  expect(await logged('/api/v1/presets/none')).toEqual({
    ...usual,
    path: '/api/v1/presets/none',
    status: 404,
    reason: expect.stringContaining("no preset has the slug 'none'"),
  })
  server.gateway.use({ name: 'down', rules: [{ on: '*', fault: { name: 'status', status: 503 } }] })
  expect(await logged('/api/v1/providers')).toEqual({ ...usual, status: 503, rule: 'down#1' })
  server.gateway.use({ name: 'away', rules: [{ on: '*', fault: 'empty-response' }] })
  await expect(logged('/api/v1/providers')).rejects.toThrow()
  await expect.poll(() => lines.length).toBe(1)
  expect(lines.pop()).toMatchObject({ status: 0, rule: 'away#1', delivery: 'aborted-by-fault' })
})

it('the server prints errors that onRequest throws, and keeps serving', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => printed.mockRestore())
  const failures: unknown[] = []
  const onRequest = async () => {
    failures.push('called')
    throw new Error('no disk')
  }
  await using server = await startServer({ onRequest })
  for (let turn = 0; turn < 2; turn++)
    await call(server, 'GET /providers', { headers: { connection: 'close' } })
  await vi.waitFor(() => expect(printed).toHaveBeenCalledTimes(2))
  expect(printed).toHaveBeenCalledWith('[understudy] startServer: onRequest threw Error: no disk')
  expect(failures).toHaveLength(2)
})
