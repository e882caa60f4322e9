/** A request and its reply, filled in step by step. Rules read the record, and the journal stores it. */
import type { AssumptionName } from '../assumptions.ts'
import { errorMessageOf } from '../http/errors.ts'
import { parseJsonBody } from '../http/json-body.ts'
import type { Reply } from '../http/reply.ts'
import { type Clock, monotonic } from '../lib/clock.ts'
import { truncate } from '../lib/one-line.ts'
import { hash } from '../lib/seed.ts'
import type { MatchedRule, Outcome } from '../scenarios/compose.ts'
import { asksForStream, modelOf, type RuleRequest } from '../scenarios/condition.ts'
import { countNearMisses, type SkippedRules } from '../scenarios/near-misses.ts'
import type { TurnReading } from '../scenarios/script-runs.ts'
import { KeptBody } from './body.ts'
import type { AppliedRule, Delivery, EntryFields } from './entry.ts'
import type { Journal } from './journal.ts'
import type { CallUsage } from './ledger.ts'

export interface CallState {
  readonly id: string
  readonly seed: string | number
  readonly clock: Clock
  readonly journal: Journal
  /** False once the state has been replaced: the journal no longer records its calls. */
  readonly isCurrent: boolean
  readonly ledger: { add(usage: CallUsage, counted?: CallUsage): void }
  readonly owner: {
    readonly name?: string | undefined
    readonly listeners: Iterable<CallListener>
    enter(): void
    leave(): void
  }
  /** Increments the count of a key, and returns the previous count. */
  count(key: string): number
  /** Runs `end` when the state ends. Returns a function that unregisters it. */
  hold(end: () => void): () => void
}

export interface CallListener {
  replied?(record: CallRecord): void
  settled?(record: CallRecord): void
}

/** A value that violates a vendor's rule, in an otherwise valid request. */
export interface BrokenRule {
  readonly rule: string
  /** Path of the value in the body, such as `messages[2].tool_calls`; the error's `param`. */
  readonly param: string
  readonly message: string
  /** HTTP status of the error if the request is rejected. Default: 400. */
  readonly status?: number
}

export interface Arrival extends Pick<Readonly<EntryFields>, 'method' | 'path'> {
  /** Query string, including the question mark, or an empty string. */
  readonly search: string
  readonly headers: Readonly<Record<string, string>>
}

type Fact = 'error' | 'isKept' | 'isRejected' | 'lacksRecording' | 'schemaViolation' | 'sentTokens'

type SentTokens = Pick<CallUsage, 'outputTokens' | 'reasoningTokens'>

/** Returns the usage of an answer that ended after these tokens. */
export type UsageOfSent = (sent: SentTokens) => CallUsage

const maxWarnings = 50
const maxSentence = 2000
const maxReply = 64 * 1024
const maxName = 256
/** Maximum number of chunks in a timeline. Later chunks are merged into the last one. */
const maxTimedParts = 2000
const timedPartBytes = 64

export class CallRecord<State extends CallState = CallState> implements RuleRequest {
  readonly state: State
  readonly method: string
  readonly path: string
  /** Path relative to the base URL; undefined if the path is outside it. */
  readonly route: string | undefined
  readonly search: string
  readonly headers: Readonly<Record<string, string>>
  /** Sandbox time, as Unix time in milliseconds. */
  at: number
  /** Real time in milliseconds from `monotonic()`, like `firstByteAt` and `endedAt`. */
  readonly startedAt = monotonic()
  /** Milliseconds of sandbox time from the sandbox's start to the request's arrival. */
  readonly elapsedMs: number
  readonly arrival: number

  id = ''
  operation: string | undefined
  generatesText = false
  callPrefix: string | undefined
  params: Readonly<Record<string, string>> = {}
  contentKey = ''
  occurrence = 0
  model: string | undefined
  triedModels: readonly string[] = []
  countedLimits: Set<object> | undefined
  asksForStream = false
  isRejected = false
  matches: readonly MatchedRule[] = []
  rules: readonly AppliedRule[] = []
  turn: TurnReading | undefined
  skipped: readonly SkippedRules[] = []
  assumptions: readonly AssumptionName[] = []
  warnings: readonly string[] = []
  brokenRules: readonly BrokenRule[] | undefined
  /** If true, the reply violates its schema or could not be generated: a bug in Understudy. */
  schemaViolation = false
  usage: CallUsage | undefined
  /** Set until the answer in a stream is complete. */
  sentTokens: SentTokens | undefined
  status = 0
  /** Error message, which can be more detailed than the reply's. */
  error: string | undefined
  responseHeaders: Readonly<Record<string, string>> = {}
  /** The reply, until it is delivered. Afterwards, `responseBody` holds the bytes that were sent. */
  reply: Readonly<Reply> = emptyReply
  delivery: Delivery = 'pending'
  /** If true, an aborted reply's body ended in the same way as a complete body. */
  endsProperly = false
  events = 0
  firstByteAt: number | undefined
  endedAt: number | undefined
  readonly requestBody = new KeptBody()
  readonly responseBody = new KeptBody()
  readonly timeline: EntryFields['timeline'] = []

