/** Tests `@openrouter/agent` with the dialect: costs, and the vendor's search tool. */
import { callModel, maxCost, OpenRouter, serverTool, tool } from '@openrouter/agent'
import { HTTPClient } from 'openrouter-sdk-0'
import { beforeEach, expect, it } from 'vitest'
import * as z from 'zod'
import { createGateway } from '../../../src/index.ts'

const gateway = createGateway({ dialect: 'openrouter', timeScale: 0 })
beforeEach(() => gateway.reset())

const client = new OpenRouter({
  apiKey: 'any',
  serverURL: 'https://gateway.example/api/v1',
  retryConfig: { strategy: 'none' },
  // The package has its own copy of the SDK, so the types differ.
  httpClient: new HTTPClient({ fetcher: (request) => gateway.fetch(request as Request) }) as never,
})
const model = 'aurora/dawn-2'

it('@openrouter/agent stops a tool-call loop at a maximum cost', async () => {
  const search = tool({ name: 'search', inputSchema: z.object({}), execute: async () => 'nothing' })
  gateway.script([{ call: { search: {} } }], { onEnd: 'repeat-last' })
  const result = callModel(client, {
    model,
    input: 'Search until it costs too much.',
    tools: [search] as const,
    stopWhen: maxCost(0.000_01),
    allowFinalResponse: false,
  })
  expect((await result.getResponse()).usage).toMatchObject({ cost: expect.any(Number), isByok: false })
  const count = gateway.journal.entries().length
  expect(count).toBeGreaterThan(1)
  expect(count).toBeLessThan(5)
})

it('@openrouter/agent receives the pages that the search tool cites', async () => {
  const result = callModel(client, {
    model,
    input: 'Search the web for tides',
    tools: [serverTool({ type: 'openrouter:web_search', parameters: { maxResults: 2 } })] as const,
  })
  const { output } = await result.getResponse()
  expect(output.at(-1)).toMatchObject({
    content: [{ annotations: [{ type: 'url_citation' }, { type: 'url_citation' }] }],
  })
})
