/**
 * Tests the server as a process: stdout, stderr, signals and exit codes. Runs against the sources and the
 * single executable.
 */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { symlink, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { startServer } from '../../src/serve.ts'
import { open } from '../call.ts'
import { hasExtra } from '../has-extra.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** Generous, because processes start slowly on a busy machine. */
const timeout = 15_000
vi.setConfig({ testTimeout: 2 * timeout })

interface Run {
  readonly child: ChildProcess
  stdout: string
  stderr: string
  readonly exit: Promise<number | null>
  /** Waits until stdout matches, and returns the match. */
  until(pattern: RegExp): Promise<RegExpExecArray>
}

/**
 * Declares the tests for a program.
 *
 * @param program Returns the program's path. Called when the tests run.
 */
export function describeProcess(name: string, program: () => string): void {
  describe(name, () => suite(program))
}

function suite(program: () => string): void {
  const folder = temporaryFolder()
  const running: ChildProcess[] = []
  afterEach(() => {
    for (const child of running.splice(0)) child.kill('SIGKILL')
  })

  function run(args: string[], file = program(), stdio: StdioOptions = 'pipe'): Run {
    const env = { ...process.env, NODE_OPTIONS: '' }
    const [command = file, ...before] = file.endsWith('.ts') ? [process.execPath, file] : [file]
    const child = spawn(command, [...before, ...args], { cwd: folder, env, stdio })
    running.push(child)
    const result: Run = {
      child,
      stdout: '',
      stderr: '',
      exit: new Promise((resolve) => child.on('close', resolve)),
      until: (pattern) => vi.waitUntil(() => pattern.exec(result.stdout), { timeout, interval: 10 }),
    }
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      result.stdout += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      result.stderr += text
    })
    return result
  }

  /** Waits until the server is ready, and returns its URL. */
  async function ready(server: Run): Promise<string> {
    const [, url] = await server.until(/at (http:\S+)\/api\/v1\n[\s\S]* try .*\n/)
    return url as string
  }

  const write = (name: string, text: string) => writeFile(join(folder, name), text)
  const statusOf = async (url: string) => (await open({ baseUrl: `${url}/api/v1` }, 'GET /providers')).status

  it('serve --stop-on-stdin-close stops when its stdin closes', { timeout }, async () => {
    const server = run(['--port', '0', '--json', '--quiet', '--stop-on-stdin-close'])
    const [line] = await server.until(/.+\n/)
    expect((await fetch(`${JSON.parse(line).url}/__understudy/health`)).status).toBe(200)
    server.child.stdin?.end()
    expect(await server.exit).toBe(0)
  })

  it('serve prints the start screen, then a line for each request except control requests', async () => {
    const server = run(['--port', '0', '--seed', '7', '--scenario', 'flaky', '--scenario', 'slow-stream'])
    const url = await ready(server)
    expect(server.stdout).toMatch(/^Understudy \d+\.\d+\.\d+ started in \d+ ms at http:\S+\/api\/v1$/m)
    expect(server.stdout).toMatch(/^ {2}API key +us-default-[0-9a-f]{16}/m)
    expect(server.stdout).toMatch(/^ {2}scenarios +slow-stream, flaky$/m)
    const [, address = '', authorization = '', body = ''] =
      /curl -N (\S+) -H 'authorization: ([^']+)' --json '([^']+)'/.exec(server.stdout) ?? []
    const headers = { authorization, 'content-type': 'application/json' }
    const statuses: number[] = []
    for (let turn = 0; turn < 3; turn++) {
      const response = await fetch(address, { method: 'POST', headers, body })
      statuses.push(response.status)
      if (response.ok) expect(await response.text()).toMatch(/data: \[DONE\]\n\n$/)
      await fetch(`${url}/__understudy/sandboxes`)
    }
    expect(statuses).toEqual([503, 503, 200])
    await server.until(/responses 200/)
    const lines = server.stdout.trim().split('\n').slice(-3)
    expect(lines).toEqual([
      expect.stringMatching(/^POST \/api\/v1\/responses 503 \d+(\.\d)? ms flaky#1$/),
      expect.stringMatching(/^POST \/api\/v1\/responses 503 \d+(\.\d)? ms flaky#1$/),
      expect.stringMatching(/^POST \/api\/v1\/responses 200 \d+(\.\d)? ms slow-stream#1$/),
    ])
    expect(server.stdout).not.toContain('\u001b')
  })

  it('serve --json prints one line of JSON with the actual port, and logs requests on stderr', async () => {
    const server = run([
      '--port',
      '0',
      '--json',
      '--seed',
      'word',
      '--scenario',
      'flaky',
      '--token',
      'secret',
    ])
    await server.until(/\n/)
    const ready = JSON.parse(server.stdout)
    expect(ready).toEqual({
      ready: true,
      port: expect.any(Number),
      url: `http://127.0.0.1:${ready.port}`,
      baseUrl: `http://127.0.0.1:${ready.port}/api/v1`,
      apiKey: expect.stringMatching(/^us-default-/),
      console: `http://127.0.0.1:${ready.port}/__understudy/`,
      token: 'secret',
      seed: 'word',
      scenarios: ['flaky'],
    })
    expect(await statusOf(ready.url)).toBe(503)
    await vi.waitUntil(() => server.stderr.includes('GET /api/v1/providers 503'))
    expect(server.stdout.trim().split('\n')).toHaveLength(1)
  })

  it.each(['SIGTERM', 'SIGHUP'] as const)(
    'serve finishes open replies after %s, accepts no new requests, and exits with 0',
    async (signal) => {
      const rule = { on: 'createResponse', fault: { name: 'slow-stream', perToken: 10 } }
      await write('slow.json', JSON.stringify({ name: 'slow', rules: [rule] }))
      const link = join(folder, signal + extname(program()))
      await symlink(program(), link)
      // Runs through a link, because npm installs executables as links.
      const server = run(['--port', '0', '--scenario', 'slow.json'], link)
      const url = await ready(server)
      const unread = await open({ baseUrl: `${url}/api/v1` }, 'POST /responses', {
        body: { model: 'a/b', input: 'Hello?', stream: true, max_output_tokens: 20 },
      })
      server.child.kill(signal)
      expect(await unread.text()).toMatch(/data: \[DONE\]\n\n$/)
      expect(await server.exit).toBe(0)
      expect(server.stderr).toBe('')
      await expect(statusOf(url)).rejects.toThrow()
    },
  )

  it('serve exits with 0 after SIGINT, and at once after a second one', async () => {
    await write('silent.json', '{"name":"silent","rules":[{"on":"*","fault":"timeout"}]}')
    const server = run(['--port', '0', '--host', '0.0.0.0', '--scenario', 'silent.json'])
    const url = await ready(server)
    const [, token] = /^ {2}token +(\S+)/m.exec(server.stdout) ?? []
    const control = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const unread = statusOf(url).catch(() => 'aborted')
    const wait = JSON.stringify({ operation: 'listProviders' })
    const waited = `${url}/__understudy/sandboxes/default/journal/wait`
    expect((await fetch(waited, { method: 'POST', headers: control, body: wait })).status).toBe(200)
    server.child.kill('SIGINT')
    // The server accepts no requests once it has received the first signal.
    await vi.waitUntil(
      () =>
        statusOf(url).then(
          () => false,
          () => true,
        ),
      { timeout },
    )
    server.child.kill('SIGINT')
    expect(await server.exit).toBe(0)
    expect(await unread).toBe('aborted')
  })

  it('serve prints one line and exits with 2 if the port is in use', async () => {
    await using server = await startServer()
    const second = run(['--port', String(server.port)])
    expect(await second.exit).toBe(2)
    expect(second.stderr).toBe(
      `error: Port ${server.port} is in use: choose another port, or 0 for any free port\n`,
    )
    expect(second.stdout).toBe('')
  })

  it('serve keeps running if the reader of its output closes the pipe', async () => {
    const server = run(['--port', '0'])
    const url = await ready(server)
    server.child.stdout?.destroy()
    server.child.stderr?.destroy()
    for (let turn = 0; turn < 5; turn++) expect(await statusOf(url)).toBe(200)
  })

  it('serve keeps running if its log cannot be written because the disk is full', async () => {
    const full = openSync('/dev/full', 'w')
    const server = run(['--port', '0', '--json'], program(), ['pipe', 'pipe', full])
    const [, url = ''] = await server.until(/"url":"(http:[^"]+)"/)
    for (let turn = 0; turn < 5; turn++) expect(await statusOf(url)).toBe(200)
    closeSync(full)
  })

  it('serve exits at once on SIGTERM if only stalled streams are open', async () => {
    const server = run(['--port', '0', '--scenario', 'stream-stall'])
    const url = await ready(server)
    const response = await open({ baseUrl: `${url}/api/v1` }, 'POST /responses', {
      body: { model: 'aurora/dawn-2', input: 'Hello?', stream: true },
    })
    const reader = response.body?.getReader()
    await reader?.read()
    const signalledAt = performance.now()
    server.child.kill('SIGTERM')
    await reader?.read().catch(() => {})
    expect(await server.exit).toBe(0)
    // Stopping takes about 50 ms on an idle machine. Other open replies would delay it by up to 5,000 ms.
    expect(performance.now() - signalledAt).toBeLessThan(2500)
  })

  it('serve includes the console unless --no-console is set', async () => {
    const url = await ready(run(['--port', '0']))
    expect((await fetch(`${url}/__understudy/`)).headers.get('content-type')).toContain('text/html')
    const without = run(['--port', '0', '--no-console'])
    expect((await fetch(`${await ready(without)}/__understudy/`)).status).toBe(404)
    expect(without.stdout).not.toContain('console')
  })

  it("run gives the command's SDKs a server, passes its exit code on, and prints what it called", async () => {
    await write(
      'app.mjs',
      `const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key, ANTHROPIC_BASE_URL: other } = process.env
      const send = (path) => fetch(url + path, { headers: { authorization: 'Bearer ' + key } }).then(({ status }) => status)
      console.log(other + '/v1' === url, key.startsWith('us-'), await send('/providers'), await send('/providers?x=1'), await send('/nothing'), ...process.argv.slice(2))
      process.exit(7)`,
    )
    const command = run(['run', '--scenario', 'flaky', '--', process.execPath, 'app.mjs', '--port'])
    expect(await command.exit).toBe(7)
    expect(command.stdout).toBe('true false 503 503 404 --port\n')
    expect(command.stderr).toMatch(
      /^\[understudy\] 3 calls:\n {2}2 × GET \/api\/v1\/providers 503\n {2}1 × GET \/api\/v1\/nothing 404: .+\n/,
    )
    expect(command.stderr.endsWith('\nFindings:\n  2 × gave-up\n')).toBe(hasExtra('verdicts'))
  })

  it.each([
    ['no-such-command', '0', 2, /^error: Cannot run 'no-such-command': no such command\n$/],
    [process.execPath, '0', 0, /^\[understudy\] No calls\. The command's clients must use OPENAI_BASE_URL, /],
    [
      process.execPath,
      "fetch(process.env.OPENAI_BASE_URL + '/models', { headers: { authorization: 'Bearer x' } }).then((reply) => reply.text()).catch(() => {})",
      0,
      /1 × GET \/api\/v1\/models 200 aborted-by-fault\n/,
    ],
  ])('run %s %s exits with %i', async (program, script, code, message) => {
    const command = run(['run', '--scenario', 'truncated-body', '--', program, '-e', script])
    expect(await command.exit).toBe(code)
    expect(command.stderr).toMatch(message)
  })

  it('run says why rules did not apply', async () => {
    const rules = [
      { on: 'createResponse', fault: 'timeout' },
      { on: 'listProviders', when: { query: { page: '2' } }, fault: 'timeout' },
      { on: 'listProviders', reply: { body: {} } },
    ]
    await write('mine.json', JSON.stringify({ name: 'mine', rules }))
    const send = `fetch(process.env.OPENAI_BASE_URL + '/providers', { headers: { authorization: 'Bearer x' } })`
    const command = run(['run', '--scenario', 'mine.json', '--', process.execPath, '-e', send])
    expect(await command.exit).toBe(0)
    expect(command.stderr).toBe(`[understudy] 1 call:
  1 × GET /api/v1/providers 200
  rule 1 of 'mine' matches createResponse, but only listProviders was called
  rule 2 of 'mine' expected query 'page' equal to '2', but the request has none
`)
  })

  it('run names unfinished scripts and requests that a vendor refuses', async () => {
    await write(
      'agent.json',
      JSON.stringify({ name: 'agent', rules: [{ on: 'text', script: [{ text: 'Hi' }, { text: 'Bye' }] }] }),
    )
    const body = { model: 'a/b', input: [{ type: 'function_call_output', call_id: 'x', output: '1' }] }
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer any' },
      body: JSON.stringify(body),
    }
    const send = `fetch(process.env.OPENAI_BASE_URL + '/responses', ${JSON.stringify(init)})`
    const command = run(['run', '--scenario', 'agent.json', '--', process.execPath, '-e', send])
    expect(await command.exit).toBe(0)
    const refused = command.stderr.includes('200: breaks tool-result-without-call: No tool call found')
    expect(refused).toBe(hasExtra('request-rules'))
    expect(command.stderr).toContain('is at turn 1 of 2 in conversation 1')
  })

  it('run forwards signals to the command', async () => {
    const wait =
      "process.on('SIGTERM', () => process.exit(3)); setInterval(() => {}, 1000); console.log('up')"
    const command = run(['run', '--', process.execPath, '-e', wait])
    await command.until(/up/)
    command.child.kill('SIGTERM')
    expect(await command.exit).toBe(3)
    const killed = run(['run', '--', process.execPath, '-e', "process.kill(process.pid, 'SIGKILL')"])
    expect(await killed.exit).toBe(128 + 9)
  })
}
