/**
 * Which records are wanted, as data, so that it can travel; compiled to one predicate.
 */
import { GatewayError } from '../http/errors.ts'
import { equal } from '../lib/equal.ts'

/**
 * Fields that a record must have. A value, null and an array mean equality; an object means these fields inside;
 * `{ some: … }` means that at least one item of an array is so. A field that is undefined is left out.
 *
 * @example
 * { status: 'active', description: null }
 * { architecture: { input_modalities: { some: 'image' } } }
 */
export type Condition<Row> = { readonly [Field in keyof Row]?: FieldCondition<Row[Field]> }

type FieldCondition<Value> = Value extends readonly (infer Item)[]
  ? Value | { readonly some: FieldCondition<Item> }
  : Value extends object
    ? Condition<Value>
    : Value

/** Throws 400 for what is no object of fields. */
export function compileCondition<Row extends object>(condition: Condition<Row>): (row: Row) => boolean {
  if (typeof condition !== 'object' || condition === null || Array.isArray(condition)) {
    throw new GatewayError(
      400,
      'A list takes a condition: an object of fields and the values that they must have',
    )
  }
  return compileFields(condition)
}

function compileFields(condition: object): (value: unknown) => boolean {
  const tests = Object.entries(condition)
    .filter(([, wanted]) => wanted !== undefined)
    .map(([field, wanted]) => [field, compileValue(wanted)] as const)
  return (value) =>
    isObject(value) &&
    tests.every(([field, test]) => Object.hasOwn(value, field) && test(Reflect.get(value, field)))
}

function compileValue(wanted: unknown): (value: unknown) => boolean {
  if (!isObject(wanted)) return (value) => equal(value, wanted)
  const fields = compileFields(wanted)
  if (!Object.hasOwn(wanted, 'some')) return fields
  const item = compileValue(Reflect.get(wanted, 'some'))
  return (value) => (Array.isArray(value) ? value.some(item) : fields(value))
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
