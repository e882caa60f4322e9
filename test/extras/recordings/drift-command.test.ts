/** Runs `drift` as users and nightly jobs would, and compares its output and exit codes. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { apiDocument } from '../../../src/control/documents.ts'
import { operations } from '../../../src/operations/index.ts'
import { startServer } from '../../../src/serve.ts'
import { runCommand } from '../../cli/run-command.ts'
import { startUpstream } from './streams.ts'

let folder: string
const write = (name: string, value: unknown) =>
  writeFile(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value))

/** Returns Understudy's document without `GET /benchmarks`, with additional paths. */
const documentWith = (paths: object, { '/benchmarks': _, ...others }: Record<string, object>) => ({
  ...apiDocument(),
  paths: { ...others, ...paths },
})
const credits = { '/credits': { get: { operationId: 'getCredits', responses: {} } } }
const recorded = (dialect: string) =>
  [
    { recording: 1, operation: 'listProviders', dialect, key: 'a', redacted: [] },
    { request: { method: 'GET', path: '/providers', query: '', headers: {} } },
    { reply: { ms: 1, status: 200, headers: { 'content-type': 'application/json' } } },
    { ms: 1, text: '{}' },
    { end: 'fin', ms: 2, bytes: 2 },
  ]
    .map((line) => JSON.stringify(line))
    .join('\n')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'understudy-drift-command-'))
  const { paths } = apiDocument() as { paths: Record<string, object> }
  await write('same.json', apiDocument())
  await write('removed.json', documentWith({}, paths))
  await write('added.json', { ...apiDocument(), paths: { ...paths, ...credits } })
  await write('broken.yaml', 'paths: [')
  await write('empty.json', {})
  await mkdir(join(folder, 'recordings'))
  for (const dialect of ['neutral', 'other'])
    await write(`recordings/${dialect}.recording.jsonl`, recorded(dialect))
})
afterAll(() => rm(folder, { recursive: true }))
afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

/** Runs `drift` with `@` in its arguments replaced by the folder, and returns the exit code and output. */
async function drift(line: string) {
  const args = line.split(' ').map((arg) => arg.replace('@', `${folder}/`))
  const { code, stdout, stderr } = await runCommand('drift', ...args)
  return [code, (stdout + stderr).replaceAll(`${folder}/`, '@')]
}

const count = operations.length
const isRemoved =
  'breaking  listBenchmarks operation operation-removed: GET /benchmarks is not documented (document; Understudy is wrong)\n'
const removed = `1 breaking, 0 additive, 0 info in ${count - 1} document operations`
const isAdded =
  'additive  getCredits operation operation-added: GET /credits is documented but not supported (document; Understudy is wrong)\n'
const hasNoData =
  'breaking  listProviders reply 200 data field-removed: is missing (recordings; Understudy is wrong)\n'
const noRecordings = 'could not check: @missing: no such file or folder\n'
const noReply = 'could not check: recordings: no complete reply to a known operation\n'

