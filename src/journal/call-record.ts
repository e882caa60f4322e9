/**
 * One request and its reply: what the steps of a request find out, the reply, and how its delivery went. Rules look at
 * it, and the journal keeps it. Only its own methods change it.
 */
import type { AssumptionName } from '../assumptions.ts'
import { refusalMessage } from '../http/errors.ts'
import { parseJsonBody } from '../http/json-body.ts'
import type { Reply } from '../http/reply.ts'
import { type Clock, monotonic } from '../lib/clock.ts'
import { hash } from '../lib/seed.ts'
import { asksForStream, modelOf, type RuleRequest } from '../scenarios/condition.ts'
import type { NearMiss, SkippedRules } from '../scenarios/near-misses.ts'
import type { Match, Outcome } from '../scenarios/rules.ts'
import type { TurnReading } from '../scenarios/script-runs.ts'
import { KeptBody, type KeptText, type TimedPart, Timeline } from './body.ts'
import type { CallUsage } from './ledger.ts'

/**
 * How a reply reached the client: `pending` is in flight, `aborted-by-fault` was broken off by a fault, `aborted-by-client` by the client.
 */
export type Delivery = 'pending' | 'complete' | 'aborted-by-fault' | 'aborted-by-client'

/** The sandbox state that a call arrived in, as far as its record needs it. */
export interface StateOfCall {
  readonly sandboxId: string
  readonly seed: string | number
  readonly clock: Clock
  readonly occurrences: { next(contentKey: string): number }
  /** @internal */
  readonly journal: Keeper
  /** If false, another state has replaced it: its calls no longer enter the journal. */
  readonly isCurrent: boolean
  readonly ledger: { add(usage: CallUsage): void }
  readonly listeners: Iterable<CallListener>
  /** Calls `end` when the state ends. Returns a function that removes it. */
  hold(end: () => void): () => void
  /** A call begins: the sandbox is in use until it leaves. */
  enter(): void
  leave(): void
}

/** What keeps records: a journal. */
interface Keeper {
  /** Maximum number of bytes that it keeps of one body. */
  readonly bodyBytes: number
  add(record: CallRecord): void
  /** Called when a record that it keeps has more bytes than before. */
  grow(bytes: number): void
}

/** Observes the calls of all sandboxes while they happen. */
export interface CallListener {
  /** The reply is ready, and the journal has the record. */
  replied?(record: CallRecord): void
  /** The delivery is over. */
  settled?(record: CallRecord): void
}

/** A request, before anything is known about it. */
export interface Arrival {
  /** Upper case. */
  readonly method: string
  /** As requested. */
  readonly path: string
  /** The query with its question mark, or the empty string. */
  readonly search: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** The rule that made or changed a reply. */
export interface CallRule {
  /** Name of its scenario. */
  scenario: string
  /** Position in the scenario, from 1. */
  rule: number
  /** Names of its faults. */
  faults: string[]
}

/** Maximum number of warnings of one call that are listed. */
const maxWarnings = 50

/** @typeParam State The sandbox state that the call belongs to. */
export class CallRecord<State extends StateOfCall = StateOfCall> implements RuleRequest {
  /**
   * The state in which the call arrived: rules, rows, counters, clock and journal of the call are those of this state,
   * even after a reset of the sandbox.
   */
  readonly state: State
  readonly method: string
  readonly path: string
  /** Path below the base URL; undefined for a path outside of it. */
  readonly route: string | undefined
  readonly search: string
  readonly headers: Readonly<Record<string, string>>
  /** Sandbox time, milliseconds since 1970. */
  at: number
  /** Real milliseconds, from `monotonic()`. */
  readonly startedAt = monotonic()

  /** The reply's `x-request-id`. */
  id = ''
  /** Operation id; undefined if no operation has this path and method. */
  operation: string | undefined
  answersWithText = false
  params: Readonly<Record<string, string>> = noParams
  /** Method, path, query and body in one hash: the same for the same request. */
  contentKey = ''
  /** Number of earlier requests with the same content. */
  occurrence = 0
  /** The model that its body names. */
  model: string | undefined
  /** If the body names several models, those that were tried. */
  asked: readonly string[] = none
  asksForStream = false
  /** If true, a step refused it before its operation ran. */
  isRefused = false
  match: Match | undefined
  rule: CallRule | undefined
  /** The rule's own name. */
  ruleName: string | undefined
  /** The turn of a script that the call took. */
  turn: TurnReading | undefined
  /** Rules that were tried and did not apply. */
  skipped: SkippedRules | undefined
  /** Near misses of a call that was loaded from a file. */
  savedNearMisses: readonly NearMiss[] | undefined
  assumptions: readonly AssumptionName[] = none
  warnings: readonly string[] = none
  schemaViolation = false
  /** Tokens and cost of the reply; undefined if they are not counted. */
  usage: CallUsage | undefined
  status = 0
  /** The message of the error in its reply. */
  reason: string | undefined
  replyHeaders: Readonly<Record<string, string>> = noParams
  /** The reply until it is delivered; after that, `replyBody` has what was sent. */
  reply: Readonly<Reply> = nothing
  delivery: Delivery = 'pending'
  /** Number of events of its stream that were sent. */
  events = 0
  /** Real milliseconds, as `startedAt`. */
  firstByteAt: number | undefined
  endedAt: number | undefined
  readonly requestBody = new KeptBody()
  readonly replyBody = new KeptBody()
  /** When the parts of a stream were sent; undefined for a reply of one part. */
  timeline: Timeline | undefined

