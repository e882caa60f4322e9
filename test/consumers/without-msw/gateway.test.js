import { createRequire } from 'node:module'
import { expect, test } from 'gateway-understudy/vitest'

const require = createRequire(import.meta.url)
const url = 'https://gateway.example/api/v1/providers'
const init = { headers: { authorization: 'Bearer any' } }

test('the Vitest entry works', async ({ sandbox }) => {
  expect((await fetch(url, init)).status).toBe(200)
  expect(sandbox).toHaveReceived('listProviders')
})

test('the gateway works when imported as an ES module or required as CommonJS', async () => {
  for (const { createGateway } of [await import('gateway-understudy'), require('gateway-understudy')])
    expect((await createGateway().fetch(url, init)).status).toBe(200)
})
