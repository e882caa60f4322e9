import assert from 'node:assert/strict'
import { createGateway, expectSandbox, journalText } from 'gateway-understudy'
import { test } from 'vitest'

test('asserts in any runner, and prints the calls', async () => {
  const gateway = createGateway()
  await gateway.fetch('https://gateway.example/api/v1/providers', {
    headers: { authorization: 'Bearer any' },
  })

  expectSandbox(gateway).toHaveReceivedTimes('listProviders', 1)
  const text = journalText('The gateway', gateway.journal.entries())
  assert.match(text, /1\. GET .*\/providers \(listProviders\): 200/)
})
