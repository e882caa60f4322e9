import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** Creates a folder, which is removed after the tests of the file or `describe`. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  return folder
}
