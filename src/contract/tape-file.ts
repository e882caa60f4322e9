/**
 * A tape on its way to its file: lines are appended as they come, and the finished file is read again. One that holds a
 * secret all the same is deleted.
 */
import { createWriteStream, type WriteStream } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Redactor } from '../tapes/redactor.ts'
import { type Leak, scanFile } from '../tapes/scan.ts'
import { parseTape, type Tape, type TapeEnding } from '../tapes/tape.ts'
import { ReplyWriter } from '../tapes/tape-writer.ts'

/** How a taping ended: a file; one with secrets, which is deleted; none, and why. */
export type Taped =
  | { kind: 'taped'; file: string; status: number; chunks: number; ms: number }
  | { kind: 'leaked'; file: string; leaks: readonly Leak[] }
  | { kind: 'not-taped'; reason: string }

export class TapeFile {
  readonly file: string
  readonly #path: string
  readonly #stream: WriteStream
  readonly #writer: ReplyWriter
  readonly #redactor: Redactor
  readonly #maxBytes: number
  #bytes = 0
  #chunks = 0
  #status = 0
  #problem: string | undefined

  /**
   * @param file Its name in the folder, which nobody else has.
   * @param maxBytes A larger reply is not taped.
   */
  constructor(
    folder: string,
    file: string,
    { head, request }: Pick<Tape, 'head' | 'request'>,
    redactor: Redactor,
    maxBytes: number,
  ) {
    this.#maxBytes = maxBytes
    this.file = file
    this.#path = join(folder, file)
    this.#redactor = redactor
    this.#stream = createWriteStream(this.#path, { flags: 'wx' })
    this.#stream.on('error', (error) => this.give(`cannot be written: ${error.message}`))
    this.#line(head)
    if (request) this.#line({ request })
    this.#writer = new ReplyWriter(redactor, (line, kind) =>
      this.#line(kind === 'reply' ? { reply: line } : line),
    )
  }

  reply(ms: number, status: number, headers: Readonly<Record<string, string>>): void {
    this.#status = status
    this.#writer.reply(ms, status, headers)
  }

  chunk(ms: number, bytes: Uint8Array): void {
    this.#bytes += bytes.length
    this.#chunks++
    if (this.#bytes > this.#maxBytes) this.give(`is larger than ${inMegabytes(this.#maxBytes)}`)
    if (!this.#problem) this.#writer.chunk(ms, bytes)
  }

  /** Stops taping; the file goes. */
  give(up: string): void {
    this.#problem ??= up
  }

  async end(how: TapeEnding, ms: number): Promise<Taped> {
    if (!this.#problem) this.#writer.end(how, ms)
    await new Promise<void>((resolve) => {
      this.#stream.on('close', resolve)
      this.#stream.end()
    })
    if (this.#problem) {
      await rm(this.#path, { force: true })
      return { kind: 'not-taped', reason: this.#problem }
    }
    const finished = await readFile(this.#path)
    const leaks = scanFile(finished, this.#redactor.finder)
    if (!isReadable(finished)) {
      await rm(this.#path, { force: true })
      return { kind: 'not-taped', reason: 'the finished tape cannot be read again' }
    }
    if (leaks.length === 0)
      return { kind: 'taped', file: this.file, status: this.#status, chunks: this.#chunks, ms }
    await rm(this.#path, { force: true })
    return { kind: 'leaked', file: this.file, leaks }
  }

  #line(line: object): void {
    this.#stream.write(`${JSON.stringify(line)}\n`)
  }
}

function isReadable(finished: Uint8Array): boolean {
  try {
    parseTape(new TextDecoder().decode(finished))
    return true
  } catch {
    return false
  }
}

export function inMegabytes(bytes: number): string {
  return `${Math.round((bytes / 1024 / 1024) * 10) / 10} MB`
}