describe('drift', () => {
  it.each([
    ['--spec @same.json', 0, `No drift in ${count} document operations\n`],
    ['--spec @removed.json', 1, `${isRemoved}${removed}\n`],
    ['--spec @removed.json --quiet', 1, `${removed}\n`],
    [
      '--spec @added.json',
      0,
      `${isAdded}0 breaking, 1 additive, 0 info in ${count + 1} document operations\n`,
    ],
    ['--spec @added.json --fail-on any --quiet', 1, expect.any(String)],
    [
      '--spec @missing.json',
      2,
      'could not check: @missing.json: no such file\nNothing was checked; 1 not checked\n',
    ],
    [
      '--spec @broken.yaml',
      2,
      'could not check: @broken.yaml:1:9: not YAML: a bracket is not closed\nNothing was checked; 1 not checked\n',
    ],
    [
      '--spec @empty.json',
      2,
      'could not check: @empty.json: is not an OpenAPI document: it has no paths\nNothing was checked; 1 not checked\n',
    ],
    [
      '--spec http://127.0.0.1:9/a',
      2,
      'could not check: http://127.0.0.1:9/a: cannot be fetched: bad port\nNothing was checked; 1 not checked\n',
    ],
    ['--recordings @recordings', 1, `${hasNoData}1 breaking, 0 additive, 0 info in 2 recorded replies\n`],
    [
      '--recordings @recordings --dialect neutral',
      1,
      `${hasNoData}1 breaking, 0 additive, 0 info in 1 recorded replies\n`,
    ],
    [
      '--recordings @recordings --dialect other --quiet',
      1,
      '1 breaking, 0 additive, 0 info in 1 recorded replies\n',
    ],
    ['--recordings @recordings --dialect openrouter', 2, `${noReply}Nothing was checked; 1 not checked\n`],
    [
      '--recordings @recordings --dialect none',
      2,
      "error: --dialect 'none' is unknown; expected one of openrouter\n",
    ],
    [
      '--spec @same.json --dialect openruter',
      2,
      "error: --dialect 'openruter' is unknown; did you mean 'openrouter'?\n",
    ],
    ['--spec @same.json --dialect neutral', 0, `No drift in ${count} document operations\n`],
    [
      '--spec @removed.json --recordings @missing',
      1,
      `${isRemoved}${noRecordings}${removed}; 1 not checked\n`,
    ],
    ['--json', 2, 'error: Nothing to compare with: set --spec, --recordings or --live\n'],
    ['--live', 2, 'error: --live requires --upstream, the base URL of the real gateway\n'],
  ])('%s exits with %i', async (line, code, output) => {
    expect(await drift(line)).toEqual([code, output])
  })

  it('reads a document from a URL', async () => {
    const replies: Record<string, [number, string]> = {
      '/yaml': [200, `openapi: 3.1.0\npaths: ${JSON.stringify(credits)}`],
      '/broken': [200, 'paths: [\n- a: b: c'],
      '/missing': [404, '{}'],
    }
    await using upstream = await startUpstream(({ url }, response) => {
      const [status, text] = replies[url] ?? [500, '']
      response.writeHead(status).end(text)
    })
    const { origin } = upstream.url
    const read = async (path: string) => {
      const [code, output] = await drift(`--spec ${origin}${path}`)
      return [code, ...String(output).replaceAll(origin, '').trim().split('\n').slice(-2)]
    }
    const unchecked = 'Nothing was checked; 1 not checked'
    expect(await read('/yaml')).toEqual([
      1,
      isAdded.trim(),
      `${count} breaking, 1 additive, 0 info in 1 document operations`,
    ])
    expect(await read('/missing')).toEqual([2, 'could not check: /missing: responded with 404', unchecked])
    expect(await read('/broken')).toEqual([
      2,
      expect.stringMatching(/^could not check: \/broken: /),
      unchecked,
    ])
  })

  it('prints JSON, Markdown and SARIF', async () => {
    const [, json] = await drift('--spec @removed.json --json')
    const report = JSON.parse(String(json))
    expect(json).toBe(`${JSON.stringify(report, null, 2)}\n`)
    expect(report).toEqual({
      findings: [
        {
          operation: 'listBenchmarks',
          part: 'operation',
          path: '',
          kind: 'operation-removed',
          severity: 'breaking',
          message: 'GET /benchmarks is not documented',
          source: 'document',
          verdict: 'ours-is-wrong',
          name: 'listBenchmarks operation operation-removed',
          places: ['listBenchmarks operation operation-removed'],
        },
      ],
      accepted: 0,
      notes: [],
      explained: [],
      checked: { 'document operations': count - 1 },
      unchecked: [],
      counts: { breaking: 1, additive: 0, info: 0 },
    })
    expect(await drift('--spec @removed.json --markdown')).toEqual([
      1,
      expect.stringMatching(
        /^## Drift\n[\s\S]+\n\| breaking \| `listBenchmarks operation operation-removed` \| /,
      ),
    ])
    const filesIn = async (line: string) => {
      const [, text] = await drift(`${line} --sarif`)
      expect(text).toBe(`${JSON.stringify(JSON.parse(String(text)), null, 2)}\n`)
      return new Set([...String(text).matchAll(/"uri": "(.*)"/g)].map(([, uri]) => uri))
    }
    expect(await filesIn('--spec @removed.json')).toEqual(new Set(['@removed.json']))
    expect(await filesIn('--recordings @recordings')).toEqual(new Set(['@recordings']))
    await using upstream = await startUpstream((_, response) => void response.end('{}'))
    expect(await filesIn(`--live --upstream ${upstream.url}`)).toEqual(new Set(['live']))
  })

  it('accepts a baseline until the end of its expiry dates, and reports the position of a mistake in it', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-10-31T23:59:59Z') })
    const entry = (expires: string, finding = 'listBenchmarks operation*') =>
      write('drift.yaml', `accept:\n  - finding: "${finding}"\n    reason: x\n    expires: ${expires}\n`)
    const command = '--spec @removed.json --baseline @drift.yaml'
    await entry('2026-10-31')
    expect(await drift(command)).toEqual([0, `No drift in ${count - 1} document operations; 1 accepted\n`])
    await entry('2026-10-30')
    expect(await drift(command)).toEqual([
      1,
      `${isRemoved}baseline: 'listBenchmarks operation*' was accepted until 2026-10-30\n${removed}\n`,
    ])
    await entry('2026-10-31', '*')
    expect(await drift(command)).toEqual([0, expect.any(String)])
    await entry('soon')
    expect(await drift(command)).toEqual([
      2,
      "error: @drift.yaml:4:5: accept.0.expires must be a valid date, got 'soon'\n",
    ])
    await entry('2026-10-31', '')
    expect(await drift(command)).toEqual([2, 'error: @drift.yaml:2:5: accept.0.finding must not be empty\n'])
    const readme = await readFile(
      join(import.meta.dirname, '../../../src/extras/recordings/README.md'),
      'utf8',
    )
    await write('drift.yaml', /```yaml\n(accept:[\s\S]*?)```/.exec(readme)?.[1] ?? '')
    expect(await drift(command)).toEqual([1, expect.any(String)])
  })

  it('compares with a live gateway within the budget, and finds no drift in Understudy itself', async () => {
    await using server = await startServer()
    vi.stubEnv('TEST_GATEWAY_KEY', 'any-key-of-mine')
    vi.stubEnv('TMPDIR', folder)
    const before = await readdir(folder)
    const flags = `--live --upstream ${server.baseUrl} --key-env TEST_GATEWAY_KEY --model aurora/dawn-2`
    expect(await drift(flags)).toEqual([0, 'No drift in 7 live replies\n'])
    expect(server.gateway.journal.calls('createResponse')).toHaveLength(3)
    expect(await readdir(folder)).toEqual(before)
    server.gateway.fail(503, { on: 'listProviders' })
    const [code, output] = await drift(`${flags} --budget-usd 0`)
    const exhausted = 'could not check: live POST /responses: the budget is exhausted\n'
    const failed = 'could not check: live GET /providers: responded with 503\n'
    expect([code, output]).toEqual([
      2,
      `${failed}${exhausted}${exhausted}No drift in 5 live replies; 3 not checked\n`,
    ])
  }, 20_000)
})
