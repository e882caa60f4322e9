/** Runs the release check as a program, here and in a copy of the repository. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'

const root = new URL('../../../', import.meta.url).pathname
const { tarball } = inject('packed')

function check(folder: string, ...args: string[]) {
  const program = join(folder, 'test/tools/release/index.ts')
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [program, '--check', ...args, '--tarball', tarball],
    { encoding: 'utf8' },
  )
  // TypeScript's process may print this when it is stopped.
  const errors = stderr.replace('context canceled\n', '')
  return { lines: `${stdout}${errors}`.trim().split('\n'), status }
}

let copy: string
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'understudy-copy-'))
  const skipped = ['node_modules', 'dist', '.git', 'test-results'].map((name) => root + name)
  cpSync(root, copy, { recursive: true, filter: (file) => !skipped.includes(file) })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rmSync(copy, { recursive: true }))

const read = (file: string) => readFileSync(join(copy, file), 'utf8')
const change = (file: string, from: string | RegExp, to: string) =>
  writeFileSync(join(copy, file), read(file).replace(from, to))

describe('npm run release -- --check', () => {
  it('reports the missing repository', () => {
    expect(check(root)).toEqual({
      lines: [
        'repository: package.json has no address: add "repository", which provenance requires',
        '1 missing',
      ],
      status: 1,
    })
  })

  it('passes in a copy that has a repository', () => {
    change('package.json', '"license"', '"repository": "https://git.example/owner/name",\n  "license"')
    expect(check(copy)).toEqual({ lines: ['Ready for a release'], status: 0 })
  })

  it('requires a version that fits the API change, and a dated section in the changelog', () => {
    const git = (...args: string[]) => execFileSync('git', ['-C', copy, ...args])
    git('init', '--quiet')
    git('config', 'user.name', 'Test')
    git('config', 'user.email', 'test@example.com')
    const report = read('test/package/api/index.txt')
    writeFileSync(join(copy, 'test/package/api/index.txt'), `former: () => void\n${report}`)
    git('add', 'package.json', 'test/package/api')
    git('commit', '--quiet', '--message', 'Release 1.0.0')
    git('tag', 'v1.0.0')
    writeFileSync(join(copy, 'test/package/api/index.txt'), report)
    change('package.json', /"version": ".*"/, '"version": "1.0.1"')

    expect(check(copy, 'v1.0.2').lines).toEqual([
      'version: the tag is v1.0.2, but package.json has 1.0.1',
      'changelog: there is no section [1.0.1] with entries',
      'changelog: [Unreleased] has entries: move them to [1.0.1]',
      'api: 1.0.1 must be at least 2.0.0 after 1.0.0: breaking in former',
      '4 missing',
    ])

    change('package.json', '"version": "1.0.1"', '"version": "2.0.0"')
    change('CHANGELOG.md', '## [Unreleased]', '## [Unreleased]\n\n## [2.0.0] - 2026-01-31')
    expect(check(copy, 'v2.0.0')).toEqual({ lines: ['Ready for a release'], status: 0 })
  })
})

describe('the API report', () => {
  it('reveals a removed export, a narrowed option, a new required field, a changed return type and a renamed fault', () => {
    const edits: Array<[file: string, from: string, to: string, label: string]> = [
      ['src/index.ts', "export { journalText } from './journal/journal-text.ts'", '', 'journalText'],
      ['src/serve.ts', 'port?: number', 'port?: 0 | 4141', 'ServerOptions.port?'],
      ['src/serve.ts', '  port?:', '  region: string\n  port?:', 'ServerOptions.region'],
      ['src/serve.ts', 'graceMs?: number): Promise<void>', 'graceMs?: number): void', 'RunningServer.close'],
      ['src/faults/events.ts', "name: 'stream-cut'", "name: 'cut-stream'", 'type FaultName'],
    ]
    for (const [file, from, to] of edits) {
      expect(read(file)).toContain(from)
      change(file, from, to)
    }
    const program = `
      import { readFileSync } from 'node:fs'
      import { apiReports } from '${copy}/test/package/api-report.ts'
      import { loadPlainTypes } from '${copy}/test/tools/build/plain-types.ts'
      import { apiChange } from '${copy}/test/tools/release/api-change.ts'
      const reports = apiReports(['index', 'serve'], await loadPlainTypes())
      const before = ['index', 'serve'].map((entry) => readFileSync(\`${root}test/package/api/\${entry}.txt\`, 'utf8'))
      console.log(JSON.stringify(apiChange(before.join('\\n'), [...reports.values()].join('\\n'))))
    `
    const stdout = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: copy,
      encoding: 'utf8',
    })
    const { kind, labels } = JSON.parse(stdout)
    expect(kind).toBe('breaking')
    expect(labels).toEqual(expect.arrayContaining(edits.map(([, , , label]) => label)))
  })
})
