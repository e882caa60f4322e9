/**
 * One exchange on its way through the recorder: every byte goes on as it comes, and a copy is written beside it.
 */
import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { Router } from '../gateway/router.ts'
import { envelope } from '../http/errors.ts'
import { joinBytes } from '../lib/bytes.ts'
import { monotonic, wallClock } from '../lib/clock.ts'
import { send } from '../server/send.ts'
import { type TapeEnding, type TapeRequest, toContent } from '../tapes/tape.ts'
import { openTape } from '../tapes/tape-writer.ts'
import type { RecorderSetup } from './recorder.ts'
import { inMegabytes, type Taped, TapeFile } from './tape-file.ts'
import type { TapeFolder } from './tape-folder.ts'

/** Headers that are about one connection. */
const hopByHop = new Set([
  'connection',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Real milliseconds in which upstream may end a stream whose client left after its last event. */
const lingerMs = 5000
/** Real milliseconds between the last byte and a reset: a reset at once would overtake the bytes. */
const resetAfterMs = 20
/** Of the last event in each protocol. */
const lastEvent = /data: ?\[DONE\]|"type": ?"(?:response\.(?:completed|failed|incomplete)|message_stop)"/

const { setTimeout } = globalThis

export interface PassingSetup extends RecorderSetup {
  readonly folder: TapeFolder
  readonly router: Router
  readonly agent: http.Agent
  readonly maxBytes: number
}

/** One exchange on its way through. */
export class Passing {
  /** Below the base address. */
  readonly path: string
  readonly result: Promise<Taped>
  readonly #setup: PassingSetup
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #query: string
  readonly #upstream: ClientRequest
  readonly #sent: Uint8Array[] = []
  #sentBytes = 0
  #sentAt = monotonic()
  #tape: TapeFile | undefined
  #reason = 'there was no reply'
  /** The end of the last chunk, and whether the last event of a stream has come. */
  #tail = ''
  #isComplete = false
  #isOver = false
  #resolve: (result: Taped) => void = () => {}

  constructor(request: IncomingMessage, response: ServerResponse, setup: PassingSetup) {
    this.#setup = setup
    this.#request = request
    this.#response = response
    const [path = '/', ...query] = (request.url ?? '/').split('?')
    this.path = path.replace(/^.*?\/api\/v1(?=\/)/, '')
    this.#query = query.length > 0 ? `?${query.join('?')}` : ''
    this.result = new Promise((resolve) => {
      this.#resolve = resolve
    })
    this.#upstream = this.#ask()
    this.#passRequest()
    response.on('close', () => this.#clientLeft())
  }

  get #ms(): number {
    return monotonic() - this.#sentAt
  }

  #ask(): ClientRequest {
    const { upstream, key, agent, idleMs = 120_000 } = this.#setup
    const { request } = (upstream.protocol === 'https:' ? https : http) as typeof http
    const asked = request(`${upstream.href.replace(/\/$/, '')}${this.path}${this.#query}`, {
      method: this.#request.method ?? 'GET',
      headers: forwarded(this.#request, key),
      agent,
    })
    asked.setNoDelay(true)
    asked.setTimeout(idleMs, () => this.#end('idle'))
    asked.on('finish', () => {
      this.#sentAt = monotonic()
    })
    asked.on('response', (reply) => this.#passReply(reply))
    asked.on('error', (error: NodeJS.ErrnoException) => this.#failed(error))
    return asked
  }

  #passRequest(): void {
    const request = this.#request
    request.on('data', (bytes: Buffer) => {
      this.#sentBytes += bytes.length
      if (this.#sentBytes <= this.#setup.maxBytes) this.#sent.push(bytes)
      if (this.#upstream.write(bytes)) return
      request.pause()
      this.#upstream.once('drain', () => request.resume())
    })
    request.on('end', () => {
      this.#reason = this.#begin() ?? this.#reason
      this.#upstream.end()
    })
  }

  /** Begins the tape, as soon as the request is known; otherwise it says why there is none. */
  #begin(): string | undefined {
    const { redactor, folder, router, dialect, mode = 'new', maxBytes } = this.#setup
    const { method = 'GET', headers } = this.#request
    if (this.#sentBytes > maxBytes) return `the request is larger than ${inMegabytes(maxBytes)}`
    if ((headers['content-encoding'] ?? 'identity') !== 'identity')
      return 'the request is compressed, so its secrets cannot be seen'
    const request: TapeRequest = {
      method,
      path: this.path,
      query: this.#query,
      headers: flat(headers),
      ...toContent(joinBytes(this.#sent)),
    }
    const operation = router.find(method, this.path).operation?.id
    const begun = openTape(request, { redactor, operation, dialect, recordedAt: wallClock().toISOString() })
    const { key } = begun.head
    if (mode === 'new' && folder.has(key)) return 'there is a tape of this request already'
    if (mode === 'all') folder.forget(key)
    this.#tape = new TapeFile(folder.path, folder.nameFor(begun.head), begun, redactor, maxBytes)
  }

  #passReply(reply: IncomingMessage): void {
    const response = this.#response
    const { statusCode: status = 502, statusMessage, headers } = reply
    if ((headers['content-encoding'] ?? 'identity') !== 'identity')
      this.#tape?.give('the reply is compressed, although none was asked for')
    this.#tape?.reply(this.#ms, status, flat(headers))
    response.writeHead(status, statusMessage, passedOn(reply))
    response.flushHeaders()
    response.socket?.setNoDelay(true)
    reply.on('data', (bytes: Buffer) => {
      const hasRoom = response.destroyed || response.write(bytes)
      this.#tape?.chunk(this.#ms, bytes)
      this.#look(bytes.toString('latin1'))
      if (hasRoom) return
      reply.pause()
      response.once('drain', () => reply.resume())
    })
    response.on('close', () => reply.resume())
    reply.on('end', () => {
      if (reply.complete) response.end()
      this.#end(reply.complete ? 'fin' : 'reset')
    })
    reply.on('error', () => this.#end('reset'))
  }

  #look(latin1: string): void {
    this.#isComplete ||= lastEvent.test(this.#tail + latin1)
    this.#tail = latin1.slice(-64)
  }

  /** Upstream broke the connection, or could not be reached at all. */
  #failed(error: NodeJS.ErrnoException): void {
    if (this.#isOver) return
    if (error.code === 'ECONNRESET' || this.#response.headersSent) {
      this.#end('reset')
      return
    }
    const message = `The recorder cannot reach ${this.#setup.upstream.origin}: ${error.code ?? error.message}`
    send(this.#response, envelope(502, message))
    this.#tape?.give('upstream cannot be reached')
    this.#end('fin')
  }

  /** A client may leave after the last event; upstream then still has a moment to end. */
  #clientLeft(): void {
    if (this.#isOver) return
    if (this.#isComplete) setTimeout(() => this.#end('client-left'), lingerMs).unref()
    else this.#end('client-left')
  }

  #end(how: TapeEnding): void {
    if (this.#isOver) return
    this.#isOver = true
    const ms = this.#ms
    if (how !== 'fin') this.#upstream.destroy()
    if (how === 'reset' || how === 'idle') this.#reset()
    const done = this.#tape?.end(how, ms) ?? { kind: 'not-taped' as const, reason: this.#reason }
    this.#resolve(done as Taped)
  }

  /** Breaks the client's connection, when what was written has left. */
  #reset(): void {
    const { socket } = this.#response
    if (!socket || socket.destroyed) return
    const reset = () => setTimeout(() => socket.resetAndDestroy(), resetAfterMs)
    if (this.#response.headersSent) socket.write('', reset)
    else socket.resetAndDestroy()
  }
}

/** The client's headers as upstream gets them: uncompressed replies only, and the key in use. */
function forwarded({ headers }: IncomingMessage, key: string | undefined): Record<string, string> {
  const passed = Object.entries(flat(headers)).filter(([name]) => !hopByHop.has(name))
  return {
    ...Object.fromEntries(passed),
    'accept-encoding': 'identity',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  }
}

/** Upstream's headers as they came, repeated ones included. */
function passedOn({ rawHeaders }: IncomingMessage): string[] {
  const passed: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    if (!hopByHop.has(name.toLowerCase())) passed.push(name, value)
  }
  return passed
}

function flat(headers: IncomingMessage['headers']): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')])
  return Object.fromEntries(entries)
}
