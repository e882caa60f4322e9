/**
 * Converts an answer's events to stream frames in any protocol, with pauses before tokens and keep-alive comments
 * during long pauses.
 */
import type { Frame, StreamEvent } from '../http/reply.ts'
import { drawLatency, type LatencyOptions } from '../sandbox/latency.ts'

export interface EventStream {
  /** The answer's id, which seeds the pauses. */
  readonly id: string
  /** Model that replies, which selects the latency in a profile. */
  readonly model: string
  readonly events: Iterable<StreamEvent>
  /** Returns true if the event contains a token. Pauses come before these events. */
  isToken(event: StreamEvent): boolean
  /** Converts an event to a frame. Returns undefined to skip the event. */
  toFrame(event: StreamEvent): Frame | undefined
  /** If true, the stream ends with the literal `[DONE]`. */
  readonly endsWithDone: boolean
}

/** Comment sent during long pauses. */
export const keepAlive = ': keep-alive\n\n'

/** Approximate maximum number of keep-alive comments in a pause. */
const maxComments = 1000

/** Iterates over a stream's frames, which are created on demand. A generator would be 10% slower. */
export class PacedFrames implements IterableIterator<Frame, undefined> {
  readonly #stream: EventStream
  readonly #events: Iterator<StreamEvent>
  readonly #pace: (() => number) | undefined
  readonly #keepAliveMs: number
  /** Milliseconds until the next event. */
  #remainingMs: number
  /** Milliseconds since the last frame was sent. */
  #silentMs = 0
  /** Event to send after the pause. */
  #pending: StreamEvent | undefined
  #endsWithDone: boolean

  constructor(stream: EventStream, options: LatencyOptions) {
    const { id, model, events, endsWithDone } = stream
    const { firstMs, gapMs, keepAliveMs } = drawLatency(id, model, options)
    this.#stream = stream
    this.#events = events[Symbol.iterator]()
    this.#pace = gapMs
    this.#keepAliveMs = keepAliveMs
    this.#remainingMs = firstMs
    this.#endsWithDone = endsWithDone
  }

  [Symbol.iterator](): this {
    return this
  }

  next(): IteratorResult<Frame, undefined> {
    if (this.#silentMs >= this.#keepAliveMs) return this.#emit({ kind: 'bytes', bytes: keepAlive })
    if (this.#remainingMs > 0) return this.#wait()
    for (;;) {
      const event = this.#pending ?? this.#read()
      if (!event) return this.#end()
      if (this.#pace && !this.#pending && this.#stream.isToken(event)) {
        this.#pending = event
        this.#remainingMs = this.#pace()
        if (this.#remainingMs > 0) return this.#wait()
      }
      this.#pending = undefined
      const frame = this.#stream.toFrame(event)
      if (frame) return this.#emit(frame)
    }
  }

  #read(): StreamEvent | undefined {
    const { done, value } = this.#events.next()
    return done ? undefined : value
  }

  /** Waits until the next event or keep-alive comment. */
  #wait(): IteratorResult<Frame, undefined> {
    // Limits the number of comments in very long pauses, which pass instantly with timeScale 0.
    const ms = Math.min(
      this.#remainingMs,
      Math.max(this.#keepAliveMs - this.#silentMs, this.#remainingMs / maxComments),
    )
    this.#remainingMs -= ms
    this.#silentMs += ms
    return { done: false, value: { kind: 'wait', ms } }
  }

  #emit(frame: Frame): IteratorResult<Frame, undefined> {
    this.#silentMs = 0
    return { done: false, value: frame }
  }

  #end(): IteratorResult<Frame, undefined> {
    if (!this.#endsWithDone) return { done: true, value: undefined }
    this.#endsWithDone = false
    return this.#emit({ kind: 'done' })
  }
}
