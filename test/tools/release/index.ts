/**
 * `npm run release -- --check`: lists what a release lacks, one line each, and exits with 1 if anything is
 * missing. RELEASING.md describes the steps.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readFlags } from '../flags.ts'
import { releaseProblems } from './check-release.ts'

const root = new URL('../../../', import.meta.url).pathname
const usage = `Usage: npm run release -- --check [tag] [--tarball <file>]

Lists what a release lacks, one line each. Exits with 1 if anything is missing.

  --tarball <file>   check this tarball instead of packing one`
const { values, positionals } = readFlags(
  usage,
  { check: { type: 'boolean' }, tarball: { type: 'string' } },
  true,
)
if (!values.check) {
  console.error(usage)
  process.exit(2)
}

const home = mkdtempSync(join(tmpdir(), 'understudy-release-'))
try {
  const tarball = values.tarball ?? packInto(home)
  execFileSync('tar', ['xzf', tarball, '-C', home])
  const tag = positionals[0]
  const problems = await releaseProblems({ root, packed: join(home, 'package'), tag })
  for (const problem of problems) console.log(problem)
  console.log(problems.length === 0 ? 'Ready for a release' : `${problems.length} missing`)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  rmSync(home, { recursive: true })
}

function packInto(folder: string): string {
  const options = ['--json', '--foreground-scripts=false', '--pack-destination', folder]
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', ...options], { cwd: root, encoding: 'utf8' }),
  )
  return join(folder, filename)
}
