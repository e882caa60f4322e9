/**
 * Numbers in files and options, within bounds: what is computed from them stays a number, a date and a time.
 */
import * as z from 'zod'

/** As milliseconds, 31 years. */
const largest = 1e12

/** An integer. */
export function count(least = 0) {
  return z.int().min(least).max(largest)
}

/** Milliseconds, or a number with its unit. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

const inMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const withUnit = /^(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)$/

const wrongDuration = "give milliseconds, or a duration: '500ms', '10s', '1m'"

/** A duration in milliseconds, or as `'500ms'`, `'10s'`, `'1m'`, `'1h'` or `'1d'`; parses to milliseconds. */
export const Duration = z.lazy(() =>
  z
    .union([
      z.number(),
      z
        .templateLiteral([z.number(), z.enum(['ms', 's', 'm', 'h', 'd'])], { error: wrongDuration })
        .transform(toMilliseconds),
    ])
    .refine((ms) => ms >= 0 && ms <= largest, { error: wrongDuration }),
)

/** Returns the milliseconds of a duration; NaN for any other value. */
export function toMilliseconds(value: unknown): number {
  if (typeof value === 'number') return value
  const [, number, unit = ''] = withUnit.exec(String(value)) ?? []
  return Number(number) * (inMs[unit] ?? Number.NaN)
}

/** An amount of money, a rate. */
export function amount(least = 0) {
  return z.number().min(least).max(largest)
}
