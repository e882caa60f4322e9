import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { createGateway, defineOperation, ok } from 'gateway-understudy'
import { startServer } from 'gateway-understudy/serve'
import { z } from 'zod'

const base = 'https://gateway.example/api/v1'
const authorization = 'Bearer any'

const makeReport = defineOperation({
  id: 'makeReport',
  method: 'post',
  path: '/reports',
  summary: 'Makes a report',
  tag: 'Reports',
  body: z.object({ title: z.string().min(3) }),
  response: z.object({ data: z.object({ title: z.string(), pages: z.int() }) }),
  resolve: ({ body }) => ok({ data: { title: body.title, pages: 12 } }),
})

function upload(fetch, url, purpose) {
  const body = new FormData()
  body.set('file', new Blob(['a,b\n1,2\n']), 'rows.csv')
  body.set('purpose', purpose)
  return fetch(`${url}/files`, { method: 'POST', headers: { authorization }, body })
}

test('a custom operation with another copy of zod replies, validates, fails on demand, and is documented', async () => {
  await using server = await startServer({ operations: [makeReport] })
  const post = (title) =>
    fetch(`${server.baseUrl}/reports`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ title }),
    })
  assert.deepEqual(await (await post('Tides')).json(), { data: { title: 'Tides', pages: 12 } })
  const refused = await post('T')
  assert.equal(refused.status, 400)
  assert.match((await refused.json()).error.message, /^title: /)
  server.gateway.fail(503, { on: 'makeReport', times: 1 })
  assert.equal((await post('Tides')).status, 503)
  assert.deepEqual(
    server.gateway.journal.entries().map(({ operation, status }) => `${operation} ${status}`),
    ['makeReport 200', 'makeReport 400', 'makeReport 503'],
  )
  const document = await (await fetch(`${server.url}/openapi.json`)).json()
  assert.equal(JSON.stringify(document).includes('"makeReport"'), true)
})

test('operations from an OpenAPI file reply deterministically', async () => {
  const gateway = createGateway({ openapi: './vendor.yaml' })
  const made = await upload(gateway.fetch, base, 'batch')
  assert.equal(made.status, 201)
  const file = await made.json()
  assert.match(file.id, /^file_[a-z0-9]{8}$/)
  assert.equal(made.headers.get('x-understudy-assumptions'), 'documentSample')
  assert.deepEqual(await (await upload(gateway.fetch, base, 'batch')).json(), file)
})

test("the command line serves an OpenAPI document's operations", async () => {
  const args = ['--no-install', 'gateway-understudy', '--openapi', 'vendor.yaml', '--port', '0', '--json']
  const server = spawn('npx', args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  try {
    const [line] = await once(createInterface(server.stdout), 'line')
    const { baseUrl } = JSON.parse(line)
    assert.equal((await upload(fetch, baseUrl, 'vision')).status, 201)
  } finally {
    process.kill(-server.pid)
  }
})
