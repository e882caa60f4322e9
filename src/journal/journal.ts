/**
 * The journal of a sandbox, and the store that holds the calls of all sandboxes.
 *
 * What was asked and what was answered. Every call is kept, also a refused one, until newer ones need its place.
 */

import { assumptions } from '../assumptions.ts'
import { GatewayError } from '../http/errors.ts'
import { hideInQuery, hideInString } from '../http/secrets.ts'
import { maxTimerMs } from '../lib/clock.ts'
import { didYouMean, nearest } from '../lib/did-you-mean.ts'
import { type Duration, toMilliseconds } from '../lib/numbers.ts'
import { withoutBreaks } from '../lib/one-line.ts'
import { printable, printWarning } from '../lib/print.ts'
import type { KnownOperation } from '../scenarios/check-scenario.ts'
import type { CustomOperationId } from '../scenarios/names.ts'
import { type CallRecord, traceIdOf } from './call-record.ts'
import {
  assertEntryFields,
  type CallSummary,
  type JournalEntry,
  nearMissesOf,
  toEntry,
  toSummary,
} from './entry.ts'
import { type Matching, matches, unknownFieldsOf } from './expectations.ts'
import { type Har, toHar } from './har.ts'
import { calls, sentence, toldReason, turnText } from './journal-text.ts'

const { setTimeout, clearTimeout } = globalThis

/** Fields that an entry must have: deep inside objects, every other value equal. */
export type CallMatch<Body = unknown> = Matching<JournalEntry<Body>>

/** The request body of an operation; unknown for a custom one. */
export type BodyOf<Bodies, Id> = Id extends keyof Bodies ? Bodies[Id] : unknown

/** When a wait ends. */
export interface WaitOptions {
  /** Default: 1. */
  count?: number
  /** Real milliseconds, or a duration such as `'5s'`. Default: 1,000. */
  timeoutMs?: Duration
  /** Ends the wait when whoever waits has left; it then rejects. */
  signal?: AbortSignal
}

/** @typeParam Bodies Request bodies by operation id. */
export class Journal<Bodies extends object = Record<string, unknown>> {
  readonly #store: JournalStore
  readonly #operations: readonly KnownOperation[]
  /** Oldest first. */
  #records: CallRecord[] = []
  #evicted = 0
  #waiters: Set<() => void> | undefined
  #hasEnded = false
  /** Fields of matches that no call had. */
  readonly #warned = new Set<string>()

  /** @internal */
  constructor(store: JournalStore, operations: readonly KnownOperation[]) {
    this.#store = store
    this.#operations = operations
  }

  /** Every entry, oldest first. */
  entries(): JournalEntry[] {
    return this.#records.map(toEntry)
  }

  /** Number of calls. */
  get size(): number {
    return this.#records.length
  }

  /** Bytes of their bodies. */
  get bytes(): number {
    return this.#records.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0)
  }

  /** Number of calls that were evicted to make room for newer ones. */
  get evictedCount(): number {
    return this.#evicted
  }

  /**
   * The calls of one operation, oldest first; those that have the fields of `match`, where it is given. Throws 400 for
   * an operation that there is none of.
   */
  calls<Id extends (keyof Bodies & string) | CustomOperationId>(
    operation: Id,
    match?: CallMatch<BodyOf<Bodies, Id>>,
  ): JournalEntry<BodyOf<Bodies, Id>>[] {
    assertEntryFields(match)
    const entries = this.#callsOf(operation).map(toEntry) as JournalEntry<BodyOf<Bodies, Id>>[]
    if (!match) return entries
    const found = entries.filter((entry) => matches(entry, match))
    if (found.length === 0 && entries.length > 0) this.#warnOfUnknownFields(entries, match)
    return found
  }

  /** The newest call of one operation. Throws 400 for an operation that there is none of. */
  last<Id extends (keyof Bodies & string) | CustomOperationId>(
    operation: Id,
  ): JournalEntry<BodyOf<Bodies, Id>> | undefined {
    this.#assertOperation(operation)
    const record = this.#records.findLast((each) => each.operation === operation)
    return record && (toEntry(record) as JournalEntry<BodyOf<Bodies, Id>>)
  }

  /** Warns once of each field of a match that no call has: it can match nothing. */
  #warnOfUnknownFields(entries: readonly JournalEntry[], match: object): void {
    for (const { path, fields } of unknownFieldsOf(entries, match)) {
      if (this.#warned.has(path)) continue
      this.#warned.add(path)
      const field = path.split('.').at(-1) as string
      const meant = nearest(field, fields)
      const hint = meant === undefined ? '' : `; did you mean '${meant}'?`
      printWarning(`[understudy] journal.calls(): '${path}' is in none of ${calls(entries.length)}${hint}`)
    }
  }

