/** Measures memory over many requests with the journal enabled. Memory must stay bounded. */
import type { BenchRequest } from './baseline.ts'
import { Load, toBytes } from './load.ts'
import { exactly, type Section } from './measure.ts'
import { startSubject } from './subject.ts'

const body = { model: 'aurora/large', input: 'What do you make of this?' }
const mix: readonly BenchRequest[] = Array.from({ length: 400 }, (_, index) => [
  { method: 'GET', path: '/api/v1/providers' },
  { method: 'PATCH', path: '/api/v1/workspaces/production', body: { description: `Round ${index}` } },
  { method: 'POST', path: '/api/v1/responses', body: { ...body, metadata: { index: `${index}` } } },
  { method: 'POST', path: '/api/v1/responses', body: { ...body, stream: true } },
]).flat()

export const memory: Section = {
  name: 'memory',
  title: 'Memory over many requests, journal enabled',
  async run(bench) {
    await using ours = await startSubject({ kind: 'understudy', entry: bench.entry('serve'), options: {} })
    using load = await Load.to(ours)
    const requests = mix.map(toBytes)
    const leg = Math.round(50_000 * bench.scale)
    const weights: Array<{ rss: number; heap: number }> = []
    for (let lap = 1; lap <= 4; lap++) {
      bench.progress(`${(lap * leg).toLocaleString('en')} requests`)
      await load.send(leg, requests)
      weights.push(await ours.usage(true))
    }
    const [first, last] = [weights[0], weights[3]]
    if (!first || !last) return []
    const inMegabytes = (key: 'heap' | 'rss') =>
      weights.map((weight) => (weight[key] / 1e6).toFixed(1)).join(', ')
    return [
      {
        name: `Heap after ${(4 * leg).toLocaleString('en')} requests, compared with ${leg.toLocaleString('en')}`,
        value: exactly(last.heap / first.heap),
        unit: 'x',
        aim: 1.2,
        detail: `${inMegabytes('heap')} MB; RSS ${inMegabytes('rss')} MB`,
      },
    ]
  },
}
