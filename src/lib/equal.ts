/** Compares JSON values. The order of an object's fields does not matter. */
export function equal(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || !left || !right) return false
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const fields = Object.keys(left)
  return (
    fields.length === Object.keys(right).length &&
    fields.every(
      (field) => Object.hasOwn(right, field) && equal(Reflect.get(left, field), Reflect.get(right, field)),
    )
  )
}

/** Allows additional fields and asymmetric matchers. A field that is expected to be undefined must be absent. */
export function matches(value: unknown, expected: unknown): boolean {
  if (Object.is(value, expected)) return true
  const matcher: { asymmetricMatch?(value: unknown): boolean } = Object(expected)
  if (typeof matcher.asymmetricMatch === 'function') return matcher.asymmetricMatch(value)
  if (typeof value !== 'object' || typeof expected !== 'object' || !value || !expected) return false
  if (Array.isArray(value) !== Array.isArray(expected)) return false
  if (Array.isArray(value) && value.length !== Reflect.get(expected, 'length')) return false
  return Object.entries(expected).every(([field, inner]) =>
    Object.hasOwn(value, field) ? matches(Reflect.get(value, field), inner) : inner === undefined,
  )
}
