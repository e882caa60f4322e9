/** Uses the entries for test runners. */
import 'gateway-understudy/verdicts'
import { expect, test } from 'gateway-understudy/vitest'

test('the fixtures are typed', async ({ gateway, sandbox }) => {
  gateway.options.seed satisfies string | number
  sandbox.baseUrl satisfies string
  expect(sandbox).toHaveReceived('createResponse', { body: { model: 'aurora/dawn-2' } })
  expect(sandbox).toHaveReceived('createResponse', { body: { input: expect.stringContaining('tides') } })
  expect(sandbox).toHaveReceivedTimes('listProviders', 2)
  expect(sandbox).not.toHaveUsedAllRules()
  expect(sandbox).toHaveNoUnmatchedRequests()
  expect(sandbox).toHaveRecovered({ result: 'The tide comes in.' })
  expect(sandbox).toHaveSentValidRequests()
  expect(sandbox).toHaveReceived('createChatCompletion', { body: { provider: { only: ['azure'] } } })
  // @ts-expect-error: no such operation
  expect(sandbox).toHaveReceived('createResponses')
})

test.override({ gatewayOptions: { seed: 2 }, serial: true })
