import { createGateway } from 'gateway-understudy'
import { expect, test } from 'vitest'

test('combines two faults', async () => {
  const gateway = createGateway({ timeScale: 0 })
  gateway.use({ on: 'createResponse', fault: ['latency', { name: 'stream-cut', afterDeltas: 2 }] })

  const response = await gateway.fetch('https://gateway.example/api/v1/responses', {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'aurora/dawn-2', input: 'Why tides?', stream: true }),
  })

  expect((await response.text()).match(/response.output_text.delta/g)).toHaveLength(2)
})
