const assert = require('node:assert/strict')
const { test } = require('node:test')
const { createGateway } = require('gateway-understudy')
const { handlers } = require('gateway-understudy/msw')
const { setupServer } = require('msw/node')

test('MSW handlers work in CommonJS', async (context) => {
  const gateway = createGateway()
  const server = setupServer(...handlers(gateway))
  server.listen()
  context.after(() => server.close())
  const init = { headers: { authorization: 'Bearer any' } }
  assert.equal((await fetch('https://gateway.example/api/v1/providers', init)).status, 200)
  assert.equal(gateway.journal.calls('listProviders').length, 1)
})
