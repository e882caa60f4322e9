/** Tests what `serve` does with its surroundings: the host name, watched files, and the browser. */
import { spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync, type Stats, unwatchFile, watchFile, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openPage } from '../../src/cli/open-page.ts'
import { watchScenarios } from '../../src/cli/watch-scenarios.ts'
import { createGateway } from '../../src/index.ts'
import { runCommand } from './run-command.ts'

vi.mock(import('node:fs'), async (original) => ({
  ...(await original()),
  watchFile: vi.fn() as never,
  unwatchFile: vi.fn(),
}))
vi.mock(import('node:os'), async (original) => ({ ...(await original()), hostname: vi.fn() }))
vi.mock(import('node:child_process'), async (original) => ({
  ...(await original()),
  spawn: vi.fn() as never,
}))

it.each([
  ['understudy-3', 'n3'],
  ['12', 'n12'],
  ['a1-123456', 'n123456'],
])('serve --node auto takes the number at the end of the host name: %s is %s', async (name, node) => {
  vi.mocked(hostname).mockReturnValue(name)
  const { started } = await runCommand('--node', 'auto')
  expect(started?.gateway.options.sandboxes.node).toBe(node)
})

it('serve --node auto rejects a host name without a number at its end', async () => {
  for (const name of ['laptop', 'n1234567']) {
    vi.mocked(hostname).mockReturnValue(name)
    expect((await runCommand('--node', 'auto')).stderr).toBe(
      `error: --node auto requires a host name that ends in a number, got '${name}': set a name such as --node n3\n`,
    )
  }
})

it('watchScenarios() reloads a file if its time or size has changed, and keeps the scenario if the new content is invalid', () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'mine.yaml')
  const write = (name: string) => writeFileSync(file, `name: ${name}\nrules: [{ on: '*', fault: timeout }]\n`)
  write('old')
  const gateway = createGateway({ scenarios: [{ name: 'old', rules: [{ on: '*', fault: 'timeout' }] }] })
  const lines: string[] = []
  const stop = watchScenarios(gateway, [{ file, index: 0 }], (line) => lines.push(line))
  const [watched, options, listener] = vi.mocked(watchFile).mock.calls[0] as never as [
    string,
    object,
    (now: Partial<Stats>, before: Partial<Stats>) => void,
  ]
  expect([watched, options]).toEqual([file, { interval: 200 }])
  const names = () => gateway.sandboxes.default.rules.names()
  write('first')
  listener({ mtimeMs: 1, size: 1 }, { mtimeMs: 1, size: 1 })
  expect(names()).toEqual(['old'])
  listener({ mtimeMs: 2, size: 1 }, { mtimeMs: 1, size: 1 })
  expect(names()).toEqual(['first'])
  write('second')
  listener({ mtimeMs: 2, size: 2 }, { mtimeMs: 2, size: 1 })
  expect(names()).toEqual(['second'])
  writeFileSync(file, '')
  listener({ mtimeMs: 3, size: 0 }, { mtimeMs: 2, size: 2 })
  expect(names()).toEqual(['second'])
  expect(lines).toEqual([
    `reloaded ${file}`,
    `reloaded ${file}`,
    `kept the previous scenario: ${file}: is empty`,
  ])
  stop()
  expect(unwatchFile).toHaveBeenCalledExactlyOnceWith(file, listener)
})

it.each([
  ['linux', ['xdg-open', ['http://a/']]],
  ['darwin', ['open', ['http://a/']]],
  ['win32', ['cmd', ['/c', 'start', '', 'http://a/']]],
] as const)('openPage() opens the browser on %s, and prints a line if it cannot', (platform, command) => {
  const { platform: actual } = process
  Object.defineProperty(process, 'platform', { value: platform })
  onTestFinished(() => void Object.defineProperty(process, 'platform', { value: actual }))
  const child = Object.assign(new EventEmitter(), { unref: vi.fn() })
  vi.mocked(spawn)
    .mockReset()
    .mockReturnValue(child as never)
  const lines: string[] = []
  openPage('http://a/', (line) => lines.push(line))
  expect(spawn).toHaveBeenCalledExactlyOnceWith(...command, { stdio: 'ignore', detached: true })
  expect(child.unref).toHaveBeenCalledOnce()
  child.emit('error')
  expect(lines).toEqual(['Cannot open a browser: visit http://a/'])
})
