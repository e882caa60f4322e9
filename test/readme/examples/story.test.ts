import { createGateway } from 'gateway-understudy'
import { expect, test } from 'vitest'

const gateway = createGateway()
const call = async (method: string, path: string, body?: object) => {
  const response = await gateway.fetch(`https://gateway.example/api/v1${path}`, {
    method,
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return response.status
}

test('after the tokens of a minute are spent, the next minute brings new ones', async () => {
  using _active = gateway.use({ on: 'createResponse', rateLimit: { tokens: 50, requests: 10, per: '1m' } })
  const ask = () => call('POST', '/responses', { model: 'aurora/dawn-2', input: 'Why tides?' })

  expect([await ask(), await ask()]).toEqual([200, 429])
  gateway.clock.advance(60_000)
  expect(await ask()).toBe(200)
})

test('after the workspace was renamed, its preset is gone', async () => {
  using _active = gateway.use({
    name: 'renamed',
    rules: [
      { on: 'updateWorkspace', setState: 'renamed' },
      { on: 'getPreset', when: { state: 'renamed' }, fault: { name: 'status', status: 404 } },
    ],
  })
  const read = () => call('GET', '/presets/code-review')

  expect(await read()).toBe(200)
  await call('PATCH', '/workspaces/production', { name: 'Main' })
  expect(await read()).toBe(404)
})
