/**
 * Compares chat completions with POST /responses: the same questions to the same server, plain and streamed.
 */
import type { BenchRequest } from './baseline.ts'
import { Load, toBytes } from './load.ts'
import { compare, type Figure, microseconds, type Section } from './measure.ts'
import { cpuPerUnit, various } from './requests.ts'
import { startSubject } from './subject.ts'

const model = 'aurora/large'

export const protocols: Section = {
  name: 'protocols',
  title: 'Chat completions on the socket, CPU time compared with POST /responses',
  async run(bench) {
    const options = { extensions: ['chat' as const] }
    await using subject = await startSubject({ kind: 'understudy', entry: bench.entry('serve'), options })
    using load = await Load.to(subject)
    const figures: Figure[] = []
    for (const stream of [false, true]) {
      const name = `POST /chat/completions, ${stream ? 'streamed' : 'plain'}`
      bench.progress(name)
      const count = Math.round((stream ? 300 : 1000) * bench.scale)
      const cost = (requests: readonly BenchRequest[]) => {
        const bytes = requests.map(toBytes)
        return () =>
          cpuPerUnit(subject, async () => {
            await load.send(count, bytes)
            return count
          })
      }
      const responses = various((index) => ({
        method: 'POST',
        path: '/api/v1/responses',
        body: { model, input: question(index), stream },
      }))
      const completions = various((index) => ({
        method: 'POST',
        path: '/api/v1/chat/completions',
        body: { model, messages: [{ role: 'user', content: question(index) }], stream },
      }))
      const { ratio, ours, baseline } = await compare(bench.rounds, cost(responses), cost(completions))
      const detail = `${microseconds(ours.median)} vs. ${microseconds(baseline.median)}`
      figures.push({ name, value: ratio, unit: 'x', aim: 1.1, detail })
    }
    return figures
  },
}

function question(index: number): string {
  return `What follows from observation ${index}?`
}
