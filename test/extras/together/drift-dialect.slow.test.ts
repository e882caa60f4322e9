/** Drift of Understudy in a dialect: no drift from itself, and the names and fields of the vendor on both sides. */
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

it('the mock of a dialect has the fields that the dialect adds to replies', () => {
  const names = namesIn(apiDocument(gateway as never))
  expect(names).toContain('createResponse reply 200 usage.cost field-removed')
  expect(names).toContain('updateWorkspace reply 200 data.disabled_server_tools field-removed')
})

it('and the names of the vendor', () => {
  const text = JSON.stringify(apiDocument(gateway as never))
  expect(namesIn(JSON.parse(text))).toContain('listBenchmarks request query source value-removed')
  const names = namesIn(
    JSON.parse(
      text.replaceAll('index-source', 'artificial-analysis').replaceAll('design-source', 'design-arena'),
    ),
  )
  expect(names).not.toContain('listBenchmarks request query source value-removed')
})
