/**
 * `npm run mutate`: changes the sources in small ways, one at a time, and tells which changes the quick tests do not
 * notice.
 */
import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { monotonic } from '../../../src/lib/clock.ts'
import { random } from '../../../src/lib/seed.ts'
import { type Mutant, mutantsOf } from './mutants.ts'

const usage = `Usage: npm run mutate -- [options]

Changes the sources in small ways, one at a time, and tells which changes the quick tests do not notice.
Run it on a quiet machine: a test of time that fails under load is taken for one that noticed.

  --mutants <n>     how many (default: 160)
  --seed <text>     which sample of them (default: 1)
  --file <prefix>   only of sources whose path begins so, as in src/scenarios (default: src)
  --only <ids>      only these of the sample, as in 12,31
  --workers <n>     how many at a time (default: one for each processor)
  --killed <n>      percent that must be noticed (default: 92)

Ends with 0 where that many were noticed, with 1 where not, and with 2 where nothing could be judged.`

const values = settings()

function settings() {
  const whole = (name: string, value: string) => {
    if (!/^[1-9]\d*$/.test(value)) throw new Error(`--${name} takes a whole number above 0, not '${value}'`)
  }
  try {
    const parsed = parseArgs({
      options: {
        mutants: { type: 'string', default: '160' },
        seed: { type: 'string', default: '1' },
        killed: { type: 'string', default: '92' },
        file: { type: 'string', default: 'src' },
        only: { type: 'string', default: '' },
        workers: { type: 'string', default: String(availableParallelism()) },
        help: { type: 'boolean', default: false, short: 'h' },
      },
    })
    const { mutants, killed, only, workers, help } = parsed.values
    whole('mutants', mutants)
    whole('workers', workers)
    whole('killed', killed)
    if (!/^(\d+(,\d+)*)?$/.test(only)) throw new Error(`--only takes ids, as in 12,31, not '${only}'`)
    if (!help) return parsed.values
    console.log(usage)
    process.exit(0)
  } catch (error) {
    console.error(`mutate: ${(error as Error).message}; see --help`)
    process.exit(2)
  }
}

/** The console's screens are tested in a browser, in the slow tier. */
const untested = /^src\/extras\/console\/page\//

/** Tests that take this much longer with a mutant than without are in an endless loop: milliseconds, and a factor. */
const patience = { ms: 30_000, times: 3 }

const scratch = mkdtempSync(join(tmpdir(), 'mutate-'))
const chosenFile = join(scratch, 'mutants.json')
const notesFile = join(scratch, 'passed.jsonl')
const orderFile = (mutant: number) => join(scratch, `order-${mutant}.json`)

/**
 * A seeded sample of all mutants; none lies inside another. What is drawn depends on the code that is changed, not on
 * what stands around it, so that most of a sample stays when sources change.
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

/** `routes.test.ts: every route of the control API has a method` */
function failuresIn({ testResults }: Report): string[] {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => `${name.split('/').at(-1)}: ${fullName}`),
  )
}

/** Milliseconds that each test file takes without a mutant. */
const durations = new Map<string, number>()

/** Milliseconds that test files take together without a mutant; much, where nobody knows. */
const usual = (files: readonly string[]) =>
  durations.size === 0 ? 600_000 : files.reduce((sum, file) => sum + (durations.get(file) ?? 0), 0)

type Outcome = { report?: Report; timedOut: boolean; output: string }

/** Runs test files in this order with one mutant awake, or none. */
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
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(
    () => {
      timedOut = true
      if (child.pid) process.kill(-child.pid, 'SIGKILL')
    },
    patience.ms + patience.times * usual(files),
  )
  child.on('close', () => resolve())
  await promise
  clearTimeout(timer)
  try {
    return { report: JSON.parse(readFileSync(reportFile, 'utf8')), timedOut, output }
  } catch {
    return { timedOut, output }
  }
}

const startedAt = monotonic()
const tell = (line: string) =>
  console.log(`${((monotonic() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${line}`)

