/** Converts bodies to bytes, splits them, and encodes them as gzip. */
import { encodeFrame, toBytes } from '../http/encode.ts'
import type { Body, Frame, Reply } from '../http/reply.ts'
import { joinBytes } from '../lib/bytes.ts'

export type RawFrame = Frame & { kind: 'bytes' | 'wait' | 'hang-up' }

export function* byteFrames(body: Body): Generator<RawFrame> {
  if (body.kind === 'json') yield { kind: 'bytes', bytes: body.text ?? JSON.stringify(body.value) }
  if (body.kind !== 'frames') return
  for (const frame of body.frames) {
    if (frame.kind === 'wait' || frame.kind === 'hang-up') yield frame
    else yield { kind: 'bytes', bytes: encodeFrame(frame) }
  }
}

/** Reads a complete body. Returns its bytes, its total delay and, if it has one, its hang-up frame. */
export function readWhole(body: Body): { bytes: Uint8Array; waitedMs: number; ending: RawFrame[] } {
  const chunks: Uint8Array[] = []
  let waitedMs = 0
  for (const frame of byteFrames(body)) {
    if (frame.kind === 'hang-up') return { bytes: joinBytes(chunks), waitedMs, ending: [frame] }
    if (frame.kind === 'wait') waitedMs += frame.ms
    else chunks.push(toBytes(frame.bytes))
  }
  return { bytes: joinBytes(chunks), waitedMs, ending: [] }
}

/** Yields pieces of `size` bytes. The last piece may be shorter. */
export function* pieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

export function withFrames(
  reply: Reply,
  frames: Iterable<Frame>,
  headers: Record<string, string> = {},
): Reply {
  return { ...reply, headers: { ...reply.headers, ...headers }, body: { kind: 'frames', frames } }
}

/** Gzip member header: no name, no time, unknown operating system. RFC 1952. */
const gzipHead = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255)
/** Empty stored block, flagged as the last one. RFC 1951, 3.2.4. */
const lastBlock = Uint8Array.of(1, 0, 0, 0xff, 0xff)
const maxBlock = 0xffff

/**
 * Encodes a body as gzip with stored blocks. Storing instead of compressing needs no library, works chunk by chunk,
 * and produces the same bytes on every machine. If an `end` hang-up cuts the body short, the trailer matches the bytes
 * sent.
 *
 * @param damage XORed with the checksum. 0 leaves it valid.
 */
export function* gzipped(body: Body, damage: number): Generator<Frame> {
  let crc = 0xffffffff
  let size = 0
  yield { kind: 'bytes', bytes: gzipHead }
  for (const frame of byteFrames(body)) {
    if (frame.kind === 'bytes') {
      const bytes = toBytes(frame.bytes)
      for (const piece of pieces(bytes, maxBlock)) yield { kind: 'bytes', bytes: storedBlock(piece) }
      crc = crc32(bytes, crc)
      size += bytes.length
    } else if (frame.kind === 'hang-up') {
      if (frame.how === 'end') yield gzipTail(crc ^ damage, size)
      yield frame
      return
    } else yield frame
  }
  yield gzipTail(crc ^ damage, size)
}

function storedBlock(bytes: Uint8Array): Uint8Array {
  const { length } = bytes
  const head = Uint8Array.of(0, length & 0xff, length >> 8, ~length & 0xff, (~length >> 8) & 0xff)
  return joinBytes([head, bytes])
}

function gzipTail(crc: number, size: number): Frame {
  const bytes = new Uint8Array(lastBlock.length + 8)
  bytes.set(lastBlock)
  const view = new DataView(bytes.buffer, lastBlock.length)
  view.setUint32(0, ~crc >>> 0, true)
  view.setUint32(4, size >>> 0, true)
  return { kind: 'bytes', bytes }
}

function crc32(bytes: Uint8Array, before: number): number {
  let crc = before
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return crc
}
