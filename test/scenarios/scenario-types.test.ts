import { describe, expect, it } from 'vitest'
import { createGateway, type ScenarioInput } from '../../src/index.ts'

describe('types of rules and scenarios', () => {
  const gateway = createGateway()

  it('reject unknown names', () => {
    gateway.use('flaky')
    gateway.use({ on: ['createResponse', 'getPreset'], fault: 'status' })
    gateway.use({ on: 'POST /chat/other', reply: { body: {} } })
    // Accepts any string, because it may be computed; editors still complete the names.
    expect(() => gateway.use('flakey')).toThrow("did you mean 'flaky'?")
    // @ts-expect-error unknown operation
    expect(() => gateway.use({ on: 'createRespons', fault: 'status' })).toThrow("'createResponse'")
    // @ts-expect-error unknown operation
    expect(() => gateway.fail(503, { on: 'listProvider' })).toThrow("'listProviders'")
    // @ts-expect-error unknown parameter of the fault
    expect(() => gateway.use({ on: '*', fault: { name: 'latency', sm: 3 } })).toThrow("'ms'")
  })

  it('accept the path of a file', () => {
    expect(() => gateway.use('./nowhere.yaml')).toThrow('./nowhere.yaml: there is no such file')
  })

  it('accept a scenario declared with ScenarioInput', () => {
    const outage: ScenarioInput = { name: 'outage', rules: [{ on: '*', fault: 'status', times: 1 }] }
    expect(gateway.use(outage).name).toBe('outage')
  })
})
