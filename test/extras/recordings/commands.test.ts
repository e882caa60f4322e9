/** Runs the recording commands as users and nightly jobs would, and checks output and exit codes. */

import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { run } from '../../../src/cli/command-line.ts'
import { readRecordingFolder } from '../../../src/extras/recordings/recordings.ts'
import { environmentHelp } from '../../../src/lib/flags.ts'
import { startServer } from '../../../src/serve.ts'
import { call } from '../../call.ts'
import { runCommand } from '../../cli/run-command.ts'
import { ask } from './streams.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'understudy-contract-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

let stdout: string
let stderr: string
beforeEach(() => {
  stdout = ''
  stderr = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += text
    return true
  })
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += text
    return true
  })
  vi.spyOn(console, 'log').mockImplementation((text) => {
    stdout += `${text}\n`
  })
  vi.spyOn(console, 'error').mockImplementation((text) => {
    stderr += `${text}\n`
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  process.exitCode = undefined
})

/** Runs a command, with `@` in its arguments replaced by the folder. Returns the exit code. */
async function exit(...args: string[]): Promise<number> {
  process.exitCode = undefined
  stdout = ''
  stderr = ''
  await run(
    args.map((arg) => arg.replace('@', `${folder}/`)),
    async () => {
      throw new Error('no server here')
    },
  )
  return Number(process.exitCode ?? 0)
}

const write = (name: string, value: unknown) =>
  writeFile(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value))

function recordProcess(upstream: string, out: string) {
  const program = join(import.meta.dirname, '../../../src/serve.ts')
  const flags = ['record', '--upstream', upstream, '--out', out, '--port', '0', '--json', '--allow-ci']
  return spawn(process.execPath, [program, ...flags], { env: { ...process.env, NODE_OPTIONS: '' } })
}

describe('record', () => {
  it('records until stopped and reports each exchange as JSON', async () => {
    await using server = await startServer()
    const out = join(folder, 'recorded')
    const child = recordProcess(server.baseUrl, out)
    const lines: string[] = []
    child.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(...text.trim().split('\n')))
    const code = new Promise((resolve) => child.on('close', resolve))
    try {
      await vi.waitUntil(() => lines.length > 0, { timeout: 15_000 })
      await ask(JSON.parse(lines[0] ?? '{}').baseUrl, '/providers')
      await vi.waitUntil(() => lines.length > 1, { timeout: 15_000 })
      child.kill('SIGTERM')
      expect(await code).toBe(0)
    } finally {
      child.kill('SIGKILL')
    }
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
      summary: { exchanges: 1, recorded: 1, skipped: 0, leaked: 0 },
    })
    expect(await readdir(out)).toEqual([
      expect.stringMatching(/^listProviders-[0-9a-f]{16}\.recording\.jsonl$/),
    ])
  }, 30_000)

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
    [['--upstream', 'https://gateway.example/api/v1', '--new', '--all'], 'cannot be used with'],
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
    [['--on-unmatched-recording', 'passthrough'], '--recordings'],
    [['--recordings', '.', '--on-unmatched-recording', 'passthrough'], '--upstream'],
    [['--recordings', '.', '--on-unmatched-recording', 'sometimes'], 'Allowed choices'],
    [['--recordings', '.', '--time-scale', 'fast'], 'A factor'],
    [['--recordings', '.', '--upstream', 'ftp://a'], 'error: --upstream must be a URL\n'],
    [['--recordings', ''], 'error: --recordings must not be empty\n'],
    [
      [
        '--recordings',
        '.',
        '--on-unmatched-recording',
        'passthrough',
        '--upstream',
        'https://gateway.example/api/v1',
      ],
      'CI is set',
    ],
  ])('rejects %j with exit code 2', async (flags, reason) => {
    vi.stubEnv('CI', 'true')
    expect(await exit('serve', ...flags)).toBe(2)
    expect(stderr).toContain(reason)
  })
})

