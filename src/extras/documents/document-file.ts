/**
 * Reads an OpenAPI document from a `.yaml` or `.json` file. Unlike data files, documents can be large, and
 * only syntax errors have a line and column. Reading is synchronous and works only in Node. Node's modules
 * are loaded on demand, because the main entry also runs in browsers.
 */
import { FileError, jsonProblem, loadYaml, noSuch, parseDataText } from '../../lib/data-file.ts'

/** Maximum file size in bytes. Published documents are about 2 MB. */
// mutation: equivalent (a bound on the work; any similar number will do)
const limit = 64 * 1024 * 1024

/** The last file, cached because tests create many gateways with the same document. */
let last: { name: string; changedAt: number; value: unknown } | undefined

/** Reads a document. The returned value is shared and must not be changed. Throws a `FileError`. */
export function readDocumentFile(file: string): unknown {
  const fail = (message: string): never => {
    throw new FileError([{ file, message }])
  }
  const builtin = globalThis.process?.getBuiltinModule
  if (!builtin) return fail('files can be read in Node only: import the document and pass it')
  const { readFileSync, statSync } = builtin('node:fs')
  const name = builtin('node:path').resolve(file)
  let text = ''
  try {
    const { mtimeMs: changedAt, size } = statSync(name)
    if (last?.name === name && last.changedAt === changedAt) return last.value
    if (size > limit) return fail('is larger than 64 MB')
    text = readFileSync(name, 'utf8')
    const value = parseDocument(text)
    last = { name, changedAt, value }
    return value
  } catch (error) {
    if (error instanceof FileError) throw error
    if (error instanceof SyntaxError) throw new FileError([jsonProblem(file, text, error)])
    // Throws a `FileError` with the position of the syntax error.
    if ((error as Error).name === 'YAMLException') parseDataText(file, text)
    const { code } = error as NodeJS.ErrnoException
    return fail(code === 'ENOENT' ? noSuch('file', file) : `cannot be read: ${code}`)
  }
}

export function parseDocument(text: string): unknown {
  return /^\s*[{[]/.test(text) ? JSON.parse(text) : loadYaml().load(text)
}
