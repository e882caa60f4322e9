/**
 * Tests that each extra is optional: with its folder, tests and line in `src/extras/index.ts` removed, the project
 * still compiles and the remaining tests pass.
 *
 * By default, the quick tests run once, with all extras removed. `npm run test:all` also runs them with each
 * extra removed in turn. Long suites always run in their shortened form.
 */
import { execFile } from 'node:child_process'
import { globSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFullRun } from '../suite-size.ts'
import { treeWithout } from './tree-without.ts'

const root = new URL('../../', import.meta.url).pathname
const names = globSync('src/extras/*/index.ts', { cwd: root }).map((file) => basename(dirname(file)))

const trees = [...names.map((name) => ({ title: name, gone: [name] })), { title: 'any extra', gone: names }]

describe.each(trees)('the project without $title', ({ gone }) => {
  let copy: string
  beforeAll(() => {
    copy = treeWithout(gone)
  })
  afterAll(() => rmSync(copy, { recursive: true }))

  it('compiles', async () => {
    expect(await output('node_modules/.bin/tsc', '--noEmit')).toBe('')
  })

  it.runIf(isFullRun || gone === names)('passes the other quick tests', { timeout: 600_000 }, async () => {
    const args = ['run', '--project', 'quick', '--reporter', 'dot', '--silent=true']
    const report = await output('node_modules/.bin/vitest', ...args)
    expect(report.split('\n').filter((line) => /^ *FAIL |Tests .*passed/.test(line))).toEqual([
      expect.stringMatching(/^ *Tests +\d+ passed/),
    ])
  })

  /** Runs a program from the copy, and returns its output. */
  async function output(program: string, ...args: string[]): Promise<string> {
    const options = {
      cwd: copy,
      env: { ...process.env, VITEST: undefined, UNDERSTUDY_FULL_RUN: undefined },
      maxBuffer: 64 * 1024 * 1024,
    }
    const { stdout, stderr } = await promisify(execFile)(join(copy, program), args, options).catch(
      (error) => error,
    )
    return stripVTControlCharacters(stdout + stderr)
  }
})
