/** Formats the journal for terminals, one line per call. */
import { messageOf } from '../http/errors.ts'
import { hideInString } from '../http/secrets.ts'
import { splitAddress } from '../lib/address.ts'
import { ruleTitle } from '../scenarios/names.ts'
import type { TurnReading } from '../scenarios/script-runs.ts'
import type { JournalEntry } from './entry.ts'

/** Maximum number of calls to list. Older calls are only counted. */
const maxListedCalls = 10
/** Maximum number of near misses to list per call, in the order in which the rules were tried. */
const maxListedNearMisses = 3

/** Lists calls under a title such as `Sandbox s1`, newest last. */
export function journalText(owner: string, entries: readonly JournalEntry[]): string {
  if (!Array.isArray(entries))
    throw new TypeError("journalText() expects a title and entries, as in journalText('Calls', entries)")
  if (entries.length === 0) return `${owner} has no calls.`
  return `${owner} has ${calls(entries.length)}:\n${callList(entries)}`
}

function callList(entries: readonly JournalEntry[]): string {
  const left = Math.max(0, entries.length - maxListedCalls)
  const listed = entries.slice(left)
  const lines = listed.flatMap((entry, index) => {
    const indented = remarks(entry, listed.slice(0, index)).map((remark) => `     ${remark}`)
    return [`  ${left + index + 1}. ${callLine(entry)}`, ...indented]
  })
  return hideInString([...(left > 0 ? [`  … ${left} earlier`] : []), ...lines].join('\n'))
}

function callLine(entry: JournalEntry): string {
  const { method, path, operation, status, rules, turn, delivery, durationMs } = entry
  const answer = status === 0 ? 'no response' : String(status)
  const applied = rules.map(({ scenario, index, faults }) => {
    return ruleTitle(scenario, index) + (faults.length > 0 ? ` (${faults.join(', ')})` : '')
  })
  return [
    `${method} ${path}${operation === null ? '' : ` (${operation})`}: ${answer}`,
    applied.length === 0 ? '' : ` by ${applied.join(' and ')}`,
    turn === null ? '' : `, ${turnText(turn)}`,
    delivery === 'complete' ? '' : `, ${delivery.replaceAll('-', ' ')}`,
    durationMs === null ? '' : `, ${Math.round(durationMs)} ms`,
  ].join('')
}

export function turnText({ conversation, number, total }: TurnReading): string {
  return conversation === 0
    ? 'an unscripted conversation'
    : `turn ${number} of ${total} in conversation ${conversation}`
}

export function calls(count: number): string {
  return count === 1 ? '1 call' : `${count} calls`
}

/** Omits warnings that an earlier call has. */
function remarks(entry: JournalEntry, earlier: readonly JournalEntry[]): string[] {
  const { status, error, rules, turn, warnings, nearMisses, schemaViolation } = entry
  const refusal = errorToShow(status, error ?? undefined, rules.length > 0)
  return [
    ...(refusal === undefined || turn?.mismatch ? [] : [sentence(refusal)]),
    ...(schemaViolation ? ['The reply violated its schema: please report this bug in Understudy.'] : []),
    ...(turn?.mismatch ? [`The script expected ${turn.mismatch}.`] : []),
    ...warnings.filter((each) => !earlier.some((call) => call.warnings.includes(each))),
    ...nearMisses.slice(0, maxListedNearMisses).map(({ reason }) => `${reason}.`),
  ]
}

/** Returns undefined if a rule replied with the status's default message. */
export function errorToShow(status: number, error: string | undefined, byRule: boolean): string | undefined {
  return byRule && error === messageOf(status) ? undefined : error
}

export function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`
}

export function withoutReply(
  unanswered: readonly JournalEntry[],
  entries: readonly JournalEntry[],
): JournalEntry[] {
  return unanswered.filter(({ id }) => !entries.some((entry) => entry.id === id))
}

export function unansweredText(entries: readonly JournalEntry[]): string {
  if (entries.length === 0) return ''
  return `\n${calls(entries.length)} without a reply so far (fake timers, if used, stop delays):\n${callList(entries)}`
}

const maxNamedCalls = 5

export interface Received {
  readonly entries: readonly JournalEntry[]
  readonly unanswered?: readonly JournalEntry[]
  /** Calls that the default sandbox received meanwhile. */
  readonly stray?: readonly JournalEntry[]
}

export function allCallsText({ entries, unanswered = [], stray = [] }: Received): string {
  const pending = withoutReply(unanswered, entries)
  return journalText('The journal', entries) + unansweredText(pending) + strayCallsText(stray)
}

/** Returns `\nIn addition, the default sandbox received 1 call meanwhile: …`, or an empty string for no calls. */
export function strayCallsText(all: readonly JournalEntry[]): string {
  const entries = all.filter(({ status }) => status !== 410)
  const late = all.length - entries.length
  const ended = late === 0 ? '' : `\nIn addition, ${calls(late)} to an ended or missing sandbox got a 410.`
  if (entries.length === 0) return ended
  const texts = entries.slice(0, maxNamedCalls).map(({ method, path, headers }) => {
    const by = 'authorization' in headers ? 'with an unknown key' : 'without a key'
    return `${method} ${hideInString(splitAddress(path).route ?? path)} ${by}`
  })
  if (entries.length > maxNamedCalls) texts.push(`${entries.length - maxNamedCalls} more`)
  const received = `the default sandbox received ${calls(entries.length)} meanwhile: ${texts.join(', ')}`
  const fix =
    "use sandbox.baseUrl or sandbox.apiKey or, in process, sandbox.run(work) or Vitest's test.override({ serial: true })"
  return `${ended}\nIn addition, ${received}. To send them to this sandbox, ${fix}.`
}
