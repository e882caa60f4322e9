/**
 * Benchmarks of sandboxes: creating, forking and resetting one, relative to GET /providers, and the memory of
 * an idle one.
 */

import type { BenchRequest } from './baseline.ts'
import { Load, toBytes } from './load.ts'
import {
  type Bench,
  compare,
  cpuPerCall,
  exactly,
  type Figure,
  microseconds,
  type Section,
} from './measure.ts'
import { cpuPerUnit } from './requests.ts'
import { inSeparateProcess } from './separate-process.ts'
import { startSubject } from './subject.ts'

export const sandboxes: Section = {
  name: 'sandboxes',
  title: 'Sandboxes',
  run: async (bench) => [
    ...(await inSeparateProcess(new URL(import.meta.url), bench)),
    ...(await overHttp(bench)),
  ],
}

const url = 'https://gateway.example/api/v1/providers'
const workspace = 'https://gateway.example/api/v1/workspaces/11111111-1111-4111-8111-111111111111'

export async function measure(bench: Bench): Promise<Figure[]> {
  const { createGateway } = (await import(bench.entry('index'))) as typeof import('../../../src/index.ts')
  const gateway = createGateway()
  const used = gateway.createSandbox()
  const headers = { authorization: `Bearer ${used.apiKey}` }
  const patch = (name: string) =>
    gateway.fetch(workspace, { method: 'PATCH', headers, body: JSON.stringify({ name }) })
  await patch('Forked')

  const count = Math.round(700 * bench.scale)
  const get = () => cpuPerCall(count, async () => (await gateway.fetch(url, { headers })).text())
  const verbs = {
    create: () => gateway.createSandbox().dispose(),
    fork: () => used.fork().dispose(),
    reset: () => used.reset(),
  }
  const figures: Figure[] = []
  for (const [name, act] of Object.entries(verbs)) {
    bench.progress(name)
    const result = await compare(bench.rounds, get, () => cpuPerCall(count, act))
    figures.push({
      name: `${name}, compared with one GET /providers in process`,
      value: result.ratio,
      unit: 'x',
      aim: 1,
      detail: `${microseconds(result.ours.median)} vs. ${microseconds(result.baseline.median)}`,
    })
  }
  return [...figures, ...(await weigh(bench, createGateway))]
}

/** Repeats the measurements over the control API, relative to GET /providers over HTTP. */
async function overHttp(bench: Bench): Promise<Figure[]> {
  await using server = await startSubject({ kind: 'understudy', entry: bench.entry('serve'), options: {} })
  using load = await Load.to(server)
  const control = '/__understudy/sandboxes'
  const created = await fetch(`http://127.0.0.1:${server.port}${control}`, { method: 'POST' })
  const { data } = (await created.json()) as { data: { id: string } }
  const verbs: Record<string, BenchRequest> = {
    create: { method: 'POST', path: control },
    fork: { method: 'POST', path: control, body: { fork: data.id } },
    reset: { method: 'POST', path: `${control}/${data.id}/reset` },
  }
  const count = Math.round(700 * bench.scale)
  const cost = (request: BenchRequest) => {
    const requests = [toBytes(request)]
    return () =>
      cpuPerUnit(server, async () => {
        await load.send(count, requests)
        return count
      })
  }
  const get = cost({ method: 'GET', path: '/api/v1/providers' })
  const figures: Figure[] = []
  for (const [name, request] of Object.entries(verbs)) {
    bench.progress(`${name} over HTTP`)
    const result = await compare(bench.rounds, get, cost(request))
    figures.push({
      name: `${name}, compared with one GET /providers over HTTP`,
      value: result.ratio,
      unit: 'x',
      aim: 1.5,
      detail: `${microseconds(result.ours.median)} vs. ${microseconds(result.baseline.median)}`,
    })
  }
  return figures
}

async function weigh(
  bench: Bench,
  createGateway: typeof import('../../../src/index.ts').createGateway,
): Promise<Figure[]> {
  const count = 10_000
  bench.progress(`${count.toLocaleString('en')} sandboxes`)
  const gateway = createGateway()
  await (await gateway.fetch(url, { headers: { authorization: 'Bearer bench' } })).text()
  const before = heap()
  const living = Array.from({ length: count }, () => gateway.createSandbox())
  const idle = (heap() - before) / count / 1000
  for (const { apiKey } of living) {
    const reply = await gateway.fetch(url, { headers: { authorization: `Bearer ${apiKey}` } })
    if (reply.status !== 200) throw new Error(`A live sandbox responded with ${reply.status}`)
    await reply.text()
  }
  const used = (heap() - before) / count / 1000
  return [
    {
      name: `An idle sandbox, one of ${count.toLocaleString('en')} live ones`,
      value: exactly(idle),
      unit: 'KB',
      aim: 10,
      detail: `${used.toFixed(1)} KB after each has handled and recorded one GET /providers`,
    },
  ]
}

function heap(): number {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
