/** Tests GET /credits, GET /key and GET /generation, which report a sandbox's usage. */
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { call, open } from '../../call.ts'

const gateway = createGateway({ timeScale: 0 })

/** Fields of a generation that do not depend on the request. */
const generation = {
  native_tokens_cached: 0,
  native_tokens_reasoning: 0,
  native_tokens_completion_images: 0,
  streamed: false,
  cancelled: false,
  finish_reason: 'stop',
  native_finish_reason: null,
  origin: '',
  is_byok: false,
  api_type: 'completions',
  data_region: 'global',
  app_id: null,
  cache_discount: null,
  external_user: null,
  generation_time: null,
  http_referer: null,
  latency: null,
  moderation_latency: null,
  num_fetches: null,
  num_input_audio_prompt: null,
  num_media_completion: null,
  num_media_prompt: null,
  num_search_results: null,
  preset_id: null,
  provider_name: null,
  provider_responses: null,
  router: null,
  service_tier: null,
  session_id: null,
  upstream_id: null,
  upstream_inference_cost: null,
  user_agent: null,
  web_search_engine: null,
  workspace_id: null,
}

const ask = (line: string, body?: unknown) => call(gateway, line, { body })

describe('the account extension', () => {
  it('reports the cost of all requests and of a single request', async () => {
    expect((await ask('GET /credits')).body).toEqual({ data: { total_credits: 100, total_usage: 0 } })
    const messages = [{ role: 'user', content: 'How do tides work?' }]
    const { body: completion } = await ask('POST /chat/completions', { model: 'aurora/dawn-2', messages })
    const { prompt_tokens, completion_tokens } = completion.usage
    const cost = prompt_tokens * 0.0000025 + completion_tokens * 0.00001
    expect((await ask('GET /credits')).body.data.total_usage).toBeCloseTo(cost, 9)
    expect((await ask('GET /key')).body.data).toMatchObject({ limit: null, usage: expect.closeTo(cost, 9) })
    const { body } = await ask(`GET /generation?id=${completion.id}`)
    expect(body.data).toEqual({
      ...generation,
      id: completion.id,
      request_id: expect.stringMatching(/^req_/),
      model: 'aurora/dawn-2',
      created_at: expect.stringMatching(/^\d{4}-/),
      tokens_prompt: prompt_tokens,
      tokens_completion: completion_tokens,
      native_tokens_prompt: prompt_tokens,
      native_tokens_completion: completion_tokens,
      total_cost: expect.closeTo(cost, 9),
      usage: expect.closeTo(cost, 9),
    })
  })

  it('reports no cost for a model that is not in the catalogue, and no output tokens for embeddings', async () => {
    const messages = [{ role: 'user', content: 'How do tides work?' }]
    const { body: completion } = await ask('POST /chat/completions', { model: 'other/model', messages })
    const { data } = (await ask(`GET /generation?id=${completion.id}`)).body
    expect([data.total_cost, data.usage, data.tokens_prompt]).toEqual([0, 0, 5])
    const { body: list } = await ask('POST /embeddings', { model: 'other/embed', input: 'Rising tide' })
    expect((await ask(`GET /generation?id=${list.id}`)).body.data).toMatchObject({
      ...generation,
      tokens_prompt: 2,
      tokens_completion: 0,
      native_tokens_completion: 0,
    })
  })

  it('reports a stream aborted by the client as cancelled', async () => {
    const slow = createGateway({ latency: { perToken: 1000 } })
    const messages = [{ role: 'user', content: 'How do tides work?' }]
    const reply = await open(slow, 'POST /chat/completions', {
      body: { model: 'aurora/dawn-2', messages, stream: true },
    })
    const reader = reply.body?.getReader()
    const first = new TextDecoder().decode((await reader?.read())?.value)
    await reader?.cancel()
    const id = /"id":"([^"]+)"/.exec(first)?.[1]
    const { data } = (await call(slow, `GET /generation?id=${id}`)).body
    expect(data).toMatchObject({ id, streamed: true, cancelled: true, finish_reason: null })
  })

  it('responds with 404 to an unknown generation and with 400 to a missing id', async () => {
    expect((await ask('GET /generation?id=gen-none')).status).toBe(404)
    expect((await ask('GET /generation?id=g')).status).toBe(404)
    expect((await ask('GET /generation?id=')).status).toBe(400)
    expect((await ask('GET /generation')).status).toBe(400)
  })
})
