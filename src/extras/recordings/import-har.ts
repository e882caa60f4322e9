/** Reads HAR files from browsers, Playwright, Polly and Understudy. */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import * as z from 'zod'
import { announcesEvents } from '../../http/reply.ts'
import { decodeUtf8, fromLatin1, joinBytes } from '../../lib/bytes.ts'
import { readRegularFile } from '../../lib/data-file.ts'
import { lookUp, parseJson } from '../../lib/json.ts'
import { check } from '../../lib/schema-messages.ts'
import { UsageError } from '../../lib/usage-error.ts'
import { bytesOfBase64, type Entry, entriesIn, toUrl } from './import-reply.ts'
import { amount, firstProblem, type RecordedEnding } from './recording.ts'
import { readOrFail } from './recordings.ts'

const encoder = new TextEncoder()

/** A header or query parameter. Older versions of Polly store a list of values. */
const Pair = z.lazy(() =>
  z.looseObject({ name: z.string(), value: z.union([z.string(), z.array(z.string())]).default('') }),
)

const Content = z.lazy(() =>
  z.looseObject({
    size: amount(-1).default(-1),
    mimeType: z.string().default(''),
    text: z.string().nullish(),
    encoding: z.string().nullish(),
    comment: z.string().nullish(),
    /** Set in HAR files from older versions of Polly, whose text is a list of hexadecimal chunks. */
    _isBinary: z.boolean().optional(),
    _file: z.string().optional().describe('Name of the file where Playwright saved the body.'),
  }),
)

/** Schema of a HAR 1.2 entry. Fields that tools commonly omit have defaults. */
const HarEntry = z.lazy(() =>
  z.looseObject({
    request: z.looseObject({
      method: z.string().nonempty(),
      url: z.url(),
      headers: z.array(Pair).default([]),
      postData: Content.nullish(),
      bodySize: amount(-1).default(-1),
    }),
    response: z.looseObject({
      status: z.int().min(-1).max(599),
      headers: z.array(Pair).default([]),
      content: Content.prefault({}),
    }),
    timings: z.looseObject({ wait: amount(-1).default(0), receive: amount(-1).default(0) }).prefault({}),
    // Delivery outcome in Understudy's HAR files.
    _delivery: z.string().optional(),
  }),
)
type HarEntry = z.infer<typeof HarEntry>

export function readHar(text: string, file: string): (() => Entry)[] {
  const har = parseJson(text) as { log?: { entries?: unknown } } | undefined
  const entries = har?.log?.entries
  const reason =
    har === undefined ? 'it is not JSON, incomplete or nested too deeply' : 'it has no log.entries'
  if (!Array.isArray(entries)) throw new UsageError(`${file}: is not a HAR file, because ${reason}`)
  return entriesIn(entries, file, (entry) => toEntry(entry, file))
}

function toEntry(value: unknown, file: string): Entry {
  const { data, error } = check(HarEntry, value)
  if (!data) throw new UsageError(firstProblem(error))
  const { request, response, timings, _delivery = '' } = data
  return {
    method: request.method.toUpperCase(),
    url: toUrl(request.url),
    read() {
      const body = contentBytes(request.postData ?? { size: 0 }, file)
      if (request.bodySize > 0 && !body?.length) throw new UsageError('the body of its request is missing')
      const { status, headers } = response
      return {
        request: { headers: request.headers, body },
        reply: { status, headers, body: replyBytes(response, file) },
        ...timings,
        how: lookUp(endings, _delivery) ?? 'fin',
      }
    },
  }
}

const endings: Readonly<Record<string, RecordedEnding>> = {
  'aborted-by-fault': 'reset',
  'aborted-by-client': 'aborted-by-client',
}

/** Returns the body's bytes, or undefined if there are none. Throws if the tool truncated or corrupted them. */
function replyBytes({ content, headers }: HarEntry['response'], file: string): Uint8Array | undefined {
  const { text, encoding, comment, size, mimeType } = content
  if (comment && /not (kept|stored)/.test(comment))
    throw new UsageError(`its body is incomplete (${comment})`)
  const bytes = contentBytes(content, file)
  const type = headers.find(({ name }) => /^content-type$/i.test(name))?.value ?? mimeType
  const isStream = announcesEvents({ 'content-type': String(type) })
  if (!bytes || !isStream || typeof text !== 'string' || encoding === 'base64') return bytes
  if (text.includes('\ufffd'))
    throw new UsageError('its stream was decoded wrongly (it contains U+FFFD), so bytes are lost')
  if (looksLikeLatin1(text))
    throw new UsageError('its stream was decoded wrongly (UTF-8 read as Latin-1); save it with another tool')
  if (size > 0 && size !== bytes.length)
    throw new UsageError(
      `its stream has ${bytes.length} bytes, but ${size} were sent, so it was decoded wrongly or truncated`,
    )
  return bytes
}

function contentBytes(content: Partial<z.output<typeof Content>>, file: string): Uint8Array | undefined {
  const { text, encoding, size, _file, _isBinary } = content
  if (_file !== undefined) return attachedBytes(_file, file)
  if (typeof text !== 'string') return size === 0 ? new Uint8Array() : undefined
  // Polly stores the chunks of a compressed body.
  const chunks = (encoding === 'base64' || _isBinary) && text.startsWith('[') ? parseJson(text) : undefined
  if (Array.isArray(chunks) && chunks.every((chunk) => typeof chunk === 'string'))
    return joinBytes(chunks.map((chunk) => (_isBinary ? Buffer.from(chunk, 'hex') : bytesOfBase64(chunk))))
  return encoding === 'base64' ? bytesOfBase64(text) : encoder.encode(text)
}

/** Reads only regular files in the folder of the HAR file, because HAR files are untrusted. */
function attachedBytes(name: string, file: string): Uint8Array {
  const folder = realpathSync(dirname(file))
  const path = resolve(folder, name)
  if (!existsSync(path)) throw new UsageError(`its body is missing: there is no ${name} next to the HAR file`)
  const real = readOrFail(() => realpathSync(path), path)
  if (!real.startsWith(folder + sep)) throw new UsageError(`its body is outside the file's folder: ${name}`)
  return readOrFail(() => readRegularFile(real), path)
}

const windows1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

function looksLikeLatin1(text: string): boolean {
  const latin1 = text.replace(/[^\0-\xff]/g, (character) => {
    const place = windows1252.indexOf(character)
    return place < 0 ? character : String.fromCharCode(0x80 + place)
  })
  if (!/[\x80-\xff]/.test(latin1) || /[^\0-\xff]/.test(latin1)) return false
  return decodeUtf8(fromLatin1(latin1)) !== undefined
}
