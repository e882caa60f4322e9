/**
 * Starts several nodes behind a load balancer, with the configuration that `deploy` prints.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const program = join(import.meta.dirname, '../../../src/serve.ts')

export interface RunningNode {
  readonly name: string
  readonly address: string
  readonly process: ChildProcess
}

export interface Cluster extends AsyncDisposable {
  /** The load balancer's URL, such as `http://127.0.0.1:8080`. */
  readonly url: string
  readonly nodes: RunningNode[]
  /** Starts another node, and reloads the balancer with a configuration that includes it. */
  join(name: string): Promise<void>
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

export async function startNode(name: string): Promise<RunningNode> {
  const port = await freePort()
  const address = `127.0.0.1:${port}`
  const args = [
    program,
    '--node',
    name,
    '--port',
    String(port),
    '--advertise',
    `http://${address}`,
    '--quiet',
  ]
  const child = spawn(process.execPath, args, { env: { ...process.env, NODE_OPTIONS: '' }, stdio: 'ignore' })
  const node = { name, address, process: child }
  await answers(`http://${address}/__understudy/health`)
  return node
}

const engines = {
  nginx: {
    start: (file: string) => spawn('nginx', ['-c', file, '-g', 'daemon off;'], { stdio: 'ignore' }),
    reload: (child: ChildProcess) => void child.kill('SIGHUP'),
    stop: (child: ChildProcess) => void child.kill('SIGTERM'),
  },
  haproxy: {
    start: (file: string) => spawn('haproxy', ['-W', '-f', file], { stdio: 'ignore' }),
    reload: (child: ChildProcess) => void child.kill('SIGUSR2'),
    stop: (child: ChildProcess) => void child.kill('SIGTERM'),
  },
}

export async function startCluster(engine: keyof typeof engines, names: readonly string[]): Promise<Cluster> {
  const { start, reload, stop } = engines[engine]
  const folder = await mkdtemp(join(tmpdir(), 'understudy-cluster-'))
  const file = join(folder, `${engine}.conf`)
  const listen = await freePort()
  const nodes = await Promise.all(names.map(startNode))
  const print = () => {
    const flags = nodes.flatMap(({ name, address }) => ['--node', `${name}=${address}`])
    const args = [program, 'deploy', engine, ...flags, '--listen', `127.0.0.1:${listen}`]
    return writeFile(file, execFileSync(process.execPath, args))
  }
  await print()
  const balancer = start(file)
  const url = `http://127.0.0.1:${listen}`
  await answers(`${url}/__understudy/health`)

  return {
    url,
    nodes,
    async join(name) {
      nodes.push(await startNode(name))
      await print()
      reload(balancer)
    },
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => balancer.once('exit', resolve))
      stop(balancer)
      for (const node of nodes) node.process.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}

async function answers(url: string): Promise<void> {
  for (let look = 0; look < 2400; look++) {
    const response = await fetch(url).catch(() => undefined)
    if (response?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`No response from ${url}`)
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Real time in milliseconds. */
  readonly ms: number
}

/** An HTTP client with a few keep-alive connections. Throws if a connection fails. */
export class Client {
  readonly #agent: Agent

  constructor(connections = 1) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections })
  }

  send(
    line: string,
    url: string,
    { key = 'any', body }: { key?: string; body?: unknown } = {},
  ): Promise<Answer> {
    const [method, path] = line.split(' ') as [string, string]
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const startedAt = performance.now()
    return new Promise((resolve, reject) => {
      const request = httpRequest(`${url}${path}`, { method, headers, agent: this.#agent }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part) => {
          text += part
        })
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            ms: performance.now() - startedAt,
          }),
        )
      })
      request.on('error', (error: NodeJS.ErrnoException) => {
        // Retries on another connection if an idle one was closed, as clients usually do.
        const wasIdle = request.reusedSocket && error.code === 'ECONNRESET'
        if (wasIdle) resolve(this.send(line, url, { key, body }))
        else reject(error)
      })
      request.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

export interface MadeSandbox {
  readonly id: string
  readonly apiKey: string
  readonly baseUrl: string
  readonly directUrl: string
}

export async function createSandbox(client: Client, url: string): Promise<MadeSandbox> {
  const answer = await client.send('POST /__understudy/sandboxes', url)
  if (answer.status !== 201) throw new Error(`No sandbox: ${answer.status} ${answer.text}`)
  return JSON.parse(answer.text).data
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
