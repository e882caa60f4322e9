/** The `usage` fault: token counts are missing, or a stream sends them in unusual places. */
import * as z from 'zod'
import type { StreamEvent } from '../http/reply.ts'
import { fieldsOf, isObject } from '../lib/json.ts'
import { answerIn, changeAnswer, type Fields, withAnswer } from './answer.ts'
import { changeWhole } from './calls.ts'
import { defineFault } from './fault.ts'

export const usageFault = defineFault('usage', 'answer', {
  summary: "The answer's `usage` is missing or null, or a stream has it more often or later than usual.",
  params: () => ({
    form: z
      .enum(['missing', 'null', 'every-event', 'start-and-end', 'twice', 'after-finish'])
      .default('missing')
      .describe(
        'In a stream, `every-event` adds the tokens so far to each event, `start-and-end` also adds usage to the first event, `twice` repeats the event with usage, and `after-finish` sends usage after the last event and `[DONE]`.',
      ),
  }),
  apply({ form }, context, reply) {
    if (form === 'null')
      return changeAnswer(reply, context, 'usage', (answer) => ({ ...answer, usage: null }))
    if (form === 'missing') return changeAnswer(reply, context, 'usage', ({ usage, ...rest }) => rest)
    const nothing = `only a stream whose usage is at its end can have the form '${form}'`
    return changeWhole(reply, context, nothing, (shown, { isDelta }) => {
      const events = shown.map(({ event }) => event)
      const place = events.findLastIndex((event) => isObject(answerIn(event)['usage']))
      const last = events[place]
      const isUsual = form === 'start-and-end' && isObject(answerIn(events[0])['usage'])
      if (!last || events.length === 1 || isUsual) return events
      const { sequence_number: number } = last
      const again = { ...last, ...(typeof number === 'number' && { sequence_number: number + 1 }) }
      if (form === 'twice') return events.map((event) => (event === last ? [event, again] : event))
      if (form === 'after-finish') return [...events.with(place, withUsage(last)), again]
      const deltas = events.filter(isDelta).length || 1
      let sent = 0
      return events.map((event) => {
        if (isDelta(event)) sent++
        const isAdded = form === 'every-event' ? event !== last : event === events[0]
        return isAdded ? withUsage(event, tokensAfter(answerIn(last)['usage'], sent / deltas)) : event
      })
    })
  },
})

function withUsage(event: StreamEvent, usage?: Fields): StreamEvent {
  return withAnswer(event, { ...answerIn(event), usage })
}

/** Returns the token counts after a share of the output (0 to 1) has been sent. */
function tokensAfter(all: unknown, share: number): Fields {
  const usage = fieldsOf(all)
  const output = Number(usage['output_tokens'] ?? usage['completion_tokens'])
  const missing = output - Math.floor(output * share)
  const counts = Object.entries(usage).flatMap(([name, value]) => {
    if (!name.endsWith('_tokens') || typeof value !== 'number') return []
    return [[name, /^(output|completion|total)_/.test(name) ? value - missing : value]]
  })
  return Object.fromEntries(counts)
}