describe('serve --recordings', () => {
  it.each([
    [['--on-unmatched-recording', 'simulate'], { replay: { onUnmatchedRecording: 'simulate' } }],
    [
      ['--on-unmatched-recording', 'passthrough', '--upstream', 'http://127.0.0.1:9/api/v1'],
      { replay: { onUnmatchedRecording: 'passthrough', upstream: 'http://127.0.0.1:9/api/v1' } },
    ],
  ])('accepts %j', async (args, options) => {
    vi.stubEnv('CI', '')
    const { started } = await runCommand('--recordings', folder, ...args)
    expect(started?.gateway.options).toMatchObject(options)
  })

  it('overrides the options in a configuration file one by one', async () => {
    const replay = {
      onUnmatchedRecording: 'simulate',
      upstream: 'http://127.0.0.1:9/v1',
      ignoreFields: ['a'],
    }
    await write('config.json', { recordings: folder, replay })
    const config = ['--config', join(folder, 'config.json')]
    const optionsFor = async (...args: string[]) =>
      (await runCommand(...config, ...args)).started?.gateway.options
    expect(await optionsFor()).toMatchObject({ recordings: folder, replay })
    const upstream = 'http://127.0.0.1:8/v1'
    expect(await optionsFor('--upstream', upstream)).toMatchObject({ replay: { ...replay, upstream } })
    expect(await optionsFor('--on-unmatched-recording', 'error')).toMatchObject({
      replay: { ...replay, onUnmatchedRecording: 'error' },
    })
  })
})

describe('import and export', () => {
  it('import event streams, and report unusable ones on one line', async () => {
    await write('ask.json', { path: '/responses', body: { a: 1 } })
    await write('reply.txt', 'data: 1\r\n\r\n')
    expect(await exit('import', 'sse', '@reply.txt', '--request', '@ask.json', '--out', '@imported')).toBe(0)
    expect(stdout).toMatch(/reply-[0-9a-f]{16}\.recording\.jsonl\n1 recording in /)
    await write('second.sse', 'data: 2\n\n')
    const streams = ['@reply.txt', '@second.sse', '@reply.txt']
    expect(await exit('import', 'sse', ...streams, '--out', '@imported', '--json')).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      written: ['reply.recording.jsonl', 'second.recording.jsonl', 'reply.2.recording.jsonl'],
      skipped: [],
      leaked: [],
    })

    await write('empty.txt', '{"error":{}}')
    expect(await exit('import', 'sse', '@empty.txt', '--out', '@imported')).toBe(2)
    expect(stderr).toContain('empty.txt: has no events')
    expect(await exit('import', 'curl', '@ask.json', '--out', '@imported')).toBe(2)
    expect(stderr).toContain('Allowed choices are har, sse, journal')
    expect(await exit('import', 'har', '@none.har', '--out', '@imported')).toBe(2)
    expect(stderr).toContain('no such file')
    await write('request.json', { path: 'responses' })
    expect(
      await exit('import', 'sse', '@reply.txt', '--request', '@request.json', '--out', '@imported'),
    ).toBe(2)
    expect(stderr).toMatch(/request\.json:1:\d+: path: a path must start with \//)
    expect(await exit('import', 'har', '@a.har', '--request', '@ask.json', '--out', '@imported')).toBe(2)
    expect(stderr).toContain('--request is for import sse')
  })

  it("accept a request's query with or without the question mark", async () => {
    await write('reply.txt', 'data: 1\n\n')
    for (const [place, query] of ['', 'a=1', '?a=1'].entries()) {
      await write('request.json', { method: 'get', path: '/providers', query })
      const out = `@queries-${place}`
      expect(await exit('import', 'sse', '@reply.txt', '--request', '@request.json', '--out', out)).toBe(0)
      const [[, recording] = []] = readRecordingFolder(join(folder, `queries-${place}`))
      expect(recording?.request).toMatchObject({ method: 'GET', query: query === '' ? '' : '?a=1' })
    }
  })

  it('apply --redact rules, and reject an invalid expression in them', async () => {
    await write('reply.txt', 'data: ticket-4711\n\n')
    await write('rules.yaml', 'patterns: [{ name: ticket, matches: "ticket-[0-9]+" }]')
    const args = [
      'import',
      'sse',
      '@reply.txt',
      '--request',
      '@ask.json',
      '--out',
      '@redacted',
      '--redact-text',
    ]
    await write('ask.json', { path: '/responses', body: { a: 'ticket-12' } })
    expect(await exit(...args, '--redact', '@rules.yaml')).toBe(0)
    const [[, recording] = []] = readRecordingFolder(join(folder, 'redacted'))
    expect(JSON.stringify(recording)).not.toMatch(/ticket-\d/)
    for (const [rules, problem] of [
      ['headers: [""]', 'headers.0 must not be empty'],
      ['patterns: [{ name: "", matches: a }]', 'patterns.0.name must not be empty'],
      ['patterns: [{ name: a, matches: "" }]', 'patterns.0.matches must not be empty'],
      [
        `patterns: [{ name: a, matches: ${'a'.repeat(501)} }]`,
        'patterns.0.matches must have at most 500 characters',
      ],
    ] as const) {
      await write('rules.yaml', rules)
      expect(await exit(...args, '--redact', '@rules.yaml')).toBe(2)
      expect(stderr).toContain(problem)
    }
    const [header, name, matches] = ['h', 'n', 'm'.repeat(500)]
    await write('rules.json', { headers: [header], patterns: [{ name, matches }] })
    expect(await exit(...args, '--redact', '@rules.json')).toBe(0)
    await write('rules.yaml', 'patterns: [{ name: ticket, matches: "ticket-(" }]')
    expect(await exit(...args, '--redact', '@rules.yaml')).toBe(2)
    expect(stderr).toContain('rules.yaml')
  })

  it('convert a journal entry to a recording, a rule and a fixture', async () => {
    await using server = await startServer()
    await ask(server.baseUrl, '/providers')
    await write('journal.json', { data: server.gateway.journal.entries() })
    for (const [form, has] of [
      ['recording', '"recording":1'],
      ['rule', '\n  "rules": [\n    {\n'],
      ['fixture', '"providers"'],
    ] as const) {
      expect(await exit('export', '@journal.json', '--as', form)).toBe(0)
      expect(stdout).toContain(has)
    }
    expect(await exit('export', '@journal.json', '--entry', 'req_none')).toBe(2)
    expect(stderr).toBe(`error: ${folder}/journal.json: has no entry 'req_none'\n`)

    await call(server, 'GET /presets/none')
    const entries = server.gateway.journal.entries()
    await write('list.json', entries)
    expect(await exit('export', '@list.json', '--as', 'recording')).toBe(0)
    expect(stdout).toContain('"operation":"getPreset"')
    expect(await exit('export', '@list.json', '--as', 'recording', '--entry', entries[0]?.id ?? '')).toBe(0)
    expect(stdout).toContain('"operation":"listProviders"')
    expect(await exit('export', '@list.json', '--as', 'fixture')).toBe(2)
    expect(stderr).toContain(`error: ${folder}/list.json: entry '${entries[1]?.id}': Only a 200 reply from`)
    for (const [name, content, problem] of [
      ['empty.json', {}, 'has no entry'],
      ['broken.json', [{ id: 'a' }], "entry 'a': method: Is required"],
      ['none.json', undefined, 'no such file'],
    ] as const) {
      if (content) await write(name, content)
      expect(await exit('export', `@${name}`, '--as', 'recording')).toBe(2)
      expect(stderr).toBe(`error: ${folder}/${name}: ${problem}\n`)
    }
  })
})

