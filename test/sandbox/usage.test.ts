import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import models from '../../fixtures/models.json' with { type: 'json' }
import { createGateway } from '../../src/index.ts'
import { connectGateway } from '../../src/remote.ts'
import { startServer } from '../../src/serve.ts'
import { call, open } from '../call.ts'

type Gateway = ReturnType<typeof createGateway>

async function ask({ fetch }: Pick<Gateway, 'fetch'>, body: object = {}) {
  const { status: code, text } = await call({ fetch }, 'POST /responses', {
    body: { model: 'aurora/dawn-2', input: 'Why is the sky blue?', ...body },
  })
  if (!(body as { stream?: boolean }).stream) return { code, ...JSON.parse(text) }
  const last = text.split('\n\n').at(-3) as string
  return { code, ...JSON.parse(last.slice('data: '.length)).response }
}

const nothing = {
  requests: 0,
  inputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteTokens1h: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  totalTokens: 0,
  cost: 0,
  unpriced: 0,
}

describe('sandbox.usage()', () => {
  it('is empty at first and after a reset', async () => {
    const gateway = createGateway()
    expect(gateway.usage()).toEqual({ ...nothing, models: {} })
    await ask(gateway)
    expect(gateway.usage().requests).toBe(1)
    gateway.reset()
    expect(gateway.usage()).toEqual({ ...nothing, models: {} })
  })

  it("prices requests by the model's catalogue entry, with and without :online", async () => {
    const gateway = createGateway()
    const usage = { input_tokens: 1000, output_tokens: 200 }
    gateway.use({ on: 'createResponse', reply: { usage } })
    await ask(gateway)
    await ask(gateway, { model: 'aurora/dawn-2:online' })
    await ask(gateway, { model: 'borealis/polar-4' })
    const price = (id: string) => {
      const { prompt, completion } = models.find((model) => model.id === id)?.pricing ?? {}
      return Math.round((1000 * Number(prompt) + 200 * Number(completion)) * 1e10) / 1e10
    }
    const { models: byModel, cost } = gateway.usage()
    expect(byModel['aurora/dawn-2']).toMatchObject({
      requests: 2,
      inputTokens: 2000,
      outputTokens: 400,
      totalTokens: 2400,
      cost: 2 * price('aurora/dawn-2'),
    })
    expect(byModel['borealis/polar-4']).toMatchObject({ requests: 1, cost: price('borealis/polar-4') })
    expect(cost).toBeCloseTo(2 * price('aurora/dawn-2') + price('borealis/polar-4'), 10)
  })

  it("uses the models collection's current prices and counts requests without a price", async () => {
    const gateway = createGateway()
    await gateway.db.models.update('aurora/dawn-2', {
      pricing: { prompt: '1', completion: '0', image: '0', request: '0.5' },
    })
    gateway.use({ on: 'createResponse', reply: { usage: { input_tokens: 3 } } })
    await ask(gateway, { model: 'aurora/dawn-2:nitro' })
    await ask(gateway, { model: 'nobody/knows-1' })
    expect(gateway.usage()).toMatchObject({ requests: 2, cost: 3.5, unpriced: 1 })
    expect(gateway.journal.entries().map(({ usage }) => usage?.cost)).toEqual([3.5, null])
  })

  it('prices a new model, whose other fields are generated, and counts scripted costs', async () => {
    const gateway = createGateway()
    const pricing = { prompt: '0.01', completion: '0.02' }
    const model = await gateway.db.models.create({ id: 'acme/tide-1', pricing })
    expect(model.pricing).toEqual({ ...pricing, image: '0', request: '0' })
    gateway.reply({ text: 'Two', usage: { input_tokens: 1, output_tokens: 2, cost: 7 } })
    gateway.reply({ text: 'One', usage: { input_tokens: 1, output_tokens: 2 } }, { times: 1 })
    await ask(gateway, { model: model.id })
    await ask(gateway, { model: model.id })
    expect(gateway.journal.entries().map(({ usage }) => usage?.cost)).toEqual([0.05, 7])
    expect(gateway.usage()).toMatchObject({ cost: 7.05, unpriced: 0 })
  })

  it('counts replies that a body or frames write as requests of unknown cost, except errors', async () => {
    const gateway = createGateway()
    gateway.reply({ body: { id: 'resp_1', usage: { cost: 0.0123 } } }, { times: 1 })
    gateway.reply({ frames: [{ data: '{}' }] }, { times: 1 })
    gateway.reply({ status: 503, body: {} })
    gateway.reply({ body: {} }, { on: 'listProviders' })
    for (const _ of '123')
      await call(gateway, 'POST /responses', { body: { model: 'aurora/dawn-2', input: 'Hello' } })
    await call(gateway, 'GET /providers')
    const counts = { ...nothing, requests: 2, unpriced: 2 }
    expect(gateway.usage()).toEqual({ ...counts, models: { 'aurora/dawn-2': counts } })
    expect(gateway.journal.entries().map(({ usage }) => usage)).toEqual([null, null, null, null])
  })

  it('equals the sum of the usage in all replies', async () => {
    const call = fc.record({
      model: fc.constantFrom('aurora/dawn-2', 'borealis/polar-4', 'nobody/knows-1'),
      input: fc.constantFrom('Hello', 'Why is the sky blue?', 'Tell me of tides'),
      stream: fc.boolean(),
      reasoning: fc.constantFrom({}, { effort: 'low' }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 12 }), async (calls) => {
        const gateway = createGateway()
        const sum = { input_tokens: 0, output_tokens: 0, cached: 0, reasoning: 0 }
        for (const each of calls) {
          const { usage } = await ask(gateway, each)
          sum.input_tokens += usage.input_tokens
          sum.output_tokens += usage.output_tokens
          sum.cached += usage.input_tokens_details.cached_tokens
          sum.reasoning += usage.output_tokens_details.reasoning_tokens
        }
        const { models, ...total } = gateway.usage()
        expect(total).toMatchObject({
          requests: calls.length,
          inputTokens: sum.input_tokens,
          outputTokens: sum.output_tokens,
          cachedTokens: sum.cached,
          reasoningTokens: sum.reasoning,
        })
        const costs = gateway.journal.entries().map(({ usage }) => usage?.cost ?? 0)
        expect(total.cost).toBeCloseTo(
          costs.reduce((all, cost) => all + cost, 0),
          9,
        )
        const requests = Object.values(models).map(({ requests }) => requests)
        expect(requests.reduce((all, each) => all + each, 0)).toBe(calls.length)
      }),
      { numRuns: 15 },
    )
  })

  it('ignores rejected requests, and is restored with a snapshot', async () => {
    const gateway = createGateway()
    await ask(gateway)
    const before = gateway.usage()
    const snapshot = gateway.snapshot()
    await ask(gateway, { model: 7 })
    expect(gateway.usage()).toEqual(before)
    await ask(gateway)
    expect(gateway.usage().requests).toBe(2)
    gateway.restore(snapshot)
    expect(gateway.usage()).toEqual(before)
  })

  it('is available through a remote gateway', async () => {
    await using server = await startServer()
    const remote = await connectGateway(server.url)
    const sandbox = await remote.createSandbox()
    await open(sandbox, 'POST /responses', { body: { model: 'aurora/dawn-2', input: 'Hello' } })
    const usage = await sandbox.usage()
    expect(usage).toMatchObject({ requests: 1, models: { 'aurora/dawn-2': { requests: 1 } } })
    expect(usage.cost).toBeGreaterThan(0)
  })
})
