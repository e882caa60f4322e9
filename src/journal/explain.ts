/**
 * Why a call was answered as it was, in words: what it met, what it missed and by how little.
 */
import { assumptions } from '../assumptions.ts'
import { hideInQuery } from '../http/secrets.ts'
import { nearest } from '../lib/did-you-mean.ts'
import type { KnownOperation } from '../rules/check-scenario.ts'
import type { CallRecord } from './call-record.ts'
import { nearMissesOf, ruleOf } from './entry.ts'
import { turnText } from './journal-text.ts'

/** One fact a line; nothing is left out, however much there is. */
export function explain(record: CallRecord, operations: readonly KnownOperation[]): string {
  return [
    headline(record),
    ...unanswered(record, operations),
    ...met(record),
    ...played(record),
    ...nearMissesOf(record).map(({ reason }) => `Missed: ${reason}.`),
    ...record.warnings.map((warning) => `Warning: ${warning}.`),
    ...record.assumptions.map(
      (name) => `It rests on '${name}', which nobody promised: ${assumptions[name].choice}.`,
    ),
    ...delivered(record),
  ].join('\n')
}

function headline({ id, method, path, search, operation, status }: CallRecord): string {
  const asked = `${method} ${path}${hideInQuery(search)}${operation ? ` (${operation})` : ''}`
  return `${asked} was answered with ${status === 0 ? 'no status at all' : status}, as ${id}.`
}

function met({ match }: CallRecord): string[] {
  if (!match) return []
  const { scenario, rule, faults } = ruleOf(match)
  const name = match.name === undefined ? '' : ` (${match.name})`
  const what = faults.length > 0 ? `fault ${faults.join(', ')}` : 'scripted reply'
  return [`It met rule ${rule}${name} of '${scenario}': ${what}.`]
}

/** `It was turn 2 of 3 of conversation 1, and fitted the script.` */
function played({ match }: CallRecord): string[] {
  if (!match?.turn) return []
  const { problem } = match.turn
  return [
    `It was ${turnText(match.turn)}${problem ? `, and did not fit: expected ${problem}` : ', and fitted the script'}.`,
  ]
}

function delivered({ delivery }: CallRecord): string[] {
  if (delivery === 'cut') return ['A fault broke the reply off.']
  if (delivery === 'client-left') return ['The client left before the reply was complete.']
  return delivery === 'pending' ? ['The reply is still under way.'] : []
}

/** `No operation answers GET /provider: did you mean GET /providers?` */
function unanswered(
  { operation, match, method, path, route }: CallRecord,
  operations: readonly KnownOperation[],
): string[] {
  if (operation || match) return []
  const asked = `No operation answers ${method} ${route ?? path}`
  const near = nearestOperation(route ?? path, method, operations)
  const base = route === undefined ? '/api/v1' : ''
  if (near) return [`${asked}: did you mean ${near.method.toUpperCase()} ${base}${near.path}?`]
  const known = operations.map((each) => `${each.method.toUpperCase()} ${base}${each.path}`)
  return [`${asked}; there are ${known.join(', ')}.`]
}

/** The operation whose path is nearest; of several with that path, the one with the method that was asked for. */
function nearestOperation(
  asked: string,
  method: string,
  operations: readonly KnownOperation[],
): KnownOperation | undefined {
  const bare = asked.replace(/^(\/api)?(\/v1)?(?=\/)/, '').replace(/\/$/, '')
  const filled = operations.map((operation) => ({ operation, path: fill(operation.path, bare) }))
  const path = nearest(bare, [...new Set(filled.map((each) => each.path))])
  const there = filled.filter((each) => each.path === path).map((each) => each.operation)
  return there.find((operation) => operation.method.toUpperCase() === method) ?? there[0]
}

/** `/presets/{slug}` with what was asked for in the place of its parameters, `/presets/code-review`. */
function fill(pattern: string, asked: string): string {
  const segments = asked.split('/')
  return pattern
    .split('/')
    .map((segment, index) => (segment.startsWith('{') ? (segments[index] ?? segment) : segment))
    .join('/')
}
