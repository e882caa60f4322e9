/** Runs the recording commands as users and nightly jobs would, and checks output and exit codes. */

import { spawn } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readRecordingFolder } from '../../../src/extras/recordings/recordings.ts'
import { startServer } from '../../../src/serve.ts'
import { runCommand } from '../../cli/run-command.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { ask } from './streams.ts'

const folder = temporaryFolder()

let stderr = ''
afterEach(() => vi.unstubAllEnvs())

/** Runs a command, with `@` in its arguments replaced by the folder. Returns the exit code. */
async function exit(...args: string[]): Promise<number> {
  const result = await runCommand(...args.map((arg) => arg.replace('@', `${folder}/`)))
  stderr = result.stderr
  return result.code
}

const write = (name: string, value: unknown) =>
  writeFile(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value))

function recordProcess(upstream: string, out: string) {
  const program = join(import.meta.dirname, '../../../src/serve.ts')
  const flags = ['record', '--upstream', upstream, '--recordings', out, '--port', '0', '--json', '--allow-ci']
  return spawn(process.execPath, [program, ...flags], { env: { ...process.env, NODE_OPTIONS: '' } })
}

describe('record', () => {
  it('keeps recording when the reader of its output disconnects', async () => {
    await using server = await startServer()
    const out = join(folder, 'unread')
    const child = recordProcess(server.baseUrl, out)
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const code = new Promise((resolve) => child.on('close', resolve))
    try {
      const line = await new Promise<string>((resolve) =>
        child.stdout.setEncoding('utf8').once('data', resolve),
      )
      child.stdout.destroy()
      const { baseUrl } = JSON.parse(line)
      for (const path of ['/providers', '/presets/none', '/benchmarks']) await ask(baseUrl, path)
      child.kill('SIGTERM')
      expect(await code).toBe(0)
    } finally {
      child.kill('SIGKILL')
    }
    expect(await readdir(out)).toHaveLength(3)
    expect(stderr).toBe('')
  }, 30_000)

  it('warns of an upstream that does not end in /v1', async () => {
    vi.stubEnv('CI', 'true')
    await exit('record', '--upstream', 'https://gateway.example')
    expect(stderr).toMatch(
      /^warning: --upstream https:\/\/gateway\.example\/ does not end in \/api\/v1\. Did you mean https:\/\/gateway\.example\/api\/v1\?\n/,
    )
    await exit('record', '--upstream', 'https://gateway.example/v1/')
    expect(stderr).not.toContain('warning')
  })

  it.each([
    [['--upstream', 'https://gateway.example/api/v1'], 'CI is set'],
    [['--upstream', 'gateway'], 'base URL'],
    [[], '--upstream'],
    [
      ['--upstream', 'https://gateway.example/api/v1', '--allow-ci', '--key-env', 'NO_SUCH_KEY'],
      'NO_SUCH_KEY',
    ],
    [
      ['--upstream', 'https://gateway.example/api/v1', '--allow-ci', '--key-env', 'sk-live-abc'],
      'error: --key-env expects the name of an environment variable, not the key itself\n',
    ],
  ])('rejects %j with one line and exit code 2', async (flags, reason) => {
    vi.stubEnv('CI', 'true')
    expect(await exit('record', ...flags)).toBe(2)
    expect(stderr).toContain(reason)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})

describe('serve', () => {
  it.each([
    [['--recordings', '@none'], 'no such file or folder'],
    [['--upstream', 'ftp://a'], 'error: --upstream must be a base URL such as https://gateway.'],
  ])('rejects %j with exit code 2', async (flags, reason) => {
    expect(await exit('serve', ...flags)).toBe(2)
    expect(stderr).toContain(reason)
  })
})

describe('serve --recordings', () => {
  it('overrides the options in a configuration file one by one', async () => {
    vi.stubEnv('CI', '')
    const recordings = {
      from: folder,
      onUnmatched: 'simulate',
      upstream: 'http://127.0.0.1:9/v1',
      ignoreFields: ['a'],
    }
    await write('config.json', { recordings: { ...recordings, from: '.' } })
    const config = ['--config', join(folder, 'config.json')]
    const optionsFor = async (...args: string[]) =>
      (await runCommand(...config, ...args)).started?.gateway.options
    expect(await optionsFor()).toMatchObject({ recordings })
    const upstream = 'http://127.0.0.1:8/v1'
    expect(await optionsFor('--upstream', upstream)).toMatchObject({
      recordings: { ...recordings, upstream },
    })
    await write('config.json', { recordings: '.' })
    expect(await optionsFor('--upstream', upstream)).toMatchObject({ recordings: { from: folder, upstream } })
  })
})

describe('import', () => {
  it('applies --redact rules, and rejects an invalid expression in them', async () => {
    await write('reply.txt', 'data: ticket-4711\n\n')
    await write('rules.yaml', 'patterns: [{ name: ticket, matches: "ticket-[0-9]+" }]')
    const args = ['import', 'sse', '@reply.txt', '--request', '@ask.json', '--recordings', '@redacted']
    await write('ask.json', { path: '/responses', body: { a: 'ticket-12' } })
    expect(await exit(...args, '--redact', '@rules.yaml')).toBe(0)
    const [[, recording] = []] = readRecordingFolder(join(folder, 'redacted'))
    expect(JSON.stringify(recording)).not.toMatch(/ticket-\d/)
    await write('rules.yaml', 'headers: [""]')
    expect(await exit(...args, '--redact', '@rules.yaml')).toBe(2)
    expect(stderr).toContain('headers.0 must not be empty')
    await write('rules.yaml', 'patern: []')
    expect(await exit(...args, '--redact', '@rules.yaml')).toBe(2)
    expect(stderr).toContain("patern: unknown field; did you mean 'patterns'?")
    await write('rules.yaml', 'patterns: [{ name: ticket, matches: "ticket-(" }]')
    expect(await exit(...args, '--redact', '@rules.yaml')).toBe(2)
    expect(stderr).toContain('rules.yaml')
  })
})
