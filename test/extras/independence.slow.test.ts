/**
 * Tests that each extra is optional: with its folder, tests and entries in `src/extras` removed, the project
 * still compiles and the remaining tests pass.
 *
 * By default, the quick tests run once, with all extras removed. `npm run test:all` also runs them with each
 * extra removed in turn. Long suites always run in their shortened form.
 */
import { execFile } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFullRun } from '../suite-size.ts'

const root = new URL('../../', import.meta.url).pathname
// Folders without an index are shared by several extras.
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

/** Returns the path of a copy of the sources and tests, without some extras. */
function treeWithout(gone: readonly string[]): string {
  const copy = mkdtempSync(join(tmpdir(), 'understudy-without-'))
  const files = [
    'src',
    'test',
    'fixtures',
    'scenarios',
    'package.json',
    'tsconfig.json',
    ...globSync('*.{ts,md}', { cwd: root }),
  ]
  for (const file of files) cpSync(join(root, file), join(copy, file), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  // Removed because they also cover the extras: the golden transcript, the fuzzing of exchanged files, and the
  // document generators.
  const golden = globSync(['test/golden/*.test.ts', 'test/tools/soak/{index,files,soak.test}.ts'], {
    cwd: root,
  })
  for (const path of ['test/readme', 'test/clients/record-clients.ts', ...golden])
    rmSync(join(copy, path), { recursive: true })
  // These tests combine several extras.
  rmSync(join(copy, 'test/extras/together'), { recursive: true })
  for (const name of gone)
    for (const folder of ['src', 'test'])
      rmSync(join(copy, folder, 'extras', name), { recursive: true, force: true })
  for (const file of ['index', 'exports']) {
    const path = join(copy, `src/extras/${file}.ts`)
    const lines = readFileSync(path, 'utf8').split('\n')
    const isGone = (line: string) => gone.some((name) => line.includes(`'./${name}/`))
    const imported = lines.filter(isGone).map((line) => /\{ (\w+) \}/.exec(line)?.[1])
    const kept = lines.filter((line) => !isGone(line) && !imported.includes(line.trim().replace(',', '')))
    writeFileSync(path, `${kept.join('\n')}\nexport {}\n`)
  }
  return copy
}
