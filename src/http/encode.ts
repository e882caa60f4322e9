/**
 * Frames as bytes on the wire. Spec: Events, 1 and 2.
 */
import type { Frame, StreamEvent } from './reply.ts'

/** The frames that are bytes; the others are time and endings, which adapters act out. */
export type ByteFrame = Exclude<Frame, { kind: 'wait' | 'hang-up' }>

/** What a frame is on the wire; a string stands for its UTF-8. A blank line ends each event. */
export function encodeFrame(frame: ByteFrame): string | Uint8Array {
  switch (frame.kind) {
    case 'event':
      return frame.wire ?? encodeEvent(frame.event)
    case 'done':
      return frame.wire ?? 'data: [DONE]\n\n'
    case 'bytes':
      return frame.bytes
  }
}

export function encodeEvent(event: StreamEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`
}

/** The same with its type on a line of its own, as some protocols want it. */
export function encodeNamedEvent(event: StreamEvent): string {
  return `event: ${event.type}\n${encodeEvent(event)}`
}

const utf8 = new TextEncoder()

/** The same as bytes, whatever it was. */
export function toBytes(chunk: string | Uint8Array): Uint8Array {
  return typeof chunk === 'string' ? utf8.encode(chunk) : chunk
}
