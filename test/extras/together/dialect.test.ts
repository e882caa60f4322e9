/** Tests the OpenRouter dialect with OpenRouter's SDK, which validates every reply and event. */

import { createOpenRouter } from '@openrouter/ai-sdk-provider'
import { HTTPClient, OpenRouter } from '@openrouter/sdk'
import { generateText, streamText } from 'ai'
import { createParser } from 'eventsource-parser'
import { HTTPClient as HTTPClient0, OpenRouter as OpenRouter0 } from 'openrouter-sdk-0'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createGateway, type Sandbox } from '../../../src/index.ts'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { call } from '../../call.ts'

/** The newest SDK, and the last release of its first major version. The types are from the newest. */
const published = {
  latest: { OpenRouter, HTTPClient },
  '0.13': { OpenRouter: OpenRouter0, HTTPClient: HTTPClient0 } as unknown as Sdk,
}
type Sdk = { OpenRouter: typeof OpenRouter; HTTPClient: typeof HTTPClient }

let server: RunningServer
beforeAll(async () => {
  server = await startServer({ timeScale: 0, dialect: 'openrouter' })
})
afterAll(() => server.close())

const model = 'aurora/dawn-2'
const input = 'How do tides work?'
const messages = [{ role: 'user' as const, content: input }]

/** Narrows the SDK's result to a reply that is not a stream, and checks that the SDK recognised every part of it. */
function whole<Made>(made: Made): Exclude<Made, AsyncIterable<unknown>> {
  expect(JSON.stringify(made)).not.toContain('"isUnknown":true')
  return made as Exclude<Made, AsyncIterable<unknown>>
}

/** Reads a stream and returns its last event. */
async function last<Made>(made: Made) {
  const stream = made as Extract<Made, AsyncIterable<unknown>>
  let event: (typeof stream extends AsyncIterable<infer Event> ? Event : never) | undefined
  for await (const each of stream as AsyncIterable<never>) event = whole(each)
  return event
}

const cases = Object.entries(published).flatMap(([version, sdk]) => [
  { version, entrance: 'over a socket', sdk, isServed: true, isOld: sdk !== published.latest },
  { version, entrance: 'through gateway.fetch', sdk, isServed: false, isOld: sdk !== published.latest },
])

