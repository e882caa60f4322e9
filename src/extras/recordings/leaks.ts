/**
 * Finds secrets in a finished recording: in its text, and in the joined chunks and text deltas, where a secret may be
 * split.
 */
import { isSecretName } from '../../http/secrets.ts'
import { fromLatin1, toLatin1, utf8AsLatin1 } from '../../lib/bytes.ts'
import { eventsIn, isEventStream, joinedDeltas } from './events.ts'
import { bytesOf, formatRecording, type Recording } from './recording.ts'
import { isPlaceholder, type SecretFinder } from './secrets.ts'

/** Position and kind of a secret, without its value. */
export interface Leak {
  /** Line number, from 1. */
  readonly line: number
  readonly kind: string
}

/**
 * Returns each kind of secret once per line, sorted by line.
 *
 * @param latin1 The recording's file, with one character per byte.
 */
export function leaksIn(latin1: string, recording: Recording, finder: SecretFinder): Leak[] {
  const leaks = [...leaksInText(latin1, finder), ...leaksInParts(recording, finder)]
  const distinct = new Map(leaks.map((leak) => [`${leak.line} ${leak.kind}`, leak]))
  return [...distinct.values()].sort((left, right) => left.line - right.line)
}

function leaksInText(latin1: string, finder: SecretFinder): Leak[] {
  let line = 1
  let at = 0
  return finder.find(latin1).map(({ start, kind }) => {
    line += latin1.slice(at, start).split('\n').length - 1
    at = start
    return { line, kind }
  })
}

/** Finds secrets that are visible only in a recording's decoded parts. */
function leaksInParts(recording: Recording, finder: SecretFinder): Leak[] {
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
