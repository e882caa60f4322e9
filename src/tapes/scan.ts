/**
 * Looks for secrets that are left in a file, whatever the file holds: line by line as it stands, and for a tape also in
 * its bodies with their chunks joined, and in the texts that its events make together.
 */
import { isSecretHeader } from '../http/secrets.ts'
import { fromLatin1, toLatin1, utf8AsLatin1 } from '../lib/bytes.ts'
import { isPlaceholder, type SecretFinder } from './secret-finder.ts'
import { bytesOf, formatTape, parseTape, type Tape } from './tape.ts'
import { eventsIn, isEventStream, joinedDeltas } from './tape-events.ts'

/** A secret, by its place and kind; never its value. */
export interface Leak {
  /** From 1. */
  readonly line: number
  readonly kind: string
}

/** @param bytes The contents of a file. */
export function scanFile(bytes: Uint8Array, finder: SecretFinder): Leak[] {
  const text = toLatin1(bytes)
  const leaks = scanText(text, finder)
  const tape = asTape(bytes)
  return apart(tape ? [...leaks, ...scanTape(tape, finder)] : leaks)
}

/** Text with one character for each byte. */
export function scanText(latin1: string, finder: SecretFinder, firstLine = 1): Leak[] {
  let line = firstLine
  let at = 0
  return finder.find(latin1).map(({ start, kind }) => {
    for (; at < start; at++) if (latin1.charCodeAt(at) === 10) line++
    return { line, kind }
  })
}

/** What only shows when a tape is read as what it is. */
export function scanTape(tape: Tape, finder: SecretFinder): Leak[] {
  const { head, request, reply, chunks } = tape
  const first = { request: 2, reply: request ? 3 : 2 }
  const firstChunk = formatTape({ head, request, reply, chunks: [] }).split('\n').length
  const leaks: Leak[] = []
  const note = (line: number, kind: string) => void leaks.push({ line, kind })

  for (const [line, headers] of [
    [first.request, request?.headers],
    [first.reply, reply?.headers],
  ] as const)
    for (const [name, value] of Object.entries(headers ?? {}))
      if (isSecretHeader(name) && !isPlaceholder(value)) note(line, `header ${name}`)
  if (request) {
    const url = utf8AsLatin1(request.path + request.query)
    for (const { kind } of [...finder.find(url), ...finder.find(toLatin1(bytesOf(request)))])
      note(first.request, kind)
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
  if (reply && isEventStream(tape)) {
    const events = eventsIn(new TextDecoder().decode(fromLatin1(body)))
    for (const text of joinedDeltas(events))
      for (const { kind } of finder.find(utf8AsLatin1(text))) note(firstChunk, `${kind} over several events`)
  }
  return leaks
}

function asTape(bytes: Uint8Array): Tape | undefined {
  if (bytes[0] !== 0x7b) return undefined
  try {
    return parseTape(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

/** One for each line and kind. */
function apart(leaks: readonly Leak[]): Leak[] {
  const seen = new Set<string>()
  return leaks
    .filter(({ line, kind }) => !seen.has(`${line} ${kind}`) && seen.add(`${line} ${kind}`))
    .sort((left, right) => left.line - right.line)
}
