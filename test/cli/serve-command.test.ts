/** Tests the command `serve` after the server has started: its output, and its reaction to signals. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { run } from '../../src/cli/command-line.ts'
import { flagOf, scenarioFiles } from '../../src/cli/config-file.ts'
import type { Start } from '../../src/cli/serve-command.ts'
import { toFetch } from '../../src/delivery/fetch.ts'

let stdout: string
let handlers: Map<string, () => Promise<void>>
beforeEach(() => {
  stdout = ''
  handlers = new Map()
  // Keeps the command from compiling schemas after the test.
  vi.useFakeTimers({ toFake: ['setInterval'] })
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
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

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

describe('flagOf()', () => {
  it.each([
    ['allowedHosts', '--allowed-host'],
    ['allowedOrigins', '--allowed-origin'],
    ['extensions', '--extension'],
    ['scenarios', '--scenario'],
    ['timeScale', '--time-scale'],
    ['options.replay.upstream', '--upstream'],
  ])('returns the flag for %s: %s', (option, flag) => {
    expect(flagOf(option)).toBe(flag)
  })
})

it('scenarioFiles() returns the scenarios that are paths, with their position in the list', () => {
  const rule = { on: '*', fault: 'timeout' } as const
  expect(scenarioFiles(['flaky', './a.yaml', rule, 'b.json'])).toEqual([
    { file: './a.yaml', index: 1 },
    { file: 'b.json', index: 3 },
  ])
})

describe('serve', () => {
  it('prints one line with --json, otherwise the start screen, with the token unless it was set', async () => {
    await serve('--json')
    expect(JSON.parse(stdout)).toMatchObject({ ready: true, port: 4141, token: 'generated' })
    expect(vi.getTimerCount()).toBe(1)
    stdout = ''
    await serve()
    expect(stdout).toMatch(/^\nUnderstudy .* at http:\/\/localhost:4141\/api\/v1\n/)
    expect(stdout).toMatch(/ token +generated /)
    stdout = ''
    await serve('--token', 'secret')
    expect(stdout).toMatch(/ token +as set /)
  })

  it('waits 5 seconds for open replies after a signal, and not at all after the second', async () => {
    const { closes, sandboxes } = await serve('--json')
    await send('SIGINT')
    expect([closes, sandboxes.isDraining]).toEqual([[5000], false])
    expect(process.exit).toHaveBeenCalledWith(0)
    await send('SIGTERM')
    expect([closes, sandboxes.isDraining]).toEqual([[5000, 0], false])
  })

  it.each(['SIGTERM', 'SIGHUP'])(
    'drains after %s with --drain-ms, unless the signal is repeated',
    async (signal) => {
      const { closes, gateway, sandboxes } = await serve('--json', '--drain-ms', '1')
      await toFetch(gateway)('https://gateway.example/api/v1/providers')
      const drained = send(signal)
      expect([closes, sandboxes.isDraining]).toEqual([[], true])
      const stopped = send(signal)
      expect(closes).toEqual([5000])
      await Promise.all([drained, stopped])
      expect(closes).toEqual([5000, 0])
    },
  )

  it('stops when stdin closes, with --stop-with-stdin', async () => {
    const { stdin } = process
    vi.spyOn(stdin, 'resume').mockReturnValue(stdin)
    const once = vi.spyOn(stdin, 'once').mockReturnValue(stdin)
    const { closes } = await serve('--json')
    expect(once).not.toHaveBeenCalled()
    const stopping = await serve('--json', '--stop-with-stdin')
    const [event, stop] = once.mock.calls[0] as [string, () => Promise<void>]
    await stop()
    expect([event, stopping.closes, closes]).toEqual(['close', [5000], []])
  })
})
