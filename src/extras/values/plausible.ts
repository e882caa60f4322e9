/**
 * Proposes plausible values for schema fields: values from the prompt, then defaults and examples from the schema,
 * then values from the fixtures by the kind of object and by field name.
 */

import { draw } from '../../lib/seed.ts'
import { Unsatisfiable } from '../../model/json-schema/generate-value.ts'
import { listedValues } from '../../model/json-schema/schema.ts'
import type { JsonSchema, ValuePlace, ValueSource } from '../../resources/json-schema.ts'
import { solutionOf } from './algebra.ts'
import { askedCount, contentOf, firmFacts, isRequest, namesField, statedNearby } from './answers.ts'
import { Catalog, ownName } from './catalog.ts'
import { dateOfToday, readFacts } from './facts.ts'
import { type Leaf, leavesOf } from './fields.ts'
import { judgement, labelsIn } from './labels.ts'
import { assign } from './matching.ts'
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
  const isCreative = isRequest(prompt)
  const leaves = leavesOf(schema)
  const names = new Set([...leaves.values()].map(ownName))
  const today = dateOfToday(prompt, now)
  const found = readFacts(text, today)
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
    : [judgedIn(text, leaves, facts.statement), segmentsOf(leaves, facts, seed, today)]
  return (place) => {
    const key = place.path.map((step) => (typeof step === 'number' ? '*' : step)).join('/')
    const leaf = leaves.get(key)
    if (leaf) rejectOtherKind(leaf, place, text)
    for (const source of sources) {
      const value = source(place, key, leaf)
      if (value !== undefined) return value
    }
    return writer.propose(place)
  }
}

/** Throws to exclude an alternative whose constant, such as `"Cat"`, is not in the text although another's is. */
function rejectOtherKind({ schemas }: Leaf, place: ValuePlace, text: string): void {
  const listed = place.schemas.map(listedValues).find(Boolean)
  if (listed?.length !== 1) return
  const all = new Set(schemas.flatMap((schema) => listedValues(schema) ?? []))
  const fitting = all.size > 1 ? labelsIn([...all], text) : []
  if (fitting.length > 0 && !fitting.includes(listed[0])) throw new Unsatisfiable('another kind is stated')
}

function judgedIn(text: string, leaves: ReadonlyMap<string, Leaf>, statement: string | undefined) {
  return (place: ValuePlace, key: string, leaf: Leaf | undefined): unknown => {
    const isOptional = [...leaves.values()].some(({ optional }) => optional.includes(key))
    if (place.type === 'object' && isOptional && /\bno (?:information|details|data)\b/i.test(text))
      throw new Unsatisfiable('the text has no information')
    if (place.type !== 'array') return leaf && judgement(leaf, place, text, statement)
    const inside = [...leaves.values()].filter((each) => each.key.startsWith(`${key}/*`))
    const listed = inside[0]?.schemas.map(listedValues).find(Boolean)
    return (listed && labelsIn(listed, text).length) || undefined
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
    if (usual && /unit|grade/.test(leaf?.name ?? '')) return usual
    if (leaf && /\b(?:birth year|year of birth|death year)$/.test(leaf.name))
      return place.type === 'integer' ? 1920 + Math.floor(draw(seed, place.path.join('/')) * 30) : 'present'
    if (place.type !== 'array') return leaf && catalog.valueOf(leaf, place)
    const isStated = [...leaves.values()].some(
      (each) => each.key.startsWith(`${key}/*`) && each.facts.length > 0,
    )
    const own = leaves.get(`${key}/*`)
    const isText = own && !catalog.has(own.key)
    const count = place.path.some((step) => typeof step === 'number') ? undefined : askedCount(prompt)
    return catalog.countOf(key) ?? (isStated ? undefined : (count ?? (isText ? undefined : 3)))
  }
}
