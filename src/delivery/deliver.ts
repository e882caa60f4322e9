/** Step 12: decides which parts of a reply to send and when, and how it ends. A `Sink` sends the parts. */
import type { Call, Sink, Wait } from '../gateway/call.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import { handle } from '../gateway/handle.ts'
import { encodeFrame, toBytes } from '../http/encode.ts'
import type { Frame, HangUp, Reply } from '../http/reply.ts'
import type { CallRecord, CallState } from '../journal/call-record.ts'
import { byteLength } from '../lib/bytes.ts'
import { Clock } from '../lib/clock.ts'
import { setImmediate } from '../lib/real-timers.ts'
import { KeepAlive } from './keep-alive.ts'

export interface DeliveryWatch extends Pick<CallRecord, 'method' | 'sent' | 'settled'> {
  readonly state: Pick<CallState, 'hold'> & { readonly clock: Pick<Clock, 'wait' | 'pace'> }
}

export function unrecorded(method: string): DeliveryWatch {
  return { method, state: { clock: realTime, hold: () => () => {} }, sent() {}, settled() {} }
}

const realTime = new Clock()

export function serve(gateway: GatewayCore, call: Call): Promise<CallRecord> {
  return handle(gateway, call, (record) => deliver(record.reply, call.sink, record))
}

const bodiless = new Set([204, 205, 304])

/** Size in bytes above which a body is sent in slices as the client reads, so that it is never buffered as a whole. */
const longBody = 1024 * 1024

export async function deliver(reply: Readonly<Reply>, sink: Sink, watch: DeliveryWatch): Promise<void> {
  const { body, headers, transport } = reply
  if (sink.isDisconnected) return watch.settled('aborted-by-client')
  if (body.kind === 'hang-up') return abortReply(body.how, reply, sink, watch)
  if (transport && !sink.hasConnection) {
    if (transport.headMs) await watch.state.clock.wait(transport.headMs, sink.disconnected)
    if (sink.isDisconnected) return watch.settled('aborted-by-client')
    if (transport.headIsCut) return abortReply('close', reply, sink, watch)
  }

  const content = body.kind === 'json' ? (body.bytes ?? body.text ?? JSON.stringify(body.value)) : undefined
  const length = content === undefined ? undefined : byteLength(content)
  const framed =
    length === undefined || 'content-length' in headers
      ? reply
      : { ...reply, headers: { ...headers, 'content-length': String(length) } }
  const hasBody = watch.method !== 'HEAD' && !bodiless.has(reply.status)
  const isShort = body.kind !== 'frames' && (length ?? 0) <= longBody
  const isHeadFaulty = sink.hasConnection && Boolean(transport?.headMs || transport?.headIsCut)
  if ((isShort || !hasBody) && !isHeadFaulty) {
    if (hasBody && content !== undefined && length !== undefined) watch.sent(content, length, 0)
    sink.whole(framed, hasBody ? content : undefined, length)
    watch.settled('complete')
  } else {
    const wait: Wait = (ms) => watch.state.clock.wait(ms, sink.disconnected)
    await sink.head(framed, wait)
    if (transport?.headIsCut) return watch.settled('aborted-by-fault')
    const bytes: Frame[] = content === undefined ? [] : [{ kind: 'bytes', bytes: content }]
    const frames = body.kind === 'frames' ? body.frames : bytes
    const keepAlive = KeepAlive.of(framed)
    const ending = hasBody ? await play(keepAlive?.fill(frames) ?? frames, sink, watch) : 'complete'
    const isLost = ending !== 'complete' && sink.isDisconnected
    if (ending === 'disconnected' || isLost) return watch.settled('aborted-by-client')
    if (ending === 'stall') return stall(sink, watch, keepAlive)
    if (ending !== 'complete') return abortReply(ending, reply, sink, watch)
    watch.settled('complete')
    await sink.end('complete')
  }
  if (transport?.closeAfterMs === undefined) return
  await watch.state.clock.wait(transport.closeAfterMs)
  await sink.end('close')
}

async function abortReply(
  how: HangUp,
  reply: Readonly<Reply>,
  sink: Sink,
  watch: DeliveryWatch,
): Promise<void> {
  if (how === 'stall') return stall(sink, watch)
  // Ending the body properly is not an error, unless the head announced more.
  const isProper = how === 'end' && reply.body.kind !== 'hang-up' && !('content-length' in reply.headers)
  watch.settled('aborted-by-fault', isProper)
  await sink.end(isProper ? 'complete' : how === 'end' ? 'close' : how)
}

