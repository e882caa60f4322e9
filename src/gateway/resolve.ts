/**
 * Asks the operation: checks the request, resolves it, and holds the answer to the specification.
 */
import { GatewayError } from '../http/errors.ts'
import type { Reply } from '../http/reply.ts'
import { hash } from '../sandbox/seed.ts'
import { checkRequest } from './check-request.ts'
import { assertContract } from './contract.ts'
import type { Exchange } from './exchange.ts'
import type { Route } from './find-route.ts'
import { assertParsed } from './read-body.ts'

/** Throws 400 for a request that breaks a rule, 404 for a path that only a rule knows and that it let pass. */
export async function resolve(
  { operation, params }: Route,
  body: unknown,
  exchange: Exchange,
): Promise<Reply> {
  if (!operation) throw new GatewayError(404)
  if (operation.body) assertParsed(exchange.requestText, body)
  const { sandbox, assume, warn } = exchange
  const { unknown, ...checked } = checkRequest(
    operation,
    { params, search: exchange.search, body },
    sandbox.options.strict,
  )
  for (const path of unknown) warn(`${path} is not known to ${operation.id} and was ignored`)

  const { effect } = exchange.match ?? {}
  const answer = () =>
    operation.resolve({
      ...checked,
      sandbox,
      now: exchange.at,
      requestKey: hash(sandbox.seed, exchange.contentKey, exchange.occurrence),
      script: effect?.kind === 'reply' ? effect.reply : undefined,
      assume,
      warn,
    })
  const reply = operation.writes ? await sandbox.write(async () => answer()) : await answer()
  return assertContract(operation, reply)
}
