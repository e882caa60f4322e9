/** `import`: converts HAR files, VCR cassettes and event streams to recordings, without their secrets. */
import { basename, extname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import * as z from 'zod'
import { Router } from '../../gateway/router.ts'
import { basePathOf, publicBase, publicHosts, splitAddress } from '../../lib/address.ts'
import { decodeUtf8 } from '../../lib/bytes.ts'
import { FileError, inMegabytes, readCheckedFile, readRegularFile } from '../../lib/data-file.ts'
import { print, printError } from '../../lib/print.ts'
import { UsageError } from '../../lib/usage-error.ts'
import { operations } from '../../operations/index.ts'
import { eventsIn } from './events.ts'
import { readHar } from './import-har.ts'
import { type Entry, toExchange } from './import-reply.ts'
import { readCassette } from './import-vcr.ts'
import type { RecordedRequest } from './recording.ts'
import { type Exchange, RecordingFolder, toRecording } from './recording-files.ts'
import { readOrFail } from './recordings.ts'
import { type RedactionFlags, toRedactor } from './redact.ts'

interface ImportFlags extends RedactionFlags {
  recordings: string
  base?: string
  request?: string
  dialect: string
  quiet?: true
  json?: true
}

/** Maximum size of a file in bytes, after decompression. */
const maxBytes = 256 * 1024 * 1024
/** Files of at least this size in bytes are announced first, because importing them takes seconds. */
const largeBytes = 10 * 1024 * 1024
/** Maximum number of skipped entries to print. */
const maxReasons = 100

/** Sets exit code 1 if a recording still contained a secret, 2 if nothing was written. */
export function importFiles(kind: 'har' | 'sse' | 'vcr', files: readonly string[], flags: ImportFlags) {
  const { recordings, dialect, quiet, json, base } = flags
  if (flags.request !== undefined && kind !== 'sse')
    throw new UsageError('--request is for import sse: the other formats include the request')
  if (/^https?:/.test(base ?? '') && !URL.canParse(String(base)))
    throw new UsageError('--base must be a path such as /v1, or a URL')
  const given = flags.request === undefined ? undefined : readRequest(flags.request)
  const redactor = toRedactor(flags)
  const folder = new RecordingFolder(recordings, redactor)
  const router = new Router(operations)
  const written: string[] = []
  const leaked: string[] = []
  const skipped: string[] = []
  let total = 0

  /** Skips an invalid file or entry. Rethrows other errors, which are bugs. */
  const attempt = (place: string, act: () => void) => {
    try {
      act()
    } catch (error) {
      if (error instanceof RangeError) skipped.push(`${place}is too large or nested too deeply`)
      else if (error instanceof FileError || error instanceof UsageError) skipped.push(place + error.message)
      else throw error
    }
  }
  const write = (exchange: Exchange, name?: string) => {
    const { request } = exchange
    const operation = request ? router.find(request.method, request.path).operation?.id : name
    const recording = toRecording(exchange, redactor, operation, { dialect })
    if (request && folder.has(recording.head.key)) throw new UsageError('the request is already recorded')
    const outcome = folder.write(recording, name)
    if (outcome.kind === 'not-recorded') throw new UsageError(outcome.reason)
    const files = outcome.kind === 'recorded' ? written : leaked
    files.push(outcome.file)
  }
  const writeEntries = (entries: readonly (() => Entry)[], file: string) => {
    total += entries.length - 1
    const others: string[] = []
    let preflights = 0
    for (const [index, read] of entries.entries()) {
      attempt(`${file}: entry ${index + 1}: `, () => {
        const entry = read()
        const path = pathBelow(entry.url, base)
        if (path === undefined) others.push(versionedBase(entry.url))
        else if (entry.method === 'OPTIONS') preflights++
        else write(toExchange(entry, path))
      })
    }
    if (preflights > 0) skipped.push(`${file}: ${preflights} preflight requests (OPTIONS)`)
    if (others.length === 0) return
    const fix = `set --base, for example to ${others.find((other) => /\/v\d/.test(other)) ?? others[0]}`
    const some = `${others.length} of ${entries.length} entries, outside the base URL`
    skipped.push(`${file}: ${some} (to import others, ${fix})`)
  }

  for (const file of files) {
    total++
    attempt('', () => {
      const bytes = readBytes(file)
      if (bytes.length >= largeBytes && !quiet)
        printError(`importing ${file}: ${inMegabytes(bytes.length)}, which can take a minute`)
      if (kind === 'sse') return write(streamOf(bytes, file, given), basename(file, extname(file)))
      const text = decodeUtf8(bytes)?.replace(/^\ufeff/, '')
      if (text === undefined) throw new UsageError(`${file}: is not UTF-8 text`)
      writeEntries((kind === 'har' ? readHar : readCassette)(text, file), file)
    })
  }
  if (leaked.length > 0) process.exitCode = 1
  else if (written.length === 0) process.exitCode = 2
  if (json) return print(JSON.stringify({ written, skipped, leaked }))
  for (const reason of skipped.slice(0, maxReasons)) printError(`skipped ${reason}`)
  if (skipped.length > maxReasons) printError(`skipped ${skipped.length - maxReasons} more`)
  for (const file of leaked) printError(`did not write ${file}: it still contained a secret`)
  if (quiet) return
  for (const file of written) print(join(recordings, file))
  const rest = total - written.length - leaked.length
  const summary = `${written.length} ${written.length === 1 ? 'recording' : 'recordings'} in ${recordings}/`
  print(rest > 0 ? `${summary}, ${rest} skipped` : summary)
}

function readBytes(file: string): Buffer {
  let bytes = readOrFail(() => readRegularFile(file, maxBytes), file)
  const magic = bytes.toString('latin1', 0, 2)
  try {
    if (magic === '\x1f\x8b') bytes = gunzipSync(bytes, { maxOutputLength: maxBytes })
  } catch {
    throw new UsageError(`${file}: its gzip data is damaged, or larger than ${inMegabytes(maxBytes)}`)
  }
  if (magic === 'PK') throw new UsageError(`${file}: is a zip archive: unpack it, then import the file in it`)
  if (bytes.length === 0) throw new UsageError(`${file}: is empty`)
  return bytes
}

/** @param base Base URL, or base path after any prefix. Default: `/api/v1`, and `/v1` at public APIs. */
function pathBelow({ origin, pathname, hostname }: URL, base: string | undefined): string | undefined {
  if (base === undefined) {
    const found = splitAddress(pathname)
    return found.base !== publicBase || publicHosts.includes(hostname) ? found.route : undefined
  }
  if (!/^https?:/.test(base)) return splitAddress(pathname, [`*${base.replace(/\/$/, '')}`]).route
  return origin === new URL(base).origin ? splitAddress(pathname, [basePathOf(base)]).route : undefined
}

function versionedBase({ origin, pathname }: URL): string {
  return origin + (/^.*?\/v\d\w*(?=\/)/.exec(pathname)?.[0] ?? '')
}

/** Without `request`, the recording does not match any request. */
function streamOf(stored: Buffer, file: string, request: RecordedRequest | undefined): Exchange {
  const text = stored.toString()
  if (/^HTTP\/[\d.]+ \d{3}/.test(text))
    throw new UsageError(`${file}: starts with response headers. Save only the body, without curl -i`)
  if (eventsIn(text).length === 0) throw new UsageError(`${file}: has no events. It must be an event stream`)
  const headers = { 'content-type': 'text/event-stream; charset=utf-8' }
  return {
    request,
    reply: { ms: 0, status: 200, headers },
    chunks: [{ ms: 0, bytes: stored }],
    end: { how: 'fin', ms: 0 },
  }
}

const GivenRequest = z.lazy(() =>
  z.strictObject({
    method: z.string().toUpperCase().default('POST'),
    path: z.string().startsWith('/', 'a path must start with / and is relative to the base URL'),
    query: z.string().default(''),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.json().optional(),
  }),
)

function readRequest(file: string): RecordedRequest {
  const { body, query, ...rest } = readCheckedFile(file, GivenRequest, Number.POSITIVE_INFINITY)
  return { ...rest, query: query.replace(/^(?=[^?])/, '?'), ...(body !== undefined && { json: body }) }
}
