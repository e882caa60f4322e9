/**
 * What must hold at one place of a value: a schema with all that it refers to and contains, one branch chosen of each
 * alternative.
 */
import {
  type JsonSchema,
  namedSchemas,
  type References,
  type SchemaObject,
  schemaAt,
  schemasAt,
  textsAt,
  typesOf,
} from './schema.ts'
import type { Sizes } from './sizes.ts'

export interface Choices {
  /** Schemas that must all accept the value. */
  readonly parts: readonly SchemaObject[]
  /** Whether the smallest value is wanted. */
  readonly isSmall: boolean
  /** Whether another attempt would come to other parts. */
  readonly hadChoice: boolean
}

/** How often a schema may stand within itself before the smallest values follow. */
const maxNesting = 2

export class Collector {
  readonly #references: References
  readonly #sizes: Sizes
  /** The schemas of which a value is being made at present, and how many. */
  readonly #open = new Map<SchemaObject, number>()

  constructor(references: References, sizes: Sizes) {
    this.#references = references
    this.#sizes = sizes
  }

  /**
   * Collects what must hold; undefined where nothing can.
   *
   * @param attempt From 0; each comes to other branches, while there are any.
   */
  collect(
    schemas: readonly JsonSchema[],
    draw: () => number,
    attempt: number,
    small: boolean,
  ): Choices | undefined {
    const parts = new Set<SchemaObject>()
    let isSmall = small
    let hadChoice = false

    const choose = (branches: readonly JsonSchema[]): JsonSchema => {
      const ending = branches.filter((branch) => this.#sizes.of(branch) < Number.POSITIVE_INFINITY)
      if (ending.length > 1) hadChoice = true
      // One number for each alternative, whether it is needed or not: others are not shifted.
      const drawn = Math.floor(draw() * ending.length)
      if (isSmall) ending.sort((left, right) => this.#sizes.of(left) - this.#sizes.of(right))
      else if (attempt === 0 && ending.length > 1) {
        const solid = ending.filter((branch) => !isNull(branch))
        return solid[drawn % solid.length] ?? (ending[0] as JsonSchema)
      }
      return ending[(isSmall ? attempt : drawn + attempt) % ending.length] ?? false
    }

    const visit = (schema: JsonSchema): boolean => {
      if (typeof schema === 'boolean') return schema
      if (parts.has(schema)) return true
      parts.add(schema)
      if ((this.#open.get(schema) ?? 0) >= maxNesting) isSmall = true
      const target = this.#references.follow(schema)
      const chosen = ['anyOf', 'oneOf']
        .map((keyword) => schemasAt(schema, keyword))
        .filter((list) => list.length > 0)
      return (
        (target === undefined || visit(target)) &&
        schemasAt(schema, 'allOf').every(visit) &&
        chosen.every((branches) => visit(choose(branches))) &&
        visitCondition(schema) &&
        dependents(schema, isSmall).every(visit)
      )
    }

    const visitCondition = (schema: SchemaObject): boolean => {
      const condition = schemaAt(schema, 'if')
      if (condition === undefined) return true
      hadChoice = true
      if (draw() < 0.5 === (attempt % 2 === 0))
        return visit(condition) && visit(schemaAt(schema, 'then') ?? true)
      return visit(schemaAt(schema, 'else') ?? true)
    }

    return schemas.every(visit) ? { parts: [...parts], isSmall, hadChoice } : undefined
  }

  /** Makes a value of what was collected: meanwhile its schemas are open. */
  within<Value>({ parts }: Choices, make: () => Value): Value {
    for (const part of parts) this.#open.set(part, (this.#open.get(part) ?? 0) + 1)
    try {
      return make()
    } finally {
      for (const part of parts) this.#open.set(part, (this.#open.get(part) as number) - 1)
    }
  }
}

/** What holds where a property is there, of those that will be. */
function dependents(schema: SchemaObject, isSmall: boolean): JsonSchema[] {
  const required = textsAt(schema, 'required')
  return ['dependentSchemas', 'dependencies']
    .flatMap((keyword) => namedSchemas(schema, keyword))
    .filter(([name]) => !isSmall || required.includes(name))
    .map(([, inner]) => inner)
}

function isNull(schema: JsonSchema): boolean {
  return typeof schema === 'object' && (typesOf(schema)?.join() === 'null' || schema['const'] === null)
}
