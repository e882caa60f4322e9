/**
 * Starts a server for tests that run in two ways: in this process, or with the executable that `UNDERSTUDY_BINARY`
 * names. The executable gets the options as flags and a configuration file, and is controlled by the remote client.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { flagOf } from '../../src/cli/config-file.ts'
import { connectGateway, type RemoteGateway } from '../../src/remote.ts'
import { type RunningServer, type ServerOptions, startServer as startInProcess } from '../../src/serve.ts'

export type { ServerOptions }

export interface Server extends Omit<RunningServer, 'gateway'> {
  /** In process, the gateway itself, whose methods may return values without a promise: await every result. */
  readonly gateway: RemoteGateway
}

/** Returns true if tests run against the executable. Skip tests that need options without a flag. */
export const isBinary = (): boolean => process.env['UNDERSTUDY_BINARY'] !== undefined

export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const program = process.env['UNDERSTUDY_BINARY']
  if (program !== undefined) return startProgram(program, options)
  return (await startInProcess(options)) as unknown as Server
}

/** Time for which the command line waits for open replies after the first signal, in milliseconds. */
const maxGraceMs = 5000

async function startProgram(program: string, options: ServerOptions): Promise<Server> {
  const { port = 0, host, allowedHosts, allowedOrigins, token, advertise, console, ...rest } = options
  for (const name of ['gateway', 'onRequest', 'requestTimeoutMs'])
    if (name in rest)
      throw new TypeError(`startServer: no flag sets options.${name}: skip the test if isBinary()`)
  const settings = { port, host, allowedHosts, allowedOrigins, token, advertise }
  const flags = Object.entries(settings).flatMap(([name, value]) =>
    value === undefined ? [] : [`${flagOf(`options.${name}`)}=${value}`],
  )
  if (console === false) flags.push('--no-console')
  const home = mkdtempSync(join(tmpdir(), 'understudy-'))
  const config = join(home, 'options.json')
  writeFileSync(config, JSON.stringify(rest))
  flags.push('--config', config, '--json', '--quiet', '--stop-with-stdin')
  const child = spawn(program, flags, { cwd: home, env: {} })
  const exit = once(child, 'close')
  const errors = text(child.stderr)
  try {
    const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), exit.then(() => [])])
    if (line === undefined) throw new Error((await errors).replace(/^error: /, '').trim())
    const { url, baseUrl, token, port } = JSON.parse(line)
    const close = (graceMs?: number) => stop(child, graceMs)
    // Node's `fetch` does not trust generated certificates, so the remote client cannot connect.
    const gateway = url.startsWith('https:') ? undefined : await connectGateway(url, { token })
    return {
      url,
      baseUrl,
      token,
      port,
      gateway: gateway as RemoteGateway,
      close,
      [Symbol.asyncDispose]: close,
    }
  } finally {
    rmSync(home, { recursive: true })
  }
}

/** Stops a server as `close(graceMs)` does: it waits for open replies on SIGTERM, and ends at once on a second signal. */
async function stop(child: ChildProcess, graceMs = 0): Promise<void> {
  const sentAt = performance.now()
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const cut = graceMs < maxGraceMs ? setTimeout(() => child.kill('SIGINT'), graceMs) : undefined
  const [code] = await exit
  clearTimeout(cut)
  if (code !== 0) throw new Error(`The server exited with ${code}`)
  if (performance.now() - sentAt >= maxGraceMs)
    throw new Error('The server waited for the whole grace period')
}
