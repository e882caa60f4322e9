/** The fault `usage`: token counts that are missing, or that a stream sends at unusual places. */
import * as z from 'zod'
import type { StreamEvent } from '../http/reply.ts'
import { isObject } from '../lib/json.ts'
import { answerIn, changeAnswer, type Fields, withAnswer } from './answer.ts'
import { withFrames } from './body-bytes.ts'
import { changeStream } from './calls.ts'
import { defineFault, type FaultContext } from './fault.ts'

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
    if (form === 'null')
      return changeAnswer(reply, context, 'usage', (answer) => ({ ...answer, usage: null }))
    if (form === 'missing') return changeAnswer(reply, context, 'usage', ({ usage, ...rest }) => rest)
    context.missed(`only a stream can have the form '${form}'`)
    const place = (events: readonly StreamEvent[]) => placeUsage(events, context, form)
    const { body } = reply
    return body.kind === 'frames' ? withFrames(reply, changeStream(body.frames, context, place)) : reply
  },
})

function placeUsage(events: readonly StreamEvent[], context: FaultContext, form: string): object[] {
  const { isDelta } = context.protocol
  const last = events.findLast(usageIn)
  const usage = last && usageIn(last)
  const isEarly = form === 'start-and-end' && events[0] && usageIn(events[0])
  if (!usage || isEarly) {
    context.missed(usage ? 'the first event already has usage' : 'the answer has no usage')
    return [...events]
  }
  const deltas = Math.max(1, events.filter(isDelta).length)
  let sent = 0
  const placed = events.map((event) => {
    if (isDelta(event)) sent++
    if (form === 'every-event' ? event !== last : form === 'start-and-end' && event === events[0])
      return withUsage(event, tokensAfter(usage, sent / deltas))
    if (event !== last) return event
    return form === 'twice' ? [event, repeated(event)] : form === 'after-finish' ? withUsage(event) : event
  })
  return form === 'after-finish' ? [...placed, repeated(last)] : placed
}

function usageIn(event: StreamEvent): Fields | undefined {
  const { usage } = answerIn(event)
  return isObject(usage) ? usage : undefined
}

function withUsage(event: StreamEvent, usage?: Fields): StreamEvent {
  return withAnswer(event, { ...answerIn(event), usage })
}

/** Returns the event with the next sequence number, if the protocol has them. */
function repeated(event: StreamEvent): StreamEvent {
  const { sequence_number: number } = event
  return typeof number === 'number' ? { ...event, sequence_number: number + 1 } : event
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
