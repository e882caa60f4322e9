import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGateway } from 'gateway-understudy'

const gateway = createGateway()

test('asks for the providers', async () => {
  const sandbox = gateway.createSandbox()
  const response = await gateway.fetch('https://gateway.example/api/v1/providers', {
    headers: { authorization: `Bearer ${sandbox.apiKey}` },
  })
  assert.equal((await response.json()).data.length, 12)
  assert.equal(sandbox.journal.calls('listProviders').length, 1)
})
