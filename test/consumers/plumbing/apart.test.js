import { Agent } from 'node:http'
import axios from 'axios'
import { expect, test } from 'gateway-understudy/vitest'

/** One client with one key for all tests. */
const url = 'http://gateway.example/api/v1/responses'
const headers = { authorization: 'Bearer one', 'content-type': 'application/json' }
const body = { model: 'aurora/large', input: 'Hello?' }
const client = axios.create({ httpAgent: new Agent({ keepAlive: true }), validateStatus: null, headers })

for (let number = 0; number < 50; number++) {
  test.concurrent(`sees its own replies, faults and calls (${number})`, async ({ sandbox }) => {
    sandbox.reply(`answer ${number}`, { times: 1 })
    sandbox.fail(500 + (number % 5), { times: 1 })
    const first = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    expect((await first.json()).output[0].content[0].text).toBe(`answer ${number}`)
    expect((await client.post(url, body)).status).toBe(500 + (number % 5))
    expect(sandbox).toHaveReceivedTimes('createResponse', 2)
  })
}
