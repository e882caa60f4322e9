import { parseScenario } from 'gateway-understudy'
import { expect, test } from 'gateway-understudy/vitest'
import archivedPreset from './archived-preset.json' with { type: 'json' }

const send = (method: string, path: string, body?: object) =>
  fetch(`https://gateway.example/api/v1${path}`, {
    method,
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  }).then(({ status }) => status)

test('the preset returns 404 once its workspace is renamed', async ({ sandbox }) => {
  sandbox.use(parseScenario(archivedPreset))

  expect(await send('GET', '/presets/code-review')).toBe(200)
  expect(await send('PATCH', '/workspaces/production', { name: 'Main' })).toBe(200)
  expect(await send('GET', '/presets/code-review')).toBe(404)
  expect(await send('PATCH', '/workspaces/production', { name: 'Main 2' })).toBe(429)
  sandbox.clock.advance('1m')
  expect(await send('PATCH', '/workspaces/production', { name: 'Main 2' })).toBe(200)
})
