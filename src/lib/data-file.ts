/** Reads data files synchronously, as `use('./busy.yaml')` does. Imports no Node modules, so it works in browsers. */
import type { Document, SchemaOptions } from 'yaml'
import type * as z from 'zod'
import { decodeUtf8 } from './bytes.ts'
import { matchAcrossCopies } from './copies.ts'
import { readJson } from './json.ts'
import { about, check } from './schema-messages.ts'

/** Position in a file, with 1-based numbers. */
export interface Place {
  line: number
  column: number
}

export interface FileProblem extends Partial<Place> {
  file: string
  message: string
}

/** Thrown for a missing or invalid file. The one-line message describes the first problem. */
export class FileError extends Error {
  /** Always `FileError`. */
  override name = 'FileError'
  /** All problems, with their positions in the file. */
  readonly problems: readonly FileProblem[]

  constructor(problems: readonly FileProblem[]) {
    const [first] = problems
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
    super(first ? formatProblem(first) + more : 'no problem')
    this.problems = problems
  }
}
matchAcrossCopies('FileError', FileError)

function fail(file: string, message: string, place?: Place): never {
  throw new FileError([{ file, message, ...place }])
}

/** Returns one line, such as `scenarios/mine.yaml:3:5: Unknown operation …`. */
export function formatProblem({ file, line, column, message }: FileProblem): string {
  return `${file}${line === undefined ? '' : `:${line}:${column}`}: ${message}`
}

export interface DataFile {
  readonly value: unknown
  /** Returns the position of the value at a path, or of its nearest existing ancestor. */
  locate(path: readonly PropertyKey[]): Place
}

/** Maximum number of aliases in a YAML file. For each alias, the parser searches all nodes for its anchor. */
const maxAliases = 1000
/** Maximum number of tokens in YAML, about six per line. The parser takes up to 600 bytes and 6 µs for each. */
const usualTokens = 200_000
/** Maximum number of lines and commas in JSON for which the same parser locates problems. */
const maxLocated = 30_000
/** Maximum length of JSON with comments, in characters. */
const maxLenientJson = 1024 * 1024

/** Throws a `FileError` if the file cannot be read or parsed, or is larger than the limit. */
export function readDataFile(file: string, limit = 1024 * 1024): DataFile {
  const bytes = readRegularFile(file, limit)
  if (!/\.(ya?ml|json)$/i.test(file)) fail(file, 'must be a .yaml, .yml or .json file')
  const text = decodeUtf8(bytes)?.replace(/^\uFEFF/, '') ?? fail(file, 'is not UTF-8 text')
  if (text.trim() === '') fail(file, 'is empty')
  return parseDataText(file, text)
}

/** Throws a `FileError` unless `file` is a regular file within the limit: reading a pipe or device might never end. */
export function readRegularFile(file: string, limit = Number.POSITIVE_INFINITY): Buffer {
  const builtin = globalThis.process?.getBuiltinModule
  if (!builtin) return fail(file, 'files can be read in Node only: import the data and pass it')
  const { readFileSync, statSync } = builtin('node:fs')
  try {
    const stats = statSync(file)
    if (stats.isDirectory()) fail(file, 'is a directory: name a file in it')
    if (!stats.isFile()) fail(file, 'is not a file')
    if (stats.size > limit) fail(file, `is ${inMegabytes(stats.size)}; the maximum is ${inMegabytes(limit)}`)
    return readFileSync(file)
  } catch (error) {
    if (error instanceof FileError) throw error
    const { code } = error as NodeJS.ErrnoException
    return fail(file, code === 'ENOENT' ? noSuch('file', file) : `cannot be read: ${code}`)
  }
}

export function readCheckedFile<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  limit?: number,
): z.output<Schema> {
  const { value, locate } = readDataFile(file, limit)
  const result = check(schema, value)
  if (result.success) return result.data
  throw new FileError(
    result.error.issues.map(({ message, ...issue }) => {
      const path = issue.code === 'unrecognized_keys' ? [...issue.path, String(issue.keys[0])] : issue.path
      return { file, message: path.length > 0 ? about(path.join('.'), message) : message, ...locate(path) }
    }),
  )
}

function loadYaml(): typeof import('yaml') {
  const { createRequire } = process.getBuiltinModule('node:module')
  return createRequire(import.meta.url)('yaml')
}

/** Returns `no such file`, followed by the absolute path if the given path is relative. */
export function noSuch(what: string, path: string): string {
  const resolved = process.getBuiltinModule('node:path').resolve(path)
  return `no such ${what}${resolved === path ? '' : ` (looked for ${resolved})`}`
}

const yamlProblems: Readonly<Record<string, string>> = {
  BAD_ALIAS: 'quote text that begins with *',
  BAD_DIRECTIVE: 'quote text that begins with %',
  BAD_DQ_ESCAPE: 'write \\\\ for a backslash, or use single quotes',
  BAD_SCALAR_START: 'quote text that begins with this character',
  BLOCK_IN_FLOW: 'a bracket or comma is missing',
  KEY_OVER_1024_CHARS: 'write a colon and a space after the key',
  MISSING_CHAR: 'a bracket, quote, comma or colon is missing, or the indentation is wrong',
  MULTILINE_IMPLICIT_KEY: 'write a colon and a space after the key',
  MULTIPLE_DOCS: 'only one value is allowed',
  UNEXPECTED_TOKEN: 'check the indentation and punctuation here, or quote the text',
  TAB_AS_INDENT: 'indent with spaces instead of tabs',
  TAG_RESOLVE_FAILED: 'remove the tag, or quote text that begins with !',
}

const otherProblem =
  'close each bracket, check the indentation of this line and the one above, or quote text with a colon'
