/** Provides a small sample stream, and helpers that apply faults to it and read the result. */

import type { FaultInputs } from '../../src/faults/fault.ts'
import { FaultRun } from '../../src/faults/fault-run.ts'
import type { Fault } from '../../src/faults/index.ts'
import { FaultSetting } from '../../src/faults/index.ts'
import { encodeFrame, toBytes } from '../../src/http/encode.ts'
import { eventStream, type Frame, ok, type Reply } from '../../src/http/reply.ts'
import { responsesPlaces } from '../../src/operations/responses/stream.ts'

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

interface SampleOptions {
  /** Delay before each event, in milliseconds. */
  perToken?: number
  deltas?: string[]
  type?: string
}

function eventsOf({
  deltas = ['One ', 'ünd ', 'three'],
  type = 'response.output_text.delta',
}: SampleOptions) {
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', item: { type: 'message', id: 'msg_1', content: [] } },
    ...deltas.map((delta) => ({ type, delta })),
    { type: 'response.output_text.annotation.added', annotation: citation },
    { type: 'response.output_text.done', text: 'One ünd three' },
    { type: 'response.content_part.done', part },
    { type: 'response.completed', response },
  ].map((event, sequence_number) => ({ ...event, sequence_number }))
}

/** Returns the sample stream as an operation would. */
export function sample(options: SampleOptions = {}): Reply {
  const frames: Frame[] = []
  for (const event of eventsOf(options)) {
    if (options.perToken !== undefined) frames.push({ kind: 'wait', ms: options.perToken })
    frames.push({ kind: 'event', event })
  }
  return eventStream([...frames, { kind: 'done' }])
}

export const completed = ok(response)

/** A fault's reports: whether it found nothing to act on, and the warnings for the journal. */
export interface FaultReport {
  noEffect?: boolean
  warnings: string[]
}

/** Request data available to faults in these tests. */
export const facts: FaultInputs = {
  random: () => 0.5,
  now: Date.UTC(2026, 0, 1),
  rateLimit: undefined,
  canStream: true,
  hasConnection: true,
  protocol: responsesPlaces,
}

/** Applies one or more faults to a reply. */
export function applyFaults(
  reply: Reply,
  fault: Fault | Fault[],
  { report = { warnings: [] }, ...change }: Partial<FaultInputs> & { report?: FaultReport } = {},
): Reply {
  const faults = [fault].flat().map((each) => FaultSetting.parse(each))
  const noEffect = () => {
    report.noEffect = true
  }
  const run = new FaultRun([{ faults, inputs: { ...facts, ...change }, noEffect }], (message) => {
    report.warnings.push(message)
  })
  return run.applyToReply(reply)
}

export function framesOf({ body }: Reply): Frame[] {
  return body.kind === 'frames' ? [...body.frames] : []
}

/** Returns all bytes, as sent over a socket. */
export function bytesOf(frames: readonly Frame[]): Buffer {
  return Buffer.concat(
    frames.flatMap((frame) =>
      frame.kind === 'wait' || frame.kind === 'hang-up' ? [] : [toBytes(encodeFrame(frame))],
    ),
  )
}

/** Formats frames briefly: event types without prefix, `[DONE]`, `bytes`, `wait 5`, or the kind of ending. */
export function outline(frames: readonly Frame[]): string[] {
  return frames.map((frame) => {
    if (frame.kind === 'event' && frame.wire) return 'bytes'
    if (frame.kind === 'event') return (frame.event.type ?? '').replace(/^response\.(output_text\.)?/, '')
    if (frame.kind === 'done') return '[DONE]'
    if (frame.kind === 'wait') return `wait ${frame.ms}`
    return frame.kind === 'hang-up' ? frame.how : 'bytes'
  })
}
