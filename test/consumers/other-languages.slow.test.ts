/**
 * Other languages: a pytest project, and a client that is generated from the control API's own document.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startServer } from '../../src/serve.ts'

const root = join(import.meta.dirname, '../..')
const hasPytest = spawnSync('python3', ['-c', 'import pytest, requests'], { stdio: 'ignore' }).status === 0

describe.skipIf(!hasPytest)('A pytest project (python3 with pytest and requests)', () => {
  it('starts the server, and gives each test a sandbox of its own', () => {
    const env = {
      ...process.env,
      PYTHONDONTWRITEBYTECODE: '1',
      UNDERSTUDY_COMMAND: `${process.execPath} ${join(root, 'src/serve.ts')}`,
    }
    const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', join(import.meta.dirname, 'python')]
    const { status, stdout } = spawnSync('python3', args, { env, encoding: 'utf8' })
    expect(stdout).toContain('2 passed')
    expect(status).toBe(0)
  })
})

describe('A client that is generated from the document of the control API', () => {
  it('makes a sandbox, puts a rule in force, and reads the journal', async () => {
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
