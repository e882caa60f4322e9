/**
 * Load on a server in a process of its own: failing clients, whose resources must be freed, and minutes of clients that
 * create, use and delete sandboxes under the scenario `chaos`, while memory and descriptors are measured.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { monotonic } from '../../../src/lib/clock.ts'
import type { ServerOptions } from '../../../src/serve.ts'
import { open } from '../../call.ts'

interface Reading {
  minutes: number
  /** Resident memory in bytes. */
  rss: number
  sockets: number
  timers: number
  /** Number of open files and sockets. */
  descriptors: number
}

/** Starts `served.ts`, which reports its resources after a garbage collection. */
export async function startChild(options: ServerOptions = {}) {
  const child = fork(new URL('served.ts', import.meta.url), [JSON.stringify(options)], {
    execArgv: ['--expose-gc'],
  })
  const [{ url, port }] = await once(child, 'message')
  return {
    url: url as string,
    port: port as number,
    async read(): Promise<Omit<Reading, 'minutes'>> {
      child.send('read')
      const [reading] = await once(child, 'message')
      return { ...reading, descriptors: readdirSync(`/proc/${child.pid}/fd`).length }
    },
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  }
}

const body = JSON.stringify({ model: 'aurora/dawn-2', input: 'Hello?', stream: true })
const head = ['host: localhost', 'authorization: Bearer any', `content-length: ${body.length}`]
const whole = ['POST /api/v1/responses HTTP/1.1', ...head, '', body].join('\r\n')
/** Bytes that clients send before they fall silent, disconnect or stop reading. */
const stages = ['', 'POST', whole.slice(0, 60), whole.slice(0, -10), whole, whole + whole]

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Runs clients that fail at every stage. Throws if sockets or timers are left. */
export async function failingClients(count: number): Promise<string> {
  using child = await startChild({ requestTimeoutMs: 1000 })
  const before = await child.read()
  const sockets: Socket[] = []
  for (let index = 0; index < count; index++) {
    const socket = connect(child.port, '127.0.0.1').on('error', () => {})
    // Client kinds: 0 never reads, 1 disconnects at once, 2 closes its half, 3 stays open and sends nothing more.
    if (index % 4 === 0) socket.pause()
    else socket.resume()
    socket.write(stages[index % stages.length] as string)
    if (index % 4 === 1) socket.destroy()
    if (index % 4 === 2) socket.end()
    sockets.push(socket)
    // A full listen queue drops connections, and the client's kernel then retries for seconds.
    if (index % 200 === 199) await pause(50)
  }
  await pause(2500)
  for (const socket of sockets) socket.destroy()
  let after = await child.read()
  const isFree = () => after.sockets <= before.sockets && after.timers <= before.timers
  for (let turn = 0; turn < 300 && !isFree(); turn++) {
    await pause(100)
    after = await child.read()
  }
  const numbers = `sockets ${before.sockets} to ${after.sockets}, timers ${before.timers} to ${after.timers}`
  if (!isFree()) throw new Error(`Failing clients leave resources: ${numbers}`)
  return `${count} failing clients: ${numbers}`
}

const clientCount = 40

/** A sandbox that a client made. */
interface Made {
  id: string
  apiKey: string
}

/**
 * Runs 40 clients at `perSecond` requests in all, with `living` sandboxes at a time. Throws if memory or descriptors
 * grow after the first third.
 */
export async function chaos(minutes: number, perSecond: number, living: number): Promise<string> {
  using child = await startChild({ scenarios: ['chaos'], timeScale: 1 })
  const from = monotonic()
  const until = from + minutes * 60_000
  const readings: Reading[] = []
  let requests = 0
  const client = async (number: number) => {
    const sandboxes: Made[] = []
    for (let turn = 0; monotonic() < until; turn++) {
      const made = (await (await control(child.url, 'POST', '/sandboxes')).json()) as { data: Made }
      sandboxes.push(made.data)
      const [oldest] = sandboxes.length > living / clientCount ? sandboxes.splice(0, 1) : []
      if (oldest) await (await control(child.url, 'DELETE', `/sandboxes/${oldest.id}`)).text()
      for (let each = 0; each < 30 && monotonic() < until; each++) {
        while (requests > ((monotonic() - from) / 1000) * perSecond) await pause(20)
        requests++
        const { apiKey } = sandboxes[each % sandboxes.length] as Made
        await ask(`${child.url}/api/v1`, apiKey, number * 31 + turn + each).catch(() => {})
      }
    }
  }
  const watch = async () => {
    while (monotonic() < until) {
      await pause(Math.min(10_000, Math.max(1, until - monotonic())))
      readings.push({ minutes: (monotonic() - from) / 60_000, ...(await child.read()) })
    }
  }
  await Promise.all([watch(), ...Array.from({ length: clientCount }, (_, number) => client(number))])
  const grows = (['rss', 'descriptors'] as const).flatMap((name) => {
    const steady = readings.slice(Math.floor(readings.length / 3)).map((reading) => reading[name])
    const middle = steady.length >> 1
    const [early, late] = [mean(steady.slice(0, middle)), mean(steady.slice(middle))]
    return late > early * 1.2 ? [`${name} grows from ${early} to ${late}`] : []
  })
  if (grows.length > 0) throw new Error(grows.join('; '))
  const { rss, descriptors } = readings.at(-1) as Reading
  return `${requests} requests of chaos: RSS ${Math.round(rss / 1024 ** 2)} MB, ${descriptors} descriptors at the end`
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

/** Retries if the server has just closed an idle connection. */
async function control(url: string, method: string, path: string, tries = 5): Promise<Response> {
  try {
    return await fetch(`${url}/__understudy${path}`, { method })
  } catch (error) {
    if (tries === 1) throw error
    return control(url, method, path, tries - 1)
  }
}

async function ask(baseUrl: string, apiKey: string, number: number): Promise<void> {
  const signal = AbortSignal.timeout(200)
  const question = { model: 'aurora/dawn-2', input: `Question ${number}?`, stream: number % 5 > 2 }
  const calls: [string, object?][] = [
    ['GET /providers'],
    ['PATCH /workspaces/production', { name: `Number ${number}` }],
  ]
  const [line, body] = calls[number % 5] ?? ['POST /responses', question]
  const response = await open({ baseUrl, apiKey }, line, { body, signal })
  // Some clients do not read the reply.
  if (number % 11 === 0) await response.body?.cancel()
  else await response.text()
}
