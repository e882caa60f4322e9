/** Types of the extra's matchers. */
import type { Evidence } from './findings.ts'
import type { CountedUsage } from './ledger.ts'

/** Matchers of `expect`. `Result` is a promise in Playwright. */
export interface VerdictMatchers<Result> {
  /**
   * Asserts that the application has made no mistake: none of the findings applies, and none lacks evidence.
   *
   * @example expect(sandbox).toHaveRecovered({ result })
   */
  toHaveRecovered(evidence?: Evidence): Result
  /**
   * Asserts that no request was invalid, or broke a rule of the vendors that `docs/assumptions.md` lists.
   *
   * @example expect(sandbox).toHaveSentValidRequests()
   */
  toHaveSentValidRequests(): Result
  /**
   * Asserts that the application counted tokens and cost like `sandbox.usage()`. If not, names the mistake that explains
   * a difference exactly. Fields that are not given are not compared.
   *
   * @example expect(sandbox).toAgreeWithLedger({ inputTokens, outputTokens, costUsd })
   */
  toAgreeWithLedger(counted: CountedUsage): Result
}
