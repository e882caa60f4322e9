/**
 * Runs several minutes of mixed load with chaos: 40 concurrent clients keep creating, using and deleting
 * sandboxes, while the server's memory, descriptors and delays are measured.
 */
import { monotonic } from '../../../src/lib/clock.ts'
import { open } from '../../call.ts'
import type { Program, Vitals } from './program.ts'

export interface Chaos {
  requests: number
  /** Number of sandboxes created. */
  sandboxes: number
  /** One reading every ten seconds. */
  readings: Reading[]
}

export interface Reading extends Vitals {
  minutes: number
}

export interface Load {
  minutes: number
  /** Maximum number of requests per second from all clients together. */
  perSecond: number
  /** Number of sandboxes that exist at a time. */
  living: number
}

const clientCount = 40

export async function chaos(
  program: Program,
  { minutes, perSecond, living }: Load,
  report: (line: string) => void,
): Promise<Chaos> {
  const result: Chaos = { requests: 0, sandboxes: 0, readings: [] }
  const from = monotonic()
  const until = from + minutes * 60_000
  const client = async (number: number) => {
    const sandboxes: { id: string; apiKey: string }[] = []
    const replace = async () => {
      const made = await control(program.url, 'POST', '/sandboxes')
      const { data } = (await made.json()) as { data: { id: string; apiKey: string } }
      result.sandboxes++
      sandboxes.push(data)
      if (sandboxes.length <= living / clientCount) return
      const { id } = sandboxes.shift() as { id: string }
      await (await control(program.url, 'DELETE', `/sandboxes/${id}`)).text()
    }
    while (sandboxes.length < Math.ceil(living / clientCount)) await replace()
    for (let turn = 0; monotonic() < until; turn++) {
      await replace()
      for (let each = 0; each < 30; each++) {
        while (result.requests > ((monotonic() - from) / 1000) * perSecond && monotonic() < until)
          await new Promise((resolve) => setTimeout(resolve, 20))
        result.requests++
        const { apiKey } = sandboxes[each % sandboxes.length] as { apiKey: string }
        await ask(program.url, apiKey, number * 31 + turn + each).catch(() => {})
      }
    }
  }
  const clients = Array.from({ length: clientCount }, (_, number) => client(number))
  const watch = async () => {
    while (monotonic() < until) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(10_000, until - monotonic())))
      const reading = { minutes: (monotonic() - from) / 60_000, ...program.read() }
      result.readings.push(reading)
      report(`${result.requests} requests, ${result.sandboxes} sandboxes: ${inWords(reading)}`)
    }
  }
  await Promise.all([...clients, watch()])
  return result
}

/** A line `y = start + slope × minutes`, fitted by least squares. */
export interface Fit {
  start: number
  slope: number
}

export function fitOf(readings: readonly Reading[], name: keyof Vitals): Fit {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const x = mean(readings.map(({ minutes }) => minutes))
  const y = mean(readings.map((reading) => reading[name]))
  const covariance = mean(readings.map((reading) => (reading.minutes - x) * (reading[name] - y)))
  const slope = covariance / mean(readings.map(({ minutes }) => (minutes - x) ** 2))
  return { start: y - slope * x, slope }
}

const mebibyte = 1024 * 1024

export function inWords({ rss, descriptors }: Vitals): string {
  return `RSS ${Math.round(rss / mebibyte)} MB, ${descriptors} descriptors`
}

/**
 * Retries if the server has just closed an idle connection, or if either process was starved until the
 * request timed out.
 */
async function control(url: string, method: string, path: string, tries = 5): Promise<Response> {
  try {
    const response = await fetch(`${url}/__understudy${path}`, { method })
    if (response.status === 408) throw new TypeError('timed out')
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
  // Some clients do not read the reply.
  if (number % 11 === 0) await response.body?.cancel()
  else await response.text()
}
