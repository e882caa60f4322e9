/**
 * An OpenAPI document from a file or an address, as JSON or YAML.
 */
import { readFile } from 'node:fs/promises'
import { type DescribedOperation, readDocument } from '../contract/document.ts'
import { parseDocument } from '../operations/document/document-file.ts'
import { DocumentError } from '../operations/document/openapi-document.ts'

/** Bytes of a document; published ones have two megabytes. */
const limit = 64 * 1024 * 1024
const patienceMs = 30_000

/** Why a document cannot be compared, in one line; that is no drift, and no lack of it. */
export class SpecError extends Error {
  override name = 'SpecError'
}

/** Throws a `SpecError`. */
export async function readSpec(spec: string): Promise<Map<string, DescribedOperation>> {
  const text = /^https?:\/\//.test(spec) ? await fetched(spec) : await read(spec)
  try {
    return readDocument(parseDocument(text))
  } catch (error) {
    if (error instanceof DocumentError || error instanceof SyntaxError)
      throw new SpecError(`${spec}: ${error.message}`)
    throw new SpecError(`${spec}: cannot be read: ${(error as Error).message.split('\n')[0]}`)
  }
}

async function read(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'there is no such file' : `cannot be read: ${error.code}`
    throw new SpecError(`${file}: ${reason}`)
  })
}

async function fetched(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(patienceMs) }).catch((error: Error) => {
    const cause = error.cause instanceof Error ? error.cause.message : error.message
    throw new SpecError(`${url}: cannot be fetched: ${cause}`)
  })
  if (!response.ok) throw new SpecError(`${url}: answers ${response.status}`)
  const text = await response.text()
  if (text.length > limit) throw new SpecError(`${url}: has more than 64 MB`)
  return text
}
