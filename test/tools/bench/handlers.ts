/** Compares Understudy's MSW handlers with a bare handler that returns the same body. */
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { type Bench, compare, cpuPerCall, type Figure, microseconds } from './measure.ts'

const baseUrl = 'https://gateway.example/api/v1'
const path = `${baseUrl}/providers`
const headers = { authorization: 'Bearer bench' }

export async function measure(bench: Bench): Promise<Figure[]> {
  const { createGateway } = (await import(bench.entry('index'))) as typeof import('../../../src/index.ts')
  const { handlers } = (await import(bench.entry('msw'))) as typeof import('../../../src/msw.ts')
  const gateway = createGateway({ recordCounts: { providers: 60 } })
  const reply = await gateway.fetch(path, { headers })
  const init = { status: reply.status, headers: [...reply.headers] as [string, string][] }
  const body = await reply.text()
  const bare = http.get(path, () => new HttpResponse(body, init))

  // Uses a single interception and replaces its handlers, because two interceptions would both see every
  // request.
  const server = setupServer()
  server.listen()
  const cost = (handlers: Parameters<typeof server.resetHandlers>) => () => {
    server.resetHandlers(...handlers)
    return cpuPerCall(Math.round(400 * bench.scale), async () => (await fetch(path, { headers })).text())
  }
  const result = await compare(Math.min(bench.rounds, 15), cost([bare]), cost(handlers(gateway)))
  server.close()
  return [
    {
      name: 'Our handlers',
      value: result.ratio,
      unit: 'x',
      aim: 1.15,
      detail: `${microseconds(result.ours.median)} vs. ${microseconds(result.baseline.median)} for a bare handler`,
    },
  ]
}
