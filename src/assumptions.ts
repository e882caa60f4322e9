/**
 * Assumptions: named choices for behaviour that the specification leaves open, listed in docs/assumptions.md. Replies that
 * depend on assumptions name them in `x-understudy-assumptions`, unless `reported` says otherwise.
 */
import data from './assumptions.json' with { type: 'json' }

export interface Assumption {
  /** Behaviour that the specification leaves open, in the specification's terms. */
  readonly about: string
  /** Behaviour that Understudy implements. */
  readonly choice: string
  /** When, and why, replies name the assumption. Default: whenever they depend on it. */
  readonly reported?: string
}

// A copy, because the published declarations cannot import the file.
const texts = { ...data }

export type AssumptionName = keyof typeof texts

export const assumptions: Readonly<Record<AssumptionName, Assumption>> = texts
