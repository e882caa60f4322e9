/** Serves a gateway over HTTP: `startServer()` for tests, and the command line if executed as a program. */
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { optionsOf } from './gateway/extra.ts'
import { GatewayCore } from './gateway/gateway.ts'
import { inCall } from './lib/call-names.ts'
import { refuseGuesses } from './lib/guessed-names.ts'
import { surviveOutputErrors } from './lib/print.ts'
import { readOptions } from './sandbox/option.ts'
import type { RequestLine } from './server/request-line.ts'
import { Server } from './server/server.ts'
import { type ListenOptions, serverOptions } from './server/server-options.ts'
import { type GatewayOptions, gatewaySetup, type RequestBodies } from './setup.ts'

export type { RequestLine }

export interface ServerOptions extends GatewayOptions, ListenOptions {}

export interface RunningServer extends AsyncDisposable {
  /** The gateway that the server runs. */
  readonly gateway: GatewayCore<RequestBodies>
  /** Port that the server listens on. */
  readonly port: number
  /** URL of the server, such as `http://127.0.0.1:4141`. */
  readonly url: string
  /** Base URL for clients, such as `http://127.0.0.1:4141/api/v1`. */
  readonly baseUrl: string
  /** Bearer token for control requests; undefined if none is required. */
  readonly token: string | undefined
  /** Stops the server. @param graceMs Maximum time to wait for open replies, in real milliseconds. Default: 0. */
  close(graceMs?: number): Promise<void>
}

/**
 * Starts a server. Throws a `TypeError` for an invalid option. If the server cannot listen on its address, throws an
 * error with Node's `code`, such as `EADDRINUSE`.
 */
export function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const server = inCall('startServer', () => start(options))
  return refuseGuesses(server, 'startServer()', true)
}

async function start(options: ServerOptions): Promise<RunningServer> {
  const settings = readOptions(
    { ...serverOptions, ...optionsOf(gatewaySetup.extras) },
    options,
    'startServer',
  )
  const others = Object.entries(options).filter(([name]) => !Object.hasOwn(serverOptions, name))
  const [[misplaced] = []] = settings.gateway === undefined ? [] : others
  if (misplaced !== undefined)
    throw new TypeError(
      `startServer: options.${misplaced} cannot be combined with options.gateway: pass it to createGateway()`,
    )
  const gateway: GatewayCore<RequestBodies> =
    settings.gateway ?? new GatewayCore<RequestBodies>(Object.fromEntries(others), gatewaySetup)
  const server = new Server(gateway, settings)
  const { port, url } = await server.listen()
  const close = (graceMs?: number) => server.close(graceMs)
  const { token } = server
  const baseUrl = `${url}/api/v1`
  const running = { gateway, port, url, baseUrl, token, close, [Symbol.asyncDispose]: () => close() }
  return refuseGuesses(running, 'server')
}

/** Runs the command line: `serve`, or another command that `--help` lists. Sets `process.exitCode`. */
export async function runCommandLine(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  const { run } = await import('./cli/command-line.ts')
  surviveOutputErrors()
  await run(args, startServer)
}

/** Returns true if Node was started with this file, directly or through a link. */
function isProgram(): boolean {
  const [, program] = process.argv
  try {
    return program !== undefined && realpathSync(program) === fileURLToPath(import.meta.url)
  } catch {
    return false
  }
}

// Not awaited, because `require` cannot load a module with top-level await.
if (isProgram()) runCommandLine()
