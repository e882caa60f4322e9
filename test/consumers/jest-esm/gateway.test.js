import { createGateway } from 'gateway-understudy'
import { handlers } from 'gateway-understudy/msw'
import { setupServer } from 'msw/node'

const gateway = createGateway()
const server = setupServer(...handlers(gateway))

beforeAll(() => server.listen())
afterEach(() => gateway.reset())
afterAll(() => server.close())

const ask = (input) =>
  fetch('https://gateway.example/api/v1/responses', {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'aurora/dawn-2', input }),
  })

test('returns the scripted text', async () => {
  gateway.reply('Tides follow the moon.')
  const { output } = await (await ask('Why tides?')).json()
  expect(output[0].content[0].text).toBe('Tides follow the moon.')
  expect(gateway.journal.last('createResponse').body.input).toBe('Why tides?')
})

test('fails once, then recovers', async () => {
  gateway.fail(503, { times: 1 })
  expect((await ask('Hello?')).status).toBe(503)
  expect((await ask('Hello?')).status).toBe(200)
})
