/**
 * What streams have in common: which events there are, what follows what, how they begin and end, and the shape of
 * each event.
 */
import type { TapeEvent } from '../tapes/tape-events.ts'
import { compareShapes } from './compare-shapes.ts'
import type { Difference, Severity } from './finding.ts'
import { shapeOfSample } from './sample-shape.ts'
import { type Shape, unionOf, unknownShape } from './shape.ts'

export interface StreamModel {
  readonly streams: number
  /** Shapes by type. */
  readonly events: ReadonlyMap<string, Shape>
  /** `response.created > response.in_progress` */
  readonly successors: ReadonlySet<string>
  readonly first: ReadonlySet<string>
  readonly last: ReadonlySet<string>
  /** In every stream. */
  readonly always: ReadonlySet<string>
  /** Ended by `[DONE]`. */
  readonly done: number
  /** What is wrong inside single streams, whatever is compared with them. */
  readonly flaws: ReadonlySet<string>
}

/** A model of streams that ended well, as their events. */
export function modelOf(streams: readonly (readonly TapeEvent[])[]): StreamModel {
  const events = new Map<string, Shape>()
  const [successors, first, last, flaws] = [0, 1, 2, 3].map(() => new Set<string>()) as [
    Set<string>,
    Set<string>,
    Set<string>,
    Set<string>,
  ]
  let always: Set<string> | undefined
  let done = 0
  for (const stream of streams) {
    const end = stream.findIndex(({ data }) => data === '[DONE]')
    if (end >= 0) done++
    if (end >= 0 && end < stream.length - 1) flaws.add('events come after [DONE]')
    const told = stream.flatMap(({ value }) => (isEvent(value) ? [value] : []))
    const types = told.map(({ type }) => type)
    for (const [index, event] of told.entries()) {
      events.set(event.type, unionOf(events.get(event.type) ?? unknownShape, shapeOfSample(event)))
      const next = types[index + 1]
      if (next !== undefined) successors.add(`${event.type} > ${next}`)
    }
    if (types[0] !== undefined) first.add(types[0])
    const final = types.at(-1)
    if (final !== undefined) last.add(final)
    always = new Set(always ? [...always].filter((type) => types.includes(type)) : types)
    for (const flaw of flawsOf(told)) flaws.add(flaw)
  }
  return {
    streams: streams.length,
    events,
    successors,
    first,
    last,
    always: always ?? new Set(),
    done,
    flaws,
  }
}

/** How observed streams differ from those of the double. */
export function* compareStreams(ours: StreamModel, theirs: StreamModel): Generator<Difference> {
  const part = 'stream'
  const told = (path: string, kind: string, severity: Severity, message: string) => ({
    part,
    path,
    kind,
    severity,
    message,
  })
  for (const type of theirs.events.keys())
    if (!ours.events.has(type))
      yield told(type, 'event-added', 'additive', 'is an event that the double does not send')
  for (const type of ours.always)
    if (!theirs.always.has(type))
      yield told(type, 'event-removed', 'breaking', 'does not come in every stream')
  for (const type of theirs.first)
    if (!ours.first.has(type))
      yield told(type, 'first-event', 'breaking', `comes first, ours begin with ${list(ours.first)}`)
  for (const type of theirs.last)
    if (!ours.last.has(type))
      yield told(type, 'last-event', 'breaking', `comes last, ours end with ${list(ours.last)}`)
  if (theirs.done < theirs.streams && ours.done === ours.streams)
    yield told('', 'done-missing', 'breaking', 'does not end with [DONE]')
  for (const pair of theirs.successors) {
    const [before = '', after = ''] = pair.split(' > ')
    if (ours.successors.has(pair) || !ours.events.has(before) || !ours.events.has(after)) continue
    yield told(pair, 'order-changed', 'breaking', 'never happens in ours')
  }
  for (const flaw of theirs.flaws) if (!ours.flaws.has(flaw)) yield told('', flaw, 'breaking', flaw)
  for (const [type, shape] of theirs.events) {
    const mine = ours.events.get(type)
    if (mine) yield* compareShapes(mine, shape, { part, direction: 'reply', isObserved: true }, type)
  }
}

interface Event extends Record<string, unknown> {
  type: string
}

function isEvent(value: unknown): value is Event {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'type') === 'string'
}

function* flawsOf(events: readonly Event[]): Generator<string> {
  const numbers = events.map(({ sequence_number }) => sequence_number)
  if (numbers.some((number, index) => Number(number) <= Number(numbers[index - 1])))
    yield 'sequence numbers do not increase'
  const texts = new Map<string, string>()
  for (const event of events) {
    const of = `${event['item_id']} ${event['content_index']}`
    if (event.type === 'response.output_text.delta') texts.set(of, (texts.get(of) ?? '') + event['delta'])
    if (event.type !== 'response.output_text.done') continue
    if (texts.has(of) && texts.get(of) !== event['text']) yield 'deltas do not add up to the text'
  }
  for (const part of events.flatMap(({ part }) => (isPart(part) ? [part] : [])))
    for (const { start_index: start, end_index: end } of part.annotations)
      if (
        !(Number(start) >= 0 && Number(end) > Number(start) && Number(end) <= part.text.length) &&
        part.text !== ''
      )
        yield 'annotations do not fit the text'
}

interface Part {
  text: string
  annotations: { start_index?: unknown; end_index?: unknown }[]
}

function isPart(value: unknown): value is Part {
  if (typeof value !== 'object' || value === null) return false
  const { text, annotations } = value as Record<string, unknown>
  return typeof text === 'string' && Array.isArray(annotations)
}

function list(words: ReadonlySet<string>): string {
  return [...words].join(' or ')
}