  requestBytes: Uint8Array | undefined
  #text: string | undefined
  #parsed: unknown
  isKept = false
  holds = 0
  /** False if the real gateway received the request. */
  lacksRecording: boolean | undefined
  #isRouted = false
  #usageOfSent: UsageOfSent | undefined
  #onSettled: readonly (() => void)[] = []
  #warned = 0
  #headBytes = 0

  constructor(state: State, { method, path, search, headers }: Arrival, route: string | undefined) {
    this.state = state
    this.method = method
    this.path = path
    this.route = route
    this.search = search
    this.headers = headers
    this.at = state.clock.step()
    this.elapsedMs = state.clock.elapsed()
    state.owner.enter()
    this.arrival = state.journal.arrived(this)
  }

  /** If a parameter is repeated, its last value is used. */
  get query(): Record<string, string> {
    return Object.fromEntries(new URLSearchParams(this.search))
  }

  get tokens(): number {
    return this.usage ? this.usage.inputTokens + this.usage.outputTokens : 0
  }

  get deliveryNow(): Delivery {
    return this.holds > 0 && this.delivery === 'pending' ? 'held-by-gate' : this.delivery
  }

  get isAnswered(): boolean {
    return this.rules[0]?.kind === 'answer'
  }

  get isUnmatched(): boolean {
    return this.lacksRecording ?? (!this.operation && !this.isAnswered)
  }

  get nearMissCount(): number {
    return this.isAnswered ? 0 : countNearMisses(this.skipped)
  }

  get traceId(): string | undefined {
    return traceparent.exec(this.headers['traceparent'] ?? '')?.[1]
  }

  get requestText(): string {
    return this.#text ?? this.requestBody.text
  }

