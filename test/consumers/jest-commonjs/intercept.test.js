const axios = require('axios')
const { createGateway, intercept } = require('gateway-understudy/node')

// Made before the interception, as applications make them.
const http = axios.create({
  baseURL: 'https://gateway.example/api/v1',
  headers: { authorization: 'Bearer any' },
})
const ask = (input) =>
  fetch('https://gateway.example/api/v1/responses', {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'aurora/dawn-2', input }),
  })

const gateway = createGateway()
let interception
beforeAll(() => {
  interception = intercept(gateway)
})
afterAll(() => interception.close())

/** A test with a sandbox of its own, which the calls of its code find by themselves. */
const sandboxed = (work) => () => {
  const sandbox = gateway.createSandbox()
  return gateway.run(sandbox, () => work(sandbox))
}

test(
  'answers with what the test scripts',
  sandboxed(async (sandbox) => {
    sandbox.reply('Tides follow the moon.')
    const { output } = await (await ask('Why tides?')).json()
    expect(output[0].content[0].text).toBe('Tides follow the moon.')
    expect(sandbox.journal.last('createResponse').body.input).toBe('Why tides?')
  }),
)

test(
  'fails as it is told, and only as often',
  sandboxed(async (sandbox) => {
    sandbox.fail(503, { times: 1 })
    await expect(http.get('/providers')).rejects.toThrow('503')
    expect((await http.get('/providers')).data.data).toHaveLength(12)
  }),
)
