/**
 * The recorded form of one exchange: JSON lines, readable in a diff. A head, the request, the head of the reply, one
 * line for each chunk of its body, and how it ended. Chunks keep the bytes as they came, so that comments, line ends,
 * joins and splits survive; events are derived from them.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import * as z from 'zod'
import { decodeUtf8, fromBase64, joinBytes, toBase64 } from '../lib/bytes.ts'
import type { Tape as TapeData } from './tape-types.ts'

const encoder = new TextEncoder()

const milliseconds = () => z.number().min(0).describe('Milliseconds since the request was sent.')

/** Headers as they were seen, those of the connection too; names in lower case. */
const HeadersSeen = z.lazy(() => z.record(z.string(), z.string()))

/** The first line. */
const Head = z.lazy(() =>
  z.looseObject({
    tape: z.literal(1).describe('The version of the format.'),
    operation: z.string().min(1).describe('Operation id, or `post-chat-completions` for a path without one.'),
    dialect: z.string().min(1).default('neutral'),
    key: z.string().describe('What requests are matched by; empty for a reply that has no request.'),
    redacted: z.array(z.string()).default([]).describe('What was replaced in the request, by kind.'),
    bodyHash: z
      .string()
      .optional()
      .describe('Of the canonical body, where its texts were replaced by filler.'),
    recordedAt: z.string().optional().describe('Time of day, ISO 8601.'),
  }),
)

const Request = z.lazy(() =>
  z.looseObject({
    method: z.string().regex(/^[A-Z]+$/, 'a method is in capitals'),
    path: z.string().startsWith('/').describe('Below the base address, percent-encoded.'),
    query: z.string().default('').describe('With its question mark; empty where there is none.'),
    headers: HeadersSeen.default({}),
    // The first of these forms that gives back the bytes of the body.
    json: z.json().optional().describe('A body that is compact JSON.'),
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
      z.looseObject({ ms: milliseconds(), base64: z.base64() }).describe('Bytes that split a character.'),
    ],
    { error: 'a chunk has ms, and text or base64' },
  ),
)

/** `fin` a clean end, `reset` a broken connection, `client-left` nobody read on, `idle` nothing came any more. */
const endings = ['fin', 'reset', 'client-left', 'idle'] as const

const End = z.lazy(() =>
  z.looseObject({
    end: z.enum(endings),
    ms: milliseconds(),
    bytes: z.int().min(0).describe('Length of all chunks together.'),
    sha256: z.string().optional().describe('Of all chunks together. Left out, it is not checked.'),
    redacted: z.array(z.string()).optional().describe('What was replaced in the reply, by kind.'),
  }),
)

export const Tape = z.lazy(() =>
  z.looseObject({
    head: Head,
    request: Request.optional().describe('Absent for a reply that was captured alone.'),
    reply: ReplyHead.optional().describe(
      'Absent where the connection ended without a head, or nobody asked yet.',
    ),
    chunks: z.array(Chunk),
    end: End.optional().describe('Absent for a request that has no reply yet.'),
  }),
)

/** One recorded exchange, as plain data. */
export type Tape = TapeData
export type TapeRequest = z.infer<typeof Request>
export type TapeReply = z.infer<typeof ReplyHead>
export type TapeChunk = z.infer<typeof Chunk>
export type TapeEnding = (typeof endings)[number]

/** A tape that cannot be read; the message names the file and the line. */
export class TapeError extends Error {
  override name = 'TapeError'
}

/**
 * Reads a tape. Throws a `TapeError` that names the line.
 *
 * @param text The contents of a `.tape.jsonl` file.
 * @param name What the message calls it. Default: `tape`.
 */
export function parseTape(text: string, name = 'tape'): Tape {
  const tape: Record<string, unknown> & { chunks: unknown[] } = { chunks: [] }
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const fail = (reason: string) => new TapeError(`${name}:${index + 1}: ${reason}`)
    const value = parseLine(line, fail)
    if (tape['end']) throw fail('stands after the line that says how it ended')
    if (!tape['head'] && !('tape' in value)) throw fail('a tape begins with its head, {"tape":1,…}')
    const [part, schema, inner] = partOf(value)
    if (part !== 'chunks' && tape[part]) throw fail(`has a second ${part}`)
    const result = schema.safeParse(inner)
    if (!result.success) throw fail(`${part}: ${firstProblem(result.error)}`)
    if (part === 'chunks') tape.chunks.push(result.data)
    else tape[part] = result.data
  }
  if (!tape['head']) throw new TapeError(`${name}: is empty`)
  const whole = tape as Tape
  assertWhole(whole, name)
  return whole
}

