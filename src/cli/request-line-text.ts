/** Formats the request log of `serve`, one line per request. */
import type { RequestLine } from '../server/request-line.ts'

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
