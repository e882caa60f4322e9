/** Runs an application once per call and fault, and judges each run. */
import { toFetch } from '../../delivery/fetch.ts'
import type { GatewayCore } from '../../gateway/gateway.ts'
import { type JournalEntry, toEntry } from '../../journal/entry.ts'
import { withoutReply } from '../../journal/journal-text.ts'
import { equal } from '../../lib/equal.ts'
import { oneLine, truncate } from '../../lib/one-line.ts'
import { clearInterval, setInterval, setTimeout } from '../../lib/real-timers.ts'
import { shown } from '../../lib/schema-messages.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { assertNames } from '../../sandbox/sandbox-options.ts'
import { asksForStream } from '../../scenarios/condition.ts'
import type { Rule } from '../../scenarios/scenario.ts'
import { targetOf } from './attempts.ts'
import { type Finding, findingsIn } from './findings.ts'
import { watchRejections } from './rejections.ts'
import { faultsFor, isDetectable, labelOf, type SweepFault } from './sweep-faults.ts'

export const marks = {
  recovered: '.',
  rejected: 'r',
  partial: 'p',
  silent: 'S',
  hung: 'H',
  crashed: 'C',
  duplicated: 'D',
  'not-reached': '-',
} as const

export type SweepVerdict = keyof typeof marks

export interface SweepTarget<RequestBodies extends object = Record<string, unknown>> {
  readonly sandbox: Sandbox<RequestBodies>
  /** Base URL for clients that use the `fetch` below. No server listens on it. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly fetch: typeof fetch
  /** Aborted when the run takes too long. */
  readonly signal: AbortSignal
}

/** Runs the application once, and returns its outcome, which must be the same in each run without faults. */
export type SweepWork<Result, RequestBodies extends object> = (
  target: SweepTarget<RequestBodies>,
) => Result | Promise<Result>

export interface SweepOptions<Result, RequestBodies extends object = Record<string, unknown>> {
  /** Sets up the sandbox of each run: replies, scripts, scenarios. Can return a promise. */
  setUp?(sandbox: Sandbox<RequestBodies>): unknown
  /**
   * `quick` tries one fault per kind of failure. `all` tries every fault that can affect the call, with each
   * choice of its parameters, and as early and as late as possible. Default: `quick`.
   */
  depth?: 'quick' | 'all'
  /** Faults to try on each call that they can affect, by name or with parameters. Default: see `depth`. */
  faults?: readonly SweepFault[]
  /** Returns true for a result that the application itself marks as incomplete. Default: never. */
  isPartial?(result: Result): boolean
  /** Compares results. Default: deep equality. */
  equals?(left: Result, right: Result): boolean
  /** Maximum number of concurrent runs, not counting some that only wait for a stalled reply. Default: 20. */
  concurrency?: number
  /** Limit per run in milliseconds of real time, not counting time when the process is blocked. Default: 5,000. */
  limitMs?: number
}

export interface SweepRun {
  /** 1-based index of the call that the fault affects. */
  readonly call: number
  /** Operation id, or method and path. */
  readonly operation: string
  /** Name of the fault, with its parameters if they are not the defaults. */
  readonly fault: string
  readonly verdict: SweepVerdict
  readonly message: string
  /** Calls of this run, oldest first, such as `createResponse: 503`. */
  readonly calls: readonly string[]
  /** Mistakes found in the calls, even if the run recovered. */
  readonly findings: readonly Finding[]
  /** If false, no client can detect the fault, such as reordered events without sequence numbers. */
  readonly isDetectable: boolean
  /** Rule that repeats the failure, for `sandbox.use()`. */
  readonly rule: Rule
}

export interface SweepResult<Result = unknown> {
  /** Result without faults. */
  readonly result: Result
  /** Calls that the application makes without faults, oldest first. */
  readonly calls: readonly string[]
  readonly runs: readonly SweepRun[]
}

type Job = Pick<SweepRun, 'call' | 'operation' | 'fault' | 'isDetectable' | 'rule'>

type Outcome = readonly [verdict: SweepVerdict, message: string, cause?: unknown]

const scenario = 'sweep'
const optionNames = ['setUp', 'depth', 'faults', 'isPartial', 'equals', 'concurrency', 'limitMs']

