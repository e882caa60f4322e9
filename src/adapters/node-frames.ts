/**
 * A streamed body on a socket, each frame when it is due. By callbacks and not by promises: a thousand streams wait at
 * a time, and each promise of theirs is work for the garbage collector.
 */
import type { ServerResponse } from 'node:http'
import type { Frame } from '../http/reply.ts'
import type { CallRecord } from '../journal/call-record.ts'
import { type Ending, isChunk, Playback } from './play.ts'

const { setImmediate } = globalThis

/** Writes the frames, and says how they end. The head comes at once, also when the first event is late. */
export function writeFrames(
  frames: Iterable<Frame>,
  record: CallRecord,
  response: ServerResponse,
): Promise<Ending> {
  const { promise, resolve, reject } = Promise.withResolvers<Ending>()
  const playback = new Playback(frames)
  const waits = record.state.clock.pace()
  let hasLeft = response.closed
  const leave = () => {
    hasLeft = true
    waits.end()
    resolve('left')
  }
  response.once('close', leave)

  let isBegun = false
  const flushHead = () => {
    if (!isBegun) response.flushHeaders()
    isBegun = true
  }
  /** Writes until there is something to wait for. */
  const write = (): unknown => {
    while (!hasLeft) {
      const step = playback.next()
      if (step === undefined) {
        if (playback.ending !== 'complete') flushHead()
        return resolve(playback.ending ?? 'complete')
      }
      if (isChunk(step)) {
        isBegun = true
        const length = Buffer.byteLength(step)
        record.sent(step, length, playback.takeEvents())
        if (!writeChunk(response, step, length)) return response.once('drain', goOn)
      } else {
        flushHead()
        if (step.until) return step.until.then(goOn)
        const left = waits.begin(step.ms, goOn)
        if (left > 0) return undefined
        if (left === 0) return setImmediate(goOn)
        // What is late leaves together with what is due by now: a server that is behind catches up with fewer writes.
      }
    }
    return undefined
  }
  const goOn = () => {
    try {
      write()
    } catch (error) {
      reject(error)
    }
  }
  goOn()
  return promise
}

/**
 * The same as `response.write`, with a text and the size before it in one piece, where Node hands on four: 3.7 µs a
 * write in place of 5.3.
 *
 * @param length Its bytes.
 */
function writeChunk(response: ServerResponse, chunk: string | Uint8Array, length: number): boolean {
  if (typeof chunk !== 'string' || !response.chunkedEncoding) return response.write(chunk)
  response.chunkedEncoding = false
  const hasRoom = response.write(`${length.toString(16)}\r\n${chunk}\r\n`)
  response.chunkedEncoding = true
  return hasRoom
}
