/**
 * Step: the operation's own answer. Writes of one sandbox happen one at a time; reads do not wait for them.
 */
import type { Reply } from '../http/reply.ts'
import type { Operation } from '../operation.ts'
import type { RequestContext } from './request-context.ts'

/** A promise only where there is something to wait for. */
export function askOperation(operation: Operation, context: RequestContext): Reply | Promise<Reply> {
  if (operation.extension) context.assume('extension')
  if (operation.assumption) context.assume(operation.assumption)
  if (!operation.writes) return operation.resolve(context)
  return context.sandbox.write(() => operation.resolve(context))
}
