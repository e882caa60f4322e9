import { createGateway } from 'gateway-understudy'
import { handlers } from 'gateway-understudy/msw'
import { setupWorker } from 'msw/browser'
import { beforeAll, expect, inject, test } from 'vitest'

const port = inject('port')
const gateway = createGateway()
const worker = setupWorker(...handlers(gateway))
beforeAll(() => worker.start({ quiet: true, onUnhandledFrame: 'bypass' }))

const received = async () => (await fetch(`http://127.0.0.1:${port}/received`)).json()
const send = (url) =>
  fetch(url.replace('.example/', `.example:${port}/`), {
    method: 'POST',
    headers: { authorization: 'Bearer sk-real-key', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'aurora/dawn-2', input: 'Why tides?' }),
  })

test('returns the scripted reply', async () => {
  gateway.reply('Tides follow the moon.')
  const { output } = await (await send('http://gateway.example/api/v1/responses')).json()
  expect(output[0].content[0].text).toBe('Tides follow the moon.')
  expect(gateway.journal.last('createResponse').body.input).toBe('Why tides?')
})

test.each([
  ["a vendor's host", 'http://api.vendor.example/v1/responses'],
  ['a misspelt path', 'http://gateway.example/api/v1/response'],
  ['an operation that the gateway does not have', 'http://gateway.example/api/v1/files'],
])('keeps a request to %s in the page', async (_, url) => {
  expect((await send(url)).status).toBe(404)
  expect(await received()).toEqual([])
})

test('passes through requests to other hosts', async () => {
  expect((await send('http://mail.example/inbox')).status).toBe(200)
  expect((await received()).at(-1)).toBe(`POST http://mail.example:${port}/inbox`)
})

test('fails to import the Vitest entry, with an error that suggests the handlers', async () => {
  await expect(import('gateway-understudy/vitest')).rejects.toThrow('setupWorker(...handlers(gateway))')
})
