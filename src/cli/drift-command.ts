/**
 * `drift`: compares the double with a document, tapes and a real gateway. Exit code 0 for no drift, 1 for drift, 2 where
 * something could not be checked.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { accept, Baseline } from '../contract/baseline.ts'
import type { DescribedOperation } from '../contract/document.ts'
import { describeDouble } from '../contract/double.ts'
import { findDrift } from '../contract/drift.ts'
import { countsOf, type DriftReport, toMarkdown, toSarif, toText } from '../contract/drift-report.ts'
import { nameOf } from '../contract/finding.ts'
import { askLive } from '../contract/live.ts'
import { apiDocument } from '../control/documents.ts'
import { wallClock } from '../lib/clock.ts'
import { FileError, readDataFile } from '../lib/data-file.ts'
import { type Tape, TapeError } from '../tapes/tape.ts'
import { readTapeFolder } from '../tapes/tape-files.ts'
import { keyIn } from './record-command.ts'
import { toRedactor } from './redaction-file.ts'
import { readSpec, SpecError } from './spec-file.ts'
import { UsageError } from './usage-error.ts'

/** The flags, as they are parsed. */
export interface DriftFlags {
  spec?: string
  recordings?: string
  live?: true
  upstream?: URL
  keyEnv?: string
  model?: string
  budget: number
  dialect?: string
  json?: true
  markdown?: true
  sarif?: true
  failOn: 'breaking' | 'any'
  baseline?: string
  quiet?: true
}

export async function drift(flags: DriftFlags): Promise<void> {
  if (flags.spec === undefined && flags.recordings === undefined && !flags.live)
    throw new UsageError('Nothing to compare with: give --spec, --recordings or --live')
  const baseline = flags.baseline === undefined ? { accept: [] } : readBaseline(flags.baseline)
  const report = await compare(flags, baseline)
  print(report, flags)
  const { breaking } = countsOf(report.findings)
  const isDrift = flags.failOn === 'any' ? report.findings.length > 0 : breaking > 0
  process.exitCode = isDrift ? 1 : report.unchecked.length > 0 ? 2 : 0
}

async function compare(flags: DriftFlags, baseline: Baseline): Promise<DriftReport> {
  const { spec, recordings, live, dialect } = flags
  const unchecked: string[] = []
  const progress = (text: string) => {
    if (!flags.quiet && process.stderr.isTTY) process.stderr.write(`${text}\n`)
  }
  const double = await describeDouble(apiDocument())
  let document: ReadonlyMap<string, DescribedOperation> | undefined
  if (spec !== undefined) {
    progress(`Reading ${spec}`)
    document = await readSpec(spec).catch((error: unknown) => {
      if (!(error instanceof SpecError)) throw error
      unchecked.push(error.message)
      return undefined
    })
  }
  const observed = new Map<string, ReadonlyMap<string, Tape>>()
  if (recordings !== undefined) {
    progress(`Reading the tapes in ${recordings}`)
    const tapes = tapesOf(recordings, dialect, unchecked)
    if (tapes) observed.set('tapes', tapes)
  }
  if (live) {
    const { tapes, unchecked: reasons } = await asked(flags, progress)
    observed.set('live', tapes)
    unchecked.push(...reasons)
  }
  const found = findDrift({ double, document, observed })
  const today = wallClock().toISOString().slice(0, 10)
  return {
    ...accept(found.findings, baseline, today),
    checked: found.checked,
    unchecked: [...unchecked, ...found.unchecked],
  }
}

/** The tapes of a folder; of one dialect, where that is given. */
function tapesOf(
  folder: string,
  dialect: string | undefined,
  unchecked: string[],
): Map<string, Tape> | undefined {
  try {
    const tapes = [...readTapeFolder(folder)]
    return new Map(tapes.filter(([, { head }]) => dialect === undefined || head.dialect === dialect))
  } catch (error) {
    if (!(error instanceof TapeError)) throw error
    unchecked.push(error.message)
    return undefined
  }
}

async function asked(flags: DriftFlags, progress: (text: string) => void) {
  const { upstream, keyEnv, budget, model } = flags
  if (!upstream) throw new UsageError('--live needs --upstream, the base address of the real gateway')
  const key = keyEnv === undefined ? undefined : keyIn(keyEnv)
  const folder = await mkdtemp(join(tmpdir(), 'understudy-drift-'))
  try {
    return await askLive({
      upstream,
      key,
      folder,
      budget,
      model,
      redactor: toRedactor({}, key),
      onAsk: (line) => progress(`Asking ${line}`),
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function readBaseline(file: string): Baseline {
  const { value, locate } = readDataFile(file)
  const result = Baseline.safeParse(value)
  if (result.success) return result.data
  throw new FileError(result.error.issues.map(({ path, message }) => ({ file, message, ...locate(path) })))
}

function print(report: DriftReport, { json, markdown, sarif, quiet, spec, recordings }: DriftFlags): void {
  if (json) {
    const findings = report.findings.map((finding) => ({ name: nameOf(finding), ...finding }))
    console.log(JSON.stringify({ ...report, findings, counts: countsOf(report.findings) }, null, 2))
  } else if (markdown) console.log(toMarkdown(report))
  else if (sarif)
    console.log(JSON.stringify(toSarif(report, manifest.version, spec ?? recordings ?? 'live'), null, 2))
  else if (quiet) console.log(toText(report).split('\n').at(-1))
  else console.log(toText(report))
}
