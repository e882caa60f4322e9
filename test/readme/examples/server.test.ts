import { startServer } from 'gateway-understudy/serve'
import { expect, test } from 'vitest'

test('runs on a socket, with an isolated sandbox', async () => {
  await using server = await startServer({ seed: 7 })
  await using sandbox = server.gateway.createSandbox()

  const rename = await fetch(`${server.baseUrl}/workspaces/production`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Renamed' }),
  })

  expect(rename.status).toBe(200)
  expect(await sandbox.db.workspaces.get('production')).toMatchObject({ name: 'Renamed' })
  expect(await server.gateway.db.workspaces.get('production')).toMatchObject({ name: 'Production' })
})
