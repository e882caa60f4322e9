/** Comments that keep an event stream alive while it pauses or stalls, for the option `stream.keepAlive`. */
import type { Sink } from '../gateway/call.ts'
import { encodeFrame, toBytes } from '../http/encode.ts'
import type { Frame, Reply, Transport } from '../http/reply.ts'
import type { DeliveryWatch } from './deliver.ts'

export class KeepAlive {
  readonly #ms: number
  readonly #comment: string
  /** If false, an event has been partly sent, and a comment would become part of it. */
  #isBetweenEvents = true

  private constructor({ ms, comment }: NonNullable<Transport['keepAlive']>) {
    this.#ms = ms
    this.#comment = `: ${comment}\n\n`
  }

  /** Returns undefined for a reply without comments. Comments would break a compressed or fixed-length body. */
  static of({ transport, headers }: Readonly<Reply>): KeepAlive | undefined {
    const isFixed = 'content-encoding' in headers || 'content-length' in headers
    return transport?.keepAlive && !isFixed ? new KeepAlive(transport.keepAlive) : undefined
  }

  *fill(frames: Iterable<Frame>): Generator<Frame> {
    for (const frame of frames) {
      if (frame.kind !== 'wait' && frame.kind !== 'hang-up')
        this.#isBetweenEvents = endsEvent(encodeFrame(frame)) ?? this.#isBetweenEvents
      if (frame.kind !== 'wait' || frame.until || !this.#isBetweenEvents) yield frame
      else {
        let { ms } = frame
        for (; ms > this.#ms; ms -= this.#ms) {
          yield { kind: 'wait', ms: this.#ms }
          yield { kind: 'bytes', bytes: this.#comment }
        }
        yield { kind: 'wait', ms }
      }
    }
  }

  /** Sends comments during a stall, unless delays are instant. Returns a function that stops the comments. */
  start(sink: Sink, watch: DeliveryWatch): () => void {
    const waits = watch.state.clock.pace()
    let isOver = !this.#isBetweenEvents
    const beat = () => {
      let leftMs: number
      do {
        leftMs = isOver ? 0 : waits.begin(this.#ms, send)
      } while (leftMs < 0)
    }
    const send = () => {
      if (isOver) return
      // A client that does not read needs no comments.
      if (!sink.ready()) {
        watch.sent(this.#comment, this.#comment.length, 0)
        sink.chunk(this.#comment, this.#comment.length)
      }
      beat()
    }
    beat()
    return () => {
      isOver = true
      waits.end()
    }
  }
}

/** Returns true if the bytes end with a blank line, undefined if there are no bytes. */
function endsEvent(chunk: string | Uint8Array): boolean | undefined {
  const end = toBytes(chunk.slice(-4))
  return end.length === 0 ? undefined : /(\r\n|\r|\n)(\r\n|\r|\n)$/.test(String.fromCharCode(...end))
}
