/** Converts exchanges to recordings without secrets, and writes them to a folder. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { isSecretName, mapDeltas } from '../../http/secrets.ts'
import { joinBytes, toLatin1 } from '../../lib/bytes.ts'
import { readRegularFile } from '../../lib/data-file.ts'
import { parseJson } from '../../lib/json.ts'
import { check } from '../../lib/schema-messages.ts'
import {
  bodyOf,
  bytesOf,
  fileNameOf,
  firstProblem,
  isRecordingFile,
  type RecordedEnding,
  type RecordedRequest,
  type Recording,
  RecordingSchema,
  rounded,
  toChunk,
} from './recording.ts'
import { readOrFail } from './recordings.ts'
import type { Redactor } from './redact.ts'
import { toKey } from './request-key.ts'
import { isPlaceholder, type SecretFinder, utf8AsLatin1 } from './secrets.ts'

/** A finished exchange. Times are in milliseconds since the request was sent. */
export interface Exchange {
  readonly request: RecordedRequest | undefined
  readonly reply: { ms: number; status: number; headers: Readonly<Record<string, string>> } | undefined
  readonly chunks: readonly { ms: number; bytes: Uint8Array }[]
  readonly end: { how: RecordedEnding; ms: number }
}

/** @param operation Operation id. Default: derived from the path. */
export function toRecording(
  { request, reply, chunks, end }: Exchange,
  redactor: Redactor,
  operation: string | undefined,
  { dialect, recordedAt }: Pick<Recording['head'], 'dialect' | 'recordedAt'>,
): Recording {
  const clean = request && redactor.request(request)
  const { method = '', path = '' } = clean?.request ?? {}
  const name = operation ?? (method.toLowerCase() + path.replace(/[^A-Za-z0-9]+/g, '-')).replace(/-$/, '')
  const kinds = new Set<string>()
  const note = (kind: string) => void kinds.add(kind)
  const headers = redactor.headers(reply?.headers ?? {}, note)
  const cleanChunks = redactor.chunks(chunks, note)
  const body = joinBytes(cleanChunks.map(({ bytes }) => bytes))
  return {
    head: {
      recording: 1,
      operation: name,
      dialect,
      key: clean ? toKey(name, clean.parts) : '',
      redacted: clean?.redacted ?? [],
      recordedAt,
    },
    request: clean?.request,
    reply: reply && { ms: rounded(reply.ms), status: reply.status, headers },
    chunks: cleanChunks.map(({ ms, bytes }) => toChunk(ms, bytes)),
    end: {
      end: end.how,
      ms: rounded(end.ms),
      bytes: body.length,
      sha256: bytesToHex(sha256(body)),
      redacted: kinds.size > 0 ? [...kinds] : undefined,
    },
  }
}

export type RecordOutcome =
  | { kind: 'recorded'; file: string; status: number; chunks: number; ms: number }
  | { kind: 'leaked'; file: string; leaks: readonly string[] }
  | { kind: 'not-recorded'; reason: string }

export class RecordingFolder {
  readonly #path: string
  readonly #finder: SecretFinder
  /** Files that existed before this run, by key. */
  readonly #before = new Map<string, string[]>()
  readonly #fileNames: Set<string>

  constructor(path: string, { finder }: Redactor) {
    this.#path = path
    this.#finder = finder
    readOrFail(() => mkdirSync(path, { recursive: true }), path)
    this.#fileNames = new Set(readdirSync(path))
    for (const file of this.#fileNames) {
      const key = isRecordingFile(file) ? keyIn(join(path, file)) : undefined
      if (key !== undefined) this.#before.set(key, [...(this.#before.get(key) ?? []), file])
    }
  }

  has(key: string): boolean {
    return this.#before.has(key)
  }

  forget(key: string): void {
    for (const file of this.#before.get(key) ?? []) {
      rmSync(join(this.#path, file), { force: true })
      this.#fileNames.delete(file)
    }
    this.#before.delete(key)
  }

  /** Writes a recording, unless it still contains a secret. */
  write(recording: Recording, name = recording.head.operation): RecordOutcome {
    const { head, request, reply, chunks, end } = recording
    const { error } = check(RecordingSchema, recording)
    if (error) return { kind: 'not-recorded', reason: firstProblem(error) }
    const file = fileNameOf({ ...head, operation: name }, this.#fileNames)
    const lines = [head, request && { request }, reply && { reply }, ...chunks, end]
    const text = lines.flatMap((line) => (line ? `${JSON.stringify(line)}\n` : [])).join('')
    const leaks = leaksIn(text, recording, this.#finder)
    if (leaks.length > 0) return { kind: 'leaked', file, leaks }
    const path = join(this.#path, file)
    if (existsSync(path)) return { kind: 'not-recorded', reason: `${file} already exists` }
    // Written aside, so that another process never reads half a file.
    const aside = `${path}.${process.pid}`
    try {
      writeFileSync(aside, text)
      renameSync(aside, path)
    } catch (error) {
      rmSync(aside, { force: true })
      return { kind: 'not-recorded', reason: `the file cannot be written: ${(error as Error).message}` }
    }
    this.#fileNames.add(file)
    return { kind: 'recorded', file, status: reply?.status ?? 0, chunks: chunks.length, ms: end?.ms ?? 0 }
  }
}

function keyIn(file: string): string | undefined {
  try {
    const { key } = Object(parseJson(readRegularFile(file).toString().replace(/\n.*/s, '')))
    return typeof key === 'string' ? key : undefined
  } catch {
    return undefined
  }
}

/** Finds secrets in the file's text, and in joined chunks and deltas, where they may be split. */
export function leaksIn(text: string, recording: Recording, finder: SecretFinder): string[] {
  const { request, reply } = recording
  const body = bodyOf(recording)
  const headers = [request, reply].flatMap((each) => Object.entries(each?.headers ?? {}))
  const named = headers.filter(([name, value]) => isSecretName(name) && !isPlaceholder(value))
  const texts = [
    utf8AsLatin1(text),
    ...(request ? [utf8AsLatin1(request.path + request.query), toLatin1(bytesOf(request))] : []),
    toLatin1(body),
  ]
  const kinds = new Set(named.map(([name]) => `header ${name}`))
  const note = (kind: string) => void kinds.add(kind)
  for (const each of texts) finder.replace(each, note)
  mapDeltas(toLatin1(body), (joined) => finder.replace(joined, note))
  return [...kinds]
}
