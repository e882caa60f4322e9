/**
 * `serve`: the server, until somebody stops it.
 */

import { loadLibrary } from '../database/shelves.ts'
import { GatewayCore } from '../gateway/gateway.ts'
import { printed, type RequestLine } from '../server/request-line.ts'
import { loadScenarios, readConfig } from './config-file.ts'
import { keepHeapSmall } from './heap.ts'
import { readyLine, readyText, type Started } from './ready.ts'
import { UsageError } from './usage-error.ts'
import { watchScenarios } from './watch-scenarios.ts'

/** The flags, as they are parsed. */
export interface ServeFlags {
  port: number
  host: string
  allowedHost?: string[]
  seed?: string | number
  scenario?: string[]
  token?: string
  watch?: true
  quiet?: true
  json?: true
  config?: string
}

/** Starts a server; `startServer`, which lives upstairs. */
export type Start = (options: {
  gateway: GatewayCore
  port: number
  host: string
  allowedHosts: string[]
  token: string | undefined
  onRequest: ((line: RequestLine) => void) | undefined
}) => Promise<Started & { close(graceMs: number): Promise<void> }>

/** Real milliseconds after which what the first write will need is loaded: first come those who wait for the start. */
const idleMs = 250

/** Real milliseconds in which open replies may finish after a signal. A second signal does not wait. */
const graceMs = 5000

export async function serve(flags: ServeFlags, start: Start): Promise<void> {
  const { port, host, allowedHost: allowedHosts = [], token } = flags
  const { gateway, files } = await prepare(flags)
  // What a program reads from stdout is the ready line alone.
  const print = flags.json ? console.error : console.log
  const onRequest = flags.quiet ? undefined : (line: RequestLine) => print(printed(line))
  const server = await start({ gateway, port, host, allowedHosts, token, onRequest }).catch((error) => {
    throw new UsageError(whyNot(error, port, host))
  })
  console.log(flags.json ? readyLine(server) : readyText(server, token === undefined))
  keepHeapSmall()
  setTimeout(loadLibrary, idleMs).unref()
  if (flags.watch) watchScenarios(gateway, files, print)

  let wait = graceMs
  const stop = async () => {
    const left = wait
    wait = 0
    await server.close(left)
    process.exit(0)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}

async function prepare({ config, seed, scenario = [] }: ServeFlags) {
  const options = config === undefined ? {} : await readConfig(config)
  const { scenarios, files } = await loadScenarios([...(options.scenarios ?? []), ...scenario])
  try {
    const gateway = new GatewayCore({ ...options, ...(seed !== undefined && { seed }), scenarios })
    return { gateway, files }
  } catch (error) {
    const { message } = error as Error
    throw new UsageError(
      message.replace(/^createGateway: |^(?=Bad fixture)/, config === undefined ? '' : `${config}: `),
    )
  }
}

function whyNot(error: NodeJS.ErrnoException, port: number, host: string): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use: choose another with --port, or --port 0 for any free one`
    case 'EACCES':
      return `Port ${port} may not be used by you: choose one above 1023 with --port`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine has no address '${host}': choose another with --host`
    default:
      return error.message
  }
}
