const axios = require('axios')
const { createGateway, intercept, journalText } = require('gateway-understudy/node')

// Created before the interception, as in an application.
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

/** Sandbox of the current test until it passes. */
let open
// Prints the calls of a failing test, even if it has timed out.
afterEach(() => {
  if (open) console.log(journalText(expect.getState().currentTestName, open.journal.entries()))
  open?.dispose()
})

/** Runs a test in its own sandbox, which its requests reach automatically. */
const sandboxed = (work) => async () => {
  const sandbox = gateway.createSandbox()
  open = sandbox
  await sandbox.run(() => work(sandbox))
  // A test that has timed out may end during another test.
  if (open === sandbox) open = undefined
}

test(
  'returns the scripted text',
  sandboxed(async (sandbox) => {
    sandbox.reply('Tides follow the moon.')
    const { output } = await (await ask('Why tides?')).json()
    expect(output[0].content[0].text).toBe('Tides follow the moon.')
    expect(sandbox.journal.last('createResponse').body.input).toBe('Why tides?')
  }),
)

test(
  'fails once, then recovers',
  sandboxed(async (sandbox) => {
    sandbox.fail(503, { times: 1 })
    await expect(http.get('/providers')).rejects.toThrow('503')
    expect((await http.get('/providers')).data.data).toHaveLength(12)
  }),
)
