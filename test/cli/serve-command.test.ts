/** Tests the command `serve` after the server has started: its output, and its reaction to signals. */
import { unwatchFile } from 'node:fs'
import { mkdtemp, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { run } from '../../src/cli/command-line.ts'
import { withFlags } from '../../src/cli/flags.ts'
import type { Start } from '../../src/cli/serve-command.ts'
import { watchScenarios } from '../../src/cli/watch-scenarios.ts'
import { toFetch } from '../../src/delivery/fetch.ts'
import { optionsOf } from '../../src/gateway/extra.ts'
import { gatewaySetup } from '../../src/setup.ts'
import { call } from '../call.ts'

let stdout: string
let handlers: Map<string, () => Promise<void>>
beforeEach(() => {
  stdout = ''
  handlers = new Map()
  const write = (text: unknown) => {
    stdout += text
    return true
  }
  vi.spyOn(process.stdout, 'write').mockImplementation(write)
  vi.spyOn(console, 'log').mockImplementation((text) => void write(`${text}\n`))
  vi.spyOn(process, 'exit').mockImplementation(() => undefined as never)
  vi.spyOn(process, 'on').mockImplementation((event, handler) => {
    handlers.set(String(event), handler as () => Promise<void>)
    return process
  })
})
afterEach(() => vi.restoreAllMocks())

/** Runs `serve` without a socket. */
async function serve(...flags: string[]) {
  const closes: number[] = []
  let gateway: Parameters<Start>[0]['gateway'] | undefined
  await run(['serve', ...flags], async (options) => {
    gateway = options.gateway
    const url = 'http://localhost:4141'
    return {
      gateway: options.gateway,
      port: 4141,
      url,
      baseUrl: `${url}/api/v1`,
      token: options.token ?? 'generated',
      close: async (graceMs) => void closes.push(graceMs),
    }
  })
  if (!gateway) throw new Error(stdout)
  return { closes, gateway, sandboxes: gateway.sandboxes }
}

const send = async (signal: string) => handlers.get(signal)?.()

const failing = (status: number) =>
  `name: mine\nrules:\n  - on: listProviders\n    fault: { name: status, status: ${status} }\n`

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'understudy-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

describe('watchScenarios()', () => {
  it('serve --watch warns without a scenario file', async () => {
    const lines: string[] = []
    vi.spyOn(console, 'error').mockImplementation((text) => void lines.push(String(text)))
    await serve('--json', '--watch', '--scenario', 'stream-cut')
    expect(lines.join('')).toContain('--watch has no effect without a scenario file')
  })

  it('reloads a file when its time or size changes, and keeps the scenario if the file is invalid', async () => {
    const file = join(await temporaryFolder(), 'mine.yaml')
    /** Replaces the file in one step. */
    const replace = async (text: string, seconds: number) => {
      await writeFile(`${file}.new`, text)
      await utimes(`${file}.new`, seconds, seconds)
      await rename(`${file}.new`, file)
    }
    await replace(failing(418), 1000)
    const { gateway } = await serve('--json', '--scenario', 'stream-cut', '--scenario', file)
    const status = async () => (await call({ fetch: toFetch(gateway) }, 'GET /providers')).status
    const lines: string[] = []
    const unwatch = () => unwatchFile(file)
    watchScenarios(gateway, ['stream-cut', file as './a.yaml'], (line) => lines.push(line), 5)
    onTestFinished(unwatch)
    const count = () => process.getActiveResourcesInfo().filter((name) => name === 'StatWatcher').length
    const before = count()
    // The watch reads the file's time before it reports a change.
    await stat(file)
    expect(await status()).toBe(418)

    await replace(failing(419), 2000)
    await expect.poll(() => lines).toEqual([`reloaded ${file}`])
    expect(await status()).toBe(419)

    await replace(`${failing(420)}\n`, 2000)
    await expect.poll(() => lines).toEqual(Array(2).fill(`reloaded ${file}`))
    expect(await status()).toBe(420)

    await replace('rules: 1', 3000)
    await expect
      .poll(() => lines.slice(2))
      .toEqual([expect.stringMatching(/^kept the previous scenario: .*mine\.yaml/)])
    expect(await status()).toBe(420)
    unwatch()
    expect(count()).toBe(before - 1)
  })
})

it('withFlags() replaces the options in a message by their flags', () => {
  const message = 'options.seed, options.scenarios[0], options.timeScale and options.clock'
  expect(withFlags(message, optionsOf(gatewaySetup.extras))).toBe(
    '--seed, options.scenarios[0], --time-scale and options.clock',
  )
})

describe('serve', () => {
  it('prints one line with --json, otherwise the start screen, with the token unless it was set', async () => {
    await serve('--json')
    expect(JSON.parse(stdout)).toMatchObject({ ready: true, port: 4141, token: 'generated' })
    stdout = ''
    await serve()
    expect(stdout).toMatch(/^\nUnderstudy .* at http:\/\/localhost:4141\/api\/v1\n/)
    expect(stdout).toMatch(/ token +generated /)
    stdout = ''
    await serve('--token', 'secret')
    expect(stdout).toMatch(/ token +as set /)
  })

  it('waits 5 seconds for open replies after a signal, and not at all after the second', async () => {
    const { closes } = await serve('--json')
    await send('SIGINT')
    expect(closes).toEqual([5000])
    expect(process.exit).toHaveBeenCalledWith(0)
    await send('SIGTERM')
    expect(closes).toEqual([5000, 0])
  })

  it('watches scenario files with --watch', async () => {
    const file = join(await temporaryFolder(), 'mine.yaml')
    await writeFile(file, failing(418))
    const count = () => process.getActiveResourcesInfo().filter((name) => name === 'StatWatcher').length
    const before = count()
    await serve('--json', '--scenario', file)
    expect(count()).toBe(before)
    await serve('--json', '--scenario', file, '--watch')
    expect(count()).toBe(before + 1)
    unwatchFile(file)
  })

  it('stops when stdin closes, with --stop-on-stdin-close', async () => {
    const { stdin } = process
    vi.spyOn(stdin, 'resume').mockReturnValue(stdin)
    const once = vi.spyOn(stdin, 'once').mockReturnValue(stdin)
    const { closes } = await serve('--json')
    expect(once).not.toHaveBeenCalled()
    const stopping = await serve('--json', '--stop-on-stdin-close')
    const [event, stop] = once.mock.calls[0] as [string, () => Promise<void>]
    await stop()
    expect([event, stopping.closes, closes]).toEqual(['close', [5000], []])
  })
})
