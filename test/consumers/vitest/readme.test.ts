import { expect, test } from 'gateway-understudy/vitest'

/** The code under test: asks once more if the provider is overloaded. */
async function ask(input: string, attempts = 2): Promise<string> {
  const response = await fetch('https://gateway.example/api/v1/responses', {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'aurora/dawn-2', input }),
  })
  if (response.status === 529 && attempts > 1) return ask(input, attempts - 1)
  const { output } = await response.json()
  return output[0].content[0].text
}

test.concurrent('retries after a 529', async ({ sandbox }) => {
  sandbox.fail(529, { times: 1 })
  sandbox.reply('Tides follow the moon.')

  expect(await ask('Why tides?')).toBe('Tides follow the moon.')

  expect(sandbox).toHaveReceivedTimes('createResponse', 2)
  expect(sandbox).toHaveReceived('createResponse', { body: { input: expect.stringContaining('tides') } })
  expect(sandbox).toHaveUsedAllRules()
})
