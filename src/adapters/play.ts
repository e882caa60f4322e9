/**
 * Plays frames: what nothing separates in time becomes one chunk, waits are waited, and the end says how.
 */
import { encodeFrame, toBytes } from '../http/encode.ts'
import type { Frame, HangUp } from '../http/reply.ts'
import type { CallRecord } from '../journal/call-record.ts'

/**
 * A chunk is handed on when it has so many characters, and a longer one in slices, so that a slow reader holds the
 * frames back, and the rest of a frame.
 */
const chunkSize = 64 * 1024

/** A longer chunk is encoded here, once, for the reader and for the journal. */
const longChunk = 4 * 1024

/** How a stream ended: as its last frame says, after its last frame, or because the client left. */
export type Ending = HangUp | 'complete' | 'left'

export type WaitFrame = Frame & { kind: 'wait' }

/** A chunk to write, or a wait; undefined is one of no time, which only lets leave what was written. */
export type Step = string | Uint8Array | Promise<void> | undefined

/** The steps of a streamed body, each made when it is asked for. */
export class Playback {
  /** Undefined until there is no step any more. */
  ending: Exclude<Ending, 'left'> | undefined
  readonly #frames: Iterator<Frame>
  /** What was read, and comes after the chunk that was handed on. */
  #held: IteratorResult<Frame> | undefined
  /** The rest of a chunk whose beginning was handed on. */
  #rest: string | Uint8Array = ''
  /** Events that were played and nobody has counted. */
  #events = 0

  constructor(frames: Iterable<Frame>) {
    this.#frames = frames[Symbol.iterator]()
  }

  /** A chunk to write, or a wait; undefined at the end. */
  next(): string | Uint8Array | WaitFrame | undefined {
    if (this.#rest.length > 0) return this.#slice(this.#rest)
    let text = ''
    while (text.length < chunkSize) {
      const read = this.#held ?? this.#frames.next()
      this.#held = undefined
      const { done, value: frame } = read
      if (!done && frame.kind === 'event') this.#events++
      const chunk = done || frame.kind === 'wait' || frame.kind === 'hang-up' ? undefined : encodeFrame(frame)
      if (typeof chunk === 'string') {
        text += chunk
        continue
      }
      if (text !== '') {
        this.#held = read
        break
      }
      if (chunk) return this.#slice(chunk)
      if (!done && frame.kind === 'wait') return frame
      this.ending = !done && frame.kind === 'hang-up' ? frame.how : 'complete'
      return undefined
    }
    return this.#slice(text)
  }

  /** How many events were played since this was last asked. */
  takeEvents(): number {
    const events = this.#events
    this.#events = 0
    return events
  }

  #slice(chunk: string | Uint8Array): string | Uint8Array {
    const end = endOfSlice(chunk)
    const isLast = end === chunk.length
    const slice = isLast ? chunk : part(chunk, 0, end)
    this.#rest = isLast ? '' : part(chunk, end)
    return slice.length < longChunk ? slice : toBytes(slice)
  }
}

function endOfSlice(chunk: string | Uint8Array): number {
  if (chunk.length < 2 * chunkSize) return chunk.length
  const isSplit = typeof chunk === 'string' && /[\uD800-\uDBFF]/.test(chunk.charAt(chunkSize - 1))
  return isSplit ? chunkSize - 1 : chunkSize
}

function part(chunk: string | Uint8Array, from: number, to?: number): string | Uint8Array {
  return typeof chunk === 'string' ? chunk.slice(from, to) : chunk.subarray(from, to)
}

/** The same steps for those who wait by promise: returns how the stream ends. */
export function* play(
  frames: Iterable<Frame>,
  record: CallRecord,
  signal: AbortSignal | undefined,
): Generator<Step, Ending, void> {
  const wait = record.state.clock.waits(signal)
  const playback = new Playback(frames)
  for (let step = playback.next(); step !== undefined; step = playback.next()) {
    yield isChunk(step) ? step : (step.until ?? wait(step.ms))
    if (signal?.aborted) return 'left'
  }
  return playback.ending ?? 'complete'
}

export function isChunk(step: Step | WaitFrame): step is string | Uint8Array {
  return typeof step === 'string' || step instanceof Uint8Array
}
