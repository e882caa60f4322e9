/**
 * Tests that bundled scenarios behave as described. Fault tests and client tests cover the scenarios not
 * listed here.
 */

import { createParser } from 'eventsource-parser'
import { describe, expect, it, vi } from 'vitest'
import type { ZodType } from 'zod'
import { createGateway, type GatewayOptions } from '../../src/index.ts'
import { operations } from '../../src/operations/index.ts'
import type { BundledScenarioName } from '../../src/scenarios/bundled.ts'
import { bundledScenarios } from '../../src/scenarios/bundled.ts'
import { call } from '../call.ts'

const question = { model: 'aurora/dawn-1', input: 'Why is the sky blue?' }

function setup(scenario: BundledScenarioName, options: GatewayOptions = { timeScale: 0 }) {
  const gateway = createGateway(options)
  gateway.use(scenario)
  const send = (line: string, body?: object) => call(gateway, line, { body })
  return {
    gateway,
    send,
    ask: (change: object = {}) => send('POST /responses', { ...question, ...change }),
  }
}

describe('bundled scenarios', () => {
  it('brownout: delays and rejects more and more requests', async () => {
    const { gateway, send } = setup('brownout')
    const waits: number[] = []
    vi.spyOn(gateway.sandboxes.default.state.clock, 'wait').mockImplementation((ms) => void waits.push(ms))
    const countRejections = async () => {
      const statuses: number[] = []
      for (let turn = 0; turn < 60; turn++) statuses.push((await send('GET /providers')).status)
      return statuses.filter((status) => status === 503).length
    }
    expect(await countRejections()).toBe(0)
    expect(waits.splice(0)).toEqual(Array(60).fill(50))
    gateway.clock.advance(30_000)
    const halfway = await countRejections()
    expect(waits.splice(0)).toEqual(Array(60).fill(1500))
    gateway.clock.advance(60_000)
    const late = await countRejections()
    expect(waits).toEqual(Array(60).fill(3000))
    expect(halfway).toBeGreaterThan(5)
    expect(late).toBeGreaterThan(halfway)
    expect(late).toBeLessThan(60)
  })

  it('contract-break: violates the schema of every operation it targets', async () => {
    const { gateway, send } = setup('contract-break')
    const [workspace] = await gateway.db.workspaces.list()
    const [preset] = await gateway.db.presets.list()
    const calls = {
      listProviders: () => send('GET /providers'),
      listEmbeddingsModels: () => send('GET /embeddings/models'),
      listBenchmarks: () => send('GET /benchmarks'),
      getPreset: () => send(`GET /presets/${preset?.slug}`),
      updateWorkspace: () => send(`PATCH /workspaces/${workspace?.slug}`, { description: 'New' }),
      createResponse: () => send('POST /responses', question),
    }
    const named = operations.filter(({ id }) => id in calls)
    expect(named).toHaveLength(Object.keys(calls).length)
    for (const { id, output } of named) {
      const { status, body } = await calls[id as keyof typeof calls]()
      expect([id, status, (output as ZodType).safeParse(body).success]).toEqual([id, 200, false])
    }
    expect(gateway.unusedRules()).toMatchObject([{ rule: 6 }, { rule: 8 }, { rule: 9 }, { rule: 10 }])
  })

  it('web-search-empty: removes citations from searches and leaves other replies unchanged', async () => {
    const { ask } = setup('web-search-empty')
    const search = { type: 'gateway:web_search' }
    const searches = [
      { tools: [search] },
      { plugins: [{ id: 'web' }] },
      { model: 'aurora/dawn-1:online' },
      { tools: [search], stream: true },
      { model: '@preset/research-brief' },
    ]
    for (const body of searches) {
      const { status, text } = await ask(body)
      expect([status, text.includes('web_search_call'), text.includes('url_citation')]).toEqual([
        200,
        true,
        false,
      ])
    }
    const tools = [search, { type: 'function', name: 'f', parameters: {} }]
    const withoutSearch = [
      {},
      { tools: [search], tool_choice: 'none' },
      { tools, tool_choice: { type: 'function', name: 'f' } },
    ]
    for (const body of withoutSearch) {
      const { status, text } = await ask(body)
      expect([status, text.includes('web_search_call'), text.includes('found no page')]).toEqual([
        200,
        false,
        false,
      ])
    }
  })

  it('overloaded: does not affect operations that generate no text', async () => {
    expect((await setup('overloaded').send('GET /providers')).status).toBe(200)
  })

  it('parser-torture: streams the same content in a different byte layout each time', async () => {
    const { gateway, ask } = setup('parser-torture')
    const bodies: string[] = []
    const contents = new Set<string>()
    const steps = (JSON.stringify(bundledScenarios.get('parser-torture')).match(/"fault"/g) ?? []).length
    for (let turn = 0; turn < steps; turn++) {
      const { text } = await ask({ stream: true })
      bodies.push(text)
      const deltas: string[] = []
      const parser = createParser({
        onEvent({ data }) {
          if (data === '' || data === '[DONE]') return
          const { type, delta, sequence_number } = JSON.parse(data)
          if (type === 'response.output_text.delta') deltas[sequence_number] = delta
        },
      })
      parser.feed(text)
      contents.add(deltas.join(''))
    }
    expect(contents.size).toBe(1)
    // Two of the variants differ only in their chunk boundaries.
    expect(new Set(bodies).size).toBeGreaterThan(steps - 2)
    expect(gateway.unusedRules()).toEqual([])
  })
})
