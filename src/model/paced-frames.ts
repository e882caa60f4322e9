/** Converts an answer's events to stream frames in any protocol, with pauses before tokens. */
import type { Frame, StreamEvent } from '../http/reply.ts'
import type { Latency } from '../sandbox/latency.ts'

export interface EventStream {
  readonly events: Iterable<StreamEvent>
  /** Returns true if the event contains a token. Pauses come before these events. */
  isToken(event: StreamEvent): boolean
  /** Converts an event to a frame. Returns undefined to skip the event. */
  toFrame(event: StreamEvent): Frame | undefined
  /** If true, the stream ends with the literal `[DONE]`. */
  readonly endsWithDone: boolean
}

/** Iterates over a stream's frames, which are created on demand. A generator would be 10% slower. */
export class PacedFrames implements IterableIterator<Frame, undefined> {
  readonly #stream: EventStream
  readonly #events: Iterator<StreamEvent>
  readonly #perToken: number
  /** Milliseconds until the next event. */
  #remainingMs: number
  /** Event to send after the pause. */
  #pending: StreamEvent | undefined
  #endsWithDone: boolean

  constructor(stream: EventStream, { firstToken, perToken }: Latency = { firstToken: 0, perToken: 0 }) {
    this.#stream = stream
    this.#events = stream.events[Symbol.iterator]()
    this.#perToken = perToken
    this.#remainingMs = firstToken
    this.#endsWithDone = stream.endsWithDone
  }

  [Symbol.iterator](): this {
    return this
  }

  next(): IteratorResult<Frame, undefined> {
    if (this.#remainingMs > 0) return this.#wait()
    for (;;) {
      const event = this.#pending ?? this.#read()
      if (!event) return this.#end()
      if (this.#perToken > 0 && !this.#pending && this.#stream.isToken(event)) {
        this.#pending = event
        this.#remainingMs = this.#perToken
        return this.#wait()
      }
      this.#pending = undefined
      const value = this.#stream.toFrame(event)
      if (value) return { done: false, value }
    }
  }

  #read(): StreamEvent | undefined {
    const { done, value } = this.#events.next()
    return done ? undefined : value
  }

  #wait(): IteratorResult<Frame, undefined> {
    const ms = this.#remainingMs
    this.#remainingMs = 0
    return { done: false, value: { kind: 'wait', ms } }
  }

  #end(): IteratorResult<Frame, undefined> {
    if (!this.#endsWithDone) return { done: true, value: undefined }
    this.#endsWithDone = false
    return { done: false, value: { kind: 'done' } }
  }
}
