/**
 * A reply of the gateway, handed to undici piece by piece, as its own connection would.
 */
import { STATUS_CODES } from 'node:http'
import type { GatewayCore } from '../gateway/gateway.ts'
import { handle } from '../gateway/handle.ts'
import type { Frame } from '../http/reply.ts'
import type { CallRecord } from '../journal/call-record.ts'
import type { DispatchedCall } from './intercept-call.ts'
import type { ControlledHandler, Controller } from './intercept-undici.ts'
import { isChunk, play } from './play.ts'
import { breaks, brokenConnection } from './response.ts'

const { setTimeout, clearTimeout } = globalThis

/** One request to whoever takes its place: its handler, and what the handler asks of the connection. */
export class Delivery implements Controller {
  aborted = false
  paused = false
  reason: unknown
  rawHeaders: Buffer[] = []
  readonly rawTrailers: Buffer[] = []
  readonly #call: DispatchedCall
  readonly #handler: ControlledHandler
  #over = false
  #timer: NodeJS.Timeout | undefined
  #resume: (() => void) | undefined
  /** Called when the client leaves. */
  onAbort: (() => void) | undefined

  constructor(call: DispatchedCall, handler: ControlledHandler) {
    this.#call = call
    this.#handler = handler
    handler.onRequestStart(this, null)
  }

  abort(reason: Error): void {
    if (this.#over) return
    this.aborted = true
    this.reason = reason
    this.#call.leave(reason)
    this.onAbort?.()
    this.fail(reason)
    this.resume()
  }

  pause(): void {
    this.paused = true
  }

  resume(): void {
    this.paused = false
    this.#resume?.()
  }

  start(status: number, headers: Readonly<Record<string, string | string[]>>): void {
    for (const [name, value] of Object.entries(headers)) {
      for (const each of Array.isArray(value) ? value : [value])
        this.rawHeaders.push(Buffer.from(name, 'latin1'), Buffer.from(each, 'latin1'))
    }
    this.#handler.onResponseStarted?.()
    this.#handler.onResponseStart?.(this, status, { ...headers }, STATUS_CODES[status] ?? '')
  }

  /** A promise where the reader has enough for now. */
  send(chunk: string | Uint8Array): Promise<void> | undefined {
    const bytes =
      typeof chunk === 'string'
        ? Buffer.from(chunk)
        : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    this.#handler.onResponseData?.(this, bytes)
    if (!this.paused || this.aborted) return undefined
    return new Promise((resolve) => {
      this.#resume = resolve
    })
  }

  end(): void {
    if (this.#over) return
    this.#over = true
    this.#handler.onResponseEnd?.(this, {})
  }

  fail(error: Error): void {
    if (this.#over) return
    this.#over = true
    clearTimeout(this.#timer)
    this.#handler.onResponseError?.(this, error)
  }

  /** Says nothing more, until the client leaves or undici's own time is over. */
  wait(part: 'Headers' | 'Body'): void {
    const ms = this.#call.timeouts[part]
    if (ms === 0) return
    const error = Object.assign(new Error(`${part} Timeout Error`), {
      name: `${part}TimeoutError`,
      code: `UND_ERR_${part.toUpperCase()}_TIMEOUT`,
    })
    this.#timer = setTimeout(() => this.abort(error), ms)
  }

  /** Until the client has read what was sent: an error would take from it what it has not. */
  async read(): Promise<void> {
    const { body, res = body } = this.#handler as { body?: Unread | null; res?: Unread | null }
    do await new Promise((resolve) => setTimeout(resolve, 1))
    while (res && res.readableLength > 0 && !res.destroyed && !this.aborted)
  }
}

/** What undici keeps until the client reads it. */
interface Unread {
  readonly readableLength: number
  readonly destroyed: boolean
}

/** Answers a request in the place of the network. */
export async function answerDispatched(
  gateway: GatewayCore,
  call: DispatchedCall,
  delivery: Delivery,
): Promise<void> {
  const record = await handle(gateway, call)
  if (delivery.aborted) return record.settled('client-left')
  delivery.onAbort = () => record.settled('client-left')

  const { status, headers, body, transport } = record.reply
  if (transport?.headMs) await record.state.clock.wait(transport.headMs, call.signal)
  if (delivery.aborted) return
  if (transport?.headIsCut && body.kind !== 'hang-up') {
    record.settled('cut')
    return delivery.fail(brokenConnection('close'))
  }
  if (body.kind === 'hang-up') {
    if (body.how === 'silence') return keepSilent('Headers', record, delivery)
    record.settled('cut')
    return delivery.fail(brokenConnection(body.how))
  }
  delivery.start(status, headers)
  if (body.kind === 'frames' && call.method !== 'HEAD') return stream(body.frames, record, call, delivery)
  if (body.kind === 'json' && call.method !== 'HEAD') {
    const text = body.text ?? JSON.stringify(body.value)
    record.sent(text)
    delivery.send(body.bytes ?? text)
  }
  record.settled('complete')
  delivery.end()
}

/** Until the client leaves, undici's own time is over, or the sandbox is reset. */
function keepSilent(part: 'Headers' | 'Body', record: CallRecord, delivery: Delivery): void {
  const letGo = record.state.hold(() => {
    record.settled('cut')
    delivery.fail(brokenConnection('close'))
  })
  delivery.onAbort = () => {
    letGo()
    record.settled('client-left')
  }
  delivery.wait(part)
}

async function stream(
  frames: Iterable<Frame>,
  record: CallRecord,
  call: DispatchedCall,
  delivery: Delivery,
): Promise<void> {
  const steps = play(frames, record, call.signal)
  for (;;) {
    const { done, value } = steps.next()
    if (delivery.aborted) return
    if (done) {
      if (value === 'left') return
      if (value === 'silence') return keepSilent('Body', record, delivery)
      if (!breaks(value, record)) {
        record.settled(value === 'complete' ? 'complete' : 'cut')
        return delivery.end()
      }
      await delivery.read()
      record.settled('cut')
      return delivery.fail(brokenConnection(value))
    }
    if (isChunk(value)) {
      record.sent(value)
      await delivery.send(value)
    } else await value
  }
}

/** Hands on the answer of a handler of the user's own. */
export async function deliver(answer: Response, delivery: Delivery): Promise<void> {
  if (answer.type === 'error') return delivery.fail(brokenConnection('reset'))
  delivery.start(answer.status, headersOf(answer))
  try {
    for await (const chunk of answer.body ?? []) {
      if (delivery.aborted) return
      await delivery.send(chunk)
    }
    delivery.end()
  } catch (error) {
    await delivery.read()
    delivery.fail(error as Error)
  }
}

/** Cookies are the one header that may not be joined. */
function headersOf({ headers }: Response): Record<string, string | string[]> {
  const cookies = headers.getSetCookie()
  return { ...Object.fromEntries(headers), ...(cookies.length > 0 && { 'set-cookie': cookies }) }
}
