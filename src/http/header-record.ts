/**
 * Headers that a person writes down: only what an HTTP message can carry.
 */
import * as z from 'zod'

export const HeaderValue = z.lazy(() =>
  z
    .string()
    .min(1)
    .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'a header value is one line of Latin-1'),
)

/** Methods, and names of headers. Spec: RFC 9110, 5.6.2. */
export const httpToken = /^[\w!#$%&'*+.^`|~-]+$/

const framing = new Set(['transfer-encoding', 'trailer'])

export const HeaderRecord = z.lazy(() =>
  z.record(
    z
      .string()
      .regex(httpToken, 'a header name has no spaces or colons')
      .refine((name) => !framing.has(name.toLowerCase()), 'the server itself says how it frames a body'),
    HeaderValue,
  ),
)

/** The same headers with their names in lower case. */
export function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