describe.each(cases)(
  'the OpenRouter SDK $version, $entrance, accepts',
  ({ sdk: published, isServed, isOld }) => {
    let sandbox: Sandbox
    let sdk: OpenRouter
    beforeEach(() => {
      const local = createGateway({ timeScale: 0, dialect: 'openrouter' })
      sandbox = (isServed ? server.gateway : local).createSandbox()
      const httpClient = isServed ? {} : { httpClient: new published.HTTPClient({ fetcher: local.fetch }) }
      sdk = new published.OpenRouter({
        apiKey: sandbox.apiKey,
        serverURL: isServed ? server.baseUrl : 'https://gateway.example/api/v1',
        retryConfig: { strategy: 'none' },
        ...httpClient,
      })
    })
    it('the catalogues', async () => {
      expect((await sdk.providers.list()).data.length).toBeGreaterThan(0)
      for await (const page of await sdk.models.list({})) expect(page.result.data.length).toBeGreaterThan(0)
      expect((await sdk.models.count({})).data.count).toBeGreaterThan(0)
      const { data } = await sdk.endpoints.list({ author: 'aurora', slug: 'dawn-2' })
      expect(data.endpoints).toHaveLength(2)
      // An older SDK omits unknown fields.
      if (!isOld) expect(data.endpoints[0]?.supportsToolChoice).toMatchObject({ auto: true })
      for await (const page of await sdk.embeddings.listModels({})) expect(page.result.totalCount).toBe(8)
      expect((await sdk.presets.get({ slug: 'code-review' })).data.slug).toBe('code-review')
    })

    it("benchmarks with OpenRouter's source names", async () => {
      const all = await sdk.benchmarks.getBenchmarks({})
      expect(new Set(all.data.map(({ source }) => source))).toEqual(
        new Set(['artificial-analysis', 'design-arena']),
      )
      const one = await sdk.benchmarks.getBenchmarks({ source: 'design-arena' })
      expect(new Set(one.data.map(({ source }) => source))).toEqual(new Set(['design-arena']))
    })

    it('a workspace', async () => {
      const { data } = await sdk.workspaces.update({
        id: 'production',
        updateWorkspaceRequest: { name: 'Main' },
      })
      expect(data.name).toBe('Main')
      if (!isOld) expect(data.defaultGuardrailId).toMatch(/^[0-9a-f-]{36}$/)
    })

    it('embeddings', async () => {
      const made = await sdk.embeddings.generate({
        requestBody: { model: 'aurora/embed-large', input: 'Hello' },
      })
      expect(typeof made === 'object' && made.data).toHaveLength(1)
    })

    it('chat completions with their cost, plain and streamed', async () => {
      const plain = whole(await sdk.chat.send({ chatRequest: { model, messages, stream: false } }))
      const { promptTokens = 0, completionTokens = 0, cost } = plain.usage ?? {}
      expect(cost).toBeCloseTo(promptTokens * 0.0000025 + completionTokens * 0.00001, 12)
      const chunk = await last(
        await sdk.chat.send({ chatRequest: { model, messages, stream: true as const } }),
      )
      expect(chunk?.usage?.cost).toBe(cost)
    })

    it('a scripted cost', async () => {
      const scripted = createGateway({ dialect: 'openrouter' })
      scripted.reply({ text: 'One', usage: { cost: 0.25 } })
      const body = { model: 'aurora/dawn-2', input: 'Hello' }
      expect((await call(scripted, 'POST /responses', { body })).body.usage.cost).toBe(0.25)
    })

    it('responses with their cost, plain and streamed', async () => {
      const plain = whole(
        await sdk.beta.responses.send({ responsesRequest: { model, input, stream: false } }),
      )
      expect(plain.usage?.cost).toBeGreaterThan(0)
      const event = await last(
        await sdk.beta.responses.send({ responsesRequest: { model, input, stream: true } }),
      )
      expect(event).toMatchObject({
        type: 'response.completed',
        response: { usage: { cost: plain.usage?.cost } },
      })
    })

    it('routing metadata, requested by a header', async () => {
      const asked = { xOpenRouterMetadata: 'enabled' as const }
      sandbox.fail(503, { on: 'createChatCompletion', times: 1 })
      const models = [model, 'borealis/polar-1']
      const plain = whole(await sdk.chat.send({ ...asked, chatRequest: { models, messages, stream: false } }))
      const chunk = await last(
        await sdk.chat.send({ ...asked, chatRequest: { model, messages, stream: true as const } }),
      )
      expect(plain.openrouterMetadata).toMatchObject({ requested: model, strategy: 'fallback', attempt: 2 })
      expect(chunk?.openrouterMetadata).toMatchObject({
        strategy: 'direct',
        endpoints: { total: 1, available: [{ model, provider: expect.stringMatching(/./), selected: true }] },
      })
      const response = await last(
        await sdk.beta.responses.send({ ...asked, responsesRequest: { model, input, stream: true } }),
      )
      expect(response).toMatchObject({ response: { openrouterMetadata: { requested: model, attempt: 1 } } })
      const without = whole(await sdk.chat.send({ chatRequest: { model, messages, stream: false } }))
      expect(without.openrouterMetadata).toBeUndefined()
    })

    it("OpenRouter's name for the search tool, in requests and replies", async () => {
      const tools = [{ type: 'openrouter:web_search' as const }]
      const response = whole(
        await sdk.beta.responses.send({ responsesRequest: { model, input, tools, stream: false } }),
      )
      expect(response.output[0]).toMatchObject({ type: 'web_search_call' })
      // In replies, the SDK knows only the Responses protocol's tool name.
      expect(response.tools[0]).toMatchObject({ type: 'web_search' })
      const journal = sandbox.journal.last('createResponse')
      expect(journal?.body).toMatchObject({ tools: [{ type: 'openrouter:web_search' }] })
    })

    it("OpenRouter's engine names", async () => {
      const plugins = [{ id: 'web' as const, engine: 'exa' as const, maxResults: 2 }]
      const response = whole(
        await sdk.beta.responses.send({ responsesRequest: { model, input, plugins, stream: false } }),
      )
      expect(response.output.map(({ type }) => type)).toEqual(['web_search_call', 'message'])
    })

    it("the account's credits, key and generations", async () => {
      expect((await sdk.credits.getCredits()).data.totalCredits).toBe(100)
      expect((await sdk.apiKeys.getCurrentKeyMetadata()).data.limit).toBeNull()
      const { id } = whole(await sdk.chat.send({ chatRequest: { model, messages, stream: false } }))
      expect((await sdk.generations.getGeneration({ id })).data).toMatchObject({ id, model })
    })

    it('errors', async () => {
      const refused = sdk.chat.send({ chatRequest: { model: '', messages } })
      await expect(refused).rejects.toMatchObject({ statusCode: 400 })
    })
  },
)

