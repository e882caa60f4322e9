/**
 * Exchanges of a HAR file as tapes: of browsers, of proxies, and of our own journal, which brings the times of its
 * chunks.
 */
import * as z from 'zod'
import { decodeUtf8, fromBase64 } from '../lib/bytes.ts'
import { toContent } from '../tapes/tape.ts'
import type { Exchanged } from '../tapes/tape-writer.ts'
import { ImportError } from './import-error.ts'

// HAR 1.2 as published; what writers leave out in practice has a default.
const Pair = z.looseObject({ name: z.string(), value: z.string().default('') })

const Entry = z.looseObject({
  request: z.looseObject({
    method: z.string().min(1),
    url: z.url(),
    headers: z.array(Pair).default([]),
    postData: z.looseObject({ text: z.string().optional(), encoding: z.string().optional() }).nullish(),
  }),
  response: z.looseObject({
    status: z.number(),
    headers: z.array(Pair).default([]),
    content: z
      .looseObject({
        size: z.number().default(-1),
        mimeType: z.string().default(''),
        text: z.string().nullish(),
        encoding: z.string().nullish(),
        comment: z.string().nullish(),
      })
      .prefault({}),
  }),
  timings: z
    .looseObject({ send: z.number().default(0), wait: z.number().default(0), receive: z.number().default(0) })
    .prefault({}),
  _chunks: z.array(z.tuple([z.number().min(0), z.int().min(0)])).optional(),
  _delivery: z.string().optional(),
})
type Entry = z.infer<typeof Entry>

const Har = z.looseObject({ log: z.looseObject({ entries: z.array(z.unknown()) }) })

export interface ImportedHar {
  readonly exchanges: readonly Exchanged[]
  /** Entries that are no calls of the gateway, or cannot be used, and why. */
  readonly skipped: readonly string[]
}

/**
 * @param base What the addresses of the gateway have before their path: `/api/v1`, or a whole address.
 */
export function importHar(text: string, file: string, base: string): ImportedHar {
  const har = Har.safeParse(parsed(text, file))
  if (!har.success) throw new ImportError(`${file}: is no HAR file: it has no log.entries`)
  const exchanges: Exchanged[] = []
  const skipped: string[] = []
  for (const [index, given] of har.data.log.entries.entries()) {
    const place = `${file}: entry ${index + 1}`
    const entry = Entry.safeParse(given)
    if (!entry.success) {
      const [issue] = entry.error.issues
      skipped.push(`${place}: ${issue?.path.join('.')}: ${issue?.message}`)
      continue
    }
    const path = pathBelow(entry.data.request.url, base)
    if (path === undefined || entry.data.request.method === 'OPTIONS') continue
    try {
      exchanges.push(toExchange(entry.data, path))
    } catch (error) {
      if (!(error instanceof ImportError)) throw error
      skipped.push(`${place}: ${error.message}`)
    }
  }
  if (exchanges.length === 0 && skipped.length === 0)
    throw new ImportError(
      `${file}: none of its ${har.data.log.entries.length} entries is below ${base}: give --base`,
    )
  return { exchanges, skipped }
}

function toExchange({ request, response, timings, ...own }: Entry, path: string): Exchanged {
  const { postData, headers } = request
  const { searchParams, search } = new URL(request.url)
  const body =
    postData?.encoding === 'base64' ? fromBase64(postData.text ?? '') : encode(postData?.text ?? '')
  const asked = {
    method: request.method.toUpperCase(),
    path,
    query: searchParams.size > 0 ? search : '',
    headers: recordOf(headers),
    ...toContent(body),
  }
  const wait = Math.max(0, timings.wait)
  const ended = wait + Math.max(0, timings.receive)
  if (response.status === 0) {
    if (own._delivery === 'cut')
      return { request: asked, reply: undefined, chunks: [], end: { how: 'reset', ms: ended } }
    throw new ImportError('has no answer (status 0)')
  }
  const bytes = bodyOf(response)
  const end = own._delivery === 'cut' ? 'reset' : own._delivery === 'client-left' ? 'client-left' : 'fin'
  return {
    request: asked,
    reply: { ms: wait, status: response.status, headers: withoutCoding(recordOf(response.headers)) },
    chunks: bytes.length > 0 ? chunksOf(bytes, own._chunks, wait) : [],
    end: { how: end, ms: ended },
  }
}

