/**
 * `npm run mutate`: applies mutations to the sources, one at a time, and reports those that survive the quick
 * tests and the type checker.
 */
import { execFile, spawn } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { monotonic } from '../../../src/lib/clock.ts'
import { random } from '../../../src/lib/seed.ts'
import { readFlags } from '../flags.ts'
import { type Mutant, mutantsOf } from './mutants.ts'
import { type Note, readLines } from './notes.ts'
import { tryJointly } from './try-jointly.ts'

const usage = `Usage: npm run mutate -- [options]

Applies small changes to the sources, one at a time, and reports those that neither the quick tests nor the type
checker notice.
Run it on an idle machine: a timing test that fails under load counts as having noticed a change.

  --mutants <n>     sample size (default: 160)
  --seed <n>        seed of the sample (default: 1)
  --file <prefix>   path prefix of the sources, such as src/scenarios (default: src)
  --only <ids>      run only these mutants of the sample, such as 12,31
  --workers <n>     number of concurrent runs (default: number of processors)
  --killed <n>      required percentage of noticed changes (default: 92)

Exits with 0 if the percentage is reached, 1 if not, and 2 if nothing could be judged.`

const { values } = readFlags(usage, {
  mutants: { type: 'string', default: '160' },
  seed: { type: 'string', default: '1' },
  killed: { type: 'string', default: '92' },
  file: { type: 'string', default: 'src' },
  only: { type: 'string', default: '' },
  workers: { type: 'string', default: String(availableParallelism()) },
})

/** Code that runs only in a browser, a Playwright test, Bun or Deno, which the slow tier tests. */
const untested = /^src\/(extras\/console\/page\/|playwright\.ts|delivery\/intercept-fetch\.ts)/

/**
 * Time by which tests must exceed their usual duration to count as endless loops, in milliseconds and as a
 * factor.
 */
const patience = { ms: 30_000, times: 3 }

const typeChecker = 'type checker'

const scratch = mkdtempSync(join(tmpdir(), 'mutate-'))
const chosenFile = join(scratch, 'mutants.json')
const notesFile = join(scratch, 'passed.jsonl')
const orderFile = (mutant: number) => join(scratch, `order-${mutant}.json`)

/**
 * Draws a seeded sample of non-overlapping mutants. The draw depends only on the mutated code, so that most of a
 * sample stays the same when other code changes.
 */
function sample(): { chosen: Mutant[]; of: number } {
  const seen = new Map<string, number>()
  const place = ({ file, before, after = '' }: Omit<Mutant, 'id'>) => {
    const name = [file, before, after].join('\n')
    const nth = (seen.get(name) ?? 0) + 1
    seen.set(name, nth)
    return random('mutate', values.seed, name, String(nth))()
  }
  const all = globSync('src/**/*.ts')
    .filter((file) => file.startsWith(values.file) && !untested.test(file))
    .sort()
    .flatMap((file) => mutantsOf(file, readFileSync(file, 'utf8')))
  const drawn = all.map((mutant) => ({ mutant, at: place(mutant) })).sort((a, b) => a.at - b.at)
  const chosen: Mutant[] = []
  for (const { mutant } of drawn) {
    if (chosen.length === Number(values.mutants)) break
    const overlaps = ({ file, start, end }: Mutant) =>
      file === mutant.file && start < mutant.end && mutant.start < end
    if (!chosen.some(overlaps)) chosen.push({ id: chosen.length, ...mutant })
  }
  return { chosen, of: all.length }
}

type Report = {
  success: boolean
  testResults: Array<{
    name: string
    status: string
    startTime: number
    endTime: number
    assertionResults: Array<{ status: string; fullName: string }>
  }>
}

/** Formats failures, such as `routes.test.ts: control routes > getHealth has a client method`. */
function failuresIn({ testResults }: Report): string[] {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => `${name.split('/').at(-1)}: ${fullName}`),
  )
}

/** Duration of each test file without a mutant, in milliseconds. */
const durations = new Map<string, number>()

/**
 * Returns the total duration of test files without a mutant in milliseconds, or a large number if it is
 * unknown.
 */
const usual = (files: readonly string[]) =>
  durations.size === 0 ? 600_000 : files.reduce((sum, file) => sum + (durations.get(file) ?? 0), 0)

