/**
 * `drift`: compares Understudy with a document, recordings and a real gateway.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import type { AnyExtra } from '../../gateway/extra.ts'
import { GatewayCore } from '../../gateway/gateway.ts'
import { wallClock } from '../../lib/clock.ts'
import { FileError, readCheckedFile } from '../../lib/data-file.ts'
import { print, printError } from '../../lib/print.ts'
import { UsageError } from '../../lib/usage-error.ts'
import type { GatewayOptionsInput } from '../../sandbox/options-input.ts'
import { parseDocument, readDocumentFile } from '../documents/document-file.ts'
import { type DescribedOperations, readDocument } from './documents.ts'
import { accept, Baseline, findDrift, type ObservedSource } from './drift.ts'
import { countsOf, type DriftReport, grouped, toMarkdown, toSarif, toText } from './drift-report.ts'
import { explain } from './known-differences.ts'
import { describeMock } from './observe.ts'
import { keyIn, startRecorder } from './record.ts'
import { type Recording, RecordingError } from './recording.ts'
import { readRecordingFolder } from './recordings.ts'
import { type Redactor, toRedactor, upstreamSecrets } from './redact.ts'

export interface DriftFlags {
  spec?: string
  recordings?: string
  live?: true
  upstream?: URL
  keyEnv?: string
  model?: string
  budgetUsd: number
  dialect?: string
  json?: true
  markdown?: true
  sarif?: true
  failOn: 'breaking' | 'any'
  baseline?: string
  quiet?: true
}

/** Prints a report. Sets exit code 1 for drift, 2 if the check is incomplete. */
export async function drift(flags: DriftFlags, extras: readonly AnyExtra[] = []): Promise<void> {
  if (flags.spec === undefined && flags.recordings === undefined && !flags.live)
    throw new UsageError('Nothing to compare with: set --spec, --recordings or --live')
  const baseline = flags.baseline === undefined ? { accept: [] } : readCheckedFile(flags.baseline, Baseline)
  const report = await compare(flags, baseline, extras)
  printReport(report, flags)
  const { breaking } = countsOf(report.findings)
  const isDrift = flags.failOn === 'any' ? report.findings.length > 0 : breaking > 0
  process.exitCode = isDrift ? 1 : report.unchecked.length > 0 ? 2 : 0
}

/** Creates a gateway with a dialect, or without one for a vendor that has no bundled dialect. */
function gatewayOf(dialect: string | undefined, extras: readonly AnyExtra[]): GatewayCore {
  try {
    return new GatewayCore({ dialect } as GatewayOptionsInput, { extras })
  } catch {
    return new GatewayCore()
  }
}

async function compare(
  flags: DriftFlags,
  baseline: Baseline,
  extras: readonly AnyExtra[],
): Promise<DriftReport> {
  const { spec, recordings: folder, live, dialect } = flags
  const unchecked: string[] = []
  const progress = (text: string) => {
    if (!flags.quiet && process.stderr.isTTY) printError(text)
  }
  const gateway = gatewayOf(dialect, extras)
  const mock = await describeMock(gateway)
  let document: DescribedOperations | undefined
  if (spec !== undefined) {
    progress(`Reading ${spec}`)
    document = await readSpec(spec, unchecked)
  }
  const observed = new Map<ObservedSource, ReadonlyMap<string, Recording>>()
  if (folder !== undefined) {
    progress(`Reading the recordings in ${folder}`)
    const recordings = readRecordings(folder, dialect, unchecked)
    if (recordings) observed.set('recordings', recordings)
  }
  if (live) observed.set('live', await recordLive(flags, progress, unchecked))
  const result = findDrift({ mock, document, observed })
  const today = wallClock().toISOString().slice(0, 10)
  const { findings, explained } = explain(result.findings, (await gateway.dialect?.differences?.()) ?? [])
  const accepted = accept(findings, baseline, today)
  return {
    ...accepted,
    findings: grouped(accepted.findings),
    explained,
    checked: result.checked,
    unchecked: [...unchecked, ...result.unchecked],
  }
}

/** Maximum number of characters in a fetched document. Published documents are about 2 MB. */
const maxLength = 64 * 1024 * 1024
/** Timeout for fetching a document or reply, in real milliseconds. */
const timeoutMs = 60_000

/** Reads a JSON or YAML document from a file or URL. If that fails, returns undefined and adds the reason to `unchecked`. */
async function readSpec(spec: string, unchecked: string[]): Promise<DescribedOperations | undefined> {
  try {
    const isUrl = /^https?:\/\//.test(spec)
    return readDocument(isUrl ? parseDocument(await fetchText(spec)) : readDocumentFile(spec))
  } catch (error) {
    const { message } = error as Error
    unchecked.push(error instanceof FileError ? message : `${spec}: ${message.split('\n')[0]}`)
    return undefined
  }
}

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).catch((error: Error) => {
    throw new Error(
      `cannot be fetched: ${error.cause instanceof Error ? error.cause.message : error.message}`,
    )
  })
  if (!response.ok) throw new Error(`responded with ${response.status}`)
  const text = await response.text()
  if (text.length > maxLength) throw new Error('is larger than 64 MB')
  return text
}

