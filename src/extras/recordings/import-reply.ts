/** Converts entries of imported files to exchanges: decodes bodies, and rejects incomplete ones. */
import { announcesEvents } from '../../http/reply.ts'
import { decodeUtf8, fromLatin1 } from '../../lib/bytes.ts'
import { UsageError } from '../../lib/usage-error.ts'
import { canDecode, decode } from './content-coding.ts'
import { type RecordedEnding, toContent } from './recording.ts'
import type { Exchange } from './recording-files.ts'

interface Message {
  readonly headers: readonly { name: string; value: string | string[] }[]
  readonly body: Uint8Array | undefined
}

/** An entry of a file. `read` is called only for gateway requests. Default times: 0. */
export interface Entry {
  readonly method: string
  readonly url: URL
  read(): {
    readonly request: Message
    readonly reply: Message & { status: number }
    readonly wait?: number
    readonly receive?: number
    readonly how?: RecordedEnding
  }
}

/** Maximum number of entries in a file: each one takes a file and about half a millisecond. */
const maxEntries = 20_000

export function entriesIn(list: unknown[], file: string, toEntry: (value: unknown) => Entry) {
  const { length } = list
  if (length === 0) throw new UsageError(`${file}: has no entries`)
  if (length > maxEntries)
    throw new UsageError(`${file}: has ${length} entries, more than ${maxEntries}: split it`)
  return list.map((value) => () => toEntry(value))
}

export function toExchange({ method, url, read }: Entry, path: string): Exchange {
  const { request: sent, reply, wait = 0, receive = 0, how = 'fin' } = read()
  const content = toContent(sent.body ?? new Uint8Array())
  const request = { method, path, query: url.search, headers: toHeaders(sent.headers), ...content }
  const [ms, { status, body }] = [Math.max(0, wait), reply]
  const end = { how, ms: ms + Math.max(0, receive) }
  if (status < 100 && how !== 'reset') throw new UsageError(`has no response (status ${status})`)
  if (status < 100) return { request, reply: undefined, chunks: [], end }
  const { 'content-encoding': coding, 'content-length': length, ...headers } = toHeaders(reply.headers)
  const hasBody = method !== 'HEAD' && status >= 200 && ![204, 205, 304].includes(status) && length !== '0'
  if (!body && hasBody) throw new UsageError('its body is missing; save the file with content')
  const bytes = decoded(body ?? new Uint8Array(), coding)
  const { 'content-type': type = '' } = headers
  if (/\bjson\b/i.test(type) || announcesEvents(headers)) {
    if (bytes.length === 0 && hasBody && how === 'fin')
      throw new UsageError(`its body is empty, although its type is ${type}`)
    if (decodeUtf8(bytes) === undefined)
      throw new UsageError(`its body is not UTF-8, although its type is ${type}`)
  }
  // The recorded length may be that of the encoded body.
  if (length !== undefined && (Number(length) === bytes.length || !hasBody))
    headers['content-length'] = length
  return { request, reply: { ms, status, headers }, chunks: bytes.length > 0 ? [{ ms, bytes }] : [], end }
}

/** Most tools store decoded bodies with the original `content-encoding`, so UTF-8 text is not decoded again. */
function decoded(bytes: Uint8Array, codings = ''): Uint8Array {
  // In proportion to the file, so that a small one cannot fill the memory.
  const maxBytes = 1024 * 1024 + 500 * bytes.length
  let left = bytes
  for (const name of codings.split(',').reverse()) {
    const coding = name.trim()
    if (!canDecode(coding) || decodeUtf8(left) !== undefined) continue
    try {
      left = decode(left, coding, maxBytes)
    } catch (error) {
      throw new UsageError(`its body ${(error as Error).message}`)
    }
  }
  return left
}

/** Joins the values of repeated headers, and omits HTTP/2 pseudo-headers. */
function toHeaders(pairs: Message['headers']): Record<string, string> {
  const headers = new Map<string, string>()
  for (const { name, value } of pairs) {
    if (name.startsWith(':')) continue
    const key = name.toLowerCase()
    const joined = [value].flat().join(', ')
    const line = joined.replace(/[\r\n]+/g, ' ')
    headers.set(key, headers.has(key) ? `${headers.get(key)}, ${line}` : line)
  }
  return Object.fromEntries(headers)
}

/** Tolerates placeholders that hide the host, such as `<API_BASE>/v1/models`. */
export function toUrl(text: string): URL {
  const [, scheme = 'https://', host = '', rest = ''] = /^(https?:\/\/)?([^/?#]*)(.*)$/is.exec(text) ?? []
  const url = URL.parse(text) ?? URL.parse(scheme + host.replace(/[<>]/g, '') + rest)
  if (!url) throw new UsageError('its URL is invalid')
  return url
}

export function bytesOfBase64(text: string): Uint8Array {
  try {
    return fromLatin1(atob(text))
  } catch {
    throw new UsageError('its body is not base64')
  }
}
