/**
 * The clock of a sandbox over HTTP: read, advance.
 */
import * as z from 'zod'
import { GatewayError } from '../../http/errors.ts'
import { type ClockReading, maxAdvanceMs } from '../../lib/clock.ts'
import type { SandboxClock } from '../../sandbox/sandbox-clock.ts'
import { sandboxOperation } from '../operation.ts'

const Reading = z.object({
  data: z.strictObject({
    now: z.string().describe('ISO 8601.'),
    elapsedMs: z.number().describe('Milliseconds of sandbox time since the sandbox was made or reset.'),
  }),
})

export const clockOperations = [
  sandboxOperation({
    id: 'readClock',
    route: 'GET /sandboxes/{sandbox}/clock',
    remote: 'clock.read',
    doc: { summary: 'Read sandbox time', tag: 'Clock' },
    output: Reading,
    resolve: ({ clock }) => ({ data: clock.read() }),
  }),
  sandboxOperation({
    id: 'advanceClock',
    route: 'POST /sandboxes/{sandbox}/clock/advance',
    doc: {
      summary: 'Move sandbox time forward: quotas refill, outages end, timestamps move on',
      tag: 'Clock',
    },
    input: {
      body: z.strictObject({
        ms: z.number().min(0).max(maxAdvanceMs).describe('Milliseconds, ten years at most.'),
      }),
    },
    output: Reading,
    resolve: ({ clock }, { body }) => ({ data: advanced(clock, body.ms) }),
  }),
]

function advanced(clock: SandboxClock, ms: number): ClockReading {
  try {
    return clock.advance(ms)
  } catch (error) {
    throw error instanceof RangeError ? new GatewayError(400, error.message) : error
  }
}
