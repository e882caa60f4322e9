/** Paths into JSON values, as in scenario files: `data.0.slug`, `data[0].slug`, `data.*.slug`. */
import { decodeUrl } from './address.ts'
import { fieldsOf } from './json.ts'

/** Keys and indexes, outermost first. `*` matches all keys and indexes. */
export type Path = readonly string[]

export function readPath(text: string): Path {
  return text
    .replace(/\[([^[\]]*)\]/g, '.$1')
    .split('.')
    .filter((key) => key !== '')
}

export function readAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined
    current = Reflect.get(current, key)
  }
  return current
}

/** Returns the value that a JSON pointer such as `#/$defs/Place` points to, or undefined. */
export function readPointer(root: unknown, pointer: string): unknown {
  const [start, ...steps] = pointer.split('/')
  // A percent sign outside an escape sequence is literal.
  const keys = steps.map((step) => (decodeUrl(step) ?? step).replaceAll('~1', '/').replaceAll('~0', '~'))
  return start === '#' ? readAt(root, keys) : undefined
}

type Step = string | number

/** Yields a value and all values inside it, each with its path, to a depth of a hundred levels. */
export function* walk(root: unknown): Generator<[path: Step[], value: unknown, isInItself: boolean]> {
  yield [[], root, false]
  const around = [{ value: root, path: [] as Step[], steps: stepsInto(root) }]
  // Recursion would pass each value on once per level.
  for (let inside = around.at(-1); inside; inside = around.at(-1)) {
    const { done, value: step } = inside.steps.next()
    if (done) {
      around.pop()
      continue
    }
    const value: unknown = Reflect.get(Object(inside.value), step)
    const path = [...inside.path, step]
    const isInItself = typeof value === 'object' && around.some((outer) => outer.value === value)
    yield [path, value, isInItself]
    if (!isInItself && path.length <= 100) around.push({ value, path, steps: stepsInto(value) })
  }
}

function stepsInto(value: unknown): Iterator<Step, undefined> {
  if (Array.isArray(value)) return value.keys()
  return Object.keys(fieldsOf(value)).values()
}

export function readAll(value: unknown, path: Path): unknown[] {
  let values = [value]
  for (const key of path)
    values = values.flatMap((inner) => keysOf(inner, key).map((each) => Reflect.get(inner as object, each)))
  return values
}

/** Returns a copy with each value at a path replaced by the result of `change`, or removed if that is undefined. */
export function editAt(value: unknown, path: Path, change: (value: unknown) => unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return change(value)
  const keys = keysOf(value, key)
  if (keys.length === 0) return value
  const entries = new Map(Object.entries(value as object))
  for (const each of keys) {
    const inner = editAt(entries.get(each), rest, change)
    if (inner === undefined) entries.delete(each)
    else entries.set(each, inner)
  }
  return Array.isArray(value) ? [...entries.values()] : Object.fromEntries(entries)
}

/** Returns a copy with nested values replaced, or the value itself if nothing changes. */
export function mapInside(value: unknown, change: (inner: unknown) => unknown): unknown {
  const replaced = change(value)
  if (replaced !== value || typeof value !== 'object' || value === null) return replaced
  const entries = Object.entries(value).map(([key, each]) => [key, each, mapInside(each, change)] as const)
  if (entries.every(([, before, after]) => before === after)) return value
  if (Array.isArray(value)) return entries.map(([, , after]) => after)
  return Object.fromEntries(entries.map(([key, , after]) => [key, after]))
}

function keysOf(value: unknown, key: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  if (key === '*') return Object.keys(value)
  // An array's `length` is an own property, but not a field.
  return Object.hasOwn(value, key) && !(Array.isArray(value) && key === 'length') ? [key] : []
}
