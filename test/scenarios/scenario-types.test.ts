import { describe, expect, it } from 'vitest'
import { createGateway, defineScenario, type Scenario, ScenarioError } from '../../src/index.ts'

describe('types of rules and scenarios', () => {
  const gateway = createGateway()

  it('reject unknown names', () => {
    gateway.use('flaky')
    gateway.use({ on: ['createResponse', 'getPreset'], fault: 'status' })
    gateway.use({ on: 'POST /chat/other', reply: { body: {} } })
    // `use()` accepts any string, because a name may be computed. Editors still complete the known names.
    expect(() => gateway.use('flakey')).toThrow("did you mean 'flaky'?")
    // @ts-expect-error unknown operation
    expect(() => gateway.use({ on: 'createRespons', fault: 'status' })).toThrow("'createResponse'")
    // @ts-expect-error unknown operation
    expect(() => gateway.fail(503, { on: 'listProvider' })).toThrow("'listProviders'")
    // @ts-expect-error unknown parameter of the fault
    expect(() => gateway.use({ on: '*', fault: { name: 'latency', sm: 3 } })).toThrow("'ms'")
  })

  it('name the call once in the stack of an error', () => {
    const use = () => gateway.use('flakey')
    expect(use).toThrow(
      expect.objectContaining({ stack: expect.stringMatching(/^ScenarioError: use\(\): Unk/) }),
    )
  })

  it('accept a file path', () => {
    expect(() => gateway.use('./nowhere.yaml')).toThrow('./nowhere.yaml: no such file')
  })

  it('accept a scenario declared with Scenario', () => {
    const outage: Scenario = { name: 'outage', rules: [{ on: '*', fault: 'status', times: 1 }] }
    expect(gateway.use(outage).name).toBe('outage')
  })
})

describe('defineScenario', () => {
  it('returns a valid scenario unchanged', () => {
    const outage = { name: 'outage', rules: [{ on: 'getReport' as never, fault: 'status' }] } as const
    expect(defineScenario(outage as never)).toBe(outage)
  })

  it.each([
    [
      { name: 'a b', rules: [{ on: '*', fault: 'status' }] },
      "defineScenario: scenario 'a b': name must be 1 to 100 letters, digits, dots, dashes or underscores",
    ],
    [{ name: 'outage', rules: [] }, "defineScenario: scenario 'outage': rules must not be empty"],
    [{ name: 'outage', rules: [{ on: '*', fualt: 'status' }] }, "did you mean 'fault'?"],
    [
      { name: 'outage', rules: [{ on: '*', fault: 'status', when: /a/ }] },
      `defineScenario: rule 1 of 'outage': when: a RegExp (/a/) is not supported; write {"matches":"a"}`,
    ],
  ])('throws a ScenarioError for %j', (scenario, message) => {
    const define = () => defineScenario(scenario as never)
    expect(define).toThrow(ScenarioError)
    expect(define).toThrow(message)
  })
})
