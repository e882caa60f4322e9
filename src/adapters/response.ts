/**
 * A reply as a `Response`: what the fetch and the MSW adapter share. A fault of the connection is what a client
 * would see of it: a rejected `fetch`, or a body that breaks off.
 */
import type { Call } from '../gateway/call.ts'
import { toBytes } from '../http/encode.ts'
import type { Frame, HangUp } from '../http/reply.ts'
import type { CallRecord } from '../journal/call-record.ts'
import { type Ending, isChunk, play } from './play.ts'

/** Statuses whose `Response` may not have a body. */
const bodiless = new Set([204, 205, 304])

/** A connection that ended, as `fetch` tells of it. */
export class ConnectionError extends TypeError {
  constructor(message: string, how: HangUp) {
    super(message, { cause: brokenConnection(how) })
  }
}

/** The error of a connection that ended, as Node tells of it. */
export function brokenConnection(how: HangUp): Error {
  return how === 'reset'
    ? Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
    : Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
}

/**
 * Renders a reply. Throws a `ConnectionError` where the connection ends without an answer, and the signal's reason
 * where the client has left.
 */
export async function toResponse(record: CallRecord, call: Call): Promise<Response> {
  const { status, headers, body, transport } = record.reply
  const { signal } = call
  if (transport?.headMs) await record.state.clock.wait(transport.headMs, signal)
  if (signal?.aborted) {
    record.settled('client-left')
    throw signal.reason
  }
  if (body.kind === 'hang-up') {
    if (body.how === 'silence') return silence(record, call)
    record.settled('cut')
    throw new ConnectionError('fetch failed', body.how)
  }
  if (transport?.headIsCut) {
    record.settled('cut')
    throw new ConnectionError('fetch failed', 'close')
  }
  const hasBody = record.method !== 'HEAD' && !bodiless.has(status)
  if (body.kind === 'frames' && hasBody)
    return new Response(toStream(body.frames, record, call), { status, headers })

  const text = body.kind === 'json' && hasBody ? (body.text ?? JSON.stringify(body.value)) : null
  if (text !== null) record.sent(text)
  record.settled('complete')
  return new Response(text, { status, headers })
}

/**
 * The calls that wait in silence. A `Request` follows the signal of its client weakly: one that nobody held would be
 * collected, and the client who then leaves would wait for ever.
 */
const silent = new Set<Call>()

/** Until the client has had enough. */
function silence(record: CallRecord, call: Call): Promise<never> {
  return new Promise((_, reject) => {
    const { signal } = call
    const letGo = record.state.hold(() => {
      silent.delete(call)
      record.settled('cut')
      reject(new ConnectionError('fetch failed', 'close'))
    })
    const leave = () => {
      letGo()
      silent.delete(call)
      record.settled('client-left')
      reject(signal?.reason)
    }
    if (signal?.aborted) return leave()
    if (signal) silent.add(call)
    signal?.addEventListener('abort', leave, { once: true })
  })
}

const { setTimeout } = globalThis

/** Real milliseconds between the last chunk and an error: one at once would overtake it in the pipes of a client. */
const lingerMs = 4
/** How many of these pauses there are where the client behind MSW unpacks the body: in another thread, which may be busy. */
const lingersOfPacked = 30

/** A reset breaks a body, and so does an end before all the bytes that its head has promised. */
export function breaks(ending: Ending, { replyHeaders }: CallRecord): ending is HangUp {
  return ending === 'reset' || ending === 'close' || (ending === 'end' && 'content-length' in replyHeaders)
}

/**
 * The frames as a stream that is made as it is read: a reader who stops holds the writer back, and whatever was
 * written before a connection breaks has been read by then.
 */
function toStream(
  frames: Iterable<Frame>,
  record: CallRecord,
  call: Call,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { signal } = call
  const left = new AbortController()
  const steps = play(frames, record, left.signal)
  let leave: () => void
  const end = async (controller: ReadableStreamDefaultController, ending: Ending): Promise<void> => {
    if (ending === 'silence') {
      if (signal) silent.add(call)
      return new Promise((resolve) => {
        const letGo = record.state.hold(() => {
          resolve()
          silent.delete(call)
          record.settled('cut')
          controller.error(new ConnectionError('terminated', 'close'))
        })
        left.signal.addEventListener('abort', letGo)
      })
    }
    if (breaks(ending, record)) {
      const lingers = 'content-encoding' in record.replyHeaders ? lingersOfPacked : 1
      for (let turn = 0; turn < lingers; turn++) await new Promise((resolve) => setTimeout(resolve, lingerMs))
    }
    if (left.signal.aborted) return
    signal?.removeEventListener('abort', leave)
    record.settled(ending === 'complete' ? 'complete' : 'cut')
    if (breaks(ending, record)) controller.error(new ConnectionError('terminated', ending))
    else controller.close()
  }
  return new ReadableStream(
    {
      start(controller) {
        leave = () => {
          silent.delete(call)
          record.settled('client-left')
          left.abort()
          controller.error(signal?.reason)
        }
        signal?.addEventListener('abort', leave, { once: true })
      },
      async pull(controller) {
        for (;;) {
          const { done, value } = steps.next()
          if (left.signal.aborted) return
          if (done) return end(controller, value)
          if (isChunk(value)) {
            record.sent(value)
            return controller.enqueue(toBytes(value) as Uint8Array<ArrayBuffer>)
          }
          await value
        }
      },
      cancel() {
        silent.delete(call)
        signal?.removeEventListener('abort', leave)
        record.settled('client-left')
        left.abort()
      },
    },
    { highWaterMark: 0 },
  )
}
