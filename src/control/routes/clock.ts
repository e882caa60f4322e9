/**
 * The clock of a sandbox over HTTP: read, advance.
 */
import * as z from 'zod'
import { GatewayError } from '../../http/errors.ts'
import { type ClockReading, maxAdvanceMs } from '../../lib/clock.ts'
import type { SandboxClock } from '../../sandbox/sandbox-clock.ts'
import { sandboxRoute } from '../route.ts'

const Reading = z.object({
  data: z.strictObject({
    now: z.string().describe('ISO 8601.'),
    elapsedMs: z.number().describe('Milliseconds of sandbox time since the sandbox was made or reset.'),
  }),
})

export const clockRoutes = [
  sandboxRoute({
    id: 'readClock',
    summary: 'Read sandbox time',
    tag: 'Clock',
    response: Reading,
    run: ({ clock }) => ({ data: clock.read() }),
  }),
  sandboxRoute({
    id: 'advanceClock',
    summary: 'Move sandbox time forward: quotas refill, outages end, timestamps move on',
    tag: 'Clock',
    body: z.strictObject({
      ms: z.number().min(0).max(maxAdvanceMs).describe('Milliseconds, ten years at most.'),
    }),
    response: Reading,
    run: ({ clock }, { body }) => ({ data: advanced(clock, body.ms) }),
  }),
]

function advanced(clock: SandboxClock, ms: number): ClockReading {
  try {
    return clock.advance(ms)
  } catch (error) {
    throw error instanceof RangeError ? new GatewayError(400, error.message) : error
  }
}
