/**
 * The journal as people read it in a terminal: one line a call.
 */
import { messageOf } from '../http/errors.ts'
import { hideInString } from '../http/secrets.ts'
import type { TurnReading } from '../scenarios/script-runs.ts'
import type { JournalEntry } from './entry.ts'

/** How many calls a text shows; older ones are only counted. */
const shown = 10
/** How many of the rules that a call missed it gives; the newest come first. */
const explained = 3

/**
 * Calls under a title, the newest last.
 *
 * @example
 * Sandbox s1 has 2 calls:
 *   1. POST /api/v1/responses (createResponse): 529 by rule 1 of 'fail' (status), 2 ms
 *   2. POST /api/v1/responses (createResponse): 200, cut, 31 ms
 */
export function journalText(owner: string, entries: readonly JournalEntry[]): string {
  if (entries.length === 0) return `${owner} has no calls.`
  return `${owner} has ${calls(entries.length)}:\n${callList(entries)}`
}

/** The newest calls, one line each, with what was wrong with them below. */
export function callList(entries: readonly JournalEntry[]): string {
  const left = Math.max(0, entries.length - shown)
  const lines = entries.slice(left).flatMap((entry, index) => {
    return [`  ${left + index + 1}. ${callLine(entry)}`, ...remarks(entry).map((remark) => `     ${remark}`)]
  })
  return hideInString([...(left > 0 ? [`  … ${calls(left)} before`] : []), ...lines].join('\n'))
}

/** `POST /api/v1/responses (createResponse): 529 by rule 1 of 'fail' (status), 2 ms` */
export function callLine(entry: JournalEntry): string {
  const { method, path, operation, status, rule, turn, delivery, durationMs } = entry
  const answer = status === 0 ? 'no answer' : String(status)
  const faults = rule && rule.faults.length > 0 ? ` (${rule.faults.join(', ')})` : ''
  return [
    `${method} ${path}${operation === null ? '' : ` (${operation})`}: ${answer}`,
    rule === null ? '' : ` by rule ${rule.rule} of '${rule.scenario}'${faults}`,
    turn === null ? '' : `, ${turnText(turn)}`,
    delivery === 'complete' ? '' : `, ${delivery.replaceAll('-', ' ')}`,
    durationMs === null ? '' : `, ${Math.round(durationMs)} ms`,
  ].join('')
}

/** `turn 2 of 3 of conversation 1` */
export function turnText({ conversation, turn, of }: TurnReading): string {
  return conversation === 0
    ? 'a conversation without a script'
    : `turn ${turn} of ${of} of conversation ${conversation}`
}

/** `1 call`, `2 calls` */
export function calls(count: number): string {
  return count === 1 ? '1 call' : `${count} calls`
}

function remarks({
  status,
  reason,
  rule,
  turn,
  warnings,
  nearMisses,
  schemaViolation,
}: JournalEntry): string[] {
  const refusal = toldReason(status, reason ?? undefined, rule !== null)
  return [
    ...(refusal === undefined || turn?.problem ? [] : [sentence(refusal)]),
    ...(schemaViolation ? ['The reply broke its schema: a mistake of understudy, please report it.'] : []),
    ...(turn?.problem ? [`The script expected otherwise: ${turn.problem}.`] : []),
    ...warnings,
    ...nearMisses.slice(0, explained).map(({ reason }) => `${reason}.`),
  ]
}

/** The reason of a refusal; undefined where a rule refuses with the usual words of the status, which say no more. */
export function toldReason(status: number, reason: string | undefined, byRule: boolean): string | undefined {
  return byRule && reason === messageOf(status) ? undefined : reason
}

/** With a full stop, where it has no end of its own. */
export function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`
}

/** Calls that the text names. */
const named = 5

/**
 * The calls that the default sandbox answered while a test ran; the empty string where there are none.
 *
 * @example the default sandbox answered 1 call meanwhile: POST /responses with a key of no sandbox
 */
export function sharedCallsText(entries: readonly JournalEntry[]): string {
  if (entries.length === 0) return ''
  const texts = entries.slice(0, named).map(callText)
  const rest = entries.length > named ? [`${calls(entries.length - named)} more`] : []
  return `the default sandbox answered ${calls(entries.length)} meanwhile: ${[...texts, ...rest].join(', ')}`
}

function callText({ method, path, headers }: JournalEntry): string {
  const by = 'authorization' in headers ? 'with a key of no sandbox' : 'without a key'
  return `${method} ${path.replace(/^.*\/api\/v1(?=\/)/, '')} ${by}`
}
