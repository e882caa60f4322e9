/**
 * Tests drift with a dialect: both sides use the vendor's names and fields, and the list of known differences
 * explains every difference from the vendor's document, but none of the changes that a test makes to it.
 */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { apiDocument } from '../../../src/control/documents.ts'
import { bundledDialects, type DialectName } from '../../../src/extras/dialects/index.ts'
import { readDocument } from '../../../src/extras/recordings/documents.ts'
import { findDrift, nameOf } from '../../../src/extras/recordings/drift.ts'
import { grouped } from '../../../src/extras/recordings/drift-report.ts'
import { explain } from '../../../src/extras/recordings/known-differences.ts'
import { describeMock, type MockDescription } from '../../../src/extras/recordings/observe.ts'
import type { KnownDifferences } from '../../../src/gateway/extra.ts'
import type { GatewayCore } from '../../../src/gateway/gateway.ts'
import { createGateway } from '../../../src/index.ts'
import { startServer } from '../../../src/serve.ts'
import { call } from '../../call.ts'
import { runCommand } from '../../cli/run-command.ts'

// The gateway's public type hides the operations and the dialect.
const gateway = createGateway({ dialect: 'openrouter', timeScale: 0 }) as unknown as GatewayCore
let mock: MockDescription
let known: readonly KnownDifferences[]
beforeAll(async () => {
  mock = await describeMock(gateway)
  known = (await gateway.dialect?.differences?.()) ?? []
})

function namesIn(document: object): string[] {
  return findDrift({ mock, document: readDocument(document), observed: new Map() }).findings.map(nameOf)
}

it('the mock has the fields that a dialect adds to replies', () => {
  const names = namesIn(apiDocument())
  expect(names).toContain('createResponse reply 200 usage.cost field-removed')
  expect(names).toContain('updateWorkspace reply 200 data.disabled_server_tools field-removed')
  expect(names).toContain('createResponse reply 400 gateway_metadata field-added')
})

it("the mock uses the vendor's names", () => {
  const text = JSON.stringify(apiDocument())
  expect(namesIn(JSON.parse(text))).toContain('listBenchmarks request query source value-removed')
  const names = namesIn(
    JSON.parse(
      text.replaceAll('index-source', 'artificial-analysis').replaceAll('design-source', 'design-arena'),
    ),
  )
  expect(names).not.toContain('listBenchmarks request query source value-removed')
})

describe("Understudy's own document", () => {
  it.each([undefined, ...Object.keys(bundledDialects)])('has no drift with the dialect %s', async (name) => {
    const flags = name === undefined ? [] : ['--dialect', name]
    await using server = await startServer({ dialect: name as DialectName })
    const spec = `${server.url}/openapi.json`
    expect(await runCommand('drift', '--spec', spec, '--fail-on', 'any', ...flags)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^No drift in \d+ document operations\n$/),
    })
    const printed = await runCommand('openapi', ...flags)
    expect(JSON.parse(printed.stdout)).toEqual(
      (await call({ baseUrl: server.url }, 'GET /openapi.json')).body,
    )
  })
})

// biome-ignore lint/suspicious/noExplicitAny: the document is changed in every place
type Any = any

/** The vendor's document of 2026-08-22, without descriptions and examples. */
const file = new URL('../dialects/openrouter-document.json', import.meta.url)
const vendorDocument = (): Any => JSON.parse(readFileSync(file, 'utf8'))

function unexplained(document: Any): string[] {
  const { findings } = findDrift({ mock, document: readDocument(document), observed: new Map() })
  return grouped(explain(findings, known).findings).map(
    ({ severity, name, message }) => `${severity} ${name}: ${message}`,
  )
}

describe("the vendor's document", () => {
  it('has no differences without a reason, and no reasons without a difference', () => {
    const document = readDocument(vendorDocument())
    const { findings } = findDrift({ mock, document, observed: new Map() })
    const { findings: left, explained, unused } = explain(findings, known)
    expect(left.map(nameOf)).toEqual([])
    expect(unused).toEqual([])
    expect(explained.map(({ reason }) => reason)).toEqual(known.map(({ reason }) => reason))
  })

  const schemas = (document: Any) => document.components.schemas
  const changes: [string, (document: Any) => void, string][] = [
    [
      'an optional field',
      (d) => {
        schemas(d).Model.properties.vibes = { type: 'string' }
      },
      'additive Model.vibes field-added: is new',
    ],
    [
      'a field that may be absent',
      (d) => {
        const { required } = schemas(d).Model
        required.splice(required.indexOf('canonical_slug'), 1)
      },
      'breaking Model.canonical_slug field-optional: may be absent',
    ],
    [
      'another type of an output item',
      (d) => {
        schemas(d).Sculpture = {
          type: 'object',
          properties: { type: { const: 'sculpture_call' } },
          required: ['type'],
        }
        schemas(d).OutputItems.oneOf.push({ $ref: '#/components/schemas/Sculpture' })
      },
      'additive createResponse stream [response.output_item.added].item variant-added: may be of type sculpture_call',
    ],
    [
      'another plugin engine',
      (d) => void schemas(d).ContextCompressionEngine.enum.push('outside-in'),
      'additive * request plugins[].engine value-added: may be "outside-in"',
    ],
    [
      'a required request field',
      (d) => {
        schemas(d).ResponsesRequest.required = ['model']
      },
      'breaking createResponse request model field-required: is required',
    ],
    [
      'a removed request field',
      (d) => void delete schemas(d).ResponsesRequest.properties.temperature,
      'breaking createResponse request temperature field-removed: is not accepted',
    ],
    [
      'a removed operation',
      (d) => void delete d.paths['/rerank'],
      'breaking rerank operation operation-removed: POST /rerank is not documented',
    ],
    [
      'another operation',
      (d) => {
        d.paths['/guardrails/{id}/vibes'] = { get: { operationId: 'getVibes' } }
      },
      'additive getVibes operation operation-added: GET /guardrails/{}/vibes is documented but not supported',
    ],
    [
      'a deprecated operation',
      (d) => {
        d.paths['/activity'].get.deprecated = true
      },
      'info getActivity operation deprecated: is deprecated',
    ],
    [
      'another authentication',
      (d) => {
        d.components.securitySchemes.apiKey = { type: 'apiKey', in: 'header', name: 'x-key' }
      },
      'breaking * security security-changed: is apiKey header x-key, but Understudy has http bearer',
    ],
  ]
  it.each(changes)('is found to have %s after a change', (_, change, finding) => {
    const document = vendorDocument()
    change(document)
    expect(unexplained(document)).toContain(finding)
  })
})
