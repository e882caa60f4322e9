/**
 * What values look like, without the values: types, null, presence of fields, closed sets. Documents and samples become
 * the same form, so that they can be compared.
 */

export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'object' | 'array'

export interface Shape {
  /** Empty where nothing is known: such a shape differs from none. */
  readonly types: ReadonlySet<TypeName>
  /** JSON of each value: all there are, where the set is closed; those that were seen, of samples. */
  readonly values?: ReadonlySet<string> | undefined
  /** Objects by their tag: the value of `type` or `source` that tells the members of a union apart; '' without one. */
  readonly objects: ReadonlyMap<string, ObjectShape>
  readonly items?: Shape | undefined
  /** Bounds by the words of JSON Schema: `maxLength`, `pattern`. */
  readonly limits?: Readonly<Record<string, unknown>> | undefined
}

export interface ObjectShape {
  readonly fields: ReadonlyMap<string, Field>
  /** May have fields of any name. */
  readonly isOpen: boolean
}

export interface Field {
  readonly shape: Shape
  /** There in every such object. */
  readonly isRequired: boolean
}

export const unknownShape: Shape = { types: new Set(), objects: new Map() }

/** The fields whose value tells the members of a union apart, the first that an object has. */
export const tagFields = ['type', 'source'] as const

/** What is either of two shapes. */
export function unionOf(left: Shape, right: Shape): Shape {
  if (left === right) return left
  if (left.types.size === 0) return right
  if (right.types.size === 0) return left
  const objects = new Map(left.objects)
  for (const [tag, object] of right.objects) {
    const known = objects.get(tag)
    objects.set(tag, known ? unionOfObjects(known, object) : object)
  }
  return {
    types: new Set([...left.types, ...right.types]),
    values: unionOfValues(left, right),
    objects,
    items: left.items && right.items ? unionOf(left.items, right.items) : (left.items ?? right.items),
    limits: left.limits && right.limits ? commonLimits(left.limits, right.limits) : undefined,
  }
}

/** What is both: the members of an `allOf`. */
export function intersectionOf(left: Shape, right: Shape): Shape {
  if (left.types.size === 0) return right
  if (right.types.size === 0) return left
  const objects = new Map<string, ObjectShape>()
  const tags = new Set([...left.objects.keys(), ...right.objects.keys()].filter((tag) => tag !== ''))
  for (const tag of tags.size > 0 ? tags : ['']) {
    const parts = [left, right].flatMap(({ objects }) => objects.get(tag) ?? objects.get('') ?? [])
    objects.set(tag, {
      fields: new Map(parts.flatMap(({ fields }) => [...fields])),
      isOpen: parts.some(({ isOpen }) => isOpen),
    })
  }
  const types = [...left.types].filter((type) => right.types.has(type))
  return {
    types: new Set(types.length > 0 ? types : left.types),
    values: left.values ?? right.values,
    objects,
    items: left.items ?? right.items,
    limits: { ...left.limits, ...right.limits },
  }
}

function unionOfObjects(left: ObjectShape, right: ObjectShape): ObjectShape {
  const fields = new Map<string, Field>()
  for (const name of new Set([...left.fields.keys(), ...right.fields.keys()])) {
    const [ours, theirs] = [left.fields.get(name), right.fields.get(name)]
    const shape = ours && theirs ? unionOf(ours.shape, theirs.shape) : ((ours ?? theirs) as Field).shape
    fields.set(name, { shape, isRequired: Boolean(ours?.isRequired && theirs?.isRequired) })
  }
  return { fields, isOpen: left.isOpen || right.isOpen }
}

/** A set is closed where each side that has texts or numbers is. */
function unionOfValues(left: Shape, right: Shape): Set<string> | undefined {
  const isOpen = ({ types, values }: Shape) => !values && [...types].some((type) => type !== 'null')
  if (isOpen(left) || isOpen(right)) return undefined
  return new Set([...(left.values ?? []), ...(right.values ?? [])])
}

function commonLimits(
  left: Readonly<Record<string, unknown>>,
  right: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(left).filter(([name, value]) => right[name] === value))
}
