import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createGateway, intercept, journalText } from 'gateway-understudy/node'
import OpenAI from 'openai'

const client = new OpenAI({ apiKey: 'any', baseURL: 'https://gateway.example/api/v1' })
const gateway = createGateway()
const interception = intercept(gateway)
after(() => interception.close())

test('retries after two failures', (t) => {
  const sandbox = gateway.createSandbox()
  t.after(() => {
    if (!t.passed) console.log(journalText(t.name, sandbox.journal.entries()))
    sandbox.dispose()
  })
  return sandbox.run(async () => {
    sandbox.fail(503, { times: 2, headers: { 'retry-after-ms': '1' } })
    sandbox.reply('Tides follow the moon.')

    const { output_text } = await client.responses.create({ model: 'aurora/dawn-2', input: 'Why tides?' })

    assert.equal(output_text, 'Tides follow the moon.')
    assert.equal(sandbox.journal.calls('createResponse').length, 3)
  })
})