const { chosen, of } = sample()
const asked = values.only ? new Set(values.only.split(',').map(Number)) : undefined
const waiting = chosen.filter(({ id }) => asked?.has(id) ?? true)
if (waiting.length === 0) {
  const why =
    asked && chosen.length > 0 ? `the sample has no ${values.only}` : `nothing to change in ${values.file}`
  console.error(`mutate: ${why}`)
  process.exit(2)
}
writeFileSync(chosenFile, JSON.stringify(chosen))
tell(`${chosen.length} of ${of} mutants, seed ${values.seed}; the tests without a mutant come first`)

const unchanged = await runTests([], undefined, Number(values.workers))
if (!unchanged.report?.success) {
  console.error(unchanged.report ? failuresIn(unchanged.report).join('\n') : unchanged.output)
  console.error('mutate: the tests fail without a mutant')
  process.exit(2)
}

/** Which mutants each test file passes. */
const notes: Array<{ file: string; passed: number[]; atImport: number[] }> = readFileSync(notesFile, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
for (const { name, startTime, endTime } of unchanged.report.testResults)
  durations.set(relative(process.cwd(), name), endTime - startTime)
const atImport = new Set(notes.flatMap((note) => note.atImport))
/** How many mutants each test file has killed so far. */
const kills = new Map<string, number>()

/** Those first that are quick, or near, or have killed many. */
function filesThatPass(mutant: Mutant): string[] {
  const room = mutant.file.split('/')[1] ?? ''
  const rank = (file: string) => {
    const distance = file.startsWith(`test/${room}/`) ? 0 : 300
    return ((durations.get(file) ?? 0) + distance) / (1 + (kills.get(file) ?? 0))
  }
  return notes
    .filter(({ passed }) => atImport.has(mutant.id) || passed.includes(mutant.id))
    .map(({ file }) => file)
    .sort((a, b) => rank(a) - rank(b))
}

type Verdict = { mutant: Mutant; state: 'killed' | 'survived' | 'not reached'; by?: string }

async function judge(mutant: Mutant): Promise<Verdict> {
  const files = filesThatPass(mutant)
  if (files.length === 0) return { mutant, state: 'not reached' }
  const { report, timedOut, output } = await runTests(files, mutant.id)
  if (timedOut) return { mutant, state: 'killed', by: 'an endless loop' }
  if (!report) return { mutant, state: 'killed', by: `no report: ${output.trim().split('\n').at(-1)}` }
  if (report.success) return { mutant, state: 'survived' }
  for (const { name, status } of report.testResults) {
    const file = relative(process.cwd(), name)
    if (status === 'failed') kills.set(file, (kills.get(file) ?? 0) + 1)
  }
  return { mutant, state: 'killed', by: failuresIn(report)[0] ?? 'a file that did not load' }
}

function inWords({ mutant, state, by }: Verdict): string {
  const { id, file, line, kind, before, after } = mutant
  const short = (text: string) => text.replace(/\s+/g, ' ').slice(0, 90)
  const change = after === undefined ? `without ${short(before)}` : `${short(before)}  ->  ${short(after)}`
  return `${state.padEnd(11)} ${String(id).padStart(4)}  ${file}:${line}  ${kind}: ${change}${by ? `  (${short(by)})` : ''}`
}

const total = waiting.length
const verdicts: Verdict[] = []
async function work(): Promise<void> {
  for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
    const verdict = await judge(mutant)
    verdicts.push(verdict)
    tell(`${verdicts.length}/${total}  ${inWords(verdict)}`)
  }
}
await Promise.all(Array.from({ length: Number(values.workers) }, work))
rmSync(scratch, { recursive: true })

const killed = verdicts.filter(({ state }) => state === 'killed').length
const share = (100 * killed) / verdicts.length
console.log()
for (const verdict of verdicts.filter(({ state }) => state !== 'killed')) console.log(inWords(verdict))
tell(`${killed} of ${verdicts.length} killed: ${share.toFixed(1)} %, asked for ${values.killed} %`)
process.exitCode = share >= Number(values.killed) ? 0 : 1
