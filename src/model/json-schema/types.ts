/**
 * Of which type a value may be.
 */
import { type SchemaObject, type TypeName, typesOf } from './schema.ts'

/** The types that all parts allow, the likeliest first; null comes last, or first where the value is to be small. */
export function allowedTypes(parts: readonly SchemaObject[], isSmall: boolean): TypeName[] {
  const named = parts.map(typesOf).filter((types) => types !== undefined)
  const [first = [...new Set([...(isSmall ? ['null' as const] : []), likelyType(parts)])], ...others] = named
  const allowed = first.flatMap((type): TypeName[] => {
    if (others.every((types) => types.includes(type) || (type === 'integer' && types.includes('number'))))
      return [type]
    return type === 'number' && others.every((types) => types.includes('integer') || types.includes('number'))
      ? ['integer']
      : []
  })
  const rank = (type: TypeName) => {
    if (type === 'null') return isSmall ? -1 : 2
    return isSmall && (type === 'object' || type === 'array') ? 1 : 0
  }
  return allowed.sort((left, right) => rank(left) - rank(right))
}

/** What a schema without a type is about, by its keywords. */
function likelyType(parts: readonly SchemaObject[]): TypeName {
  const has = (...keywords: string[]) => parts.some((part) => keywords.some((keyword) => keyword in part))
  if (has('properties', 'required', 'patternProperties', 'additionalProperties', 'minProperties'))
    return 'object'
  if (has('items', 'prefixItems', 'minItems', 'contains', 'uniqueItems')) return 'array'
  return has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf') ? 'number' : 'string'
}
