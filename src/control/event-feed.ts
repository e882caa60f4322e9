/**
 * What happens in a gateway, told while it happens: an event stream for each who watches. It costs nothing while nobody
 * does, and all that it holds is bounded.
 */
import { GatewayError } from '../http/errors.ts'
import type { Frame, Reply } from '../http/reply.ts'
import type { CallListener, CallRecord } from '../journal/call-record.ts'
import { toSummary } from '../journal/entry.ts'
import { monotonic, wallClock } from '../lib/clock.ts'

const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis

/** Real milliseconds between two frames: at most ten a second. */
const frameMs = 100
/**
 * Calls in one frame. Where more come, whoever watches is told to read them anew, and the rest costs nothing. As many wait
 * for somebody who may come back: until then, none of them is written down, or let go.
 */
const maxCalls = 250
/** Frames that are kept for those who come back, and bytes of them. */
const maxFrames = 300
// mutation: equivalent: a bound on the work; any similar number will do
const maxBytes = 2 * 1024 * 1024
/** Bytes that wait for one slow reader; from then on it misses frames, and is told so. */
const maxWaiting = 256 * 1024
const maxWatchers = 64
/** Real milliseconds in which somebody who lost the connection may come back. */
const lingerMs = 30_000
/** Real milliseconds between two signs of life. */
const heartbeatMs = 15_000

interface Kept {
  readonly number: number
  readonly text: string
}

interface Watcher {
  /** Waits to be read. */
  text: string
  /** If true, it has missed a frame. */
  isBehind: boolean
  /** Called when there is something to read, and at the end. */
  wake: () => void
}

export class EventFeed implements CallListener {
  readonly #listeners: Set<CallListener>
  readonly #watchers = new Set<Watcher>()
  /** Which run of the server this is: numbers of another one mean nothing here. */
  readonly #run = wallClock().getTime().toString(36)
  #pending = new Set<CallRecord>()
  #hasOverflown = false
  #frames: Kept[] = []
  #bytes = 0
  #number = 0
  #sentAt = Number.NEGATIVE_INFINITY
  #timer: ReturnType<typeof setTimeout> | undefined
  #leaving: ReturnType<typeof setTimeout> | undefined
  #heartbeat: ReturnType<typeof setInterval> | undefined

  constructor(listeners: Set<CallListener>) {
    this.#listeners = listeners
  }

  replied(record: CallRecord): void {
    this.#tell(record)
  }

  settled(record: CallRecord): void {
    this.#tell(record)
  }

  /**
   * Returns a reply that follows the calls until the client disconnects. Throws 429 where too many do.
   *
   * @param after The id of the last event that the client has seen: it gets what came since, or `resync`.
   * @param left Aborts when the client disconnects.
   */
  follow(after: string | undefined, left: AbortSignal): Reply {
    if (this.#watchers.size >= maxWatchers)
      throw new GatewayError(429, `${maxWatchers} readers follow the events already: close one of them`)
    return {
      status: 200,
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      },
      body: { kind: 'frames', frames: this.#read(after, left) },
    }
  }

  /** Reads as fast as the client does; nothing for a HEAD. */
  *#read(after: string | undefined, left: AbortSignal): Iterable<Frame> {
    const watcher: Watcher = { text: '', isBehind: false, wake: () => {} }
    this.#begin()
    if (this.#watchers.size === 0 && this.#pending.size > 0) this.#flush()
    this.#watchers.add(watcher)
    left.addEventListener('abort', () => this.#leave(watcher), { once: true })
    yield { kind: 'bytes', bytes: this.#missed(after) }
    while (this.#watchers.has(watcher)) {
      const { text, isBehind } = watcher
      watcher.text = ''
      watcher.isBehind = false
      if (text !== '') yield { kind: 'bytes', bytes: text }
      if (isBehind) yield { kind: 'bytes', bytes: this.#text('resync', this.#number, {}) }
      const { promise, resolve } = Promise.withResolvers<void>()
      watcher.wake = resolve
      if (watcher.text === '' && !watcher.isBehind) yield { kind: 'wait', ms: 0, until: promise }
    }
  }

  #write(watcher: Watcher, text: string): void {
    if (watcher.isBehind || watcher.text.length > maxWaiting) watcher.isBehind = true
    else watcher.text += text
    watcher.wake()
  }

  /** Ends every stream: the server is about to stop. */
  close(): void {
    const watchers = [...this.#watchers]
    this.#watchers.clear()
    for (const { wake } of watchers) wake()
    this.#end()
  }

  #begin(): void {
    clearTimeout(this.#leaving)
    this.#listeners.add(this)
    this.#heartbeat ??= setInterval(() => {
      for (const watcher of this.#watchers) this.#write(watcher, ':\n\n')
    }, heartbeatMs).unref()
  }

  #leave(watcher: Watcher): void {
    if (!this.#watchers.delete(watcher) || this.#watchers.size > 0) return
    clearTimeout(this.#leaving)
    this.#leaving = setTimeout(() => this.#end(), lingerMs).unref()
  }

  #end(): void {
    this.#listeners.delete(this)
    // mutation: equivalent: a frame without calls is harmless
    clearTimeout(this.#timer)
    clearTimeout(this.#leaving)
    clearInterval(this.#heartbeat)
    this.#timer = undefined
    this.#heartbeat = undefined
    this.#pending.clear()
    this.#hasOverflown = false
    this.#frames = []
    this.#bytes = 0
    // What comes from now on, nobody has counted.
    this.#number += 1
  }

  #tell(record: CallRecord): void {
    if (this.#hasOverflown) return
    this.#pending.add(record)
    this.#hasOverflown = this.#pending.size > maxCalls
    if (this.#watchers.size === 0) return
    // mutation: equivalent: one millisecond is not noticed
    this.#timer ??= setTimeout(() => this.#flush(), Math.max(0, this.#sentAt + frameMs - monotonic()))
  }

  #flush(): void {
    // mutation: equivalent: a frame without calls is harmless
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sentAt = monotonic()
    const frame = this.#hasOverflown
      ? this.#resync(++this.#number)
      : this.#frame('calls', { calls: [...this.#pending].map(toSummary) })
    this.#pending.clear()
    this.#hasOverflown = false
    for (const watcher of this.#watchers) this.#write(watcher, frame)
  }

  #frame(event: string, data: object): string {
    const number = ++this.#number
    const text = this.#text(event, number, data)
    this.#frames.push({ number, text })
    this.#bytes += text.length
    while (this.#frames.length > maxFrames || this.#bytes > maxBytes)
      this.#bytes -= (this.#frames.shift() as Kept).text.length
    return text
  }

  #text(event: string, number: number, data: object): string {
    return `id: ${this.#run}.${number}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
  }

  #resync(number: number): string {
    // What is kept is older than what was lost.
    this.#frames = []
    this.#bytes = 0
    return this.#text('resync', number, {})
  }

  /** What came after an event, as frames. */
  #missed(after: string | undefined): string {
    const [run, number] = after?.split('.') ?? []
    const last = Number(number)
    const since = this.#frames.filter((frame) => frame.number > last)
    const isWhole = run === this.#run && (last === this.#number || since[0]?.number === last + 1)
    return isWhole ? `:\n\n${since.map(({ text }) => text).join('')}` : this.#text('resync', this.#number, {})
  }
}
