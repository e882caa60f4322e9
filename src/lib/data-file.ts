/**
 * Data that a person wrote in a file, `.yaml` or `.json`, with the place of every value: a problem in a file is told
 * with its line and column.
 *
 * Reading is synchronous, as `use('./busy.yaml')` is. Node's modules are looked up when a file is read, not imported,
 * because the main entry runs in browsers too.
 */
import type { Event } from 'js-yaml'
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
  /** `FileError`. */
  override name = 'FileError'
  /** Every problem, with its place in the file. */
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

/** Values that a YAML file with aliases may expand to: an alias bomb has thousands of millions. */
const maxExpanded = 100_000

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
  // JSON is nearly YAML. Only if something is wrong with it, it is read as such, for the places.
  return { value, locate: locator(text, () => loadYaml().parseEvents(text, {})) }
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
  const { dump, CORE_SCHEMA } = loadYaml()
  // mutation: equivalent: any similar width will do
  return dump(value, { schema: CORE_SCHEMA, lineWidth: 100, noRefs: true, quoteStyle: 'double' })
}

/** Loads the parser. In Node only. */
export function loadYaml(): typeof import('js-yaml') {
  const { createRequire } = process.getBuiltinModule('node:module')
  return createRequire(import.meta.url)('js-yaml')
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

function parseYaml(file: string, text: string): DataFile {
  const { parseEvents, constructFromEvents, YAMLException, EVENT_ID } = loadYaml()
  try {
    const events = parseEvents(text, {})
    const [value = null, another] = constructFromEvents(events, { source: text })
    if (another !== undefined) throw new YAMLException('more than one document')
    if (events.some(({ type }) => type === EVENT_ID.ALIAS) && sizeOf(value, maxExpanded) > maxExpanded)
      throw new FileError([{ file, message: 'repeats itself by aliases too often', ...placeAt(text, 0) }])
    return { value, locate: locator(text, () => events) }
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    const tooDeep = /maxDepth/.test(error.reason)
    const message = tooDeep ? 'is nested too deeply' : `not YAML: ${error.reason}`
    throw new FileError([{ file, message, ...placeAt(text, error.mark?.position ?? 0) }])
  }
}

/** Counts the values inside a value, up to a limit. */
function sizeOf(value: unknown, limit: number): number {
  let size = 0
  const queue = [value]
  while (queue.length > 0 && ++size <= limit) {
    const next = queue.pop()
    if (typeof next === 'object' && next !== null) queue.push(...Object.values(next))
  }
  return size
}

/** A value in a YAML text. */
interface Located {
  readonly offset: number
  /** Keys or indexes. */
  readonly inside: Map<string, { readonly offset: number; readonly value: Located }>
}

/** Reads the places of a text once, when the first is asked for: a file may have as many problems as lines. */
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

/** Returns the offset of the last step of a path that the text has. */
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
    if (event.anchorStart >= 0) anchors.set(text.slice(event.anchorStart, event.anchorEnd), node)
    while (at < events.length && events[at]?.type !== EVENT_ID.POP) {
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

/** Returns the places of offsets. */
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
