import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { startServer } from 'gateway-understudy/serve'
import * as clients from './agents.js'
import { turns } from './script.js'

const server = await startServer()
after(() => server.close())

for (const [name, run] of Object.entries(clients)) {
  describe(name, () => {
    test('follows twelve turns with parallel calls, one conversation after another', async () => {
      const sandbox = server.gateway.createSandbox()
      for (const agent of [1, 2, 3]) sandbox.script(turns(agent))
      for (const agent of [1, 2, 3]) assert.equal(await run(reach(sandbox)), `Agent ${agent} is done.`)
      assert.deepEqual(sandbox.scripts()[0].conversations, [{ conversation: 1, turns: 12, problem: null }])
    })

    test('runs fifty conversations at once, each with its own script', async () => {
      const sandbox = server.gateway.createSandbox()
      const agents = Array.from({ length: 50 }, (_agent, index) => index + 1)
      for (const agent of agents) sandbox.script(turns(agent))
      const ends = await Promise.all(agents.map(() => run(reach(sandbox))))
      assert.deepEqual(new Set(ends), new Set(agents.map((agent) => `Agent ${agent} is done.`)))
    })
  })
}

/** Returns a sandbox's address and key for a client. */
function reach({ apiKey }) {
  return { apiKey, baseUrl: server.baseUrl }
}
