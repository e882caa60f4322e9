/**
 * Step: the answer in the words of the gateway's dialect, where it has one.
 */
import type { Dialect } from '../dialects/dialect.ts'
import { toTheirs } from '../dialects/translate.ts'
import type { Reply } from '../http/reply.ts'
import type { CallRecord } from '../journal/call-record.ts'
import { readAt } from '../lib/value-path.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'

export async function speakDialect(
  dialect: Dialect,
  reply: Reply,
  { operation = '', body, usage, state }: CallRecord<SandboxState>,
): Promise<Reply> {
  const name = readAt(body, ['model'])
  const model =
    typeof name === 'string' ? await state.tables.models.find(name.replace(/:.*$/, '')) : undefined
  const prices = {
    prompt: Number(model?.pricing.prompt ?? 0),
    completion: Number(model?.pricing.completion ?? 0),
  }
  return toTheirs(dialect, operation, reply, { cost: usage?.cost, prices, seed: state.seed })
}
