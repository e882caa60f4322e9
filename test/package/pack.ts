/** Packs the package once for all slow tests, as npm would publish it. Global setup for the `slow` project. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

export interface Packed {
  /** The tarball's path. */
  tarball: string
  /** The unpacked package's folder. */
  folder: string
  /** The tarball's size in bytes. */
  size: number
  /** Paths of the package's files. */
  files: string[]
}

declare module 'vitest' {
  interface ProvidedContext {
    packed: Packed
  }
}

const execute = promisify(execFile)

export default async function pack(project: TestProject): Promise<() => Promise<void>> {
  const home = await mkdtemp(join(tmpdir(), 'understudy-pack-'))
  const options = ['--json', '--foreground-scripts=false', '--pack-destination', home]
  // Vitest sets NODE_ENV to 'test', with which Vite would build the console for development.
  const env = { ...process.env, NODE_ENV: 'production' }
  const { stdout } = await execute('npm', ['pack', ...options], { env })
  const [{ filename, size, files }] = JSON.parse(stdout)
  const tarball = join(home, filename)
  await execute('tar', ['xzf', tarball, '-C', home])
  const paths = files.map(({ path }: { path: string }) => path)
  project.provide('packed', { tarball, folder: join(home, 'package'), size, files: paths })
  return () => rm(home, { recursive: true })
}
