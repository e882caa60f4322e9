/**
 * The types that are written from schemas: fresh, and the same as what zod would infer.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { createGateway, type RuleInput, type ScenarioInput } from '../../src/index.ts'
import type { Bodies } from '../../src/operations/request-bodies.ts'
import type { CreateResponseBody } from '../../src/resources/create-response-body.ts'
import type { Rows } from '../../src/resources/rows.ts'
import type { Workspace, WorkspaceUpdate } from '../../src/resources/workspace.ts'
import type { Rule } from '../../src/scenarios/scenario.ts'
import { schemaTypes } from './schema-types.ts'

describe('The types of schemas', () => {
  it.each(Object.entries(schemaTypes()))('in %s are fresh (else: npm run generate)', (name, text) => {
    expect(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')).toBe(text)
  })

  it('are what zod infers, the names of operations apart', () => {
    type Named<Given> = Omit<Given, 'on'>
    type Inferred = z.input<typeof Rule>
    const same = <Left, Right>(_: Left extends Right ? (Right extends Left ? true : never) : never) => true
    expect([
      same<Named<RuleInput>, Named<Inferred>>(true),
      same<Bodies['createResponse'], z.input<typeof CreateResponseBody>>(true),
      same<Bodies['updateWorkspace'], z.input<typeof WorkspaceUpdate>>(true),
      same<Rows['workspaces'], z.output<typeof Workspace>>(true),
    ]).toEqual([true, true, true, true])
  })
})

describe('What a rule is about, and what is used', () => {
  const gateway = createGateway()

  it('is completed by name, and refused where there is no such name', () => {
    gateway.use('flaky')
    gateway.use({ on: ['createResponse', 'getPreset'], fault: 'status' })
    gateway.use({ on: 'POST /chat/other', reply: { body: {} } })
    // @ts-expect-error no bundled scenario has this name
    expect(() => gateway.use('flakey')).toThrow("did you mean 'flaky'?")
    // @ts-expect-error no operation has this name
    expect(() => gateway.use({ on: 'createRespons', fault: 'status' })).toThrow("'createResponse'")
    // @ts-expect-error nor here
    expect(() => gateway.fail(503, { on: 'listProvider' })).toThrow("'listProviders'")
    // @ts-expect-error and a fault has this parameter not
    expect(() => gateway.use({ on: '*', fault: { name: 'latency', sm: 3 } })).toThrow("'ms'")
  })

  it('may be a file, by its path', () => {
    expect(() => gateway.use('./nowhere.yaml')).toThrow('./nowhere.yaml: there is no such file')
  })

  it('is typed where it is written', () => {
    const outage: ScenarioInput = { name: 'outage', rules: [{ on: '*', fault: 'status', times: 1 }] }
    expect(gateway.use(outage).name).toBe('outage')
  })
})
