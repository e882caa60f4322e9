import { expect, it } from 'vitest'
import type { CallRecord } from '../../src/journal/call-record.ts'
import { dryRun } from '../../src/journal/dry-run.ts'
import { checkScenario } from '../../src/scenarios/check-scenario.ts'

it('dryRun() measures elapsed time from the first call, multiplied by timeScale', () => {
  const records = [1000, 1049, 1050].map(
    (startedAt) => ({ id: String(startedAt), startedAt, method: 'GET', route: '/' }) as CallRecord,
  )
  const scenario = checkScenario(
    { name: 'late', rules: [{ on: '*', during: { fromMs: 100 }, fault: 'status' }] },
    { operations: [] },
  )
  expect(dryRun(scenario, records, { seed: 1, timeScale: 2, protocolOf: () => undefined })).toEqual({
    looked: 3,
    met: 1,
    rules: [{ rule: 1, met: 1 }],
    calls: [{ id: '1050', rule: 1 }],
  })
})
