/** The journal's matchers, declared once for Vitest, Playwright and `expectSandbox()`. */
import { hideInString } from '../http/secrets.ts'
import { inCall } from '../lib/call-names.ts'
import { refuseGuesses } from '../lib/guessed-names.ts'
import { printable, printWarning } from '../lib/print.ts'
import { shown } from '../lib/schema-messages.ts'
import type { ScriptProgress, UnusedRule } from '../scenarios/activation.ts'
import type { KnownOperation } from '../scenarios/check-scenario.ts'
import type { CustomOperationId } from '../scenarios/names.ts'
import { type JournalEntry, readMatch } from './entry.ts'
import {
  type Findings,
  judgeCalls,
  judgeRules,
  judgeScripts,
  judgeUnmatched,
  unknownOperation,
  type Verdict,
} from './expectations.ts'
import type { BodyOf, CallMatch } from './journal.ts'

/** @typeParam Result What a matcher returns: a promise for a remote sandbox. */
export interface JournalMatchers<Result, RequestBodies extends object> {
  /**
   * Asserts that an operation was called with the fields of `match`, which can contain matchers such as
   * `expect.stringContaining`.
   *
   * @example expect(sandbox).toHaveReceived('createResponse', { body: { model: 'aurora/dawn-2' } })
   */
  toHaveReceived<Id extends (keyof RequestBodies & string) | CustomOperationId>(
    operation: Id,
    match?: CallMatch<BodyOf<RequestBodies, Id>>,
  ): Result
  /** Asserts that an operation was called exactly `times` times with the fields of `match`. */
  toHaveReceivedTimes<Id extends (keyof RequestBodies & string) | CustomOperationId>(
    operation: Id,
    times: number,
    match?: CallMatch<BodyOf<RequestBodies, Id>>,
  ): Result
  /** Asserts that every request matched an operation, a rule or a recording. */
  toHaveNoUnmatchedRequests(): Result
  /** Asserts that every active rule has been applied at least once. */
  toHaveUsedAllRules(): Result
  /** Asserts that every script was started, and that every conversation finished the script it started. */
  toHaveFinishedScript(): Result
}

type MatcherName = keyof JournalMatchers<void, object>

export interface Inspectable {
  readonly journal: {
    entries(): JournalEntry[] | Promise<JournalEntry[]>
    unanswered(): JournalEntry[] | Promise<JournalEntry[]>
    unmatched(): JournalEntry[] | Promise<JournalEntry[]>
    readonly operations?: readonly { id: string; method: string; path: string }[]
    stray?(): JournalEntry[]
  }
  unusedRules(): UnusedRule[] | Promise<UnusedRule[]>
  scripts?(): ScriptProgress[] | Promise<ScriptProgress[]>
}

/** A matcher's result, in the form that test runners expect. */
export interface MatcherResult extends Omit<Verdict, 'message'> {
  message(): string
}

type Matcher = (this: State, received: unknown, ...args: unknown[]) => MatcherResult | Promise<MatcherResult>
/** The part that we use of the object that test runners pass as `this`. */
type State = { readonly isNot?: boolean }

export function toMatchers(operations: readonly KnownOperation[]): Readonly<Record<MatcherName, Matcher>> {
  type Expected = State & { readonly match: unknown; readonly times?: number }
  const judgeOperation = (name: MatcherName, received: unknown, operation: unknown, expected: Expected) => {
    assertInspectable(received)
    const known: readonly KnownOperation[] = received.journal.operations ?? operations
    if (typeof operation !== 'string') throw missing(name, `an operation, got ${shown(operation)}`, operation)
    // It would silently match no calls.
    const declared = known.find(({ id }) => id === operation)
    if (!declared) throw new TypeError(unknownOperation(operation, known))
    const checked = { ...expected, match: inCall(`${name}()`, () => readMatch(expected.match)) }
    return judge(received, (findings) => {
      const { absent, ...verdict } = judgeCalls(findings, { ...checked, operation, input: declared.input })
      // The assertion passes, perhaps only because of a misspelt field.
      for (const each of verdict.pass === Boolean(expected.isNot) ? [] : absent)
        printWarning(`[understudy] ${name}(): no call to ${operation} has ${each}`)
      return verdict
    })
  }
  return {
    toHaveReceived(received, operation, match) {
      return judgeOperation('toHaveReceived', received, operation, { isNot: this.isNot, match })
    },
    toHaveReceivedTimes(received, operation, times, match) {
      if (typeof operation === 'string' && !(Number.isInteger(times) && Number(times) >= 0))
        throw missing('toHaveReceivedTimes', `a number of calls, got ${shown(times)}`)
      const expected = { isNot: this.isNot, match, times: Number(times) }
      return judgeOperation('toHaveReceivedTimes', received, operation, expected)
    },
    toHaveNoUnmatchedRequests: (received) =>
      judge(received, ({ unmatched }) => judgeUnmatched(unmatched, operations)),
    toHaveUsedAllRules: (received) => judge(received, judgeRules),
    toHaveFinishedScript: (received) => judge(received, judgeScripts),
  }
}

