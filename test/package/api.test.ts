/**
 * Compares each entry's API with the report in `api/`. After an intended change: `npx vitest run -u --project
 * slow test/package/api`.
 */
import { beforeAll, it } from 'vitest'
import { expectFile } from '../golden/expect-golden.ts'
import { loadPlainTypes } from '../tools/build/plain-types.ts'
import { apiReports, entries } from './api-report.ts'

let reports: ReadonlyMap<string, string>
beforeAll(async () => {
  reports = apiReports(entries, await loadPlainTypes())
})

it.each(entries)('%s exports the API in its report', async (entry) => {
  await expectFile(reports.get(entry) ?? '', new URL(`api/${entry}.txt`, import.meta.url))
})
