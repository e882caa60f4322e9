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

test('generates values for a schema', async () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const text = { format: { type: 'json_schema', name: 'place', schema } }
  const body = JSON.stringify({ model: 'aurora/dawn-2', input: 'Where?', text })
  const { fetch } = createGateway({ recordCounts: { workspaces: 20 } })
  const sent = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body }
  const { output } = await (await fetch('https://gateway.example/api/v1/responses', sent)).json()
  expect(JSON.parse(output.at(-1).content[0].text)).toEqual({ city: expect.any(String) })
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
