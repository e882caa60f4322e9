/** Exports the journal as an HTTP Archive (HAR 1.2). Custom fields start with `_`. */
import manifest from '../../package.json' with { type: 'json' }
import { hideInQuery, hideInString, hideInText, hideInValue } from '../http/secrets.ts'
import { monotonic, wallClock } from '../lib/clock.ts'
import type { KeptBody } from './body.ts'
import { type CallRecord, ruleLabel } from './call-record.ts'
import type { Delivery } from './entry.ts'

export interface Har {
  log: {
    version: '1.2'
    creator: { name: string; version: string }
    entries: HarEntry[]
  }
}

export interface HarEntry {
  /** Real time at which the request arrived, ISO 8601. */
  startedDateTime: string
  /** Total time. This and all other timings are in milliseconds. */
  time: number
  request: {
    method: string
    url: string
    httpVersion: string
    cookies: []
    headers: HarPair[]
    queryString: HarPair[]
    postData?: { mimeType: string; text: string; comment?: string }
    headersSize: -1
    bodySize: number
  }
  response: {
    /** HTTP status; 0 if the connection closed without a response. */
    status: number
    statusText: string
    httpVersion: string
    cookies: []
    headers: HarPair[]
    content: { size: number; mimeType: string; text: string; comment?: string }
    redirectURL: string
    headersSize: -1
    bodySize: number
  }
  cache: Record<string, never>
  timings: { send: number; wait: number; receive: number }
  _id: string
  _operation: string | null
  _rule: string | null
  _delivery: Delivery
}

interface HarPair {
  name: string
  value: string
}

export function toHar(records: readonly CallRecord[]): Har {
  const now = { real: wallClock().getTime(), monotonic: monotonic() }
  const creator = { name: manifest.name, version: manifest.version }
  return { log: { version: '1.2', creator, entries: records.map((record) => toHarEntry(record, now)) } }
}

function toHarEntry(record: CallRecord, now: { real: number; monotonic: number }): HarEntry {
  const { startedAt, firstByteAt, endedAt } = record
  const ended = endedAt ?? now.monotonic
  const first = firstByteAt ?? ended
  return {
    startedDateTime: new Date(now.real - (now.monotonic - startedAt)).toISOString(),
    time: ended - startedAt,
    request: requestOf(record),
    response: responseOf(record),
    cache: {},
    timings: { send: 0, wait: first - startedAt, receive: Math.max(0, ended - first) },
    _id: record.id,
    _operation: record.operation ?? null,
    _rule: record.rules.map(ruleLabel).join(', ') || null,
    _delivery: record.delivery,
  }
}

function requestOf(record: CallRecord): HarEntry['request'] {
  const { method, path, headers, requestBody } = record
  const search = hideInQuery(record.search)
  const mimeType = headers['content-type'] ?? ''
  const text = hideInText(requestBody.text)
  return {
    method,
    // Intercepted requests have no `host` header.
    url: `http://${headers['host'] ?? 'gateway.example'}${hideInString(path)}${search}`,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: pairs(hideInValue(headers)),
    queryString: [...new URLSearchParams(search)].map(([name, value]) => ({ name, value })),
    ...(text !== '' && { postData: { mimeType, text, ...comment(requestBody) } }),
    headersSize: -1,
    bodySize: requestBody.bytes + requestBody.truncatedBytes,
  }
}

function responseOf({ status, responseHeaders, responseBody }: CallRecord): HarEntry['response'] {
  const size = responseBody.bytes + responseBody.truncatedBytes
  const mimeType = responseHeaders['content-type'] ?? ''
  return {
    status,
    statusText: '',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: pairs(hideInValue(responseHeaders)),
    content: { size, mimeType, text: hideInText(responseBody.text), ...comment(responseBody) },
    redirectURL: '',
    headersSize: -1,
    bodySize: size,
  }
}

function comment({ truncatedBytes }: KeptBody): { comment?: string } {
  return truncatedBytes > 0 ? { comment: `${truncatedBytes} more bytes were not stored` } : {}
}

function pairs(headers: Readonly<Record<string, string>>): HarPair[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }))
}
