/** Adds Vitest tests that run an application with faults and fail if it does not survive them. */
import type { GatewayCore } from '../../gateway/gateway.ts'
import { print } from '../../lib/print.ts'
import { shown } from '../../lib/schema-messages.ts'
import type { SweepOptions, SweepWork } from './sweep.ts'

export interface SurvivalOptions<Result> extends SweepOptions<Result> {
  /** Titles of known bad runs, as printed by the test. The test fails for an outdated title. Default: none. */
  accepted?: readonly string[]
}

interface Fixtures {
  readonly gateway: GatewayCore
  readonly task: { readonly meta: object }
}

type Test = (name: string, run: (fixtures: Fixtures) => Promise<void>, timeoutMs: number) => void

const timeoutMs = 300_000
const failing = /^(?:silent|hung|crashed|duplicated)$/

/**
 * Adds a test that runs the application once per call and fault, like `sweep()` in `gateway-understudy/verdicts`, with
 * the file's gateway. Prints a table, and fails if a run is silent, hung, crashed or duplicated.
 *
 * @example test.survives('the chat', ({ baseUrl, apiKey }) => ask('Hello?', { baseUrl, apiKey }))
 */
export function survives<Result>(
  this: Test,
  name: string,
  work: SweepWork<Result, Record<string, unknown>>,
  { accepted = [], ...options }: SurvivalOptions<Result> = {},
): void {
  if (typeof work !== 'function')
    throw new TypeError(`test.survives() expects a name and a function, got ${shown(work)}`)
  const run = async ({ gateway, task }: Fixtures) => {
    // The test's own sandbox has no calls to report.
    Object.assign(task.meta, { isSweep: true })
    const { runSweep } = await import('./sweep.ts')
    const { sweepTable, titleOf } = await import('./sweep-table.ts')
    const result = await runSweep(gateway, work, options)
    const bad = result.runs.filter(({ verdict, isDetectable }) => isDetectable && failing.test(verdict))
    const titles = bad.map(titleOf)
    const outdated = accepted.filter((title) => !titles.includes(title))
    const lines = outdated.map((title) => `accepted has '${title}', which no longer occurs: remove it`)
    const { length } = titles.filter((title) => !accepted.includes(title))
    if (length > 0) lines.push(`${length} of ${result.runs.length} runs failed`)
    const table = sweepTable(result)
    if (lines.length > 0) throw new Error(`${lines.join('\n')}\n${table}`)
    print(`[understudy] ${name} survives ${result.runs.length} runs\n${table}`)
  }
  this(name, run, timeoutMs)
}
