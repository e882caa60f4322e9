/** Writes recordings line by line, without secrets. A file that still contains one at the end is deleted. */
import { createWriteStream, mkdirSync, readdirSync, readFileSync, rmSync, type WriteStream } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { isSecretName } from '../../http/secrets.ts'
import { toLatin1, utf8AsLatin1 } from '../../lib/bytes.ts'
import { inMegabytes } from '../../lib/data-file.ts'
import { eventsIn, isEventStream, joinedDeltas } from './events.ts'
import {
  bodyOf,
  bytesOf,
  fileNameOf,
  isRecordingFile,
  parseRecording,
  type RecordedEnding,
  type RecordedRequest,
  type Recording,
  rounded,
  toChunk,
} from './recording.ts'
import type { BodyRedactor, CleanChunk, Redactor } from './redact.ts'
import { toKey } from './request-key.ts'
import { isPlaceholder, type SecretFinder } from './secrets.ts'

type Opening = Pick<Recording, 'head' | 'request'>

/** @param operation Operation id. Default: derived from the path. */
export function openRecording(
  request: RecordedRequest | undefined,
  redactor: Redactor,
  operation: string | undefined,
  { dialect, recordedAt }: Pick<Recording['head'], 'dialect' | 'recordedAt'>,
): Opening {
  const clean = request && redactor.request(request)
  const { method = '', path = '' } = clean?.request ?? {}
  const name = operation ?? (method.toLowerCase() + path.replace(/[^A-Za-z0-9]+/g, '-')).replace(/-$/, '')
  const head: Recording['head'] = {
    recording: 1,
    operation: name,
    dialect,
    key: clean ? toKey(name, clean.parts) : '',
    redacted: clean?.redacted ?? [],
    recordedAt,
  }
  return { head, request: clean?.request }
}

export class RecordingFolder {
  readonly path: string
  /** Files that existed before this run, by key. */
  readonly #before = new Map<string, string[]>()
  readonly #fileNames: Set<string>

  constructor(path: string) {
    this.path = path
    mkdirSync(path, { recursive: true })
    this.#fileNames = new Set(readdirSync(path))
    for (const file of this.#fileNames) {
      const key = isRecordingFile(file) ? keyIn(join(path, file)) : undefined
      if (key !== undefined) this.#before.set(key, [...(this.#before.get(key) ?? []), file])
    }
  }

  /** Returns true if the folder contained a recording with this key before this run. */
  has(key: string): boolean {
    return this.#before.has(key)
  }

  forget(key: string): void {
    for (const file of this.#before.get(key) ?? []) {
      rmSync(join(this.path, file), { force: true })
      this.#fileNames.delete(file)
    }
    this.#before.delete(key)
  }

  /** @param maxBytes Maximum body size. Larger recordings are discarded. Default: unlimited. */
  create(
    opening: Opening,
    redactor: Redactor,
    maxBytes = Number.POSITIVE_INFINITY,
    name = opening.head.operation,
  ): RecordingFile {
    const file = fileNameOf({ ...opening.head, operation: name }, this.#fileNames)
    this.#fileNames.add(file)
    return new RecordingFile(join(this.path, file), opening, redactor, maxBytes)
  }
}

/** Returns the key in a recording's head, or undefined if it cannot be read. */
function keyIn(file: string): string | undefined {
  try {
    const { key } = JSON.parse(readFileSync(file, 'utf8').replace(/\n.*/s, ''))
    return typeof key === 'string' ? key : undefined
  } catch {
    return undefined
  }
}

/** Outcome: a finished file, a file deleted because of these kinds of secrets, or the reason why there is no file. */
export type RecordOutcome =
  | { kind: 'recorded'; file: string; status: number; chunks: number; ms: number }
  | { kind: 'leaked'; file: string; leaks: readonly string[] }
  | { kind: 'not-recorded'; reason: string }

/** The file for an exchange in progress. Removes the reply's secrets. */
export class RecordingFile {
  readonly #path: string
  readonly #stream: WriteStream
  readonly #closed: Promise<void>
  readonly #redactor: Redactor
  readonly #body: BodyRedactor
  readonly #maxBytes: number
  readonly #digest = sha256.create()
  #received = 0
  #written = 0
  #chunks = 0
  #status = 0
  #problem: string | undefined

