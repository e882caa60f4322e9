/**
 * Faults instead of the answer: the operation is not asked, and something else is sent.
 */
import * as z from 'zod'
import { envelope, messageOf } from '../http/errors.ts'
import { HeaderRecord, lowerCase } from '../http/header-record.ts'
import type { Reply } from '../http/reply.ts'
import { defineFault, type QuotaReading } from './fault.ts'

const statusCode = () => z.int().min(400).max(599)
const anything = () => z.record(z.string(), z.json()).nullable()

export const status = defineFault({
  name: 'status',
  family: 'instead',
  summary: 'The error envelope with any 4xx or 5xx status.',
  params: () =>
    z.strictObject({
      status: statusCode().default(500),
      message: z.string().optional().describe('`error.message`. Default: the usual one of the status.'),
      metadata: anything().optional().describe('`error.metadata`.'),
      gateway_metadata: anything().optional(),
      user_id: z.string().nullable().optional(),
      headers: HeaderRecord.default({}).describe(
        'On top of the usual ones: `Retry-After` of a 429 and a 503, `X-RateLimit-*` of a 429.',
      ),
    }),
  apply({ status, message, headers, ...extras }, { quota }) {
    return envelope(status, message ?? messageOf(status), {
      ...extras,
      headers: { ...usualHeaders(status, quota), ...lowerCase(headers) },
    })
  },
})

export const rateLimit = defineFault({
  name: 'rate-limit',
  family: 'instead',
  summary: 'A 429 with `Retry-After` and `X-RateLimit-*`, which count when the rule has a quota.',
  params: () =>
    z.strictObject({
      message: z.string().optional().describe('`error.message`. Default: Rate limit exceeded.'),
      limit: z.int().min(0).default(60).describe('`X-RateLimit-Limit`, for a rule without a quota.'),
      retryAfterMs: z.number().min(0).default(1000).describe('Milliseconds, for a rule without a quota.'),
    }),
  apply({ message, limit, retryAfterMs }, { quota = { limit, remaining: 0, resetMs: retryAfterMs } }) {
    return envelope(429, message ?? messageOf(429), {
      metadata: { error_type: 'rate_limit_exceeded' },
      headers: usualHeaders(429, quota),
    })
  },
})

export const malformedBody = defineFault({
  name: 'malformed-body',
  family: 'instead',
  summary: 'A 200 that says it is JSON and is not.',
  params: () => z.strictObject({ body: z.string().default('{"data":[{"id":') }),
  apply: ({ body }) => text(200, 'application/json', body),
})

export const htmlErrorPage = defineFault({
  name: 'html-error-page',
  family: 'instead',
  summary: 'The HTML error page of a proxy in between.',
  params: () => z.strictObject({ status: statusCode().default(502) }),
  apply({ status }) {
    const title = `${status} ${messageOf(status)}`
    const page = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`
    return text(status, 'text/html', page)
  },
})

export const randomBytes = defineFault({
  name: 'random-bytes',
  family: 'instead',
  summary: 'A 200 whose body is random bytes, the same for the same seed and call.',
  params: () =>
    z.strictObject({
      bytes: z
        .int()
        .min(1)
        .max(1024 * 1024)
        .default(1024),
      contentType: z.string().default('application/json'),
    }),
  apply({ bytes, contentType }, { random }) {
    return text(
      200,
      contentType,
      Uint8Array.from({ length: bytes }, () => random() * 256),
    )
  },
})

/** What a refusal that passes says of the wait. Default: one second, of 60 calls none left. */
function usualHeaders(status: number, quota: QuotaReading = { limit: 60, remaining: 0, resetMs: 1000 }) {
  const wait = { 'retry-after': seconds(quota.resetMs) }
  if (status === 429) return { ...quotaHeaders(quota), ...wait }
  return status === 503 ? wait : {}
}

/** Where a quota stands. `X-RateLimit-Reset` is in seconds from now, as `Retry-After`: a fixed clock has no now to share. */
export function quotaHeaders({ limit, remaining, resetMs }: QuotaReading): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': seconds(resetMs),
  }
}

/** Whole seconds, rounded up: who waits so long has waited long enough. */
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