/** @param dialect Vendor whose recordings to read. Default: all recordings. */
function readRecordings(
  folder: string,
  dialect: string | undefined,
  unchecked: string[],
): Map<string, Recording> | undefined {
  try {
    const recordings = [...readRecordingFolder(folder)]
    return new Map(recordings.filter(([, { head }]) => dialect === undefined || head.dialect === dialect))
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error
    unchecked.push(error.message)
    return undefined
  }
}

async function recordLive(flags: DriftFlags, progress: (text: string) => void, unchecked: string[]) {
  const { upstream, keyEnv, budgetUsd, model } = flags
  if (!upstream) throw new UsageError('--live requires --upstream, the base URL of the real gateway')
  const key = keyEnv === undefined ? undefined : keyIn(keyEnv)
  const folder = await mkdtemp(join(tmpdir(), 'understudy-drift-'))
  try {
    const live = await askGateway({
      upstream,
      key,
      folder,
      budgetUsd,
      model,
      redactor: toRedactor({}, upstreamSecrets(upstream, key)),
      onRequest: (line) => progress(`Sending ${line}`),
    })
    unchecked.push(...live.unchecked)
    return live.recordings
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export interface LiveSetup {
  readonly upstream: URL
  readonly key: string | undefined
  readonly redactor: Redactor
  /** Empty folder for recordings, which the caller removes. */
  readonly folder: string
  /** Maximum total cost of model calls, in US dollars. */
  readonly budgetUsd: number
  /** Model to call. Default: none. */
  readonly model?: string | undefined
  /** Called before each request with its method and path, such as `GET /providers`. */
  readonly onRequest?: (line: string) => void
}

/** Assumed cost in US dollars of a reply that does not state its cost. */
const assumedCost = 0.01

/**
 * Records a real gateway's replies: lists, errors, and model replies within the budget. Sends no requests that change
 * state.
 */
export async function askGateway(
  setup: LiveSetup,
): Promise<{ recordings: Map<string, Recording>; unchecked: string[] }> {
  const { upstream, key, redactor, folder, model, onRequest } = setup
  const recorder = await startRecorder({
    upstream,
    key,
    redactor,
    out: folder,
    mode: 'all',
    idleMs: timeoutMs,
  })
  const unchecked: string[] = []
  let left = setup.budgetUsd
  const ask = async (method: string, path: string, body?: object): Promise<string> => {
    const line = `${method} ${path}`
    onRequest?.(line)
    const response = await fetch(recorder.baseUrl + path, {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error: Error) => error)
    if (response instanceof Error) {
      unchecked.push(`live ${line}: ${response.message}`)
      return ''
    }
    const text = await response.text().catch((error: Error) => error.message)
    if (response.status === 401 || response.status === 403 || response.status >= 500)
      unchecked.push(`live ${line}: responded with ${response.status}`)
    return text
  }
  const askModel = async (body: object) => {
    if (left < assumedCost) unchecked.push('live POST /responses: the budget is exhausted')
    else left -= costIn(await ask('POST', '/responses', body))
  }
  try {
    await ask('GET', '/providers')
    await ask('GET', '/embeddings/models')
    await ask('GET', '/benchmarks?max_results=5')
    await ask('GET', '/presets/understudy-drift-check')
    await ask('POST', '/responses', {})
    if (model === undefined) unchecked.push('live POST /responses: set a model with --model')
    else {
      const question = { model, input: 'Say hello.', max_output_tokens: 16 }
      await askModel(question)
      await askModel({ ...question, stream: true })
    }
  } finally {
    await recorder.close()
  }
  return { recordings: readRecordingFolder(folder), unchecked }
}

/** Returns the last cost stated in a reply or stream, in US dollars. */
function costIn(text: string): number {
  const costs = [...text.matchAll(/"cost"\s*:\s*(\d+(?:\.\d+)?(?:e-?\d+)?)/g)].map(([, cost]) => Number(cost))
  return costs.at(-1) ?? assumedCost
}

function printReport(
  report: DriftReport,
  { json, markdown, sarif, quiet, spec, recordings }: DriftFlags,
): void {
  if (json) print(JSON.stringify({ ...report, counts: countsOf(report.findings) }, null, 2))
  else if (markdown) print(toMarkdown(report))
  else if (sarif)
    print(JSON.stringify(toSarif(report, manifest.version, spec ?? recordings ?? 'live'), null, 2))
  else if (quiet) print(toText(report).split('\n').at(-1) ?? '')
  else print(toText(report))
}