/** The lines of a tape, as they are written to its file. */
export function formatTape({ head, request, reply, chunks, end }: Tape): string {
  const lines = [head, request && { request }, reply && { reply }, ...chunks, end]
  return lines.flatMap((line) => (line ? `${JSON.stringify(line)}\n` : [])).join('')
}

/** Whether somebody gave a parsed tape. */
export function isTape(value: unknown): value is Tape {
  return typeof value === 'object' && value !== null && 'head' in value && 'chunks' in value
}

/** `createResponse-0123456789abcdef.tape.jsonl`; the second of equal requests has `.2` before its ending. */
export function tapeName({ operation, key }: Tape['head'], number = 1): string {
  const stem = `${operation}-${key === '' ? 'capture' : key}`
  return `${stem.replace(/[^\w.-]+/g, '-')}${number > 1 ? `.${number}` : ''}.tape.jsonl`
}

export function isTapeName(file: string): boolean {
  return file.endsWith('.tape.jsonl')
}

/** The body of a request, or a chunk, as bytes. */
export function bytesOf(part: Pick<TapeRequest, 'json' | 'text' | 'base64'>): Uint8Array {
  if (part.base64 !== undefined) return fromBase64(part.base64)
  if (part.text !== undefined) return encoder.encode(part.text)
  return part.json === undefined ? new Uint8Array() : encoder.encode(JSON.stringify(part.json))
}

/** The reply's body, all chunks together. */
export function bodyOf({ chunks }: Tape): Uint8Array {
  return joinBytes(chunks.map(bytesOf))
}

/** Bytes as a chunk: text, or base64 where they split a character. */
export function toChunk(ms: number, bytes: Uint8Array): TapeChunk {
  const text = decodeUtf8(bytes)
  return text === undefined ? { ms: rounded(ms), base64: toBase64(bytes) } : { ms: rounded(ms), text }
}

/** A request's body in the form that reads best and gives back its bytes. */
export function toContent(bytes: Uint8Array): Pick<TapeRequest, 'json' | 'text' | 'base64'> {
  if (bytes.length === 0) return {}
  const text = decodeUtf8(bytes)
  if (text === undefined) return { base64: toBase64(bytes) }
  try {
    const json = JSON.parse(text)
    if (JSON.stringify(json) === text) return { json }
  } catch {
    // Not JSON: it stays text.
  }
  return { text }
}

/** Times are kept to a hundredth of a millisecond. */
export function rounded(ms: number): number {
  return Math.max(0, Math.round(ms * 100) / 100)
}

/** The hash that the last line carries, fed as chunks come. */
export function bodyDigest(): { add(bytes: Uint8Array): void; hex(): string } {
  const digest = sha256.create()
  return { add: (bytes) => void digest.update(bytes), hex: () => bytesToHex(digest.digest()) }
}

function parseLine(line: string, fail: (reason: string) => TapeError): object {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch (error) {
    throw fail(`not JSON: ${(error as Error).message}`)
  }
  throw fail('is not an object')
}

function partOf(value: object): [keyof Tape & string, z.ZodType, unknown] {
  if ('tape' in value) return ['head', Head, value]
  if ('request' in value) return ['request', Request, value.request]
  if ('reply' in value) return ['reply', ReplyHead, value.reply]
  if ('end' in value) return ['end', End, value]
  return ['chunks', Chunk, value]
}

function firstProblem(error: z.ZodError): string {
  const [issue] = error.issues
  return issue ? `${issue.path.join('.')}${issue.path.length > 0 ? ': ' : ''}${issue.message}` : 'invalid'
}

/** Throws where bytes were lost, or changed by hand without a word. */
function assertWhole(tape: Tape, name: string): void {
  const { end } = tape
  if (!end) return
  const body = bodyOf(tape)
  if (body.length !== end.bytes)
    throw new TapeError(`${name}: its chunks have ${body.length} bytes, its last line says ${end.bytes}`)
  if (end.sha256 === undefined) return
  const digest = bodyDigest()
  digest.add(body)
  if (digest.hex() !== end.sha256)
    throw new TapeError(
      `${name}: its chunks are not what was recorded. Where that is meant, remove sha256 from its last line`,
    )
}
