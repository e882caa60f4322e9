/** Limits and decodes request bodies for all transports. */
import { joinBytes } from '../lib/bytes.ts'
import { GatewayError, invalidRequest } from './errors.ts'

/** Removes a byte order mark. Throws 400 for invalid bytes or, unless `isText`, replaces them with U+FFFD. */
export function decodeBody(bytes: Uint8Array, isText = true): string {
  try {
    return new TextDecoder('utf-8', { fatal: isText }).decode(bytes)
  } catch {
    throw invalidRequest([{ path: 'body', message: 'Must be UTF-8', rule: 'utf8' }], {
      assumption: 'requestBody',
    })
  }
}

export function within<Bytes extends Uint8Array>(bytes: Bytes, limit: number): Bytes {
  if (bytes.byteLength > limit) throw new GatewayError(413)
  return bytes
}

/** Joins a body's chunks. Throws 413 once there are more than `limit` bytes. Rejects if the signal aborts. */
export async function collectBody(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const collected: Uint8Array[] = []
  const iterator = chunks[Symbol.asyncIterator]()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  signal?.addEventListener('abort', () => reject(signal.reason))
  let size = 0
  for (;;) {
    const { done, value } = await Promise.race([iterator.next(), aborted])
    if (done) break
    size += value.byteLength
    if (size > limit) {
      // Not awaited, unlike in `for await`, because `return` never resolves for the body of an intercepted `fetch`.
      void iterator.return?.().catch(() => {})
      throw new GatewayError(413)
    }
    collected.push(value)
  }
  return collected.length === 1 ? (collected[0] as Uint8Array) : joinBytes(collected)
}

/** Iterates over a stream, even in browsers whose streams are not iterable, such as Safari. */
export async function* chunksOf(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  signal.addEventListener('abort', () => void reader.cancel(signal.reason).catch(() => {}))
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    void reader.cancel().catch(() => {})
  }
}
