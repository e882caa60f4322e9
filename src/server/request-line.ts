/** Describes completed requests, for the request log. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { hideInQuery, hideInString } from '../http/secrets.ts'
import { type CallRecord, ruleLabel } from '../journal/call-record.ts'
import type { Delivery } from '../journal/entry.ts'
import { errorToShow } from '../journal/journal-text.ts'
import { monotonic } from '../lib/clock.ts'

export interface RequestLine {
  readonly method: string
  /** Path including the query, with secrets redacted. */
  readonly path: string
  /** HTTP status; 0 if the connection ended without a response. */
  readonly status: number
  /** Duration in milliseconds of real time. */
  readonly durationMs: number
  /** Rule that produced or changed the reply, such as `flaky#1`. */
  readonly rule: string | undefined
  /** Error message, or the first vendor rule that the request broke; undefined for a scripted default message. */
  readonly reason: string | undefined
  /** Outcome of the delivery, such as `complete` or `aborted-by-client`. */
  readonly delivery: Delivery
}

/** @param record Undefined if the request did not reach the gateway. */
export function toRequestLine(
  { method = '', url: path = '' }: IncomingMessage,
  response: ServerResponse,
  startedAt: number,
  record: CallRecord | undefined,
): RequestLine {
  const rules = record?.rules ?? []
  const broken = record?.brokenRules?.[0]
  const [pathname = ''] = path.split('?', 1)
  return {
    method,
    path: hideInString(pathname) + hideInQuery(path.slice(pathname.length)),
    status: record ? record.status : response.statusCode,
    durationMs: monotonic() - startedAt,
    rule: rules.length > 0 ? rules.map(ruleLabel).join(', ') : undefined,
    reason:
      errorToShow(record?.status ?? 0, record?.error && hideInString(record.error), rules.length > 0) ??
      (broken && `breaks ${broken.rule}: ${hideInString(broken.message)}`),
    delivery: record?.delivery ?? (response.writableFinished ? 'complete' : 'aborted-by-client'),
  }
}

/** Returns `POST /api/v1/responses 503 12 ms flaky#1` or `GET /api/v1/presets/x 404 1.2 ms: Resource …`. */
export function requestLineText(request: RequestLine): string {
  const { method, path, status, durationMs, rule, reason, delivery } = request
  const time = durationMs < 10 ? durationMs.toFixed(1) : Math.round(durationMs)
  const words = [method, path, status || 'no response', `${time} ms`, rule]
  const line = [...words, delivery === 'complete' ? undefined : delivery]
    .filter((word) => word !== undefined)
    .join(' ')
  return reason === undefined ? line : `${line}: ${reason.replace(/\s+/g, ' ')}`
}
