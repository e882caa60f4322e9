import { startServer } from 'gateway-understudy/serve'
import { expect, test } from 'vitest'

test('counts requests', async () => {
  await using server = await startServer()
  const read = async () => (await fetch(`${server.url}/__understudy/metrics`)).text()
  await read() // starts the collection

  await fetch(`${server.baseUrl}/providers`, { headers: { authorization: 'Bearer any' } })

  expect(await read()).toMatch(/understudy_requests_total\{operation="listProviders",status="200".*\} 1/)
})
