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
