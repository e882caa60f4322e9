/** Controls the server in `served.ts`. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { ServerOptions } from '../../../src/serve.ts'

export interface Reading {
  rss: number
  heapUsed: number
  heapTotal: number
  external: number
  arrayBuffers: number
  sockets: number
  timers: number
}

export interface Child {
  readonly url: string
  readonly port: number
  /** Reads memory after a garbage collection. */
  read(): Promise<Reading>
  end(): void
}

export async function startChild(options: ServerOptions = {}): Promise<Child> {
  const process: ChildProcess = fork(new URL('served.ts', import.meta.url), [JSON.stringify(options)], {
    execArgv: ['--expose-gc'],
  })
  const [{ url, port }] = await once(process, 'message')
  return {
    url,
    port,
    async read() {
      process.send('read')
      const [reading] = await once(process, 'message')
      return reading
    },
    end: () => void process.kill('SIGKILL'),
  }
}