  constructor(path: string, { head, request }: Opening, redactor: Redactor, maxBytes: number) {
    this.#maxBytes = maxBytes
    this.#path = path
    this.#redactor = redactor
    this.#body = redactor.body()
    this.#stream = createWriteStream(path, { flags: 'wx' })
    this.#closed = new Promise<void>((resolve) => this.#stream.on('close', resolve))
    this.#stream.on('error', (error) => this.giveUp(`the recording cannot be written: ${error.message}`))
    this.#line(head)
    if (request) this.#line({ request })
  }

  reply(ms: number, status: number, headers: Readonly<Record<string, string>>): void {
    this.#status = status
    const clean = this.#redactor.headers(headers, (kind) => void this.#body.redacted.add(kind))
    this.#line({ reply: { ms: rounded(ms), status, headers: clean } })
  }

  /** Returns false if the exchange will not be recorded. */
  chunk(ms: number, bytes: Uint8Array): boolean {
    this.#received += bytes.length
    this.#chunks++
    if (this.#received > this.#maxBytes)
      this.giveUp(`the reply is larger than ${inMegabytes(this.#maxBytes)}`)
    if (!this.#problem) this.#write(this.#body.push(ms, bytes))
    return !this.#problem
  }

  /** Stops writing. The file is deleted when the exchange ends. */
  giveUp(reason: string): void {
    this.#problem ??= reason
  }

  /** Finishes the file, then verifies that it contains no secrets and can be parsed. */
  async end(how: RecordedEnding, ms: number): Promise<RecordOutcome> {
    if (!this.#problem) {
      this.#write(this.#body.end())
      const kinds = [...this.#body.redacted]
      const redacted = kinds.length > 0 ? kinds : undefined
      const hash = bytesToHex(this.#digest.digest())
      this.#line({ end: how, ms: rounded(ms), bytes: this.#written, sha256: hash, redacted })
    }
    this.#stream.end()
    await this.#closed
    const file = basename(this.#path)
    const leaks = this.#problem ? [] : await this.#check()
    if (!this.#problem && leaks.length === 0)
      return { kind: 'recorded', file, status: this.#status, chunks: this.#chunks, ms }
    await rm(this.#path, { force: true })
    return this.#problem ? { kind: 'not-recorded', reason: this.#problem } : { kind: 'leaked', file, leaks }
  }

  async #check(): Promise<string[]> {
    const finished = await readFile(this.#path)
    try {
      const recording = parseRecording(new TextDecoder().decode(finished))
      return leaksIn(finished, recording, this.#redactor.finder)
    } catch {
      this.giveUp('the finished recording cannot be read')
      return []
    }
  }

  #write(chunks: readonly CleanChunk[]): void {
    for (const { ms, bytes } of chunks) {
      this.#digest.update(bytes)
      this.#written += bytes.length
      this.#line(toChunk(ms, bytes))
    }
  }

  #line(line: object): void {
    this.#stream.write(`${JSON.stringify(line)}\n`)
  }
}

/** Finds secrets in the file, and in joined chunks and text deltas, where they may be split. */
export function leaksIn(file: Uint8Array, recording: Recording, finder: SecretFinder): string[] {
  const { request, reply } = recording
  const body = bodyOf(recording)
  const headers = [request, reply].flatMap((each) => Object.entries(each?.headers ?? {}))
  const named = headers.filter(([name, value]) => isSecretName(name) && !isPlaceholder(value))
  const texts = [
    toLatin1(file),
    ...(request ? [utf8AsLatin1(request.path + request.query), toLatin1(bytesOf(request))] : []),
    toLatin1(body),
    ...(isEventStream(recording)
      ? joinedDeltas(eventsIn(new TextDecoder().decode(body))).map(utf8AsLatin1)
      : []),
  ]
  const found = texts.flatMap((text) => finder.find(text))
  return [...new Set([...named.map(([name]) => `header ${name}`), ...found.map(({ kind }) => kind)])]
}
