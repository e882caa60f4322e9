/**
 * Tapes from files. In Node only; what is parsed already works everywhere.
 */
import { isTapeName, parseTape, type Tape, TapeError } from './tape.ts'

/** Reads a tape. Throws a `TapeError` that names the file, and the line where one is wrong. */
export function readTapeFile(file: string): Tape {
  const { readFileSync } = fileSystem()
  return parseTape(
    readOr(() => readFileSync(file, 'utf8'), file),
    file,
  )
}

/** The tapes of a folder, by the names of their files. Throws a `TapeError` for the first that cannot be read. */
export function readTapeFolder(folder: string): Map<string, Tape> {
  const { readdirSync } = fileSystem()
  const files = readOr(() => readdirSync(folder), folder)
    .filter(isTapeName)
    .sort()
  return new Map(files.map((file) => [file, readTapeFile(`${folder.replace(/\/+$/, '')}/${file}`)]))
}

function fileSystem() {
  const builtin = globalThis.process?.getBuiltinModule
  if (!builtin) throw new TapeError('Tapes are read from files in Node only: parse their text, and pass that')
  return builtin('node:fs')
}

function readOr<Result>(read: () => Result, path: string): Result {
  try {
    return read()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reasons: Record<string, string> = {
      ENOENT: 'there is no such file or folder',
      ENOTDIR: 'is no folder',
      EISDIR: 'is a folder: name a tape in it',
    }
    throw new TapeError(`${path}: ${reasons[code ?? ''] ?? `cannot be read: ${code}`}`)
  }
}
