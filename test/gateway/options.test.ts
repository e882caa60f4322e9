import { describe, expect, it } from 'vitest'
import { createGateway, type GatewayOptions } from '../../src/index.ts'

describe('createGateway', () => {
  it.each<[object, string]>([
    [{ seeed: 1 }, "createGateway: options.seeed: Unknown field: did you mean 'seed'?"],
    [
      { size: { provider: 3 } },
      "createGateway: options.size.provider: Unknown field: did you mean 'providers'?",
    ],
    [{ timeScale: -1 }, 'createGateway: options.timeScale: Too small: expected number to be >=0'],
    [{ baseUrl: 'nope' }, 'createGateway: options.baseUrl: Invalid URL'],
    [{ scenarios: ['flakey'] }, "Unknown scenario 'flakey': did you mean 'flaky'?"],
  ])('refuses %o in one clear line', (options, message) => {
    expect(() => createGateway(options)).toThrow(message)
  })

  it('takes an option that is undefined as one left out, and fills up one that is given in part', () => {
    const { options } = createGateway({ seed: undefined, journal: { entries: 20 } } as GatewayOptions)
    expect(options).toStrictEqual({
      ...createGateway().options,
      journal: { entries: 20, bytes: 33_554_432, bodyBytes: 65_536 },
    })
  })

  it('takes every scenario that is in force from the start, and goes back to them', async () => {
    const gateway = createGateway({ scenarios: ['provider-outage'] })
    const status = async () => {
      const init = { headers: { authorization: 'Bearer any' } }
      return (await gateway.fetch('https://gateway.example/api/v1/providers', init)).status
    }
    expect(await status()).toBe(500)
    gateway.use({ on: '*', fault: { name: 'status', status: 418 } })
    expect(await status()).toBe(418)
    gateway.reset()
    expect(await status()).toBe(500)
    gateway.resetScenarios()
    expect(await status()).toBe(500)
  })
})
