/**
 * Reads the body of a `node:http` request: no more of it than is allowed, and for no longer.
 */
import type { IncomingMessage } from 'node:http'
import { GatewayError } from '../http/errors.ts'
import { decodeBody } from '../http/utf8.ts'

const { setTimeout, clearTimeout } = globalThis

/** Real milliseconds that a body may take. */
export const bodyTimeoutMs = 30_000

/**
 * The body as text. Throws 400 for one that is not UTF-8; 413 for a longer one, whose rest is read and thrown away,
 * so that the connection stays usable; 408 for one that is too slow, whose connection is closed.
 *
 * @param limit Bytes.
 * @param timeoutMs Real milliseconds.
 * @param isText Whether it has to be UTF-8. Default: true.
 */
export async function readNodeBody(
  request: IncomingMessage,
  limit: number,
  timeoutMs = bodyTimeoutMs,
  isText = true,
): Promise<string> {
  // By the next turn of promises, what came in one piece with the head has been parsed: mostly the whole body.
  await undefined
  const bytes = isWhole(request) ? request.read() : await collect(request, limit, timeoutMs)
  if (bytes === null) return ''
  if (bytes.byteLength > limit) throw new GatewayError(413)
  return decodeBody(bytes, isText)
}

function isWhole({ complete, readableLength, headers }: IncomingMessage): boolean {
  return complete || readableLength === Number(headers['content-length'])
}

/** What comes, as it comes. */
function collect(request: IncomingMessage, limit: number, timeoutMs: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let size = 0
  const timer = setTimeout(() => {
    if (size > limit) request.destroy()
    else reject(new GatewayError(408, undefined, undefined, { headers: { connection: 'close' } }))
  }, timeoutMs)
  request.on('data', (chunk: Buffer) => {
    size += chunk.byteLength
    if (size <= limit) chunks.push(chunk)
    else {
      chunks.length = 0
      reject(new GatewayError(413))
    }
  })
  request.on('end', () => {
    clearTimeout(timer)
    resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
  })
  request.on('error', () => {
    clearTimeout(timer)
    reject(new GatewayError(400, 'The connection ended before the body did'))
  })
  return promise
}
