/** Parses raw bytes, such as a recording's, into the events that faults act on. */
import { toBytes } from '../http/encode.ts'
import type { Frame, Reply } from '../http/reply.ts'
import { decodeUtf8, fromLatin1, toLatin1 } from '../lib/bytes.ts'
import { isObject, parseJson } from '../lib/json.ts'

/** Two line endings, which end an event. A CR LF is one line ending, and its LF can arrive later. */
const border = /\r\n(?:\r\n|\n|\r(?=[^\n]))|(?:(?<!\r)\n|\r(?!\n))(?:\r\n|\n|\r)/g

/**
 * Yields raw bytes as events with their exact text, each at the time of the chunk that completes it. Comments, and
 * events whose data is not a JSON object, remain bytes.
 */
export function* readEvents(frames: Iterable<Frame>): Generator<Frame> {
  let pieces: string[] = []
  /** Last characters of the held bytes: the end of an event may be split across chunks. */
  let tail = ''
  function* rest(): Generator<Frame> {
    if (tail !== '') yield toFrame(pieces.join(''))
    pieces = []
    tail = ''
  }
  for (const frame of frames) {
    if (frame.kind !== 'bytes') {
      if (frame.kind !== 'wait') yield* rest()
      yield frame
      continue
    }
    const piece = toLatin1(toBytes(frame.bytes))
    pieces.push(piece)
    tail += piece
    if (tail.search(border) >= 0) {
      const text = pieces.join('')
      let start = 0
      for (const { index, 0: end } of text.matchAll(border)) {
        yield toFrame(text.slice(start, index + end.length))
        start = index + end.length
      }
      tail = text.slice(start)
      pieces = [tail]
    }
    tail = tail.slice(-3)
  }
  yield* rest()
}

function toFrame(block: string): Frame {
  const bytes = fromLatin1(block)
  const wire = decodeUtf8(bytes)
  if (wire === undefined) return { kind: 'bytes', bytes }
  const data = dataIn(wire)
  if (data === '[DONE]') return { kind: 'done', wire }
  const event = parseJson(data)
  return isObject(event) ? { kind: 'event', event, wire } : { kind: 'bytes', bytes: wire }
}

export function dataIn(wire: string): string {
  const lines = wire.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  return lines.flatMap((line) => (line.startsWith('data:') ? line.slice(5).replace(/^ /, '') : [])).join('\n')
}

/** Returns a reply without `content-length`, which a changed body no longer matches. */
export function withoutLength({ headers, ...reply }: Reply): Reply {
  const { 'content-length': _, ...others } = headers
  return { ...reply, headers: others }
}
