/** `import`: converts HAR files and event streams to recordings, without their secrets. */
import { readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import * as z from 'zod'
import { Router } from '../../gateway/router.ts'
import { announcesEvents } from '../../http/reply.ts'
import { decodeUtf8, fromBase64, fromLatin1 } from '../../lib/bytes.ts'
import { check } from '../../lib/check.ts'
import { readCheckedFile } from '../../lib/data-file.ts'
import { lookUp } from '../../lib/look-up.ts'
import { amount, count } from '../../lib/numbers.ts'
import { print, printError } from '../../lib/print.ts'
import { UsageError } from '../../lib/usage-error.ts'
import { operations } from '../../operations/index.ts'
import { eventsIn } from './events.ts'
import { firstProblem, type RecordedEnding, type RecordedRequest, toContent } from './recording.ts'
import { openRecording, RecordingFolder } from './recording-files.ts'
import { readOrFail } from './recordings.ts'
import { type RedactionFlags, toRedactor } from './redact.ts'

type ImportKind = 'har' | 'sse'

export interface ImportFlags extends RedactionFlags {
  recordings: string
  base: string
  request?: string
  dialect: string
  quiet?: true
  json?: true
}

/** A finished exchange. Times are in milliseconds since the request was sent. */
interface Exchange {
  readonly request: RecordedRequest | undefined
  readonly reply: { ms: number; status: number; headers: Readonly<Record<string, string>> } | undefined
  readonly chunks: readonly { ms: number; bytes: Uint8Array }[]
  readonly end: { how: RecordedEnding; ms: number }
}

interface Imported {
  readonly exchanges: readonly Exchange[]
  readonly skipped: readonly string[]
  /** Name of the recordings, also used as their operation if there is no request. Default: the operation's name. */
  readonly name?: string
}

/** Sets exit code 1 if a recording with a secret was deleted, 2 if nothing was written. */
export async function importFiles(
  kind: ImportKind,
  files: readonly string[],
  flags: ImportFlags,
): Promise<void> {
  const { recordings, dialect, quiet, json } = flags
  if (flags.request !== undefined && kind !== 'sse')
    throw new UsageError('--request is for import sse: the other formats include the request')
  const redactor = toRedactor(flags)
  const router = new Router(operations)
  const imported = files.map((file) => read(kind, file, flags))
  const folder = new RecordingFolder(recordings)
  const written: string[] = []
  const leaked: string[] = []
  const skipped = imported.flatMap((each) => each.skipped)
  for (const { exchanges, name } of imported) {
    for (const { request, reply, chunks, end } of exchanges) {
      const operation = request ? router.find(request.method, request.path).operation?.id : name
      const opening = openRecording(request, { redactor, operation, dialect })
      const file = folder.create(opening, redactor, undefined, name)
      if (reply) file.reply(reply.ms, reply.status, reply.headers)
      for (const { ms, bytes } of chunks) file.chunk(ms, bytes)
      const outcome = await file.end(end.how, end.ms)
      if (outcome.kind === 'recorded') written.push(outcome.file)
      else if (outcome.kind === 'leaked') leaked.push(outcome.file)
      else skipped.push(`${opening.head.operation}: ${outcome.reason}`)
    }
  }
  if (leaked.length > 0) process.exitCode = 1
  else if (written.length === 0) process.exitCode = 2
  if (json) return print(JSON.stringify({ written, skipped, leaked }))
  for (const reason of skipped) printError(`skipped ${reason}`)
  for (const file of leaked) printError(`deleted ${file}: it still contained a secret`)
  if (quiet) return
  for (const file of written) print(join(recordings, file))
  const rest = skipped.length > 0 ? `, ${skipped.length} skipped` : ''
  print(`${written.length} ${written.length === 1 ? 'recording' : 'recordings'} in ${recordings}/${rest}`)
}

function read(kind: ImportKind, file: string, { base, request }: ImportFlags): Imported {
  const bytes = readOrFail(() => readFileSync(file), file)
  return kind === 'har'
    ? importHar(new TextDecoder().decode(bytes), file, base)
    : importStream(bytes, file, request ? readRequest(request) : undefined)
}

/** Without `request`, the recording does not match any request. */
function importStream(bytes: Uint8Array, file: string, request: RecordedRequest | undefined): Imported {
  const text = new TextDecoder().decode(bytes)
  if (/^HTTP\/[\d.]+ \d{3}/.test(text))
    throw new UsageError(`${file}: starts with response headers. Save only the body, without curl -i`)
  if (eventsIn(text).length === 0) throw new UsageError(`${file}: has no events, but must be an event stream`)
  const headers = { 'content-type': 'text/event-stream; charset=utf-8' }
  const reply = { ms: 0, status: 200, headers }
  return {
    exchanges: [{ request, reply, chunks: [{ ms: 0, bytes }], end: { how: 'fin', ms: 0 } }],
    skipped: [],
    name: basename(file, extname(file)),
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

const Pair = z.lazy(() => z.looseObject({ name: z.string(), value: z.string().default('') }))

/** Schema of a HAR 1.2 entry. Fields that tools commonly omit have defaults. */
const HarEntry = z.lazy(() =>
  z.looseObject({
    request: z.looseObject({
      method: z.string().nonempty(),
      url: z.url(),
      headers: z.array(Pair).default([]),
      postData: z.looseObject({ text: z.string().optional(), encoding: z.string().optional() }).nullish(),
    }),
    response: z.looseObject({
      status: count().max(599),
      headers: z.array(Pair).default([]),
      content: z
        .looseObject({
          size: amount(-1).default(0),
          mimeType: z.string().default(''),
          text: z.string().nullish(),
          encoding: z.string().nullish(),
          comment: z.string().nullish(),
        })
        .prefault({}),
    }),
    timings: z.looseObject({ wait: amount(-1).default(0), receive: amount(-1).default(0) }).prefault({}),
    // Delivery outcome in Understudy's HAR files.
    _delivery: z.string().optional(),
  }),
)
type HarEntry = z.infer<typeof HarEntry>

/** @param base The gateway's base path, such as `/api/v1`, or base URL. Other requests are ignored. */
export function importHar(text: string, file: string, base: string): Imported {
  const entries = harEntries(text, file)
  const exchanges: Exchange[] = []
  const skipped: string[] = []
  for (const [index, value] of entries.entries()) {
    const { data: entry, error } = check(HarEntry, value)
    try {
      if (!entry) throw new TypeError(firstProblem(error))
      const path = pathBelow(entry.request.url, base)
      if (path !== undefined && entry.request.method !== 'OPTIONS') exchanges.push(harExchange(entry, path))
    } catch (problem) {
      skipped.push(`${file}: entry ${index + 1}: ${(problem as Error).message}`)
    }
  }
  if (exchanges.length === 0 && skipped.length === 0)
    throw new UsageError(`${file}: none of its ${entries.length} entries is under ${base}, so set --base`)
  return { exchanges, skipped }
}

function harEntries(text: string, file: string): unknown[] {
  let har: { log?: { entries?: unknown } }
  try {
    har = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    throw new UsageError(`${file}: not JSON: ${(error as Error).message}`)
  }
  const entries = har?.log?.entries
  if (!Array.isArray(entries))
    throw new UsageError(`${file}: is not a HAR file, because it has no log.entries`)
  return entries
}

/** Returns the path relative to the base, or undefined for a URL outside it. */
function pathBelow(url: string, base: string): string | undefined {
  const { href, pathname, origin } = new URL(url)
  const prefix = base.replace(/\/$/, '')
  if (/^https?:/.test(base))
    return href.startsWith(`${prefix}/`) ? (origin + pathname).slice(prefix.length) : undefined
  const at = pathname.indexOf(`${prefix}/`)
  return at < 0 ? undefined : pathname.slice(at + prefix.length)
}

function harExchange({ request, response, timings, _delivery = '' }: HarEntry, path: string): Exchange {
  const { text = '', encoding } = request.postData ?? {}
  const sent = {
    method: request.method.toUpperCase(),
    path,
    query: new URL(request.url).search,
    headers: recordOf(request.headers),
    ...toContent(encoding === 'base64' ? fromBase64(text) : encode(text)),
  }
  const wait = Math.max(0, timings.wait)
  const end = { how: lookUp(endings, _delivery) ?? 'fin', ms: wait + Math.max(0, timings.receive) }
  if (response.status === 0) {
    if (end.how !== 'reset') throw new TypeError('has no response (status 0)')
    return { request: sent, reply: undefined, chunks: [], end }
  }
  const bytes = harBody(response)
  return {
    request: sent,
    reply: { ms: wait, status: response.status, headers: withoutCoding(recordOf(response.headers)) },
    chunks: bytes.length > 0 ? [{ ms: wait, bytes }] : [],
    end,
  }
}

const endings: Readonly<Record<string, RecordedEnding>> = {
  'aborted-by-fault': 'reset',
  'aborted-by-client': 'aborted-by-client',
}

/** Returns the body's bytes. Throws if the exporting tool omitted, truncated or wrongly decoded them. */
function harBody({ status, content, headers }: HarEntry['response']): Uint8Array {
  const { text, encoding, comment, size, mimeType } = content
  const isStream = announcesEvents({ 'content-type': mimeType }) || announcesEvents(recordOf(headers))
  if (comment && /not (kept|stored)/.test(comment)) throw new TypeError(`its body is incomplete (${comment})`)
  if (text === undefined || text === null) {
    if (size > 0 || (isStream && status === 200))
      throw new TypeError('its body is missing; save the HAR file with content')
    return new Uint8Array()
  }
  if (encoding === 'base64') return fromBase64(text)
  const bytes = encode(text)
  if (text.includes('\ufffd') && isStream)
    throw new TypeError('its stream was decoded wrongly (it contains U+FFFD), so bytes are lost')
  if (isStream && looksLikeLatin1(text))
    throw new TypeError('its stream was decoded wrongly (UTF-8 read as Latin-1); save it with another tool')
  if (isStream && size > 0 && size !== bytes.length)
    throw new TypeError(
      `its stream has ${bytes.length} bytes, but ${size} were sent, so it was decoded wrongly or truncated`,
    )
  return bytes
}

/** Windows-1252 characters for the bytes 0x80 to 0x9f. */
const windows1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

/** Returns true if the text is UTF-8 that was read as Latin-1. */
function looksLikeLatin1(text: string): boolean {
  const latin1 = text.replace(/[^\0-\xff]/g, (character) => {
    const place = windows1252.indexOf(character)
    return place < 0 ? character : String.fromCharCode(0x80 + place)
  })
  if (!/[\x80-\xff]/.test(latin1) || /[^\0-\xff]/.test(latin1)) return false
  return decodeUtf8(fromLatin1(latin1)) !== undefined
}

/** Returns headers by lowercase name, without HTTP/2 pseudo-headers. */
function recordOf(pairs: readonly { name: string; value: string }[]): Record<string, string> {
  const named = pairs.filter(({ name }) => !name.startsWith(':'))
  return Object.fromEntries(
    named.map(({ name, value }) => [name.toLowerCase(), value.replace(/[\r\n]+/g, ' ')]),
  )
}

/** Removes headers that describe the encoded body, because bodies in HAR files are decoded. */
function withoutCoding({
  'content-encoding': coding,
  'content-length': length,
  ...headers
}: Record<string, string>): Record<string, string> {
  return length !== undefined && coding === undefined ? { ...headers, 'content-length': length } : headers
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
