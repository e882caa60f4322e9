/** Decodes compressed bodies. Loads `node:zlib` when needed, because the main entry also runs in browsers. */
import type { Transform } from 'node:stream'
import { joinBytes } from '../../lib/bytes.ts'
import { lookUp } from '../../lib/json.ts'
import { truncate } from '../../lib/one-line.ts'

interface Decoder {
  readonly sync: (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array
  readonly stream: () => Transform
}

/** Returns undefined for a list of codings, an unknown coding, and zstd before Node 22.15. */
function decoderOf(name: string, firstByte = 0): Decoder | undefined {
  const zlib = process.getBuiltinModule('node:zlib')
  const gzip = { sync: zlib.gunzipSync, stream: zlib.createGunzip }
  const inflate = { sync: zlib.inflateSync, stream: zlib.createInflate }
  const inflateRaw = { sync: zlib.inflateRawSync, stream: zlib.createInflateRaw }
  const decoders: Record<string, Decoder> = {
    gzip,
    'x-gzip': gzip,
    // Some servers omit the zlib header, whose first byte ends in 8.
    deflate: (firstByte & 15) === 8 ? inflate : inflateRaw,
    br: { sync: zlib.brotliDecompressSync, stream: zlib.createBrotliDecompress },
    ...('zstdDecompressSync' in zlib && {
      zstd: { sync: zlib.zstdDecompressSync, stream: zlib.createZstdDecompress },
    }),
  }
  return lookUp(decoders, name.toLowerCase())
}

/** Returns a body's content coding; undefined if there is no body or it is not compressed. */
export function encodingOf(headers: Readonly<Record<string, string>>, method = '', status = 0) {
  const encoding = headers['content-encoding']?.trim() || 'identity'
  const isPlain = /^identity$/i.test(encoding) || method === 'HEAD' || status === 204 || status === 304
  return isPlain ? undefined : encoding
}

export function withoutEncoding(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { 'content-encoding': _encoding, 'content-length': _length, ...rest } = headers
  return rest
}

export function canDecode(encoding: string): boolean {
  return decoderOf(encoding) !== undefined
}

/** Throws an error whose message describes the body, such as `is not valid gzip`. */
export function decode(bytes: Uint8Array, encoding: string, maxOutputLength: number): Uint8Array {
  const decoder = decoderOf(encoding, bytes[0])
  if (!decoder)
    throw new Error(`has the content encoding '${truncate(encoding, 40)}', which cannot be decoded`)
  try {
    return bytes.length === 0 ? bytes : decoder.sync(bytes, { maxOutputLength })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new Error('is too large when decoded')
    if (code === 'Z_BUF_ERROR') throw new Error(`ends in the middle of its ${encoding} data`)
    throw new Error(`is not valid ${encoding}`)
  }
}

/** Decodes each chunk as far as its bytes allow. Throws the same errors as `decode`. */
export async function decodeChunks<Chunk extends { readonly bytes: Uint8Array }>(
  chunks: readonly Chunk[],
  encoding: string,
  maxOutputLength: number,
): Promise<Chunk[]> {
  const all = chunks.map(({ bytes }) => bytes)
  const decoded = decode(joinBytes(all), encoding, maxOutputLength)
  // Exists, because the body was decoded.
  const stream = (decoderOf(encoding, all[0]?.[0]) as Decoder).stream()
  let end = 0
  stream.on('data', ({ length }) => {
    end += length
  })
  // Bytes after the compressed data can be an error of the stream only.
  const failed = new Promise((resolve) => stream.on('error', resolve))
  const starts = [0]
  for (const bytes of all) {
    await Promise.race([new Promise((resolve) => stream.write(bytes, resolve)), failed])
    starts.push(end)
  }
  // The last chunk has what the decoder kept back.
  starts[chunks.length] = decoded.length
  return chunks
    .map((chunk, index) => ({ ...chunk, bytes: decoded.subarray(starts[index], starts[index + 1]) }))
    .filter(({ bytes }) => bytes.length > 0)
}
