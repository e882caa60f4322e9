/**
 * A proxy that tapes what passes through it.
 */
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { Router } from '../gateway/router.ts'
import { operations } from '../operations/index.ts'
import { Guard } from '../server/guard.ts'
import { refuse } from '../server/send.ts'
import type { Redactor } from '../tapes/redactor.ts'
import { Passing } from './passing.ts'
import type { Taped } from './tape-file.ts'
import { TapeFolder } from './tape-folder.ts'

export interface RecorderSetup {
  /** The base address of the real gateway. */
  readonly upstream: URL
  /** Folder of the tapes; made where it is not there. */
  readonly out: string
  readonly redactor: Redactor
  /** The key that upstream gets, in place of the client's. Default: what the client sends. */
  readonly key?: string | undefined
  /** `new` tapes requests that the folder has no tape of; `all` tapes every one, and older tapes of it go. Default: new. */
  readonly mode?: 'new' | 'all'
  /** Default: `neutral`. */
  readonly dialect?: string | undefined
  /** Default: 0, any free port. */
  readonly port?: number
  /** Default: 127.0.0.1. */
  readonly host?: string
  /** Real milliseconds without a byte from upstream, after which it counts as silent. Default: 120,000. */
  readonly idleMs?: number
  /** A body of more bytes is not taped, and passed on all the same. Default: 64 MB. */
  readonly maxBytes?: number
  /** Is told of every exchange when it is over. */
  readonly onExchange?: (line: ExchangeLine) => void
}

export interface ExchangeLine {
  readonly method: string
  readonly path: string
  readonly result: Taped
}

export interface Recorder {
  /** What clients take for the gateway: `http://127.0.0.1:4142/api/v1`. */
  readonly baseUrl: string
  /** Waits for exchanges that are under way, at most so many real milliseconds. Default: 5,000. */
  close(graceMs?: number): Promise<void>
}

const { setTimeout, clearTimeout } = globalThis

/** Starts to listen. */
export async function startRecorder(setup: RecorderSetup): Promise<Recorder> {
  const { host = '127.0.0.1', port = 0, maxBytes = 64 * 1024 * 1024 } = setup
  const folder = new TapeFolder(setup.out)
  const guard = new Guard({ host, allowedHosts: [], token: undefined })
  const router = new Router(operations)
  const agent = new (setup.upstream.protocol === 'https:' ? https : http).Agent({ keepAlive: true })
  const open = new Set<Promise<unknown>>()

  const server = http.createServer((request, response) => {
    try {
      guard.assertHost(request)
      guard.assertSameOrigin(request)
    } catch (error) {
      return refuse(response, error)
    }
    const passing = new Passing(request, response, { ...setup, folder, router, agent, maxBytes })
    const told = passing.result.then((result) =>
      setup.onExchange?.({ method: request.method ?? 'GET', path: passing.path, result }),
    )
    open.add(told)
    told.finally(() => open.delete(told))
  })
  server.requestTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { port: bound } = server.address() as AddressInfo
  return {
    baseUrl: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/api/v1`,
    async close(graceMs = 5000) {
      const stopped = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      const late = setTimeout(() => server.closeAllConnections(), graceMs)
      while (open.size > 0) await Promise.all(open)
      clearTimeout(late)
      server.closeAllConnections()
      agent.destroy()
      await stopped
    },
  }
}
