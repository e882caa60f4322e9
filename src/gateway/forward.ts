/**
 * A call that is answered by the real gateway: asked as it came, and passed on as it comes.
 */
import { GatewayError } from '../http/errors.ts'
import type { Frame, Reply } from '../http/reply.ts'
import type { CallRecord } from '../journal/call-record.ts'

/** Says that a call was forwarded once: a gateway that is forwarded to itself would do so for ever. */
const mark = 'x-understudy-forwarded'

/** Headers that are about one connection, or that the two sides agree on anew. */
const leftOut = [
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'host',
  'keep-alive',
  'transfer-encoding',
]

/** @param upstream Its base address. Throws 502 where it cannot be reached. */
export async function forward(
  upstream: string,
  record: CallRecord,
  signal: AbortSignal | undefined,
): Promise<Reply> {
  const { method, route, search, headers, requestText } = record
  if (headers[mark]) throw new GatewayError(502, `${upstream} leads back here: forward to the real gateway`)
  const sent = { ...without(headers), [mark]: '1', 'accept-encoding': 'identity' }
  const body = requestText === '' ? null : requestText
  const over = new AbortController()
  record.afterwards(() => over.abort())
  const response = await fetch(`${upstream.replace(/\/$/, '')}${route}${search}`, {
    method,
    headers: sent,
    body,
    redirect: 'manual',
    signal: signal ? AbortSignal.any([over.signal, signal]) : over.signal,
  }).catch((error: Error) => {
    const reason = error.cause instanceof Error ? error.cause.message : error.message
    throw new GatewayError(502, `${upstream} cannot be reached: ${reason}`)
  })
  const frames = response.body ? framesOf(response.body) : []
  return {
    status: response.status,
    headers: without(Object.fromEntries(response.headers)),
    body: { kind: 'frames', frames },
  }
}

/** Each chunk when it has come. */
function* framesOf(body: ReadableStream<Uint8Array>): Generator<Frame> {
  const reader = body.getReader()
  for (;;) {
    let next: { done: boolean; value?: Uint8Array | undefined } | undefined
    const come = reader.read().then(
      (result) => {
        next = result
      },
      () => {},
    )
    yield { kind: 'wait', ms: 0, until: come }
    if (!next) return yield { kind: 'hang-up', how: 'reset' }
    if (next.done) return
    if (next.value) yield { kind: 'bytes', bytes: next.value }
  }
}

function without(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !leftOut.includes(name)))
}
