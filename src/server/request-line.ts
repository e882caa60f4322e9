/**
 * One line about one request, for whoever watches the server.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { hideInQuery } from '../http/secrets.ts'
import type { CallRecord, Delivery } from '../journal/call-record.ts'
import { monotonic } from '../lib/clock.ts'

export interface RequestLine {
  readonly method: string
  /** With the query, its secrets hidden. */
  readonly path: string
  /** 0 where the connection ended without an answer. */
  readonly status: number
  /** Real milliseconds. */
  readonly durationMs: number
  /** The rule that made or changed the reply: `flaky#1`. */
  readonly rule: string | undefined
  readonly delivery: Delivery
}

/**
 * What there is to tell of a request, when it is over.
 *
 * @param answered What the gateway made of it; nothing where the request did not get so far.
 */
export async function tellOf(
  { method = '', url: path = '' }: IncomingMessage,
  response: ServerResponse,
  answered: Promise<CallRecord | undefined>,
): Promise<RequestLine> {
  const startedAt = monotonic()
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  response.once('close', resolve)
  const [record] = await Promise.all([answered, closed])
  const { match } = record ?? {}
  return {
    method,
    path: shownPath(path),
    status: record ? record.status : response.statusCode,
    durationMs: monotonic() - startedAt,
    rule: match && `${match.scenario}#${match.rule}`,
    delivery: record?.delivery ?? (response.writableFinished ? 'complete' : 'client-left'),
  }
}

function shownPath(path: string): string {
  const query = path.indexOf('?')
  return query < 0 ? path : path.slice(0, query) + hideInQuery(path.slice(query))
}

/** `POST /api/v1/responses 503 12 ms flaky#1` */
export function printed({ method, path, status, durationMs, rule, delivery }: RequestLine): string {
  const time = durationMs < 10 ? durationMs.toFixed(1) : Math.round(durationMs)
  const words = [method, path, status || 'no answer', `${time} ms`, rule]
  return [...words, delivery === 'complete' ? undefined : delivery]
    .filter((word) => word !== undefined)
    .join(' ')
}
