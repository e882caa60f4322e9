/** String schemas shared by several resources. Spec: Limits; ISO 8601 timestamps throughout. */
import * as z from 'zod'

/** Counts Unicode code points, as in JSON Schema. For most emoji, `z.string().max()` would count two. */
export function codePoints(min: number, max: number) {
  return z
    .string()
    .check(({ value, issues }) => {
      const length = countCodePoints(value)
      const issue = { origin: 'string', input: value, continue: true } as const
      if (length < min) {
        const message = `Must have at least ${characters(min)}, has ${length}`
        issues.push({ ...issue, code: 'too_small', minimum: min, message })
      }
      if (length > max) {
        const message = `Must have at most ${characters(max)}, has ${length}`
        issues.push({ ...issue, code: 'too_big', maximum: max, message })
      }
    })
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

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`
}
