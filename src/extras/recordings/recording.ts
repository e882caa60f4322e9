/**
 * Defines the recording format: an exchange as JSON lines, which are readable in diffs. The lines are the
 * head, the request, and the reply's head, chunks and ending. Chunks store the bytes as received, except for
 * secrets, to preserve comments, line endings and split points. Events are derived from the chunks.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import * as z from 'zod'
import { decodeUtf8, fromLatin1, joinBytes, toLatin1 } from '../../lib/bytes.ts'
import { inCall } from '../../lib/call-names.ts'
import { parseJson, readJson } from '../../lib/json.ts'
import { count } from '../../lib/numbers.ts'
import { check, shown } from '../../lib/schema-messages.ts'
import { UsageError } from '../../lib/usage-error.ts'

const encoder = new TextEncoder()

/** Schema for a number with an upper bound that keeps arithmetic exact. */
export const amount = (least = 0) => z.number().min(least).max(1e12)
const milliseconds = () => amount().describe('Milliseconds since the request was sent.')

/** Headers as received, including connection headers, with lowercase names. */
const HeadersSeen = z.lazy(() => z.record(z.string(), z.string()))

const Head = z.lazy(() =>
  z.looseObject({
    recording: z.literal(1).describe('Format version.'),
    operation: z
      .string()
      .min(1)
      .describe('Operation id, method and path (`post-models`) or, without a request, the file name.'),
    dialect: z.string().min(1).default('neutral'),
    key: z.string().describe('Hash used to match requests; empty for a reply without a request.'),
    redacted: z.array(z.string()).default([]).describe('Kinds of secrets replaced in the request.'),
    recordedAt: z.string().optional().describe('Wall-clock time, ISO 8601.'),
  }),
)

const Request = z.lazy(() =>
  z.looseObject({
    method: z.string().regex(/^[A-Z-]+$/, 'a method must be upper case'),
    path: z.string().startsWith('/').describe('Path relative to the base URL, percent-encoded.'),
    query: z.string().default('').describe('Query with its question mark, or an empty string.'),
    headers: HeadersSeen.default({}),
    // At most one of these fields is set: the first that preserves the body's bytes.
    json: z.json().optional().describe('Body, if it is compact JSON.'),
    text: z.string().optional(),
    base64: z.base64().optional(),
  }),
)

const ReplyHead = z.lazy(() =>
  z.looseObject({ ms: milliseconds(), status: z.int().min(100).max(599), headers: HeadersSeen }),
)

const Chunk = z.lazy(() =>
  z.union(
    [
      z.looseObject({ ms: milliseconds(), text: z.string() }),
      z
        .looseObject({ ms: milliseconds(), base64: z.base64() })
        .describe('Bytes that are not valid UTF-8: a chunk can end inside a multibyte character.'),
    ],
    { error: 'a chunk must have ms, and text or base64' },
  ),
)

/** `fin`: complete, `reset`: broken connection, `idle`: the upstream stopped sending. */
const endings = ['fin', 'reset', 'aborted-by-client', 'idle'] as const

const End = z.lazy(() =>
  z.looseObject({
    end: z.enum(endings),
    ms: milliseconds(),
    bytes: count().describe('Total length of all chunks.'),
    sha256: z.string().optional().describe('Hash of the concatenated chunks. Not checked if absent.'),
    redacted: z.array(z.string()).optional().describe('Kinds of secrets replaced in the reply.'),
  }),
)

/** Named differently from its type, so that the package's declarations do not include the schema. */
export const RecordingSchema = z.lazy(() =>
  z.object({
    head: Head,
    request: Request.optional().describe('Absent for a reply that was captured without its request.'),
    reply: ReplyHead.optional().describe('Absent if the connection ended before a reply head was received.'),
    chunks: z.array(Chunk),
    end: End.optional().describe('Absent if the exchange was still in progress.'),
  }),
)

/** One recorded exchange, as plain data. */
export type Recording = z.output<typeof RecordingSchema>
export type RecordedRequest = z.infer<typeof Request>
export type RecordedChunk = z.infer<typeof Chunk>
export type RecordedEnding = (typeof endings)[number]

/** Thrown for an invalid recording. The message names the file and the line. */
export class RecordingError extends UsageError {
  override name = 'RecordingError'
}

/**
 * Parses a recording. Throws an error that names the line.
 *
 * @param text Content of a `.recording.jsonl` file.
 * @param name File name to use in messages. Default: `recording`.
 */
export function parseRecording(text: string, name = 'recording'): Recording {
  return inCall('parseRecording', () => {
    if (typeof text !== 'string' || text.endsWith('.jsonl'))
      throw new TypeError(`parseRecording() expects the text of a .recording.jsonl file, got ${shown(text)}`)
    return recordingOf(text, name)
  })
}

