/**
 * A streamed body on a socket, each frame when it is due. By callbacks and not by promises: a thousand streams wait at
 * a time, and each promise of theirs is work for the garbage collector.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
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
  /** What is late is held back in it, and leaves together with what is due by now. */
  let behind: Socket | undefined
  /** Writes until there is something to wait for. */
  const write = (): unknown => {
    while (!hasLeft) {
      const step = playback.next()
      if (step === undefined) {
        if (playback.ending !== 'complete') flushHead()
        return resolve(playback.ending ?? 'complete')
      }
      if (isChunk(step)) {
        const length = Buffer.byteLength(step)
        record.sent(step, length, playback.takeEvents())
        const socket = isBegun ? socketOf(response) : undefined
        isBegun = true
        const full = writeChunk(response, socket, step, length)
        if (full) return full.once('drain', goOn)
      } else {
        flushHead()
        if (step.until) return step.until.then(goOn)
        const left = waits.begin(step.ms, goOn)
        if (left > 0) return undefined
        if (left === 0) return setImmediate(goOn)
        // A server that is behind catches up with fewer writes.
        behind ??= corked(socketOf(response))
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
    behind?.uncork()
    behind = undefined
  }
  goOn()
  return promise
}

/** What a chunk may be written to past the response; undefined where only that knows how. */
function socketOf({ chunkedEncoding, socket }: ServerResponse): Socket | undefined {
  return chunkedEncoding && socket?.writable ? socket : undefined
}

function corked(socket: Socket | undefined): Socket | undefined {
  socket?.cork()
  return socket
}

/**
 * A text goes to the socket in one piece, 4.5 µs, where Node hands on four, 6.5.
 *
 * @param socket Undefined where the chunk comes with the head, or is for the response to write.
 * @param length Bytes of the chunk.
 * @returns Who drains before there is room again; undefined where there is.
 */
function writeChunk(
  response: ServerResponse,
  socket: Socket | undefined,
  chunk: string | Uint8Array,
  length: number,
): Socket | ServerResponse | undefined {
  if (!socket || typeof chunk !== 'string') return response.write(chunk) ? undefined : response
  const sized = `${length.toString(16)}\r\n${chunk}\r\n`
  return socket.write(sized, length === chunk.length ? 'latin1' : 'utf8') ? undefined : socket
}