/** Throws one clear error if the application does not work without faults. */
export async function runSweep<Result, RequestBodies extends object>(
  gateway: GatewayCore<RequestBodies>,
  work: SweepWork<Result, RequestBodies>,
  options: SweepOptions<Result, RequestBodies>,
): Promise<SweepResult<Result>> {
  if (typeof work !== 'function') throw new TypeError(`sweep() expects a function, got ${shown(work)}`)
  assertNames(options, optionNames, 'sweep()')
  const { depth = 'quick' } = options
  if (depth !== 'quick' && depth !== 'all')
    throw new TypeError(`sweep(): depth must be 'quick' or 'all', got ${shown(depth)}`)
  const { isDeepStrictEqual = equal } = globalThis.process?.getBuiltinModule?.('node:util') ?? {}
  const { concurrency = 20, limitMs = 5000, equals = isDeepStrictEqual } = options
  const { sandboxes } = gateway
  const { current, defaultSetup } = sandboxes
  const setup = { ...defaultSetup, options: { ...gateway.options, timeScale: 0 } }
  using blank = gateway.createSandbox()
  const initial = blank.state.snapshot()
  const rejectionsOf = new WeakMap<object, unknown[]>()
  const unwatch = watchRejections((reason) =>
    Boolean(rejectionsOf.get(current?.getStore() ?? gateway)?.push(reason)),
  )
  const close = sandboxes.serveAt(gateway.options.baseUrl ?? 'https://gateway.example/api/v1')

  async function observe(rule?: Rule) {
    using sandbox = sandboxes.toFork(setup, initial) as Sandbox<RequestBodies>
    const rejections: unknown[] = []
    rejectionsOf.set(sandbox, rejections)
    // Before the rules of `setUp`: of two rules that exclude each other, the first one acts.
    if (rule) sandbox.use({ name: scenario, rules: [rule] })
    await options.setUp?.(sandbox)
    const { baseUrl, apiKey, journal } = sandbox
    const controller = new AbortController()
    const run = async () => ({
      result: await work({ sandbox, baseUrl, apiKey, fetch: toFetch(gateway), signal: controller.signal }),
    })
    const settled = (current ? sandbox.run(run) : run()).catch((error: unknown) => ({ error }))
    // Undefined if there is none in time.
    const outcome = await within(limitMs, settled)
    // Node reports unhandled rejections after the microtasks.
    await new Promise<void>((resolve) => setTimeout(resolve, 0))
    const records = journal.records()
    const answered = records.map((record) => {
      // Sandbox time stands still.
      return Object.assign(toEntry(record), { elapsedMs: record.startedAt - (records[0]?.startedAt ?? 0) })
    })
    const entries = [...answered, ...withoutReply(journal.unanswered(), answered)]
    const evidence: { result?: Result } = outcome && 'result' in outcome ? outcome : {}
    const found = findingsIn({ entries, operations: gateway.operations }, evidence)
    // A test may shorten the waits of its client.
    const findings = found.filter(({ name }) => name !== 'retry-after-ignored')
    const isReached = !sandbox.unusedRules().some((each) => each.scenario === scenario)
    const failure = failureOf(outcome, rejections)
    if (!outcome) controller.abort(new Error(`sweep(): no result within ${limitMs} ms`))
    return { ...evidence, failure, entries, findings, isReached }
  }

  function failureOf(outcome: object | undefined, rejections: readonly unknown[]): Outcome | undefined {
    if (!outcome) return ['hung', `it had no result within ${limitMs} ms`]
    const [left] = rejections
    if (rejections.length > 0) return ['crashed', `it left a rejection unhandled: ${textOf(left)}`, left]
    if (!('error' in outcome)) return undefined
    const { error } = outcome
    return isCrash(error)
      ? ['crashed', `it threw ${textOf(error)}`, error]
      : ['rejected', textOf(error), error]
  }

  async function learn() {
    const { failure, result, entries } = await observe()
    const fail = (text: string) => new Error(`sweep(): without faults, ${text}`, { cause: failure?.[2] })
    const isReached = entries.length > 0
    const unreached = 'no call reached the sandbox: pass baseUrl, apiKey and fetch to the client'
    if (failure) throw fail(`the application fails: ${failure[1]}${isReached ? '' : `; ${unreached}`}`)
    if (!isReached) throw fail(unreached)
    return { result: result as Result, entries }
  }

  function judge(job: Job, observed: Awaited<ReturnType<typeof observe>>, expected: Result): Outcome {
    const { failure, entries, findings, isReached } = observed
    if (failure?.[0] === 'hung') return failure
    if (!isReached) return ['not-reached', reasonNotReached(entries)]
    if (failure?.[0] === 'crashed') return failure
    const twice = findings.find(({ name }) => name === 'duplicate-effect' || name === 'tool-result-twice')
    if (twice) return ['duplicated', twice.message]
    if (failure) return failure
    const result = observed.result as Result
    if (options.isPartial?.(result)) return ['partial', `it returned ${textOf(result)}`]
    if (equals(result, expected)) return ['recovered', 'it returned the same result']
    const hint = job.isDetectable ? '' : '; no client can detect it'
    return ['silent', `it returned ${difference(result, expected)}${hint}`]
  }

  try {
    const first = await learn()
    // The first run may be slow.
    const { result, entries } = await learn()
    if (!equals(first.result, result))
      throw new Error(
        `sweep(): two runs without faults returned ${textOf(first.result)} and ${textOf(result)}: return only what stays the same, or set equals`,
      )
    const jobs = jobsFor(gateway, entries, options)
    if (jobs.length === 0) throw new Error('sweep(): none of the faults can act on these calls')
    const runs: SweepRun[] = []
    const { waiting = [], others = [] } = Object.groupBy(jobs.entries(), ([, { fault }]) => {
      return /^timeout|-stall/.test(fault) ? 'waiting' : 'others'
    })
    const worker = async (_: unknown, index: number): Promise<void> => {
      const [place, job] = (index < concurrency ? others.pop() : undefined) ?? waiting.pop() ?? []
      if (place === undefined || !job) return
      const observed = await observe(job.rule)
      const [verdict, message] = judge(job, observed, result)
      const { entries, findings } = observed
      runs[place] = { ...job, verdict, message, calls: entries.map(callText), findings }
      await worker(_, index)
    }
    // Runs that wait for a reply in vain need no processor: three more for each worker after the first.
    await Promise.all(Array.from({ length: 4 * concurrency - 3 }, worker))
    return { result, calls: entries.map(callText), runs }
  } finally {
    unwatch()
    close()
  }
}

