/**
 * Bodies as bytes, for the faults that count them.
 */
import { encodeFrame, toBytes } from '../http/encode.ts'
import type { Body, Frame, Reply } from '../http/reply.ts'

/** The body of a reply as frames of bytes and time, whatever it was; events are encoded as they are asked for. */
export function* byteFrames(body: Body): Generator<Frame & { kind: 'bytes' | 'wait' | 'hang-up' }> {
  if (body.kind === 'json') yield { kind: 'bytes', bytes: body.text ?? JSON.stringify(body.value) }
  if (body.kind !== 'frames') return
  for (const frame of body.frames) {
    if (frame.kind === 'wait' || frame.kind === 'hang-up') yield frame
    else yield { kind: 'bytes', bytes: encodeFrame(frame) }
  }
}

/** Everything in one piece, and what is left after it: how long it took, and how it ended. */
export function whole(body: Body): { bytes: Uint8Array; waitedMs: number; ending: Frame[] } {
  const pieces: Uint8Array[] = []
  let waitedMs = 0
  for (const frame of byteFrames(body)) {
    if (frame.kind === 'hang-up') return { bytes: joined(pieces), waitedMs, ending: [frame] }
    if (frame.kind === 'wait') waitedMs += frame.ms
    else pieces.push(toBytes(frame.bytes))
  }
  return { bytes: joined(pieces), waitedMs, ending: [] }
}

/** The same reply with another body; one that is sent step by step. */
export function withFrames(
  reply: Reply,
  frames: Iterable<Frame>,
  headers: Record<string, string> = {},
): Reply {
  return { status: reply.status, headers: { ...reply.headers, ...headers }, body: { kind: 'frames', frames } }
}

/** Pieces of `size` bytes, the last one shorter. */
export function* pieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
