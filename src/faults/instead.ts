/**
 * Faults instead of the answer: the operation is not asked, and something else is sent.
 */
import * as z from 'zod'
import { type EnvelopeExtras, envelope, messageOf } from '../http/errors.ts'
import { HeaderRecord, HeaderValue, lowerCase } from '../http/header-record.ts'
import { json, type Reply } from '../http/reply.ts'
import { defineFault, type Part, type QuotaReading } from './fault.ts'

const statusCode = () => z.int().min(400).max(599)
const anything = () => z.record(z.string(), z.json()).nullable()

/** Another answer than the operation's own, in the form of an error or of a whole body. */
const another: { needs: readonly Part[]; decides: readonly Part[]; removes: readonly Part[] } = {
  needs: ['reply'],
  decides: ['answer'],
  removes: ['own', 'stream'],
}
const unreadable = {
  ...another,
  needs: [...another.needs, 'body'] as readonly Part[],
  removes: [...another.removes, 'json'] as readonly Part[],
}

export const status = defineFault({
  name: 'status',
  layer: 'request',
  summary: 'The error envelope with any 4xx or 5xx status.',
  ...another,
  params: () =>
    z.strictObject({
      status: statusCode().default(500).describe('400 to 599; it is `error.code` too.'),
      message: z.string().optional().describe('`error.message`. Default: the usual one of the status.'),
      metadata: anything()
        .optional()
        .describe(
          '`error.metadata`. Default: the `error_type` of 429, 502, 503, 524 and 529, none otherwise.',
        ),
      gateway_metadata: anything().optional().describe('`gateway_metadata`, beside `error`. Default: none.'),
      user_id: z.string().nullable().optional().describe('`user_id`, beside `error`. Default: none.'),
      headers: HeaderRecord.default({}).describe(
        'On top of the usual ones: `WWW-Authenticate` of a 401, `Retry-After` of a 429 and a 503, `X-RateLimit-*` of a 429.',
      ),
    }),
  apply({ status, message, headers, ...extras }, { quota }) {
    return refusal(status, message, {
      ...extras,
      headers: { ...usualHeaders(status, quota), ...lowerCase(headers) },
    })
  },
})

export const rateLimit = defineFault({
  name: 'rate-limit',
  layer: 'request',
  summary: 'A 429 with `Retry-After` and `X-RateLimit-*`, which count when the rule has a quota.',
  ...another,
  params: () =>
    z.strictObject({
      message: z.string().optional().describe('`error.message`. Default: Rate limit exceeded.'),
      limit: z.int().min(0).default(60).describe('`X-RateLimit-Limit`, for a rule without a quota.'),
      retryAfterMs: z.number().min(0).default(1000).describe('Milliseconds, for a rule without a quota.'),
    }),
  apply({ message, limit, retryAfterMs }, { quota = { limit, remaining: 0, resetMs: retryAfterMs } }) {
    return refusal(429, message, { headers: usualHeaders(429, quota) })
  },
})

export const retryAfterDate = defineFault({
  name: 'retry-after-date',
  layer: 'request',
  summary:
    'A refusal whose `Retry-After` is a date, so long after its `Date`. Both are sandbox time: a client that compares it with the clock of its machine finds a date in the past and waits as long as it likes, unless the gateway runs with `clock: "system"` or the test sets the machine’s clock.',
  ...another,
  needs: ['reply', 'headers'],
  params: () =>
    z.strictObject({
      status: z
        .union([z.literal(429), z.literal(503)])
        .default(429)
        .describe('Its status.'),
      ms: z
        .number()
        .min(0)
        .default(2000)
        .describe('Milliseconds from the request to the date, to the second.'),
    }),
  apply({ status, ms }, { now, quota }) {
    const headers = {
      ...usualHeaders(status, quota),
      date: httpDate(now),
      'retry-after': httpDate(now + Math.ceil(ms / 1000) * 1000),
    }
    return refusal(status, undefined, { headers })
  },
})

export const malformedBody = defineFault({
  name: 'malformed-body',
  layer: 'request',
  summary: 'A 200 that says it is JSON and is not.',
  ...unreadable,
  params: () =>
    z.strictObject({ body: z.string().default('{"data":[{"id":').describe('The body as it is sent.') }),
  apply: ({ body }) => text(200, 'application/json', body),
})

