/** Schemas for headers in files and options. Only valid HTTP headers are accepted. */
import * as z from 'zod'

export const HeaderValue = z.lazy(() =>
  z
    .string()
    .min(1)
    .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'a header value must be a single line of Latin-1 text'),
)

/** Matches an HTTP method or header name. Spec: RFC 9110, 5.6.2. */
export const httpToken = /^[\w!#$%&'*+.^`|~-]+$/

const framing = new Set(['transfer-encoding', 'trailer'])

export const HeaderRecord = z.lazy(() =>
  z.record(
    z
      .string()
      .regex(httpToken, 'a header name cannot contain spaces or colons')
      .refine((name) => !framing.has(name.toLowerCase()), 'this header is set by the server'),
    HeaderValue,
  ),
)

export function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
