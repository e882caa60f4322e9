/**
 * What `curl -N` printed: the body of a reply, with its head where `-i` was given. It has no request, so it answers
 * nothing until it is given one.
 */
import { toLatin1 } from '../lib/bytes.ts'
import type { TapeRequest } from '../tapes/tape.ts'
import type { Exchanged } from '../tapes/tape-writer.ts'
import { ImportError } from './import-error.ts'

/** Heads of replies, the last of which is that of the body: before it may stand redirects and `100 Continue`. */
const headPattern = /^HTTP\/[\d.]+ (\d{3})[^\r\n]*\r?\n((?:[^\r\n]+\r?\n)*)\r?\n/

export function importCapture(bytes: Uint8Array, file: string, request: TapeRequest | undefined): Exchanged {
  if (bytes.length === 0) throw new ImportError(`${file}: is empty`)
  let text = toLatin1(bytes)
  let at = 0
  let status = 200
  let headers: Record<string, string> | undefined
  for (let head = headPattern.exec(text); head; head = headPattern.exec(text)) {
    status = Number(head[1])
    headers = headersIn(head[2] ?? '')
    at += head[0].length
    text = text.slice(head[0].length)
  }
  if (headers && /gzip|br|deflate|zstd/.test(headers['content-encoding'] ?? ''))
    throw new ImportError(`${file}: is compressed: capture it with --compressed, which unpacks it`)
  const {
    'transfer-encoding': _coding,
    'content-encoding': _content,
    ...kept
  } = headers ?? { 'content-type': typeOf(text) }
  return {
    request,
    reply: { ms: 0, status, headers: kept },
    chunks: text === '' ? [] : [{ ms: 0, bytes: bytes.subarray(at) }],
    end: { how: 'fin', ms: 0 },
  }
}

function headersIn(block: string): Record<string, string> {
  const lines = block.split(/\r?\n/).filter((line) => line.includes(':'))
  return Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).trim().toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
}

/** What the body looks like, where no head says. */
function typeOf(text: string): string {
  if (/^(?:\xef\xbb\xbf)?(?:data|event|id|retry)?:/m.test(text.slice(0, 4096)) && !/^\s*[{[]/.test(text))
    return 'text/event-stream; charset=utf-8'
  return /^\s*[{[]/.test(text) ? 'application/json' : 'text/plain; charset=utf-8'
}
