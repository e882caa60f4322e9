/**
 * `scan`: finds secrets in files. Searches every file as text. In recordings, also searches joined chunks and
 * text deltas.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { isSecretName } from '../../http/secrets.ts'
import { fromLatin1, toLatin1, utf8AsLatin1 } from '../../lib/bytes.ts'
import { print, printError } from '../../lib/print.ts'
import { UsageError } from '../../lib/usage-error.ts'
import { eventsIn, isEventStream, joinedDeltas } from './events.ts'
import { bytesOf, formatRecording, parseRecording, type Recording } from './recording.ts'
import { type RedactionFlags, toRedactor } from './redact.ts'
import { isPlaceholder, type SecretFinder } from './secrets.ts'

/** Position and kind of a secret, without its value. */
export interface Leak {
  /** Line number, from 1. */
  readonly line: number
  readonly kind: string
}

export interface ScanFlags extends Pick<RedactionFlags, 'redact'> {
  quiet?: true
  json?: true
}

/** Prints the secrets found. Sets exit code 1 if there are any, 2 if a file cannot be read. */
export async function scan(path: string, { quiet, json, ...rules }: ScanFlags): Promise<void> {
  const { finder } = toRedactor(rules)
  const result = await scanFolder(path, finder).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(error.code === 'ENOENT' ? `${path}: no such file or folder` : error.message)
  })
  const { files, leaks, unread } = result
  process.exitCode = leaks.length > 0 ? 1 : unread.length > 0 ? 2 : 0
  if (json) return print(JSON.stringify(result, null, 2))
  for (const { file, line, kind } of leaks) print(`${file}:${line}: ${kind}`)
  for (const { file, reason } of unread) printError(`${file}: cannot be read: ${reason}`)
  if (quiet) return
  const secrets = ['no secrets', '1 secret'][leaks.length] ?? `${leaks.length} secrets`
  print(`${files} ${files === 1 ? 'file' : 'files'}: ${secrets} found`)
}

export interface Scanned {
  readonly files: number
  readonly leaks: readonly (Leak & { readonly file: string })[]
  /** Files that could not be read, with reasons. */
  readonly unread: readonly { readonly file: string; readonly reason: string }[]
}

/** Scans a folder or file. Throws if it cannot be read. */
export async function scanFolder(path: string, finder: SecretFinder): Promise<Scanned> {
  const leaks: (Leak & { file: string })[] = []
  const unread: { file: string; reason: string }[] = []
  const files = await filesIn(path)
  for (const file of files) {
    try {
      const bytes = unpacked(await readFile(file))
      for (const leak of scanFile(bytes, finder)) leaks.push({ file, ...leak })
    } catch (error) {
      unread.push({ file, reason: String((error as NodeJS.ErrnoException).code) })
    }
  }
  return { files: files.length, leaks, unread }
}

async function filesIn(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => !entry.isDirectory())
  return files.map(({ parentPath, name }) => join(parentPath, name)).sort()
}

// mutation: equivalent (limits memory; any similar number will do)
const maxOutputLength = 1024 ** 3

/** Decompresses gzip and decodes UTF-16. Other bytes are unchanged. */
function unpacked(bytes: Buffer): Uint8Array {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes, { maxOutputLength })
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return Buffer.from(new TextDecoder('utf-16le').decode(bytes))
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return Buffer.from(new TextDecoder('utf-16be').decode(bytes))
  return bytes
}

/**
 * Returns each kind of secret once per line, sorted by line.
 *
 * @param bytes File content.
 */
export function scanFile(bytes: Uint8Array, finder: SecretFinder): Leak[] {
  const recording = asRecording(bytes)
  const leaks = [...scanText(toLatin1(bytes), finder), ...(recording ? scanRecording(recording, finder) : [])]
  const distinct = new Map(leaks.map((leak) => [`${leak.line} ${leak.kind}`, leak]))
  return [...distinct.values()].sort((left, right) => left.line - right.line)
}

/** @param latin1 Text with one character per byte. */
export function scanText(latin1: string, finder: SecretFinder): Leak[] {
  let line = 1
  let at = 0
  return finder.find(latin1).map(({ start, kind }) => {
    line += latin1.slice(at, start).split('\n').length - 1
    at = start
    return { line, kind }
  })
}

/** Finds secrets that are visible only in a recording's decoded parts. */
export function scanRecording(recording: Recording, finder: SecretFinder): Leak[] {
  const { head, request, reply, chunks } = recording
  const requestLine = 2
  const replyLine = request ? 3 : 2
  const firstChunk = formatRecording({ head, request, reply, chunks: [] }).split('\n').length
  const leaks: Leak[] = []
  const note = (line: number, kind: string) => void leaks.push({ line, kind })

  for (const [line, headers] of [
    [requestLine, request?.headers],
    [replyLine, reply?.headers],
  ] as const)
    for (const [name, value] of Object.entries(headers ?? {}))
      if (isSecretName(name) && !isPlaceholder(value)) note(line, `header ${name}`)
  if (request) {
    const url = utf8AsLatin1(request.path + request.query)
    for (const { kind } of [...finder.find(url), ...finder.find(toLatin1(bytesOf(request)))])
      note(requestLine, kind)
  }

  const parts = chunks.map((chunk) => toLatin1(bytesOf(chunk)))
  const body = parts.join('')
  let sum = 0
  const ends = parts.map((part) => {
    sum += part.length
    return sum
  })
  for (const { start, kind } of finder.find(body))
    note(firstChunk + ends.findIndex((end) => end > start), kind)
  if (reply && isEventStream(recording)) {
    const events = eventsIn(new TextDecoder().decode(fromLatin1(body)))
    for (const text of joinedDeltas(events))
      for (const { kind } of finder.find(utf8AsLatin1(text))) note(firstChunk, `${kind} split across events`)
  }
  return leaks
}

function asRecording(bytes: Uint8Array): Recording | undefined {
  if (bytes[0] !== 0x7b) return undefined
  try {
    return parseRecording(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
