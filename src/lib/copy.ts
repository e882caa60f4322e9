/** Copies JSON values ten times as fast as `structuredClone`. The build also injects this function into `@msw/data`; see `tsdown.config.ts`. */

export function copy<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copy) as Value
  if (!isPlain(value)) return structuredClone(value)
  const copied = { ...value }
  for (const field in copied) {
    const inner = copied[field]
    if (typeof inner === 'object') copied[field] = copy(inner)
  }
  return copied
}

/** Returns true for plain objects from any realm. */
export function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