describe('scan', () => {
  it('exits with 0, 1 or 2, and never prints a secret', async () => {
    const secret = 'sk-or-v1-0123456789abcdef0123456789'
    await rm(join(folder, 'clean'), { recursive: true, force: true })
    await mkdir(join(folder, 'clean'))
    await write('clean/a.txt', 'max_output_tokens: 16')
    expect(await exit('scan', '@clean')).toBe(0)
    await rm(join(folder, 'leaking'), { recursive: true, force: true })
    await mkdir(join(folder, 'leaking'))
    await write('leaking/a.txt', `one\n${secret}\n`)
    expect(await exit('scan', '@leaking')).toBe(1)
    expect(stdout).toMatch(/leaking\/a\.txt:2: api key \(sk-\)/)
    expect(stdout + stderr).not.toContain(secret)
    expect(await exit('scan', '@leaking', '--json')).toBe(1)
    expect(JSON.parse(stdout).leaks).toMatchObject([{ line: 2 }])
    expect(await exit('scan', '@leaking', '--quiet')).toBe(1)
    expect(stdout).toMatch(/^\S*leaking\/a\.txt:2: api key \(sk-\)\n$/)
    expect(await exit('scan', '@clean', '--quiet')).toBe(0)
    expect(stdout).toBe('')
    expect(await exit('scan', '@nowhere')).toBe(2)
    expect(stderr).toBe(`error: ${folder}/nowhere: no such file or folder\n`)
    const summary = async (path: string) => {
      await exit('scan', path)
      return stdout.trim().split('\n').at(-1)
    }
    expect(await summary('@clean')).toBe('1 file: no secrets found')
    expect(await summary('@leaking')).toBe('1 file: 1 secret found')
    await write('leaking/b.txt', `${secret}\n${secret}`)
    expect(await summary('@leaking')).toBe('2 files: 3 secrets found')
    await write('clean/c.txt', 'x')
    expect(await summary('@clean')).toBe('2 files: no secrets found')
    vi.stubEnv('MY_SECRET', 'just some words')
    await write('clean/b.txt', 'just some words')
    expect(await exit('scan', '@clean')).toBe(1)
    expect(stdout).toContain('environment MY_SECRET')
  })

  it('exits with 2 and names the file if it cannot be read, but with 1 if another contains a secret', async () => {
    await rm(join(folder, 'cut'), { recursive: true, force: true })
    await mkdir(join(folder, 'cut/deep'), { recursive: true })
    await writeFile(join(folder, 'cut/deep/a.gz'), Buffer.from([0x1f, 0x8b, 8, 0]))
    expect(await exit('scan', '@cut')).toBe(2)
    expect([stdout, stderr]).toEqual([
      '1 file: no secrets found\n',
      `${folder}/cut/deep/a.gz: cannot be read: Z_BUF_ERROR\n`,
    ])
    await write('cut/b.txt', 'sk-or-v1-0123456789abcdef0123456789')
    expect(await exit('scan', '@cut', '--json')).toBe(1)
    expect(stdout).toBe(
      `${JSON.stringify(
        {
          files: 2,
          leaks: [{ file: `${folder}/cut/b.txt`, line: 1, kind: 'api key (sk-)' }],
          unread: [{ file: `${folder}/cut/deep/a.gz`, reason: 'Z_BUF_ERROR' }],
        },
        null,
        2,
      )}\n`,
    )
    expect(await exit('scan', '@cut/b.txt', '--quiet')).toBe(1)
    expect(stdout).toBe(`${folder}/cut/b.txt:1: api key (sk-)\n`)
  })
})

