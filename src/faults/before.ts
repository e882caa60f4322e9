/**
 * Faults before an answer: it comes late, or never.
 */
import * as z from 'zod'
import type { HangUp, Reply } from '../http/reply.ts'
import { defineFault, type FaultContext, type Part } from './fault.ts'
import { rampOf, valueAt } from './ramp.ts'

const milliseconds = () => z.number().min(0)

/** Nobody is asked, and nothing is sent. */
const noAnswer: { decides: readonly Part[]; removes: readonly Part[] } = {
  decides: ['answer'],
  removes: ['reply', 'own'],
}

/** Waits before the status line; over `fetch`, before the promise resolves. */
export const latency = defineFault({
  name: 'latency',
  layer: 'request',
  summary:
    'The answer comes late: after a fixed, a uniformly drawn or a log-normally drawn number of milliseconds.',
  params: () =>
    z.strictObject({
      ms: rampOf(milliseconds()).default(1000).describe('Milliseconds; for a log-normal draw, the median.'),
      jitterMs: milliseconds().default(0).describe('A uniform draw of up to so much more.'),
      sigma: z
        .number()
        .positive()
        .max(3)
        .optional()
        .describe('Log-normal, with this spread: 0.5 has a realistic tail.'),
    }),
  apply({ ms, jitterMs, sigma }, context) {
    const middle = valueAt(ms, context.elapsedMs)
    const drawn = sigma === undefined ? middle : middle * Math.exp(sigma * normal(context))
    return jitterMs === 0 ? drawn : drawn + jitterMs * context.random()
  },
})

export const timeout = defineFault({
  name: 'timeout',
  layer: 'request',
  summary: 'The request is accepted and never answered; the connection stays open.',
  ...noAnswer,
  params: () => z.strictObject({}),
  apply: () => hangUp('silence'),
})

export const connectionReset = defineFault({
  name: 'connection-reset',
  layer: 'request',
  summary:
    'The connection is reset (RST) before a byte of the answer; through MSW and fetch, a fetch that fails.',
  ...noAnswer,
  params: () => z.strictObject({}),
  apply: () => hangUp('reset'),
})

export const emptyResponse = defineFault({
  name: 'empty-response',
  layer: 'request',
  summary: 'The connection closes cleanly (FIN) without a byte; through MSW and fetch, a fetch that fails.',
  ...noAnswer,
  params: () => z.strictObject({}),
  apply: () => hangUp('end'),
})

function hangUp(how: HangUp): Reply {
  return { status: 0, headers: {}, body: { kind: 'hang-up', how } }
}

/** A draw from the standard normal distribution, by Box and Muller. */
function normal(context: FaultContext): number {
  return Math.sqrt(-2 * Math.log(1 - context.random())) * Math.cos(2 * Math.PI * context.random())
}
