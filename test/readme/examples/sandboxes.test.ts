import { createGateway } from 'gateway-understudy'
import { expect, test } from 'vitest'

const gateway = createGateway({ seed: 7 })

test('changes data without affecting other tests', async () => {
  using sandbox = gateway.createSandbox()
  const headers = { authorization: `Bearer ${sandbox.apiKey}` }

  await sandbox.db.workspaces.update('production', { name: 'Renamed' })
  const response = await gateway.fetch('https://gateway.example/api/v1/providers', { headers })

  expect(response.status).toBe(200)
  expect(await sandbox.db.workspaces.get('production')).toMatchObject({ name: 'Renamed' })
  expect(await gateway.db.workspaces.get('production')).toMatchObject({ name: 'Production' })
})

test('restores a snapshot', async () => {
  using sandbox = gateway.createSandbox()
  const before = sandbox.snapshot()

  await sandbox.db.providers.delete('driftwood')
  sandbox.restore(before)

  expect(await sandbox.db.providers.list()).toHaveLength(12)
})

test('advances the clock', async () => {
  using sandbox = gateway.createSandbox()
  sandbox.use({ on: '*', during: { from: '1m' }, fault: { name: 'status', status: 503 } })
  const headers = { authorization: `Bearer ${sandbox.apiKey}` }
  const ask = () => gateway.fetch('https://gateway.example/api/v1/providers', { headers })

  expect((await ask()).status).toBe(200)
  sandbox.clock.advance('1m')
  expect((await ask()).status).toBe(503)
})
