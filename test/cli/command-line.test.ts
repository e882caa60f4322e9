/** Tests command-line parsing. `process.slow.test.ts` tests the server as a process. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { run } from '../../src/cli/command-line.ts'
import type { Start } from '../../src/cli/serve-command.ts'
import type { Option } from '../../src/sandbox/option.ts'
import { runCommandLine } from '../../src/serve.ts'
import { gatewaySetup } from '../../src/setup.ts'
import { hasExtra } from '../has-extra.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const folder = temporaryFolder()

let stdout: string
let stderr: string
beforeEach(() => {
  vi.stubEnv('CI', '')
  stdout = ''
  stderr = ''
  const out = (text: unknown) => {
    stdout += text
    return true
  }
  const error = (text: unknown) => {
    stderr += text
    return true
  }
  vi.spyOn(process.stdout, 'write').mockImplementation(out)
  vi.spyOn(process.stderr, 'write').mockImplementation(error)
  vi.spyOn(console, 'log').mockImplementation((text) => void out(`${text}\n`))
  vi.spyOn(console, 'error').mockImplementation((text) => void error(`${text}\n`))
})
afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

/** Options that `serve` passed to `startServer`. */
let started: Parameters<Start>[0] | undefined
const start: Start = async (options) => {
  started = options
  throw new Error('no server in this test')
}

/** Runs a command line in the folder and returns its exit code. */
async function exit(...args: string[]): Promise<number> {
  started = undefined
  process.exitCode = undefined
  await run(
    args.map((arg) => arg.replace('@', `${folder}/`)),
    start,
  )
  return Number(process.exitCode ?? 0)
}

async function optionsOf(...args: string[]) {
  await exit(...args)
  if (!started) throw new Error(stderr)
  const { gateway, ...rest } = started
  return { ...rest, options: gateway.options, scenarios: gateway.sandboxes.default.rules.names() }
}

const write = (name: string, text: string) => writeFile(join(folder, name), text)
const failing = (status: number) =>
  `name: mine\nrules:\n  - on: listProviders\n    fault: { name: status, status: ${status} }\n`

