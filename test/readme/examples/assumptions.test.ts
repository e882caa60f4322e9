import { assumptions, createGateway } from 'gateway-understudy'
import { expect, test } from 'vitest'

test('names the assumptions that a reply depends on', async () => {
  const { headers } = await createGateway().fetch('https://gateway.example/api/v1/presets/none', {
    headers: { authorization: 'Bearer any' },
  })

  expect(headers.get('x-understudy-assumptions')).toContain('notFound')
  expect(assumptions.notFound.choice).toContain('404')
})
