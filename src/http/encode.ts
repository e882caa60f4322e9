/** Encodes frames. Spec: Events, 1 and 2. */
import type { Frame, StreamEvent } from './reply.ts'

/** Returns the bytes of a frame, or a string to be encoded as UTF-8. `deliver` handles waits and hang-ups. */
export function encodeFrame(frame: Exclude<Frame, { kind: 'wait' | 'hang-up' }>): string | Uint8Array {
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

const utf8 = new TextEncoder()

export function toBytes(chunk: string | Uint8Array): Uint8Array {
  return typeof chunk === 'string' ? utf8.encode(chunk) : chunk
}
