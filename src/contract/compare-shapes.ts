/**
 * How another shape differs from ours, and what that means for a client. In a reply, more than we give is additive and
 * less is breaking; in a request, it is the other way round.
 */
import type { Difference, Severity } from './finding.ts'
import { isCrowded } from './sample-shape.ts'
import type { Field, ObjectShape, Shape, TypeName } from './shape.ts'

export interface CompareSetup {
  readonly part: string
  readonly direction: 'reply' | 'request'
  /** The other shape is of samples: what they do not show may be there all the same. */
  readonly isObserved: boolean
}

/** @param path Where the two stand; empty at the top of a body. */
export function* compareShapes(
  ours: Shape,
  theirs: Shape,
  setup: CompareSetup,
  path = '',
): Generator<Difference> {
  if (ours.types.size === 0 || theirs.types.size === 0) return
  const told = (kind: string, severity: Severity, message: string): Difference => ({
    part: setup.part,
    path,
    kind,
    severity,
    message,
  })
  yield* compareTypes(ours, theirs, setup, told)
  yield* compareValues(ours, theirs, setup, told)
  if (!setup.isObserved) yield* compareLimits(ours, theirs, setup, told)
  if (ours.items && theirs.items) yield* compareShapes(ours.items, theirs.items, setup, `${path}[]`)
  if (ours.types.has('object') && theirs.types.has('object')) yield* compareObjects(ours, theirs, setup, path)
}

type Tell = (kind: string, severity: Severity, message: string) => Difference

function* compareTypes(
  ours: Shape,
  theirs: Shape,
  { direction, isObserved }: CompareSetup,
  told: Tell,
): Generator<Difference> {
  const has = (types: ReadonlySet<TypeName>, type: TypeName) =>
    types.has(type) || (type === 'integer' && types.has('number'))
  const more = [...theirs.types].filter((type) => !has(ours.types, type))
  const fewer = isObserved ? [] : [...ours.types].filter((type) => !has(theirs.types, type))
  const isReply = direction === 'reply'
  const isOther = more.some((type) => type !== 'null') && fewer.some((type) => type !== 'null')
  if (isOther) {
    yield told('type-changed', 'breaking', `is ${words(theirs.types)}, ours is ${words(ours.types)}`)
    return
  }
  for (const type of more)
    yield type === 'null'
      ? told('null-added', isReply ? 'breaking' : 'additive', 'may be null')
      : told('type-added', isReply ? 'breaking' : 'additive', `may be ${type}, ours is ${words(ours.types)}`)
  for (const type of fewer)
    yield type === 'null'
      ? told('null-removed', isReply ? 'info' : 'breaking', 'is never null')
      : told('type-removed', isReply ? 'info' : 'breaking', `is never ${type}`)
}

function* compareValues(
  ours: Shape,
  theirs: Shape,
  { direction, isObserved }: CompareSetup,
  told: Tell,
): Generator<Difference> {
  const isReply = direction === 'reply'
  if (isObserved) {
    const added = ours.values && !isCrowded(theirs) ? without(theirs.values, ours.values) : ''
    if (added) yield told('value-added', 'additive', `may be ${added}`)
    return
  }
  if (ours.values && theirs.values) {
    const [added, removed] = [without(theirs.values, ours.values), without(ours.values, theirs.values)]
    if (added) yield told('value-added', 'additive', `may be ${added}`)
    if (removed) yield told('value-removed', isReply ? 'info' : 'breaking', `is never ${removed}`)
  } else if (ours.values && theirs.types.has('string')) {
    yield told('values-opened', 'additive', `may be any text, ours is one of ${[...ours.values].join(', ')}`)
  } else if (theirs.values && ours.types.has('string')) {
    yield told('values-closed', isReply ? 'info' : 'breaking', `is one of ${[...theirs.values].join(', ')}`)
  }
}

/** The values of one set that the other has not, in words: findings of one field with the same name are one. */
function without(values: Shape['values'], others: ReadonlySet<string>): string {
  return [...(values ?? [])].filter((value) => !others.has(value)).join(', ')
}

/** Words of JSON Schema whose growth lets more pass. */
const upper = new Set(['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems'])

