/**
 * Plays frames: what nothing separates in time becomes one chunk, waits are waited, and the end says how.
 */
import { encodeFrame, toBytes } from '../http/encode.ts'
import type { Frame, HangUp } from '../http/reply.ts'
import type { CallRecord } from '../journal/call-record.ts'

/** A chunk is handed on when it has so many characters, so that a slow reader holds the frames back. */
const chunkSize = 64 * 1024

/** A longer chunk is encoded here, once, for the reader and for the journal. */
const longChunk = 4 * 1024

/** How a stream ended: as its last frame says, after its last frame, or because the client left. */
export type Ending = HangUp | 'complete' | 'left'

/** A chunk to write, or a wait; undefined is one of no time, which only lets leave what was written. */
export type Step = string | Uint8Array | Promise<void> | undefined

/** Yields the steps of a streamed body, each made when the one before is done, and returns how it ends. */
export function* play(
  frames: Iterable<Frame>,
  record: CallRecord,
  signal: AbortSignal | undefined,
): Generator<Step, Ending, void> {
  const wait = record.state.clock.waits(signal)
  let text = ''
  for (const frame of frames) {
    if (frame.kind === 'wait' || frame.kind === 'hang-up') {
      if (text !== '') yield toChunk(text)
      text = ''
      if (frame.kind === 'hang-up') return frame.how
      yield frame.until ?? wait(frame.ms)
    } else {
      const chunk = encodeFrame(frame)
      if (typeof chunk === 'string') text += chunk
      else {
        if (text !== '') yield toChunk(text)
        text = ''
        yield chunk
      }
      if (text.length >= chunkSize) {
        yield toChunk(text)
        text = ''
      }
    }
    if (signal?.aborted) return 'left'
  }
  if (text !== '') yield toChunk(text)
  return 'complete'
}

export function isChunk(step: Step): step is string | Uint8Array {
  return typeof step === 'string' || step instanceof Uint8Array
}

function toChunk(text: string): string | Uint8Array {
  return text.length < longChunk ? text : toBytes(text)
}
