/** Frozen rows shared by any number of sandboxes: the seed, or a snapshot's rows. */
import { GatewayError, type Violation } from '../http/errors.ts'
import { pathOf, toViolations } from '../http/violations.ts'
import { copy } from '../lib/copy.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { oneLine } from '../lib/one-line.ts'
import { about, check } from '../lib/schema-messages.ts'
import type { CollectionDeclaration } from '../resources/collection.ts'
import { type UnknownField, unknownFields } from '../resources/unknown-fields.ts'

export const maxRows = 1_000_000

/** Maximum number of memoised values per version of the rows. Older values are evicted. */
const maxMemo = 200

export class SharedRows<Row extends object> {
  readonly rows: readonly Row[]
  /** The seed that these rows are based on, or this object if it is a seed itself. */
  readonly seed: SharedRows<Row>
  readonly #declaration: CollectionDeclaration<string, Row>
  #index: Map<string, Map<string, Row>> | undefined
  readonly #memo = new Map<string, unknown>()

  /** Wraps rows that are already frozen and whose keys are unique. */
  constructor(declaration: CollectionDeclaration<string, Row>, rows: readonly Row[], seed?: SharedRows<Row>) {
    this.#declaration = declaration
    this.rows = Object.freeze(rows)
    this.seed = seed ?? this
  }

  /** Freezes validated rows. Throws a one-line error with both positions if two rows share a key. */
  static ofSeed<Row extends object>(
    declaration: CollectionDeclaration<string, Row>,
    rows: readonly Row[],
  ): SharedRows<Row> {
    const seed = new SharedRows(declaration, freeze(rows))
    const { name, keys } = declaration
    rows.forEach((row, index) => {
      for (const [key, read] of Object.entries(keys)) {
        const first = seed.find(key, read(row)) as Row
        if (first === row) continue
        const path = `${name}[${index}].${key}`
        throw new Error(
          `options.fixtures.${path}: '${read(row)}' is taken by ${name}[${rows.indexOf(first)}]`,
        )
      }
    })
    return seed
  }

  find(key: string, value: string): Row | undefined {
    this.#index ??= this.#toIndex()
    return this.#index.get(key)?.get(value)
  }

  #toIndex(): Map<string, Map<string, Row>> {
    const entries = Object.entries(this.#declaration.keys)
    // The first of several rows with one key is kept.
    const indexed = (read: (row: Row) => string) =>
      this.rows.toReversed().map((row) => [read(row), row] as const)
    return new Map(entries.map(([key, read]) => [key, new Map(indexed(read))]))
  }

  findAny(value: string): Row | undefined {
    for (const key of Object.keys(this.#declaration.keys)) {
      const row = this.find(key, value)
      if (row) return row
    }
    return undefined
  }

  /** Throws 409 if one of the row's keys is taken, unless the row's previous version has the same key. */
  assertFree(row: Row, previous?: Row): void {
    const { name, keys } = this.#declaration
    for (const [key, read] of Object.entries(keys)) {
      const value = read(row)
      if (this.find(key, value) && !(previous && read(previous) === value))
        throw new GatewayError(409, `${name} already has a record whose ${key} is '${oneLine(value)}'`)
    }
  }

  memo<Value>(name: string, make: (rows: readonly Row[]) => Value): Value {
    if (this.#memo.has(name)) return this.#memo.get(name) as Value
    const value = make(this.rows)
    const [oldest] = this.#memo.size < maxMemo ? [] : this.#memo.keys()
    if (oldest !== undefined) this.#memo.delete(oldest)
    this.#memo.set(name, value)
    return value
  }
}

/** Validates a row and returns a deep-frozen copy. Throws 400 if the row does not match its schema. */
export function toRow<Row extends object>(
  { name, schema }: CollectionDeclaration<string, Row>,
  input: object,
): Row {
  const result = check(schema, input)
  if (!result.success) {
    const violations = toViolations(result.error, name)
    throw new GatewayError(400, rowProblem(schema, input, violations, name), { violations })
  }
  return freeze(copy(result.data))
}

/** Describes a row's first problem. Unknown fields come first: one may be a misspelt required field. */
export function rowProblem(
  schema: CollectionDeclaration['schema'],
  row: unknown,
  violations: readonly Violation[],
  root: string,
): string {
  const [first, ...others] = violations
  const isUnknown = violations.some(({ rule }) => rule === 'unrecognized_keys')
  const [unknown] = isUnknown ? unknownFields(schema, row) : []
  if (unknown) return unknownFieldProblem(pathOf(root, unknown.path), unknown)
  const alike = others.filter(({ message }) => message === first?.message)
  const more = alike.map(({ path }) => path.slice(root.length + 1)).join(', ')
  return about(String(first?.path), String(first?.message)) + (more && ` (also ${more})`)
}

export function unknownFieldProblem(path: string, { name, suggestion, fields }: UnknownField): string {
  return `unknown field '${path}'${didYouMean(suggestion ?? name, Object.keys(fields))}`
}

function freeze<Value>(value: Value): Value {
  // A value other than an object counts as frozen.
  if (!Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value as object)) freeze(inner)
  }
  return value
}
