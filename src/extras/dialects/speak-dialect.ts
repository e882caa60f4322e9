/**
 * Step: the answer in the words of the gateway's dialect, where it has one.
 */

import type { Reply } from '../../http/reply.ts'
import type { CallRecord } from '../../journal/call-record.ts'
import { pricingOf, providersOf } from '../../model/catalogue.ts'
import type { SandboxState } from '../../sandbox/sandbox-state.ts'
import type { Dialect } from './dialect.ts'
import { asksForFields, toTheirs } from './translate.ts'

export async function speakDialect(
  dialect: Dialect,
  reply: Reply,
  { operation = '', headers, model = '', asked, usage, state }: CallRecord<SandboxState>,
): Promise<Reply> {
  const answering = usage?.model ?? model
  const pricing = await pricingOf(answering, state.tables)
  const [provider] = asksForFields(dialect, headers) ? await providersOf(answering, state.tables) : []
  return toTheirs(dialect, { operation, headers }, reply, {
    cost: usage?.cost,
    prices: { prompt: Number(pricing?.prompt ?? 0), completion: Number(pricing?.completion ?? 0) },
    seed: state.seed,
    model: answering,
    provider: provider?.name ?? '',
    asked,
  })
}
