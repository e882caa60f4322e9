/**
 * Comparing what came with what was looked for, by data alone, so that a comparison can travel.
 */

/** The same shape with every field optional, at every depth. */
export type Matching<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { [Field in keyof Value]?: Matching<Value[Field]> }
    : Value

/** Whether a value has all that is wanted: objects may have more fields, all else must be equal. */
export function matches(value: unknown, wanted: unknown): boolean {
  if (Object.is(value, wanted)) return true
  if (typeof value !== 'object' || typeof wanted !== 'object' || !value || !wanted) return false
  if (Array.isArray(wanted)) {
    if (!Array.isArray(value) || value.length !== wanted.length) return false
    return wanted.every((item, index) => matches(value[index], item))
  }
  return Object.entries(wanted).every(
    ([field, inner]) => Object.hasOwn(value, field) && matches(Reflect.get(value, field), inner),
  )
}
