/**
 * Tests the single executable built from `dist`: runs the command-line and server suites, replays the golden transcript
 * over a socket, and checks the embedded files. Skipped on platforms where it cannot be built.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectGateway } from '../../../src/remote.ts'
import { describeProcess } from '../../cli/describe-process.ts'
import { expectCalls } from '../../golden/expect-golden.ts'
import { gateways } from '../../golden/requests.ts'
import { decode, play, stories, type Transcript } from '../../golden/transcript.ts'
import { overSocket } from '../../golden/transports.ts'
import { hasProgram } from '../../has-program.ts'
import { binaryPath, buildBinary } from './index.ts'

const root = join(import.meta.dirname, '../../..')

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-'))
  await buildBinary()
})
afterAll(() => rmSync(folder, { recursive: true }))

const binary = binaryPath()

/** Starts the server and returns its line of JSON. */
async function start(command: readonly string[]) {
  const [program = '', ...args] = command
  const child = spawn(program, [...args, '--port', '0', '--json', '--quiet'], { cwd: folder, env: {} })
  const [line] = await once(createInterface(child.stdout), 'line')
  const { url, baseUrl }: { url: string; baseUrl: string } = JSON.parse(line)
  return { url, baseUrl, [Symbol.dispose]: () => void child.kill('SIGKILL') }
}

describeProcess('the binary', () => binary)

// Excludes the files that call functions directly or set options without a flag, which the binary cannot be tested with.
const isSuite = (file: string) => !/\/(request-line|send|server-options|unread-body)\.test/.test(file)
const suites = [
  ...globSync('test/server/*.test.ts', { cwd: root }).filter(isSuite),
  'test/extras/tls/tls.slow.test.ts',
]

describe('the binary', () => {
  // The suites' `startServer` reads this variable when they are loaded, and when they run.
  process.env['UNDERSTUDY_BINARY'] = binary
  afterAll(() => {
    delete process.env['UNDERSTUDY_BINARY']
  })

  describe.each(suites)('passes %s', async (file) => {
    // Because of the query, the file is loaded again if this worker has already loaded it.
    await import(/* @vite-ignore */ `${join(root, file)}?binary`)
  })
})

describe('the binary', () => {
  it.each(['plain', 'storing', 'openrouter', 'strict'] as const)(
    "sends the golden transcript's bytes over a socket (%s)",
    async (name) => {
      const config = join(folder, `${name}.json`)
      const options = { seed: 1, timeScale: 0, baseUrl: 'https://gateway.example/api/v1', ...gateways[name] }
      writeFileSync(config, JSON.stringify(options))
      using server = await start([binary, '--config', config])
      const gateway = await connectGateway(server.url)
      const chosen = stories.filter(
        ({ transport, group }) => transport === 'socket' && group.gateway === name,
      )
      const transcript: Transcript = new Map()
      for (const story of chosen) await play(story, gateway, overSocket(server.baseUrl), transcript)
      const golden = decode()
      expect(transcript.size).toBeGreaterThan(40)
      // The control API hides keys.
      const hidden = (line: string) => line.replace(/"authorization":"[^"]*"/, '"authorization":"(hidden)"')
      // Between two processes, a reset can overtake the bytes sent before it.
      for (const key of transcript.keys())
        if (golden.get(key)?.some((line) => line.startsWith('Error ECONNRESET'))) transcript.delete(key)
      const expected = [...transcript.keys()].map(
        (key) => [key, (golden.get(key) ?? []).map(hidden)] as const,
      )
      expectCalls(transcript, new Map(expected))
    },
  )

  it('contains the console, scenarios and fixtures', async () => {
    using server = await start([binary, '--scenario', 'slow-stream'])
    const page = await fetch(`${server.url}/__understudy/`)
    const text = await page.text()
    expect(page.headers.get('content-type')).toContain('text/html')
    for (const [, file] of text.matchAll(/(?:src|href)="\.?\/?([\w/.-]+\.(?:js|css))"/g))
      expect((await fetch(new URL(file ?? '', page.url))).status, file).toBe(200)
    const headers = { authorization: 'Bearer any' }
    const { data } = await (await fetch(`${server.baseUrl}/providers`, { headers })).json()
    expect(data).toHaveLength(12)
  })

  it('reads YAML, and has the version of the sources', () => {
    const run = (...args: string[]) => spawnSync(binary, args, { cwd: folder, encoding: 'utf8', env: {} })
    writeFileSync(
      join(folder, 'rules.yaml'),
      'name: mine\nrules:\n  - on: listProviders\n    fault: timeout\n',
    )
    expect(run('validate', 'rules.yaml').stdout).toBe('rules.yaml is valid\n')
    expect(run('--version').stdout).toBe(
      execFileSync(process.execPath, [join(import.meta.dirname, '../../../src/serve.ts'), '--version'], {
        encoding: 'utf8',
      }),
    )
  })

  const script = readFileSync(join(root, 'test/consumers/shell/stream.sh'), 'utf8')
  it.runIf(hasProgram('curl'))('runs the shell example, of at most ten lines, without Node', () => {
    expect(script.trim().split('\n').length).toBeLessThanOrEqual(10)
    const home = mkdtempSync(join(tmpdir(), 'understudy-empty-'))
    const programs = join(home, 'programs')
    mkdirSync(programs)
    for (const name of ['curl', 'grep', 'sed', 'sh', 'sleep', 'tail'])
      symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(programs, name))
    copyFileSync(binary, join(home, 'gateway-understudy'))
    const run = (text: string) =>
      spawnSync('sh', ['-c', text], { cwd: home, env: { PATH: programs }, encoding: 'utf8', timeout: 60_000 })
    expect(run('command -v node').status).not.toBe(0)
    expect(run(script)).toMatchObject({ status: 0, stdout: '', stderr: '' })
    rmSync(home, { recursive: true })
  })
})
