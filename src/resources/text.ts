/** String schemas shared by several resources. Spec: Limits; ISO 8601 timestamps throughout. */
import * as z from 'zod'

/** Counts Unicode code points, as in JSON Schema. `z.string().max()` would count most emoji as two. */
export function codePoints(min: number, max: number) {
  const rule = (name: string, most: string, count: number) => ({
    error: ({ input }: { input?: unknown }) =>
      `Must have at ${most} ${count} character${count === 1 ? '' : 's'}, has ${countCodePoints(String(input))}`,
    params: { rule: name },
  })
  return z
    .string()
    .refine((text) => countCodePoints(text) >= min, rule('too_small', 'least', min))
    .refine((text) => countCodePoints(text) <= max, { abort: true, ...rule('too_big', 'most', max) })
    .meta(min > 0 ? { minLength: min, maxLength: max } : { maxLength: max })
}

function countCodePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Schema of an ISO 8601 date and time with an offset or, like the result of `Date.toISOString()`, with `Z`. */
export const isoTimestamp = () => z.iso.datetime({ offset: true })

export const urlSafe = () =>
  z.string().regex(/^[A-Za-z0-9._~-]+$/, 'Must be URL-safe: letters, digits, . _ ~ -')

export const webAddress = () => z.url({ protocol: /^https?$/ })
