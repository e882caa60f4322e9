/**
 * An OpenAPI document from a file, `.yaml` or `.json`: large, and without the places of its values. Synchronous, and for
 * Node only; Node's modules are looked up when a file is read, because the main entry runs in browsers too.
 */
import { FileError, loadYaml } from '../lib/data-file.ts'

/** Bytes; published ones have two megabytes. */
// mutation: equivalent: a bound on the work; any similar number will do
const limit = 64 * 1024 * 1024

/** The file that was read last: tests make many gateways with the same one. */
let last: { name: string; changedAt: number; value: object } | undefined

/** Throws a `FileError`. The value is shared, and not to be changed. */
export function readDocumentFile(file: string): object {
  const fail = (message: string): never => {
    throw new FileError([{ file, message }])
  }
  const builtin = globalThis.process?.getBuiltinModule
  if (!builtin) return fail('files are read in Node only: import the document, and pass it')
  const { readFileSync, statSync } = builtin('node:fs')
  const name = builtin('node:path').resolve(file)
  try {
    const { mtimeMs: changedAt, size } = statSync(name)
    if (last?.name === name && last.changedAt === changedAt) return last.value
    if (size > limit) return fail('has more than 64 MB')
    const value = parseDocument(readFileSync(name, 'utf8'))
    if (typeof value !== 'object' || value === null) return fail('is no OpenAPI document')
    last = { name, changedAt, value }
    return value
  } catch (error) {
    if (error instanceof FileError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    return fail(
      code === 'ENOENT' ? 'there is no such file' : `cannot be read: ${code ?? message.split('\n')[0]}`,
    )
  }
}

/** JSON or YAML. */
export function parseDocument(text: string): unknown {
  return /^\s*[{[]/.test(text) ? JSON.parse(text) : loadYaml().load(text)
}