/** @param count Number of calls to show in the message. */
function missing(name: MatcherName, what: string, count?: unknown): TypeError {
  const times = name === 'toHaveReceivedTimes' ? `, ${Number.isInteger(count) ? count : 2}` : ''
  return new TypeError(`${name}() expects ${what}; write ${name}('createResponse'${times})`)
}

export function assertInspectable(value: unknown): asserts value is Inspectable {
  if (typeof value === 'object' && value !== null && 'journal' in value && 'unusedRules' in value) return
  throw new TypeError(`expect(): this matcher requires a gateway or a sandbox, got ${shown(value)}`)
}

function judge(received: unknown, verdict: (findings: Findings) => Verdict): ReturnType<Matcher> {
  assertInspectable(received)
  const { journal } = received
  const progress = received.scripts?.() ?? []
  const calls = [journal.entries(), journal.unanswered(), journal.unmatched()] as const
  const parts = [...calls, received.unusedRules(), progress] as const
  return whenAll(parts, ([entries, unanswered, unmatched, unused, scripts]) => {
    return toResult(verdict({ entries, unanswered, stray: journal.stray?.(), unmatched, unused, scripts }))
  })
}

export function toResult({ message, ...verdict }: Verdict): MatcherResult {
  return { ...verdict, message: () => printable(hideInString(message)) }
}

/** Calls a function with the values of a list. Returns a promise if one of them is a promise. */
export function whenAll<Values extends readonly unknown[], Result>(
  values: readonly [...Values],
  work: (values: { [Place in keyof Values]: Awaited<Values[Place]> }) => Result,
): Result | Promise<Result> {
  const isLater = values.some((value) => value instanceof Promise)
  return isLater ? Promise.all(values).then(work) : work(values as Parameters<typeof work>[0])
}

export function messageWithFields({ message, expected, actual }: MatcherResult): string {
  if (expected === undefined) return message()
  return `${message()}\nExpected fields: ${printable(fieldsText(expected))}\nReceived fields: ${printable(fieldsText(actual))}`
}

function fieldsText(value: unknown): string {
  const shownAs = (inner: unknown) => {
    if (inner === undefined) return '(absent)'
    return typeof Object(inner).asymmetricMatch === 'function' ? String(inner) : inner
  }
  return JSON.stringify(value, (_, inner) => shownAs(inner), 2)
}

/** The matchers as functions that throw an error, for test runners that have no matchers in this package. */
export type Expectations<Result, RequestBodies extends object> = JournalMatchers<Result, RequestBodies> & {
  readonly not: JournalMatchers<Result, RequestBodies>
}

export function toExpectations<Result, RequestBodies extends object>(
  matchers: Readonly<Record<MatcherName, Matcher>>,
  received: unknown,
): Expectations<Result, RequestBodies> {
  const asserting = (isNot: boolean) => {
    const check = ([result]: readonly MatcherResult[]) => {
      if (result?.pass !== isNot) return
      const { expected, actual } = result
      // Not named AssertionError: Jest would replace the message with one for `node:assert`.
      throw Object.assign(new Error(messageWithFields(result)), { expected, actual })
    }
    const entries = Object.entries(matchers).map(([name, matcher]) => {
      return [name, (...args: unknown[]) => whenAll([matcher.call({ isNot }, received, ...args)], check)]
    })
    return Object.fromEntries(entries)
  }
  return refuseGuesses({ ...asserting(false), not: asserting(true) }, 'expectSandbox')
}
