import { expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { clientsOf, interleavings } from './interleavings.ts'

it.each(Object.entries(interleavings))('1,000 times, %s', async (_name, interleave) => {
  const gateway = createGateway()
  const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length
  const before = timers()
  for (let repeat = 0; repeat < 1000; repeat++) {
    using sandbox = gateway.createSandbox()
    const clients = clientsOf(sandbox, { fetch: gateway.fetch, apiKey: sandbox.apiKey })
    await interleave(clients)
    await clients.idle()
  }
  expect(timers()).toBeLessThan(before + 10)
  expect(gateway.sandboxes.listLive()).toEqual([])
})
