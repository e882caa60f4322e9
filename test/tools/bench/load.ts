/**
 * Generates load: requests over raw keep-alive sockets, one at a time on each. Lighter than any HTTP client,
 * because the generator shares the machine with the measured server.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { BenchRequest } from './baseline.ts'
import type { Subject } from './subject.ts'

/** Formats an HTTP/1.1 request for a keep-alive connection. */
export function toBytes({ method, path, body }: BenchRequest): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body)
  const head = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', 'authorization: Bearer bench']
  if (text) head.push('content-type: application/json', `content-length: ${Buffer.byteLength(text)}`)
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`)
}

export class Load implements Disposable {
  readonly #lines: Line[]

  private constructor(lines: Line[]) {
    this.#lines = lines
  }

  /** @param connections Number of connections, enough to keep the server busy. Default: 32. */
  static async to({ port }: Pick<Subject, 'port'>, connections = 32): Promise<Load> {
    const opening = Array.from({ length: connections }, () => Line.to(port))
    return new Load(await Promise.all(opening))
  }

  /** Sends this many requests from a list in turn and waits for all replies. Returns the elapsed seconds. */
  async send(count: number, requests: readonly Buffer[]): Promise<number> {
    const begin = performance.now()
    let sent = 0
    const next = () => (sent < count ? requests[sent++ % requests.length] : undefined)
    const rest = stayAwake()
    await Promise.all(this.#lines.map((line) => line.work(next)))
    rest()
    return (performance.now() - begin) / 1000
  }

  [Symbol.dispose](): void {
    for (const line of this.#lines) line.close()
  }
}

/**
 * Keeps this process from sleeping. Otherwise, the server's write would include waking this process, which is
 * expensive in a virtual machine. A slow server, whose client sleeps after every request, would bear this cost each
 * time; a fast one would never bear it.
 *
 * @returns A function that lets the process sleep again.
 */
export function stayAwake(): () => void {
  let turn = setImmediate(function again() {
    turn = setImmediate(again)
  })
  return () => clearImmediate(turn)
}

/** One keep-alive connection. */
class Line {
  readonly #socket: Socket
  /** Remaining bytes of the current reply; undefined before its headers, -1 in a chunked body. */
  #left: number | undefined
  #tail = ''
  #done: () => void = () => {}
  #fail: (error: Error) => void = () => {}

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (bytes) => this.#read(bytes))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('The server hung up')))
  }

  static async to(port: number): Promise<Line> {
    const socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    await once(socket, 'connect')
    return new Line(socket)
  }

  work(next: () => Buffer | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#fail = reject
      this.#done = () => {
        const request = next()
        if (!request) return resolve()
        this.#left = undefined
        this.#socket.write(request)
      }
      this.#done()
    })
  }

  close(): void {
    this.#fail = () => {}
    this.#socket.destroy()
  }

  #read(bytes: Buffer): void {
    let body = bytes.length
    if (this.#left === undefined) {
      const end = bytes.indexOf('\r\n\r\n')
      const head = bytes.toString('latin1', 0, end)
      if (!head.startsWith('HTTP/1.1 2')) {
        this.#fail(new Error(`Refused: ${head}`))
        return
      }
      const isEmpty = head.startsWith('HTTP/1.1 204')
      this.#left = isEmpty ? 0 : Number(/content-length: (\d+)/i.exec(head)?.[1] ?? -1)
      body -= end + 4
    }
    if (this.#left >= 0) {
      this.#left -= body
      if (this.#left === 0) this.#done()
      return
    }
    this.#tail = (this.#tail + bytes.subarray(-5).toString('latin1')).slice(-5)
    if (this.#tail === '0\r\n\r\n') this.#done()
  }
}
