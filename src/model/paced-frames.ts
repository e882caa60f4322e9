/**
 * The events of an answer as the frames of a stream, in whatever protocol: paced by the tokens that they tell, with
 * signs of life in long pauses.
 */
import type { Frame, StreamEvent } from '../http/reply.ts'
import { drawLatency, type LatencyOptions } from '../sandbox/latency.ts'

export interface EventStream {
  /** Of the answer: pauses that vary are drawn for it. */
  readonly id: string
  /** That answers: a latency profile knows its times. */
  readonly model: string
  readonly events: Iterable<StreamEvent>
  /** Whether a token is told by this event: those are what a paced stream waits for. */
  isToken(event: StreamEvent): boolean
  /** The event as it is sent; undefined for one that is left out. */
  toFrame(event: StreamEvent): Frame | undefined
  /** The literal `[DONE]` at the end. Default: true. */
  readonly endsWithDone?: boolean
}

/** About how many signs of life a pause has at most. */
const maxComments = 1000

/** Every frame of the stream, each made when it is asked for. A generator would take a tenth more. */
export class PacedFrames implements IterableIterator<Frame, undefined> {
  readonly #stream: EventStream
  readonly #events: Iterator<StreamEvent>
  readonly #pace: (() => number) | undefined
  readonly #keepAliveMs: number
  /** Milliseconds to wait before the next event. */
  #left: number
  /** Milliseconds that nothing has been sent. */
  #silence = 0
  /** The event that was waited for. */
  #due: StreamEvent | undefined
  #endsWithDone: boolean

  constructor(stream: EventStream, options: LatencyOptions) {
    const { id, model, events, endsWithDone = true } = stream
    const { firstMs, gapMs, keepAliveMs } = drawLatency(id, model, options)
    this.#stream = stream
    this.#events = events[Symbol.iterator]()
    this.#pace = gapMs
    this.#keepAliveMs = keepAliveMs
    this.#left = firstMs
    this.#endsWithDone = endsWithDone
  }

  [Symbol.iterator](): this {
    return this
  }

  next(): IteratorResult<Frame, undefined> {
    if (this.#silence >= this.#keepAliveMs) return this.#say({ kind: 'bytes', bytes: ': keep-alive\n\n' })
    if (this.#left > 0) return this.#wait()
    for (;;) {
      const event = this.#due ?? this.#read()
      if (!event) return this.#end()
      if (this.#pace && !this.#due && this.#stream.isToken(event)) {
        this.#due = event
        this.#left = this.#pace()
        if (this.#left > 0) return this.#wait()
      }
      this.#due = undefined
      const frame = this.#stream.toFrame(event)
      if (frame) return this.#say(frame)
    }
  }

  #read(): StreamEvent | undefined {
    const { done, value } = this.#events.next()
    return done ? undefined : value
  }

  /** Until the next event, or the next sign of life. */
  #wait(): IteratorResult<Frame, undefined> {
    // A pause of years is no flood of comments where waits are instant.
    const ms = Math.min(this.#left, Math.max(this.#keepAliveMs - this.#silence, this.#left / maxComments))
    this.#left -= ms
    this.#silence += ms
    return { done: false, value: { kind: 'wait', ms } }
  }

  #say(frame: Frame): IteratorResult<Frame, undefined> {
    this.#silence = 0
    return { done: false, value: frame }
  }

  #end(): IteratorResult<Frame, undefined> {
    if (!this.#endsWithDone) return { done: true, value: undefined }
    this.#endsWithDone = false
    return this.#say({ kind: 'done' })
  }
}
