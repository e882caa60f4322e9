/** Drift in a dialect: Understudy does not drift from itself, and both sides use the vendor's names and fields. */
import { beforeAll, expect, it } from 'vitest'
import { apiDocument } from '../../../src/control/documents.ts'
import { readDocument } from '../../../src/extras/recordings/documents.ts'
import { findDrift, nameOf } from '../../../src/extras/recordings/drift.ts'
import { describeDialect, type MockDescription } from '../../../src/extras/recordings/observe.ts'
import { createGateway } from '../../../src/index.ts'

const gateway = createGateway({ dialect: 'openrouter', timeScale: 0 })
let mock: MockDescription
beforeAll(async () => {
  mock = await describeDialect(gateway as never)
})

function namesIn(document: object): string[] {
  return findDrift({ mock, document: readDocument(document), observed: new Map() }).findings.map(nameOf)
}

it('the mock has the fields that a dialect adds to replies', () => {
  const names = namesIn(apiDocument(gateway as never))
  expect(names).toContain('createResponse reply 200 usage.cost field-removed')
  expect(names).toContain('updateWorkspace reply 200 data.disabled_server_tools field-removed')
})

it("uses the vendor's names", () => {
  const text = JSON.stringify(apiDocument(gateway as never))
  expect(namesIn(JSON.parse(text))).toContain('listBenchmarks request query source value-removed')
  const names = namesIn(
    JSON.parse(
      text.replaceAll('index-source', 'artificial-analysis').replaceAll('design-source', 'design-arena'),
    ),
  )
  expect(names).not.toContain('listBenchmarks request query source value-removed')
})
