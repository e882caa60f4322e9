/** Paths into JSON values, as in scenario files: `data.0.slug`, `data[0].slug`, `data.*.slug`. */

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

/** Yields a value and all values inside it, each with its path, down to a hundred levels. */
export function* walk(
  value: unknown,
  path: (string | number)[] = [],
  around: readonly object[] = [],
): Generator<[path: (string | number)[], value: unknown, isInItself: boolean]> {
  const isObject = typeof value === 'object' && value !== null
  const isInItself = isObject && around.includes(value)
  yield [path, value, isInItself]
  if (!isObject || isInItself || path.length > 100) return
  const within = [...around, value]
  for (const key of Array.isArray(value) ? value.keys() : Object.keys(value))
    yield* walk(Reflect.get(value, key), [...path, key], within)
}

export function readAll(value: unknown, path: Path): unknown[] {
  let values = [value]
  for (const key of path)
    values = values.flatMap((inner) => keysOf(inner, key).map((each) => Reflect.get(inner as object, each)))
  return values
}

/** Returns a copy in which `change` has replaced all values at a path, or removed those for which it returns undefined. */
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
