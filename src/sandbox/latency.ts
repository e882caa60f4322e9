/** The `latency` option: the time that generated replies take, in milliseconds of sandbox time. */
import * as z from 'zod'
import type { Reply } from '../http/reply.ts'
import { Duration } from '../lib/numbers.ts'
import { mustBe } from '../lib/schema-messages.ts'

export interface Latency {
  readonly firstToken: number
  readonly perToken: number
}

/** Plausible figures, within the range of public comparisons of hosted models. */
const latencies = {
  fast: { firstToken: 220, perToken: 5 },
  typical: { firstToken: 700, perToken: 16 },
  slow: { firstToken: 4000, perToken: 24 },
}

const names = Object.keys(latencies) as (keyof typeof latencies)[]

export const LatencyOption = z.lazy(() =>
  z.union([
    z
      .enum(names, mustBe(`'${names.join("', '")}', a duration, or { firstToken, perToken }`))
      .transform((name): Latency => latencies[name]),
    Duration.transform((firstToken): Latency => ({ firstToken, perToken: 0 })),
    z.strictObject({
      firstToken: Duration.default(0).describe('Time to the first event of a stream. Default: 0.'),
      perToken: Duration.default(0).describe('Time per token. Default: 0.'),
    }),
  ]),
)

/** Delays a non-streamed reply by the time that its stream would take. */
export function withLatency<Value>(
  reply: Reply<Value>,
  outputTokens: number,
  latency: Latency | undefined,
): Reply<Value> {
  if (!latency) return reply
  const delayMs = latency.firstToken + outputTokens * latency.perToken
  return { ...reply, transport: { ...reply.transport, delayMs } }
}
