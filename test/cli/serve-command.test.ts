/** Tests the command `serve` after the server has started: its output, and its reaction to signals. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { run } from '../../src/cli/command-line.ts'
import { withFlags } from '../../src/cli/flags.ts'
import type { Start } from '../../src/cli/serve-command.ts'
import { optionsOf } from '../../src/gateway/extra.ts'
import { gatewaySetup } from '../../src/setup.ts'

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
