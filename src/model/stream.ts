/**
 * A response as the frames of a stream: its events, numbered. Spec: Events.
 */
import { encodeEvent } from '../http/encode.ts'
import type { Frame, StreamEvent } from '../http/reply.ts'
import type { ResponseObject } from '../resources/response.ts'
import type { GatewayOptions } from '../sandbox/options.ts'
import { responseEvents } from './events.ts'
import { type PaceOptions, pacedFrames } from './paced-frames.ts'

export type StreamOptions = PaceOptions & Pick<GatewayOptions, 'streamEvents'>

/** Every frame of the stream, each made when it is asked for. */
export function streamFrames(response: ResponseObject, options: StreamOptions): Generator<Frame> {
  const toWire = deltaWriter()
  let sequence = 0
  const toFrame = (event: StreamEvent): Frame | undefined => {
    const told = options.streamEvents === 'all' ? event : documented(event)
    if (!told) return undefined
    told.sequence_number = sequence++
    return isToken(event) ? { kind: 'event', event, wire: toWire(event) } : { kind: 'event', event: told }
  }
  return pacedFrames({ id: response.id, events: responseEvents(response), isToken, toFrame }, options)
}

interface Delta extends StreamEvent {
  delta: string
}

function isToken(event: StreamEvent): event is Delta {
  const { type } = event
  return type === 'response.output_text.delta' || type === 'response.function_call_arguments.delta'
}

/** Writes deltas for the wire. They are most of a stream, and the deltas of one item differ in two fields only. */
function deltaWriter(): (event: Delta) => string {
  let item: unknown
  let before = ''
  let between = ''
  return (event) => {
    if (event.item_id !== item) {
      item = event.item_id
      const sample = encodeEvent({ ...event, delta: '', sequence_number: 0 })
      const place = sample.indexOf('"delta":""') + '"delta":'.length
      before = sample.slice(0, place)
      between = sample.slice(place + '""'.length, -end.length)
    }
    const { delta } = event
    const json = plain.test(delta) ? `"${delta}"` : JSON.stringify(delta)
    return `${before}${json}${between}${event.sequence_number}}\n\n`
  }
}

/** Text that JSON leaves as it is. */
const plain = /^[ !#-[\]-~]*$/

/** Of a frame whose last field is the sequence number 0. */
const end = '0}\n\n'

/** The event as the specification has it, if it does. However the response ends, its last event is one and the same. */
function documented(event: StreamEvent): StreamEvent | undefined {
  switch (event.type) {
    case 'response.output_item.added':
    case 'response.completed':
      return event
    case 'response.incomplete':
      return { ...event, type: 'response.completed' }
    default:
      return undefined
  }
}
