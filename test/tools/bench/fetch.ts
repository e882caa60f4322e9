/**
 * Compares `gateway.fetch` with a function that returns a prepared `Response`. Both bodies are read, because every
 * client reads them.
 */
import { type Bench, compare, cpuPerCall, type Figure, microseconds } from './measure.ts'

const url = 'https://gateway.example/api/v1/providers'
const headers = { authorization: 'Bearer bench' }

export async function measure(bench: Bench): Promise<Figure[]> {
  const { createGateway } = (await import(bench.entry('index'))) as typeof import('../../../src/index.ts')
  const gateway = createGateway({ recordCounts: { providers: 60 } })
  const reply = await gateway.fetch(url, { headers })
  const init = { status: reply.status, headers: [...reply.headers] }
  const body = await reply.text()
  const ready = async (_url: string, _init: RequestInit) => new Response(body, init)

  const cost = (answer: (url: string, init: RequestInit) => Promise<Response>) => () =>
    cpuPerCall(Math.round(1000 * bench.scale), async () => (await answer(url, { headers })).text())
  const result = await compare(bench.rounds, cost(ready), cost(gateway.fetch))
  return [
    {
      name: 'gateway.fetch, GET /providers, 60 rows',
      value: result.ratio,
      unit: 'x',
      aim: 2,
      detail: `${microseconds(result.ours.median)} vs. ${microseconds(result.baseline.median)}`,
    },
    await templates(bench, createGateway),
  ]
}

/** Compares a rule whose reply has a template with one without. */
async function templates(
  bench: Bench,
  createGateway: typeof import('../../../src/index.ts').createGateway,
): Promise<Figure> {
  const cost = (text: string) => {
    const gateway = createGateway()
    gateway.reply(text)
    const init = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'aurora/dawn-2', input: 'Why tides?', metadata: { user: 'Ada' } }),
    }
    const ask = async () => (await gateway.fetch('https://gateway.example/api/v1/responses', init)).text()
    return () => cpuPerCall(Math.round(1000 * bench.scale), ask)
  }
  const plain = cost('Ada asks: Why tides? It is call 1.')
  const result = await compare(
    bench.rounds,
    plain,
    cost('{{ body.metadata.user }} asks: {{ input }} It is call {{ call }}.'),
  )
  return {
    name: 'a rule with a template, POST /responses',
    value: result.ratio,
    unit: 'x',
    aim: 1.3,
    detail: `${microseconds(result.ours.median)} vs. ${microseconds(result.baseline.median)} without a template`,
  }
}
