import OpenAI from 'openai'
import { zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod'
import type { ResponseStreamEvent } from 'openai/resources/responses/responses'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { describeAdapters } from '../describe-adapters.ts'

const model = 'aurora/dawn-2'
const input = 'How do tides work?'

describeAdapters('openai', (entrance) => {
  const client = () =>
    new OpenAI({
      apiKey: entrance.sandbox.apiKey,
      baseURL: entrance.baseUrl,
      fetch: (...call) => entrance.fetch(...call),
      maxRetries: 0,
    })

  it('creates a response and reads its text', async () => {
    const response = await client().responses.create({ model, input })
    expect(response.status).toBe('completed')
    expect(response.output_text).toContain(input)
  })

  it('iterates over the events of a stream', async () => {
    const stream = await client().responses.create({ model, input, stream: true })
    const events: ResponseStreamEvent[] = []
    for await (const event of stream) events.push(event)
    const deltas = events.flatMap((event) =>
      event.type === 'response.output_text.delta' ? [event.delta] : [],
    )
    const last = events.at(-1)
    expect(last?.type === 'response.completed' && last.response.output).toMatchObject([
      { content: [{ text: deltas.join('') }] },
    ])
  })

  it('reassembles a stream', async () => {
    const online = { model: `${model}:online`, input }
    const stream = client().responses.stream(online)
    let text = ''
    stream.on('response.output_text.delta', ({ delta }) => {
      text += delta
    })
    const final = await stream.finalResponse()
    const whole = await client().responses.create(online)
    expect(text).toBe(whole.output_text)
    expect(final.output_text).toBe(whole.output_text)
    expect(final.output.map(({ type }) => type)).toEqual(['web_search_call', 'message'])
    expect(final.usage).toEqual(whole.usage)
  })

  it('reassembles an incomplete stream', async () => {
    const final = await client().responses.stream({ model, input, max_output_tokens: 4 }).finalResponse()
    expect(final.status).toBe('incomplete')
    expect(final.incomplete_details?.reason).toBe('max_output_tokens')
  })

  it('parses structured output, streamed and not', async () => {
    const Trip = z.object({
      city: z.string(),
      days: z.int().min(1).max(9),
      stops: z.array(z.enum(['museum', 'harbour'])),
    })
    const request = { model, input: 'Plan a trip to Oslo', text: { format: zodTextFormat(Trip, 'trip') } }
    const { output_parsed } = await client().responses.parse(request)
    expect(Trip.parse(output_parsed)).toEqual(output_parsed)
    expect((await client().responses.stream(request).finalResponse()).output_parsed).toEqual(output_parsed)
  })

  it('completes a function-call round trip', async () => {
    const weather = zodResponsesFunction({
      name: 'weather',
      parameters: z.object({ city: z.enum(['Oslo']) }),
    })
    const question = { role: 'user' as const, content: 'How is the weather in Oslo?' }
    const first = await client().responses.parse({
      model,
      input: [question],
      tools: [weather],
      tool_choice: { type: 'function', name: 'weather' },
    })
    const [call] = first.output
    if (call?.type !== 'function_call') throw new Error('no function call')
    expect(call.parsed_arguments).toEqual({ city: 'Oslo' })
    const { parsed_arguments: _, ...sent } = call
    const second = await client().responses.create({
      model,
      input: [question, sent, { type: 'function_call_output', call_id: call.call_id, output: 'drizzle' }],
      tools: [weather],
    })
    expect(second.output_text).toContain('drizzle')
  })

  it('reassembles a streamed function call', async () => {
    const tools = [
      {
        type: 'function' as const,
        name: 'weather',
        strict: false,
        parameters: { type: 'object', properties: { city: { enum: ['Oslo'] } }, required: ['city'] },
      },
    ]
    const stream = client().responses.stream({ model, input, tools, tool_choice: 'required' })
    let text = ''
    stream.on('response.function_call_arguments.delta', ({ delta }) => {
      text += delta
    })
    expect((await stream.finalResponse()).output).toMatchObject([
      { type: 'function_call', arguments: '{"city":"Oslo"}' },
    ])
    expect(text).toBe('{"city":"Oslo"}')
  })

  it("throws the SDK's own error class for a 400", async () => {
    const refused = client().responses.create({ model: '', input })
    await expect(refused).rejects.toBeInstanceOf(OpenAI.BadRequestError)
    await expect(refused).rejects.toMatchObject({ status: 400, code: 400 })
  })
})
