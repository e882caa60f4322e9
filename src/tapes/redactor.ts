/**
 * Takes secrets out of an exchange before it is written: headers by an allow-list, everything else by what the finder
 * knows. Lengths stay, so split points do too.
 */
import { fromLatin1, toLatin1, utf8AsLatin1 } from '../lib/bytes.ts'
import { fillText, fillValue } from './filler.ts'
import { keyPartsOf, parsedBody, volatileFields } from './request-key.ts'
import { type FinderSetup, isPlaceholder, placeholderFor, SecretFinder } from './secret-finder.ts'
import { bytesOf, type TapeRequest, toContent } from './tape.ts'

export interface RedactionSetup extends FinderSetup {
  /** Headers whose value is kept, beside the usual ones; `*` at the end stands for any ending. Default: none. */
  readonly headers?: readonly string[]
  /** Prompts and answers become filler of the same shape. Default: false. */
  readonly text?: boolean
  /** Paths of a body that do not count when requests are compared. Default: `volatileFields`. */
  readonly volatile?: readonly string[]
}

/** Headers that say nothing about a person or a key. */
const allowedHeaders: readonly string[] = [
  'accept',
  'accept-*',
  'allow',
  'anthropic-version',
  'anthropic-beta',
  'cache-control',
  'content-*',
  'idempotency-key-status',
  'openai-beta',
  'openai-processing-ms',
  'openai-version',
  'ratelimit*',
  'retry-after*',
  'server-timing',
  'transfer-encoding',
  'vary',
  'x-ratelimit-*',
  'x-should-retry',
  'x-stainless-retry-count',
  'x-understudy-*',
]

/** A body without a blank line is redacted in pieces of so many bytes at most, of which the last ones wait. */
const maxPiece = 1024 * 1024
const overlap = 64 * 1024

export class Redactor {
  readonly finder: SecretFinder
  readonly volatile: readonly string[]
  readonly #text: boolean
  readonly #exact = new Set<string>()
  readonly #prefixes: string[] = []

  constructor({ headers = [], text = false, volatile = volatileFields, ...finder }: RedactionSetup = {}) {
    this.finder = new SecretFinder(finder)
    this.volatile = volatile
    this.#text = text
    for (const name of [...allowedHeaders, ...headers].map((each) => each.toLowerCase()))
      if (name.endsWith('*')) this.#prefixes.push(name.slice(0, -1))
      else this.#exact.add(name)
  }

  /** The request as it may be written, the parts of its key, and the kinds of what was replaced. */
  request(request: TapeRequest): {
    request: TapeRequest
    parts: ReturnType<typeof keyPartsOf>
    bodyHash: string | undefined
    redacted: string[]
  } {
    const kinds = new Set<string>()
    const note = (kind: string) => void kinds.add(kind)
    const { json: _json, text: _text, base64: _base64, ...rest } = request
    const clean: TapeRequest = {
      ...rest,
      path: this.finder.replace(request.path, note),
      query: this.finder.replace(request.query, note),
      headers: this.headers(request.headers, note),
      ...toContent(fromLatin1(this.finder.replace(toLatin1(bytesOf(request)), note))),
    }
    const parts = keyPartsOf(clean, this.volatile)
    if (!this.#text) return { request: clean, parts, bodyHash: undefined, redacted: [...kinds] }
    kinds.add('texts')
    return { request: withFiller(clean), parts, bodyHash: parts.bodyHash, redacted: [...kinds] }
  }

  /** Headers by the allow-list: the value of any other is a placeholder, its name stays. */
  headers(headers: Readonly<Record<string, string>>, note?: (kind: string) => void): Record<string, string> {
    const entries = Object.entries(headers).map(([given, value]) => {
      const name = given.toLowerCase()
      if (this.#isAllowed(name)) return [name, this.finder.replace(utf8AsLatin1(value), note)]
      if (isPlaceholder(value)) return [name, value]
      note?.(`header ${name}`)
      return [name, placeholderFor(value)]
    })
    return Object.fromEntries(entries)
  }

  /** A body that comes in chunks. */
  body(): BodyRedactor {
    return new BodyRedactor((text, note) => {
      const clean = this.finder.replace(text, note)
      return this.#text ? fillText(clean) : clean
    }, this.finder.longestLines)
  }

  #isAllowed(name: string): boolean {
    return this.#exact.has(name) || this.#prefixes.some((prefix) => name.startsWith(prefix))
  }
}

type Replace = (text: string, note: (kind: string) => void) => string

/** A chunk that may be written. */
export interface CleanChunk {
  readonly ms: number
  readonly bytes: Uint8Array
}

/**
 * Redacts across the borders of chunks: a chunk is given back when nothing that comes later can make it part of a
 * secret, which in an event stream is at the end of its event.
 */
export class BodyRedactor {
  readonly redacted = new Set<string>()
  readonly #replace: Replace
  readonly #longestLines: number
  /** Chunks that have come and not gone. */
  readonly #chunks: { ms: number; length: number }[] = []
  /** Clean bytes of them. */
  #clean = ''
  /** Raw bytes of them, joined only when they are looked at, and how many there are. */
  #raw: string[] = []
  #length = 0
  /** The last two of them: a blank line may come in two chunks. */
  #last = ''

  constructor(replace: Replace, longestLines: number) {
    this.#replace = replace
    this.#longestLines = longestLines
  }

  push(ms: number, bytes: Uint8Array): CleanChunk[] {
    if (bytes.length === 0) return []
    this.#chunks.push({ ms, length: bytes.length })
    const text = toLatin1(bytes)
    this.#raw.push(text)
    this.#length += text.length
    return this.#upTo(this.#border(text))
  }

  /** Nothing more comes. */
  end(): CleanChunk[] {
    return this.#upTo(this.#length)
  }

  /** How much of what has come can be looked at now, when this is new. */
  #border(added: string): number {
    const tail = this.#last + added
    this.#last = tail.slice(-2)
    const ends = ['\n\n', '\n\r\n', '\r\r'].map((blank) => {
      const place = tail.lastIndexOf(blank)
      return place < 0 ? 0 : place + blank.length
    })
    const end = Math.max(...ends)
    if (end > 0) return Math.max(0, this.#length - tail.length + end - this.#longestLines)
    if (this.#length <= maxPiece) return 0
    // A comma stands between two fields of JSON, and in no key.
    const raw = this.#raw.join('')
    return raw.lastIndexOf(',', raw.length - overlap) + 1 || raw.length - overlap
  }

  #upTo(border: number): CleanChunk[] {
    if (border > 0) {
      const raw = this.#raw.join('')
      this.#clean += this.#replace(raw.slice(0, border), (kind) => void this.redacted.add(kind))
      this.#raw = border < raw.length ? [raw.slice(border)] : []
      this.#length = raw.length - border
    }
    const ready: CleanChunk[] = []
    let at = 0
    for (
      let chunk = this.#chunks[0];
      chunk && at + chunk.length <= this.#clean.length;
      chunk = this.#chunks[0]
    ) {
      ready.push({ ms: chunk.ms, bytes: fromLatin1(this.#clean.slice(at, at + chunk.length)) })
      at += chunk.length
      this.#chunks.shift()
    }
    if (at > 0) this.#clean = this.#clean.slice(at)
    return ready
  }
}

function withFiller(request: TapeRequest): TapeRequest {
  const { json: _json, text: _text, base64: _base64, ...rest } = request
  const body = parsedBody(request)
  if (body !== undefined) return { ...rest, json: fillValue(body) as TapeRequest['json'] }
  return { ...rest, ...toContent(fromLatin1(fillText(toLatin1(bytesOf(request))))) }
}
