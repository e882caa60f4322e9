/** @jest-environment jest-fixed-jsdom */
const { createGateway } = require('gateway-understudy')

const gateway = createGateway()

test('shows the answer', async () => {
  gateway.reply('Tides follow the moon.')
  const response = await gateway.fetch('https://gateway.example/api/v1/responses', {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'aurora/dawn-2', input: 'Why tides?' }),
  })
  const { output } = await response.json()
  document.body.textContent = output[0].content[0].text
  expect(document.body.innerHTML).toBe('Tides follow the moon.')
})
