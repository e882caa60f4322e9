/** A sandbox's journal, and the store that all journals of a gateway share. */
import { assumptions } from '../assumptions.ts'
import { GatewayError } from '../http/errors.ts'
import { hideInQuery, hideInString } from '../http/secrets.ts'
import { readLimits, type WaitLimits, waitAtMost } from '../http/wait.ts'
import { nameCalls } from '../lib/call-names.ts'
import { refuseGuesses } from '../lib/guessed-names.ts'
import { oneLine } from '../lib/one-line.ts'
import { printable, printWarning } from '../lib/print.ts'
import { shown } from '../lib/schema-messages.ts'
import type { UnusedRule } from '../scenarios/activation.ts'
import type { KnownOperation } from '../scenarios/check-scenario.ts'
import { type CustomOperationId, isRecorded, ruleTitle } from '../scenarios/names.ts'
import { isBelowLimit } from '../scenarios/near-misses.ts'
import type { CallRecord } from './call-record.ts'
import { type Delivery, type JournalEntry, nearMissesOf, readMatch, toEntry } from './entry.ts'
import { type Matching, missingFields, unknownOperation, withFields } from './expectations.ts'
import { type Har, toHar } from './har.ts'
import { allCallsText, errorToShow, sentence, turnText } from './journal-text.ts'

/** Fields of a matching entry. Nested objects may have additional fields; all other values must be equal. */
export type CallMatch<Body = unknown> = Matching<JournalEntry<Body extends object ? Sent<Body> : Body>>
/** Vendors add fields that the body types lack. */
type Sent<Body> = { [Field in keyof Body as Named<Body, Field>]: Body[Field] } & {
  [Field in 'models' | 'plugins' | 'preset' | 'provider' | 'transforms']?: unknown
}
/** Removes the index signature from a type with named fields, because it would accept misspelt names. */
type Named<Body, Field> = string extends Field ? ([NameOf<Body>] extends [never] ? Field : never) : Field
type NameOf<Body> = keyof { [Field in keyof Body as string extends Field ? never : Field]: 1 }

export type BodyOf<RequestBodies, Id> = Id extends keyof RequestBodies ? RequestBodies[Id] : unknown

export interface WaitOptions extends WaitLimits {
  /** Number of calls to wait for. Default: 1. */
  count?: number
}

/** @typeParam RequestBodies Request bodies by operation id. */
export class Journal<RequestBodies extends object = Record<string, unknown>> {
  /** @internal */
  readonly store: JournalStore
  /** @internal */
  readonly operations: readonly KnownOperation[]
  #records: CallRecord[] = []
  #evicted = 0
  readonly #unanswered = new Set<CallRecord>()
  #arrivals = 0
  /** Returns the calls that the default sandbox has received meanwhile, unless it is this sandbox. @internal */
  readonly stray: () => JournalEntry[]
  readonly #waiters = new Set<() => void>()
  #hasEnded = false

  static {
    nameCalls(Journal, ['calls', 'last', 'entry', 'explain', 'waitFor', 'har'], () => 'journal.')
    refuseGuesses(Journal.prototype, 'journal')
  }

  /** @internal */
  constructor(store: JournalStore, operations: readonly KnownOperation[], shared?: Journal) {
    this.store = store
    this.operations = operations
    const before = shared ? shared.#arrivals : 0
    this.stray = () => shared?.records().flatMap((each) => (each.arrival > before ? toEntry(each) : [])) ?? []
  }

  /** Returns all entries, oldest first. */
  entries(): JournalEntry[] {
    return this.#records.map(toEntry)
  }

  /** Number of calls. */
  get size(): number {
    return this.#records.length
  }

  /** Number of calls evicted by newer ones. */
  get evictedCount(): number {
    return this.#evicted
  }

  /** Returns an operation's calls with the fields of `match`, oldest first. Throws 400 for an unknown operation. */
  calls<Id extends (keyof RequestBodies & string) | CustomOperationId>(
    operation: Id,
    match?: CallMatch<BodyOf<RequestBodies, Id>>,
  ): JournalEntry<BodyOf<RequestBodies, Id>>[] {
    const fields = readMatch(match)
    const entries = this.#callsOf(operation).map(toEntry) as JournalEntry<BodyOf<RequestBodies, Id>>[]
    const matching = withFields(entries, fields)
    // A test that asserts that there are no such calls would pass for a misspelt field.
    if (matching.length === 0 && entries.length > 0)
      for (const missing of missingFields(entries, fields))
        printWarning(`[understudy] journal.calls(): no call to ${operation} has ${missing}`)
    return matching
  }

