/**
 * One request and its answer: what the steps of the corridor find out, the reply, and how its delivery went. Rules
 * look at it, and the journal keeps it. Only the verbs of this class change it.
 */
import type { AssumptionName } from '../assumptions.ts'
import { refusalMessage } from '../http/errors.ts'
import { parseJsonBody } from '../http/json-body.ts'
import type { Reply } from '../http/reply.ts'
import { type Clock, monotonic } from '../lib/clock.ts'
import { hash } from '../lib/seed.ts'
import type { SkippedRules } from '../rules/near-misses.ts'
import type { Match, Outcome } from '../rules/outcome.ts'
import { asksForStream, modelOf, type RuleRequest } from '../rules/rule-request.ts'
import { type Arrival, sizeOf } from './arrival.ts'
import type { CallListener } from './call-listener.ts'
import { KeptBody } from './kept-body.ts'
import type { CallUsage } from './ledger.ts'
import { Timeline } from './timeline.ts'
import { traceIdOf } from './trace.ts'

/**
 * How a reply reached its reader: `pending` is still under way, `cut` was broken off by a fault, `client-left` by the
 * client.
 */
export type Delivery = 'pending' | 'complete' | 'cut' | 'client-left'

/** What the record of a call needs of the sandbox state that the call belongs to. */
export interface RecordOwner {
  readonly sandboxId: string
  readonly seed: string | number
  readonly clock: Clock
  readonly occurrences: { next(contentKey: string): number }
  readonly journal: RecordKeeper
  readonly ledger: { add(usage: CallUsage): void }
  /** Are told of every call of the gateway. */
  readonly listeners: Iterable<CallListener>
  /** Calls `end` when the state ends, for a connection that a fault keeps silent. Returns how to let go of it before. */
  hold(end: () => void): () => void
  /** A call begins; until it leaves, the sandbox is in use. */
  enter(): void
  leave(): void
}

/** What a record tells the journal. */
export interface RecordKeeper {
  add(record: CallRecord): void
  grow(bytes: number): void
  /** The newest call that passes a test. */
  find(test: (record: CallRecord) => boolean): CallRecord | undefined
}

/** @typeParam State The sandbox state that the call belongs to. */
export class CallRecord<State extends RecordOwner = RecordOwner> implements RuleRequest {
  /**
   * The state in which the call arrived, for as long as it lasts: rules, rows, counters, clock and journal of the call
   * are those of this state, whatever the sandbox goes on to.
   */
  readonly state: State
  readonly method: string
  readonly path: string
  /** The path below the base address; undefined where it does not lie below one. */
  readonly route: string | undefined
  readonly search: string
  readonly headers: Readonly<Record<string, string>>
  /** Sandbox time, milliseconds since 1970. */
  readonly at: number
  /** Real milliseconds, from `monotonic()`. */
  readonly startedAt = monotonic()

  /** The reply's `x-request-id`. */
  id = ''
  /** Operation id; undefined where no operation has this path and method. */
  operation: string | undefined
  params: Readonly<Record<string, string>> = noParams
  /** Method, path, query and body in one hash: the same for the same request. */
  contentKey = ''
  /** How often the same request came before; 0 the first time. */
  occurrence = 0
  /** What its body names. */
  model: string | undefined
  /** Of several models that it names, those that were asked. */
  asked: readonly string[] = none
  asksForStream = false
  /** Whether it was refused before its operation was asked. */
  isRefused = false
  match: Match | undefined
  skipped: SkippedRules | undefined
  assumptions: readonly AssumptionName[] = none
  warnings: readonly string[] = none
  brokeContract = false
  /** What its reply has used; undefined where that is not counted. */
  usage: CallUsage | undefined
  status = 0
  /** The message of the refusal that its reply is; undefined for another reply. */
  reason: string | undefined
  replyHeaders: Readonly<Record<string, string>> = noParams
  /** The reply until it is delivered; the journal keeps its text. */
  reply: Reply = nothing
  delivery: Delivery = 'pending'
  /** Events of its stream that have left on a socket. */
  events = 0
  /** Real milliseconds, as `startedAt`. */
  firstByteAt: number | undefined
  endedAt: number | undefined
  readonly requestBody = new KeptBody()
  readonly replyBody = new KeptBody()
  /** When the parts of a stream left; undefined for a reply of one part. */
  timeline: Timeline | undefined

  /** The request's body as it came, until the reply is made. */
  #text: string | undefined
  #parsed: unknown
  #isRouted = false
  #afterwards: (() => void) | undefined
  /** Bytes of one body that the journal keeps; undefined where it has not got the record, or not any more. */
  #keptBytes: number | undefined
  /** All of it but its bodies, as it was when the journal got it. */
  #headBytes = 0

  constructor(state: State, { method, path, search, headers }: Arrival, route: string | undefined) {
    this.state = state
    this.method = method
    this.path = path
    this.route = route
    this.search = search
    this.headers = headers
    this.at = state.clock.step()
    state.enter()
  }

  /** The last of each parameter. */
  get query(): Record<string, string> {
    return this.search === '' ? {} : Object.fromEntries(new URLSearchParams(this.search))
  }

  /** Input and output together. */
  get tokens(): number {
    return this.usage ? this.usage.inputTokens + this.usage.outputTokens : 0
  }

  /** The trace that it is part of, as its `traceparent` says; undefined where that is none. */
  get traceId(): string | undefined {
    return traceIdOf(this.headers['traceparent'])
  }

  /** The request's body exactly as sent, or as much of it as the journal keeps. */
  get requestText(): string {
    return this.#text ?? this.requestBody.text
  }