describe('profile', () => {
  it('prints the latencies of recordings', async () => {
    await write('ask.json', { path: '/responses', body: { model: 'a/b', stream: true } })
    await write('reply.txt', 'data: {"response":{"usage":{"output_tokens":7}}}\n\ndata: [DONE]\n\n')
    await rm(join(folder, 'latencies'), { recursive: true, force: true })
    await exit('import', 'sse', '@reply.txt', '--request', '@ask.json', '--out', '@latencies')
    expect(await exit('profile', '@latencies')).toBe(0)
    const all = (value: number) => ({ p10: value, p50: value, p90: value, p99: value })
    const model = {
      samples: 1,
      firstByteMs: all(0),
      totalMs: all(0),
      bytes: all(64),
      events: all(2),
      tokens: all(7),
    }
    expect(stdout).toBe(`${JSON.stringify({ profile: 1, models: { '*': model, 'a/b': model } }, null, 2)}\n`)
    expect(await exit('profile', '@nothing-here')).toBe(2)
    await mkdir(join(folder, 'no-latencies'), { recursive: true })
    expect(await exit('profile', '@no-latencies')).toBe(2)
    expect(stderr).toBe(`error: ${folder}/no-latencies: no recording has a complete, successful reply\n`)
  })
})

it('every recording command prints its help, with defaults', async () => {
  const defaults: Record<string, string[]> = {}
  for (const command of ['record', 'import', 'export', 'scan', 'drift', 'profile']) {
    expect(await exit(command, '--help')).toBe(0)
    expect(stdout).toContain(`gateway-understudy ${command}`)
    const texts = stdout.replace(/\s+/g, ' ').matchAll(/default: ([^)]*)\)/g)
    defaults[command] = [...texts].map(([, text = '']) => text)
    expect(stdout.includes(environmentHelp), command).toBe(command === 'record')
  }
  expect(defaults).toEqual({
    record: [
      '"recordings"',
      "the client's key",
      '"neutral"',
      '4142',
      '"127.0.0.1"',
      'generated unless listening on loopback',
      '120000',
    ],
    import: ['"recordings"', '"/api/v1"', '"neutral"'],
    export: ['"recording"', 'the last entry'],
    scan: [],
    drift: ['0.05', '"breaking"'],
    profile: [],
  })
  expect(await readDocument()).toContain('gateway-understudy drift')
})

function readDocument(): Promise<string> {
  return readFile(join(import.meta.dirname, '../../../src/extras/recordings/README.md'), 'utf8')
}
