/** Exports the journal as an HTTP Archive (HAR 1.2). Custom fields start with `_`. */
import manifest from '../../package.json' with { type: 'json' }
import { hideInQuery, hideInString, hideInText, hideInValue } from '../http/secrets.ts'
import { monotonic, wallClock } from '../lib/clock.ts'
import type { KeptBody } from './body.ts'
import { type CallRecord, ruleLabel } from './call-record.ts'

export interface Har {
  log: {
    version: '1.2'
    creator: { name: string; version: string }
    /** Entries with all HAR 1.2 fields, plus `_id`, `_sandbox`, `_operation`, `_rule` and `_delivery`. */
    entries: { _id: string; startedDateTime: string; time: number; timings: object }[]
  }
}

export function toHar(records: readonly CallRecord[]): Har {
  const now = { real: wallClock().getTime(), monotonic: monotonic() }
  const creator = { name: manifest.name, version: manifest.version }
  return { log: { version: '1.2', creator, entries: records.map((record) => toHarEntry(record, now)) } }
}

function toHarEntry(record: CallRecord, now: { real: number; monotonic: number }) {
  const { method, path, headers, requestBody, responseHeaders, responseBody } = record
  const { startedAt, endedAt = now.monotonic, firstByteAt = endedAt } = record
  const search = hideInQuery(record.search)
  const request = messageOf(headers, requestBody)
  const postData = contentOf(headers, requestBody)
  const response = messageOf(responseHeaders, responseBody)
  return {
    startedDateTime: new Date(now.real - (now.monotonic - startedAt)).toISOString(),
    time: endedAt - startedAt,
    request: {
      ...request,
      method,
      // Intercepted requests have no `host` header.
      url: `http://${headers['host'] ?? 'gateway.example'}${hideInString(path)}${search}`,
      queryString: [...new URLSearchParams(search)].map(([name, value]) => ({ name, value })),
      ...(postData.text !== '' && { postData }),
    },
    response: {
      ...response,
      status: record.status,
      statusText: '',
      content: { size: response.bodySize, ...contentOf(responseHeaders, responseBody) },
      redirectURL: '',
    },
    cache: {},
    timings: { send: 0, wait: firstByteAt - startedAt, receive: Math.max(0, endedAt - firstByteAt) },
    _id: record.id,
    _sandbox: { id: record.state.id, name: record.state.owner.name ?? null },
    _operation: record.operation ?? null,
    _rule: record.rules.map(ruleLabel).join(', ') || null,
    _delivery: record.delivery,
  }
}

function messageOf(headers: CallRecord['headers'], { bytes, truncatedBytes }: KeptBody) {
  const pairs = Object.entries(hideInValue(headers)).map(([name, value]) => ({ name, value }))
  const bodySize = bytes + truncatedBytes
  return { httpVersion: 'HTTP/1.1', cookies: [], headers: pairs, headersSize: -1, bodySize }
}

function contentOf(headers: CallRecord['headers'], { text, truncatedBytes }: KeptBody) {
  const comment = truncatedBytes > 0 && { comment: `${truncatedBytes} more bytes were not stored` }
  return { mimeType: headers['content-type'] ?? '', text: hideInText(text), ...comment }
}
