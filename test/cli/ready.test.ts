import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { readyText } from '../../src/cli/ready.ts'
import { createGateway, type GatewayOptions } from '../../src/index.ts'

const body = `--json '{"model":"aurora/dawn-2","input":"Hello","stream":true}'`
const started = (options: GatewayOptions = {}, token?: string) => ({
  gateway: createGateway(options),
  port: 4141,
  url: 'http://a:4141',
  baseUrl: 'http://a:4141/api/v1',
  token,
})

describe('readyText', () => {
  it('returns the version, the addresses and a command to try', () => {
    const key = createGateway().sandboxes.default.apiKey
    expect(
      readyText(started(), { startMs: 12.3, isTokenGenerated: false, hasConsole: true }).split('\n'),
    ).toEqual([
      '',
      `Understudy ${manifest.version} started in 12 ms at http://a:4141/api/v1`,
      '',
      `  API key    ${key}   (any other key works too)`,
      '  scenarios  none   (try --scenario flaky; list all: gateway-understudy scenarios)',
      '  console    http://a:4141/__understudy/',
      '  journal    http://a:4141/__understudy/sandboxes/default/journal',
      '  OpenAPI    http://a:4141/openapi.json   http://a:4141/__understudy/openapi.json',
      `  try        curl -N http://a:4141/api/v1/responses -H 'authorization: Bearer ${key}' ${body}`,
      '',
    ])
  })

  it('shows a generated token, but not a configured one', () => {
    const options: GatewayOptions = { apiKeys: ['one', 'two'], scenarios: ['flaky', 'chaos'] }
    const rows = (isTokenGenerated: boolean) =>
      readyText(started(options, 'secret'), { startMs: 0, isTokenGenerated, hasConsole: false })
        .split('\n')
        .slice(3)
    expect(rows(true)).toEqual([
      '  API key    one   (or another of apiKeys)',
      '  scenarios  chaos, flaky',
      '  journal    http://a:4141/__understudy/sandboxes/default/journal',
      '  OpenAPI    http://a:4141/openapi.json   http://a:4141/__understudy/openapi.json',
      '  token      secret   (bearer token for control requests)',
      `  try        curl -N http://a:4141/api/v1/responses -H 'authorization: Bearer one' ${body}`,
      '',
    ])
    expect(rows(false).at(-3)).toBe('  token      as set   (bearer token for control requests)')
  })

  it('quotes the API key in the command to try', () => {
    const text = readyText(started({ apiKeys: ["it's; id\n"] }), {
      startMs: 0,
      isTokenGenerated: false,
      hasConsole: false,
    })
    expect(text).toContain("-H $'authorization: Bearer it\\047s; id\\012'")
  })
})
