/**
 * Load on a server: failing clients, whose resources must be freed, and minutes of clients that create, use and delete
 * sandboxes under the scenario `chaos`, while memory and sockets are measured.
 */
import { connect, type Socket } from 'node:net'
import { monotonic } from '../../../src/lib/clock.ts'
import { startServer } from '../../../src/serve.ts'
import { open } from '../../call.ts'

function openResources() {
  const names = process.getActiveResourcesInfo()
  const count = (name: string) => names.filter((each) => each === name).length
  return { sockets: count('TCPSocketWrap'), timers: count('Timeout') }
}

const body = JSON.stringify({ model: 'aurora/dawn-2', input: 'Hello?', stream: true })
const head = ['host: localhost', 'authorization: Bearer any', `content-length: ${body.length}`]
const whole = ['POST /api/v1/responses HTTP/1.1', ...head, '', body].join('\r\n')
/** Bytes that clients send before they fall silent, disconnect or stop reading. */
const stages = ['', 'POST', whole.slice(0, 60), whole.slice(0, -10), whole, whole + whole]

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Runs clients that fail at every stage. Throws if sockets or timers are left. */
export async function failingClients(count: number): Promise<string> {
  await using server = await startServer({ timeScale: 0, requestTimeoutMs: 1000 })
  const before = openResources()
  const sockets: Socket[] = []
  for (let index = 0; index < count; index++) {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {})
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
  const isFree = ({ sockets, timers } = openResources()) =>
    sockets <= before.sockets && timers <= before.timers
  for (let turn = 0; turn < 300 && !isFree(); turn++) await pause(100)
  const numbers = `${JSON.stringify(before)} to ${JSON.stringify(openResources())}`
  if (!isFree()) throw new Error(`Failing clients leave resources: ${numbers}`)
  return `${count} failing clients: ${numbers}`
}

/** Runs 40 clients, each of which keeps 25 sandboxes. Throws if memory grows after the first third. */
export async function chaos(minutes: number): Promise<string> {
  await using server = await startServer({ scenarios: ['chaos'] })
  const until = monotonic() + minutes * 60_000
  const memory: number[] = []
  let requests = 0
  const client = async (number: number) => {
    const sandboxes: { id: string; apiKey: string }[] = []
    for (let turn = 0; monotonic() < until; turn++) {
      sandboxes.push((await control(server.url, 'POST', '/sandboxes')).data)
      const oldest = sandboxes.length > 25 ? sandboxes.shift() : undefined
      if (oldest) await control(server.url, 'DELETE', `/sandboxes/${oldest.id}`)
      for (let each = 0; each < 30 && monotonic() < until; each++, requests++) {
        const apiKey = sandboxes[each % sandboxes.length]?.apiKey as string
        await ask({ baseUrl: `${server.url}/api/v1`, apiKey }, number * 31 + turn + each).catch(() => {})
      }
    }
  }
  const watch = async () => {
    while (monotonic() < until) {
      await pause(Math.min(10_000, Math.max(1, until - monotonic())))
      memory.push(process.memoryUsage.rss())
    }
  }
  await Promise.all([watch(), ...Array.from({ length: 40 }, (_, number) => client(number))])
  const steady = memory.slice(Math.floor(memory.length / 3))
  const [early, late] = [mean(steady.slice(0, steady.length >> 1)), mean(steady.slice(steady.length >> 1))]
  if (steady.length > 1 && late > early * 1.2) throw new Error(`Memory grows from ${early} to ${late} bytes`)
  return `${requests} requests of chaos: ${Math.round(late / 1024 ** 2)} MB of memory at the end`
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Retries if the server has just closed an idle connection. */
async function control(url: string, method: string, path: string, tries = 5) {
  try {
    const response = await fetch(`${url}/__understudy${path}`, { method })
    return JSON.parse((await response.text()) || '{}')
  } catch (error) {
    if (tries === 1) throw error
    return control(url, method, path, tries - 1)
  }
}

async function ask(target: { baseUrl: string; apiKey: string }, number: number): Promise<void> {
  const signal = AbortSignal.timeout(200)
  const question = { model: 'aurora/dawn-2', input: `Question ${number}?`, stream: number % 5 > 2 }
  const lines: [string, object?][] = [['GET /providers'], ['PATCH /workspaces/production', { name: 'Any' }]]
  const [line, body] = lines[number % 5] ?? ['POST /responses', question]
  const response = await open(target, line, { body, signal })
  // Some clients do not read the reply.
  if (number % 11 === 0) await response.body?.cancel()
  else await response.text()
}
