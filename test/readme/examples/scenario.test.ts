import { createGateway, defineScenario } from 'gateway-understudy'
import { expect, test } from 'vitest'

const busyMornings = defineScenario({
  name: 'busy-mornings',
  description: 'The large model is overloaded twice, then slow.',
  rules: [
    {
      on: 'createResponse',
      when: { model: 'aurora/*' },
      sequence: [
        { fault: { name: 'status', status: 529 } },
        { fault: { name: 'status', status: 529 } },
        { fault: { name: 'latency', ms: 2000 } },
      ],
    },
  ],
})

test('the large model is overloaded twice', async () => {
  const gateway = createGateway({ timeScale: 0 })
  using scenario = gateway.use(busyMornings)

  const ask = () =>
    gateway.fetch('https://gateway.example/api/v1/responses', {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'aurora/dawn-2', input: 'Hello' }),
    })
  const statuses = [await ask(), await ask(), await ask()].map(({ status }) => status)

  expect(statuses).toEqual([529, 529, 200])
  expect(gateway.unusedRules()).toEqual([])
  expect(scenario.name).toBe('busy-mornings')
})
