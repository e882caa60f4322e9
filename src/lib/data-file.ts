/**
 * Reads hand-written data files (`.yaml` or `.json`), and reports problems with line and column.
 *
 * Reading is synchronous because `use('./busy.yaml')` is. Node's modules are looked up when needed instead of
 * imported, because the main entry also runs in browsers.
 */
import type { Event } from 'js-yaml'
import type * as z from 'zod'
import { decodeUtf8 } from './bytes.ts'
import { check } from './check.ts'
import { about } from './schema-messages.ts'

export interface Place {
  /** Line number, from 1. */
  line: number
  /** Column number, from 1. */
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

/** Formats a problem as one line, such as `scenarios/mine.yaml:3:5: Unknown operation …`. */
export function formatProblem({ file, line, column, message }: FileProblem): string {
  return `${file}${line === undefined ? '' : `:${line}:${column}`}: ${message}`
}

export interface DataFile {
  readonly value: unknown
  /** Returns the position of the value at a path, or of its last existing ancestor. */
  locate(path: readonly PropertyKey[]): Place
}

/** Maximum number of values in a YAML file after aliases are expanded, to stop alias bombs. */
const maxExpanded = 100_000

/**
 * Reads a data file. Throws a `FileError` if it cannot be read or parsed.
 *
 * @param limit Maximum file size in bytes. Default: 1 MiB.
 */
export function readDataFile(file: string, limit = 1024 * 1024): DataFile {
  const fail = (message: string, place?: Place): never => {
    throw new FileError([{ file, message, ...place }])
  }
  const builtin = globalThis.process?.getBuiltinModule
  if (!builtin) return fail('files can be read in Node only: import the data and pass it')
  const { readFileSync, statSync } = builtin('node:fs')
  const { extname } = builtin('node:path')
  const stats = readOrFail(file, () => statSync(file), fail)
  if (stats.isDirectory()) fail('is a directory: name a file in it')
  if (!stats.isFile()) fail('is not a file')
  if (stats.size > limit) fail(`is ${inMegabytes(stats.size)}; the maximum is ${inMegabytes(limit)}`)
  const kind = extname(file).toLowerCase()
  if (!['.yaml', '.yml', '.json'].includes(kind)) fail('must be a .yaml, .yml or .json file')

  const bytes = readOrFail(file, () => readFileSync(file), fail)
  const text = decodeUtf8(bytes)?.replace(/^\uFEFF/, '') ?? fail('is not UTF-8 text')
  if (text.trim() === '') fail('is empty')
  if (kind !== '.json') return parseYaml(file, text)
  const value = parseJson(file, text)
  // The YAML parser, which also reads JSON, finds the positions. It runs only if there is a problem to
  // report.
  return { value, locate: locator(text, () => loadYaml().parseEvents(text, {})) }
}

/** Reads a data file and validates it. Throws a `FileError` with all problems and their positions. */
export function readCheckedFile<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  limit?: number,
): z.output<Schema> {
  const { value, locate } = readDataFile(file, limit)
  const result = check(schema, value)
  if (result.success) return result.data
  throw new FileError(
    result.error.issues.map(({ path, message }) => ({
      file,
      message: path.length > 0 ? about(path.join('.'), message) : message,
      ...locate(path),
    })),
  )
}

/**
 * Parses YAML or JSON text. Throws a `FileError` if it is invalid.
 *
 * @param name Name to show in messages instead of a file name.
 */
export function parseDataText(name: string, text: string): DataFile {
  return parseYaml(name, text)
}

export function toYaml(value: unknown): string {
  const { dump, CORE_SCHEMA } = loadYaml()
  return dump(value, { schema: CORE_SCHEMA, lineWidth: 100, noRefs: true, quoteStyle: 'double' })
}

/** Loads the YAML parser, which works only in Node. */
export function loadYaml(): typeof import('js-yaml') {
  const { createRequire } = process.getBuiltinModule('node:module')
  return createRequire(import.meta.url)('js-yaml')
}

/** Returns `no such file`, followed by the absolute path if the given path is relative. */
export function noSuch(what: string, path: string): string {
  const resolved = process.getBuiltinModule('node:path').resolve(path)
  return `no such ${what}${resolved === path ? '' : ` (looked for ${resolved})`}`
}

function readOrFail<Result>(file: string, read: () => Result, fail: (message: string) => never): Result {
  try {
    return read()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return fail(code === 'ENOENT' ? noSuch('file', file) : `cannot be read: ${code}`)
  }
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new FileError([jsonProblem(file, text, error)])
  }
}

/** Explains why `JSON.parse` rejected the text. */
export function jsonProblem(file: string, text: string, error: unknown): FileProblem {
  const offset = lengthOfJsonStart(text)
  const message = `not JSON: ${jsonFix(text, offset, (error as Error).message)}`
  return { file, message, ...placeAt(text, offset) }
}

