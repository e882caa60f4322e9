/** A small event stream to distort, and readers of what became of it. */

import type { FaultContext } from '../../src/faults/fault.ts'
import { type FaultInput, FaultSetting } from '../../src/faults/index.ts'
import { distort } from '../../src/gateway/distort.ts'
import { encodeFrame, toBytes } from '../../src/http/encode.ts'
import { eventStream, type Frame, ok, type Reply } from '../../src/http/reply.ts'

export const citation = {
  type: 'url_citation',
  url: 'https://a.example/',
  title: 'A',
  start_index: 0,
  end_index: 5,
  content: 'Excerpt',
}

const part = { type: 'output_text', text: 'One ünd three', annotations: [citation] }
const response = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output: [{ type: 'message', id: 'msg_1', content: [part] }],
}

const events = [
  { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
  { type: 'response.output_item.added', item: { type: 'message', id: 'msg_1', content: [] } },
  { type: 'response.output_text.delta', delta: 'One ' },
  { type: 'response.output_text.delta', delta: 'ünd ' },
  { type: 'response.output_text.delta', delta: 'three' },
  { type: 'response.output_text.annotation.added', annotation: citation },
  { type: 'response.output_text.done', text: 'One ünd three' },
  { type: 'response.content_part.done', part },
  { type: 'response.completed', response },
].map((event, sequence_number) => ({ ...event, sequence_number }))

export const count = events.length

/** The stream as an operation would answer it; with `everyMs`, paced. */
export function sample({ everyMs }: { everyMs?: number } = {}): Reply {
  const frames: Frame[] = []
  for (const event of events) {
    if (everyMs !== undefined) frames.push({ kind: 'wait', ms: everyMs })
    frames.push({ kind: 'event', event })
  }
  return eventStream([...frames, { kind: 'done' }])
}

export const completed = ok(response)

/** A reply after a fault. */
export function afflict(reply: Reply, fault: FaultInput, context: Partial<FaultContext> = {}): Reply {
  return distort(reply, {
    waitMs: 0,
    instead: undefined,
    headers: undefined,
    faults: [FaultSetting.parse(fault)],
    context: { random: () => 0.5, elapsedMs: 0, quota: undefined, warn: () => {}, ...context },
  })
}

export function framesOf({ body }: Reply): Frame[] {
  return body.kind === 'frames' ? [...body.frames] : []
}

/** All bytes, the way a socket would carry them. */
export function bytesOf(frames: readonly Frame[]): Buffer {
  return Buffer.concat(
    frames.flatMap((frame) =>
      frame.kind === 'wait' || frame.kind === 'hang-up' ? [] : [toBytes(encodeFrame(frame))],
    ),
  )
}

/** What happens, in short: event types without their prefix, `[DONE]`, `bytes`, `wait 5`, how it hangs up. */
export function outline(frames: readonly Frame[]): string[] {
  return frames.map((frame) => {
    if (frame.kind === 'event') return frame.event.type.replace(/^response\.(output_text\.)?/, '')
    if (frame.kind === 'done') return '[DONE]'
    if (frame.kind === 'wait') return `wait ${frame.ms}`
    return frame.kind === 'hang-up' ? frame.how : 'bytes'
  })
}
