/**
 * Compares a request's CPU time on the socket with bare `node:http` writing the same bytes. The journal is
 * enabled.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type BenchRequest, capture } from './baseline.ts'
import { Load, toBytes } from './load.ts'
import {
  type Bench,
  type Comparison,
  compare,
  exactly,
  type Figure,
  microseconds,
  type Section,
} from './measure.ts'
import { type Subject, startSubject } from './subject.ts'

interface Exercise {
  name: string
  aim?: number
  requests: readonly BenchRequest[]
}

const workspace = '/api/v1/workspaces/11111111-1111-4111-8111-111111111111'

const exercises: readonly Exercise[] = [
  {
    name: 'GET /providers, 60 rows',
    aim: 1.5,
    requests: [{ method: 'GET', path: '/api/v1/providers' }],
  },
  {
    name: 'PATCH /workspaces/{id}',
    aim: 3,
    requests: various((index) => ({
      method: 'PATCH',
      path: workspace,
      body: { name: `Workspace ${index}` },
    })),
  },
  {
    name: 'GET /benchmarks with filters',
    requests: [
      { method: 'GET', path: '/api/v1/benchmarks?source=index-source&task_type=coding&max_results=10' },
    ],
  },
  {
    name: 'POST /responses, plain',
    aim: 2.4,
    requests: various((index) => ({
      method: 'POST',
      path: '/api/v1/responses',
      body: { model: 'aurora/large', input: `What follows from observation ${index}?` },
    })),
  },
]

/** Returns requests that differ from each other, to avoid cache hits. */
export function various(make: (index: number) => BenchRequest): BenchRequest[] {
  return Array.from({ length: 1000 }, (_, index) => make(index + 1000))
}

export const requests: Section = {
  name: 'requests',
  title: 'Requests on the socket, CPU time compared with bare node:http',
  async run(bench) {
    await using ours = await startSubject({
      kind: 'understudy',
      entry: bench.entry('serve'),
      options: { recordCounts: { providers: 60 } },
    })
    const figures: Figure[] = []
    for (const exercise of exercises) {
      bench.progress(exercise.name)
      figures.push(await measure(exercise, ours, bench))
    }
    bench.progress('POST /responses compared with phantomllm')
    figures.push(await againstPeer(ours, bench))
    bench.progress("the program's memory")
    figures.push(await memoryOfProgram(bench))
    return figures
  },
}

async function measure({ name, aim, requests }: Exercise, ours: Subject, bench: Bench): Promise<Figure> {
  const reply = await capture(ours.port, requests[0] as BenchRequest)
  await using baseline = await startSubject({ kind: 'baseline', replies: [reply] })
  const bytes = requests.map(toBytes)
  const count = Math.round(1000 * bench.scale)
  const rates: number[] = []
  const result = await compareServers(bench.rounds, baseline, ours, async (load, subject) => {
    const seconds = await load.send(count, bytes)
    if (subject === ours) rates.push(count / seconds)
    return count
  })
  const rate = Math.max(...rates)
  const detail = `${microseconds(result.ours.median)} vs. ${microseconds(result.baseline.median)}, ${Math.round(rate).toLocaleString('en')} a second`
  return { name, value: result.ratio, unit: 'x', ...(aim !== undefined && { aim }), detail }
}

/** Compares Understudy with another mock server, for POST /responses with a fixed text. */
async function againstPeer(ours: Subject, bench: Bench): Promise<Figure> {
  await using peer = await startSubject({ kind: 'peer', text: 'A ready answer of a few words.' })
  const wanted = various((index) => ({
    method: 'POST',
    path: '/responses',
    body: { model: 'aurora/large', input: `What follows from observation ${index}?` },
  }))
  const bytesBelow = (base: string) => wanted.map((each) => toBytes({ ...each, path: `${base}${each.path}` }))
  const requestsTo = new Map([
    [ours, bytesBelow('/api/v1')],
    [peer, bytesBelow('/v1')],
  ])
  const count = Math.round(1000 * bench.scale)
  const result = await compareServers(bench.rounds, peer, ours, async (load, subject) => {
    await load.send(count, requestsTo.get(subject) ?? [])
    return count
  })
  return {
    name: 'POST /responses, plain, compared with phantomllm 1.0.3',
    value: result.ratio,
    unit: 'x',
    aim: 1,
    detail: `${microseconds(result.ours.median)} vs. ${microseconds(result.baseline.median)}`,
  }
}

/**
 * Measures the program as users start it. The servers above also contain the benchmark and Node's TypeScript
 * loader.
 */
async function memoryOfProgram(bench: Bench): Promise<Figure> {
  const args = [fileURLToPath(bench.entry('bin')), '--port', '0', '--json', '--quiet']
  const program = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [ready] = await once(program.stdout, 'data')
    const { port, url } = JSON.parse(String(ready)) as { port: number; url: string }
    using load = await Load.to({ port })
    const count = Math.round(50_000 * bench.scale)
    for (const { requests } of exercises) await load.send(count, requests.map(toBytes))
    const metrics = await (await fetch(`${url}/__understudy/metrics`)).text()
    return {
      name: `The program's memory after ${count.toLocaleString('en')} of each (RSS)`,
      unit: 'MB',
      value: exactly(Number(/^process_resident_memory_bytes (\d+)$/m.exec(metrics)?.[1]) / 1e6),
      aim: 200,
    }
  } finally {
    program.kill()
  }
}

/** @param exert Puts load on a server and returns the units of work done. */
export async function compareServers(
  rounds: number,
  baseline: Subject,
  ours: Subject,
  exert: (load: Load, subject: Subject) => Promise<number>,
): Promise<Comparison> {
  using baselineLoad = await Load.to(baseline)
  using ourLoad = await Load.to(ours)
  const cost = (load: Load, subject: Subject) => () => cpuPerUnit(subject, () => exert(load, subject))
  // Awaited here because the connections close when this function returns.
  return await compare(rounds, cost(baselineLoad, baseline), cost(ourLoad, ours))
}

/**
 * Returns a server's CPU time per unit of work in microseconds.
 *
 * @param exert Puts load on the server and returns the units of work done.
 */
export async function cpuPerUnit(subject: Subject, exert: () => Promise<number>): Promise<number> {
  const { cpu: before } = await subject.usage()
  const units = await exert()
  return ((await subject.usage()).cpu - before) / units
}