  /** The request's body, until the reply is ready. */
  #text: string | undefined
  #parsed: unknown
  #isRouted = false
  #afterwards: (() => void) | undefined
  /** If true, the journal keeps it. */
  #isKept = false
  /** Number of warnings past the limit. */
  #unlisted = 0

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

  get clock(): Clock {
    return this.state.clock
  }

  /** Calls `end` when the state ends. Returns a function that removes it. */
  hold(end: () => void): () => void {
    return this.state.hold(end)
  }

  /** The last value of each parameter. */
  get query(): Record<string, string> {
    return this.search === '' ? {} : Object.fromEntries(new URLSearchParams(this.search))
  }

  /** Input and output tokens. */
  get tokens(): number {
    return this.usage ? this.usage.inputTokens + this.usage.outputTokens : 0
  }

  /** Number of rules about the call that did not apply; 0 if one did. */
  get missed(): number {
    return this.rule ? 0 : (this.savedNearMisses?.length ?? this.skipped?.looked ?? 0)
  }

  /** Trace id of its `traceparent` header. */
  get traceId(): string | undefined {
    return traceIdOf(this.headers['traceparent'])
  }

  /** The request's body as sent, or as much of it as the journal keeps. */
  get requestText(): string {
    return this.#text ?? this.requestBody.text
  }