/** The body's bytes. Throws for one that was not kept whole, or whose text is not what was sent. */
function bodyOf({ status, content, headers }: Entry['response']): Uint8Array {
  const { text, encoding, comment, size, mimeType } = content
  const isStream = /event-stream/i.test(mimeType || (recordOf(headers)['content-type'] ?? ''))
  if (comment && /not kept/.test(comment)) throw new ImportError(`its body was not kept whole (${comment})`)
  if (text === undefined || text === null) {
    if (size > 0 || (isStream && status === 200))
      throw new ImportError('its body was not kept: save the HAR with content')
    return new Uint8Array()
  }
  if (encoding === 'base64') return fromBase64(text)
  const bytes = encode(text)
  if (text.includes('\ufffd') && isStream)
    throw new ImportError('its stream was decoded wrongly (U+FFFD in it): the bytes are lost')
  if (isStream && looksLikeLatin1(text))
    throw new ImportError('its stream was decoded wrongly (UTF-8 read as Latin-1): save it with another tool')
  if (isStream && size > 0 && size !== bytes.length)
    throw new ImportError(
      `its stream has ${bytes.length} bytes, and ${size} were sent: it was decoded wrongly or cut`,
    )
  return bytes
}

/** Characters of windows-1252 that stand for bytes of their own. */
const windows1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

/** Whether a text, read as bytes again, is UTF-8 with characters beyond ASCII in it. */
function looksLikeLatin1(text: string): boolean {
  let isBeyondAscii = false
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const place =
      code > 0xff || (code >= 0x80 && code < 0xa0) ? windows1252.indexOf(text[index] as string) : -1
    if (code > 0xff && place < 0) return false
    bytes[index] = place >= 0 ? 0x80 + place : code
    isBeyondAscii ||= code > 0x7f
  }
  return isBeyondAscii && decodeUtf8(bytes) !== undefined
}

/** Our own journal says when how many bytes left; anybody else's body is one chunk. */
function chunksOf(bytes: Uint8Array, times: Entry['_chunks'], wait: number): Exchanged['chunks'] {
  const isWhole = times && times.reduce((sum, [, length]) => sum + length, 0) === bytes.length
  if (!isWhole) return [{ ms: wait, bytes }]
  let at = 0
  return times.map(([ms, length]) => {
    at += length
    return { ms, bytes: bytes.subarray(at - length, at) }
  })
}

/** The path below the base; undefined for an address elsewhere. */
function pathBelow(url: string, base: string): string | undefined {
  const { href, pathname, origin } = new URL(url)
  const whole = /^https?:/.test(base) ? base.replace(/\/$/, '') : undefined
  if (whole !== undefined) {
    if (!href.startsWith(`${whole}/`)) return undefined
    return (origin + pathname).slice(whole.length)
  }
  const prefix = base.replace(/\/$/, '')
  const at = pathname.indexOf(`${prefix}/`)
  return at < 0 ? undefined : pathname.slice(at + prefix.length)
}

function recordOf(pairs: readonly { name: string; value: string }[]): Record<string, string> {
  const named = pairs.filter(({ name }) => !name.startsWith(':'))
  return Object.fromEntries(
    named.map(({ name, value }) => [name.toLowerCase(), value.replace(/[\r\n]+/g, ' ')]),
  )
}

/** A HAR has bodies as they are without their coding, so its lengths are of other bytes. */
function withoutCoding({
  'content-encoding': coding,
  'content-length': length,
  ...headers
}: Record<string, string>): Record<string, string> {
  return length !== undefined && coding === undefined ? { ...headers, 'content-length': length } : headers
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    throw new ImportError(`${file}: not JSON: ${(error as Error).message}`)
  }
}
