/**
 * What a person, or a program, is told when the server is up.
 */
import type { GatewayCore } from '../gateway/gateway.ts'
import { shellWord } from '../lib/literals.ts'

export interface Started {
  readonly gateway: GatewayCore
  readonly port: number
  readonly url: string
  readonly baseUrl: string
  readonly token: string | undefined
}

/** Where the console is. */
export function consoleAt({ url }: Pick<Started, 'url'>): string {
  return `${url}/__understudy/`
}

/** One line of JSON. */
/** @param hasConsole Whether there is a console to visit. */
export function readyLine({ gateway, port, url, baseUrl, token }: Started, hasConsole: boolean): string {
  const { options, sandboxes } = gateway
  const { apiKey, rules } = sandboxes.default
  return JSON.stringify({
    ready: true,
    port,
    url,
    baseUrl,
    apiKey: options.apiKeys?.[0] ?? apiKey,
    ...(hasConsole && { console: consoleAt({ url }) }),
    ...(token !== undefined && { token }),
    seed: options.seed,
    scenarios: rules.names(),
  })
}

/** Where it is, and a line to paste. */
export function readyText(
  { gateway, url, baseUrl, token }: Started,
  { isTokenMade, hasConsole }: { isTokenMade: boolean; hasConsole: boolean },
): string {
  const { options, sandboxes } = gateway
  const { apiKey, rules } = sandboxes.default
  const key = options.apiKeys?.[0] ?? apiKey
  const others = options.apiKeys ? 'or another of apiKeys' : 'or any other'
  const rows = [
    ['key', `${key}   (${others})`],
    ['try', `curl ${baseUrl}/providers -H ${shellWord(`authorization: Bearer ${key}`)}`],
    [
      'scenarios',
      rules.names().join(', ') || 'none   (--scenario flaky; all of them: gateway-understudy scenarios)',
    ],
    ...(hasConsole ? [['console', consoleAt({ url })]] : []),
    ['journal', `${url}/__understudy/sandboxes/default/journal`],
    ['documents', `${url}/openapi.json   ${url}/__understudy/openapi.json`],
    ...(token === undefined
      ? []
      : [['token', `${isTokenMade ? token : 'as given'}   (control requests need it as their bearer)`]]),
  ]
  return ['', `Understudy plays the Model Gateway API at ${baseUrl}`, '', ...rows.map(row), ''].join('\n')
}

function row([name = '', text = '']: string[]): string {
  return `  ${name.padEnd(11)}${text}`
}
