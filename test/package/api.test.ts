/**
 * Compares each entry's API with the report in `api/`. After an intended change: `npx vitest run -u --project
 * slow test/package/api`.
 */
import { beforeAll, expect, it } from 'vitest'
import { loadPlainTypes } from '../tools/build/plain-types.ts'
import { apiReports, entries } from './api-report.ts'

let reports: ReadonlyMap<string, string>
beforeAll(async () => {
  reports = apiReports(entries, await loadPlainTypes())
})

it.each(entries)('%s exports the API in its report', async (entry) => {
  await expect(reports.get(entry)).toMatchFileSnapshot(`api/${entry}.txt`)
})
