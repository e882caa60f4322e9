import { createGateway } from 'gateway-understudy'
import { expect, test } from 'vitest'

const gateway = createGateway({ dialect: 'openrouter' })
const send = (method: string, path: string, { key = 'mine', body }: { key?: string; body?: object } = {}) =>
  gateway.fetch(`https://gateway.example/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })

test('uses a preset that a request has created', async () => {
  const preset = { model: 'aurora/dawn-2', instructions: 'Answer in one word.' }
  await send('POST', '/presets/brief/responses', { body: preset })

  const reply = await send('POST', '/responses', { body: { model: '@preset/brief', input: 'Why tides?' } })

  expect(await reply.json()).toMatchObject({ instructions: 'Answer in one word.' })
})

test('rejects a deleted key', async () => {
  const { key, data } = await (await send('POST', '/keys', { body: { name: 'CI' } })).json()

  expect((await send('GET', '/models', { key })).status).toBe(200)
  await send('DELETE', `/keys/${data.hash}`)
  expect((await send('GET', '/models', { key })).status).toBe(401)
})
