/**
 * A response as the frames of a stream: its events numbered and paced, with signs of life in long pauses.
 * Spec: Events.
 */
import { encodeEvent } from '../http/encode.ts'
import type { Frame, StreamEvent } from '../http/reply.ts'
import { random } from '../lib/seed.ts'
import type { ResponseObject } from '../resources/response.ts'
import type { GatewayOptions } from '../sandbox/options.ts'
import { responseEvents } from './events.ts'

export type StreamOptions = Pick<
  GatewayOptions,
  'seed' | 'streamEvents' | 'firstEventMs' | 'tokensPerSecond' | 'jitter' | 'keepAliveMs'
>

/** Every frame of the stream, each made when it is asked for. */
export function* streamFrames(response: ResponseObject, options: StreamOptions): Generator<Frame> {
  const { streamEvents, firstEventMs, keepAliveMs = Number.POSITIVE_INFINITY } = options
  const pace = pacer(response, options)
  const toWire = deltaWriter()
  let sequence = 0
  /** Milliseconds that nothing has been sent. */
  let silence = 0

  function* wait(ms: number): Generator<Frame> {
    for (let left = ms; left > 0; ) {
      const step = Math.min(left, keepAliveMs - silence)
      yield { kind: 'wait', ms: step }
      left -= step
      silence += step
      if (silence < keepAliveMs) continue
      yield { kind: 'bytes', bytes: ': keep-alive\n\n' }
      silence = 0
    }
  }

  yield* wait(firstEventMs)
  for (const event of responseEvents(response)) {
    const isDelta = isToken(event)
    if (pace && isDelta) {
      const ms = pace()
      // Nearly every pause is short, and a thousand streams wait at a time: these need no generator of their own.
      if (ms > 0 && silence + ms < keepAliveMs) {
        yield { kind: 'wait', ms }
        silence += ms
      } else yield* wait(ms)
    }
    const told = streamEvents === 'all' ? event : documented(event)
    if (!told) continue
    told.sequence_number = sequence++
    yield isDelta ? { kind: 'event', event, wire: toWire(event) } : { kind: 'event', event: told }
    silence = 0
  }
  yield { kind: 'done' }
}

/** How long to wait before each token, in milliseconds. */
function pacer(
  { id }: ResponseObject,
  { seed, tokensPerSecond, jitter }: StreamOptions,
): (() => number) | undefined {
  if (tokensPerSecond === undefined) return undefined
  const pause = 1000 / tokensPerSecond
  const draw = random(seed, 'pace', id)
  return () => pause * (1 + jitter * (2 * draw() - 1))
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
