/** In-process connections, so that `node:http` clients do not reach the network. */
import { Duplex } from 'node:stream'
import { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from '../lib/real-timers.ts'

/** Implements the parts of `net.Socket` that HTTP clients and servers use. */
export class PipeSocket extends Duplex {
  readonly connecting = false
  readonly pending = false
  readonly readyState = 'open'
  readonly remoteAddress = '127.0.0.1'
  readonly remoteFamily = 'IPv4'
  readonly remotePort = 0
  readonly localAddress = '127.0.0.1'
  readonly localPort = 0
  readonly encrypted: boolean
  readonly authorized: boolean
  peer: PipeSocket | undefined
  timeout = 0
  #hasEnded = false
  #timer: NodeJS.Timeout | undefined
  /** Keeps the process alive while the connection is open, as a network socket does. */
  readonly #open = setInterval(() => {}, 2 ** 30)
  #written: (() => void) | undefined

  constructor(encrypted: boolean) {
    super({ allowHalfOpen: true })
    this.encrypted = encrypted
    this.authorized = encrypted
  }

  override _read(): void {
    const { peer } = this
    if (!peer) return
    const written = peer.#written
    peer.#written = undefined
    written?.()
  }

  /** Delivers in a later turn of the event loop: some clients treat an immediate response as an error. */
  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#restartTimeout()
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

  #hangUp(): void {
    if (!this.#hasEnded && !this.peer?.destroyed) this.peer?.push(null)
    this.#hasEnded = true
  }

  resetAndDestroy(): this {
    const reset = { code: 'ECONNRESET', errno: -104, syscall: 'read' }
    this.peer?.destroy(Object.assign(new Error('read ECONNRESET'), reset))
    return this.destroy()
  }

  destroySoon(): void {
    this.end(() => this.destroy())
  }

  /** Emits `timeout` after this many milliseconds of real time without activity. 0 disables the timeout. */
  setTimeout(ms: number, listener?: () => void): this {
    this.timeout = ms
    if (listener) {
      if (ms === 0) this.removeListener('timeout', listener)
      else this.once('timeout', listener)
    }
    this.#restartTimeout()
    return this
  }

  receive(chunk: Buffer): boolean {
    this.#restartTimeout()
    return this.destroyed || this.push(chunk)
  }

  #restartTimeout(): void {
    clearTimeout(this.#timer)
    if (this.timeout > 0) this.#timer = setTimeout(() => this.emit('timeout'), this.timeout).unref()
  }

  // Methods of `net.Socket` that have little effect without a network.
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
