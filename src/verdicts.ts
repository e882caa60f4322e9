/**
 * Verdicts: what an application did wrong when a gateway failed. In a Vitest, Jest or Playwright test, importing this
 * entry adds matchers to `expect`.
 */
import type { Evidence, FindingsOf, Judged, VerdictMatchers } from './extras/verdicts/findings.ts'
import { findingsIn, judgeRecovery, withFacts } from './extras/verdicts/findings.ts'
import { judgeLedger } from './extras/verdicts/ledger.ts'
import type { SweepOptions as Options, SweepResult, SweepWork } from './extras/verdicts/sweep.ts'
import { runSweep } from './extras/verdicts/sweep.ts'
import { judgeRequests } from './extras/verdicts/valid-requests.ts'
import { createGateway } from './index.ts'
import { everyOperation, type GatewayOptions, type RequestBodies } from './setup.ts'

export type {
  Evidence,
  Finding,
  FindingName,
  FindingsOf,
  Judged,
  VerdictMatchers,
} from './extras/verdicts/findings.ts'
export type { CountedUsage } from './extras/verdicts/ledger.ts'
export type { SweepResult, SweepRun, SweepTarget, SweepVerdict, SweepWork } from './extras/verdicts/sweep.ts'
export { sweepTable } from './extras/verdicts/sweep-table.ts'

/**
 * Returns what the application did wrong, by name and with the calls that show it; a promise for a remote sandbox.
 *
 * @example findings(sandbox, { result: text }) // [{ name: 'gave-up', message: '…', calls: ['req_…'] }]
 */
export function findings<Sandbox extends Judged>(sandbox: Sandbox, evidence?: Evidence): FindingsOf<Sandbox> {
  return withFacts(sandbox, everyOperation, (facts) => findingsIn(facts, evidence)) as FindingsOf<Sandbox>
}

export interface SweepOptions<Result> extends Options<Result, RequestBodies> {
  /** Options of the gateway. Its `timeScale` is always 0. Default: none. */
  gatewayOptions?: GatewayOptions
}

/**
 * Runs an application twice without faults to learn its calls, then once per call and fault, each in a new sandbox,
 * and judges each run. Waits in the gateway are instant, but waits in the application are real.
 *
 * @param work Runs the application, and returns its outcome.
 * @example const table = sweepTable(await sweep((target) => ask('Hello?', target)))
 */
export function sweep<Result>(
  work: SweepWork<Result, RequestBodies>,
  { gatewayOptions, ...options }: SweepOptions<Result> = {},
): Promise<SweepResult<Result>> {
  return runSweep(createGateway(gatewayOptions), work, options)
}

/** Matchers to add by hand, for runners whose `expect` this module cannot find. */
export const matchers = {
  toHaveRecovered: (received: unknown, evidence?: Evidence) =>
    judgeRecovery(received, evidence, everyOperation),
  toHaveSentValidRequests: judgeRequests,
  toAgreeWithLedger: judgeLedger,
}

// Other processes, such as those that a test starts, inherit the variable, but may lack the package.
const isPlaywright = globalThis.process?.env?.['TEST_WORKER_INDEX'] !== undefined
let runner: object = globalThis
if ('__vitest_worker__' in globalThis) runner = await import('vitest')
else if (isPlaywright) runner = await import('@playwright/test').catch(() => globalThis)
const { expect } = runner as { expect?: { extend?(all: object): void } }
expect?.extend?.(matchers)

declare global {
  namespace jest {
    interface Matchers<R, T> extends VerdictMatchers<R> {}
  }
  namespace PlaywrightTest {
    interface Matchers<R, T> extends VerdictMatchers<Promise<R>> {}
  }
}

declare module 'vitest' {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown>
    extends VerdictMatchers<R> {}
}
