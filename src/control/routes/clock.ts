/**
 * The clock of a sandbox over HTTP: read, advance.
 */
import * as z from 'zod'
import type { GatewayCore } from '../../gateway/gateway.ts'
import type { Sandbox, SandboxClock } from '../../sandbox/sandbox.ts'
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
    method: 'get',
    path: '/clock',
    summary: 'Read sandbox time',
    tag: 'Clock',
    response: Reading,
    run: ({ clock }) => ({ data: clock.read() }),
  }),
  sandboxRoute({
    id: 'advanceClock',
    method: 'post',
    path: '/clock/advance',
    summary: 'Move sandbox time forward: quotas refill, outages end, timestamps move on',
    tag: 'Clock',
    body: z.strictObject({ ms: z.number().min(0).describe('Milliseconds.') }),
    response: Reading,
    run: (sandbox, { gateway, body }) => ({ data: clockOf(sandbox, gateway).advance(body.ms) }),
  }),
]

/** The default sandbox's clock is the gateway's. */
function clockOf(sandbox: Sandbox, gateway: GatewayCore): SandboxClock {
  return sandbox === gateway.sandboxes.default ? gateway.clock : sandbox.clock
}
