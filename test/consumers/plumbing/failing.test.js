import { expect, test } from 'gateway-understudy/vitest'

/** Sends requests from a timer that was started outside any test. */
const queue = []
setInterval(() => queue.shift()?.(), 1).unref()

test('fails', async ({ sandbox }) => {
  const headers = { authorization: 'Bearer any', 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'gpt-4o', input: 'Hello?' })
  await fetch('https://gateway.example/api/v1/responses', { method: 'POST', headers, body })
  await new Promise((resolve) => {
    queue.push(() => resolve(fetch('https://gateway.example/api/v1/providers', { headers })))
  })
  expect(sandbox).toHaveReceivedTimes('createResponse', 2)
})
