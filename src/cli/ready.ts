/** Startup output: a start screen, or one line of JSON for programs. */
import manifest from '../../package.json' with { type: 'json' }
import type { GatewayCore } from '../gateway/gateway.ts'
import { shellWord } from '../lib/shell-word.ts'

export interface Started {
  readonly gateway: GatewayCore
  readonly port: number
  readonly url: string
  readonly baseUrl: string
  readonly token: string | undefined
}

export function readyLine({ gateway, port, url, baseUrl, token }: Started, hasConsole: boolean): string {
  const { options, sandboxes } = gateway
  const { apiKey, rules } = sandboxes.default
  return JSON.stringify({
    ready: true,
    port,
    url,
    baseUrl,
    apiKey: options.apiKeys?.[0] ?? apiKey,
    ...(hasConsole && { console: `${url}/__understudy/` }),
    ...(token !== undefined && { token }),
    seed: options.seed,
    scenarios: rules.names(),
  })
}

interface StartScreen {
  readonly startMs: number
  /** If true, the token was generated rather than set by the user, so it is printed. */
  readonly isTokenGenerated: boolean
  readonly hasConsole: boolean
}

/** Returns the start screen: addresses, active scenarios and a command to try. */
export function readyText(
  { gateway, url, baseUrl, token }: Started,
  { startMs, isTokenGenerated, hasConsole }: StartScreen,
): string {
  const { options, sandboxes } = gateway
  const { apiKey, rules } = sandboxes.default
  const key = options.apiKeys?.[0] ?? apiKey
  const body = '{"model":"aurora/dawn-2","input":"Hello","stream":true}'
  const rows = [
    ['API key', `${key}   (${options.apiKeys ? 'or another of apiKeys' : 'any other key works too'})`],
    [
      'scenarios',
      rules.names().join(', ') || 'none   (try --scenario flaky; list all: gateway-understudy scenarios)',
    ],
    ...(hasConsole ? [['console', `${url}/__understudy/`]] : []),
    ['journal', `${url}/__understudy/sandboxes/default/journal`],
    ['OpenAPI', `${url}/openapi.json   ${url}/__understudy/openapi.json`],
    ...(token === undefined
      ? []
      : [['token', `${isTokenGenerated ? token : 'as set'}   (bearer token for control requests)`]]),
    [
      'try',
      `curl ${url.startsWith('https:') ? '-kN' : '-N'} ${baseUrl}/responses -H ${shellWord(`authorization: Bearer ${key}`)} --json '${body}'`,
    ],
  ]
  const title = `Understudy ${manifest.version} started in ${Math.round(startMs)} ms at ${baseUrl}`
  const lines = rows.map(([name = '', text = '']) => `  ${name.padEnd(11)}${text}`)
  return ['', title, '', ...lines, ''].join('\n')
}
