import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createGateway, intercept } from 'gateway-understudy/node'
import { HttpResponse, http } from 'msw'
import { clients } from './clients.js'

const gateway = createGateway()
let interception
before(() => {
  interception = intercept(gateway)
})
after(() => interception.close())

/** Declares a test with its own sandbox. Its requests reach that sandbox automatically. */
const testInSandbox = (name, work) =>
  test(name, () => {
    const sandbox = gateway.createSandbox()
    return gateway.run(sandbox, () => work(sandbox))
  })

const delivery = async (sandbox, wanted) => {
  for (let turn = 0; turn < 500 && sandbox.journal.last('createResponse')?.delivery !== wanted; turn++)
    await new Promise((resolve) => setTimeout(resolve, 2))
  assert.equal(sandbox.journal.last('createResponse')?.delivery, wanted)
}

for (const [name, client] of Object.entries(clients)) {
  describe(name, () => {
    testInSandbox('gets a reply', async (sandbox) => {
      sandbox.reply('Tides follow the moon.')
      assert.match(await client.plain(), /Tides follow the moon\./)
      await delivery(sandbox, 'complete')
    })

    testInSandbox('gets the parts of a paced stream one by one', async (sandbox) => {
      sandbox.use({ on: 'createResponse', fault: { name: 'slow-stream', perToken: 2 } })
      let parts = 0
      await client.stream(() => parts++)
      assert.ok(parts > 1)
      await delivery(sandbox, 'complete')
    })

    testInSandbox('aborts a request without a reply', async (sandbox) => {
      sandbox.use({ on: 'createResponse', fault: 'timeout' })
      const left = new AbortController()
      const answer = client.plain(left.signal)
      // Aborted once the gateway has received the call.
      const timer = setInterval(() => {
        if (sandbox.journal.entries().length === 0) return
        clearInterval(timer)
        left.abort()
      }, 5)
      await assert.rejects(answer)
      await delivery(sandbox, 'aborted-by-client')
    })

    testInSandbox('aborts in the middle of a stream', async (sandbox) => {
      sandbox.use({ on: 'createResponse', fault: { name: 'stream-stall', afterEvents: 8 } })
      const left = new AbortController()
      await client.stream(() => left.abort(), left.signal).catch(() => {})
      await delivery(sandbox, 'aborted-by-client')
    })

    testInSandbox('notices a connection reset', async (sandbox) => {
      sandbox.use({ on: 'createResponse', fault: 'connection-reset' })
      await assert.rejects(client.plain())
      await delivery(sandbox, 'aborted-by-fault')
    })

    testInSandbox('never receives the end of a stream that is cut', async (sandbox) => {
      sandbox.use({ on: 'createResponse', fault: { name: 'stream-cut', afterEvents: 8 } })
      const parts = []
      await client.stream((part) => parts.push(JSON.stringify(part))).catch(() => {})
      assert.doesNotMatch(parts.join(), /response\.completed/)
      await delivery(sandbox, 'aborted-by-fault')
    })

    testInSandbox('gives precedence to the user’s handlers', async (sandbox) => {
      const mine = http.post('*/api/v1/responses', () => HttpResponse.json({}, { status: 418 }))
      sandbox.use({ on: 'createResponse', fault: 'connection-reset' })
      interception.use(mine)
      await client.plain().catch(() => {})
      interception.resetHandlers()
      assert.equal(sandbox.journal.entries().length, 0)
    })
  })
}
