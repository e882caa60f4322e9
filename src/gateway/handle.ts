/**
 * The life of one request, from its arrival to its reply. Each step is a function with a file of its own; one that
 * refuses the request throws, and the refusal is a reply, and journalled, like any other.
 */
import type { Reply } from '../http/reply.ts'
import type { RuleRequest } from '../rules/request-view.ts'
import { type Address, readAddress } from './address.ts'
import { authenticate, type Bearer, readBearer } from './authenticate.ts'
import type { Call } from './call.ts'
import { distort } from './distort.ts'
import { Exchange } from './exchange.ts'
import { findRoute } from './find-route.ts'
import { assertSandbox, whoseJournal } from './find-sandbox.ts'
import type { GatewayCore } from './gateway.ts'
import { faultContext, open } from './match-rule.ts'
import { assertJson, parseBody, readBody } from './read-body.ts'
import { resolve } from './resolve.ts'

export async function handle(gateway: GatewayCore, call: Call): Promise<Exchange> {
  const address = readAddress(call.path)
  const bearer = readBearer(call)
  const exchange = new Exchange(call, address.route, whoseJournal(gateway.sandboxes, address, bearer))
  try {
    return exchange.answer(await answer(gateway, call, { address, bearer }, exchange))
  } catch (error) {
    return exchange.refuse(error)
  }
}

async function answer(
  gateway: GatewayCore,
  call: Call,
  { address, bearer }: { address: Address; bearer: Bearer },
  exchange: Exchange,
): Promise<Reply> {
  const { options, router, sandboxes } = gateway
  const { rules, clock, seed } = exchange.sandbox

  const route = findRoute(router, rules, call.method, address)
  exchange.operation = route.operation?.id
  exchange.params = route.params

  authenticate(bearer, options.apiKeys)
  assertSandbox(sandboxes, address, bearer)

  exchange.requestText = await readBody(call, options.maxBodyBytes)
  exchange.identify(route.path)
  assertJson(call, exchange.requestText)
  const body = parseBody(exchange.requestText)

  const request = new Asking(exchange, route.path, body)
  const named = gateway.scenariosNamed(call.headers['x-understudy-scenario'])
  const { match, headers: quota, misses } = rules.match(request, named)
  exchange.match = match
  exchange.misses = misses
  if (!match) return withHeaders(await resolve(route, body, exchange), quota)

  const warn = (message: string) => exchange.warn(message)
  const context = faultContext(match, request, { seed, clock, warn })
  const { waitMs, instead } = open(match, context)
  await clock.wait(waitMs, call.signal)
  const reply = instead ?? (await resolve(route, body, exchange))
  return withHeaders(distort(reply, match, context), quota)
}

/** The reply with what quotas announce; a rule that says otherwise in its own reply is believed. */
function withHeaders(reply: Reply, headers: Record<string, string> | undefined): Reply {
  return headers ? { ...reply, headers: { ...headers, ...reply.headers } } : reply
}

/** The call as rules look at it. */
class Asking implements RuleRequest {
  readonly operation: string | undefined
  readonly method: string
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly contentKey: string
  readonly occurrence: number
  readonly #search: string

  constructor(exchange: Exchange, path: string, body: unknown) {
    this.operation = exchange.operation
    this.method = exchange.method
    this.path = path
    this.params = exchange.params
    this.headers = exchange.headers
    this.body = body
    this.contentKey = exchange.contentKey
    this.occurrence = exchange.occurrence
    this.#search = exchange.search
  }

  /** The last of each parameter: an operation refuses one that is repeated. */
  get query(): Record<string, string> {
    return this.#search === '' ? {} : Object.fromEntries(new URLSearchParams(this.#search))
  }
}
