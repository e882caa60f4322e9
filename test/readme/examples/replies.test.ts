// #region replies
import { expect, test } from 'gateway-understudy/vitest'
import OpenAI from 'openai'

const client = new OpenAI({ apiKey: 'any', baseURL: 'https://gateway.example/api/v1', maxRetries: 0 })
const body = { model: 'aurora/dawn-2', input: 'Why tides?' }

test('replies with text', async ({ sandbox }) => {
  sandbox.reply('Tides follow the moon.')
  expect((await client.responses.create(body)).output_text).toBe('Tides follow the moon.')
})

test('replies depending on the request', async ({ sandbox }) => {
  sandbox.reply('You asked: {{ input }}', { times: 1 })
  sandbox.reply(({ request }) => request.body.input.toUpperCase())
  expect((await client.responses.create(body)).output_text).toBe('You asked: Why tides?')
  expect((await client.responses.create(body)).output_text).toBe('WHY TIDES?')
})

test('cites a page', async ({ sandbox }) => {
  const citations = [{ url: 'https://oceans.example/tides', text: 'the moon' }]
  sandbox.reply('Tides follow the moon.', { citations })
  const { output } = await client.responses.create(body)
  expect(output).toMatchObject([
    { content: [{ annotations: [{ type: 'url_citation', start_index: 13, end_index: 21 }] }] },
  ])
})
// #endregion

// #region structured
test('returns structured output', async () => {
  const properties = { high: { type: 'string' }, metres: { type: 'number' } }
  const schema = { type: 'object', properties, required: ['high', 'metres'] }
  const text = { format: { type: 'json_schema' as const, name: 'tide', schema } }
  const { output_text } = await client.responses.create({ ...body, text })
  expect(JSON.parse(output_text)).toEqual({ high: expect.any(String), metres: expect.any(Number) })
})
// #endregion

// #region error
test('fails in the middle of a conversation', async ({ sandbox }) => {
  const fault = { name: 'status' as const, status: 503 }
  sandbox.use({
    on: 'text',
    sequence: [{ reply: 'Tides follow the moon.' }, { fault }, { reply: 'And the sun.' }],
  })

  expect((await client.responses.create(body)).output_text).toBe('Tides follow the moon.')
  await expect(client.responses.create(body)).rejects.toThrow(OpenAI.InternalServerError)
  expect((await client.responses.create(body)).output_text).toBe('And the sun.')
})
// #endregion
