/** Conditions on records. `list()` takes fields and values, and `query()` also takes predicates. */
import { GatewayError } from '../http/errors.ts'
import { isPlain } from '../lib/copy.ts'
import { equal } from '../lib/equal.ts'
import { isObject } from '../lib/json.ts'
import { shown } from '../lib/schema-messages.ts'

/**
 * Field values that a record must have. Primitive values, null and arrays are compared for equality, objects match
 * nested fields, and `{ some: … }` matches if at least one array item does. Undefined fields are ignored.
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

/** Returns true if the value matches. Must not be async. */
type Predicate<Value> = (value: Value) => unknown

/** A predicate on the record, or required field values, each of which can be a predicate. */
export type QueryCondition<Row> =
  | Predicate<Row>
  | {
      readonly [Field in keyof Row]?:
        | FieldQuery<NonNullable<Row[Field]>>
        | Predicate<Row[Field]>
        | Extract<Row[Field], null | undefined>
    }

type FieldQuery<Value> = Value extends readonly (infer Item)[]
  ? { readonly some: FieldQuery<Item> | Predicate<Item> }
  : Value extends object
    ? QueryCondition<Value>
    : Value

/** A query under construction. Every method returns a new query. */
export class Query<Row extends object> {
  readonly #test: ((row: Row) => boolean) | undefined
  /** Conditions whose field names must be validated. @internal */
  readonly conditions: readonly object[]

  constructor(test?: (row: Row) => boolean, conditions: readonly object[] = []) {
    this.#test = test
    this.conditions = conditions
  }

  test(row: Row): boolean {
    return this.#test?.(row) ?? false
  }

  /** Adds a condition; the same as `and`. */
  where(condition: QueryCondition<Row>): Query<Row> {
    return this.and(condition)
  }

  and(...conditions: (QueryCondition<Row> | Query<Row>)[]): Query<Row> {
    const tests = this.#with(conditions)
    return new Query((row) => tests.every((test) => test(row)), this.#objects(conditions))
  }

  /** Matches records that match this query or one of the conditions. */
  or(...conditions: (QueryCondition<Row> | Query<Row>)[]): Query<Row> {
    const tests = this.#with(conditions)
    return new Query((row) => tests.some((test) => test(row)), this.#objects(conditions))
  }

  #objects(conditions: (QueryCondition<Row> | Query<Row>)[]): object[] {
    return [this, ...conditions].flatMap((each) => (each instanceof Query ? each.conditions : each))
  }

  #with(conditions: (QueryCondition<Row> | Query<Row>)[]): ((row: Row) => boolean)[] {
    const tests = conditions.map((each) =>
      each instanceof Query ? (row: Row) => each.test(row) : compileCondition(each, toPredicate),
    )
    return this.#test ? [this.#test, ...tests] : tests
  }
}

type CompileFunction = (predicate: Predicate<unknown>) => (value: unknown) => boolean

/** Rejects functions in `list()`, because a remote client cannot send them. */
export const refuseFunctions: CompileFunction = () => {
  throw new GatewayError(400, 'The condition must not contain functions: use query()')
}

const toPredicate: CompileFunction = (predicate) => (value) => {
  const result = predicate(value)
  if (typeof Object(result).then === 'function')
    throw new GatewayError(400, 'A predicate must not be async: it returned a promise')
  return Boolean(result)
}

export function compileCondition(
  condition: object,
  compileFunction: CompileFunction,
): (value: unknown) => boolean {
  if (typeof condition === 'function' || (isObject(condition) && isPlain(condition)))
    return compileValue(condition, compileFunction)
  throw new GatewayError(
    400,
    `The condition must be an object such as { name: 'x' }, got ${shown(condition)}`,
  )
}

function compileValue(expected: unknown, compileFunction: CompileFunction): (value: unknown) => boolean {
  if (typeof expected === 'function') return compileFunction(expected as Predicate<unknown>)
  if (!isObject(expected)) return (value) => equal(value, expected)
  if (!isPlain(expected))
    throw new GatewayError(400, `The condition contains ${shown(expected)}, which matches no JSON value`)
  const fields = compileFields(expected, compileFunction)
  if (!Object.hasOwn(expected, 'some')) return fields
  const item = compileValue(Reflect.get(expected, 'some'), compileFunction)
  return (value) => (Array.isArray(value) ? value.some(item) : fields(value))
}

function compileFields(condition: object, compileFunction: CompileFunction): (value: unknown) => boolean {
  const tests = Object.entries(condition)
    .filter(([, expected]) => expected !== undefined)
    .map(([field, expected]) => [field, compileValue(expected, compileFunction)] as const)
  return (value) =>
    isObject(value) &&
    tests.every(([field, test]) => Object.hasOwn(value, field) && test(Reflect.get(value, field)))
}