  #callsOf(operation: string): CallRecord[] {
    this.#assertOperation(operation)
    return this.#records.filter((record) => record.operation === operation)
  }

  /** A name that nothing has would be called never, and nobody would learn why. */
  #assertOperation(operation: string): void {
    const ids = this.operationIds
    if (!ids.includes(operation))
      throw new GatewayError(400, `Unknown operation '${operation}'${didYouMean(String(operation), ids)}`)
  }

  /** Ids of the operations that its calls may be of. @internal */
  get operationIds(): string[] {
    return this.#operations.map(({ id }) => id)
  }

  /**
   * The calls of one trace, oldest first.
   *
   * @param trace Its id, or a whole `traceparent`.
   */
  trace(trace: string): JournalEntry[] {
    const id = traceIdOf(trace) ?? trace
    return this.#records.filter(({ traceId }) => traceId === id).map(toEntry)
  }

  /** The calls that neither an operation nor a rule answered. */
  unmatched(): JournalEntry[] {
    return this.#records.filter((record) => !record.operation && !record.rule).map(toEntry)
  }

  /** The calls that rules were meant for and no rule met; their `nearMisses` say why. */
  nearMisses(): JournalEntry[] {
    return this.#records.filter(({ missed }) => missed > 0).map(toEntry)
  }

  /** One entry. Throws 404 for one that the journal does not have, or not any more. */
  entry(id: string): JournalEntry {
    return toEntry(this.record(id))
  }

  /** The newest calls in short, oldest first. */
  summaries(last = this.#records.length): CallSummary[] {
    return this.records(last).map(toSummary)
  }

  /** The newest records, oldest first. @internal */
  records(last = this.#records.length): CallRecord[] {
    return this.#records.slice(Math.max(0, this.#records.length - last))
  }

  /** Throws 404 for an entry that the journal does not have. @internal */
  record(id: string): CallRecord {
    const record = this.#records.findLast((candidate) => candidate.id === id)
    if (!record) throw new GatewayError(404, `The journal has no entry '${id}', or not any more`)
    return record
  }

  /**
   * What a call met, what it missed and by how little, in words.
   *
   * @param entry One of this journal, or its id. Throws 404 for one that it does not have, or not any more.
   */
  explain(entry: string | { readonly id: string }): string {
    const id = typeof entry === 'string' ? entry : entry?.id
    return explain(this.record(id))
  }

  /**
   * Waits until an operation was called so many times; calls already made count. A call counts when its reply is made,
   * so that a stream counts while it is still under way.
   *
   * Rejects when that takes too long, and says what came instead.
   */
  waitFor<Id extends (keyof Bodies & string) | CustomOperationId>(
    operation: Id,
    options: WaitOptions = {},
  ): Promise<JournalEntry<BodyOf<Bodies, Id>>[]> {
    return new Promise((resolve, reject) => {
      assertWaitOptions(operation, options)
      const { count = 1, signal } = options
      const timeoutMs = toMilliseconds(options.timeoutMs ?? 1000)
      if (Number.isNaN(timeoutMs))
        throw new TypeError(
          `waitFor('${operation}'): timeoutMs takes milliseconds or a duration such as '5s', not ${options.timeoutMs}`,
        )
      this.#callsOf(operation)
      const check = () => {
        const calls = this.calls(operation)
        if (calls.length < count && !this.#hasEnded) return
        stop()
        if (calls.length >= count) resolve(calls)
        else reject(new GatewayError(410, `Waited for ${count} × ${operation}: the sandbox was disposed of`))
      }
      const giveUp = () => {
        stop()
        const came = `${this.calls(operation).length} came; the journal has ${this.#summary()}`
        reject(new GatewayError(408, `Waited ${timeoutMs} ms for ${count} × ${operation}: ${came}`))
      }
      const leave = () => {
        stop()
        reject(new GatewayError(408, 'Whoever waited has left'))
      }
      const timer = setTimeout(giveUp, Math.min(timeoutMs, maxTimerMs))
      signal?.addEventListener('abort', leave)
      const stop = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
        this.#waiters?.delete(check)
      }
      this.#waiters ??= new Set()
      this.#waiters.add(check)
      check()
    })
  }

  /** How many wait for a call at present. @internal */
  get waiting(): number {
    return this.#waiters?.size ?? 0
  }

  /** The entries as HAR 1.2, which browsers' developer tools open. */
  har(): Har {
    return toHar(this.#records)
  }

  /** The newest call that passes a test. @internal */
  find(test: (record: CallRecord) => boolean): CallRecord | undefined {
    return this.#records.findLast(test)
  }

  /** Removes all calls. */
  clear(): void {
    this.#release()
    this.#records = []
    this.#evicted = 0
  }

  /** Adds a call; the store evicts the oldest ones if there is no room. @internal */
  add(record: CallRecord): void {
    this.#records.push(record)
    record.kept()
    this.#store.add(record, this)
    this.#checkWaiters()
  }

  #checkWaiters(): void {
    if (this.#waiters) for (const check of [...this.#waiters]) check()
  }

  /** @internal */
  get bodyBytes(): number {
    return this.#store.limits.journalBodyBytes
  }

  /** A kept call has more bytes than before. @internal */
  grow(bytes: number): void {
    this.#store.grow(bytes)
  }

  /** Removes its oldest call. @internal */
  evict(): void {
    const oldest = this.#records.shift()
    if (!oldest) return
    this.#store.remove(oldest)
    oldest.evicted()
    this.#evicted++
  }

  /** Its sandbox is disposed of: takes its calls out of the store, and ends waits. @internal */
  end(): void {
    this.#release()
    this.#hasEnded = true
    this.#checkWaiters()
  }

  /** Takes its calls out of the store. */
  #release(): void {
    for (const record of this.#records) {
      this.#store.remove(record)
      record.evicted()
    }
  }

  /** `3 × listProviders, 1 × GET /api/v1/provider`. */
  #summary(): string {
    const counts = new Map<string, number>()
    for (const { operation, method, path } of this.#records) {
      const name = operation ?? `${method} ${path}`
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    return [...counts].map(([name, count]) => `${count} × ${name}`).join(', ') || 'no calls'
  }
}

