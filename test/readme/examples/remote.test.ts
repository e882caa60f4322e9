import { connectGateway } from 'gateway-understudy/remote'
import { startServer } from 'gateway-understudy/serve'
import { expect, test } from 'vitest'

test('is controlled from another process as if it were in this one', async () => {
  await using server = await startServer() // elsewhere: npx gateway-understudy
  const gateway = await connectGateway(server.url)
  await using sandbox = await gateway.createSandbox()
  await sandbox.use('provider-outage')

  const response = await fetch(`${sandbox.baseUrl}/providers`, { headers: { authorization: 'Bearer any' } })

  expect(response.status).toBe(500)
  expect(await sandbox.journal.calls('listProviders')).toHaveLength(1)
})
