/** Live event streams of a gateway's calls. They cost nothing without watchers, and their memory is bounded. */
import { GatewayError } from '../http/errors.ts'
import type { Frame, Reply } from '../http/reply.ts'
import type { CallListener, CallRecord } from '../journal/call-record.ts'
import { toSummary } from '../journal/summary.ts'
import { monotonic, wallClock } from '../lib/clock.ts'
import { clearInterval, clearTimeout, setInterval, setTimeout } from '../lib/real-timers.ts'

/** Minimum interval between frames, in real milliseconds. */
const frameMs = 100
/**
 * Maximum number of calls per frame. If there are more, watchers get `resync` and reload the journal. While
 * no watcher is connected, up to the same number of calls is retained for one that reconnects.
 */
const maxCalls = 250
/** Maximum number and total size of frames retained for watchers that reconnect. */
const maxFrames = 300
const maxBytes = 2 * 1024 * 1024
/** Maximum number of characters to buffer for a slow watcher. Beyond it, the watcher misses frames and gets `resync`. */
const maxBuffered = 256 * 1024
const maxWatchers = 64
/** Time that watchers have to reconnect, in real milliseconds. */
const lingerMs = 30_000
/** Heartbeat interval in real milliseconds. */
const heartbeatMs = 15_000

interface RetainedFrame {
  readonly number: number
  readonly text: string
}

interface Watcher {
  /** Text that has not been sent yet. */
  text: string
  /** If true, the watcher has missed a frame. */
  isBehind: boolean
  /** Called when text is buffered, and when the stream ends. */
  wake: () => void
}

export class EventFeed implements CallListener {
  readonly #listeners: Set<CallListener>
  readonly #watchers = new Set<Watcher>()
  /** Identifies this run of the server, so that event numbers from other runs are ignored. */
  readonly #run = wallClock().getTime().toString(36)
  #pending = new Set<CallRecord>()
  #hasOverflown = false
  #frames: RetainedFrame[] = []
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
    this.#publish(record)
  }

  settled(record: CallRecord): void {
    this.#publish(record)
  }

  /**
   * Returns a stream of events that ends when the client disconnects. Throws 429 if there are too many watchers.
   *
   * @param after Id of the last event that the client received. The stream resumes after it, or starts with `resync`.
   * @param disconnected Aborts when the client disconnects.
   */
  follow(after: string | undefined, disconnected: AbortSignal): Reply {
    if (this.#watchers.size >= maxWatchers)
      throw new GatewayError(429, `Too many event streams: at most ${maxWatchers} can be open`)
    return {
      status: 200,
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      },
      body: { kind: 'frames', frames: this.#read(after, disconnected) },
    }
  }

  /** Yields frames as fast as the client reads them. */
  *#read(after: string | undefined, disconnected: AbortSignal): Iterable<Frame> {
    const watcher: Watcher = { text: '', isBehind: false, wake: () => {} }
    this.#begin()
    if (this.#watchers.size === 0 && this.#pending.size > 0) this.#flush()
    this.#watchers.add(watcher)
    disconnected.addEventListener('abort', () => this.#leave(watcher))
    yield { kind: 'bytes', bytes: this.#framesAfter(after) }
    while (this.#watchers.has(watcher)) {
      const { text, isBehind } = watcher
      watcher.text = ''
      watcher.isBehind = false
      if (text !== '') yield { kind: 'bytes', bytes: text }
      if (isBehind) yield { kind: 'bytes', bytes: this.#text('resync', this.#number, {}) }
      const { promise, resolve } = Promise.withResolvers<void>()
      watcher.wake = resolve
      // `until` takes precedence over `ms`.
      if (watcher.text === '' && !watcher.isBehind) yield { kind: 'wait', ms: 0, until: promise }
    }
  }

  #write(watcher: Watcher, text: string): void {
    watcher.isBehind ||= watcher.text.length > maxBuffered
    if (!watcher.isBehind) watcher.text += text
    watcher.wake()
  }

  /** Ends all streams when the server shuts down. */
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
    this.#watchers.delete(watcher)
    if (this.#watchers.size > 0) return
    this.#leaving = setTimeout(() => this.#end(), lingerMs).unref()
  }

  #end(): void {
    this.#listeners.delete(this)
    clearTimeout(this.#timer)
    clearInterval(this.#heartbeat)
    this.#timer = undefined
    this.#heartbeat = undefined
    this.#pending.clear()
    this.#hasOverflown = false
    this.#frames = []
    this.#bytes = 0
    // Calls are missed from now on, so later watchers must not resume from an earlier event.
    this.#number += 1
  }

  #publish(record: CallRecord): void {
    if (this.#hasOverflown) return
    this.#pending.add(record)
    this.#hasOverflown = this.#pending.size > maxCalls
    if (this.#watchers.size === 0) return
    this.#timer ??= setTimeout(() => this.#flush(), Math.max(0, this.#sentAt + frameMs - monotonic()))
  }

  #flush(): void {
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
      this.#bytes -= (this.#frames.shift() as RetainedFrame).text.length
    return text
  }

  #text(event: string, number: number, data: object): string {
    return `id: ${this.#run}.${number}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
  }

  #resync(number: number): string {
    // The retained frames are older than the missed calls.
    this.#frames = []
    this.#bytes = 0
    return this.#text('resync', number, {})
  }

  /** Returns the frames after an event, or `resync` if any are missing. */
  #framesAfter(after: string | undefined): string {
    const [run, number] = after?.split('.') ?? []
    const last = Number(number)
    const since = this.#frames.filter((frame) => frame.number > last)
    const isComplete = run === this.#run && (last === this.#number || since[0]?.number === last + 1)
    return isComplete
      ? `:\n\n${since.map(({ text }) => text).join('')}`
      : this.#text('resync', this.#number, {})
  }
}
