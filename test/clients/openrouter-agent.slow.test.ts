import { callModel, OpenRouter, tool } from '@openrouter/agent'
import { HTTPClient } from 'openrouter-sdk-0'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { describeAdapters } from '../describe-adapters.ts'

const model = 'aurora/dawn-2'
const input = 'How do tides work?'

describeAdapters('@openrouter/agent', (entrance) => {
  const client = () =>
    new OpenRouter({
      apiKey: entrance.sandbox.apiKey,
      serverURL: entrance.baseUrl,
      retryConfig: { strategy: 'none' },
      // The package has its own copy of the SDK, so the types differ.
      httpClient: new HTTPClient({ fetcher: (request) => entrance.fetch(request) }) as never,
    })

  it('reads text', async () => {
    const result = callModel(client(), { model, input, instructions: 'Be brief.' })
    expect(await result.getText()).toContain(input)
    const { usage } = await result.getResponse()
    expect(usage?.totalTokens).toBe((usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0))
  })

  it('streams text', async () => {
    const result = callModel(client(), { model, input })
    const deltas: string[] = []
    for await (const delta of result.getTextStream()) deltas.push(delta)
    expect(deltas.length).toBeGreaterThan(10)
    expect(deltas.join('')).toBe(await result.getText())
  })

  it('calls a tool and continues with its result', async () => {
    const cities: string[] = []
    const weather = tool({
      name: 'weather',
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => {
        cities.push(city)
        return { sky: 'drizzle' }
      },
    })
    entrance.sandbox.script([
      { call: { weather: { city: 'Oslo' } } },
      { expect: { result: { weather: 'drizzle' } }, text: 'Take an umbrella.' },
    ])
    const result = callModel(client(), {
      model,
      input: 'How is the weather in Oslo?',
      tools: [weather] as const,
    })
    expect(await result.getText()).toBe('Take an umbrella.')
    expect(cities).toEqual(['Oslo'])
  })

  it.each([
    [400, 'BadRequestResponseError'],
    [401, 'UnauthorizedResponseError'],
    [402, 'PaymentRequiredResponseError'],
    [429, 'TooManyRequestsResponseError'],
    [503, 'ServiceUnavailableResponseError'],
  ] as const)("throws the SDK's error class for status %i", async (status, name) => {
    entrance.sandbox.fail(status)
    const error = await callModel(client(), { model, input })
      .getText()
      .catch((thrown) => thrown)
    expect(error).toMatchObject({ statusCode: status })
    expect(error.constructor.name).toBe(name)
  })
})
