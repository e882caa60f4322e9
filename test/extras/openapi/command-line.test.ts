import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toFetch } from '../../../src/delivery/fetch.ts'
import { call } from '../../call.ts'
import { runCommand } from '../../cli/run-command.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const folder = temporaryFolder()

const write = (name: string, text: string) => writeFile(join(folder, name), text)

describe('serve --openapi', () => {
  it('mocks the document, and reports an invalid one on one line', async () => {
    const answer = '{ 200: { content: { application/json: { schema: { const: 12 } } } } }'
    await write('vendor.yaml', `openapi: 3.1.0\npaths: { /tides: { get: { responses: ${answer} } } }\n`)
    const { started } = await runCommand('--openapi', join(folder, 'vendor.yaml'))
    if (!started) throw new Error('no server would have started')
    expect((await call({ fetch: toFetch(started.gateway) }, 'GET /tides')).body).toBe(12)
    await write('old.yaml', 'swagger: 2.0\npaths: {}\n')
    for (const [file, problem] of [
      ['old.yaml', 'is not an OpenAPI 3 document: it has swagger: 2'],
      ['none.yaml', 'no such file'],
    ] as const) {
      const { code, stderr } = await runCommand('--openapi', join(folder, file))
      expect(code).toBe(2)
      expect(stderr).toMatch(new RegExp(`^error: .*${file}: ${problem}\n$`))
    }
  })

  it('accepts a one-character path, but not an empty one', async () => {
    expect((await runCommand('--openapi', 'x')).stderr).toContain('no such file')
    expect((await runCommand('--openapi', '')).stderr).toContain('error: --openapi must not be empty\n')
  })
})
