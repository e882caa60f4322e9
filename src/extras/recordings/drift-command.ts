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
import { print } from '../../lib/print.ts'
import { UsageError } from '../../lib/usage-error.ts'
import type { GatewayOptionsInput } from '../../sandbox/options-input.ts'
import { parseDocument, readDocumentFile } from '../documents/document-file.ts'
import { type DescribedOperations, readDocument } from './documents.ts'
import { accept, Baseline, findDrift, type ObservedSource } from './drift.ts'
import {
  countsOf,
  type DriftReport,
  grouped,
  toMarkdown,
  toSarif,
  toSummary,
  toText,
} from './drift-report.ts'
import { explain } from './known-differences.ts'
import { describeMock } from './observe.ts'
import { keyIn, startRecorder } from './record.ts'
import { type Recording, RecordingError } from './recording.ts'
import { readRecordingFolder } from './recordings.ts'
import { toRedactor, upstreamSecrets } from './redact.ts'

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
export async function drift(flags: DriftFlags, extras: readonly AnyExtra[]): Promise<void> {
  const { spec, recordings, live, failOn, baseline } = flags
  if (!(spec ?? recordings ?? live))
    throw new UsageError('Nothing to compare with: set --spec, --recordings or --live')
  const accepted = baseline === undefined ? { accept: [] } : readCheckedFile(baseline, Baseline)
  const report = await compare(flags, accepted, extras)
  printReport(report, flags)
  const { findings, unchecked } = report
  const failures = failOn === 'any' ? findings.length : countsOf(findings).breaking
  if (failures) process.exitCode = 1
  else if (unchecked.length) process.exitCode = 2
}

/**
 * Creates a gateway with a dialect, or without one for a vendor that has recordings but no bundled dialect. Throws a
 * `UsageError` for any other name.
 */
function gatewayOf(
  dialect: string | undefined,
  extras: readonly AnyExtra[],
  hasRecordings: boolean,
): GatewayCore {
  try {
    return new GatewayCore({ dialect } as GatewayOptionsInput, { extras })
  } catch (error) {
    if (hasRecordings || dialect === 'neutral') return new GatewayCore()
    throw new UsageError((error as Error).message.replace(/^.* options\.dialect/, '--dialect'))
  }
}

async function compare(
  flags: DriftFlags,
  baseline: Baseline,
  extras: readonly AnyExtra[],
): Promise<DriftReport> {
  const { spec, recordings: folder, live, dialect } = flags
  const unchecked: string[] = []
  const document = spec ? await readSpec(spec, unchecked) : undefined
  const observed = new Map<ObservedSource, ReadonlyMap<string, Recording>>()
  const recordings = folder ? readRecordings(folder, dialect, unchecked) : undefined
  const gateway = gatewayOf(dialect, extras, Boolean(recordings?.size))
  const mock = await describeMock(gateway)
  if (recordings) observed.set('recordings', recordings)
  if (live) observed.set('live', await recordLive(flags, unchecked))
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

/** Timeout for fetching a document or reply, in real milliseconds. */
// mutation: equivalent (any similar timeout will do)
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
    const { message } = error.cause instanceof Error ? error.cause : error
    throw new Error(`cannot be fetched: ${message}`)
  })
  if (!response.ok) throw new Error(`responded with ${response.status}`)
  return response.text()
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

/** Assumed cost in US dollars of a reply that does not state its cost. */
const assumedCost = 0.01

/**
 * Records a real gateway's replies: lists, errors, and model replies within the budget. Sends no requests that change
 * state.
 */
export async function recordLive(
  { upstream, keyEnv, budgetUsd, model }: Pick<DriftFlags, 'upstream' | 'keyEnv' | 'budgetUsd' | 'model'>,
  unchecked: string[],
): Promise<ReadonlyMap<string, Recording>> {
  if (!upstream) throw new UsageError('--live requires --upstream, the base URL of the real gateway')
  const key = keyEnv === undefined ? undefined : keyIn(keyEnv)
  const redactor = toRedactor({}, upstreamSecrets(upstream, key))
  const folder = await mkdtemp(join(tmpdir(), 'understudy-drift-'))
  try {
    const recorder = await startRecorder({
      upstream,
      key,
      redactor,
      out: folder,
      all: true,
      idleMs: timeoutMs,
    })
    await askGateway(recorder.baseUrl, budgetUsd, model, unchecked).finally(() => recorder.close())
    return readRecordingFolder(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function askGateway(
  baseUrl: string,
  budgetUsd: number,
  model: string | undefined,
  unchecked: string[],
) {
  const ask = async (method: 'GET' | 'POST', path: string, body?: object): Promise<string> => {
    const line = `live ${method} ${path}`
    try {
      const sent = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      const signal = AbortSignal.timeout(timeoutMs)
      const response = await fetch(baseUrl + path, { method, ...sent, signal })
      const { status } = response
      if (status === 401 || status === 403 || status >= 500)
        unchecked.push(`${line}: responded with ${status}`)
      return await response.text()
    } catch (error) {
      unchecked.push(`${line}: ${(error as Error).message}`)
      return ''
    }
  }
  let left = budgetUsd
  const askModel = async (body: object) => {
    if (left < assumedCost) unchecked.push('live POST /responses: the budget is exhausted')
    else left -= costIn(await ask('POST', '/responses', body))
  }
  await ask('GET', '/providers')
  await ask('GET', '/embeddings/models')
  await ask('GET', '/benchmarks?max_results=5')
  await ask('GET', '/presets/understudy-drift-check')
  await ask('POST', '/responses', {})
  if (model === undefined) {
    unchecked.push('live POST /responses: set a model with --model')
    return
  }
  const question = { model, input: 'Say hello.', max_output_tokens: 16 }
  await askModel(question)
  await askModel({ ...question, stream: true })
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
  else print(quiet ? toSummary(report) : toText(report))
}
