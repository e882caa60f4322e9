/**
 * Asks the operation: checks the request, resolves it, and holds the answer to the specification.
 */
import { GatewayError } from '../http/errors.ts'
import type { Reply } from '../http/reply.ts'
import { hash } from '../lib/seed.ts'
import type { ResolverContext } from '../operation.ts'
import type { ScriptedReply } from '../rules/scenario.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { type CheckedRequest, checkRequest } from './check-request.ts'
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
  const { sandbox } = exchange
  const { unknown, ...checked } = checkRequest(
    operation,
    { params, search: exchange.search, body },
    sandbox.options.strict,
  )
  for (const path of unknown) exchange.warn(`${path} is not known to ${operation.id} and was ignored`)

  const context = new Context(exchange, checked)
  const reply = operation.writes
    ? await sandbox.write(() => operation.resolve(context))
    : await operation.resolve(context)
  return assertContract(operation, reply)
}

/** What an operation may know of one request. */
class Context implements ResolverContext {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly sandbox: Sandbox
  readonly now: number
  readonly assume: ResolverContext['assume']
  readonly warn: ResolverContext['warn']
  readonly #exchange: Exchange

  constructor(exchange: Exchange, { params, query, body }: Omit<CheckedRequest, 'unknown'>) {
    this.params = params
    this.query = query
    this.body = body
    this.sandbox = exchange.sandbox
    this.now = exchange.at
    this.assume = (name) => exchange.assume(name)
    this.warn = (message) => exchange.warn(message)
    this.#exchange = exchange
  }

  /** Made for the few operations that ask for it. */
  get requestKey(): string {
    const { sandbox, contentKey, occurrence } = this.#exchange
    return hash(sandbox.seed, contentKey, occurrence)
  }

  get script(): ScriptedReply | undefined {
    return this.#exchange.match?.effect.reply
  }
}
