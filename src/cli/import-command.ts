/**
 * `import`: what other tools kept, as tapes. Their secrets are taken out as a recording's are.
 */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { importCapture } from '../contract/import-capture.ts'
import { importCurl } from '../contract/import-curl.ts'
import { ImportError } from '../contract/import-error.ts'
import { importHar } from '../contract/import-har.ts'
import { importJournal } from '../contract/import-journal.ts'
import { TapeFolder } from '../contract/tape-folder.ts'
import { Router } from '../gateway/router.ts'
import { FileError, readDataFile } from '../lib/data-file.ts'
import { operations } from '../operations/index.ts'
import type { Redactor } from '../tapes/redactor.ts'
import { scanFile } from '../tapes/scan.ts'
import { formatTape, type TapeRequest } from '../tapes/tape.ts'
import { type Exchanged, toTape } from '../tapes/tape-writer.ts'
import { type RedactionFlags, toRedactor } from './redaction-file.ts'
import { UsageError } from './usage-error.ts'

export type ImportKind = 'har' | 'curl' | 'sse' | 'journal'

export interface ImportFlags extends RedactionFlags {
  out: string
  base: string
  request?: string
  dialect: string
  quiet?: true
  json?: true
}

interface Imported {
  readonly exchanges: readonly Exchanged[]
  readonly skipped: readonly string[]
}

/** Exit code 1 where a tape was not kept because a secret was left in it, 2 for input that cannot be used. */
export async function importFiles(
  kind: ImportKind,
  files: readonly string[],
  flags: ImportFlags,
): Promise<void> {
  const { out, dialect, quiet, json } = flags
  if (flags.request !== undefined && kind !== 'sse')
    throw new UsageError('--request is for import sse: the others bring their own')
  const redactor = toRedactor(flags)
  const imported = await Promise.all(files.map((file) => read(kind, file, flags)))
  const folder = new TapeFolder(out)
  const written: string[] = []
  const leaked: string[] = []
  for (const exchange of imported.flatMap(({ exchanges }) => exchanges)) {
    const { file, isClean } = await write(exchange, folder, redactor, dialect)
    ;(isClean ? written : leaked).push(file)
  }
  const skipped = imported.flatMap((each) => each.skipped)
  if (leaked.length > 0) process.exitCode = 1
  else if (written.length === 0) process.exitCode = 2
  if (json) return console.log(JSON.stringify({ written, skipped, leaked }))
  for (const reason of skipped) console.error(`skipped ${reason}`)
  for (const file of leaked) console.error(`not kept: ${file} still held a secret`)
  if (quiet) return
  for (const file of written) console.log(join(out, file))
  const rest = skipped.length > 0 ? `, ${skipped.length} skipped` : ''
  console.log(`${written.length} ${written.length === 1 ? 'tape' : 'tapes'} in ${out}/${rest}`)
}

async function read(kind: ImportKind, file: string, { base, request }: ImportFlags): Promise<Imported> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    const reasons: Record<string, string> = {
      ENOENT: 'there is no such file',
      EISDIR: 'is a folder: name a file in it',
    }
    throw new UsageError(`${file}: ${reasons[error.code ?? ''] ?? `cannot be read: ${error.code}`}`)
  })
  const text = () => new TextDecoder().decode(bytes)
  try {
    switch (kind) {
      case 'har':
        return importHar(text(), file, base)
      case 'journal':
        return importJournal(text(), file)
      case 'curl': {
        const asked = importCurl(text(), file, base)
        return {
          exchanges: asked.map((each) => ({ request: each, reply: undefined, chunks: [], end: undefined })),
          skipped: [],
        }
      }
      case 'sse': {
        const asked = request === undefined ? undefined : await readRequest(request, base)
        return { exchanges: [importCapture(bytes, file, asked)], skipped: [] }
      }
    }
  } catch (error) {
    if (error instanceof ImportError) throw new UsageError(error.message)
    throw error
  }
}

const GivenRequest = z.strictObject({
  method: z.string().default('POST'),
  path: z.string().startsWith('/', 'a path begins with / and is below the base address'),
  query: z.string().default(''),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.json().optional(),
})

/** `{ method, path, body }` as JSON or YAML, or a curl command. */
async function readRequest(file: string, base: string): Promise<TapeRequest> {
  if (!/\.(json|ya?ml)$/i.test(file)) {
    const [request] = importCurl(await readFile(file, 'utf8').catch(() => ''), file, base)
    return request as TapeRequest
  }
  const { value, locate } = readDataFile(file, 64 * 1024 * 1024)
  const result = GivenRequest.safeParse(value)
  if (!result.success)
    throw new FileError(result.error.issues.map(({ path, message }) => ({ file, message, ...locate(path) })))
  const { method, body, query, ...rest } = result.data
  return {
    ...rest,
    method: method.toUpperCase(),
    query: query === '' || query.startsWith('?') ? query : `?${query}`,
    ...(body !== undefined && { json: body }),
  }
}

async function write(exchange: Exchanged, folder: TapeFolder, redactor: Redactor, dialect: string) {
  const { request } = exchange
  const operation = request && new Router(operations).find(request.method, request.path).operation?.id
  const tape = toTape(exchange, { redactor, operation, dialect })
  const file = folder.nameFor(tape.head)
  const path = join(folder.path, file)
  await writeFile(path, formatTape(tape), { flag: 'wx' })
  const isClean = scanFile(await readFile(path), redactor.finder).length === 0
  if (!isClean) await rm(path)
  return { file, isClean }
}