describe('the OpenRouter provider of the AI SDK', () => {
  it('reads chat completions, plain and streamed, with the same text', async () => {
    const provider = createOpenRouter({ apiKey: 'any', baseURL: server.baseUrl })
    const { text, usage } = await generateText({ model: provider.chat(model), prompt: input })
    expect(usage.outputTokens).toBeGreaterThan(0)
    const streamed = streamText({ model: provider.chat(model), prompt: input })
    expect(await streamed.text).toBe(text)
  })
})

describe('a dialect', () => {
  it('sends its comment before the first event', async () => {
    const response = await call(server, 'POST /chat/completions', { body: { model, messages, stream: true } })
    const comments: string[] = []
    const parser = createParser({ onComment: (comment) => comments.push(comment) })
    parser.feed(response.text)
    expect(comments).toEqual(['OPENROUTER PROCESSING'])
  })

  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    call(server, `POST ${path}`, { body: { model, messages, max_tokens: 900, ...body }, headers })

  it('supports its search tool and routing metadata in messages', async () => {
    const headers = { 'x-openrouter-metadata': 'enabled' }
    const tools = [{ type: 'openrouter:web_search', parameters: { max_results: 2 } }]
    const { body: message } = await post('/messages', { tools }, headers)
    expect(message.content[2].citations).toHaveLength(2)
    expect(message).toMatchObject({
      openrouter_metadata: { requested: model, endpoints: { total: 1 } },
      usage: {
        service_tier: 'standard',
        server_tool_use: { web_search_requests: 1 },
        cost: expect.any(Number),
      },
    })
    const { text: events } = await post('/messages', { stream: true }, headers)
    expect(events).toContain('"type":"message_stop","openrouter_metadata":{')
    expect((await post('/messages', { tools: [{ type: 'custom' }] })).status).toBe(400)
  })

  it("reports costs in every protocol, plain and streamed, that add up to the sandbox's usage", async () => {
    const sandbox = server.gateway.createSandbox()
    const authorization = `Bearer ${sandbox.apiKey}`
    let sum = 0
    let told = 0
    for (const [path, body] of [
      ['/responses', { input }],
      ['/chat/completions', {}],
      ['/chat/completions', { n: 3 }],
      ['/messages', { thinking: { type: 'enabled', budget_tokens: 200 } }],
      ['/embeddings', { model: 'aurora/embed-large', input }],
    ] as const) {
      for (const stream of path === '/embeddings' ? [false] : [false, true]) {
        const { text } = await post(path, { ...body, stream }, { authorization })
        const costs = [...text.matchAll(/"cost":([\d.e-]+)/g)].map(([, cost]) => Number(cost))
        sum += costs.at(-1) ?? Number.NaN
        told++
      }
    }
    expect(sandbox.usage()).toMatchObject({ requests: told, cost: expect.closeTo(sum, 10) })
  })

  it("uses the vendor's error messages and metadata field", async () => {
    const metadata = { gateway_metadata: { stage: 'guard' } }
    using _rule = server.gateway.use({ on: '*', fault: { name: 'status', status: 402, ...metadata } })
    const refused = await post('/chat/completions', {})
    expect(refused.body).toEqual({
      error: {
        code: 402,
        message: expect.stringMatching(/^Insufficient credits\. Add more using/),
        metadata: { error_type: 'payment_required' },
      },
      openrouter_metadata: { stage: 'guard' },
    })
  })

  it('is rejected with a suggestion if its name is unknown', () => {
    // @ts-expect-error misspelled name
    expect(() => createGateway({ dialect: 'openruter' })).toThrow(
      "options.dialect must be 'openrouter', got 'openruter'; did you mean 'openrouter'?",
    )
  })

  it('is off by default', async () => {
    const reply = await call(createGateway(), 'GET /embeddings/models')
    expect(Object.keys(reply.body)).toEqual(['data'])
  })
})
