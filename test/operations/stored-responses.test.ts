import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import type { GatewayOptionsInput } from '../../src/sandbox/options.ts'

const model = 'aurora/dawn-2'

function setup(options: GatewayOptionsInput = { storedResponses: true }) {
  const gateway = createGateway(options)
  const client = (apiKey = 'any') =>
    new OpenAI({ apiKey, baseURL: 'https://gateway.example/api/v1', fetch: gateway.fetch, maxRetries: 0 })
  return { gateway, client: client(), clientOf: client }
}

describe('the storedResponses option', () => {
  it('is disabled by default: requests with `store: true` get a 400', async () => {
    const { client } = setup({})
    await expect(client.responses.create({ model, input: 'Hi', store: true })).rejects.toThrow(
      'responses are stored only if the storedResponses option is set',
    )
  })

  it("stores a preset's response", async () => {
    const { client } = setup()
    const first = await client.responses.create({ model: '@preset/code-review', input: 'x = 1', store: true })
    const next = { model, input: 'And x = 2?', previous_response_id: first.id }
    expect(await client.responses.create(next)).toMatchObject({ previous_response_id: first.id })
  })

  it('continues from an earlier response as if the whole conversation had been sent', async () => {
    const { client } = setup()
    const first = await client.responses.create({ model, input: 'Tell me of tides', store: true })
    expect(first).toMatchObject({ store: true })
    const second = await client.responses.create({
      model,
      input: 'And of winds?',
      previous_response_id: first.id,
    })
    expect(second.previous_response_id).toBe(first.id)
    const whole = await client.responses.create({
      model,
      input: [
        { type: 'message', role: 'user', content: 'Tell me of tides' },
        ...first.output,
        { type: 'message', role: 'user', content: 'And of winds?' },
      ] as OpenAI.Responses.ResponseInput,
    })
    expect(second.output_text).toBe(whole.output_text)
    expect(second.usage?.input_tokens).toBe(whole.usage?.input_tokens)
    const third = await client.responses.create({ model, input: 'Go on', previous_response_id: second.id })
    expect(third.usage?.input_tokens).toBeGreaterThan(second.usage?.input_tokens ?? 0)
  })

  it('stores streamed responses, and responses without the `store` field', async () => {
    const { client } = setup()
    const { id } = await client.responses.stream({ model, input: 'Hi' }).finalResponse()
    const next = await client.responses.create({ model, input: 'More', previous_response_id: id })
    expect(next.status).toBe('completed')
  })

  it('accepts outputs for functions that an earlier response called', async () => {
    const { client, gateway } = setup()
    gateway.use({
      on: 'createResponse',
      times: 1,
      reply: { output: [{ type: 'function_call', name: 'look', call_id: 'call_1' }] },
    })
    const { id } = await client.responses.create({ model, input: 'Look' })
    const next = await client.responses.create({
      model,
      previous_response_id: id,
      input: [{ type: 'function_call_output', call_id: 'call_1', output: 'a lighthouse' }],
    })
    expect(next.output_text).toContain('a lighthouse')
  })

  it('resolves item references and rejects unknown ones', async () => {
    const { client } = setup()
    const first = await client.responses.create({ model, input: 'Tell me of tides' })
    const more = { role: 'user' as const, content: 'And of winds?' }
    const ask = (input: OpenAI.Responses.ResponseInput) => client.responses.create({ model, input })
    const named = await ask([{ type: 'item_reference', id: first.output[0]?.id ?? '' }, more])
    const repeated = await ask([...(first.output as OpenAI.Responses.ResponseInput), more])
    expect([named.output_text, named.usage]).toEqual([repeated.output_text, repeated.usage])
    await expect(ask([more, { type: 'item_reference', id: 'msg_none' }])).rejects.toMatchObject({
      status: 400,
      error: { metadata: { violations: [{ path: 'body.input[1].id', rule: 'item_not_found' }] } },
    })
  })

  it('lets scripts identify a conversation by its stored responses', async () => {
    const { client, gateway } = setup()
    gateway.script([
      { expect: { input: 'boats' }, text: 'Which ones?' },
      { expect: { input: 'Aurora' }, call: { book: { boat: 'Aurora' } } },
      { expect: { result: { book: 'booked' } }, text: 'Done.' },
    ])
    const ask = (input: string | OpenAI.Responses.ResponseInput, previous_response_id?: string) =>
      client.responses.create({ model, input, ...(previous_response_id && { previous_response_id }) })
    const first = await ask('Book boats')
    const second = await ask('The Aurora', first.id)
    const [call] = second.output as OpenAI.Responses.ResponseFunctionToolCall[]
    const output = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: 'booked' }
    expect((await ask([output], second.id)).output_text).toBe('Done.')
    expect(gateway.scripts()).toMatchObject([{ conversations: [{ turns: 3, problem: null }] }])
  })

  it('rejects a previous_response_id that was not stored', async () => {
    const { client } = setup()
    const { id } = await client.responses.create({ model, input: 'Hi', store: false })
    const next = client.responses.create({ model, input: 'More', previous_response_id: id })
    const violations = [{ path: 'body.previous_response_id', rule: 'previous_response_not_found' }]
    await expect(next).rejects.toMatchObject({ status: 400, error: { metadata: { violations } } })
  })

  it('stores responses per sandbox, removes them on reset, and brings them back on restore', async () => {
    const { gateway, client, clientOf } = setup()
    const { id } = await client.responses.create({ model, input: 'Hi' })
    const more = (openai: OpenAI) =>
      openai.responses.create({ model, input: 'More', previous_response_id: id }).then(
        ({ status }) => status,
        ({ status }) => status,
      )
    expect(await more(clientOf(gateway.createSandbox().apiKey))).toBe(400)
    const snapshot = gateway.snapshot()
    gateway.reset()
    expect(await more(client)).toBe(400)
    gateway.restore(snapshot)
    expect(await more(client)).toBe('completed')
  })

  it('is not required if a rule scripts the reply', async () => {
    const { gateway, client } = setup({})
    gateway.reply('Scripted')
    const { output_text } = await client.responses.create({
      model,
      input: 'Hi',
      store: true,
      previous_response_id: 'resp_1',
    })
    expect(output_text).toBe('Scripted')
  })
})
