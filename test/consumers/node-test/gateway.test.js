import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGateway } from 'gateway-understudy'
import OpenAI from 'openai'

/** Returns a new sandbox and a client for it. */
function start() {
  const sandbox = gateway.createSandbox()
  const openai = new OpenAI({
    apiKey: sandbox.apiKey,
    baseURL: 'https://gateway.example/api/v1',
    fetch: gateway.fetch,
  })
  return { sandbox, openai }
}

const gateway = createGateway()
const globalFetch = globalThis.fetch

test('returns the scripted text', async () => {
  const { sandbox, openai } = start()
  sandbox.reply('Tides follow the moon.')
  const { output_text } = await openai.responses.create({ model: 'aurora/dawn-2', input: 'Why tides?' })
  assert.equal(output_text, 'Tides follow the moon.')
})

test('streams from the first to the final event', async () => {
  const { openai } = start()
  const stream = await openai.responses.create({ model: 'aurora/dawn-2', input: 'Hello', stream: true })
  const types = []
  for await (const { type } of stream) types.push(type)
  assert.equal(types[0], 'response.created')
  assert.equal(types.at(-1), 'response.completed')
})

test('recovers after two failures when the client retries', async () => {
  const { sandbox, openai } = start()
  sandbox.fail(503, { times: 2, headers: { 'retry-after-ms': '1' } })
  await openai.responses.create({ model: 'aurora/dawn-2', input: 'Hello' })
  const statuses = sandbox.journal.calls('createResponse').map(({ status }) => status)
  assert.deepEqual(statuses, [503, 503, 200])
})

test('generates additional records', async () => {
  const large = createGateway({ recordCounts: { providers: 50 } })
  assert.equal((await large.db.providers.list()).length, 50)
})

test('leaves the global fetch unchanged', () => {
  assert.equal(globalThis.fetch, globalFetch)
  assert.match(Function.prototype.toString.call(fetch), /native code|undici|initialize/)
})
