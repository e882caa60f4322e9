/**
 * How large the smallest value of each schema is, in parts: what contains itself must choose what ends. A lower bound,
 * infinite where a value would never end.
 */
import type { Budget } from './budget.ts'
import {
  firstItems,
  isObject,
  itemSchema,
  type JsonSchema,
  listedValues,
  namedSchemas,
  numberAt,
  type References,
  type SchemaObject,
  schemaAt,
  schemasAt,
  textsAt,
  typesOf,
} from './schema.ts'

export class Sizes {
  readonly #references: References
  readonly #budget: Budget
  readonly #sizes = new Map<SchemaObject, number>()

  /** Works out the sizes of a schema and of all that it leads to. */
  constructor(root: JsonSchema, references: References, budget: Budget) {
    this.#references = references
    this.#budget = budget
    this.#visit(root)
    const schemas = [...this.#sizes.keys()]
    for (let changed = true; changed; ) {
      changed = false
      for (const schema of schemas) {
        const size = this.#sizeOf(schema)
        if (size < this.of(schema)) {
          this.#sizes.set(schema, size)
          changed = true
        }
      }
    }
  }

  of(schema: JsonSchema): number {
    if (typeof schema === 'boolean') return schema ? 1 : Number.POSITIVE_INFINITY
    return this.#sizes.get(schema) ?? Number.POSITIVE_INFINITY
  }

  /** Inner ones first, so that most sizes are final at once. */
  #visit(schema: JsonSchema): void {
    if (typeof schema === 'boolean' || this.#sizes.has(schema)) return
    this.#sizes.set(schema, Number.POSITIVE_INFINITY)
    this.#budget.deeper(() => {
      for (const inner of this.#innerOf(schema)) this.#visit(inner)
    })
    this.#sizes.delete(schema)
    this.#sizes.set(schema, Number.POSITIVE_INFINITY)
  }

  #innerOf(schema: SchemaObject): JsonSchema[] {
    const named = ['properties', 'patternProperties', 'dependentSchemas', 'dependencies'].flatMap((keyword) =>
      namedSchemas(schema, keyword).map(([, inner]) => inner),
    )
    const listed = ['prefixItems', 'items', 'allOf', 'anyOf', 'oneOf'].flatMap((keyword) =>
      schemasAt(schema, keyword),
    )
    const single = [
      'items',
      'additionalItems',
      'additionalProperties',
      'propertyNames',
      'contains',
      'if',
      'then',
      'else',
    ]
      .map((keyword) => schemaAt(schema, keyword))
      .concat(this.#references.follow(schema))
    return [...named, ...listed, ...single.filter((inner) => inner !== undefined)]
  }

  #sizeOf(schema: SchemaObject): number {
    this.#budget.step()
    const target = this.#references.follow(schema)
    return Math.max(
      listedValues(schema) ? 1 : this.#sizeByType(schema),
      target === undefined ? 1 : this.of(target),
      ...['anyOf', 'oneOf'].map((keyword) => this.#least(schemasAt(schema, keyword))),
      schemasAt(schema, 'allOf').reduce((most, inner) => Math.max(most, this.of(inner)), 1),
    )
  }

  #least(branches: readonly JsonSchema[]): number {
    this.#budget.step(branches.length)
    if (branches.length === 0) return 1
    return branches.reduce((least, branch) => Math.min(least, this.of(branch)), Number.POSITIVE_INFINITY)
  }

  #sizeByType(schema: SchemaObject): number {
    const sizes = (typesOf(schema) ?? ['null']).map((type) => {
      if (type === 'object') return this.#sizeOfObject(schema)
      return type === 'array' ? this.#sizeOfList(schema) : 1
    })
    return Math.min(...sizes)
  }

  #sizeOfObject(schema: SchemaObject): number {
    const { properties } = schema
    const others = schemaAt(schema, 'additionalProperties') ?? true
    const isLoose = namedSchemas(schema, 'patternProperties').length > 0
    const sizes = textsAt(schema, 'required').map((name) => {
      this.#budget.step()
      if (isObject(properties) && Object.hasOwn(properties, name))
        return this.of(schemaAt(properties, name) ?? true)
      return isLoose ? 1 : this.of(others)
    })
    return 1 + sum(sizes)
  }

  #sizeOfList(schema: SchemaObject): number {
    const min = numberAt(schema, 'minItems') ?? 0
    const first = firstItems(schema).length
    this.#budget.step(first)
    const own = Array.from({ length: Math.min(min, first) }, (_, index) =>
      this.of(itemSchema(schema, index) ?? true),
    )
    const others = min > first ? (min - first) * this.of(itemSchema(schema, first) ?? true) : 0
    return 1 + sum(own) + others
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
