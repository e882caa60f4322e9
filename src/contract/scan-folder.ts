/**
 * Looks for secrets in every file of a folder, whatever it holds: also in what is compressed.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Leak, scanFile } from '../tapes/scan.ts'
import type { SecretFinder } from '../tapes/secret-finder.ts'

export interface Scanned {
  readonly files: number
  readonly leaks: readonly (Leak & { readonly file: string })[]
  /** Files that could not be read, and why. */
  readonly unread: readonly { readonly file: string; readonly reason: string }[]
}

/** @param path A folder, or a single file. Throws what reading it throws. */
export async function scanFolder(
  path: string,
  finder: SecretFinder,
  onFile: (file: string) => void = () => {},
): Promise<Scanned> {
  const leaks: (Leak & { file: string })[] = []
  const unread: { file: string; reason: string }[] = []
  const files = await filesIn(path, unread)
  for (const file of files) {
    onFile(file)
    const name = relative(process.cwd(), file).startsWith('..') ? file : relative(process.cwd(), file)
    try {
      const bytes = unpacked(await readFile(file))
      for (const leak of scanFile(bytes, finder)) leaks.push({ file: name, ...leak })
    } catch (error) {
      unread.push({ file: name, reason: (error as NodeJS.ErrnoException).code ?? (error as Error).message })
    }
  }
  return { files: files.length, leaks, unread }
}

async function filesIn(path: string, unread: { file: string; reason: string }[]): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (!entries) return [path]
  const found: string[] = []
  for (const entry of entries.sort((left, right) => left.name.localeCompare(right.name))) {
    const file = join(path, entry.name)
    if (!entry.isDirectory()) found.push(file)
    else
      try {
        found.push(...(await filesIn(file, unread)))
      } catch (error) {
        unread.push({ file, reason: (error as NodeJS.ErrnoException).code ?? (error as Error).message })
      }
  }
  return found
}

/** What a gzip file holds, and UTF-16 as UTF-8; any other bytes as they are. */
function unpacked(bytes: Buffer): Uint8Array {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes, { maxOutputLength: 1024 ** 3 })
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return Buffer.from(new TextDecoder('utf-16le').decode(bytes))
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return Buffer.from(new TextDecoder('utf-16be').decode(bytes))
  return bytes
}
