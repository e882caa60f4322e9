/**
 * Step: the models that a request names, one after the other, until one of them answers.
 */
import { GatewayError } from '../http/errors.ts'
import type { Reply } from '../http/reply.ts'
import type { CallRecord } from '../journal/call-record.ts'
import type { Soon } from '../lib/when-there.ts'

/**
 * The reply of the first model that is neither refused nor fails, or else that of the last one.
 *
 * @param ask Meets the rules about the model that the record names, and asks the operation.
 */
export async function askModels(
  models: readonly string[],
  record: CallRecord,
  ask: () => Soon<Reply>,
): Promise<Reply> {
  for (const [place, model] of models.entries()) {
    record.asks(model)
    const next = models[place + 1]
    try {
      const reply = await ask()
      if (reply.status < 400 || next === undefined) return reply
      record.warn(`'${model}' was answered with ${reply.status}: '${next}' was asked in its place`)
    } catch (error) {
      if (!(error instanceof GatewayError) || next === undefined) throw error
      record.warn(
        `'${model}' was refused with ${error.status}, ${error.message}: '${next}' was asked in its place`,
      )
    }
  }
  return ask()
}