export function recordingOf(text: string, name: string): Recording {
  const recording: Record<string, unknown> & { chunks: unknown[] } = { chunks: [] }
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const fail = (reason: string) => new RecordingError(`${name}:${index + 1}: ${reason}`)
    const value = parseLine(line, fail)
    if (recording['end']) throw fail('follows the line with "end", which must be the last')
    if (!recording['head'] && !('recording' in value))
      throw fail('the first line must be the head, {"recording":1,…}')
    const [part, schema, inner] = partOf(value)
    if (part !== 'chunks' && recording[part]) throw fail(`has a second ${part}`)
    const result = check(schema, inner)
    if (!result.success) throw fail(`${part}: ${firstProblem(result.error)}`)
    if (part === 'chunks') recording.chunks.push(result.data)
    else recording[part] = result.data
  }
  if (!recording['head']) throw new RecordingError(`${name}: is empty`)
  assertIntact(recording as Recording, name)
  return recording as Recording
}

export function isRecording(value: unknown): value is Recording {
  return typeof value === 'object' && value !== null && 'head' in value && 'chunks' in value
}

const suffix = '.recording.jsonl'

/** Shortens long names, because most file systems allow at most 255 bytes. Numbers repeated requests. */
export function fileNameOf({ operation, key }: Recording['head'], taken: Pick<Set<string>, 'has'>): string {
  const stem = (key === '' ? operation : `${operation.slice(0, 150)}-${key}`).replace(/[^\w.-]+/g, '-')
  const nameOf = (number: number) => `${stem}${number > 1 ? `.${number}` : ''}${suffix}`
  let number = 1
  while (taken.has(nameOf(number))) number *= 2
  // Halving finds the next of 10,000 numbers in 26 look-ups.
  for (let step = number >> 2; step > 0; step >>= 1) if (!taken.has(nameOf(number - step))) number -= step
  return nameOf(number)
}

export function isRecordingFile(file: string): boolean {
  return file.endsWith(suffix)
}

export function bytesOf(part: Pick<RecordedRequest, 'json' | 'text' | 'base64'>): Uint8Array {
  if (part.base64 !== undefined) return fromLatin1(atob(part.base64))
  if (part.text !== undefined) return encoder.encode(part.text)
  return part.json === undefined ? new Uint8Array() : encoder.encode(JSON.stringify(part.json))
}

export function bodyOf({ chunks }: Recording): Uint8Array {
  return joinBytes(chunks.map(bytesOf))
}

export function toChunk(ms: number, bytes: Uint8Array): RecordedChunk {
  const text = decodeUtf8(bytes)
  return text === undefined ? { ms: rounded(ms), base64: btoa(toLatin1(bytes)) } : { ms: rounded(ms), text }
}

/** Stores a request body in the most readable form that preserves its bytes. */
export function toContent(bytes: Uint8Array): Pick<RecordedRequest, 'json' | 'text' | 'base64'> {
  if (bytes.length === 0) return {}
  const text = decodeUtf8(bytes)
  if (text === undefined) return { base64: btoa(toLatin1(bytes)) }
  const json = parseJson(text) as RecordedRequest['json']
  return JSON.stringify(json) === text ? { json } : { text }
}

export function rounded(ms: number): number {
  return Math.max(0, Math.round(ms * 100) / 100)
}

function parseLine(line: string, fail: (reason: string) => RecordingError): object {
  try {
    const value = readJson(line)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch (error) {
    throw fail(`not JSON: ${(error as Error).message}`)
  }
  throw fail('is not an object')
}

function partOf(value: object): [keyof Recording & string, z.ZodType, unknown] {
  if ('recording' in value) return ['head', Head, value]
  if ('request' in value) return ['request', Request, value.request]
  if ('reply' in value) return ['reply', ReplyHead, value.reply]
  if ('end' in value) return ['end', End, value]
  return ['chunks', Chunk, value]
}

export function firstProblem({ issues }: z.ZodError, ...root: string[]): string {
  const { path, message } = issues[0] as z.core.$ZodIssue
  return [[...root, ...path].join('.'), message].filter(Boolean).join(': ')
}

function assertIntact(recording: Recording, name: string): void {
  const { end } = recording
  if (!end) return
  const body = bodyOf(recording)
  const fail = (problem: string) => {
    throw new RecordingError(`${name}: the chunks ${problem}`)
  }
  const fix = 'If they were edited, correct bytes and remove sha256 there'
  if (body.length !== end.bytes)
    fail(`total ${body.length} bytes, but the last line declares ${end.bytes}. ${fix}`)
  if (end.sha256 !== undefined && bytesToHex(sha256(body)) !== end.sha256)
    fail('were changed after recording. If that is intended, remove sha256 from the last line')
}
