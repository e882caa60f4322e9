/**
 * Collects and compares the shapes of replies: the names and types of their fields and, in a stream, the kinds of
 * events.
 */
import { fieldsOf, listOf } from '../../lib/json.ts'
import type { RecordedEvent } from './events.ts'
import { isPlaceholder } from './secrets.ts'

type TypeName = 'empty' | 'null' | 'boolean' | 'number' | 'string' | 'object' | 'array'

interface Place {
  /** An object's field, a list's items, or a member of a union, such as `output[message]`. */
  readonly kind: 'field' | 'items' | 'member'
  /** Path of the object or list. Undefined for the body. */
  readonly parent: string | undefined
  readonly types: Set<TypeName>
  count: number
  objects: number
}

/** `added`: the recorded or, with `--upstream`, the real gateway has a field or event that the other side lacks. */
export type DifferenceKind = 'missing' | 'type' | 'added'

export interface Difference {
  /** Path, such as `data[].slug` or `output[message].content`. In a stream, it starts with the kind of the event. */
  readonly path: string
  readonly kind: DifferenceKind
  readonly message: string
}

export interface Comparison {
  readonly differences: Difference[]
  /** Paths without an example on one side, such as the items of an empty list. */
  readonly notCompared: string[]
}

/** Fields that distinguish the members of a union, in order of precedence. */
const tagFields = ['type', 'source'] as const

const maxDepth = 100
const maxPathLength = 4000

/** Thrown for a recording or reply that cannot be compared. */
export class NotCompared extends Error {}

export class Shape {
  readonly places = new Map<string, Place>()
  /** Paths of redacted values. */
  readonly redacted = new Set<string>()

  /** Throws if the value is nested too deeply. For an empty body, the value is undefined. */
  addBody(value: unknown): void {
    this.#add('', 'field', undefined, value, 0)
  }

  /** Adds a stream as an object whose fields are its event kinds. Repeated events are numbered. */
  addStream(events: readonly RecordedEvent[]): void {
    this.#add('', 'field', undefined, {}, 0)
    const counts = new Map<string, number>()
    for (const each of events) {
      const { data, value = data } = each
      const kind = kindOf(each)
      const number = (counts.get(kind) ?? 0) + 1
      counts.set(kind, number)
      const isNumbered = number > 1 && !isRepeatable.test(kind)
      const path = isNumbered ? `${kind} (${number})` : kind
      const place = this.#place(path, 'field', '')
      if (number === 1 || isNumbered) place.count++
      this.#fill(path, value, 1, kind)
    }
    const others = events.filter(({ data }) => data !== '[DONE]')
    const named = others.filter(({ event }) => event !== undefined)
    const part = named.length === others.length ? '' : ' of some events'
    if (named.length > 0 || part === '') this.#place(`the event field${part}`, 'field', '').count++
  }

  #add(path: string, kind: Place['kind'], parent: string | undefined, value: unknown, depth: number): void {
    if (depth > maxDepth || path.length > maxPathLength)
      throw new NotCompared('the body is nested too deeply')
    this.#place(path, kind, parent).count++
    this.#fill(path, value, depth)
  }

  /** @param ownTag Tag of every value at this path. */
  #fill(path: string, value: unknown, depth: number, ownTag?: string): void {
    const place = this.places.get(path) as Place
    place.types.add(typeOf(value))
    if (typeof value === 'string' && /^redacted\b/.test(value) && isPlaceholder(value))
      this.redacted.add(path)
    if (Array.isArray(value)) {
      for (const item of value) this.#add(`${path}[]`, 'items', path, item, depth + 1)
      return
    }
    // The arguments of a tool call are the model's.
    if (typeof value !== 'object' || value === null || path.endsWith('[tool_use].input')) return
    const tag = tagFields.map((name) => Reflect.get(value, name)).find((name) => typeof name === 'string')
    // The type of an error is a code.
    const isMember = tag !== undefined && tag !== ownTag && !/(?:^|\.)error$/.test(path)
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
  if (value === undefined) return 'empty'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : (typeof value as TypeName)
}