  /** Returns an operation's newest call. Throws 400 for an unknown operation. */
  last<Id extends (keyof RequestBodies & string) | CustomOperationId>(
    operation: Id,
  ): JournalEntry<BodyOf<RequestBodies, Id>> | undefined {
    const record = this.#callsOf(operation).at(-1)
    return record && (toEntry(record) as JournalEntry<BodyOf<RequestBodies, Id>>)
  }

  /** Throws for an unknown operation, because it would silently match no calls. */
  #callsOf(operation: string): CallRecord[] {
    if (typeof operation !== 'string')
      throw new GatewayError(400, `expects an operation such as 'createResponse', got ${shown(operation)}`)
    if (!this.#has(operation)) throw new GatewayError(400, unknownOperation(operation, this.operations))
    return this.#records.filter((record) => record.operation === operation)
  }

  #has(operation: string): boolean {
    return this.operations.some(({ id }) => id === operation)
  }

  /** Returns the requests that no operation, rule or recording matched. */
  unmatched(): JournalEntry[] {
    return this.#records.filter(({ isUnmatched }) => isUnmatched).map(toEntry)
  }

  /** Returns the calls in progress, such as those that a fault delays or stalls, oldest first. */
  unanswered(): JournalEntry[] {
    const pending = this.#records.filter(({ delivery }) => delivery === 'pending')
    const all = [...pending, ...this.#unanswered]
    return all.sort((one, other) => one.arrival - other.arrival).map(toEntry)
  }

  /** Returns calls for which rules were tried, but none answered. An entry's `nearMisses` lists the reasons. */
  nearMisses(): JournalEntry[] {
    return this.#records.filter(({ nearMissCount }) => nearMissCount > 0).map(toEntry)
  }

  /** Returns an entry. Throws 404 if the entry does not exist or was evicted. */
  entry(id: string): JournalEntry {
    return toEntry(this.record(id))
  }

  /** @internal */
  records(): readonly CallRecord[] {
    return this.#records
  }

  /** Returns an entry's record. Throws 404 if the entry does not exist or was evicted. @internal */
  record(id: string): CallRecord {
    const record = this.#records.findLast((candidate) => candidate.id === id)
    if (!record) throw new GatewayError(404, `No journal entry ${shown(id)}: it never existed or was evicted`)
    return record
  }

  /** Explains which rules matched a call, which did not, and why. Throws 404 for an unknown or evicted call. */
  explain(entry: string | { readonly id: string }): string {
    const id = typeof entry === 'string' ? entry : entry?.id
    if (typeof id !== 'string')
      throw new TypeError(
        `expects a call or its id, got ${shown(entry)}: journal.last() returns undefined if there is no call`,
      )
    if (this.#has(id))
      throw new TypeError(`expects a call, got an operation; write explain(journal.last('${id}'))`)
    return explanationOf(this.record(id))
  }

  /** Adds the reason why each rule did not apply. @internal */
  withReasons(unused: readonly UnusedRule[]): UnusedRule[] {
    const newest = this.#records.slice(-10).toReversed()
    const misses = newest.flatMap((record) => nearMissesOf(record, 100))
    return unused.map((each) => {
      const miss = misses.find(({ scenario, rule }) => scenario === each.scenario && rule === each.rule)
      return { ...each, reason: miss?.reason }
    })
  }

  /**
   * Waits until an operation has been called `count` times, including earlier calls. A call counts as soon as its reply
   * is ready, even if a stream is still being sent. On timeout, rejects with a list of the calls received.
   */
  async waitFor<Id extends (keyof RequestBodies & string) | CustomOperationId>(
    operation: Id,
    options: WaitOptions = {},
  ): Promise<JournalEntry<BodyOf<RequestBodies, Id>>[]> {
    const example = `waitFor('${operation}', { count: 2, timeout: 1000 })`
    const limits = readLimits(options, ['count', 'timeout', 'signal'], example)
    const { count = 1 } = options
    const none = `: to assert that nothing was received, use journal.calls('${operation}').length or not.toHaveReceived()`
    if (!Number.isInteger(count) || count < 1)
      throw new TypeError(`count must be 1 or more, got ${shown(count)}${count === 0 ? none : ''}`)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const check = () => {
      if (this.#callsOf(operation).length >= count) resolve()
      else if (this.#hasEnded)
        reject(new GatewayError(410, `Stopped waiting for ${count} × ${operation}: the sandbox was disposed`))
    }
    check()
    this.#waiters.add(check)
    try {
      await waitAtMost(promise, limits, () => {
        const received = `received ${this.#callsOf(operation).length}. ${this.describe()}`
        return `Waited ${limits.timeout} ms for ${count} × ${operation}: ${received}`
      })
    } finally {
      this.#waiters.delete(check)
    }
    return this.calls(operation)
  }

  /** Returns the entries as HAR 1.2, which browser developer tools can open. */
  har(): Har {
    return toHar(this.#records)
  }

  /** Lists the calls, for use in messages. @internal */
  describe(): string {
    return allCallsText({ entries: this.entries(), unanswered: this.unanswered(), stray: this.stray() })
  }

  /** Removes all calls. */
  clear(): void {
    this.#release()
    this.#records = []
    this.#unanswered.clear()
    this.#evicted = 0
  }

  /** Returns the call's number in order of arrival. @internal */
  arrived(record: CallRecord): number {
    this.#unanswered.add(record)
    return ++this.#arrivals
  }

  /** @internal */
  answered(record: CallRecord): void {
    this.#unanswered.delete(record)
  }

  /** Inserts a call before any that arrived later. Evicts the oldest calls if the store is full. @internal */
  add(record: CallRecord): void {
    const previous = this.#records.findLastIndex(({ arrival }) => arrival < record.arrival)
    this.#records.splice(previous + 1, 0, record)
    record.kept()
    this.store.add(record)
    for (const check of this.#waiters) check()
  }

  /** @internal */
  evict(record: CallRecord): void {
    this.#records.splice(this.#records.indexOf(record), 1)
    this.store.remove(record)
    this.#evicted++
  }

  /** Removes the calls from the store and ends pending waits. Called when the sandbox is disposed. @internal */
  end(): void {
    this.#release()
    this.#hasEnded = true
    for (const check of this.#waiters) check()
  }

  #release(): void {
    for (const record of this.#records) this.store.remove(record)
  }
}

type JournalLimits = Readonly<Record<'journalEntries' | 'journalBytes' | 'journalBodyBytes', number>>

/** A gateway's calls in all sandboxes. The oldest calls are evicted first. */
export class JournalStore {
  readonly limits: JournalLimits
  bytes = 0
  readonly calls = new Set<CallRecord>()

  constructor(limits: JournalLimits) {
    this.limits = limits
  }

  add(record: CallRecord): void {
    this.calls.add(record)
    this.grow(record.bytes)
  }

  /** Called when a recorded body grows. The newest call is never evicted to make room. */
  grow(bytes: number): void {
    this.bytes += bytes
    const { journalEntries, journalBytes } = this.limits
    for (const oldest of this.calls) {
      const { size } = this.calls
      if (size === 1 || (size <= journalEntries && this.bytes <= journalBytes)) break
      oldest.state.journal.evict(oldest)
    }
  }

  remove(record: CallRecord): void {
    if (!record.isKept) return
    record.note({ isKept: false })
    this.calls.delete(record)
    this.bytes -= record.bytes
  }
}

function explanationOf(record: CallRecord): string {
  const { id, method, path, search, operation, status, rules, turn } = record
  const outcome = status === 0 ? 'got no response' : `returned ${status}`
  const refusal = errorToShow(status, record.error, rules.length > 0)
  const lines = [
    `${method} ${path}${hideInQuery(search)}${operation ? ` (${operation})` : ''} ${outcome} (${id}).`,
    refusal === undefined ? '' : sentence(`Rejected: ${refusal}`),
    ...rules.map(({ scenario, index, name, kind, faults }) => {
      const scripted = kind === 'modifier' ? 'gate' : 'scripted reply'
      const reply = isRecorded(scenario) ? 'recorded reply' : scripted
      const effect = faults.length > 0 ? `fault ${faults.join(', ')}` : reply
      return `Matched ${ruleTitle(scenario, index, name ?? undefined)}: ${effect}.`
    }),
    turn
      ? `Script: ${turnText(turn)}, ${turn.mismatch ? `but expected ${turn.mismatch}` : 'as expected'}.`
      : '',
    ...nearMissesOf(record).map(
      (each) => `${isBelowLimit(each) ? 'Not reached yet' : 'Near miss'}: ${each.reason}.`,
    ),
    ...record.warnings.map((warning) => sentence(`Warning: ${warning}`)),
    ...record.assumptions.map((name) => `Assumption: ${name} (unspecified): ${assumptions[name].choice}.`),
    deliveries[record.deliveryNow],
  ]
  const facts = lines.filter((line) => line !== '')
  return facts.map((line) => printable(oneLine(hideInString(line)))).join('\n')
}

export const deliveries: Readonly<Record<Delivery, string>> = {
  complete: '',
  pending: 'The reply is still being sent.',
  'held-by-gate': 'A gate is holding the call.',
  'aborted-by-fault': 'A fault aborted the reply.',
  'aborted-by-client': 'The client disconnected before the reply was complete.',
}