describe('serve', () => {
  it('reads flags that are not on the command line from environment variables', async () => {
    vi.stubEnv('UNDERSTUDY_PORT', '9001')
    vi.stubEnv('UNDERSTUDY_ALLOWED_HOST', 'one.example,two.example')
    vi.stubEnv('UNDERSTUDY_ONLY_SPECIFIED', '1')
    vi.stubEnv('UNDERSTUDY_NO_DEFAULT_SANDBOX', 'true')
    vi.stubEnv('UNDERSTUDY_QUIET', 'false')
    try {
      const { port, allowedHosts, options } = await optionsOf('--port', '9002')
      expect([port, allowedHosts]).toEqual([9002, ['one.example', 'two.example']])
      expect(options.limits).toMatchObject({ defaultSandbox: false })
      expect(options.onlySpecified).toBe(true)
      vi.stubEnv('UNDERSTUDY_PORT', 'x')
      expect(await exit()).toBe(2)
      expect(stderr).toContain("error: UNDERSTUDY_PORT must be 0 to 65535, got 'x'\n")
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it("warns of environment variables that resemble a flag's variable", async () => {
    for (const name of ['PROT', 'ALOWED_HOST', 'URL', 'PORT_4141_TCP', 'SERVICE_HOST'])
      vi.stubEnv(`UNDERSTUDY_${name}`, '1')
    vi.stubEnv('OTHER_TOOL_PROT', '1')
    try {
      await optionsOf()
      expect(stderr.match(/^warning: .*/gm)).toEqual([
        'warning: UNDERSTUDY_PROT sets no flag; did you mean UNDERSTUDY_PORT?',
        'warning: UNDERSTUDY_ALOWED_HOST sets no flag; did you mean UNDERSTUDY_ALLOWED_HOST?',
      ])
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('listens on port 4141 with seed 1 and no scenarios by default', async () => {
    for (const args of [[], ['serve']]) {
      expect(await optionsOf(...args)).toMatchObject({
        port: 4141,
        options: { seed: 1 },
        scenarios: [],
      })
    }
  })

  it.each([
    [['--port', '0', '--host', '::1'], { port: 0, host: '::1' }],
    [['--port', '65535'], { port: 65_535 }],
    [['--token', 't'], { token: 't' }],
    [['--allowed-host', 'a,b'], { allowedHosts: ['a', 'b'] }],
    [['--allowed-host', 'a', '--allowed-host', 'b'], { allowedHosts: ['a', 'b'] }],
    [['--allowed-origin', 'https://app.example'], { allowedOrigins: ['https://app.example'] }],
    [['--scenario', 'flaky', '--scenario', 'chaos'], { scenarios: ['chaos', 'flaky'] }],
    [['--seed', '7'], { options: { seed: 7 } }],
    [['--seed', '-7'], { options: { seed: -7 } }],
    [['--seed', 'seven'], { options: { seed: 'seven' } }],
    [['--seed', '7e'], { options: { seed: '7e' } }],
    [['--seed', '123456789012345'], { options: { seed: 123_456_789_012_345 } }],
    [['--seed', '1234567890123456'], { options: { seed: '1234567890123456' } }],
    [['--only-specified'], { options: { onlySpecified: true } }],
    [['--time-scale', '1.5'], { options: { timeScale: 1.5 } }],
    [['--no-console'], { console: false }],
    [['--tls-cert', 'a.pem', '--tls-key', 'b.pem'], { tlsCert: 'a.pem', tlsKey: 'b.pem' }],
    [['--no-default-sandbox'], { options: { limits: { defaultSandbox: false } } }],
  ])('parses %j', async (args, expected) => {
    expect(await optionsOf(...args)).toMatchObject(expected)
  })

  it.each([
    [['--time-scale', '-1'], '--time-scale must be 0 or more, got -1'],
    [['--time-scale', '1.'], "--time-scale must be a number, got '1.'"],
    [['--token', ''], '--token must not be empty: omit it for the default'],
    [['--latency', 'slow'], 'see --help, or set it in the --config file'],
  ])('rejects %j with a one-line error', async (args, line) => {
    expect(await exit(...args)).toBe(2)
    expect(stderr).toMatch(/^error: [^\n]*\n$/)
    expect(stderr).toContain(line)
  })

  it('logs requests, except control requests, unless --quiet is set', async () => {
    const { onRequest } = await optionsOf()
    const line = {
      method: 'GET',
      status: 200,
      durationMs: 1,
      rule: undefined,
      reason: undefined,
      delivery: 'complete',
    } as const
    onRequest?.({ ...line, path: '/__understudy/sandboxes' })
    onRequest?.({ ...line, path: '/api/v1/providers' })
    await vi.waitUntil(() => stdout !== '')
    expect(stdout).toBe('GET /api/v1/providers 200 1.0 ms\n')
    expect((await optionsOf('--quiet')).onRequest).toBeUndefined()
  })

  it('reads createGateway options from a YAML or JSON file, and lets flags override them', async () => {
    await write('mine.yaml', failing(418))
    await write('config.yaml', 'seed: 5\napiKeys: [one-key]\nscenarios:\n  - ./mine.yaml\n  - flaky\n')
    const custom = { name: 'custom', rules: [{ on: '*', fault: 'timeout' }] }
    await write('config.json', JSON.stringify({ seed: 5, timeScale: 0, scenarios: [custom] }))
    expect(await optionsOf('--config', '@config.yaml', '--seed', '6', '--scenario', 'chaos')).toMatchObject({
      options: { seed: 6, apiKeys: ['one-key'] },
      scenarios: ['chaos', 'flaky', 'mine'],
    })
    expect(await optionsOf('--config', '@config.json')).toMatchObject({
      options: { seed: 5, timeScale: 0 },
      scenarios: ['custom'],
    })
  })

  it.runIf(hasExtra('openapi'))(
    'reads the options of extras from a configuration file, whose paths are relative to it',
    async () => {
      await write(
        'api.json',
        '{"openapi":"3.1.0","info":{},"paths":{"/tides":{"get":{"operationId":"listTides"}}}}',
      )
      await write('openapi.yaml', 'openapi: ./api.json\n')
      await optionsOf('--config', '@openapi.yaml')
      expect(started?.gateway.operations.map(({ id }) => id)).toContain('listTides')
    },
  )

  it.runIf(hasExtra('recordings'))(
    'finds a folder of recordings relative to the configuration file',
    async () => {
      await write('recordings.yaml', 'recordings: ./none\n')
      await expect(optionsOf('--config', '@recordings.yaml')).rejects.toThrow(
        `${join(folder, 'none')}: no such file or folder`,
      )
    },
  )
})

describe('runCommandLine()', () => {
  it("runs the process's arguments, and survives output errors", async () => {
    const { argv } = process
    const streams = [process.stdout, process.stderr]
    const counts = () => streams.map((stream) => stream.listenerCount('error'))
    const before = counts()
    process.argv = ['node', 'gateway-understudy', 'scenarios', 'show', 'flaky']
    await runCommandLine()
    process.argv = argv
    expect(JSON.parse(stdout)).toMatchObject({ name: 'flaky' })
    expect(counts()).toEqual(before.map((count) => count + 1))
    for (const stream of streams) stream.off('error', stream.listeners('error').at(-1) as () => void)
  })
})

describe('the executable', () => {
  it.each([
    ['21.99.0', false],
    ['22.12.0', false],
    ['22.13.0', true],
    ['23.0.0', true],
  ])('requires Node 22.13: %s is new enough: %s', async (version, isNew) => {
    const { argv, versions, getBuiltinModule } = process
    const calls: string[] = []
    vi.spyOn(process, 'getBuiltinModule').mockImplementation(((name: string) =>
      name === 'node:module'
        ? { enableCompileCache: () => calls.push('enable'), flushCompileCache: () => calls.push('flush') }
        : getBuiltinModule(name)) as never)
    Object.defineProperty(process, 'versions', { value: { ...versions, node: version }, configurable: true })
    process.argv = ['node', 'gateway-understudy', '--version']
    await import(new URL(`../../src/bin.ts?${version}.ts`, import.meta.url).href)
    Object.defineProperty(process, 'versions', { value: versions, configurable: true })
    if (isNew) await vi.waitFor(() => expect(calls).toEqual(['enable', 'flush']))
    process.argv = argv
    expect(calls).toEqual(isNew ? ['enable', 'flush'] : [])
    expect([process.exitCode ?? 0, stderr]).toEqual(
      isNew ? [0, ''] : [2, `gateway-understudy needs Node 22.13 or newer; this is Node ${version}\n`],
    )
    expect(stdout).toMatch(isNew ? /^\d+\.\d+\.\d+\S*\n$/ : /^$/)
  })
})

describe('invalid input prints one line and sets exit code 2:', () => {
  it.each([
    [['--prot', '3'], "unknown option '--prot' (Did you mean --port?)"],
    [['--port', 'abc'], "--port must be 0 to 65535, got 'abc'"],
    [['--port', '65536'], '--port must be 0 to 65535, got 65536'],
    [['--port'], "option '--port <number>' argument missing: see --help"],
    [['--token', 'a b'], '--token must be visible ASCII characters without spaces'],
    [['--seed', ''], '--seed must not be empty'],
    [['scenario'], "Unknown command 'scenario'; did you mean 'scenarios'?"],
    [['start'], "Unknown command 'start': write serve, or see --help; --scenario activates a scenario"],
    [['4141'], "Unknown command '4141': to choose the port, write --port 4141"],
    [['--scenario', 'flak'], "Unknown scenario 'flak'; did you mean 'flaky'?"],
    [['--scenario', '@none.yaml'], '@none.yaml: no such file'],
    [
      ['--scenario', '@bad.yaml'],
      "@bad.yaml:3:5: rule 1 of 'mine': on: unknown operation 'listProvider'; did you mean 'listProviders'?",
    ],
    [['--config', '@none.yaml'], '@none.yaml: no such file'],
    [['--config', '@list.yaml'], '@list.yaml: must be a mapping of createGateway options'],
    [['--config', '@typo.yaml'], "@typo.yaml: unknown option 'timeScal'; did you mean 'timeScale'?"],
    [['--config', '@record.yaml'], '@record.yaml: options.fixtures.providers[0].slug is required'],
    [['--config', '@word.yaml'], '@word.yaml: scenarios must be a list, as in [flaky]'],
    [
      ['--config', '@scenarios.yaml'],
      "@scenarios.yaml: scenarios[1]: on: unknown operation 'listProvider'; did you mean 'listProviders'?",
    ],
    [['--config', '@fine.yaml', '--scenario', 'flak'], "Unknown scenario 'flak'; did you mean 'flaky'?"],
    [['scenarios', 'show', 'flak'], "Unknown scenario 'flak'; did you mean 'flaky'?"],
    [['validate'], "missing required argument 'files'"],
    [['--config', '@large.json'], '@large.json: is 64 MB; the maximum is 64 MB'],
  ])('%j', async (args, message) => {
    await write('large.json', '')
    await truncate(join(folder, 'large.json'), 67_108_865)
    await write('bad.yaml', failing(503).replace('listProviders', 'listProvider'))
    await write('list.yaml', '- 1\n')
    await write('word.yaml', 'scenarios: flaky\n')
    await write('fine.yaml', 'scenarios: [flaky]\n')
    await write('scenarios.yaml', 'scenarios: [flaky, { on: listProvider, fault: timeout }]\n')
    await write('typo.yaml', 'timeScal: 0\n')
    await write('record.yaml', 'fixtures: { providers: [{ name: x, privacy_policy_url: null }] }\n')
    expect(await exit(...args)).toBe(2)
    expect(stderr).toBe(`error: ${message.replace('@', `${folder}/`)}\n`)
    expect(stdout).toBe('')
  })
})

describe.skipIf(process.platform === 'win32')('a path that is no regular file', () => {
  const flags = [
    ['--scenario'],
    ['--config'],
    ['validate'],
    ...(hasExtra('openapi') ? [['--openapi']] : []),
    ...(hasExtra('recordings')
      ? [
          ['import', 'har'],
          ['import', 'sse', '@fine.yaml', '--request'],
          ['import', 'har', '@fine.yaml', '--redact'],
          ['record', '--upstream', 'http://127.0.0.1:9/v1', '--redact'],
          ['--recordings'],
          ['drift'],
        ]
      : []),
  ]
  it.each(flags.map((words) => ({ words })))(
    '$words refuses a pipe, a folder and a device',
    async ({ words }) => {
      await write('fine.yaml', 'scenarios: [flaky]\n')
      const pipe = join(folder, 'pipe.yaml')
      const zero = join(folder, 'zero.yaml')
      if (!existsSync(pipe)) execFileSync('mkfifo', [pipe])
      if (!existsSync(zero)) await symlink('/dev/zero', zero)
      await mkdir(join(folder, 'pipes.yaml'), { recursive: true })
      const recording = join(folder, 'pipes.yaml', 'getX-1.recording.jsonl')
      if (!existsSync(recording)) execFileSync('mkfifo', [recording])
      const readsFolder = ['--recordings', 'drift'].includes(String(words))
      for (const path of [pipe, zero, join(folder, 'pipes.yaml')]) {
        stderr = ''
        expect(await exit(...words, path)).toBe(2)
        expect(stdout + stderr).toMatch(
          readsFolder && path !== join(folder, 'pipes.yaml')
            ? /is not a folder\n/
            : /: is (not a f|a directory)/,
        )
      }
    },
  )
})

describe('other commands', () => {
  it('prints help with commands and flags, in groups', async () => {
    expect(await exit('--help')).toBe(0)
    const words = ['serve', 'validate', 'scenarios', '--port', '--host', '--seed', '--scenario']
    for (const word of [...words, '--token', '--quiet', '--json', '--config', '--allowed-host'])
      expect(stdout).toContain(word)
    const groups = [...stdout.matchAll(/^(\w+):$/gm)].map(([, group]) => group)
    const extras = ['Recordings']
    expect(groups.filter((group) => !extras.includes(group as string))).toEqual([
      'Options',
      'Commands',
      'Server',
      'Behaviour',
      'Examples',
    ])
    expect(stdout.match(/^ {2}\$ /gm)).toHaveLength(5)
    expect(stdout.match(/UNDERSTUDY_/g)).toHaveLength(2)
  })

  it('lists the flags of extras in the help', async () => {
    await exit('--help')
    const help = stdout.replace(/\s+/g, ' ')
    for (const { flag } of gatewaySetup.extras.flatMap(
      ({ options = {} }) => Object.values(options) as Option[],
    ))
      if (flag) expect(help).toContain(` ${flag} `)
  })

  it('prints the commands of scenarios', async () => {
    await exit('scenarios', '--help')
    expect(stdout).toMatchInlineSnapshot(`
      "Usage: gateway-understudy scenarios [options] [command]

      List bundled scenarios.

      Options:
        -h, --help   display help for command

      Commands:
        list         List bundled scenarios with their effect on clients.
        show <name>  Print a bundled scenario, as a starting point for your own.
      "
    `)
    stdout = ''
    await exit('--help')
    expect(stdout.match(/^ {2}help .*/gm)).toHaveLength(1)
  })

  it('prints no defaults and values that only code can use, and keeps the case of names', async () => {
    await exit('--help')
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) .*\S$/gm)].map(([, command = '']) => command)
    for (const command of commands) await exit(command, '--help')
    expect(stdout).not.toMatch(/default: [[{]|parsed|openAPI/)
  })

  it('reports every problem in invalid files as a line or as JSON, and exits with 2', async () => {
    await write('good.yaml', failing(503))
    await write('bad.yaml', failing(99).replace('listProviders', 'listProvider'))
    expect(await exit('validate', '@good.yaml', '@bad.yaml', '@none.json')).toBe(2)
    const lines = stderr.replaceAll(`${folder}/`, '').trim().split('\n')
    expect(lines.map((line) => line.split(': ')[0])).toEqual([
      expect.stringMatching(/^bad\.yaml:\d+:\d+$/),
      'none.json',
    ])
    expect(stdout).toBe('')
    expect(await exit('validate', '--json', '@bad.yaml')).toBe(2)
    expect(stdout).toBe(`${JSON.stringify(JSON.parse(stdout), null, 2)}\n`)
    expect(JSON.parse(stdout).problems).toMatchObject([
      {
        file: `${folder}/bad.yaml`,
        line: expect.any(Number),
        column: expect.any(Number),
        message: expect.any(String),
      },
    ])
  })

  it('escapes control characters in printed problems', async () => {
    const name = '\u001b[2J\u202e'
    await write('hostile.json', JSON.stringify({ name: 'mine', rules: [{ on: name, fault: 'status' }] }))
    expect(await exit('validate', '@hostile.json')).toBe(2)
    expect(stderr).toContain('\\u001b[2J\\u202e')
    expect(await exit('validate', '--json', '@hostile.json')).toBe(2)
    expect(JSON.parse(stdout).problems[0].message).toContain(name)
    expect(await exit(name)).toBe(2)
    expect(stdout + stderr).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u)
  })

  it('lists bundled scenarios, and prints one that validates', async () => {
    expect(await exit('scenarios')).toBe(0)
    expect(stdout).toMatch(/^flaky {2,}The first two requests get a 503/m)
    stdout = ''
    expect(await exit('scenarios', 'show', 'flaky')).toBe(0)
    expect(stdout).toBe(`${JSON.stringify(JSON.parse(stdout), null, 2)}\n`)
    await write('shown.json', stdout)
    expect(await exit('validate', '@shown.json')).toBe(0)
  })
})
