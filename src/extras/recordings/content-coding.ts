/** Decodes compressed bodies. Loads `node:zlib` when needed, because the main entry also runs in browsers. */
import type { Transform } from 'node:stream'
import { lookUp } from '../../lib/json.ts'
import { truncate } from '../../lib/one-line.ts'

type Decode = (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array
type Coding = readonly [stream: () => Transform, whole: Decode]

/** Returns undefined for a list of codings, an unknown one, and zstd before Node 22.15. */
function codingOf(name: string, firstByte = 0): Coding | undefined {
  const zlib = process.getBuiltinModule('node:zlib')
  const gzip: Coding = [zlib.createGunzip, zlib.gunzipSync]
  const zstd: Coding = [zlib.createZstdDecompress, zlib.zstdDecompressSync]
  const inflate: Coding = [zlib.createInflate, zlib.inflateSync]
  const codings: Record<string, Coding> = {
    gzip,
    'x-gzip': gzip,
    // Some servers omit the zlib header, whose first byte ends in 8.
    deflate: (firstByte & 15) === 8 ? inflate : [zlib.createInflateRaw, zlib.inflateRawSync],
    br: [zlib.createBrotliDecompress, zlib.brotliDecompressSync],
    ...('zstdDecompressSync' in zlib && { zstd }),
  }
  return lookUp(codings, name.toLowerCase())
}

/** Returns a body's content coding; undefined if there is no body, or it is not compressed. */
export function encodingOf(headers: Readonly<Record<string, string>>, method = '', status = 0) {
  const encoding = headers['content-encoding']?.trim() || 'identity'
  const isPlain = /^identity$/i.test(encoding) || method === 'HEAD' || status === 204 || status === 304
  return isPlain ? undefined : encoding
}

/** Returns the headers of a decoded body. */
export function withoutEncoding(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { 'content-encoding': _encoding, 'content-length': _length, ...rest } = headers
  return rest
}

export function canDecode(encoding: string): boolean {
  return codingOf(encoding) !== undefined
}

export function isTruncated(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR'
}

/** Describes an error that `decodeWhole` or `decoded` threw, as in `is not valid gzip`. */
export function decodingProblem(encoding: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ERR_BUFFER_TOO_LARGE') return 'is too large when decoded'
  if (isTruncated(error)) return `ends in the middle of its ${encoding} data`
  if (canDecode(encoding)) return `is not valid ${encoding}`
  return `has the content encoding '${truncate(encoding, 40)}', which cannot be decoded`
}

/** Throws if the body cannot be decoded, or is longer than the limit. */
export function decodeWhole(bytes: Uint8Array, encoding: string, maxOutputLength: number): Uint8Array {
  const coding = codingOf(encoding, bytes[0])
  if (!coding) throw new TypeError('unknown coding')
  return bytes.length === 0 ? bytes : coding[1](bytes, { maxOutputLength })
}

/** Decodes a body as it arrives. Throws if it cannot be decoded, or is truncated. */
export async function* decoded(body: AsyncIterable<Uint8Array>, encoding: string) {
  const chunks = body[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done) return
  const decoder = codingOf(encoding, first.value[0])?.[0]()
  if (!decoder) throw new TypeError('unknown coding')
  const all = async function* () {
    yield first.value
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  process.getBuiltinModule('node:stream').pipeline(all, decoder, () => {})
  yield* decoder as AsyncIterable<Uint8Array>
}
