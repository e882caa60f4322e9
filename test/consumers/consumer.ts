/**
 * Sets up a user's project: copies it into a temporary folder, where npm installs the package's tarball and
 * its dependencies.
 */
import { type ExecFileException, execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { inject } from 'vitest'

export interface Consumer extends AsyncDisposable {
  readonly folder: string
  /** Runs a command in the folder. Does not throw if it fails. */
  run(command: string): Promise<Result>
  /** Reads a JSON file from the folder. */
  readJson(path: string): Promise<unknown>
}

export interface Result {
  code: number
  stdout: string
  stderr: string
}

/**
 * @param name Folder next to this file.
 * @param versions Versions that replace those in package.json.
 */
export async function install(name: string, versions: Record<string, string> = {}): Promise<Consumer> {
  const folder = await mkdtemp(join(tmpdir(), `understudy-${name}-`))
  await cp(join(import.meta.dirname, name), folder, { recursive: true })
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  Object.assign(manifest.devDependencies, versions, {
    'gateway-understudy': `file:${inject('packed').tarball}`,
  })
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest, null, 2))

  const run = (command: string) => runIn(folder, command)
  const { code, stdout, stderr } = await run('npm install --no-audit --no-fund --prefer-offline')
  if (code !== 0) throw new Error(`npm cannot install ${name}:\n${stdout}${stderr}`)
  const readJson = async (path: string) => JSON.parse(await readFile(join(folder, path), 'utf8'))
  return { folder, run, readJson, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

/** Runs a command in a folder. Does not throw if it fails. */
export function runIn(cwd: string, command: string): Promise<Result> {
  return new Promise((resolve) => {
    const options = { cwd, env: environment(), maxBuffer: 64 * 1024 * 1024 }
    execFile('/bin/sh', ['-c', command], options, (error: ExecFileException | null, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr })
    })
  })
}

/**
 * Returns this process's environment without npm's and the test runner's variables, and with this Node first
 * in the path.
 */
function environment(): NodeJS.ProcessEnv {
  const ours = /^(npm_(package|lifecycle|command|config_local_prefix|execpath)|INIT_CWD|VITEST|NODE_ENV|TEST)/
  const kept = Object.entries(process.env).filter(([name]) => !ours.test(name))
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter)
  return { ...Object.fromEntries(kept), PATH: path, CI: 'true', NO_COLOR: '1' }
}
