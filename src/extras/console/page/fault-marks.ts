/** Finds each fault's position on a stream's timeline by its effect on the events. */
import type { TimedEvent } from './stream-events.ts'

export interface FaultMark {
  fault: string
  /** Milliseconds since the request arrived. Undefined if the fault has no single position. */
  ms: number | undefined
  /** Index of the affected event, if there is one. */
  index: number | undefined
}

/** Returns true for the event that a fault changed or added. */
type IsAffected = (event: TimedEvent, before: TimedEvent | undefined) => boolean

const done = '[DONE]'

const afterEvents: Record<string, IsAffected> = {
  'stream-error-event': ({ name, value }) =>
    /(^|\.)(error|failed)$/.test(name) || Object.hasOwn(Object(value), 'error'),
  'stream-malformed-event': ({ value, data }) => value === undefined && /^[[{]/.test(data) && data !== done,
  'stream-empty-data': ({ data }) => /^data:\s*$/.test(data),
  'stream-duplicate-event': ({ data }, before) => data === before?.data,
  'stream-unknown-event': ({ value }) =>
    value !== undefined &&
    Object.keys(Object(value)).every((key) => ['type', 'sequence_number'].includes(key)),
  'stream-huge-event': ({ value }) => Object.hasOwn(Object(value), 'padding'),
  'stream-sequence-gap': (event, before) => numberOf(event) > numberOf(before) + 1,
  'stream-reordered-events': (event, before) => numberOf(event) > numberOf(before) + 1,
  'stream-data-after-done': (_event, before) => before?.data === done,
}

const atStart = ['latency', 'slow-head']
const atLastEvent = ['stream-stall', 'body-stall']
const atEnd = [
  'stream-cut',
  'stream-reset',
  'stream-without-completed',
  'stream-without-done',
  'truncated-body',
]

/** @param end Duration of the stream in milliseconds. */
export function faultMarks(
  faults: readonly string[],
  events: readonly TimedEvent[],
  end: number,
): FaultMark[] {
  return faults.map((fault) => {
    if (atStart.includes(fault)) return { fault, ms: 0, index: undefined }
    if (atEnd.includes(fault)) return { fault, ms: end, index: undefined }
    const isAffected = afterEvents[fault]
    const found = isAffected ? events.findIndex((event, index) => isAffected(event, events[index - 1])) : -1
    const index = atLastEvent.includes(fault) ? events.length - 1 : found
    return { fault, ms: events[index]?.ms, index: index < 0 ? undefined : index }
  })
}

/** Returns an event's sequence number, or NaN, for which all comparisons are false. */
function numberOf(event: TimedEvent | undefined): number {
  const { sequence_number: number } = Object(event?.value) as { sequence_number?: unknown }
  return typeof number === 'number' ? number : Number.NaN
}
