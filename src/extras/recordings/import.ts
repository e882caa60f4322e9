/** `import`: converts HAR files, VCR cassettes and event streams to recordings, without their secrets. */
import { readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import * as z from 'zod'
import { Router } from '../../gateway/router.ts'
import { basePathOf, publicBase, publicHosts, splitAddress } from '../../lib/address.ts'
import { decodeUtf8, joinBytes, toLatin1 } from '../../lib/bytes.ts'
import { FileError, inMegabytes, readCheckedFile } from '../../lib/data-file.ts'
import { print, printError } from '../../lib/print.ts'
import { UsageError } from '../../lib/usage-error.ts'
import { operations } from '../../operations/index.ts'
import { eventsIn } from './events.ts'
import { readHar } from './import-har.ts'
import { type Entry, type Exchange, toExchange } from './import-reply.ts'
import { readCassette } from './import-vcr.ts'
import type { RecordedRequest } from './recording.ts'
import { openRecording, RecordingFolder } from './recording-files.ts'
import { readOrFail } from './recordings.ts'
import { type RedactionFlags, toRedactor } from './redact.ts'

export interface ImportFlags extends RedactionFlags {
  recordings: string
  base?: string
  request?: string
  dialect: string
  quiet?: true
  json?: true
}

type ImportKind = 'har' | 'sse' | 'vcr'

/** Maximum size of a file in bytes, after decompression. */
const maxBytes = 256 * 1024 * 1024
/** Size in bytes from which a file is announced, because importing it takes seconds. */
const largeBytes = 10 * 1024 * 1024

/** Sets exit code 1 if a recording with a secret was deleted, 2 if nothing was written. */
export async function importFiles(
  kind: ImportKind,
  files: readonly string[],
  flags: ImportFlags,
): Promise<void> {
  const { recordings, dialect, quiet, json, base } = flags
  if (flags.request !== undefined && kind !== 'sse')
    throw new UsageError('--request is for import sse: the other formats include the request')
  const request = flags.request === undefined ? undefined : readRequest(flags.request)
  if (/^https?:/.test(base ?? '') && !URL.canParse(String(base)))
    throw new UsageError('--base must be a path such as /v1, or a URL')
  const redactor = toRedactor(flags)
  const folder = readOrFail(() => new RecordingFolder(recordings), recordings)
  const router = new Router(operations)
  const written: string[] = []
  const leaked: string[] = []
  const skipped: string[] = []
  let skippedEntries = 0

  const skip = (reason: string, count = 1) => {
    skipped.push(reason)
    skippedEntries += count
  }
  /** Skips a file or an entry that is invalid. Other errors are ours. */
  const attempt = async (place: string, act: () => Promise<void> | void) => {
    try {
      await act()
    } catch (error) {
      if (error instanceof RangeError) skip(`${place}is too large or nested too deeply`)
      else if (error instanceof FileError || error instanceof UsageError) skip(place + error.message)
      else throw error
    }
  }
  const write = async ({ request, reply, chunks, end }: Exchange, name?: string) => {
    const operation = request ? router.find(request.method, request.path).operation?.id : name
    const opening = openRecording(request, { redactor, operation, dialect })
    const file = folder.create(opening, redactor, undefined, name)
    if (reply) file.reply(reply.ms, reply.status, reply.headers)
    for (const { ms, bytes } of chunks) file.chunk(ms, bytes)
    const outcome = await file.end(end.how, end.ms)
    if (outcome.kind === 'recorded') written.push(outcome.file)
    else if (outcome.kind === 'leaked') leaked.push(outcome.file)
    else throw new UsageError(outcome.reason)
  }
  const writeEntries = async (entries: readonly (() => Entry)[], file: string) => {
    const others: string[] = []
    let preflights = 0
    for (const [index, read] of entries.entries()) {
      await attempt(`${file}: entry ${index + 1}: `, async () => {
        const entry = read()
        const path = pathBelow(entry.url, base)
        if (path === undefined) others.push(versionedBase(entry.url))
        else if (entry.method === 'OPTIONS') preflights++
        else await write(toExchange(entry, path))
      })
    }
    if (preflights > 0) skip(`${file}: ${preflights} preflight requests (OPTIONS)`, preflights)
    if (others.length > 0) {
      const example = others.find((other) => /\/v\d/.test(other)) ?? others[0]
      const fix = `to import others, set --base, for example to ${example}`
      const some = `${others.length} of ${entries.length} entries`
      skip(`${file}: ${some}, outside the base URL (${fix})`, others.length)
    }
    if (entries.length === 0) skip(`${file}: has no entries`)
  }

  for (const file of files) {
    await attempt('', async () => {
      const bytes = readBytes(file)
      if (bytes.length >= largeBytes && !quiet)
        printError(`importing ${file}: ${inMegabytes(bytes.length)}, which can take a minute`)
      if (kind === 'sse') return write(streamOf(bytes, file, request), basename(file, extname(file)))
      const text = decodeUtf8(bytes)?.replace(/^\ufeff/, '')
      if (text === undefined) throw new UsageError(`${file}: is not UTF-8 text`)
      await writeEntries((kind === 'har' ? readHar : readCassette)(text, file), file)
    })
  }
  if (leaked.length > 0) process.exitCode = 1
  else if (written.length === 0) process.exitCode = 2
  if (json) return print(JSON.stringify({ written, skipped, leaked }))
  for (const reason of skipped) printError(`skipped ${reason}`)
  for (const file of leaked) printError(`deleted ${file}: it still contained a secret`)
  if (quiet) return
  for (const file of written) print(join(recordings, file))
  const rest = skippedEntries > 0 ? `, ${skippedEntries} skipped` : ''
  print(`${written.length} ${written.length === 1 ? 'recording' : 'recordings'} in ${recordings}/${rest}`)
}

/** Reads a file, which may be compressed with gzip. */
function readBytes(file: string): Uint8Array {
  const stored = readOrFail(() => readFileSync(file), file)
  const [first, second] = stored
  if (first === 0x50 && second === 0x4b)
    throw new UsageError(`${file}: is a zip archive: unpack it, then import the file in it`)
  let bytes = stored
  try {
    if (first === 0x1f && second === 0x8b) bytes = gunzipSync(stored, { maxOutputLength: maxBytes })
  } catch {
    throw new UsageError(`${file}: its gzip data is damaged, or larger than ${inMegabytes(maxBytes)}`)
  }
  if (bytes.length === 0) throw new UsageError(`${file}: is empty`)
  if (bytes.length <= maxBytes) return bytes
  throw new UsageError(`${file}: is ${inMegabytes(bytes.length)}; the maximum is ${inMegabytes(maxBytes)}`)
}

/**
 * Returns the path relative to the gateway's base, or undefined for a URL outside it.
 *
 * @param base Base path, below any prefix, or base URL. Default: `/api/v1`, and `/v1` on the hosts of public APIs.
 */
function pathBelow({ origin, pathname, hostname }: URL, base: string | undefined): string | undefined {
  if (base === undefined) {
    const found = splitAddress(pathname)
    return found.base !== publicBase || publicHosts.includes(hostname) ? found.route : undefined
  }
  if (!/^https?:/.test(base)) return splitAddress(pathname, [`*${base.replace(/\/$/, '')}`]).route
  return origin === new URL(base).origin ? splitAddress(pathname, [basePathOf(base)]).route : undefined
}

/** Returns the probable base URL of a request, up to a version such as `/v1`. */
function versionedBase({ origin, pathname }: URL): string {
  return origin + (/^.*?\/v\d\w*(?=\/)/.exec(pathname)?.[0] ?? '')
}

/** Without `request`, the recording does not match any request. */
function streamOf(stored: Uint8Array, file: string, request: RecordedRequest | undefined): Exchange {
  const text = new TextDecoder().decode(stored)
  if (/^HTTP\/[\d.]+ \d{3}/.test(text))
    throw new UsageError(`${file}: starts with response headers. Save only the body, without curl -i`)
  const chunks = chunksIn(stored, file) ?? [stored]
  if (eventsIn(new TextDecoder().decode(joinBytes(chunks))).length === 0)
    throw new UsageError(`${file}: has no events, but must be an event stream`)
  const headers = { 'content-type': 'text/event-stream; charset=utf-8' }
  return {
    request,
    reply: { ms: 0, status: 200, headers },
    chunks: chunks.map((bytes) => ({ ms: 0, bytes })),
    end: { how: 'fin', ms: 0 },
  }
}

/** Returns the chunks of a body in HTTP's chunked transfer coding, as saved by `curl --raw`. */
function chunksIn(stored: Uint8Array, file: string): Uint8Array[] | undefined {
  const sizeAt = (at: number) =>
    /^([0-9a-f]{1,8})(?:;[^\r\n]*)?\r\n/i.exec(toLatin1(stored.subarray(at, at + 200)))
  if (!sizeAt(0)) return undefined
  const chunks: Uint8Array[] = []
  for (let at = 0; ; ) {
    const [line, digits] = sizeAt(at) ?? []
    const size = Number.parseInt(String(digits), 16)
    const start = at + String(line).length
    if (line === undefined || start + size > stored.length)
      throw new UsageError(`${file}: byte ${at + 1}: its chunked transfer coding is damaged`)
    if (size === 0) return chunks
    chunks.push(stored.subarray(start, start + size))
    at = start + size + 2
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
  return {
    ...rest,
    query: query.replace(/^(?=[^?])/, '?'),
    ...(body !== undefined && { json: body }),
  }
}
