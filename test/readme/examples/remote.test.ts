import { connectGateway } from 'gateway-understudy/remote'
import { startServer } from 'gateway-understudy/serve'
import { expect, test } from 'vitest'

test('controls a gateway in another process', async () => {
  await using server = await startServer() // elsewhere: npx gateway-understudy
  const gateway = await connectGateway(server.url)
  await using sandbox = await gateway.createSandbox()
  await sandbox.use('provider-outage')

  const response = await fetch(`${sandbox.baseUrl}/providers`, { headers: { authorization: 'Bearer any' } })

  expect(response.status).toBe(500)
  expect(await sandbox.journal.calls('listProviders')).toHaveLength(1)
})
