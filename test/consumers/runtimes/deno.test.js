import assert from 'node:assert/strict'
import { createGateway, intercept } from 'gateway-understudy/node'

const gateway = createGateway()
const interception = intercept(gateway)
Deno.test.afterAll(() => interception.close())

Deno.test('gets the scripted text', () => {
  const sandbox = gateway.createSandbox()
  return sandbox.run(async () => {
    sandbox.reply('Tides follow the moon.')
    const response = await fetch('https://gateway.example/api/v1/responses', {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'aurora/dawn-2', input: 'Why tides?' }),
    })
    const { output } = await response.json()
    assert.equal(output[0].content[0].text, 'Tides follow the moon.')
    assert.equal(sandbox.journal.calls('createResponse').length, 1)
  })
})