export const htmlErrorPage = defineFault({
  name: 'html-error-page',
  layer: 'request',
  summary: 'The HTML error page of a proxy in between.',
  ...unreadable,
  params: () => z.strictObject({ status: statusCode().default(502).describe('Its status.') }),
  apply({ status }) {
    const title = `${status} ${reasonPhrases[status] ?? (status < 500 ? 'Bad Request' : 'Internal Server Error')}`
    const page = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`
    return text(status, 'text/html', page)
  },
})

export const randomBytes = defineFault({
  name: 'random-bytes',
  layer: 'request',
  summary: 'A 200 whose body is random bytes, not even UTF-8: the same for the same seed and call.',
  ...unreadable,
  params: () =>
    z.strictObject({
      bytes: z
        .int()
        .min(1)
        .max(1024 * 1024)
        .default(1024)
        .describe('How many.'),
      contentType: HeaderValue.default('application/json').describe('The `Content-Type`, which lies.'),
    }),
  apply({ bytes, contentType }, context) {
    const body = Uint8Array.from({ length: bytes }, () => context.random() * 256)
    // No character of UTF-8 begins with this byte.
    body[0] = 0xff
    return text(200, contentType, body)
  },
})

export const emptyBody = defineFault({
  name: 'empty-body',
  layer: 'request',
  summary: 'A success without a body: a 200 with `Content-Length: 0`, or a 204.',
  ...another,
  removes: [...another.removes, 'json', 'body', 'tail', 'chunks', 'encoding', 'length'],
  params: () =>
    z.strictObject({
      status: z
        .union([z.literal(200), z.literal(204)])
        .default(200)
        .describe('Its status.'),
    }),
  apply({ status }): Reply {
    const headers = { 'content-type': 'application/json', 'content-length': '0' }
    return { status, headers: status === 204 ? {} : headers, body: { kind: 'none' } }
  },
})

export const errorBodyIn200 = defineFault({
  name: 'error-body-in-200',
  layer: 'request',
  summary: 'The error envelope under the status 200, as gateways send that have already begun to answer.',
  ...another,
  needs: ['reply', 'body'],
  params: () =>
    z.strictObject({
      code: statusCode().default(502).describe('`error.code`.'),
      message: z.string().optional().describe('`error.message`. Default: the usual one of the code.'),
    }),
  apply({ code, message }) {
    const { body } = refusal(code, message, {})
    return body.kind === 'json' ? json(200, body.value) : { status: 200, headers: {}, body }
  },
})

/** The envelope with what the real thing says in it where a rule says nothing. */
function refusal(status: number, message: string | undefined, extras: EnvelopeExtras): Reply {
  const errorType = errorTypes[status]
  const metadata = extras.metadata === undefined && errorType ? { error_type: errorType } : extras.metadata
  return envelope(status, message ?? messages[status] ?? messageOf(status), { ...extras, metadata })
}

/** Where a rule's refusal means something else than the double's own of the same status. */
const messages: Record<number, string> = { 401: 'Invalid API key', 410: 'Gone' }

/** What a provider, or a limit, is said to have done. */
const errorTypes: Record<number, string> = {
  429: 'rate_limit_exceeded',
  502: 'provider_unavailable',
  503: 'provider_unavailable',
  524: 'timeout',
  529: 'provider_overloaded',
}

/** What a refusal that passes says of the wait. Default: one second, of 60 calls none left. */
function usualHeaders(
  status: number,
  quota: QuotaReading = { limit: 60, remaining: 0, resetMs: 1000 },
): Record<string, string> {
  const wait = { 'retry-after': seconds(quota.resetMs) }
  if (status === 401) return { 'www-authenticate': 'Bearer' }
  if (status === 429) return { ...quotaHeaders(quota), ...wait }
  return status === 503 ? wait : {}
}

/** State of a quota. `X-RateLimit-Reset` is in seconds from now, as `Retry-After`: a fixed clock has no now to share. */
export function quotaHeaders({
  limit,
  remaining,
  resetMs,
  requests,
  tokens,
}: QuotaReading): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': seconds(resetMs),
    ...(requests && {
      'x-ratelimit-limit-requests': String(requests.limit),
      'x-ratelimit-remaining-requests': String(requests.remaining),
    }),
    ...(tokens && {
      'x-ratelimit-limit-tokens': String(tokens.limit),
      'x-ratelimit-remaining-tokens': String(tokens.remaining),
    }),
  }
}

/** Whole seconds, rounded up: who waits so long has waited long enough. */
function seconds(ms: number): string {
  return String(Math.ceil(ms / 1000))
}

/** `Thu, 01 Jan 2026 00:00:02 GMT`. RFC 9110, 5.6.7. */
function httpDate(ms: number): string {
  return new Date(ms).toUTCString()
}

function text(status: number, contentType: string, bytes: string | Uint8Array): Reply {
  return {
    status,
    headers: { 'content-type': contentType },
    body: { kind: 'frames', frames: [{ kind: 'bytes', bytes }] },
  }
}

/** As nginx prints them on its pages; 524 and 529 are those of the vendors that send them. */
const reasonPhrases: Record<number, string> = {
  400: 'Bad Request',
  401: 'Authorization Required',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Not Allowed',
  408: 'Request Time-out',
  409: 'Conflict',
  410: 'Gone',
  413: 'Request Entity Too Large',
  414: 'Request-URI Too Large',
  415: 'Unsupported Media Type',
  421: 'Misdirected Request',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Temporarily Unavailable',
  504: 'Gateway Time-out',
  505: 'HTTP Version Not Supported',
  507: 'Insufficient Storage',
  524: 'A Timeout Occurred',
  529: 'Site is Overloaded',
}
