/**
 * Changes to what an answer says, whether it comes as JSON or as the events of a stream.
 */
import type { Frame, Reply, StreamEvent } from '../http/reply.ts'
import { withFrames } from './body.ts'
import type { FaultContext } from './fault.ts'

/**
 * The reply with its JSON, or each of its events, changed; the fault acts where that changes anything.
 *
 * @param nothing Why the fault has nothing to act on, if it has not.
 * @param change Returns the value itself where it stays as it is.
 */
export function mapped(
  reply: Reply,
  context: FaultContext,
  nothing: string,
  change: (value: unknown, isEvent: boolean) => unknown,
): Reply {
  context.missed(nothing)
  const { body } = reply
  if (body.kind === 'frames') return withFrames(reply, mappedFrames(body.frames, context, change))
  if (body.kind !== 'json') return reply
  const value = change(body.value, false)
  if (value === body.value) return reply
  context.acted()
  return { ...reply, body: { kind: 'json', value } }
}

function* mappedFrames(
  frames: Iterable<Frame>,
  context: FaultContext,
  change: (value: unknown, isEvent: boolean) => unknown,
): Generator<Frame> {
  for (const frame of frames) {
    // A changed event is still an object.
    const event = frame.kind === 'event' ? (change(frame.event, true) as StreamEvent) : undefined
    if (frame.kind !== 'event' || !event || event === frame.event) yield frame
    else {
      yield { kind: 'event', event }
      context.acted()
    }
  }
}