  /** The parsed body; undefined if there is none, if it is not JSON, or if it was cut. Parsed again on each call. */
  get body(): unknown {
    if (this.#text !== undefined) return this.#parsed
    return this.requestBody.cut > 0 ? undefined : parseJsonBody(this.requestBody.text)
  }

  /** Bytes of both bodies that are kept. */
  get bodyBytes(): number {
    return this.requestBody.bytes + this.replyBody.bytes
  }

  /** Sets the operation; undefined for a path that only a rule knows. */
  routed(
    operation: { id: string; protocol?: object | undefined } | undefined,
    params: Readonly<Record<string, string>>,
  ): void {
    this.operation = operation?.id
    this.answersWithText = operation?.protocol !== undefined
    this.params = params
    this.#isRouted = true
  }

  /** Sets the body. From now on the call can be told from every other one, equal ones included. */
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

  /** Tries one of its models: rules and the operation see that one. */
  asks(model: string): void {
    this.model = model
    this.asked = [...this.asked, model]
    this.#parsed = { ...(this.#parsed as object), model }
  }

  /** A step refuses it; a rule for all calls may still apply. */
  refused(): void {
    this.isRefused = true
  }

  /** The active rules were tried. */
  matched({ match, skipped }: Pick<Outcome, 'match' | 'skipped'>): void {
    this.match = match
    this.skipped = skipped
    this.rule = match && {
      scenario: match.scenario,
      rule: match.rule,
      faults: match.effect.faults.map(({ name }) => name),
    }
    this.ruleName = match?.name
    this.turn = match?.turn
  }

  /** Its reply depends on unspecified behaviour. */
  assume(name: AssumptionName): void {
    if (!this.assumptions.includes(name)) this.assumptions = [...this.assumptions, name]
  }

  used(usage: CallUsage): void {
    this.usage = usage
    this.state.ledger.add(usage)
  }

  /** Adds something that a caller should know and the reply does not say. Warnings past the limit are counted. */
  warn(message: string): void {
    const isListed = this.warnings.length < maxWarnings
    if (!isListed) this.#unlisted++
    const line = isListed ? message : `and ${this.#unlisted.toLocaleString('en')} more`
    this.warnings = [...this.warnings.slice(0, maxWarnings), line]
  }

  /** Its reply does not match our own schema, or could not be made: a bug of ours. */
  broken(message: string): void {
    this.schemaViolation = true
    this.warn(message)
  }

  /**
   * Sets the reply: its headers name the call, and the journal gets the record.
   *
   * @param reason Message of the error in the reply, if its body is not there to say it.
   */
  replied(reply: Reply, reason = reply.status < 400 ? undefined : refusalMessage(reply)): void {
    const headers: Record<string, string> = { ...reply.headers, 'x-request-id': this.id }
    if (this.match) headers['x-understudy-scenario'] = `${this.match.scenario}#${this.match.rule}`
    if (this.assumptions.length > 0) headers['x-understudy-assumptions'] = this.assumptions.join(', ')
    this.reply = Object.freeze({ ...reply, headers: Object.freeze(headers) })
    this.status = reply.status
    this.reason = reason
    this.replyHeaders = headers
    const { state } = this
    if (state.isCurrent) state.journal.add(this)
    for (const listener of state.listeners) listener.replied?.(this)
  }

  /**
   * A part of the reply's body is sent.
   *
   * @param length Bytes of the part.
   * @param events Number of events in it, if they are counted.
   */
  sent(part: string | Uint8Array, length?: number, events = 0): void {
    const now = monotonic()
    this.events += events
    this.firstByteAt ??= now
    if (!this.#isKept) return
    const offset = this.replyBody.bytes
    if (offset > 0) this.timeline ??= new Timeline(this.firstByteAt - this.startedAt)
    this.timeline?.mark(offset, now - this.startedAt)
    const { journal } = this.state
    journal.grow(this.replyBody.add(part, journal.bodyBytes, length))
  }

  /** Calls a function once, when the delivery is over, however it ends. */
  afterwards(act: () => void): void {
    const before = this.#afterwards
    this.#afterwards = before ? () => [before, act].forEach((each) => void each()) : act
  }

  /** The delivery is over; the first outcome counts. */
  settled(delivery: Exclude<Delivery, 'pending'>): void {
    if (this.delivery !== 'pending') return
    this.delivery = delivery
    this.reply = nothing
    this.endedAt = monotonic()
    this.state.leave()
    this.#afterwards?.()
    for (const listener of this.state.listeners) listener.settled?.(this)
  }

  /** The journal keeps it. */
  kept(): void {
    this.#isKept = true
    if (this.#text) this.requestBody.add(this.#text, this.state.journal.bodyBytes)
    this.#text = undefined
    this.#parsed = undefined
  }

  /** The journal no longer keeps it. */
  evicted(): void {
    this.#isKept = false
  }

  /** Sets what a live call finds out by itself: this one was loaded from a file. */
  restored(saved: SavedFacts): void {
    this.id = saved.id ?? this.id
    this.replyHeaders = saved.replyHeaders
    this.requestBody.cut += saved.rawBody.cut
    this.replyBody.cut += saved.replyBody.cut
    if (saved.timestamp !== undefined) this.at = Date.parse(saved.timestamp)
    this.rule = saved.rule ?? undefined
    this.turn = saved.turn ?? undefined
    this.usage = saved.usage ?? undefined
    this.savedNearMisses = saved.nearMisses
    this.warnings = saved.warnings
    this.schemaViolation = saved.schemaViolation
    this.timeline = saved.timeline.length > 0 ? Timeline.from(saved.timeline) : undefined
    this.firstByteAt = saved.firstByteMs === null ? undefined : this.startedAt + saved.firstByteMs
    this.endedAt = this.startedAt + (saved.durationMs ?? saved.firstByteMs ?? 0)
  }
}

/** Facts of a call in a file. */
export interface SavedFacts {
  readonly id?: string | undefined
  readonly replyHeaders: Readonly<Record<string, string>>
  readonly rawBody: KeptText
  readonly replyBody: KeptText
  /** Sandbox time, ISO 8601. */
  readonly timestamp?: string | undefined
  readonly rule: CallRule | null
  readonly turn: TurnReading | null
  readonly usage: CallUsage | null
  readonly nearMisses: readonly NearMiss[]
  readonly warnings: readonly string[]
  readonly schemaViolation: boolean
  readonly timeline: readonly TimedPart[]
  /** Real milliseconds. */
  readonly firstByteMs: number | null
  readonly durationMs: number | null
}

const traceparent = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}(?:-.*)?$/

/** The trace id in a W3C `traceparent` header, 32 hexadecimal digits; undefined if it is missing or malformed. */
export function traceIdOf(header: string | undefined): string | undefined {
  const id = header === undefined ? undefined : traceparent.exec(header)?.[1]
  return id === '0'.repeat(32) || header?.startsWith('ff') ? undefined : id
}

// The journal keeps many records: they share what is the same in most of them.
const nothing: Reply = Object.freeze({ status: 0, headers: {}, body: Object.freeze({ kind: 'none' }) })
const noParams: Readonly<Record<string, never>> = Object.freeze({})
const none: readonly never[] = Object.freeze([])
