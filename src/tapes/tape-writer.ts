/**
 * Writes one exchange as a tape, line by line as it happens, with its secrets taken out: the recorder appends the lines
 * to a file, an import collects them.
 */

import type { BodyRedactor, CleanChunk, Redactor } from './redactor.ts'
import { operationName, toKey } from './request-key.ts'
import { bodyDigest, rounded, type Tape, type TapeEnding, type TapeRequest, toChunk } from './tape.ts'

export interface WriterSetup {
  readonly redactor: Redactor
  /** Operation id, where the path has one. */
  readonly operation: string | undefined
  /** Default: `neutral`. */
  readonly dialect?: string | undefined
  /** Time of day. Default: none is kept. */
  readonly recordedAt?: string | undefined
}

/** The first two lines: everything that is known before the request is sent. */
export function openTape(
  request: TapeRequest | undefined,
  { redactor, operation, dialect = 'neutral', recordedAt }: WriterSetup,
): Pick<Tape, 'head' | 'request'> {
  const time = recordedAt === undefined ? {} : { recordedAt }
  if (!request) {
    const name = operation ?? 'capture'
    return { head: { tape: 1, operation: name, dialect, key: '', redacted: [], ...time } }
  }
  const clean = redactor.request(request)
  const name = operationName(operation, request.method, clean.request.path)
  return {
    head: {
      tape: 1,
      operation: name,
      dialect,
      key: toKey(name, clean.parts),
      redacted: clean.redacted,
      ...(clean.bodyHash !== undefined && { bodyHash: clean.bodyHash }),
      ...time,
    },
    request: clean.request,
  }
}

type Line = NonNullable<Tape['reply']> | Tape['chunks'][number] | NonNullable<Tape['end']>

/** The lines of a reply. */
export class ReplyWriter {
  readonly #redactor: Redactor
  readonly #body: BodyRedactor
  readonly #write: (line: Line, kind: 'reply' | 'chunk' | 'end') => void
  readonly #digest = bodyDigest()
  readonly #kinds = new Set<string>()
  #bytes = 0

  constructor(redactor: Redactor, write: (line: Line, kind: 'reply' | 'chunk' | 'end') => void) {
    this.#redactor = redactor
    this.#body = redactor.body()
    this.#write = write
  }

  /** @param ms Since the request was sent, as everywhere here. */
  reply(ms: number, status: number, headers: Readonly<Record<string, string>>): void {
    const clean = this.#redactor.headers(headers, (kind) => void this.#kinds.add(kind))
    this.#write({ ms: rounded(ms), status, headers: clean }, 'reply')
  }

  chunk(ms: number, bytes: Uint8Array): void {
    this.#chunks(this.#body.push(ms, bytes))
  }

  end(how: TapeEnding, ms: number): void {
    this.#chunks(this.#body.end())
    const redacted = [...this.#kinds, ...this.#body.redacted]
    const end = { end: how, ms: rounded(ms), bytes: this.#bytes, sha256: this.#digest.hex() }
    this.#write({ ...end, ...(redacted.length > 0 && { redacted }) }, 'end')
  }

  #chunks(chunks: readonly CleanChunk[]): void {
    for (const { ms, bytes } of chunks) {
      this.#digest.add(bytes)
      this.#bytes += bytes.length
      this.#write(toChunk(ms, bytes), 'chunk')
    }
  }
}

/** A whole exchange that is over, as a tape. */
export interface Exchanged {
  readonly request: TapeRequest | undefined
  readonly reply: { ms: number; status: number; headers: Readonly<Record<string, string>> } | undefined
  readonly chunks: readonly { ms: number; bytes: Uint8Array }[]
  readonly end: { how: TapeEnding; ms: number } | undefined
}

export function toTape({ request, reply, chunks, end }: Exchanged, setup: WriterSetup): Tape {
  const tape: Tape = { ...openTape(request, setup), chunks: [] }
  const writer = new ReplyWriter(setup.redactor, (line, kind) => {
    if (kind === 'chunk') tape.chunks.push(line as Tape['chunks'][number])
    else Object.assign(tape, { [kind]: line })
  })
  if (reply) writer.reply(reply.ms, reply.status, reply.headers)
  for (const { ms, bytes } of chunks) writer.chunk(ms, bytes)
  if (end) writer.end(end.how, end.ms)
  return tape
}
