import { expect, test } from 'gateway-understudy/vitest'

const headers = { authorization: 'Bearer any', 'content-type': 'application/json' }
const post = (path: string, body: object) =>
  fetch(`https://gateway.example/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })

test('asserts on requests', async ({ sandbox }) => {
  await post('/responses', { model: 'aurora/dawn-2', input: 'Why tides?' })

  expect(sandbox).toHaveReceivedTimes('createResponse', 1)
  expect(sandbox).toHaveReceived('createResponse', { body: { input: expect.stringContaining('tides') } })
  // The field was not sent:
  expect(sandbox).not.toHaveReceived('createResponse', { body: { stream: expect.anything() } })
  expect(sandbox.journal.last('createResponse')).toMatchObject({ status: 200, delivery: 'complete' })
})

test('waits for a request that the application sends later', async ({ sandbox }) => {
  setTimeout(() => post('/responses', { model: 'aurora/dawn-2', input: 'Why tides?' }), 5)

  const [call] = await sandbox.journal.waitFor('createResponse')

  expect(call?.body.input).toBe('Why tides?')
})

test('explains why a rule did not apply', async ({ sandbox }) => {
  sandbox.use({ on: 'createResponse', when: { model: 'nightjar/dusk-*' }, fault: 'timeout' })
  await post('/responses', { model: 'aurora/dawn-2', input: 'Why tides?' })

  const [call] = sandbox.journal.nearMisses()

  expect(call?.nearMisses[0]?.reason).toContain("'aurora/dawn-2'")
})
