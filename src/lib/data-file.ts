/**
 * Data that a person wrote in a file, `.yaml` or `.json`, with the place of every value: a problem in a file is told
 * with its line and column.
 *
 * Reading is synchronous, as `use('./busy.yaml')` is. Node's modules are looked up when a file is read, not imported,
 * because the main entry runs in browsers too.
 */
import type { Document, LineCounter, ParsedNode } from 'yaml'
import type * as z from 'zod'

export interface Place {
  /** From 1. */
  line: number
  column: number
}

export interface FileProblem extends Partial<Place> {
  file: string
  message: string
}

/** A file that cannot be used; the message is one line with the first problem. */
export class FileError extends Error {
  override name = 'FileError'
  readonly problems: readonly FileProblem[]

  constructor(problems: readonly FileProblem[]) {
    const [first] = problems
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
    super(first ? inOneLine(first) + more : 'no problem')
    this.problems = problems
  }
}

/** `scenarios/mine.yaml:3:5: Unknown operation …` */
export function inOneLine({ file, line, column, message }: FileProblem): string {
  return `${file}${line === undefined ? '' : `:${line}:${column}`}: ${message}`
}

export interface DataFile {
  readonly value: unknown
  /** Where a path leads to, or its last step that is there. */
  locate(path: readonly PropertyKey[]): Place
}

/** Aliases in all that a YAML file may expand to: an alias bomb has thousands of millions. */
const maxAliases = 100

/**
 * Reads a data file whole. Throws a `FileError`.
 *
 * @param limit Bytes. Default: 1 MiB.
 */
export function readDataFile(file: string, limit = 1024 * 1024): DataFile {
  const fail = (message: string, place?: Place): never => {
    throw new FileError([{ file, message, ...place }])
  }
  const builtin = globalThis.process?.getBuiltinModule
  if (!builtin) return fail('files are read in Node only: import the data, and pass it')
  const { readFileSync, statSync } = builtin('node:fs')
  const { basename, extname } = builtin('node:path')
  const found = readOrFail(() => statSync(file), fail)
  if (found.isDirectory()) fail('is a directory: name a file in it')
  if (!found.isFile()) fail('is not a file')
  if (found.size > limit) fail(`has ${inMegabytes(found.size)}, and at most ${inMegabytes(limit)} are read`)
  const kind = extname(file).toLowerCase()
  if (!['.yaml', '.yml', '.json'].includes(kind)) fail(`${basename(file)} is neither .yaml nor .json`)

  const text = decode(readOrFail(() => readFileSync(file), fail)) ?? fail('is not UTF-8 text')
  if (kind !== '.json') return parseYaml(file, text)
  const value = parseJson(text, (message, offset) => fail(message, placeAt(text, offset)))
  // JSON is nearly YAML. Only where something is wrong with it, it is read as such, for the places.
  let parsed: Parsed | undefined
  return {
    value,
    locate(path) {
      parsed ??= parseDocument(text)
      return placeIn(parsed, path)
    },
  }
}

/** Reads a data file and checks it. Throws a `FileError` with every problem and its place. */
export function readCheckedFile<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  limit?: number,
): z.output<Schema> {
  const { value, locate } = readDataFile(file, limit)
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new FileError(result.error.issues.map(({ path, message }) => ({ file, message, ...locate(path) })))
}

/** Reads YAML, or JSON, that is no file. Throws a `FileError`. */
export function parseDataText(name: string, text: string): DataFile {
  return parseYaml(name, text)
}

/** Data as YAML, as a person would begin to write it. */
export function toYaml(value: unknown): string {
  return loadYaml().stringify(value, { lineWidth: 100 })
}

function loadYaml(): typeof import('yaml') {
  const { createRequire } = process.getBuiltinModule('node:module')
  return createRequire(import.meta.url)('yaml')
}

function readOrFail<Result>(read: () => Result, fail: (message: string) => never): Result {
  try {
    return read()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return fail(code === 'ENOENT' ? 'there is no such file' : `cannot be read: ${code}`)
  }
}

function parseJson(text: string, fail: (message: string, offset: number) => never): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const { message } = error as Error
    const offset = /at position (\d+)/.exec(message)?.[1]
    const reason = message.replace(/ \(line \d+ column \d+\)$/, '').replace(/ in JSON at position \d+$/, '')
    return fail(
      `not JSON: ${reason.replaceAll('\n', '\\n')}`,
      offset === undefined ? text.length : Number(offset),
    )
  }
}

/** A document with the places of all its values. */
interface Parsed {
  document: Document.Parsed
  lines: LineCounter
  yaml: typeof import('yaml')
}

function parseDocument(text: string): Parsed {
  const yaml = loadYaml()
  const lines = new yaml.LineCounter()
  return { document: yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false }), lines, yaml }
}

function parseYaml(file: string, text: string): DataFile {
  const parsed = parseDocument(text)
  const { document, lines } = parsed
  // The errors after the first one are mostly its echoes.
  const [error] = document.errors
  if (error) {
    const tooDeep = error.message.includes('call stack')
    const message = tooDeep ? 'is nested too deeply' : `not YAML: ${error.message}`
    throw new FileError([{ file, message, ...placeOf(lines, error.pos[0]) }])
  }
  try {
    const value: unknown = document.toJS({ maxAliasCount: maxAliases })
    return { value, locate: (path) => placeIn(parsed, path) }
  } catch (error) {
    const tooDeep = error instanceof RangeError
    const message = tooDeep ? 'is nested too deeply' : 'repeats itself by aliases too often'
    throw new FileError([{ file, message, line: 1, column: 1 }])
  }
}

function placeIn({ document, lines, yaml }: Parsed, path: readonly PropertyKey[]): Place {
  let node: unknown = document.contents
  let offset = document.contents?.range[0] ?? 0
  for (const step of path) {
    if (yaml.isAlias(node)) node = node.resolve(document)
    if (yaml.isMap<ParsedNode, ParsedNode>(node)) {
      const pair = node.items.find(({ key }) => yaml.isScalar(key) && String(key.value) === String(step))
      if (!pair) break
      offset = pair.key.range[0]
      node = pair.value
    } else if (yaml.isSeq<ParsedNode>(node)) {
      const item: ParsedNode | undefined = node.items[Number(step)]
      if (!item) break
      offset = item.range[0]
      node = item
    } else break
  }
  return placeOf(lines, offset)
}

function placeOf(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset)
  return { line, column: col }
}

function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1) as string).length + 1 }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

export function inMegabytes(bytes: number): string {
  return `${Math.round((bytes / 1024 / 1024) * 10) / 10} MB`
}
