/**
 * Compares an intercepted `fetch` with undici's MockAgent returning the same bytes, and with MSW's `setupServer`
 * running Understudy's handlers.
 */
import { setupServer } from 'msw/node'
import { MockAgent, setGlobalDispatcher } from 'undici'
import { type Bench, compare, cpuPerCall, type Figure, microseconds } from './measure.ts'

const origin = 'https://gateway.example'
const headers = { authorization: 'Bearer bench', 'content-type': 'application/json' }
const body = JSON.stringify({ model: 'aurora/large', input: 'What follows from this observation?' })
const requests = {
  'GET /providers': { path: '/api/v1/providers', init: { headers } },
  'POST /responses': { path: '/api/v1/responses', init: { method: 'POST', headers, body } },
}

/** Key under which Node's `fetch` looks up its dispatcher for each request. */
const place = Symbol.for('undici.globalDispatcher.1')

export async function measure(bench: Bench): Promise<Figure[]> {
  const { createGateway } = (await import(bench.entry('index'))) as typeof import('../../../src/index.ts')
  const { intercept } = (await import(bench.entry('node'))) as typeof import('../../../src/node.ts')
  const { handlers } = (await import(bench.entry('msw'))) as typeof import('../../../src/msw.ts')
  const gateway = createGateway()
  const figures: Figure[] = []
  for (const [name, { path, init }] of Object.entries(requests)) {
    const call = async () => (await fetch(origin + path, init)).text()
    // Long enough for each implementation to collect its own garbage within its rounds.
    const count = Math.round(1500 * bench.scale)
    const ours = async () => {
      const interception = intercept(gateway)
      const cost = await cpuPerCall(count, call)
      interception.close()
      return cost
    }

    const reply = await gateway.fetch(origin + path, init)
    const mock = new MockAgent()
    mock
      .get(origin)
      .intercept({ path, method: 'method' in init ? init.method : 'GET' })
      .reply(200, await reply.text(), { headers: Object.fromEntries(reply.headers) })
      .persist()
    const before = Reflect.get(globalThis, place)
    const mocked = async () => {
      setGlobalDispatcher(mock)
      const cost = await cpuPerCall(count, call)
      Reflect.set(globalThis, place, before)
      return cost
    }
    const againstMock = await compare(Math.min(bench.rounds, 15), mocked, ours)

    const server = setupServer(...handlers(gateway))
    const msw = async () => {
      server.listen()
      const cost = await cpuPerCall(Math.max(10, Math.round(count / 50)), call)
      server.close()
      return cost
    }
    const againstMsw = await compare(Math.min(bench.rounds, 15), msw, ours)
    const detail = ({ ours, baseline }: typeof againstMock, of: string) =>
      `${microseconds(ours.median)} vs. ${microseconds(baseline.median)} of ${of}`
    const aims = path.endsWith('providers') ? [{ aim: 1.3 }, { aim: 1 / 12 }] : [{}, {}]
    figures.push(
      {
        name: `Intercepted fetch, ${name}, compared with undici's MockAgent`,
        value: againstMock.ratio,
        unit: 'x',
        ...aims[0],
        detail: detail(againstMock, 'MockAgent'),
      },
      {
        name: `Intercepted fetch, ${name}, compared with MSW 3's setupServer`,
        value: againstMsw.ratio,
        unit: 'x',
        ...aims[1],
        detail: detail(againstMsw, "setupServer with Understudy's handlers"),
      },
    )
  }
  return figures
}
