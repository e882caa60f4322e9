/** Starts workers, and puts load on servers over raw keep-alive sockets. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Captured, Task } from './worker.ts'

export interface Worker extends AsyncDisposable {
  readonly port: number
  /** Returns CPU time in microseconds: of the process so far, or of `count` calls. */
  cpu(count?: number): Promise<number>
}

export async function startWorker(task: Task): Promise<Worker> {
  const child = fork(new URL('./worker.ts', import.meta.url))
  const exit = once(child, 'exit').then(() => {
    throw new Error(`The process under measurement ended: ${JSON.stringify(task).slice(0, 200)}`)
  })
  exit.catch(() => {})
  const ask = async (message: Task | number): Promise<number> => {
    const answer = new Promise<number>((resolve) =>
      child.once('message', (value) => resolve(value as number)),
    )
    child.send(message)
    return Promise.race([answer, exit])
  }
  return {
    port: await ask(task),
    cpu: (count = 0) => ask(count),
    async [Symbol.asyncDispose]() {
      child.kill()
    },
  }
}

export interface Request {
  method: string
  path: string
  body?: object
}

/** Formats an HTTP/1.1 request for a keep-alive connection. */
export function toBytes({ method, path, body }: Request): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body)
  const head = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', 'authorization: Bearer bench']
  if (text) head.push('content-type: application/json', `content-length: ${Buffer.byteLength(text)}`)
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`)
}

/** Sends a request and returns the reply for the floor. Each event of a stream becomes one write. */
export async function capture(port: number, { method, path, body }: Request): Promise<Captured> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: 'Bearer bench', 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`)
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  const own = ['date', 'connection', 'keep-alive', 'transfer-encoding']
  return {
    status: response.status,
    headers: Object.fromEntries([...response.headers].filter(([name]) => !own.includes(name))),
    writes: isStream ? text.split(/(?<=\n\n)/) : [text],
  }
}

/** Enough to keep a server busy. */
export const connections = 32

/** Keep-alive connections to a server. */
export class Load {
  readonly #lines: Line[]

  constructor(port: number, lines = connections) {
    this.#lines = Array.from({ length: lines }, () => new Line(port))
  }

  /** Sends `count` requests in turn, one at a time on each connection, and waits for all replies. */
  async send(count: number, requests: readonly Buffer[]): Promise<void> {
    let sent = 0
    const next = () => (sent < count ? requests[sent++ % requests.length] : undefined)
    // Keeps this process awake: waking it would count as work of the server's write.
    let turn = setImmediate(function again() {
      turn = setImmediate(again)
    })
    await Promise.all(this.#lines.map((line) => line.work(next)))
    clearImmediate(turn)
  }

  /** Calls back when the first bytes arrive on the first connection. */
  onFirstByte(callback: () => void): void {
    this.#lines[0]?.socket.once('data', callback)
  }

  close(): void {
    for (const line of this.#lines) line.socket.destroy()
  }
}

class Line {
  readonly socket: Socket
  #settle: PromiseWithResolvers<void> = Promise.withResolvers()
  #next: () => Buffer | undefined = () => undefined
  #text = ''
  /** Length of the current reply; undefined before its head has arrived, infinite in a chunked body. */
  #length: number | undefined

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1')
    this.socket.on('data', (text: unknown) => this.#read(String(text)))
    this.socket.on('error', (error) => this.#settle.reject(error))
    this.socket.on('close', () => this.#settle.reject(new Error('The server closed the connection')))
    this.#settle.promise.catch(() => {})
  }

  work(next: () => Buffer | undefined): Promise<void> {
    this.#settle = Promise.withResolvers()
    this.#next = next
    this.#advance()
    return this.#settle.promise
  }

  #advance(): void {
    const request = this.#next()
    this.#text = ''
    this.#length = undefined
    if (request) this.socket.write(request)
    else this.#settle.resolve()
  }

  #read(text: string): void {
    this.#text += text
    this.#length ??= this.#readHead()
    if (this.#text.length === this.#length || (this.#length === Infinity && this.#text.endsWith('0\r\n\r\n')))
      this.#advance()
  }

  #readHead(): number | undefined {
    const end = this.#text.indexOf('\r\n\r\n')
    if (end === -1) return undefined
    if (!this.#text.startsWith('HTTP/1.1 2')) this.#settle.reject(new Error(this.#text.slice(0, 500)))
    const [, length] = /content-length: (\d+)/i.exec(this.#text.slice(0, end)) ?? []
    return length === undefined ? Infinity : end + 4 + Number(length)
  }
}