/** Where no compiler looks, `waitFor('listProviders', 2)` is written for `{ count: 2 }`. */
function assertWaitOptions(operation: string, options: unknown): void {
  if (typeof options === 'object' && options !== null) return
  throw new TypeError(
    `waitFor('${operation}', ${options}): the second argument is an object, as in { count: 2, timeoutMs: 1000 }`,
  )
}

export interface JournalLimits {
  /** Maximum number of calls. */
  journalEntries: number
  /** Maximum number of bytes of their bodies together. */
  journalBytes: number
  /** Maximum number of bytes of one body; the rest is cut, and counted. */
  journalBodyBytes: number
}

/** Lists some of the calls, in the same order. */
interface Evictable {
  /** Removes its oldest call. */
  evict(): void
}

/** All calls that a gateway keeps, in whichever sandbox. The oldest are evicted first. */
export class JournalStore {
  readonly limits: JournalLimits
  /** Oldest first, each with the journal that lists it. */
  readonly #kept = new Map<CallRecord, Evictable>()
  /** Walks the journals by the age of their calls: a new iterator would pass the places of all removed calls. */
  #byAge: Iterator<Evictable> | undefined
  #bytes = 0

  constructor(limits: JournalLimits) {
    this.limits = limits
  }

  /** Number of calls. */
  get size(): number {
    return this.#kept.size
  }

  /** Bytes of their bodies. */
  get bytes(): number {
    return this.#bytes
  }

  /** The calls, oldest first. */
  records(): Iterable<CallRecord> {
    return this.#kept.keys()
  }

  add(record: CallRecord, journal: Evictable): void {
    this.#kept.set(record, journal)
    this.grow(record.bodyBytes)
  }

  /** A kept call has more bytes than before. */
  grow(bytes: number): void {
    this.#bytes += bytes
    const { limits } = this
    while (
      this.#kept.size > limits.journalEntries ||
      (this.#bytes > limits.journalBytes && this.#kept.size > 1)
    )
      this.#evict()
  }

  remove(record: CallRecord): void {
    if (this.#kept.delete(record)) this.#bytes -= record.bodyBytes
  }

  #evict(): void {
    this.#byAge ??= this.#kept.values()
    const { value, done } = this.#byAge.next()
    if (done) this.#byAge = undefined
    else value.evict()
  }
}

/** Explains the reply to a call in words: one fact a line, and nothing is left out. */
function explain(record: CallRecord): string {
  return [
    headline(record),
    ...refused(record),
    ...met(record),
    ...played(record),
    ...nearMissesOf(record).map(({ reason }) => `Missed: ${reason}.`),
    ...record.warnings.map((warning) => `Warning: ${warning}.`),
    ...record.assumptions.map(
      (name) => `It rests on '${name}', which nobody promised: ${assumptions[name].choice}.`,
    ),
    ...delivered(record),
  ]
    .map((line) => printable(withoutBreaks(hideInString(line))))
    .join('\n')
}

function headline({ id, method, path, search, operation, status }: CallRecord): string {
  const asked = `${method} ${path}${hideInQuery(search)}${operation ? ` (${operation})` : ''}`
  return `${asked} was answered with ${status === 0 ? 'no status at all' : status}, as ${id}.`
}

function refused({ status, reason, rule }: CallRecord): string[] {
  const told = toldReason(status, reason, rule !== undefined)
  return told === undefined ? [] : [sentence(`It was refused: ${told}`)]
}

function met({ rule, ruleName }: CallRecord): string[] {
  if (!rule) return []
  const name = ruleName === undefined ? '' : ` (${ruleName})`
  const what = rule.faults.length > 0 ? `fault ${rule.faults.join(', ')}` : 'scripted reply'
  return [`It met rule ${rule.rule}${name} of '${rule.scenario}': ${what}.`]
}

/** `It was turn 2 of 3 of conversation 1, and fitted the script.` */
function played({ turn }: CallRecord): string[] {
  if (!turn) return []
  const { problem } = turn
  return [
    `It was ${turnText(turn)}${problem ? `, and did not fit: expected ${problem}` : ', and fitted the script'}.`,
  ]
}

function delivered({ delivery }: CallRecord): string[] {
  if (delivery === 'aborted-by-fault') return ['A fault broke the reply off.']
  if (delivery === 'aborted-by-client') return ['The client left before the reply was complete.']
  return delivery === 'pending' ? ['The reply is still under way.'] : []
}
