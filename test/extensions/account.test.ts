/** Tests GET /credits, GET /key and GET /generation, which report a sandbox's usage. */
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { extensions } from '../../src/operations/extensions/index.ts'
import { call, open } from '../call.ts'

const gateway = createGateway({ timeScale: 0, extensions: ['account', 'chat'] })

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
    expect(body.data).toMatchObject({
      id: completion.id,
      model: 'aurora/dawn-2',
      tokens_prompt: prompt_tokens,
      tokens_completion: completion_tokens,
      total_cost: expect.closeTo(cost, 9),
      streamed: false,
      cancelled: false,
      finish_reason: 'stop',
    })
  })

  it('reports a stream aborted by the client as cancelled', async () => {
    const slow = createGateway({ extensions: ['account', 'chat'], latency: { gapMs: 1000 } })
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
    expect((await ask('GET /generation')).status).toBe(400)
  })
})

it('every operation of an extension is marked as an extension', () => {
  const all = Object.values(extensions).flat()
  expect(all.length).toBeGreaterThan(5)
  expect(all.filter(({ marks }) => !marks?.extension).map(({ id }) => id)).toEqual([])
})