function jsonFix(text: string, offset: number, message: string): string {
  const character = text.charAt(offset)
  const before = text.slice(0, offset).trimEnd().at(-1)
  if (character === '') return 'a bracket or quote is not closed'
  if (before === ',' && /[\]}]/.test(character)) return `remove the comma before ${character}`
  if (character === "'") return 'write double quotes instead of single ones'
  if (/[/#]/.test(character)) return 'comments are not allowed'
  if (/[{,]/.test(before ?? '') && /\w/.test(character)) return 'write the name in double quotes'
  const expected = /^Expected .*(?= in JSON)/.exec(message)?.[0].replace('E', 'e')
  return expected ?? `unexpected ${JSON.stringify(character)}`
}

/** Returns the length of the longest prefix that could be completed to valid JSON. */
function lengthOfJsonStart(text: string): number {
  let [length, end] = [0, text.length + 1]
  while (end - length > 1) {
    const middle = (length + end) >> 1
    if (isJsonStart(text.slice(0, middle))) length = middle
    else end = middle
  }
  return length
}

function isJsonStart(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const { message } = error as Error
    return message.includes('end of JSON') || Number(/position (\d+)/.exec(message)?.[1]) === text.length
  }
}

/** The parser's error messages, with plain-English replacements. */
const yamlReasons: readonly (readonly [RegExp, string])[] = [
  [/deficient indentation/, 'indent this line more, or close the bracket or quote above it'],
  [
    /bad indentation/,
    'check the colon and indentation of this line and the one above, or quote text with a colon',
  ],
  [/multiline key|expected ':'/, 'write a colon and a space after the key'],
  [/within a \w+ quoted scalar/, 'a quote is not closed'],
  [/within a flow collection/, 'a bracket is not closed'],
  [/missed comma/, 'write a comma between the values'],
  [/found ','/, 'a value is missing before the comma'],
  [/tab characters/, 'indent with spaces instead of tabs'],
  [/duplicated mapping key/, 'this key occurs twice'],
  [/alias/, 'quote text that begins with *'],
  [/a directive|directives end mark/, 'quote text that begins with %'],
  [/more than one document|separator is expected/, 'only one value is allowed'],
]

function parseYaml(file: string, text: string): DataFile {
  const { parseEvents, constructFromEvents, YAMLException, EVENT_ID } = loadYaml()
  try {
    const events = parseEvents(text, {})
    const [value = null, another] = constructFromEvents(events, { source: text })
    if (another !== undefined) throw new YAMLException('more than one document')
    if (events.some(({ type }) => type === EVENT_ID.ALIAS) && sizeOf(value, maxExpanded) > maxExpanded)
      throw new FileError([
        { file, message: 'expands to too many values through aliases', ...placeAt(text, 0) },
      ])
    return { value, locate: locator(text, () => events) }
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    const { reason } = error
    const [, plain = reason] = yamlReasons.find(([pattern]) => pattern.test(reason)) ?? []
    const message = reason.includes('maxDepth') ? 'is nested too deeply' : `not YAML: ${plain}`
    throw new FileError([{ file, message, ...placeAt(text, error.mark?.position ?? 0) }])
  }
}

/** Counts nested values up to a limit. */
function sizeOf(value: unknown, limit: number): number {
  let size = 0
  const queue = [value]
  while (queue.length > 0 && ++size <= limit) {
    const next = queue.pop()
    if (typeof next === 'object' && next !== null) queue.push(...Object.values(next))
  }
  return size
}

/** A value's position in YAML text. */
interface Located {
  readonly offset: number
  /** Children by key or index. */
  readonly inside: Map<string, { readonly offset: number; readonly value: Located }>
}

/** Indexes positions once, on the first lookup, because a file can have a problem on every line. */
function locator(text: string, read: () => readonly Event[]): DataFile['locate'] {
  const placeAtOffset = placesOf(text)
  let root: Located | undefined
  return (path) => {
    try {
      root ??= locateAll(text, read())
    } catch {
      root = { offset: 0, inside: new Map() }
    }
    return placeAtOffset(offsetOf(root, path))
  }
}

/** Returns the offset of the deepest existing value on a path. */
function offsetOf(root: Located, path: readonly PropertyKey[]): number {
  let node = root
  let { offset } = node
  for (const step of path) {
    const next = node.inside.get(String(step))
    if (!next) break
    offset = next.offset
    node = next.value
  }
  return offset
}

function locateAll(text: string, events: readonly Event[]): Located {
  const { EVENT_ID, SCALAR_STYLE, getScalarValue } = loadYaml()
  const anchors = new Map<string, Located>()
  let at = 1
  const read = (): { node: Located; key: string } => {
    const event = events[at++]
    const inside: Located['inside'] = new Map()
    if (event?.type === EVENT_ID.ALIAS) {
      const node = anchors.get(text.slice(event.anchorStart, event.anchorEnd))
      return { node: node ?? { offset: event.anchorStart, inside }, key: '' }
    }
    if (event?.type === EVENT_ID.SCALAR) {
      const isQuoted =
        event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED
      const node = { offset: event.valueStart - (isQuoted ? 1 : 0), inside }
      return { node, key: getScalarValue(text, event) }
    }
    if (event?.type !== EVENT_ID.MAPPING && event?.type !== EVENT_ID.SEQUENCE)
      return { node: { offset: 0, inside }, key: '' }
    const node = { offset: event.start, inside }
    anchors.set(text.slice(event.anchorStart, event.anchorEnd), node)
    while (events[at]?.type !== EVENT_ID.POP) {
      const first = read()
      const { offset } = first.node
      if (event.type === EVENT_ID.MAPPING) inside.set(first.key, { offset, value: read().node })
      else inside.set(String(inside.size), { offset, value: first.node })
    }
    at++
    return { node, key: '' }
  }
  return read().node
}

function placeAt(text: string, offset: number): Place {
  return placesOf(text)(offset)
}

/** Returns a function that converts offsets to positions. */
function placesOf(text: string): (offset: number) => Place {
  let starts: number[] | undefined
  return (offset) => {
    starts ??= [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]
    let [line, end] = [0, starts.length]
    while (end - line > 1) {
      const middle = (line + end) >> 1
      if ((starts[middle] as number) <= offset) line = middle
      else end = middle
    }
    return { line: line + 1, column: offset - (starts[line] as number) + 1 }
  }
}

export function inMegabytes(bytes: number): string {
  return `${Math.round((bytes / 1024 / 1024) * 10) / 10} MB`
}