const jsonProblem = 'a bracket, quote, comma or colon is missing, or a quote or backslash is not escaped'

/** JSON may have comments and trailing commas, which YAML allows. Throws a `FileError` if the text is invalid. */
export function parseDataText(name: string, text: string, tags?: Tags, maxTokens = usualTokens): DataFile {
  try {
    const value = readJson(text)
    let document: ReturnType<typeof toDocument> | undefined
    return {
      value,
      locate(path) {
        if (text.length > maxLocated && text.replace(/[^\n,]+/g, '').length > maxLocated) return start
        document ??= toDocument(text)
        return document.locate(path)
      },
    }
  } catch (error) {
    const isFlow = /^\s*[[{]/.test(text)
    const hasDeepRun = /(?<![[{] ?|[-?] )(?:[[{] ?|[-?] ){500}/.test(text)
    if (hasDeepRun || (isFlow && error instanceof RangeError)) fail(name, tooDeep, start)
    if (text.length <= maxLenientJson || !isFlow) return parseYaml(name, text, maxTokens, tags)
    const [, line = 1, column = 1] =
      /\(line (\d+) column (\d+)\)/.exec((error as Error).message)?.map(Number) ?? []
    return fail(name, `not JSON: ${jsonProblem}`, { line, column })
  }
}

const start: Place = { line: 1, column: 1 }
const tooDeep = 'is nested too deeply'
type Tags = SchemaOptions['customTags']

function parseYaml(file: string, text: string, maxTokens: number, tags?: Tags): DataFile {
  const { Lexer, visit, isMap, isScalar } = loadYaml()
  let tokens = 0
  for (const _ of new Lexer().lex(text))
    if (++tokens > maxTokens)
      return fail(file, 'has too many values for YAML: convert it to JSON without comments', start)
  try {
    const { document, placeAt, locate } = toDocument(text, tags)
    const failAt = (message: string, offset = 0) => fail(file, message, placeAt(offset))
    const language = file.endsWith('.json') ? 'JSON' : 'YAML'
    const [error] = [...document.errors, ...document.warnings]
    if (error?.code === 'RESOURCE_EXHAUSTION') failAt(tooDeep, error.pos[0])
    const { code = '' } = error ?? {}
    const isVague = language === 'JSON' && !/^(BLOCK_IN_FLOW|MULTIPLE_DOCS)$/.test(code)
    const problem = isVague ? jsonProblem : (yamlProblems[code] ?? otherProblem)
    if (error) failAt(`not ${language}: ${problem}`, error.pos[0])
    const anchors = new Set<string>()
    let aliases = 0
    visit(document, {
      Node(_, { anchor }) {
        if (anchor) anchors.add(anchor)
      },
      Alias(_, { source, range }) {
        aliases++
        if (!anchors.has(source)) failAt(`not YAML: ${yamlProblems['BAD_ALIAS']}`, range?.[0])
      },
      Map(_, { anchor, items, range }) {
        if (anchor) anchors.add(anchor)
        if (items.some(({ key }) => isMap(key)))
          failAt('not YAML: quote text that begins with {{', range?.[0])
        const keys = items.flatMap(({ key }) => (isScalar(key) ? [key] : []))
        const seen = new Set<string>()
        const repeated = keys.find(({ value }) => seen.size === seen.add(String(value)).size)
        if (repeated) failAt(`not ${language}: this key occurs twice`, repeated.range?.[0])
      },
    })
    if (aliases > maxAliases) fail(file, `has more than ${maxAliases} aliases`, start)
    return { value: document.toJS({ maxAliasCount: maxAliases + 1 }), locate }
  } catch (error) {
    if (error instanceof RangeError) return fail(file, tooDeep, start)
    if (error instanceof ReferenceError)
      return fail(file, 'expands to too many values through aliases', start)
    throw error
  }
}

function toDocument(text: string, customTags: Tags = null) {
  const { Composer, LineCounter, Parser, YAMLParseError } = loadYaml()
  const lineCounter = new LineCounter()
  // The parser compares each key with all others to find repeated ones.
  const logLevel = 'error'
  const options = { uniqueKeys: false, prettyErrors: false, logLevel, lineCounter, customTags } as const
  const tokens = untilError(new Parser(lineCounter.addNewLine).parse(text))
  const [first, second] = new Composer(options).compose(tokens, true, text.length)
  const document = first as Document.Parsed
  if (second) document.errors.push(new YAMLParseError([second.range[0], text.length], 'MULTIPLE_DOCS', ''))
  const placeAt = (offset: number): Place => {
    const { line, col } = lineCounter.linePos(offset)
    return { line, column: col }
  }
  return { document, placeAt, locate: (path: readonly PropertyKey[]) => placeAt(offsetOf(document, path)) }
}

/** Stops after the first error: plain text causes an error per word, and each takes 0.1 ms. */
function* untilError<Each extends { type: string }>(tokens: Iterable<Each>): Generator<Each> {
  for (const token of tokens) {
    yield token
    if (token.type === 'error') return
  }
}

function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number {
  const { isAlias, isMap, isNode, isScalar, isSeq } = loadYaml()
  let node: unknown = document.contents
  let offset = document.contents?.range[0] ?? 0
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document)
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
      if (!isScalar(pair?.key)) break
      offset = pair.key.range?.[0] ?? offset
      node = pair.value
    } else if (isSeq(node) && isNode(node.items[Number(step)])) {
      node = node.items[Number(step)]
      if (isNode(node)) offset = node.range?.[0] ?? offset
    } else break
  }
  return offset
}

export function inMegabytes(bytes: number): string {
  return `${Math.round((bytes / 1024 / 1024) * 10) / 10} MB`
}