function jobsFor(
  gateway: GatewayCore,
  entries: readonly JournalEntry[],
  { depth = 'quick', faults }: SweepOptions<never>,
): Job[] {
  return entries.flatMap((entry, place) => {
    const operation = targetOf(entry)
    const places = gateway.operations.find(({ id }) => id === operation)?.protocol?.places
    const stream = asksForStream(entry.body)
    const isLike = (each: JournalEntry) => targetOf(each) === operation && asksForStream(each.body) === stream
    const when = { call: entries.slice(0, place + 1).filter(isLike).length, stream }
    return faultsFor(entry, places, depth, faults).map((fault) => ({
      call: place + 1,
      operation,
      fault: labelOf(fault),
      isDetectable: isDetectable(fault, entry, places),
      // The names of the operation and the fault are known only at run time.
      rule: { on: operation, when, times: 1, fault } as Rule,
    }))
  })
}

function callText(entry: JournalEntry): string {
  return `${targetOf(entry)}: ${entry.status || 'no response'}`
}

function reasonNotReached(entries: readonly JournalEntry[]): string {
  const reached = entries.find(({ rules }) => rules.some((rule) => rule.scenario === scenario))
  return reached?.warnings.find((each) => each.includes('nothing to act on')) ?? 'the call did not come'
}

/** Error messages for invalid JSON from V8, JavaScriptCore and SpiderMonkey. */
const jsonMessage = /JSON\b.*\bposition|in JSON\b|JSON input|valid JSON|JSON Parse error|^JSON\.parse:/

function isCrash(error: unknown): boolean {
  const { name, message, cause } = Object(error)
  // `fetch` throws a TypeError with a cause if the connection breaks.
  const isOwn = ['TypeError', 'SyntaxError', 'RangeError', 'ReferenceError'].includes(name) && !cause
  // SDKs throw SyntaxErrors, too, but with messages of their own.
  return !message || (isOwn && (name !== 'SyntaxError' || jsonMessage.test(message)))
}

function textOf(value: unknown): string {
  return truncate(value instanceof Error ? oneLine(String(value)) : jsonOf(value), 200)
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? String(value)
}

/** Shows two values, starting shortly before their first difference. */
function difference(...values: [unknown, unknown]): string {
  const [left = '', right = ''] = values.map(jsonOf)
  let same = 0
  while (same < left.length && left[same] === right[same]) same++
  const start = same > 60 ? same - 30 : 0
  const ends = [left, right].map((text) => (start > 0 ? '…' : '') + truncate(text.slice(start), 150))
  return ends.join(' instead of ')
}

/** Returns undefined if the promise takes longer. Counts timer ticks, so that a busy process has more time. */
async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value | undefined> {
  const { promise: limit, resolve } = Promise.withResolvers<undefined>()
  let ticks = 0
  const timer = setInterval(() => ++ticks === 10 && resolve(undefined), ms / 10)
  return Promise.race([promise, limit]).finally(() => clearInterval(timer))
}
