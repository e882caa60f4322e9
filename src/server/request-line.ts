/**
 * One line about one request, for whoever watches the server.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { hideInQuery, hideInString } from '../http/secrets.ts'
import type { CallRecord, Delivery } from '../journal/call-record.ts'
import { reasonToShow } from '../journal/journal-text.ts'
import { monotonic } from '../lib/clock.ts'
import { printable } from '../lib/print.ts'

export interface RequestLine {
  /** Upper case. */
  readonly method: string
  /** With the query, its secrets hidden. */
  readonly path: string
  /** 0 where the connection ended without an answer. */
  readonly status: number
  /** Real milliseconds. */
  readonly durationMs: number
  /** The rule that made or changed the reply: `flaky#1`. */
  readonly rule: string | undefined
  /** Why it was refused, where the status and the rule do not say it already. */
  readonly reason: string | undefined
  /** How the reply reached its reader. */
  readonly delivery: Delivery
}

/**
 * The line of a request that is over.
 *
 * @param startedAt Real milliseconds, from `monotonic()`.
 * @param record What the gateway made of it; undefined where the request did not get so far.
 */
export function toRequestLine(
  { method = '', url: path = '' }: IncomingMessage,
  response: ServerResponse,
  startedAt: number,
  record: CallRecord | undefined,
): RequestLine {
  const { match } = record ?? {}
  return {
    method,
    path: shownPath(path),
    status: record ? record.status : response.statusCode,
    durationMs: monotonic() - startedAt,
    rule: match && `${match.scenario}#${match.rule}`,
    reason:
      record &&
      reasonToShow(record.status, record.reason && hideInString(record.reason), match !== undefined),
    delivery: record?.delivery ?? (response.writableFinished ? 'complete' : 'aborted-by-client'),
  }
}

function shownPath(path: string): string {
  const query = path.indexOf('?')
  return query < 0 ? hideInString(path) : hideInString(path.slice(0, query)) + hideInQuery(path.slice(query))
}

/** `POST /api/v1/responses 503 12 ms flaky#1`, `POST /api/v1/responses 400 1.2 ms: model: must be …` */
export function requestLineText({
  method,
  path,
  status,
  durationMs,
  rule,
  reason,
  delivery,
}: RequestLine): string {
  const time = durationMs < 10 ? durationMs.toFixed(1) : Math.round(durationMs)
  const words = [method, path, status || 'no answer', `${time} ms`, rule]
  const line = [...words, delivery === 'complete' ? undefined : delivery]
    .filter((word) => word !== undefined)
    .join(' ')
  // A message may quote what the client has sent.
  return printable(reason === undefined ? line : `${line}: ${reason.replace(/\s+/g, ' ')}`)
}
