/** Faults that are applied before the operation runs: they delay the request, or replace or drop the reply. */
import * as z from 'zod'
import { type EnvelopeExtras, envelope, messageOf } from '../http/errors.ts'
import { HeaderRecord, HeaderValue, lowerCase } from '../http/header-record.ts'
import type { HangUp, Reply } from '../http/reply.ts'
import { between, count, Duration } from '../lib/numbers.ts'
import { defineFault, type FaultContext, type RateLimitState } from './fault.ts'

export const replacingFaults = [
  defineFault('latency', 'delay', {
    summary: 'The reply is delayed by a fixed or random time (uniform or log-normal).',
    params: () => ({
      ms: Duration.default(1000).describe('Delay in milliseconds. If `sigma` is set, the median delay.'),
      jitterMs: Duration.default(0).describe('Maximum random extra delay, in milliseconds.'),
      sigma: z
        .number()
        .positive()
        .max(3)
        .optional()
        .describe(
          'If set, the delay has a log-normal distribution with this sigma. 0.5 gives a realistic tail.',
        ),
    }),
    apply({ ms, jitterMs, sigma }, context) {
      const drawn = sigma === undefined ? ms : ms * Math.exp(sigma * normal(context))
      return jitterMs === 0 ? drawn : drawn + jitterMs * context.random()
    },
  }),
  defineFault('timeout', 'replacement', {
    summary: 'The request gets no reply, but the connection stays open.',
    apply: () => noReply('stall'),
  }),
  defineFault('connection-reset', 'replacement', {
    summary:
      'The connection is reset (RST) before any byte of the reply is sent. With MSW and `gateway.fetch`, the `fetch` call rejects.',
    apply: () => noReply('reset'),
  }),
  defineFault('empty-response', 'replacement', {
    summary:
      'The connection closes cleanly (FIN) before any byte is sent. With MSW and `gateway.fetch`, the `fetch` call rejects.',
    apply: () => noReply('end'),
  }),
  defineFault('status', 'replacement', {
    summary: 'An error reply with any 4xx or 5xx status.',
    params: () => ({
      status: statusCode().default(500).describe('HTTP status, 400 to 599. Also sent as `error.code`.'),
      message: z.string().optional().describe('`error.message`. Default: depends on the status.'),
      metadata: anything()
        .optional()
        .describe(
          '`error.metadata`. Default: `error_type` for 402, 403, 408, 422, 429, 502, 503, 524 and 529, otherwise none.',
        ),
      gateway_metadata: anything().optional().describe('`gateway_metadata`, next to `error`. Default: none.'),
      user_id: z.string().nullable().optional().describe('`user_id`, next to `error`. Default: none.'),
      headers: HeaderRecord.default({}).describe(
        'Additional headers. Default headers are `WWW-Authenticate` for 401, `Retry-After` for 429 and 503, and `X-RateLimit-*` for 429.',
      ),
    }),
    apply({ status, message, headers, ...extras }, { rateLimit }) {
      const own = lowerCase(headers)
      const waitMs = Number(own['retry-after'] ?? 1) * 1000
      const usual = usualHeaders(status, rateLimit ?? spent(waitMs >= 0 ? waitMs : 1000))
      return refusal(status, message, { ...extras, headers: { ...usual, ...own } })
    },
  }),
  defineFault('rate-limit', 'replacement', {
    summary: "A 429 with `Retry-After` and `X-RateLimit-*`, taken from the rule's `rateLimit` if it has one.",
    params: () => ({
      message: z.string().optional().describe('`error.message`. Default: Rate limit exceeded.'),
      limit: count().default(60).describe('`X-RateLimit-Limit`, if the rule has no `rateLimit`.'),
      retryAfterMs: Duration.default(1000).describe(
        'Milliseconds until the limit resets, if the rule has no `rateLimit`.',
      ),
    }),
    apply({ message, limit, retryAfterMs }, { rateLimit = spent(retryAfterMs, limit) }) {
      return refusal(429, message, { headers: usualHeaders(429, rateLimit) })
    },
  }),
  defineFault('retry-after-date', 'replacement', {
    summary:
      'An error reply whose `Retry-After` is an HTTP date, `ms` after its `Date` header. Both headers use sandbox time. A client that compares the date with real time sees a date in the past, unless the gateway uses `clock: "system"` or the test mocks the time.',
    params: () => ({
      status: z
        .union([z.literal(429), z.literal(503)])
        .default(429)
        .describe("The reply's HTTP status."),
      ms: Duration.default(2000).describe(
        'Milliseconds from the request to the `Retry-After` date, rounded up to whole seconds, if the rule has no `rateLimit`.',
      ),
    }),
    apply({ status, ms }, { now, rateLimit = spent(ms) }) {
      const headers = {
        ...usualHeaders(status, rateLimit),
        date: new Date(now).toUTCString(),
        'retry-after': new Date(now + Math.ceil(rateLimit.resetMs / 1000) * 1000).toUTCString(),
      }
      return refusal(status, undefined, { headers })
    },
  }),
  defineFault('malformed-body', 'replacement', {
    summary: 'A 200 with `Content-Type: application/json` whose body is not JSON.',
    params: () => ({ body: z.string().default('{"data":[{"id":').describe('The raw body.') }),
    apply: ({ body }) => text(200, 'application/json', body),
  }),
  defineFault('html-error-page', 'replacement', {
    summary: 'An HTML error page from an intermediate proxy.',
    params: () => ({ status: statusCode().default(502).describe("The reply's HTTP status.") }),
    apply({ status }) {
      const title = `${status} ${reasonPhrases[status] ?? reasonPhrases[status - (status % 100)]}`
      const page = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`
      return text(status, 'text/html', page)
    },
  }),
  defineFault('random-bytes', 'replacement', {
    summary: 'A 200 with random bytes that are not valid UTF-8. The same seed gives the same bytes.',
    params: () => ({
      bytes: between(1, 1024 * 1024)
        .default(1024)
        .describe('Body length in bytes.'),
      contentType: HeaderValue.default('application/json').describe('`Content-Type` to send.'),
    }),
    apply({ bytes, contentType }, context) {
      const body = Uint8Array.from({ length: bytes }, () => context.random() * 256)
      // This byte never occurs in UTF-8.
      body[0] = 0xff
      return text(200, contentType, body)
    },
  }),
  defineFault('empty-body', 'replacement', {
    summary: 'A successful reply without a body: a 200 with `Content-Length: 0`, or a 204.',
    params: () => ({
      status: z
        .union([z.literal(200), z.literal(204)])
        .default(200)
        .describe("The reply's HTTP status."),
    }),
    apply({ status }) {
      const headers = { 'content-type': 'application/json', 'content-length': '0' }
      return { status, headers: status === 204 ? {} : headers, body: { kind: 'none' } }
    },
  }),
  defineFault('error-body-in-200', 'replacement', {
    summary: 'A 200 with an error envelope, as sent by gateways that fail after starting to reply.',
    params: () => ({
      code: statusCode().default(502).describe('`error.code`.'),
      message: z.string().optional().describe('`error.message`. Default: depends on the code.'),
    }),
    apply: ({ code, message }) => ({ ...refusal(code, message, {}), status: 200 }),
  }),
] as const

const statusCode = () => between(400, 599)
const anything = () => z.record(z.string(), z.json()).nullable()

/** Draws from a standard normal distribution (Box–Muller). */
function normal(context: FaultContext): number {
  return Math.sqrt(-2 * Math.log(1 - context.random())) * Math.cos(2 * Math.PI * context.random())
}

export function noReply(how: HangUp): Reply {
  return { status: 0, headers: {}, body: { kind: 'hang-up', how } }
}

/** Creates an error reply. Omitted parts default to what real gateways send. */
function refusal(status: number, message: string | undefined, extras: EnvelopeExtras): Reply {
  const errorType = errorTypes[status]
  const metadata = extras.metadata === undefined && errorType ? { error_type: errorType } : extras.metadata
  return envelope(status, message ?? messages[status] ?? messageOf(status), { ...extras, metadata })
}

/** Default messages, where they differ from those of Understudy's own errors. */
const messages: Record<number, string> = { 401: 'Invalid API key', 410: 'Gone' }

const errorTypes: Record<number, string> = {
  402: 'payment_required',
  403: 'permission_denied',
  408: 'timeout',
  422: 'unprocessable',
  429: 'rate_limit_exceeded',
  502: 'provider_unavailable',
  503: 'provider_unavailable',
  524: 'timeout',
  529: 'provider_overloaded',
}

function spent(resetMs: number, limit = 60): RateLimitState {
  return { limit, remaining: 0, resetMs }
}

/** Returns the headers that gateways usually send with a status. */
function usualHeaders(status: number, rateLimit: RateLimitState): Record<string, string> {
  const wait = { 'retry-after': seconds(rateLimit.resetMs) }
  if (status === 401) return { 'www-authenticate': 'Bearer' }
  if (status === 429) return { ...rateLimitHeaders(rateLimit), ...wait }
  return status === 503 ? wait : {}
}

/** Like `Retry-After`, `X-RateLimit-Reset` is in seconds from now, because clocks may differ. */
export function rateLimitHeaders(state: RateLimitState): Record<string, string> {
  const headersOf = (unit: string, part: RateLimitState['tokens']) =>
    part && {
      [`x-ratelimit-limit${unit}`]: String(part.limit),
      [`x-ratelimit-remaining${unit}`]: String(part.remaining),
    }
  const reset = { 'x-ratelimit-reset': seconds(state.resetMs) }
  const units = { ...headersOf('-requests', state.requests), ...headersOf('-tokens', state.tokens) }
  return { ...headersOf('', state), ...reset, ...units }
}

/** Rounds up to whole seconds, so that clients wait long enough. */
function seconds(ms: number): string {
  return String(Math.ceil(ms / 1000))
}

function text(status: number, contentType: string, bytes: string | Uint8Array): Reply {
  return {
    status,
    headers: { 'content-type': contentType },
    body: { kind: 'frames', frames: [{ kind: 'bytes', bytes }] },
  }
}

/** Reason phrases on nginx error pages. Other statuses use a phrase for their class. */
const reasonPhrases: Record<number, string> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Time-out',
  413: 'Request Entity Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Temporarily Unavailable',
  504: 'Gateway Time-out',
}
