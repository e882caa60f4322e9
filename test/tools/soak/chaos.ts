/**
 * Mixed load with chaos for some minutes: 40 clients at a time, sandboxes made, used and deleted all the while. Memory
 * is read as it goes.
 */
import { monotonic } from '../../../src/lib/clock.ts'
import { open } from '../../call.ts'
import type { Memory, Program } from './program.ts'

export interface Chaos {
  requests: number
  sandboxes: number
  /** One each ten seconds. */
  readings: Memory[]
}

/** @param perSecond Requests of all clients together, at most. */
export async function chaos(
  program: Program,
  { minutes, perSecond }: { minutes: number; perSecond: number },
  tell: (line: string) => void,
): Promise<Chaos> {
  const result: Chaos = { requests: 0, sandboxes: 0, readings: [] }
  const from = monotonic()
  const until = from + minutes * 60_000
  const client = async (number: number) => {
    for (let turn = 0; monotonic() < until; turn++) {
      const made = await control(program.url, 'POST', '/sandboxes')
      const { data } = (await made.json()) as { data: { id: string; apiKey: string } }
      result.sandboxes++
      for (let call = 0; call < 30; call++) {
        while (result.requests > ((monotonic() - from) / 1000) * perSecond && monotonic() < until)
          await new Promise((resolve) => setTimeout(resolve, 20))
        result.requests++
        await ask(program.url, data.apiKey, number * 31 + turn + call).catch(() => {})
      }
      await (await control(program.url, 'DELETE', `/sandboxes/${data.id}`)).text()
    }
  }
  const clients = Array.from({ length: 40 }, (_, number) => client(number))
  const watch = async () => {
    while (monotonic() < until) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(10_000, until - monotonic())))
      const reading = await program.read()
      result.readings.push(reading)
      tell(`${result.requests} requests, ${result.sandboxes} sandboxes: ${inMegabytes(reading)}`)
    }
  }
  await Promise.all([...clients, watch()])
  return result
}

/** Tried again where the server has just closed an idle connection: on a busy machine that and a request can meet. */
async function control(url: string, method: string, path: string, tries = 5): Promise<Response> {
  try {
    const response = await fetch(`${url}/__understudy${path}`, { method })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response
  } catch (error) {
    if (tries === 1 || !(error instanceof TypeError)) throw error
    return control(url, method, path, tries - 1)
  }
}

async function ask(url: string, apiKey: string, number: number): Promise<void> {
  const target = { baseUrl: `${url}/api/v1`, apiKey }
  const signal = AbortSignal.timeout(200)
  const kind = number % 5
  const question = { model: 'aurora/dawn-2', input: `Question ${number}?`, stream: kind > 2 }
  const response =
    kind === 0
      ? await open(target, 'GET /providers', { signal })
      : kind === 1
        ? await open(target, 'PATCH /workspaces/production', { body: { name: `Number ${number}` }, signal })
        : await open(target, 'POST /responses', { body: question, signal })
  // Some read nothing of it.
  if (number % 11 === 0) await response.body?.cancel()
  else await response.text()
}

export function inMegabytes(memory: object): string {
  return Object.entries(memory)
    .filter(([name]) => name !== 'sockets' && name !== 'timers')
    .map(([name, bytes]) => `${name} ${Math.round(bytes / 1024 / 1024)}`)
    .join(', ')
}
