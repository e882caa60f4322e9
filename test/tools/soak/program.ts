/** Runs the `serve` command as a separate process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { monotonic } from '../../../src/lib/clock.ts'

/** The server's resource usage. Memory is in bytes. */
export interface Vitals {
  rss: number
  heapUsed: number
  /** Number of open files and sockets. NaN if the system has no /proc. */
  descriptors: number
  /** 99th percentile of the event loop delay since the last reading, in milliseconds. */
  delayMs: number
}

export interface Program {
  readonly url: string
  read(): Promise<Vitals>
  /** Sends SIGTERM, and returns the time until the process exits in milliseconds. */
  end(): Promise<number>
}

const serve = join(import.meta.dirname, '../../../src/serve.ts')

export async function startProgram(...flags: string[]): Promise<Program> {
  const child = spawn(process.execPath, [serve, '--port', '0', '--json', '--quiet', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  const { url } = JSON.parse(String(line))
  return {
    url,
    async read() {
      const text = await (await fetch(`${url}/__understudy/metrics`)).text()
      const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
      const files = `/proc/${child.pid}/fd`
      return {
        rss: figure('process_resident_memory_bytes'),
        heapUsed: figure('understudy_heap_used_bytes'),
        descriptors: existsSync(files) ? readdirSync(files).length : Number.NaN,
        delayMs: 1000 * figure('understudy_event_loop_lag_seconds{share="0.99"}'),
      }
    },
    async end() {
      const from = monotonic()
      child.kill('SIGTERM')
      await once(child, 'exit')
      return monotonic() - from
    },
  }
}
