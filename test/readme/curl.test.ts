import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { startServer } from '../../src/serve.ts'

it('the curl commands in docs/server.md work', async () => {
  await using server = await startServer()
  const document = readFileSync(new URL('../../docs/server.md', import.meta.url), 'utf8')
  const [, commands = ''] = /```sh\n(control=[\s\S]*?)```/.exec(document) ?? []
  const script = commands.replace('http://127.0.0.1:4141', server.url)

  const { stdout } = await promisify(execFile)('/bin/sh', ['-ec', script])

  expect(stdout).toMatch(/"id":"s1".*"name":"flaky".*"data":\[\]/s)
  const deleted = await fetch(`${server.url}/__understudy/sandboxes/s1`)
  expect(deleted.status).toBe(410)
})
