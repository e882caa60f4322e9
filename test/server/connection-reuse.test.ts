/**
 * Tests that connections stay usable after every rejection, and that pipelined requests are answered in
 * order.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type RunningServer as Server, startServer } from '../../src/serve.ts'
import { raw, request } from './raw.ts'

let server: Server
beforeAll(async () => {
  server = await startServer({ limits: { requestBodyBytes: 2000 }, timeScale: 0 })
})
afterAll(() => server.close())
beforeEach(async () => {
  await server.gateway.reset()
  for (const status of faulty)
    await server.gateway.use({
      on: 'createResponse',
      when: { input: `Status ${status}` },
      fault: { name: 'status', status },
    })
})

const faulty = [402, 408, 422, 429, 500, 502, 503, 524, 529]
const authorization = 'Bearer any'
const type = 'application/json'
const question = { model: 'aurora/dawn-2', input: 'Hello?' }

interface Sent {
  what: string
  line: string
  headers?: Record<string, string | undefined>
  body?: string
  status: number
}

const responses = 'POST /api/v1/responses'
const workspace = 'PATCH /api/v1/workspaces/production'

const refusals: readonly Sent[] = [
  { what: 'no key', line: 'GET /api/v1/providers', headers: { authorization: undefined }, status: 401 },
  {
    what: 'no key, with a body',
    line: responses,
    headers: { authorization: undefined },
    body: '{}',
    status: 401,
  },
  { what: 'an unknown path', line: 'GET /api/v1/provider', status: 404 },
  { what: 'an unknown path, with a body', line: 'POST /api/v1/response', body: '{"a":1}', status: 404 },
  { what: 'a path outside the API', line: 'GET /elsewhere', status: 404 },
  { what: 'an unsupported method', line: 'PUT /api/v1/providers', body: '{"a":1}', status: 405 },
  {
    what: 'an unknown workspace',
    line: 'PATCH /api/v1/workspaces/nobody',
    body: '{"name":"x"}',
    status: 404,
  },
  { what: 'a slug already in use', line: workspace, body: '{"slug":"staging"}', status: 409 },
  { what: 'an unknown sandbox', line: 'GET /sandboxes/s999/api/v1/providers', status: 410 },
  { what: 'no body', line: responses, status: 400 },
  { what: 'truncated JSON', line: responses, body: '{"model":', status: 400 },
  { what: 'an invalid field', line: workspace, body: '{"name":7}', status: 400 },
  { what: 'an invalid query', line: 'GET /api/v1/benchmarks?max_results=0', status: 400 },
  {
    what: 'an unsupported content type',
    line: responses,
    headers: { 'content-type': 'text/plain' },
    body: 'x',
    status: 415,
  },
  { what: 'an oversized body', line: responses, body: `{"input":"${'x'.repeat(5000)}"}`, status: 413 },
  {
    what: 'a foreign Origin',
    line: workspace,
    headers: { origin: 'https://evil.example' },
    body: '{"name":"x"}',
    status: 403,
  },
  {
    what: 'a foreign Host',
    line: 'GET /api/v1/providers',
    headers: { host: 'evil.example' },
    status: 403,
  },
  {
    what: 'an unknown Expect header',
    line: responses,
    headers: { expect: 'a miracle' },
    body: '{}',
    status: 417,
  },
  { what: 'an invalid control body', line: 'POST /__understudy/sandboxes', body: '{"seeds":1}', status: 400 },
  { what: 'an unknown control route', line: 'POST /__understudy/nothing', body: '{}', status: 404 },
  ...faulty.map((status) => ({
    what: `a fault of status ${status}`,
    line: responses,
    body: JSON.stringify({ ...question, input: `Status ${status}` }),
    status,
  })),
]

/** Requests sent after each rejected one. */
const good: readonly Sent[] = [
  { what: 'a list', line: 'GET /api/v1/providers', status: 200 },
  { what: 'a stream', line: responses, body: JSON.stringify({ ...question, stream: true }), status: 200 },
  { what: 'a head', line: 'HEAD /api/v1/providers', status: 200 },
  { what: 'a reply', line: responses, body: JSON.stringify(question), status: 200 },
]

function bytesOf({ line, headers = {}, body = '' }: Sent, last = false): string {
  const all = { host: `127.0.0.1:${server.port}`, authorization, 'content-type': type, ...headers }
  const given = Object.entries(all).filter((each): each is [string, string] => each[1] !== undefined)
  return request(line, { ...Object.fromEntries(given), ...(last && { connection: 'close' }) }, body)
}

function statusesIn(received: string): number[] {
  return Array.from(received.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status))
}

it.each(refusals)('a connection serves the next requests after an error reply ($what)', async (refused) => {
  const all = [refused, ...good]
  const { closed } = raw(server.port, ...all.map((each, place) => bytesOf(each, place === all.length - 1)))
  const received = await closed()
  expect(statusesIn(received)).toEqual(all.map(({ status }) => status))
  expect(received.match(/data: \[DONE\]/g)).toHaveLength(1)
})

it('a connection serves pipelined requests in order', async () => {
  const all = [...refusals.flatMap((refused, place) => [refused, good[place % good.length] as Sent]), ...good]
  const { closed } = raw(
    server.port,
    all.map((each, place) => bytesOf(each, place === all.length - 1)).join(''),
  )
  expect(statusesIn(await closed())).toEqual(all.map(({ status }) => status))
})