/** Event kinds whose number depends on the length of the text, the partial images or the citations. */
const isRepeatable = /delta$|^ping$|annotation|partial_image|^data\[(?!tool call|finish_reason|usage|error)/

/** Delta fields that make a chat completion chunk a separate kind of event. */
const ownChunks =
  'tool_calls function_call reasoning reasoning_details refusal annotations images role'.split(' ')

/** Returns an event's name or type. A chunk has neither, so it is named after its content. */
export function kindOf({ data, event, value }: RecordedEvent): string {
  if (data === '[DONE]') return data
  const { type, choices, error, usage } = fieldsOf(value)
  if (typeof type === 'string') return event ?? type
  if ((choices ?? error ?? usage) === undefined) return event ?? 'data'
  const { delta, finish_reason } = fieldsOf(listOf(choices)[0])
  const states = Object.entries({ error, usage, finish_reason }).filter(([, state]) => state != null)
  if (states.length > 0) return `data[${states.map(([name]) => name).join(', ')}]`
  const said = fieldsOf(delta)
  const { id, function: called, custom } = fieldsOf(listOf(said['tool_calls'])[0])
  if (id !== undefined || 'name' in { ...fieldsOf(called), ...fieldsOf(custom) }) return 'data[tool call]'
  const names = [...ownChunks, 'content', ...Object.keys(said)]
  return `data[${names.find((name) => said[name] != null) ?? 'content'}]`
}

/** @param names Names for both sides, used in messages. */
export function compareShapes(
  ours: Shape,
  theirs: Shape,
  names: { ours: string; theirs: string },
): Comparison {
  const differences: Difference[] = []
  const lacksExample = new Map<string, string>()
  /** Paths below which nothing is compared. */
  const settled = new Set<string | undefined>()
  for (const [path, { kind, parent, types }] of theirs.places) {
    const mine = ours.places.get(path)
    const more = [...types].filter((type) => mine && !mine.types.has(type))
    if (settled.has(parent)) settled.add(path)
    else if (!mine) {
      settled.add(path)
      if (kind === 'items') lacksExample.set(path, names.ours)
      else differences.push({ path, kind: 'added', message: `is not in ${names.ours}` })
    } else if (kind !== 'member' && more.length > 0) {
      settled.add(path)
      const message = `is ${more.join(' or ')}, but ${[...mine.types].join(' or ')} in ${names.ours}`
      differences.push({ path, kind: 'type', message })
    }
  }
  for (const [path, { kind, parent, types, count }] of ours.places) {
    const outer = theirs.places.get(parent ?? '')
    const there = theirs.places.get(path)
    if (parent === undefined || !outer || settled.has(parent) || settled.has(path)) continue
    const around = ours.places.get(parent) as Place
    const isAlways = count >= around.objects
    if (kind === 'field' && outer.objects > 0 && (there?.count ?? 0) < (isAlways ? outer.objects : 1)) {
      const state = there?.count ? 'may be missing' : 'is missing'
      const message = `${state}, but ${isAlways ? 'always present' : 'occurs'} in ${names.ours}`
      differences.push({ path, kind: 'missing', message })
    } else if (kind === 'member' && around.objects === 0 && outer.objects > 0) {
      settled.add(parent)
      const message = `has no type in some objects, but always one in ${names.ours}`
      differences.push({ path: parent, kind: 'missing', message })
    } else if (kind !== 'field' && !there && outer.types.has(kind === 'items' ? 'array' : 'object')) {
      lacksExample.set(path, names.theirs)
    } else if (there && kind !== 'member' && types.has('object') && !there.types.has('object')) {
      lacksExample.set(path, names.theirs)
    }
  }
  const notCompared = [...lacksExample].map(([path, side]) => `${path}: no example in ${side}`)
  return { differences, notCompared }
}
