const { createGateway } = require('gateway-understudy')
const { connectGateway } = require('gateway-understudy/remote')
const { startServer } = require('gateway-understudy/serve')

const headers = { authorization: 'Bearer any' }

test('works with any client that accepts a fetch', async () => {
  const gateway = createGateway()
  const response = await gateway.fetch('https://gateway.example/api/v1/providers', { headers })
  expect((await response.json()).data).toHaveLength(12)
  await gateway.db.workspaces.update('production', { name: 'Renamed' })
  expect(gateway.journal.calls('listProviders')).toHaveLength(1)
})

test('runs as a server that a remote client controls', async () => {
  const server = await startServer()
  const gateway = await connectGateway(server.url)
  const sandbox = await gateway.createSandbox()
  await sandbox.fail(529)
  const response = await fetch(`${sandbox.baseUrl}/providers`, { headers })
  expect(response.status).toBe(529)
  await server.close()
})