/** Sends only keep-alive comments until the client disconnects or the sandbox state ends. */
function stall(sink: Sink, watch: DeliveryWatch, keepAlive?: KeepAlive): Promise<void> {
  return new Promise((resolve) => {
    const stop = keepAlive?.start(sink, watch)
    const release = watch.state.hold(() => {
      stop?.()
      watch.settled('aborted-by-fault')
      resolve(sink.end('close'))
    })
    const leave = () => {
      stop?.()
      release()
      watch.settled('aborted-by-client')
      resolve()
    }
    sink.disconnected.addEventListener('abort', leave)
    void sink.end('stall')
  })
}

/** Sends frames when they are due. Callbacks create less garbage than promises when thousands of streams wait. */
function play(
  frames: Iterable<Frame>,
  sink: Sink,
  watch: DeliveryWatch,
): Promise<HangUp | 'complete' | 'disconnected'> {
  const { promise, resolve, reject } = Promise.withResolvers<HangUp | 'complete' | 'disconnected'>()
  const playback = new Playback(frames)
  let waits = watch.state.clock.pace()
  // Many clients cancel a body after its last event. A transport that is still busy has not sent everything.
  const stop = () => resolve(!sink.ready() && playback.isComplete() ? 'complete' : 'disconnected')
  const leave = () => {
    waits.end()
    stop()
  }
  sink.disconnected.addEventListener('abort', leave)
  const run = (): unknown => {
    while (!sink.isDisconnected) {
      const busy = sink.ready()
      if (busy) return busy.then(next)
      const step = playback.next()
      if (step === undefined) return resolve(playback.ending)
      if (typeof step === 'string' || step instanceof Uint8Array) {
        const length = byteLength(step)
        watch.sent(step, length, playback.takeEvents())
        sink.chunk(step, length)
      } else if (step.until) return step.until.then(restart)
      else {
        const leftMs = waits.begin(step.ms, next)
        if (leftMs > 0) return undefined
        // On a connection, chunks stay separate only if they are sent in different turns of the event loop.
        if (leftMs === 0 && sink.hasConnection) return setImmediate(next)
      }
    }
    return stop()
  }
  const next = () => {
    try {
      run()
    } catch (error) {
      reject(error)
    }
  }
  /** Resets the pace. Otherwise, waits that should already be over would be skipped. */
  const restart = () => {
    waits = watch.state.clock.pace()
    next()
  }
  next()
  return promise
}

/** Chunks of twice this length or more are sent in slices, so that slow clients apply backpressure. */
const chunkSize = 64 * 1024
/** Chunks of this size or more are encoded once, for both the client and the journal. */
const longChunk = 4 * 1024

/** Splits a body into chunks and waits, on demand. Text frames without a wait between them are merged into chunks. */
class Playback {
  /** End of the reply. Valid once `next` has returned undefined. */
  ending: HangUp | 'complete' = 'complete'
  readonly #frames: Iterator<Frame>
  /** Frame that follows the last returned chunk, if it has already been read. */
  #held: IteratorResult<Frame> | undefined
  #rest: string | Uint8Array = ''
  #events = 0

  constructor(frames: Iterable<Frame>) {
    this.#frames = frames[Symbol.iterator]()
  }

  next(): string | Uint8Array | (Frame & { kind: 'wait' }) | undefined {
    if (this.#rest.length > 0) return this.#slice(this.#rest)
    let text = ''
    while (text.length < chunkSize) {
      const read = this.#held ?? this.#frames.next()
      this.#held = undefined
      const { done, value: frame } = read
      if (!done && frame.kind === 'event') this.#events++
      const chunk = done || frame.kind === 'wait' || frame.kind === 'hang-up' ? undefined : encodeFrame(frame)
      if (typeof chunk === 'string') {
        text += chunk
        continue
      }
      if (text !== '') {
        this.#held = read
        break
      }
      if (chunk) return this.#slice(chunk)
      if (!done && frame.kind === 'wait') return frame
      if (!done && frame.kind === 'hang-up') this.ending = frame.how
      return undefined
    }
    return this.#slice(text)
  }

  isComplete(): boolean {
    if (this.#rest.length > 0) return false
    this.#held ??= this.#frames.next()
    return this.#held.done === true
  }

  takeEvents(): number {
    const events = this.#events
    this.#events = 0
    return events
  }

  #slice(chunk: string | Uint8Array): string | Uint8Array {
    const isLast = chunk.length < 2 * chunkSize
    const splitsCharacter = typeof chunk === 'string' && /[\uD800-\uDBFF]/.test(chunk.charAt(chunkSize - 1))
    const end = splitsCharacter ? chunkSize - 1 : chunkSize
    const slice = isLast ? chunk : part(chunk, 0, end)
    this.#rest = isLast ? '' : part(chunk, end)
    return slice.length < longChunk ? slice : toBytes(slice)
  }
}

function part(chunk: string | Uint8Array, from: number, to?: number): string | Uint8Array {
  return typeof chunk === 'string' ? chunk.slice(from, to) : chunk.subarray(from, to)
}
