import { expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { clientsOf, interleavings, settled } from './interleavings.ts'

const repeats = 1000

it.each(Object.keys(interleavings))(`hold(): ${repeats} times, %s`, async (name) => {
  const gateway = createGateway()
  const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length
  const before = timers()
  for (let repeat = 0; repeat < repeats; repeat++) {
    const clients = clientsOf(gateway)
    await interleavings[name]?.(clients)
    await settled(clients)
    clients.sandbox[Symbol.dispose]()
  }
  expect(timers()).toBeLessThan(before + 10)
  expect([gateway.inFlight, gateway.sandboxes.listLive()]).toEqual([0, []])
})