function* compareLimits(
  ours: Shape,
  theirs: Shape,
  { direction }: CompareSetup,
  told: Tell,
): Generator<Difference> {
  const [left, right] = [ours.limits ?? {}, theirs.limits ?? {}]
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const [mine, other] = [left[name], right[name]]
    if (mine === other) continue
    const isWider = other === undefined || (mine !== undefined && widens(name, mine, other))
    const severity = direction === 'reply' ? 'info' : isWider ? 'additive' : 'breaking'
    yield told('limit-changed', severity, `has ${name} ${other ?? 'none'}, ours ${mine ?? 'none'}`)
  }
}

function widens(name: string, mine: unknown, other: unknown): boolean {
  if (typeof mine !== 'number' || typeof other !== 'number') return false
  return upper.has(name) ? other > mine : other < mine
}

function* compareObjects(
  ours: Shape,
  theirs: Shape,
  setup: CompareSetup,
  path: string,
): Generator<Difference> {
  for (const [tag, object] of theirs.objects) {
    const known = ours.objects.get(tag) ?? ours.objects.get('') ?? onlyOne(ours, tag)
    const place = tag === '' || ours.objects.size < 2 ? path : `${path}[${tag}]`.replace(/\[\]\[/, '[')
    if (known) yield* compareFields(known, object, setup, place)
    else if (tag !== '')
      yield {
        part: setup.part,
        path,
        kind: 'variant-added',
        severity: 'additive',
        message: `may be of type ${tag}`,
      }
  }
  if (setup.isObserved) return
  for (const tag of ours.objects.keys()) {
    if (tag === '' || theirs.objects.has(tag) || theirs.objects.has('')) continue
    const severity = setup.direction === 'reply' ? 'info' : 'breaking'
    yield { part: setup.part, path, kind: 'variant-removed', severity, message: `is never of type ${tag}` }
  }
}

/** An object without a tag is compared with the only one there is. */
function onlyOne({ objects }: Shape, tag: string): ObjectShape | undefined {
  const [first, ...others] = objects.values()
  return tag === '' && others.length === 0 ? first : undefined
}

function* compareFields(
  ours: ObjectShape,
  theirs: ObjectShape,
  setup: CompareSetup,
  path: string,
): Generator<Difference> {
  const names = new Set([...ours.fields.keys(), ...theirs.fields.keys()])
  for (const name of names) {
    const place = path === '' ? name : `${path}.${name}`
    const [mine, other] = [ours.fields.get(name), theirs.fields.get(name)]
    const difference = comparePresence(mine, other, ours.isOpen, theirs.isOpen, setup)
    if (difference) yield { part: setup.part, path: place, ...difference }
    if (mine && other) yield* compareShapes(mine.shape, other.shape, setup, place)
  }
}

function comparePresence(
  mine: Field | undefined,
  other: Field | undefined,
  isOpen: boolean,
  isOpenThere: boolean,
  { direction, isObserved }: CompareSetup,
): Pick<Difference, 'kind' | 'severity' | 'message'> | undefined {
  const isReply = direction === 'reply'
  if (!mine) {
    if (isReply) return isOpen ? undefined : { kind: 'field-added', severity: 'additive', message: 'is new' }
    if (other?.isRequired)
      return { kind: 'field-required', severity: 'breaking', message: 'is new, and required' }
    return { kind: 'field-added', severity: 'additive', message: 'is new' }
  }
  if (!other) {
    if (isReply && mine.isRequired)
      return { kind: 'field-removed', severity: 'breaking', message: 'is not there any more' }
    if (isObserved) return undefined
    if (isReply) return { kind: 'field-removed', severity: 'info', message: 'is not known' }
    if (isOpenThere && !mine.isRequired) return undefined
    return { kind: 'field-removed', severity: 'breaking', message: 'is not taken any more' }
  }
  if (mine.isRequired === other.isRequired) return undefined
  if (isReply) {
    if (mine.isRequired) return { kind: 'field-optional', severity: 'breaking', message: 'may be absent' }
    return isObserved ? undefined : { kind: 'field-required', severity: 'info', message: 'is always there' }
  }
  return other.isRequired
    ? { kind: 'field-required', severity: 'breaking', message: 'is required' }
    : { kind: 'field-optional', severity: 'additive', message: 'may be left out' }
}

function words(types: ReadonlySet<TypeName>): string {
  return [...types].join(' or ')
}
