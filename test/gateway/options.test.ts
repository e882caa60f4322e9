import { describe, expect, it } from 'vitest'
import { createGateway, type GatewayOptions } from '../../src/index.ts'
import { hasExtra } from '../has-extra.ts'

const limits = {
  requestBodyBytes: 10_485_760,
  journalEntries: 3000,
  journalBytes: 134_217_728,
  journalBodyBytes: 1_048_576,
  sandboxes: 100_000,
  sandboxIdle: 3_600_000,
  defaultSandbox: true,
}

describe('createGateway', () => {
  it('applies the documented defaults', () => {
    const { options } = createGateway()
    expect(options).toEqual({
      seed: 1,
      recordCounts: {},
      fixtures: {},
      onlySpecified: false,
      strict: false,
      clock: 'fixed',
      timeScale: 1,
      operations: [],
      scenarios: [],
      storedResponses: false,
      stream: { events: 'all' },
      search: { limitedEngine: 'engine_c' },
      limits,
      ...(hasExtra('recordings') && { recordings: {} }),
    })
    const given = createGateway({ limits: {}, stream: {}, search: {} }).options
    expect(given).toEqual(options)
  })

  it.each<[string, unknown[], unknown[]]>([
    ['seed', [-1, 0, 'a'], [1.5, '', null]],
    [
      'baseUrl',
      ['https://a.example/api/v1', 'http://a/api/v1/', 'https://a.example'],
      ['a.example', 'ftp://a.example', 'https://a.example/api/v1?x', ''],
    ],
    ['apiKeys', [['a']], [[], [''], 'a']],
    ['strict', [true], [1]],
    ['clock', ['system'], ['real']],
    ['timeScale', [0, 2.5, 1e6], [-0.1, 1e6 + 1]],
    ['onlySpecified', [true, false], ['yes']],
    ['stream', [{ events: 'documented' }, {}], [{ events: 'some' }, 'all']],
    ['search', [{ limitedEngine: 'engine_c' }, { limitedEngine: null }], [{ limitedEngine: 'engine_d' }]],
    ['models', [[], ['a']], [['']]],
    [
      'limits',
      [
        { requestBodyBytes: 1, journalEntries: 1, journalBytes: 1, journalBodyBytes: 0 },
        { sandboxes: 1, sandboxIdle: '30m', defaultSandbox: false },
      ],
      [
        { requestBodyBytes: 0 },
        { requestBodyBytes: 1.5 },
        { journalEntries: 0 },
        { journalBytes: 0 },
        { journalBodyBytes: -1 },
        { journalByte: 1 },
        { sandboxes: 0 },
        { sandboxIdle: 0 },
        { defaultSandbox: 1 },
      ],
    ],
    ['recordCounts', [{ providers: 0 }], [{ providers: -1 }, { providers: 1.5 }]],
    ['operations', [[]], [['a'], [null]]],
  ])('validates the option %s: accepts each of %j, and rejects each of %j', (name, right, wrong) => {
    for (const value of right)
      expect(() => createGateway({ [name]: value }), JSON.stringify(value)).not.toThrow()
    for (const value of wrong)
      expect(() => createGateway({ [name]: value }), JSON.stringify(value)).toThrow(
        new RegExp(`^createGateway: (unknown option '|options\\.)${name}`),
      )
  })

  it('treats undefined options as omitted and completes partial objects with defaults', () => {
    const { options } = createGateway({ seed: undefined, limits: { journalEntries: 20 } } as GatewayOptions)
    expect(options).toStrictEqual({
      ...createGateway().options,
      limits: { ...limits, journalEntries: 20 },
    })
  })
})

it('createGateway accepts a duration for limits.sandboxIdle', () => {
  expect(createGateway({ limits: { sandboxIdle: '30m' } }).options.limits.sandboxIdle).toBe(1_800_000)
})
