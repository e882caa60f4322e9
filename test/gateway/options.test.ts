import { describe, expect, it } from 'vitest'
import { createGateway, type GatewayOptions } from '../../src/index.ts'
import { open } from '../call.ts'

describe('createGateway', () => {
  it.each<[object, string]>([
    [{ seeed: 1 }, "createGateway: options.seeed: Unknown field: did you mean 'seed'?"],
    [
      { recordCounts: { provider: 3 } },
      "createGateway: options.recordCounts.provider: Unknown field: did you mean 'providers'?",
    ],
    [{ timeScale: -1 }, 'createGateway: options.timeScale: Too small: expected number to be >=0'],
    [{ baseUrl: 'nope' }, 'createGateway: options.baseUrl: Invalid URL'],
    [
      { latency: { gapMs: { p50: 1, 'p50.0': 2 } } },
      "options.latency.gapMs: give each quantile once: 'p50' and 'p50.0' are the same",
    ],
    [{ scenarios: ['flakey'] }, "Unknown scenario 'flakey': did you mean 'flaky'?"],
  ])('refuses %o in one clear line', (options, message) => {
    expect(() => createGateway(options)).toThrow(message)
  })

  it('has the defaults that its options say', () => {
    const { options } = createGateway()
    expect(options).toEqual({
      seed: 1,
      recordCounts: {},
      fixtures: {},
      strict: false,
      clock: 'fixed',
      timeScale: 1,
      extensions: [],
      operations: [],
      scenarios: [],
      promptCache: false,
      storedResponses: false,
      streamEvents: 'all',
      limitedEngine: 'engine_c',
      maxBodyBytes: 10_485_760,
      journal: { entries: 3000, bytes: 33_554_432, bodyBytes: 65_536 },
      sandboxes: { limit: 100_000, idleMs: 3_600_000, default: true },
    })
    const given = createGateway({ sandboxes: {} as never, journal: {} as never }).options
    expect(given).toEqual(options)
  })

  it.each([
    ['latency', -1],
    ['latency', { gapMs: -1 }],
    ['latency', { keepAliveMs: 0 }],
    ['latency', { gapsMs: 1 }],
    ['latency', { gapMs: { p50: 2, p90: 1 } }],
  ])('refuses %s: %j', (name, value) => {
    expect(() => createGateway({ [name]: value })).toThrow(`options.${name}`)
  })

  it.each([
    'firstEventMs',
    'tokensPerSecond',
    'jitter',
    'keepAliveMs',
    'latencyProfile',
    'speed',
    'allowCi',
    'modelsWithoutNativeSearch',
    'xSearchVendor',
  ])('names what replaces %s of earlier versions', (name) => {
    expect(() => createGateway({ [name]: 1 })).toThrow(
      new RegExp(`^createGateway: options\\.${name} is gone: .+`),
    )
  })

  it.each<[string, unknown[], unknown[]]>([
    ['seed', [-1, 0, 'a'], [1.5, '', null]],
    [
      'baseUrl',
      ['https://a.example/api/v1', 'http://a/api/v1/'],
      ['https://a.example', 'https://a.example/api/v1/x'],
    ],
    ['apiKeys', [[], ['a']], [[''], 'a']],
    ['strict', [true], [1]],
    ['clock', ['system'], ['real']],
    ['timeScale', [0, 2.5], [-0.1]],
    ['extensions', [['chat']], [['chats'], 'chat']],
    ['streamEvents', ['documented'], ['some']],
    ['limitedEngine', ['engine_c', null], ['engine_d']],
    ['models', [[], ['a']], [['']]],
    ['maxBodyBytes', [1], [0, 1.5]],
    [
      'journal',
      [{ entries: 1, bytes: 1, bodyBytes: 0 }],
      [{ entries: 0 }, { bytes: 0 }, { bodyBytes: -1 }, { byte: 1 }],
    ],
    [
      'sandboxes',
      [{ limit: 1, idleMs: 0.5, node: 'n3', default: false }],
      [{ limit: 0 }, { idleMs: 0 }, { node: '3' }],
    ],
    ['recordCounts', [{ providers: 0 }], [{ providers: -1 }, { providers: 1.5 }]],
    ['operations', [[]], [['a'], [null]]],
  ])('takes %s as %j, and refuses %j', (name, right, wrong) => {
    for (const value of right)
      expect(() => createGateway({ [name]: value }), JSON.stringify(value)).not.toThrow()
    for (const value of wrong)
      expect(() => createGateway({ [name]: value }), JSON.stringify(value)).toThrow(
        `createGateway: options.${name}`,
      )
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
    const status = async () => (await open(gateway, 'GET /providers')).status
    expect(await status()).toBe(500)
    gateway.use({ on: '*', fault: { name: 'status', status: 418 } })
    expect(await status()).toBe(418)
    gateway.reset()
    expect(await status()).toBe(500)
    gateway.resetScenarios()
    expect(await status()).toBe(500)
  })
})
