/**
 * `gateway.fetch` against a function that returns a ready `Response`; both are read, as every client does.
 */
import { type Bench, compare, cpuPerCall, type Figure, microseconds } from './measure.ts'

const url = 'https://gateway.example/api/v1/providers'
const headers = { authorization: 'Bearer bench' }

export async function measure(bench: Bench): Promise<Figure[]> {
  const { createGateway } = (await import(bench.entry('index'))) as typeof import('../../src/index.ts')
  const gateway = createGateway({ size: { providers: 60 } })
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
      detail: `${microseconds(result.ours.median)} against ${microseconds(result.floor.median)}`,
    },
  ]
}