  /** As parsed; undefined where it is none, not JSON, or too long to keep. A kept one is parsed for each who asks. */
  get body(): unknown {
    if (this.#text !== undefined) return this.#parsed
    return this.requestBody.cut > 0 ? undefined : parseJsonBody(this.requestBody.text)
  }

  /** Estimated bytes of memory that it takes while it is kept. */
  get heldBytes(): number {
    const { requestBody, replyBody, timeline } = this
    return this.#headBytes + requestBody.heldBytes + replyBody.heldBytes + (timeline?.heldBytes ?? 0)
  }

  /** What answers it: an operation, or a rule for a path that no operation describes. */
  routed(operation: string | undefined, params: Readonly<Record<string, string>>): void {
    this.operation = operation
    this.params = params
    this.#isRouted = true
  }

  /** Its body has come. From now on it can be told from every other request, equal ones included. */
  received(text: string): void {
    this.#text = text
    if (text !== '') {
      this.#parsed = parseJsonBody(text)
      this.model = modelOf(this.#parsed)
      this.asksForStream = asksForStream(this.#parsed)
    }
    const { seed, occurrences } = this.state
    const path = (this.#isRouted && this.route) || this.path
    this.contentKey = hash(this.method, path, this.search, text)
    this.occurrence = occurrences.next(this.contentKey)
    this.id = `req_${hash(seed, 'request', this.contentKey, this.occurrence)}`
  }

  /** One of its models is asked now: rules and the operation see that one. */
  asks(model: string): void {
    this.model = model
    this.asked = [...this.asked, model]
    this.#parsed = { ...(this.#parsed as object), model }
  }

  /** A step refuses it; a rule for every call may still answer it. */
  refused(): void {
    this.isRefused = true
  }

  /** The rules in force have looked at it. */
  matched({ match, skipped }: Outcome): void {
    this.match = match
    this.skipped = skipped
  }

  /** Its reply rests on something that the specification leaves open. */
  assume(name: AssumptionName): void {
    if (!this.assumptions.includes(name)) this.assumptions = [...this.assumptions, name]
  }

  /** Its reply uses so many tokens. */
  used(usage: CallUsage): void {
    this.usage = usage
    this.state.ledger.add(usage)
  }

  /** Something that a caller should know, and that the reply does not say. */
  warn(message: string): void {
    this.warnings = [...this.warnings, message]
  }

  /** Its reply breaks our own schema, or could not be made: a mistake of ours. */
  broken(message: string): void {
    this.brokeContract = true
    this.warn(message)
  }

  /**
   * The reply is made: its headers name it and what it rests on, and the journal gets the record.
   *
   * @param reason Why it refuses the call, where its body is not there to say it.
   */
  replied(reply: Reply, reason = reply.status < 400 ? undefined : refusalMessage(reply)): void {
    if (this.id === '') this.received('')
    const headers: Record<string, string> = { ...reply.headers, 'x-request-id': this.id }
    if (this.match) headers['x-understudy-scenario'] = `${this.match.scenario}#${this.match.rule}`
    if (this.assumptions.length > 0) headers['x-understudy-assumptions'] = this.assumptions.join(', ')
    this.reply = { ...reply, headers }
    this.status = reply.status
    this.reason = reason
    this.replyHeaders = headers
    this.state.journal.add(this)
    for (const listener of this.state.listeners) listener.replied?.(this)
  }

  /**
   * A part of the reply's body leaves.
   *
   * @param length Its bytes. Default: counted.
   * @param events How many events of a stream are in it, where somebody counts them. Default: 0.
   */
  sent(part: string | Uint8Array, length?: number, events = 0): void {
    const now = monotonic()
    this.events += events
    this.firstByteAt ??= now
    if (this.#keptBytes === undefined) return
    const offset = this.replyBody.bytes
    if (offset > 0) this.timeline ??= new Timeline(this.firstByteAt - this.startedAt)
    const marked = this.timeline?.mark(offset, now - this.startedAt) ?? 0
    this.state.journal.grow(marked + this.replyBody.add(part, this.#keptBytes, length))
  }

  /** What to do once, when the delivery is over, however it ends. */
  afterwards(act: () => void): void {
    const before = this.#afterwards
    this.#afterwards = before ? () => [before, act].forEach((each) => void each()) : act
  }

  /** The delivery is over; the first word on it stands. */
  settled(delivery: Exclude<Delivery, 'pending'>): void {
    if (this.delivery !== 'pending') return
    this.delivery = delivery
    this.reply = nothing
    this.endedAt = monotonic()
    this.state.leave()
    this.#afterwards?.()
    for (const listener of this.state.listeners) listener.settled?.(this)
  }

  /** The journal keeps it, with so many bytes of each body. Returns its `heldBytes`. */
  kept(bodyBytes: number): number {
    this.#keptBytes = bodyBytes
    this.#headBytes = recordBytes + this.path.length + this.search.length + sizeOf(this.headers)
    const held = this.#text ? this.requestBody.add(this.#text, bodyBytes) : 0
    this.#text = undefined
    this.#parsed = undefined
    return this.#headBytes + held
  }

  /** The journal has let it go. */
  dropped(): void {
    this.#keptBytes = undefined
  }
}

/** What a record takes without texts, measured. */
const recordBytes = 1500

// The journal keeps many records: what is the same in most of them, they share.
const nothing: Reply = Object.freeze({ status: 0, headers: {}, body: Object.freeze({ kind: 'none' }) })
const noParams: Readonly<Record<string, never>> = Object.freeze({})
const none: readonly never[] = Object.freeze([])
