/**
 * Proposes plausible values for schema fields: values from the prompt, then defaults and examples from the schema,
 * then values from the fixtures by the kind of object and by field name.
 */

import { draw } from '../../lib/seed.ts'
import { Unsatisfiable } from '../../model/json-schema/generate-value.ts'
import { listedValues } from '../../model/json-schema/schema.ts'
import type { JsonSchema, ValuePlace, ValueSource } from '../../resources/json-schema.ts'
import { solutionOf } from './algebra.ts'
import {
  askedCount,
  contentOf,
  firmFacts,
  isRequest,
  mentionedIn,
  namesField,
  statedNearby,
} from './answers.ts'
import { Catalog, knownItem, knownList, ownName } from './catalog.ts'
import { dateOfToday, type Facts, readFacts } from './facts.ts'
import { type Leaf, leavesOf } from './fields.ts'
import { judgement, labelsIn } from './labels.ts'
import { assign } from './matching.ts'
import { proseFor, translationIn } from './prose.ts'
import { segmentsOf } from './segments.ts'
import { Writer } from './writer.ts'

interface SourceOptions {
  readonly seed: string
  /** Sandbox time, as Unix time in milliseconds. */
  readonly now: number
  /** If true, the value is the answer to the prompt; otherwise, a call's arguments. */
  readonly isAnswer?: boolean
}

/** Returns a source of plausible values for a schema and a prompt. */
export function plausibleValues(schema: JsonSchema, prompt: string, options: SourceOptions): ValueSource {
  if (options.isAnswer) return answerTo(schema, prompt, options)
  const facts = readFacts(prompt, options.now)
  const leaves = leavesOf(schema)
  assign(leaves, facts)
  const writer = new Writer(leaves, facts, options.seed, options.now)
  return (place) => writer.propose(place)
}

/** Returns a source that takes values from the text in the prompt, or invents them if the prompt asks for it. */
function answerTo(schema: JsonSchema, prompt: string, { seed, now }: SourceOptions): ValueSource {
  const text = contentOf(prompt)
  const isCreative = text === prompt.trim() && isRequest(prompt)
  const leaves = leavesOf(schema)
  const names = new Set([...leaves.values()].map(ownName))
  const today = dateOfToday(prompt, now)
  const found = readFacts(text, text === prompt ? now : today)
  const facts = { ...found, list: found.list.filter((fact) => !namesField(fact, names)) }
  assign(leaves, facts)
  for (const leaf of leaves.values())
    leaf.facts = isCreative
      ? firmFacts(leaf, askedCount(prompt))
      : leaf.facts.length > 0
        ? leaf.facts
        : statedNearby(leaf, text)
  const writer = new Writer(leaves, facts, seed, today, isCreative)
  const sources: ((place: ValuePlace, key: string, leaf: Leaf | undefined) => unknown)[] = isCreative
    ? [solutionOf(prompt, leaves), inventedIn(new Catalog(leaves, prompt, seed), leaves, prompt, seed)]
    : [
        entitiesBy(leaves, facts.list),
        mentionedBy(leaves, text, facts.list),
        judgedIn(text, leaves, facts.statement, seed),
        segmentsOf(leaves, facts, seed, today),
      ]
  const given = new Map<string, unknown>()
  const valueAt = (place: ValuePlace): unknown => {
    const key = place.path.map((step) => (typeof step === 'number' ? '*' : step)).join('/')
    const leaf = leaves.get(key)
    const translation = leaf && place.type === 'string' ? translationIn(leaf, prompt) : undefined
    if (translation !== undefined) return translation
    if (leaf) rejectOtherKind(leaf, place, text)
    const total = leaf && totalOf(leaf, place, given)
    if (total !== undefined) return total
    for (const source of sources) {
      const value = source(place, key, leaf)
      if (value !== undefined) return value
    }
    return writer.propose(place)
  }
  return (place) => {
    const value = valueAt(place)
    given.set(place.path.join('/'), value)
    return value
  }
}

