/**
 * Paths into a JSON value, as scenario files write them: `data.0.slug`, `data[0].slug`, `data.*.slug`.
 */

/** Keys and indexes from the outside in; `*` stands for every one. */
export type Path = readonly string[]

export function readPath(text: string): Path {
  return text
    .replace(/\[([^[\]]*)\]/g, '.$1')
    .split('.')
    .filter((key) => key !== '')
}

/** The value at a path without stars; undefined where the path leads nowhere. */
export function readAt(value: unknown, path: Path): unknown {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = Reflect.get(found, key)
  }
  return found
}

/** Every value at a path; none where the path leads nowhere. */
export function reads(value: unknown, path: Path): unknown[] {
  let found = [value]
  for (const key of path)
    found = found.flatMap((inner) => keysOf(inner, key).map((each) => Reflect.get(inner as object, each)))
  return found
}

/**
 * A copy in which every value at a path is another one, or gone.
 *
 * @param change Gets the value; undefined in return takes the field away.
 * @returns The copy, and how many places were found.
 */
export function edited(
  value: unknown,
  path: Path,
  change: (value: unknown) => unknown,
): { value: unknown; places: number } {
  const [key, ...rest] = path
  if (key === undefined) return { value: change(value), places: 1 }
  const keys = keysOf(value, key)
  if (keys.length === 0) return { value, places: 0 }
  const entries = new Map(Object.entries(value as object))
  let places = 0
  for (const each of keys) {
    const inner = edited(entries.get(each), rest, change)
    places += inner.places
    if (inner.value === undefined) entries.delete(each)
    else entries.set(each, inner.value)
  }
  return { value: Array.isArray(value) ? [...entries.values()] : Object.fromEntries(entries), places }
}

/** The keys of a value that one step of a path means; its own ones only. */
function keysOf(value: unknown, key: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  if (key === '*') return Object.keys(value)
  // The length of a list is its own, and no field of it.
  return Object.hasOwn(value, key) && !(Array.isArray(value) && key === 'length') ? [key] : []
}
