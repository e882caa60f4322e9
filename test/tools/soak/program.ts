/** Runs the `serve` command as a separate process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { monotonic } from '../../../src/lib/clock.ts'

/** The server's resource usage, from /proc. */
export interface Vitals {
  /** Resident memory in bytes. */
  rss: number
  /** Number of open files and sockets. */
  descriptors: number
}

export interface Program {
  readonly url: string
  read(): Vitals
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
    read: () => ({
      rss: residentBytes(child.pid),
      descriptors: readdirSync(`/proc/${child.pid}/fd`).length,
    }),
    async end() {
      const from = monotonic()
      child.kill('SIGTERM')
      await once(child, 'exit')
      return monotonic() - from
    },
  }
}

export function residentBytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
}
