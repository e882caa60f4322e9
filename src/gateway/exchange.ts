/**
 * One call on its way: what the steps of the corridor find out about it, the reply it gets, and how the delivery of
 * that went, told by the adapter. The journal keeps it.
 */
import type { AssumptionName } from '../assumptions.ts'
import { GatewayError, toReply } from '../http/errors.ts'
import type { Reply } from '../http/reply.ts'
import type { CallRecord, Delivery } from '../journal/entry.ts'
import { toText } from '../journal/kept-text.ts'
import { monotonic } from '../lib/clock.ts'
import { hash } from '../lib/seed.ts'
import type { SkippedRules } from '../rules/near-misses.ts'
import type { Match } from '../rules/rules.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Call } from './call.ts'
import { BrokenContract } from './contract.ts'
import { ruleHeaders } from './distort.ts'
import { parseBody } from './read-body.ts'

export class Exchange implements CallRecord {
  readonly sandbox: Sandbox
  readonly method: string
  readonly path: string
  readonly route: string | undefined
  readonly search: string
  readonly headers: Readonly<Record<string, string>>
  readonly at: number
  readonly startedAt = monotonic()
  id = ''
  operation: string | undefined
  params: Readonly<Record<string, string>> = noParams
  requestText = ''
  requestBytes = 0
  requestCut = 0
  status = 0
  replyHeaders: Record<string, string> = {}
  replyParts: Array<string | Uint8Array> = []
  replyBytes = 0
  replyCut = 0
  match: Match | undefined
  misses: SkippedRules | undefined
  assumptions: readonly AssumptionName[] = none
  warnings: readonly string[] = none
  brokeContract = false
  delivery: Delivery = 'pending'
  kept = false
  firstByteAt: number | undefined
  endedAt: number | undefined
  reply: Reply = nothing
  /** Method, path, query and body in one: the same for the same request. */
  contentKey = ''
  /** How often the same request came before; 0 the first time. */
  occurrence = 0

  /** @param route The path below the base address, where it lies below one. */
  constructor(call: Call, route: string | undefined, sandbox: Sandbox) {
    this.sandbox = sandbox
    this.method = call.method
    this.path = call.path
    this.route = route
    this.search = call.search
    this.headers = call.headers
    this.at = sandbox.clock.step()
    sandbox.enter()
  }

  /** Parsed anew each time, as only few ask. */
  get body(): unknown {
    return this.requestCut > 0 ? undefined : parseBody(this.requestText)
  }

  /** Bytes that are no text are what they would read as. */
  get replyText(): string {
    return this.replyParts.map((part) => (typeof part === 'string' ? part : toText(part))).join('')
  }

  /** Says that the reply rests on something that the specification leaves open. */
  assume(name: AssumptionName): void {
    if (!this.assumptions.includes(name)) this.assumptions = [...this.assumptions, name]
  }

  /** Says in the journal what a caller should know. */
  warn(message: string): void {
    this.warnings = [...this.warnings, message]
  }

  /** Tells this request from every other, equal ones included. */
  identify(route: string): void {
    this.contentKey = hash(this.method, route, this.search, this.requestText)
    this.occurrence = this.sandbox.occurrences.next(this.contentKey)
    this.id = `req_${hash(this.sandbox.seed, 'request', this.contentKey, this.occurrence)}`
  }

  /** The reply is made: names itself in its headers, and enters the journal. */
  answer(reply: Reply): this {
    if (this.id === '') this.identify(this.path)
    const headers: Record<string, string> = { ...reply.headers, 'x-request-id': this.id }
    if (this.match) Object.assign(headers, ruleHeaders(this.match))
    if (this.assumptions.length > 0) headers['x-understudy-assumptions'] = this.assumptions.join(', ')
    this.reply = { ...reply, headers }
    this.status = reply.status
    this.replyHeaders = headers
    this.sandbox.journal.add(this)
    return this
  }

  /** The reply is a refusal. Whatever is not meant as one is a mistake of ours, and loud. */
  refuse(error: unknown): this {
    if (error instanceof GatewayError && !(error instanceof BrokenContract)) {
      const usual = this.assumptions.length === 0 ? restingOn[error.status] : undefined
      const assumption = error.assumption ?? usual
      if (assumption) this.assume(assumption)
      return this.answer(toReply(error))
    }
    this.brokeContract = true
    const { message, stack } = error as Error
    this.warn(stack ?? message)
    const metadata = error instanceof BrokenContract ? error.metadata : undefined
    return this.answer(toReply(new GatewayError(500, `Mistake in understudy: ${message}`, metadata)))
  }

  /**
   * A part of the body leaves.
   *
   * @param bytes Its length, where that is known.
   */
  sent(chunk: string | Uint8Array, bytes?: number): void {
    this.sandbox.journal.sent(this, chunk, bytes)
  }

  /** The delivery is over; the first word on it stands. The journal keeps texts, so the reply itself goes. */
  settle(delivery: Exclude<Delivery, 'pending'>): void {
    if (this.delivery !== 'pending') return
    this.delivery = delivery
    this.reply = nothing
    this.endedAt = monotonic()
    this.sandbox.leave()
  }
}

// As many exchanges as the journal keeps live long, and what lives long is dear to the garbage collector: they share
// what most of them have in common.
const nothing: Reply = Object.freeze({ status: 0, headers: {}, body: Object.freeze({ kind: 'none' }) })
const noParams = Object.freeze({})
const none: readonly never[] = Object.freeze([])

/** What a refusal rests on, by its status, where nobody says it more exactly. Spec: Errors, 2 and 3. */
const restingOn: Record<number, AssumptionName> = {
  400: 'violations',
  401: 'authentication',
  404: 'unknownPath',
  405: 'unknownPath',
  413: 'requestBody',
  415: 'requestBody',
}