/** Returns the sum of the items' prices for fields such as `total`, if the prompt does not state it. */
function totalOf(
  { facts, key }: Leaf,
  { type, path }: ValuePlace,
  given: ReadonlyMap<string, unknown>,
): number | undefined {
  const [own = ''] = /[^/]+$/.exec(key) ?? []
  if (
    type !== 'number' ||
    facts.length > 0 ||
    !/^(?:grand_?|sub_?|order_?)?total(?:_?(?:amount|price|cost))?$|^tax(?:_?amount)?$/i.test(own)
  )
    return undefined
  const around = path.slice(0, -1).join('/')
  const inner = [...given].filter(([place]) => place.startsWith(around) && /\d\/[^/]+$/.test(place))
  const sum = inner.reduce((total, [place, value]) => {
    if (!/(?:price|cost|amount|rate)[^/]*$/i.test(place) || typeof value !== 'number') return total
    const count = inner.find(
      ([other]) =>
        /(?:quantity|qty|count)$/i.test(other) && other.replace(/[^/]+$/, '') === place.replace(/[^/]+$/, ''),
    )?.[1]
    return total + value * (typeof count === 'number' ? count : 1)
  }, 0)
  if (sum === 0) return undefined
  const extra = (name: string) =>
    Number([...given].find(([place]) => new RegExp(`(?:^|/)${name}[^/]*$`, 'i').test(place))?.[1] ?? 0)
  const value = /^tax/i.test(own)
    ? sum * 0.08
    : /^sub/i.test(own)
      ? sum
      : sum + extra('tax') + extra('shipping')
  return Number(value.toFixed(2))
}

const entityKinds: Record<string, RegExp> = {
  person: /^per/i,
  company: /^(?:org|comp)/i,
  name: /^(?:org|comp|prod|misc)/i,
  city: /^(?:loc|gpe|place|city)/i,
  country: /^(?:loc|gpe|place|country)/i,
  date: /^(?:date|time)/i,
  money: /^(?:money|amount)/i,
}

/** Returns a list of names with their kinds for fields such as `entities`. */
function entitiesBy(leaves: ReadonlyMap<string, Leaf>, list: Facts['list']) {
  return ({ type }: ValuePlace, key: string): unknown => {
    if (type !== 'array' || !/entit(?:y|ies)$/i.test(key)) return undefined
    const inside = [...leaves.values()].filter((leaf) => leaf.key.startsWith(`${key}/*/`))
    const [text, kind] = [/^(?:text|name|entity|value)$/, /^(?:type|label|category|kind)$/].map((names) =>
      inside.find((leaf) => names.test(ownName(leaf))),
    )
    if (!text || inside.length > (kind ? 2 : 1)) return undefined
    const nameOf = (leaf: Leaf) => leaf.key.slice(leaf.key.lastIndexOf('/') + 1)
    const listed = kind?.schemas.map(listedValues).find(Boolean)
    const found = list.flatMap(({ kind: own, value, start, end }) => {
      const label = listed ? listed.find((each) => entityKinds[own]?.test(String(each))) : own
      const isInside = list.some(
        (other) => other.kind in entityKinds && other.start <= start && end < other.end,
      )
      if (!(own in entityKinds) || isInside || label === undefined) return []
      return [{ [nameOf(text)]: String(value), ...(kind && { [nameOf(kind)]: label }) }]
    })
    return found.length > 0 ? found : undefined
  }
}

function mentionedBy(leaves: ReadonlyMap<string, Leaf>, text: string, list: Facts['list']) {
  return ({ type }: ValuePlace, key: string): unknown => {
    const leaf = leaves.get(`${key}/*`)
    const found = type === 'array' && leaf ? mentionedIn(leaf, text, list) : []
    return found.length > 0 ? found : undefined
  }
}

