/**
 * Why a call was answered as it was, in words: what it met, what it missed and by how little.
 */
import { assumptions } from '../assumptions.ts'
import { hideInQuery } from '../http/secrets.ts'
import { withoutBreaks } from '../lib/one-line.ts'
import type { CallRecord } from './call-record.ts'
import { nearMissesOf } from './entry.ts'
import { sentence, toldReason, turnText } from './journal-text.ts'

/** One fact a line; nothing is left out, however much there is. */
export function explain(record: CallRecord): string {
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
    .map(withoutBreaks)
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
  if (delivery === 'cut') return ['A fault broke the reply off.']
  if (delivery === 'client-left') return ['The client left before the reply was complete.']
  return delivery === 'pending' ? ['The reply is still under way.'] : []
}