  /** The parsed body; undefined if it is empty, truncated or not JSON. After recording, each access parses the body. */
  get body(): unknown {
    if (this.#text !== undefined) return this.#parsed
    return this.requestBody.truncatedBytes > 0 ? undefined : parseJsonBody(this.requestBody.text)
  }

  get bytes(): number {
    const { requestBody, responseBody, timeline } = this
    return this.#headBytes + requestBody.bytes + responseBody.bytes + timeline.length * timedPartBytes
  }

  routed(
    operation: { id: string; protocol?: Pick<RuleRequest, 'callPrefix'> | undefined } | undefined,
    params: Readonly<Record<string, string>>,
  ): void {
    this.operation = operation?.id
    this.generatesText = operation?.protocol !== undefined
    this.callPrefix = operation?.protocol?.callPrefix
    this.params = params
    this.#isRouted = true
  }

  /** Sets the body and the call id. `unreadBytes` is the size of a body that is not text, or was rejected unread. */
  received(text: string, unreadBytes = 0, bytes?: Uint8Array): void {
    this.requestBytes = bytes
    this.#text = text
    this.requestBody.truncatedBytes = unreadBytes
    if (text !== '') {
      this.#parsed = parseJsonBody(text)
      this.model = modelOf(this.#parsed)
      this.asksForStream = asksForStream(this.#parsed)
    }
    const path = (this.#isRouted && this.route) || this.path
    this.contentKey = hash(this.method, path, this.search, text)
    this.occurrence = this.state.count(this.contentKey)
    this.id = `req_${hash(this.state.seed, 'request', this.contentKey, this.occurrence)}`
  }

  tryModel(model: string): void {
    this.model = model
    this.triedModels = [...this.triedModels, model]
    this.countedLimits ??= new Set()
    this.#parsed = { ...(this.#parsed as object), model }
  }

  matched({ matches, skipped }: Pick<Outcome, 'matches' | 'skipped'>): void {
    const turn = matches[0]?.turn
    // The functions would keep the request's body.
    this.matches = matches.map(({ noEffect, release, ...match }) => match)
    this.skipped = skipped
    this.rules = matches.map(({ scenario, rule, name = null, kind, effect: { faults } }) => {
      return { scenario, index: rule, name, kind, faults: faults.map((fault) => fault.name) }
    })
    this.turn = turn?.mismatch ? { ...turn, mismatch: truncate(turn.mismatch, maxSentence) } : turn
  }

  assume(name: AssumptionName): void {
    if (!this.assumptions.includes(name)) this.assumptions = [...this.assumptions, name]
  }

  /** @param usageOfSent Called if the answer's stream ends early. */
  used(usage: CallUsage, usageOfSent?: UsageOfSent): void {
    this.usage = { ...usage, model: truncate(usage.model, maxName) }
    this.#usageOfSent = usageOfSent
    this.state.ledger.add(this.usage)
  }

  note(facts: Partial<Pick<CallRecord, Fact | 'asksForStream'>>): void {
    Object.assign(this, facts)
  }

  warn(message: string): void {
    const text =
      ++this.#warned > maxWarnings
        ? `and ${(this.#warned - maxWarnings).toLocaleString('en')} more`
        : truncate(message, maxSentence)
    this.warnings = [...this.warnings.slice(0, maxWarnings), text]
  }

  /** Stores the rules that a well-formed request breaks, and warns unless they cause an error. */
  checked(broken: readonly BrokenRule[], isRefused: boolean): void {
    this.brokenRules = broken.slice(0, maxWarnings).map(({ rule, param, message }) => {
      return { rule, param, message: truncate(message, maxSentence) }
    })
    if (isRefused) return
    for (const { rule, param, message } of broken) this.warn(`${param}: ${message} (rule ${rule})`)
  }

  /** Sets the reply, adds headers with the call's id, rules and assumptions, and adds the record to the journal. */
  replied(reply: Reply): void {
    const reason = reply.status < 400 ? undefined : (this.error ?? errorMessageOf(reply))
    const headers: Record<string, string> = { ...reply.headers, 'x-request-id': this.id }
    if (this.rules.length > 0) headers['x-understudy-scenario'] = this.rules.map(ruleLabel).join(', ')
    if (this.assumptions.length > 0) headers['x-understudy-assumptions'] = this.assumptions.join(', ')
    const broken = this.brokenRules?.map(({ rule, message }) => `${rule}: ${message}`).join('; ')
    if (broken && reason === undefined)
      headers['x-understudy-warnings'] = truncate(broken, maxSentence).replace(/[^ -~]/g, '?')
    this.reply = Object.freeze({ ...reply, headers: Object.freeze(headers) })
    this.status = reply.status
    this.error = reason === undefined ? undefined : truncate(reason, maxSentence)
    this.responseHeaders = headers
    const { state } = this
    state.journal.answered(this)
    if (state.isCurrent) state.journal.add(this)
    for (const listener of state.owner.listeners) listener.replied?.(this)
  }

  sent(part: string | Uint8Array, length: number, events: number): void {
    const now = monotonic()
    this.events += events
    this.firstByteAt ??= now
    if (!this.isKept) return
    const before = this.bytes
    if (this.responseBody.bytes > 0) this.#mark(this.responseBody.bytes, now - this.startedAt)
    const { store } = this.state.journal
    this.responseBody.add(part, store.limits.journalBodyBytes, length)
    store.grow(this.bytes - before)
  }

  /** Records when a chunk was sent. Chunks sent within a millisecond are merged. */
  #mark(offset: number, ms: number): void {
    const { timeline, startedAt, firstByteAt = startedAt } = this
    const last = timeline.at(-1) ?? { ms: firstByteAt - startedAt, offset: 0 }
    if (timeline.length === 0) timeline.push(last)
    if (ms - last.ms >= 1 && timeline.length < maxTimedParts) timeline.push({ ms, offset })
  }

  onSettled(callback: () => void): void {
    this.#onSettled = [...this.#onSettled, callback]
  }

  /** Later calls are ignored. */
  settled(delivery: Exclude<Delivery, 'pending' | 'held-by-gate'>, endsProperly = false): void {
    if (this.delivery !== 'pending') return
    this.delivery = delivery
    this.endsProperly = endsProperly
    this.reply = emptyReply
    this.endedAt = monotonic()
    this.responseBody.end()
    const { usage, sentTokens } = this
    if (usage && sentTokens && this.#usageOfSent) {
      this.usage = { ...this.#usageOfSent(sentTokens), model: usage.model }
      this.state.ledger.add(this.usage, usage)
    }
    this.#usageOfSent = undefined
    this.state.owner.leave()
    for (const callback of this.#onSettled) callback()
    for (const listener of this.state.owner.listeners) listener.settled?.(this)
  }

  failed(thrown: unknown): void {
    const { journal } = this.state
    this.error = truncate(`The reply could not be sent: ${Object(thrown).message ?? thrown}`, maxSentence)
    journal.answered(this)
    if (!this.isKept && this.state.isCurrent) journal.add(this)
    this.settled('aborted-by-fault')
  }

  /** Drops data that the journal does not keep. Called when the record enters the journal. */
  kept(): void {
    this.isKept = true
    if (this.#text) this.requestBody.add(this.#text, this.state.journal.store.limits.journalBodyBytes)
    this.requestBytes = undefined
    this.#text = undefined
    this.#parsed = undefined
    this.triedModels = []
    this.countedLimits = undefined
    const { matches, path, search, headers, responseHeaders, warnings } = this
    const [answer, ...others] = matches
    if (answer?.effect.reply && JSON.stringify(answer.effect.reply).length > maxReply)
      this.matches = [{ ...answer, effect: { ...answer.effect, reply: undefined } }, ...others]
    if (this.model !== undefined) this.model = truncate(this.model, maxName)
    const broken = this.brokenRules?.map(({ message }) => message) ?? []
    const texts = [...warnings, ...broken, ...Object.values(headers), ...Object.values(responseHeaders)]
    // The path counts twice, because its parameters are kept too.
    this.#headBytes = texts.reduce((sum, { length }) => sum + length, 2 * path.length + search.length)
  }
}

export function ruleLabel({ scenario, index }: Pick<AppliedRule, 'scenario' | 'index'>): string {
  return `${scenario}#${index}`
}

const traceparent = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}(?:-.*)?$/

const emptyReply: Reply = { status: 0, headers: {}, body: { kind: 'none' } }
