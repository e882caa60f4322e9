/**
 * The shape of values that were seen.
 */
import { type ObjectShape, type Shape, type TypeName, tagFields, unionOf, unknownShape } from './shape.ts'

/** Distinct values of one place that are remembered; of more, the place is open anyway. */
const maxValues = 200

export function shapeOfSamples(samples: readonly unknown[]): Shape {
  return samples.reduce<Shape>((shape, sample) => unionOf(shape, shapeOfSample(sample)), unknownShape)
}

export function shapeOfSample(sample: unknown): Shape {
  const type = typeOf(sample)
  if (type === 'array') {
    const items = shapeOfSamples(sample as unknown[])
    return { types: new Set([type]), objects: new Map(), ...(items.types.size > 0 && { items }) }
  }
  if (type === 'object') {
    return {
      types: new Set([type]),
      objects: new Map([[tagOf(sample as object), objectOf(sample as object)]]),
    }
  }
  const isShort = typeof sample === 'string' && sample.length <= 64
  const values = isShort ? new Set([JSON.stringify(sample)]) : undefined
  return { types: new Set([type]), objects: new Map(), values }
}

function objectOf(sample: object): ObjectShape {
  const fields = Object.entries(sample).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, { shape: shapeOfSample(value), isRequired: true }] as const],
  )
  return { fields: new Map(fields), isOpen: false }
}

function tagOf(sample: object): string {
  for (const name of tagFields) {
    const value: unknown = Reflect.get(sample, name)
    if (typeof value === 'string') return value
  }
  return ''
}

function typeOf(value: unknown): TypeName {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value === 'boolean' || typeof value === 'string' ? (typeof value as TypeName) : 'object'
}

/** Whether so many values were seen that the set is of no use. */
export function isCrowded({ values }: Shape): boolean {
  return (values?.size ?? 0) > maxValues
}
