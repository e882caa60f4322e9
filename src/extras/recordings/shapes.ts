/**
 * Collects the shapes of replies, which are the names and types of their fields, and compares them by their effect on
 * clients. A missing field or a new type breaks clients; an additional field does not.
 */
import type { RecordedEvent } from './events.ts'

type TypeName = 'null' | 'boolean' | 'number' | 'string' | 'object' | 'array'

interface Place {
  /** An object's field, a list's items, or a member of a union, such as `output[message]`. */
  readonly kind: 'field' | 'items' | 'member'
  /** Path of the object or list. Undefined for the body. */
  readonly parent: string | undefined
  readonly types: Set<TypeName>
  count: number
  objects: number
}

/** Effect of a difference on a client that was tested with Understudy. */
export type Severity = 'breaking' | 'additive'

export interface Difference {
  /** Path, such as `data[].slug` or `output[message].content`; in a stream, starts with the event's type. */
  readonly path: string
  readonly kind: 'missing' | 'type' | 'added'
  readonly severity: Severity
  readonly message: string
}

/** Fields that distinguish the members of a union, in order of precedence. */
const tagFields = ['type', 'source'] as const

/** Maximum depth of a body. */
const maxDepth = 100

export class Shape {
  readonly places = new Map<string, Place>()

  /** Throws if the value is nested too deeply. */
  addBody(value: unknown): void {
    this.#add('', 'field', undefined, value, 0)
  }

  /** Adds a stream as an object whose fields are the events' types. */
  addStream(events: readonly RecordedEvent[]): void {
    this.#add('', 'field', undefined, {}, 0)
    for (const [type, group] of Map.groupBy(events, typeOfEvent)) {
      this.#place(type, 'field', '').count++
      for (const { data, value = data } of group) this.#fill(type, value, 1)
    }
  }

  #add(path: string, kind: Place['kind'], parent: string | undefined, value: unknown, depth: number): void {
    if (depth > maxDepth) throw new TypeError('the body is nested too deeply')
    this.#place(path, kind, parent).count++
    this.#fill(path, value, depth)
  }

  #fill(path: string, value: unknown, depth: number): void {
    const place = this.places.get(path) as Place
    place.types.add(typeOf(value))
    if (Array.isArray(value)) {
      for (const item of value) this.#add(`${path}[]`, 'items', path, item, depth + 1)
      return
    }
    if (typeof value !== 'object' || value === null) return
    const tag = tagFields.map((name) => Reflect.get(value, name)).find((name) => typeof name === 'string')
    const isMember = tag !== undefined && tag !== path
    const object = isMember ? `${path.replace(/\[\]$/, '')}[${tag}]` : path
    const owner = isMember ? this.#place(object, 'member', path) : place
    owner.objects++
    for (const [name, inner] of Object.entries(value))
      this.#add(object === '' ? name : `${object}.${name}`, 'field', object, inner, depth + 1)
  }

  #place(path: string, kind: Place['kind'], parent: string | undefined): Place {
    const existing = this.places.get(path)
    if (existing) return existing
    const place: Place = { kind, parent, types: new Set(), count: 0, objects: 0 }
    this.places.set(path, place)
    return place
  }
}

function typeOf(value: unknown): TypeName {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : (typeof value as TypeName)
}

function typeOfEvent({ data, event, value }: RecordedEvent): string {
  if (data === '[DONE]') return data
  const { type = event ?? 'data' } = Object(value)
  return String(type)
}

/** Returns the differences, and the paths for which our side has no example, such as items of an empty list. */
export function compareShapes(
  ours: Shape,
  theirs: Shape,
  name: string,
): { differences: Difference[]; unknown: string[] } {
  const differences: Difference[] = []
  const unknown: string[] = []
  /** Places whose inner places need no comparison. */
  const settled = new Set<string | undefined>()
  for (const [path, { kind, parent, types }] of theirs.places) {
    const mine = ours.places.get(path)
    if (settled.has(parent)) settled.add(path)
    else if (!mine) {
      settled.add(path)
      if (kind === 'items') unknown.push(path)
      else differences.push({ path, kind: 'added', severity: 'additive', message: `is not in ${name}` })
    } else {
      const more = [...types].filter((type) => !mine.types.has(type))
      if (kind === 'member' || more.length === 0) continue
      settled.add(path)
      const message = `is ${more.join(' or ')}, but ${[...mine.types].join(' or ')} in ${name}`
      differences.push({ path, kind: 'type', severity: 'breaking', message })
    }
  }
  for (const [path, { kind, parent = '', count }] of ours.places) {
    const isRequired = kind === 'field' && path !== '' && count === ours.places.get(parent)?.objects
    const there = theirs.places.get(path)?.count ?? 0
    if (!isRequired || there >= (theirs.places.get(parent)?.objects ?? 0)) continue
    const message = `${there === 0 ? 'is' : 'may be'} missing, but always in ${name}`
    differences.push({ path, kind: 'missing', severity: 'breaking', message })
  }
  return { differences, unknown }
}
