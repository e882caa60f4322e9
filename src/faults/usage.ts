/** The fault `usage`: token counts that are missing, or that a stream sends at unusual places. */
import * as z from 'zod'
import type { Frame, StreamEvent } from '../http/reply.ts'
import { isObject } from '../lib/json.ts'
import { answerIn, changeAnswer, type Fields, withAnswer } from './answer.ts'
import { withFrames } from './body-bytes.ts'
import { defineFault, type FaultContext } from './fault.ts'
import { isEvent } from './position.ts'

export const usageFault = defineFault('usage', 'answer', {
  summary: "The answer's `usage` is missing or null, or a stream has it more often or later than usual.",
  params: () => ({
    form: z
      .enum(['missing', 'null', 'every-event', 'start-and-end', 'twice', 'after-finish'])
      .default('missing')
      .describe(
        'In a stream, `every-event` has the tokens so far, `start-and-end` has usage on the first event as well, `twice` repeats the event with usage, and `after-finish` sends it after the last event and `[DONE]`.',
      ),
  }),
  apply({ form }, context, reply) {
    if (form === 'missing' || form === 'null')
      return changeAnswer(reply, context, 'usage', ({ usage, ...rest }) =>
        form === 'null' ? { ...rest, usage: null } : rest,
      )
    context.missed(`only a stream can have the form '${form}'`)
    const { body } = reply
    return body.kind === 'frames' ? withFrames(reply, placeUsage(body.frames, context, form)) : reply
  },
})

/** Reads the whole stream first, because the counts are at its end. */
function* placeUsage(frames: Iterable<Frame>, context: FaultContext, form: string): Generator<Frame> {
  const all = [...frames]
  const events = all.filter(isEvent)
  const [first] = events
  const last = events.findLast(({ event }) => usageIn(event))
  const usage = last && usageIn(last.event)
  if (!first || !usage || (form === 'start-and-end' && usageIn(first.event))) {
    context.missed(usage ? 'the first event already has usage' : 'the answer has no usage')
    return yield* all
  }
  const isDelta = (frame: Frame) => isEvent(frame) && context.protocol.isDelta(frame.event)
  const deltas = Math.max(1, all.filter(isDelta).length)
  let sent = 0
  for (const frame of all) {
    if (isDelta(frame)) sent++
    if (
      isEvent(frame) &&
      (form === 'every-event' ? frame !== last : form === 'start-and-end' && frame === first)
    ) {
      yield withUsage(frame.event, tokensAfter(usage, sent / deltas))
      context.acted()
    } else if (frame === last && form === 'after-finish') yield withUsage(last.event, undefined)
    else yield frame
    if (frame !== last || form !== 'twice') continue
    yield repeated(last.event)
    context.acted()
  }
  if (form !== 'after-finish') return
  yield repeated(last.event)
  context.acted()
}

function usageIn(event: StreamEvent): Fields | undefined {
  const { usage } = answerIn(event)
  return isObject(usage) ? usage : undefined
}

function withUsage(event: StreamEvent, usage: Fields | undefined): Frame {
  return { kind: 'event', event: withAnswer(event, { ...answerIn(event), usage }) }
}

/** Returns the event with the next sequence number, if the protocol has them. */
function repeated(event: StreamEvent): Frame {
  const { sequence_number: number } = event
  return {
    kind: 'event',
    event: typeof number === 'number' ? { ...event, sequence_number: number + 1 } : event,
  }
}

/** Returns the token counts after a share of the output. */
function tokensAfter(usage: Fields, share: number): Fields {
  const output = Number(usage['output_tokens'] ?? usage['completion_tokens'])
  const missing = output - Math.floor(output * share)
  const counts = Object.entries(usage).flatMap(([name, value]) => {
    if (!name.endsWith('_tokens') || typeof value !== 'number') return []
    return [[name, /^(output|completion|total)_/.test(name) ? value - missing : value]]
  })
  return Object.fromEntries(counts)
}
