import { expect, it } from 'vitest'
import { readyLine, readyText } from '../../src/cli/ready.ts'
import { createGateway, type GatewayOptions } from '../../src/index.ts'

const started = (options: GatewayOptions = {}, token?: string) => ({
  gateway: createGateway(options),
  port: 4141,
  url: 'http://a:4141',
  baseUrl: 'http://a:4141/api/v1',
  token,
})

it('A program is told on a line of JSON', () => {
  const line = (...given: Parameters<typeof started>) => JSON.parse(readyLine(started(...given), true))
  const key = createGateway().sandboxes.default.apiKey
  expect(line()).toEqual({
    ready: true,
    port: 4141,
    url: 'http://a:4141',
    baseUrl: 'http://a:4141/api/v1',
    apiKey: key,
    console: 'http://a:4141/__understudy/',
    seed: 1,
    scenarios: [],
  })
  expect(line({ apiKeys: ['one', 'two'], seed: 'x', scenarios: ['flaky'] }, 'secret')).toMatchObject({
    apiKey: 'one',
    token: 'secret',
    seed: 'x',
    scenarios: ['flaky'],
  })
  expect(JSON.parse(readyLine(started(), false))).not.toHaveProperty('console')
})

it('A person is told where it is, and what to try', () => {
  const key = createGateway().sandboxes.default.apiKey
  expect(readyText(started(), { isTokenMade: false, hasConsole: true }).split('\n')).toEqual([
    '',
    'Understudy plays the Model Gateway API at http://a:4141/api/v1',
    '',
    `  key        ${key}   (or any other)`,
    `  try        curl http://a:4141/api/v1/providers -H 'authorization: Bearer ${key}'`,
    '  scenarios  none   (--scenario flaky; all of them: gateway-understudy scenarios)',
    '  console    http://a:4141/__understudy/',
    '  journal    http://a:4141/__understudy/sandboxes/default/journal',
    '  documents  http://a:4141/openapi.json   http://a:4141/__understudy/openapi.json',
    '',
  ])
  const options: GatewayOptions = { apiKeys: ['one', 'two'], scenarios: ['flaky', 'chaos'] }
  const rows = (isTokenMade: boolean) =>
    readyText(started(options, 'secret'), { isTokenMade, hasConsole: false }).split('\n').slice(3)
  expect(rows(true)).toEqual([
    '  key        one   (or another of apiKeys)',
    "  try        curl http://a:4141/api/v1/providers -H 'authorization: Bearer one'",
    '  scenarios  chaos, flaky',
    '  journal    http://a:4141/__understudy/sandboxes/default/journal',
    '  documents  http://a:4141/openapi.json   http://a:4141/__understudy/openapi.json',
    '  token      secret   (control requests need it as their bearer)',
    '',
  ])
  expect(rows(false).at(-2)).toBe('  token      as given   (control requests need it as their bearer)')
})

it('quotes the key of a configuration in the line to paste', () => {
  const text = readyText(started({ apiKeys: ["it's; id\n"] }), { isTokenMade: false, hasConsole: false })
  expect(text).toContain("-H $'authorization: Bearer it\\047s; id\\012'")
})
