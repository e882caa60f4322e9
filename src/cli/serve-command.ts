/**
 * `serve`: runs the server until a signal stops it.
 */
import { readFile } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import type { GatewayCore } from '../gateway/gateway.ts'
import { monotonic } from '../lib/clock.ts'
import { print, printError } from '../lib/print.ts'
import { UsageError } from '../lib/usage-error.ts'
import type { ExtensionName } from '../sandbox/options-input.ts'
import type { RequestLine } from '../server/request-line.ts'
import { gatewaySetup } from '../setup.ts'
import { flagOf, readConfig, scenarioFiles, toGateway } from './config-file.ts'
import { toLinePrinter } from './line-printer.ts'
import { openPage } from './open-page.ts'
import { prepareLater } from './prepare.ts'
import { consoleUrl, highlight, readyLine, readyText, type Started } from './ready.ts'
import { requestLineText } from './request-line-text.ts'
import { watchScenarios } from './watch-scenarios.ts'

export interface ServeFlags {
  port: number
  host: string
  allowedHost?: string[]
  allowedOrigin?: string[]
  seed?: string | number
  scenario?: string[]
  token?: string
  tokenFile?: string
  tlsCert?: string
  tlsKey?: string
  default: boolean
  watch?: true
  quiet?: true
  json?: true
  stopWithStdin?: true
  open?: true
  console: boolean
  timeScale?: number
  extension?: string[]
  config?: string
  /** Flags of extras. */
  readonly [flag: string]: unknown
}

/** Type of `startServer`, which only entries may import. */
export type Start = (options: {
  gateway: GatewayCore
  port: number
  host: string
  allowedHosts: string[]
  allowedOrigins: string[]
  token: string | undefined
  tlsCert: string | undefined
  tlsKey: string | undefined
  console: boolean
  onRequest: ((line: RequestLine) => void) | undefined
}) => Promise<Started & { close(graceMs: number): Promise<void> }>

/** Maximum wait for open replies after a signal, in real milliseconds. A second signal does not wait. */
const graceMs = 5000

export async function serve(flags: ServeFlags, start: Start): Promise<void> {
  const { port, host, allowedHost: allowedHosts = [], tlsCert, tlsKey } = flags
  const { allowedOrigin: allowedOrigins = [] } = flags
  const token = flags.token ?? (await readToken(flags.tokenFile))
  const { gateway, files } = createGateway(flags)
  const hasConsole = flags.console && gateway.extras.some(({ files }) => files)
  if (flags.open && !hasConsole) throw new UsageError('--open cannot be combined with --no-console')
  // With --json, only the ready line is printed to stdout.
  const printLine = toLinePrinter(flags.json ? printError : print)
  const onRequest = (line: RequestLine) => {
    if (!line.path.startsWith('/__understudy')) printLine(requestLineText(line))
  }
  const server = await start({
    gateway,
    port,
    host,
    allowedHosts,
    allowedOrigins,
    token,
    tlsCert,
    tlsKey,
    console: hasConsole,
    onRequest: flags.quiet ? undefined : onRequest,
  }).catch((error: Error) => {
    const message = error.message.replace(/^startServer: /, '')
    throw new UsageError(message.replace(/^options(\.\w+)(\[\d+\])?/, (_, name) => flagOf(name)))
  })
  // Keeps V8's young generation small: 207 MB of RSS after 20,000 POSTs instead of 287 MB, for the same CPU time.
  setFlagsFromString('--semi-space-growth-factor=1')
  prepareLater(gateway)
  if (flags.watch) watchScenarios(gateway, files, printLine)

  let remainingMs = graceMs
  const stop = async () => {
    const waitMs = remainingMs
    remainingMs = 0
    await server.close(waitMs)
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  if (flags.stopWithStdin) process.stdin.resume().once('close', stop)
  // Printed last, because a program that waits for this output may send a signal at once.
  if (flags.json) print(readyLine(server, hasConsole))
  else
    print(
      readyText(server, { startMs: monotonic(), isTokenGenerated: token === undefined, hasConsole }),
      highlight,
    )
  if (flags.open) openPage(consoleUrl(server), printLine)
}

/** Reads a token from a file, such as a mounted secret. */
async function readToken(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--token-file ${file}: ${error.code === 'ENOENT' ? 'no such file' : error.message}`)
  })
  const token = text.trim()
  if (/^\S+$/.test(token)) return token
  throw new UsageError(`--token-file ${file}: the token must have at least one character and no spaces`)
}

function createGateway(flags: ServeFlags) {
  const { config, seed, timeScale, scenario = [], default: hasDefault } = flags
  const options = config === undefined ? {} : readConfig(config)
  if (flags.extension) options.extensions = flags.extension as ExtensionName[]
  const scenarios = [...(options.scenarios ?? []), ...scenario] as NonNullable<typeof options.scenarios>
  const extraOptions = gatewaySetup.extras.map((extra) => {
    const names = Object.keys(extra.options ?? {}).filter((name) => flags[name] !== undefined)
    return extra.readFlags?.(flags, options) ?? Object.fromEntries(names.map((name) => [name, flags[name]]))
  })
  const gateway = toGateway(
    {
      ...options,
      ...(seed !== undefined && { seed }),
      ...(timeScale !== undefined && { timeScale }),
      ...Object.assign({}, ...extraOptions),
      scenarios,
      sandboxes: { ...options.sandboxes, ...(!hasDefault && { default: false }) },
    },
    config === undefined ? undefined : { file: config, scenarios: options.scenarios?.length ?? 0 },
  )
  return { gateway, files: scenarioFiles(scenarios) }
}
