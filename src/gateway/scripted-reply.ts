/**
 * Replies that a rule scripts whole, for any operation: a body, or frames. Texts and output items are for
 * the operation that writes them.
 */
import { lowerCase } from '../http/header-record.ts'
import { eventStream, type Frame, json, type Reply } from '../http/reply.ts'
import type { ScriptedFrame, ScriptedReply } from '../scenarios/scripted-reply.ts'

/** The scripted reply; undefined where the operation has to compose it. */
export function scriptedReply({
  status = 200,
  headers = {},
  body,
  frames,
}: ScriptedReply): Reply | undefined {
  const named = lowerCase(headers)
  if (frames) {
    const stream = eventStream(toFrames(frames))
    return { ...stream, status, headers: { ...stream.headers, ...named } }
  }
  if (body === undefined) return undefined
  // Text under another content type is sent as it is; otherwise it is a JSON string.
  if (typeof body === 'string' && !(named['content-type'] ?? 'json').includes('json')) {
    return { status, headers: named, body: { kind: 'frames', frames: [{ kind: 'bytes', bytes: body }] } }
  }
  return json(status, body, named)
}

/** Each when it is asked for. */
function* toFrames(frames: readonly ScriptedFrame[]): Generator<Frame> {
  for (const frame of frames) {
    if ('base64' in frame) yield* bytesOf(frame.base64)
    else yield toFrame(frame)
  }
}

function toFrame(frame: Exclude<ScriptedFrame, { base64: string }>): Frame {
  if ('event' in frame) return { kind: 'event', event: frame.event }
  if ('data' in frame) return { kind: 'bytes', bytes: `data: ${frame.data}\n\n` }
  if ('bytes' in frame) return { kind: 'bytes', bytes: frame.bytes }
  if ('wait' in frame) return { kind: 'wait', ms: frame.wait }
  if ('hangUp' in frame) return { kind: 'hang-up', how: frame.hangUp }
  return { kind: 'done' }
}

/** Characters that are decoded at a time; four of them are three bytes. */
const base64Slice = 64 * 1024

/** Decoded as the reader reads. */
function* bytesOf(base64: string): Generator<Frame> {
  for (let from = 0; from < base64.length; from += base64Slice) {
    const text = atob(base64.slice(from, from + base64Slice))
    const bytes = new Uint8Array(text.length)
    for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
    yield { kind: 'bytes', bytes }
  }
}
