/**
 * Replies that a rule scripts whole, for any operation: a body, or frames. Texts and output items are for
 * the operation that writes them.
 */
import { lowerCase } from '../http/header-record.ts'
import { eventStream, type Frame, json, type Reply } from '../http/reply.ts'
import type { ScriptedFrame, ScriptedReply } from '../rules/scripted-reply.ts'

/** The scripted reply; undefined where the operation has to compose it. */
export function scriptedReply({
  status = 200,
  headers = {},
  body,
  frames,
}: ScriptedReply): Reply | undefined {
  const named = lowerCase(headers)
  if (frames) {
    const stream = eventStream(frames.map(toFrame))
    return { ...stream, status, headers: { ...stream.headers, ...named } }
  }
  if (body === undefined) return undefined
  // Text under another content type is sent as it is; otherwise it is a JSON string.
  if (typeof body === 'string' && !(named['content-type'] ?? 'json').includes('json')) {
    return { status, headers: named, body: { kind: 'frames', frames: [{ kind: 'bytes', bytes: body }] } }
  }
  return json(status, body, named)
}

function toFrame(frame: ScriptedFrame): Frame {
  if ('event' in frame) return { kind: 'event', event: frame.event }
  if ('data' in frame) return { kind: 'bytes', bytes: `data: ${frame.data}\n\n` }
  if ('bytes' in frame) return { kind: 'bytes', bytes: frame.bytes }
  if ('base64' in frame) return { kind: 'bytes', bytes: fromBase64(frame.base64) }
  if ('wait' in frame) return { kind: 'wait', ms: frame.wait }
  if ('hangUp' in frame) return { kind: 'hang-up', how: frame.hangUp }
  return { kind: 'done' }
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
