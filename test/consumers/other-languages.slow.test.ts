/** Tests other languages: a pytest project, and a client generated from the control API's OpenAPI document. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startServer } from '../../src/serve.ts'
import { type Consumer, install } from './consumer.ts'

const root = join(import.meta.dirname, '../..')
const hasPython = spawnSync('python3', ['-m', 'venv', '--help'], { stdio: 'ignore' }).status === 0

describe.skipIf(!hasPython || process.platform !== 'linux')('a pytest project', () => {
  let project: Consumer
  let hasPytest = false
  beforeAll(async () => {
    project = await install('python')
    const pip = await project.run(
      'python3 -m venv .venv && .venv/bin/pip install pytest pytest-xdist requests',
    )
    hasPytest = pip.code === 0
    // The timeout is long, because pip may try several addresses for each package.
  }, 600_000)
  afterAll(() => project?.[Symbol.asyncDispose]())

  /** Returns the command lines of processes that still run in the project's folder. */
  const left = () =>
    readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid))
      .flatMap((pid) => {
        try {
          if (readlinkSync(`/proc/${pid}/cwd`) !== project.folder) return []
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        } catch {
          return []
        }
      })

  it('gives each test its own sandbox, and stops its servers', async ({ skip }) => {
    skip(!hasPytest, 'pip cannot install pytest')
    const { code, stdout, stderr } = await project.run('.venv/bin/pytest -n 2')
    expect(stdout, stderr).toContain('2 passed')
    expect(code).toBe(0)
    expect(left()).toEqual([])
  })

  it('stops its servers after SIGKILL', async ({ skip }) => {
    skip(!hasPytest, 'pip cannot install pytest')
    const test = `import pathlib, time\n\ndef test_hangs(sandbox):\n    pathlib.Path('hangs').touch()\n    time.sleep(100)\n`
    writeFileSync(join(project.folder, 'test_hangs.py'), test)
    const pytest = spawn('.venv/bin/pytest', ['-n', '2', 'test_hangs.py'], { cwd: project.folder })
    await vi.waitUntil(() => existsSync(join(project.folder, 'hangs')), { timeout: 60_000, interval: 50 })
    expect(left().filter((line) => line.includes('gateway-understudy'))).not.toEqual([])
    pytest.kill('SIGKILL')
    await expect.poll(left, { timeout: 60_000, interval: 50 }).toEqual([])
    rmSync(join(project.folder, 'hangs'))
  })
})

describe("a client generated from the control API's document", () => {
  it('creates a sandbox, activates a rule, and reads the journal', async () => {
    await using server = await startServer()
    const folder = join(root, 'test-results/generated-client')
    mkdirSync(folder, { recursive: true })
    const document = await fetch(`${server.url}/__understudy/openapi.json`)
    writeFileSync(join(folder, 'control.json'), await document.text())
    execFileSync(join(root, 'node_modules/.bin/oazapfts'), ['control.json', 'client.ts'], { cwd: folder })

    const client = await import(/* @vite-ignore */ join(folder, 'client.ts'))
    client.defaults.baseUrl = `${server.url}/__understudy`
    const made = await client.createSandbox()
    expect(made).toMatchObject({ status: 201, data: { data: { id: expect.any(String) } } })
    const { id, apiKey } = made.data.data
    const used = await client.useScenario(id, { on: 'listProviders', fault: { name: 'status', status: 503 } })
    expect(used.status).toBe(201)
    const reply = await fetch(`${server.baseUrl}/providers`, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
    expect(reply.status).toBe(503)
    const journal = await client.listJournal(id)
    expect(journal.data.data).toMatchObject([{ operation: 'listProviders', status: 503 }])
    expect((await client.deleteSandbox(id)).status).toBe(204)
    expect((await client.getSandbox(id)).status).toBe(410)
  })
})
