/**
 * Gzip without compression: stored blocks, so that it needs no library, works as the bytes come, and is the same on
 * every machine. RFC 1951, 3.2.4, and RFC 1952.
 */
import { toBytes } from '../http/encode.ts'
import type { Body, Frame } from '../http/reply.ts'
import { byteFrames } from './body.ts'

/** A member without name and time, made by an unknown system. */
const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255)
const lastBlock = Uint8Array.of(1, 0, 0, 0xff, 0xff)
const longestBlock = 0xffff

/**
 * The body as gzip, in blocks as it comes; a reply that is cut cleanly ends as a whole one.
 *
 * @param damage Changes the checksum at the end.
 */
export function* gzipped(body: Body, damage: number): Generator<Frame> {
  let crc = 0xffffffff
  let size = 0
  yield { kind: 'bytes', bytes: header }
  for (const frame of byteFrames(body)) {
    if (frame.kind === 'bytes') {
      const bytes = toBytes(frame.bytes)
      for (let from = 0; from < bytes.length; from += longestBlock)
        yield { kind: 'bytes', bytes: stored(bytes.subarray(from, from + longestBlock)) }
      crc = crc32(bytes, crc)
      size += bytes.length
    } else if (frame.kind === 'hang-up') {
      if (frame.how === 'end') yield trailer(crc ^ damage, size)
      yield frame
      return
    } else yield frame
  }
  yield trailer(crc ^ damage, size)
}

function stored(bytes: Uint8Array): Uint8Array {
  const block = new Uint8Array(5 + bytes.length)
  const { length } = bytes
  block.set([0, length & 0xff, length >> 8, ~length & 0xff, (~length >> 8) & 0xff])
  block.set(bytes, 5)
  return block
}

function trailer(crc: number, size: number): Frame {
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
