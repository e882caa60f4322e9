/**
 * The two ends of a connection within the process, for `node:http` clients that must not reach the network.
 */
import { Duplex } from 'node:stream'

const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = globalThis

/** A client's end, and a server's. */
export function connectedPair(encrypted: boolean): [PipeSocket, PipeSocket] {
  const [near, far] = [new PipeSocket(encrypted), new PipeSocket(false)]
  near.peer = far
  far.peer = near
  return [near, far]
}

/** As much of a `net.Socket` as HTTP clients and servers use. */
export class PipeSocket extends Duplex {
  readonly connecting = false
  readonly pending = false
  readonly readyState = 'open'
  readonly remoteAddress = '127.0.0.1'
  readonly remoteFamily = 'IPv4'
  // mutation: equivalent: without a network, any port will do
  readonly remotePort = 0
  readonly localAddress = '127.0.0.1'
  readonly localPort = 0
  /** What clients over TLS look at. */
  readonly encrypted: boolean
  readonly authorized: boolean
  peer: PipeSocket | undefined
  timeout = 0
  #hasEnded = false
  #timer: NodeJS.Timeout | undefined
  /** Keeps the process alive while the connection is open, as one to the network would. */
  readonly #open = setInterval(() => {}, 2 ** 30)
  /** Says that the peer has read what was written. */
  #written: (() => void) | undefined

  constructor(encrypted: boolean) {
    super({ allowHalfOpen: true })
    this.encrypted = encrypted
    this.authorized = encrypted
  }

  override _read(): void {
    const { peer } = this
    const written = peer?.takeWritten()
    written?.()
  }

  /** Arrives in a later turn, as from a network: some clients take an answer that is there at once for a mistake. */
  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#stir()
    setImmediate(() => {
      if (this.#hasEnded || this.peer?.receive(chunk)) done()
      else this.#written = done
    })
  }

  override _final(done: () => void): void {
    this.#hangUp()
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer)
    clearInterval(this.#open)
    this.#hangUp()
    done(error)
  }

  /** The peer reads what has been written, and then the end; once. */
  #hangUp(): void {
    // mutation: equivalent: a stream ignores a second end
    if (!this.#hasEnded && !this.peer?.destroyed) this.peer?.push(null)
    this.#hasEnded = true
  }

  /** Breaks the connection: the peer sees a reset. */
  resetAndDestroy(): this {
    const reset = { code: 'ECONNRESET', errno: -104, syscall: 'read' }
    this.peer?.destroy(Object.assign(new Error('read ECONNRESET'), reset))
    return this.destroy()
  }

  /** Ends when what was written has left. */
  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  /** Emits `timeout` when nothing has moved for so many real milliseconds; 0 turns that off. */
  setTimeout(ms: number, listener?: () => void): this {
    this.timeout = ms
    if (listener) {
      if (ms === 0) this.removeListener('timeout', listener)
      else this.once('timeout', listener)
    }
    this.#stir()
    return this
  }

  takeWritten(): (() => void) | undefined {
    const written = this.#written
    this.#written = undefined
    return written
  }

  /** Whether there is room for more. */
  receive(chunk: Buffer): boolean {
    this.#stir()
    return this.destroyed || this.push(chunk)
  }

  #stir(): void {
    clearTimeout(this.#timer)
    if (this.timeout > 0) this.#timer = setTimeout(() => this.emit('timeout'), this.timeout).unref()
  }

  // What needs nothing here.
  address(): object {
    return { address: this.localAddress, port: this.localPort, family: this.remoteFamily }
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    this.#open.ref()
    return this
  }

  unref(): this {
    this.#open.unref()
    return this
  }

  getPeerCertificate(): object {
    return {}
  }
}