/** Throws to exclude an alternative whose constant, such as `"Cat"`, fits the text less than another's. */
function rejectOtherKind({ schemas }: Leaf, place: ValuePlace, text: string): void {
  const listed = place.schemas.map(listedValues).find(Boolean)
  if (listed?.length !== 1) return
  const all = new Set(schemas.flatMap((schema) => listedValues(schema) ?? []))
  const fitting = all.size > 1 ? labelsIn([...all], text) : []
  if (fitting.length > 0 && !fitting.includes(listed[0])) throw new Unsatisfiable('another kind is stated')
}

const responses =
  /^(?:feedback|comments?|suggestions?|improvements?|strengths|weaknesses|recommendations?|next steps|reply|response|(?:suggested|draft) (?:reply|response))$/

function judgedIn(
  text: string,
  leaves: ReadonlyMap<string, Leaf>,
  statement: string | undefined,
  seed: string,
) {
  return (place: ValuePlace, key: string, leaf: Leaf | undefined): unknown => {
    if (place.type === 'object' && place.path.length > 0 && /\bno (?:information|details|data)\b/i.test(text))
      throw new Unsatisfiable('the text has no information')
    if (leaf && responses.test(ownName(leaf))) return proseFor(leaf, place, text, seed, '')
    if (place.type !== 'array') return leaf && judgement(leaf, place, text, statement)
    const inside = [...leaves.values()].filter((each) => each.key.startsWith(`${key}/*`))
    const listed = inside[0]?.schemas.map(listedValues).find(Boolean)
    return (inside.length === 1 && listed && labelsIn(listed, text).length) || undefined
  }
}

function inventedIn(catalog: Catalog, leaves: ReadonlyMap<string, Leaf>, prompt: string, seed: string) {
  return (place: ValuePlace, key: string, leaf: Leaf | undefined): unknown => {
    const listed = place.schemas.map(listedValues).find(Boolean)
    const all =
      listed?.filter((value) =>
        (/unit/.test(leaf?.name ?? '') ? /^(?:celsius|c|°c|metric)$/i : /^[ab]\+?$/i).test(String(value)),
      ) ?? []
    const usual =
      all[(place.path.findLast((step) => typeof step === 'number') ?? 0) % Math.max(1, all.length)]
    if (usual && /unit|grade/.test(leaf?.name ?? '') && leaf?.facts.length === 0) return usual
    if (leaf && leaf.facts.length === 0 && /\b(?:birth year|year of birth|death year)$/.test(leaf.name))
      return place.type === 'integer' ? 1920 + Math.floor(draw(seed, place.path.join('/')) * 30) : 'present'
    if (place.type !== 'array')
      return (
        leaf &&
        (knownItem(leaf, place, prompt) ??
          catalog.valueOf(leaf, place) ??
          proseFor(leaf, place, prompt, seed, personIn(leaves)))
      )
    const known = knownList(prompt)
    const isStated = [...leaves.values()].some(
      (each) => each.key.startsWith(`${key}/*`) && each.facts.length > 0,
    )
    const own = leaves.get(`${key}/*`)
    const isText =
      own &&
      !catalog.has(own.key) &&
      proseFor(own, { ...place, type: 'string', schemas: [] }, prompt, seed, '') === undefined
    const count = place.path.some((step) => typeof step === 'number') ? undefined : askedCount(prompt)
    return (
      catalog.countOf(key) ??
      catalog.allOf(key) ??
      (known && (leaves.has(`${key}/*`) || leaves.has(`${key}/*/name`))
        ? (askedCount(prompt) ?? known.length)
        : undefined) ??
      (isStated ? undefined : (count ?? (isText ? undefined : 3)))
    )
  }
}

/** Returns the person that the prompt names, or a sample name. */
function personIn(leaves: ReadonlyMap<string, Leaf>): string {
  const facts = [...leaves.values()].flatMap((leaf) => leaf.facts)
  return String(facts.find(({ kind }) => kind === 'person')?.value ?? 'She')
}