type Outcome = { report?: Report; timedOut: boolean; output: string }

/** Runs test files in this order with at most one active mutant. */
async function runTests(files: readonly string[], mutant?: number, workers = 1): Promise<Outcome> {
  const reportFile = join(scratch, `report-${mutant ?? 'none'}.json`)
  rmSync(reportFile, { force: true })
  if (mutant !== undefined) writeFileSync(orderFile(mutant), JSON.stringify(files))
  const args = ['run', '--config', 'test/tools/mutate/vitest.config.ts', `--outputFile=${reportFile}`]
  const child = spawn(
    'vitest',
    [...args, `--maxWorkers=${workers}`, mutant === undefined ? '--retry=2' : '--bail=1', ...files],
    {
      env: {
        ...process.env,
        UNDERSTUDY_MUTANTS: chosenFile,
        ...(mutant === undefined
          ? { UNDERSTUDY_MUTANT_NOTES: notesFile }
          : { UNDERSTUDY_MUTANT: String(mutant), UNDERSTUDY_TEST_ORDER: orderFile(mutant) }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-4000)
    })
  let timedOut = false
  const closed = Promise.withResolvers<void>()
  const timer = setTimeout(
    () => {
      timedOut = true
      if (child.pid) process.kill(-child.pid, 'SIGKILL')
    },
    patience.ms + patience.times * usual(files),
  )
  child.on('close', () => closed.resolve())
  await closed.promise
  clearTimeout(timer)
  try {
    return { report: JSON.parse(readFileSync(reportFile, 'utf8')), timedOut, output }
  } catch {
    return { timedOut, output }
  }
}

const startedAt = monotonic()
const log = (line: string) =>
  console.log(`${((monotonic() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${line}`)

const mistake = !/^(\d+(,\d+)*)?$/.test(values.only)
  ? `--only takes ids, such as 12,31, not '${values.only}'`
  : Number(values.workers) === 0 && '--workers must be at least 1'
if (mistake) {
  console.error(`mutate: ${mistake}; see --help`)
  process.exit(2)
}
const { chosen, of } = sample()
const asked = values.only ? new Set(values.only.split(',').map(Number)) : undefined
const waiting = chosen.filter(({ id }) => asked?.has(id) ?? true)
if (waiting.length === 0) {
  const why =
    asked && chosen.length > 0 ? `the sample does not contain ${values.only}` : `no mutants in ${values.file}`
  console.error(`mutate: ${why}`)
  process.exit(2)
}
writeFileSync(chosenFile, JSON.stringify(chosen))
log(`${chosen.length} of ${of} mutants, seed ${values.seed}; running the tests without a mutant first`)

const unchanged = await runTests([], undefined, Number(values.workers))
if (!unchanged.report?.success) {
  console.error(unchanged.report ? failuresIn(unchanged.report).join('\n') : unchanged.output)
  console.error('mutate: the tests fail even without a mutant')
  process.exit(2)
}

if (!(await compiles())) {
  console.error('mutate: the sources do not compile even without a mutant')
  process.exit(2)
}

const notes = readLines<Note>(notesFile)
for (const { name, startTime, endTime } of unchanged.report.testResults)
  durations.set(relative(process.cwd(), name), endTime - startTime)
const atImport = new Set(notes.flatMap((note) => note.atImport))
/** Number of mutants that each test file has killed so far. */
const kills = new Map<string, number>()

/** Sorts test files: fast, effective ones and those close to the mutant come first. */
function filesThatPass(mutant: Mutant): string[] {
  const folder = mutant.file.split('/')[1] ?? ''
  const rank = (file: string) => {
    const distance = file.startsWith(`test/${folder}/`) ? 0 : 300
    return ((durations.get(file) ?? 0) + distance) / (1 + (kills.get(file) ?? 0))
  }
  const files = notes
    .filter(({ executed }) => atImport.has(mutant.id) || executed.includes(mutant.id))
    .map(({ file }) => file)
  return [...new Set(files)].sort((a, b) => rank(a) - rank(b))
}

/** Returns whether the sources compile, with at most one mutant. */
async function compiles(mutant?: Mutant): Promise<boolean> {
  const root = join(scratch, `sources-${mutant?.id ?? 'none'}`)
  for (const each of ['src', 'fixtures', 'scenarios', 'package.json', 'tsconfig.json'])
    cpSync(each, join(root, each), { recursive: true })
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
  if (mutant) {
    const { file, start, end, after = 'void 0' } = mutant
    const source = readFileSync(file, 'utf8')
    writeFileSync(join(root, file), `${source.slice(0, start)}(${after})${source.slice(end)}`)
  }
  return await promisify(execFile)('tsc', ['--noEmit', '--project', root]).then(
    () => true,
    () => false,
  )
}

type Verdict = { mutant: Mutant; state: 'killed' | 'survived' | 'not reached'; by?: string }

async function judge(mutant: Mutant): Promise<Verdict> {
  const verdict = await judgeByTests(mutant)
  if (verdict.state === 'killed' || (await compiles(mutant))) return verdict
  return { mutant, state: 'killed', by: typeChecker }
}

async function judgeByTests(mutant: Mutant): Promise<Verdict> {
  const files = filesThatPass(mutant)
  if (files.length === 0) return { mutant, state: 'not reached' }
  const { report, timedOut, output } = await runTests(files, mutant.id)
  if (timedOut) return { mutant, state: 'killed', by: 'endless loop' }
  if (!report) return { mutant, state: 'killed', by: `no report: ${output.trim().split('\n').at(-1)}` }
  if (report.success) return { mutant, state: 'survived' }
  for (const { name, status } of report.testResults) {
    const file = relative(process.cwd(), name)
    if (status === 'failed') kills.set(file, (kills.get(file) ?? 0) + 1)
  }
  return { mutant, state: 'killed', by: failuresIn(report)[0] ?? 'a file that did not load' }
}

function formatVerdict({ mutant, state, by }: Verdict): string {
  const { id, file, line, kind, before, after } = mutant
  const short = (text: string) => text.replace(/\s+/g, ' ').slice(0, 90)
  const change = after === undefined ? `without ${short(before)}` : `${short(before)}  ->  ${short(after)}`
  return `${state.padEnd(11)} ${String(id).padStart(4)}  ${file}:${line}  ${kind}: ${change}${by ? `  (${short(by)})` : ''}`
}

/** Maximum number of tests to try with one mutant before it gets a process of its own. */
const maxTests = 500

/** Returns the mutants to try with each test, without those that are executed at import. */
function planOf(mutants: readonly Mutant[]): Map<string, number[]> {
  const plan = new Map<string, number[]>()
  for (const { id, file } of mutants) {
    if (atImport.has(id)) continue
    const folder = dirname(file).replace('src', 'test')
    const tests = notes.flatMap(({ test, executed }) => (test && executed.includes(id) ? [test] : []))
    const near = Map.groupBy(tests, (test) => test.startsWith(folder))
    for (const test of [...(near.get(true) ?? []), ...(near.get(false) ?? [])].slice(0, maxTests))
      plan.set(test, [...(plan.get(test) ?? []), id])
  }
  return plan
}

const total = waiting.length
const verdicts: Verdict[] = []
const early = await tryJointly(planOf(waiting), {
  workers: Number(values.workers),
  scratch,
  environment: { ...process.env, UNDERSTUDY_MUTANTS: chosenFile },
  log,
})
for (const mutant of waiting.splice(0)) {
  const by = early.get(mutant.id)
  if (by === undefined) waiting.push(mutant)
  else verdicts.push({ mutant, state: 'killed', by })
}
log(`${verdicts.length} killed; running the other ${waiting.length} one at a time`)
async function work(): Promise<void> {
  for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
    const verdict = await judge(mutant)
    verdicts.push(verdict)
    log(`${verdicts.length}/${total}  ${formatVerdict(verdict)}`)
  }
}
await Promise.all(Array.from({ length: Number(values.workers) }, work))
rmSync(scratch, { recursive: true })

const killed = verdicts.filter(({ state }) => state === 'killed').length
const byTypes = verdicts.filter(({ by }) => by === typeChecker).length
const share = (100 * killed) / verdicts.length
console.log()
for (const verdict of verdicts.filter(({ state }) => state !== 'killed')) console.log(formatVerdict(verdict))
log(
  `${killed} of ${verdicts.length} killed (${byTypes} by the type checker only): ${share.toFixed(1)} %, required: ${values.killed} %`,
)
process.exitCode = share >= Number(values.killed) ? 0 : 1
