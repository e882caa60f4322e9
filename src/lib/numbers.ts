/** Number schemas, bounded so that arithmetic on the values yields valid numbers and dates. */
import * as z from 'zod'
import { mustBe } from './schema-messages.ts'

/** Upper bound for all numbers; in milliseconds, it is 31 years. */
const largest = 1e12

export function count(least = 0) {
  return z.int().min(least).max(largest)
}

/** Milliseconds, or a number with a unit: `'500ms'`, `'10s'`, `'1m'`, `'1h'`, `'1d'`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

const inMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const withUnit = /^(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)$/

const wrongDuration = "milliseconds, or a duration such as '500ms', '10s' or '1m'"

export const Duration = z.lazy(() => duration(0))
export const PositiveDuration = z.lazy(() => duration(1))
/** The length of a window. A positive number under 1000 probably lacks its unit. */
export const WindowLength = z.lazy(() => {
  const error = ({ input }: { input?: unknown }) =>
    `Needs a unit, got ${input}: write '${input}s' or '${input}ms'`
  return duration(
    1,
    z.number().refine((ms) => ms <= 0 || ms >= 1000, { error }),
  )
})

const duration = (least: number, bare = z.number()) =>
  z
    .union(
      [
        bare,
        z
          .templateLiteral([z.number(), z.enum(['ms', 's', 'm', 'h', 'd'])], mustBe(wrongDuration))
          .transform(toMilliseconds),
      ],
      mustBe(wrongDuration),
    )
    .refine(
      (ms) => ms >= least && ms <= largest,
      mustBe(least === 0 ? wrongDuration : wrongDuration.replace('milliseconds', 'at least 1 millisecond')),
    )

export function between(least: number, most: number) {
  const error = mustBe(`${least} to ${most}`)
  return z.int(error).min(least, error).max(most, error)
}

/** Returns NaN for an invalid duration. */
export function toMilliseconds(value: unknown): number {
  if (typeof value === 'number') return value
  const [, number, unit = ''] = withUnit.exec(String(value)) ?? []
  return Number(number) * Number(inMs[unit])
}
