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

/** A duration, an amount of money, a rate. */
export function amount(least = 0) {
  return z.number().min(least).max(largest)
}
