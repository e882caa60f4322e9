/** Assigns a prompt's values to a schema's fields. */
import fixtures from '../../../fixtures/values.json' with { type: 'json' }
import { Budget } from '../../model/json-schema/budget.ts'
import { readPattern } from '../../model/json-schema/pattern.ts'
import { listedValues, numbersAt, textAt, typesOf } from '../../model/json-schema/schema.ts'
import type { SchemaObject } from '../../resources/json-schema.ts'
import { type Fact, type Facts, isCommon } from './facts.ts'
import { escaped, type Leaf, stem } from './fields.ts'
import { cueScore, isRows, isYear, numberScore, openScore, roleScore, textScore } from './scoring.ts'
import { numberFor } from './units.ts'

interface Pair {
  readonly leaf: Leaf
  readonly fact: Fact
  readonly score: number
}

/** Assigns facts to leaves, the clearest pairs first. Each fact is assigned only once. */
export function assign(
  leaves: ReadonlyMap<string, Leaf>,
  { list, text }: Pick<Facts, 'list' | 'text'>,
): void {
  const all = [...leaves.values()]
  const rate = raterOf(all, list)
  const pairs = all.flatMap((leaf, place) =>
    [...list, ...optionsStated(leaf, text)].flatMap((fact) => {
      const score =
        fits(leaf, fact) && (!leaf.isClosed || /^(?:option|list|array)$/.test(fact.kind))
          ? rate(leaf, fact) - place / 1000
          : -Infinity
      return score >= thresholdOf(leaf, fact) ? [{ leaf, fact, score }] : []
    }),
  )
  pairs.sort((left, right) => right.score - left.score || left.fact.start - right.fact.start)
  const used = take(pairs, text)
  fillNumbers(all, list, used, rate)
  for (const leaf of all) {
    if (leaf.facts.length > 0) continue
    const found = labelled(leaf, text)
    if (!found || overlaps(used, found)) continue
    used.push(found)
    leaf.facts = [found]
  }
  assignRest(leaves, { list, text }, used)
}

type Rate = (leaf: Leaf, fact: Fact) => number

function raterOf(all: readonly Leaf[], list: readonly Fact[]): Rate {
  // A direction counts only between fields, such as `from` and `to`.
  const isOneWay = ({ role, field, parent }: Leaf) =>
    !all.some(
      (other) =>
        other.role && role && other.role !== role && other.field === field && other.parent === parent,
    )
  const fields = all.filter(isNumeric)
  const numbers = list.filter((fact) => isNumber(fact) && !fact.row?.['word'])
  const lists = all.filter(({ isMany }) => isMany)
  const arrays = list.filter(({ values }) => values)
  const shareOf = (place: number, length: number) => place / Math.max(1, length - 1)
  return (leaf, fact) => {
    if (fact.values)
      return (
        4.5 +
        cueScore(leaf, fact) -
        Math.abs(shareOf(lists.indexOf(leaf), lists.length) - shareOf(arrays.indexOf(fact), arrays.length))
      )
    if (fact.kind === 'option')
      return (
        (leaf.optional.length > 0 ? 3.5 : 5) +
        (leaf.role && !isOneWay(leaf) ? roleScore(leaf.role, fact, leaf.words) : 0)
      )
    if (isNumeric(leaf) && fact.kind === 'time') return 4.5
    if (!isNumeric(leaf) || !isNumber(fact)) return textScore(leaf, fact, isOneWay(leaf))
    const earlier = numbers.filter(({ start }) => start < fact.start).length
    const apart = shareOf(fields.indexOf(leaf), fields.length) - shareOf(earlier, numbers.length)
    return numberScore(leaf, fact, leaf.isMany ? 0.6 : 1 - Math.abs(apart), isOneWay(leaf))
  }
}

function isNumeric({ schemas }: Leaf): boolean {
  return schemas.some((schema) => typesOf(schema)?.some((type) => type === 'number' || type === 'integer'))
}

/** Returns true for a number, or an id of digits. */
function isNumber({ kind, value }: Fact): boolean {
  return typeof value === 'number' || (kind === 'id' && /^\d{1,15}$/.test(value))
}

function thresholdOf(leaf: Leaf, fact: Fact): number {
  if (/^(?:noun|object|rest)$/.test(fact.kind) && leaf.optional.length > 0 && !leaf.isMany) return 4.2
  if (!isNumeric(leaf) || !isNumber(fact)) return 3
  return leaf.optional.length > 0 || leaf.key.endsWith('*') ? 2.2 : 1.6
}

function overlaps(used: readonly Fact[], { start, end }: Fact): boolean {
  return used.some((other) => start < other.end && other.start < end)
}

/** Assigns the pairs in order, and returns the facts in use. */
function take(pairs: readonly Pair[], text: string): Fact[] {
  const used: Fact[] = []
  const lists: Fact[] = []
  const best = new Map<Leaf, number>()
  // Twice, because a name can be linked to one that is found later.
  for (const { leaf, fact, score } of [...pairs, ...pairs]) {
    const [kept] = leaf.facts
    const isLinked = isNext(leaf.facts, fact, text)
    const range = /^(?:name|noun|object)$/.test(fact.kind) ? 1 : 3
    if (kept && !isLinked && score < (best.get(leaf) ?? 0) - range) continue
    if (!kept) best.set(leaf, score)
    if (
      kept &&
      (!leaf.isMany ||
        /^(?:list|array)$/.test(kept.kind) ||
        (kept.kind !== fact.kind && !isLinked && !isNumeric(leaf)))
    )
      continue
    const isPart = /^(?:first|last|owner|repo)$/.test(
      leaf.field?.takes.find(([kind]) => kind === fact.kind)?.[1] ?? '',
    )
    const isTime = fact.kind === 'time' && isNumeric(leaf)
    const isLanguage = fact.kind === 'language' && !leaf.role
    const isAdjective = /^(?:diet|cuisine|color|genre|size|gender|sport)$/.test(fact.kind)
    const others =
      fact.kind === 'list'
        ? lists
        : isAdjective
          ? used.filter(({ kind }) => !/^(?:noun|object)$/.test(kind))
          : used
    if (overlaps(others, fact) && !isPart && !isLanguage && !isTime) continue
    if (fact.kind === 'list') lists.push(fact)
    if (leaf.key.endsWith('/*') && leaf.facts.some(({ value }) => value === fact.value)) continue
    if (!isPart && (isRows(leaf, fact) || !/^(?:list|passage)$/.test(fact.kind))) used.push(fact)
    leaf.facts = [...leaf.facts, fact].sort((left, right) => left.start - right.start)
  }
  return used
}

/** Assigns the remaining numbers to required numeric fields without a value, unless two or more would be left over. */
function fillNumbers(all: readonly Leaf[], list: readonly Fact[], used: Fact[], rate: Rate): void {
  const open = all.filter(
    (leaf) => isNumeric(leaf) && leaf.facts.length === 0 && leaf.optional.length === 0 && !leaf.isMany,
  )
  const free = list.filter((fact) => isNumber(fact) && !overlaps(used, fact))
  if (open.length === 0 || open.length < free.length - 1) return
  for (const leaf of open) {
    const [best] = free
      .filter((fact) => fits(leaf, fact) && !overlaps(used, fact) && rate(leaf, fact) > -1.2)
      .sort((left, right) => rate(leaf, right) - rate(leaf, left))
    if (!best) continue
    leaf.facts = [best]
    used.push(best)
  }
}

/** Returns the values in the prompt that a field's description lists, such as `'small'` or `2 for ironing`. */
function optionsStated(leaf: Leaf, text: string): Fact[] {
  const { schemas, isMany, description, options } = leaf
  if (isMany) return []
  const isText = schemas.some((schema) => typesOf(schema)?.includes('string') && !listedValues(schema))
  const coded = [...description.matchAll(codePattern)].map(([, code = '', words = '']) => ({
    value: isText ? code : Number(code),
    words,
  }))
  const perYear = isNumeric(leaf) && /compound|per (?:year|unit time)/.test(description)
  return [
    ...coded,
    ...(isText ? options.map((value) => ({ value, words: value })) : []),
    ...(perYear ? Object.entries(fixtures.perYear).map(([words, value]) => ({ value, words })) : []),
  ].flatMap(({ value, words }) => {
    const match = mentionOf(String(words), text)
    if (!match) return []
    const start = match.index
    const before = text.slice(0, start).toLowerCase()
    return { kind: 'option', value, start, end: start + match[0].length, before, after: '' }
  })
}

const codePattern =
  /(?<![\p{L}\d])['"]?(\d{1,4})['"]? (?:represents|for|corresponds to|to|means|is|=) (?:an? |the )?([\p{L}][\p{L} -]{2,40}?)(?: services?)?(?=[,.;)]|\sand\s|$)/gu

/** Finds words with any English endings. */
function mentionOf(words: string, text: string): RegExpExecArray | null {
  const source = words
    .toLowerCase()
    .split(/[\s_-]+/)
    .map(stem)
    .filter(Boolean)
    .map(escaped)
    .join('\\p{L}{0,3}[\\s_-]?')
  return /../.test(source)
    ? new RegExp(`(?<![\\p{L}\\d])${source}\\p{L}{0,3}(?![\\p{L}\\d])`, 'iu').exec(text)
    : null
}

/** Returns true for a name next to one already found, as in `Dana and Omar`. */
function isNext(found: readonly Fact[], fact: Fact, text: string): boolean {
  const isName = ({ kind }: Fact) => /^(?:person|name|company)$/.test(kind)
  const isLink = (start: number, end: number) => /^(?:,|,? and|,? or| &) $/.test(text.slice(start, end))
  return (
    [fact, ...found].every(isName) &&
    found.some((other) => isLink(other.end, fact.start) || isLink(fact.end, other.start))
  )
}

/** Assigns the remaining facts to required text fields that do not need a special kind, the clearest pairs first. */
function assignRest(
  leaves: ReadonlyMap<string, Leaf>,
  { list, text }: Pick<Facts, 'list' | 'text'>,
  used: Fact[],
): void {
  const isOpen = ({ facts, optional, isMany, field, isClosed }: Leaf) =>
    facts.length === 0 &&
    optional.length === 0 &&
    !isMany &&
    !isClosed &&
    (!field || field.takes.some(([kind = '']) => openKinds.test(kind)))
  const pairs = [...leaves.values()].filter(isOpen).flatMap((leaf) =>
    list.flatMap((fact) => {
      if (!fits(leaf, fact)) return []
      const isFollowed =
        /^(?:object|noun)$/.test(fact.kind) &&
        /^\s(?:of|for|about|on|to|from|between|related)\s/.test(text.slice(fact.end, fact.end + 9))
      const isNear = leaf.field?.near?.test(fact.before)
      const takes = leaf.field?.takes ?? []
      const place = takes.findIndex(([kind, mode]) => kind === fact.kind && (mode !== 'near' || isNear))
      const isTaken = place >= 0
      if (
        leaf.field &&
        !isTaken &&
        (!/^(?:name|quote|person|company|league|platform|id|slug|symbol|code)$/.test(fact.kind) ||
          typedKinds.test(String(takes[0])))
      )
        return []
      // Titles and texts are written from the whole prompt, unless it names one.
      if (
        /^\{(?:[A-Z]|query)/.test(String(leaf.field?.give)) &&
        !/^(?:name|person|company|quote)$/.test(fact.kind)
      )
        return []
      const score = openScore(leaf, fact, isFollowed) + (isTaken ? 2 - place / 10 : 0)
      return score > (leaf.field ? 1.4 : 0.4) ? [{ leaf, fact, score }] : []
    }),
  )
  pairs.sort((left, right) => right.score - left.score || left.fact.start - right.fact.start)
  for (const { leaf, fact } of pairs) {
    if (leaf.facts.length > 0 || overlaps(used, fact)) continue
    leaf.facts = [fact]
    used.push(fact)
  }
}

/** Kinds that no other kind replaces. */
const typedKinds = /^(?:email|url|date|time|city|country|number|money|phone|file|id|language|currency)\b/

const openKinds = /^(?:noun|object|name|quote|person|company|symbol|place|slug)$/

/** Finds `jdoe` for the `username` field in `username jdoe` or `Username: jdoe`. */
function labelled({ words, schemas, field }: Leaf, text: string): Fact | undefined {
  const isText = schemas.some(
    (schema) =>
      typesOf(schema)?.includes('string') &&
      !listedValues(schema) &&
      !('format' in schema) &&
      !('pattern' in schema),
  )
  if (!isText || words.length === 0 || /^\{[A-Z]/.test(String(field?.give))) return undefined
  const label = words.map(escaped).join('[\\s_-]?')
  const pattern = new RegExp(
    `(?<![\\p{L}\\d])${label}(?: name| id)?(?:\\s*[:=]\\s*["']?([^\\n,;"']{1,60}?)(?=["',;\\n]|\\s\\w+=|\\.(?:\\s|$)|$)| (?:is |of |called )?["']?([\\p{L}\\d][\\p{L}\\d_.@/-]*[\\p{L}\\d])(?=["',;.]|\\s(?:and|with|in|on|for|to|at|from)\\b|$))`,
    'giu',
  )
  const match = text.matchAll(pattern).find(([, , word = '']) => !isCommon(/^\w*/.exec(word)?.[0] ?? ''))
  const value = match?.[1] ?? match?.[2]
  if (!match || !value || (/^id\b/.test(String(field?.takes)) && !/\d/.test(value))) return undefined
  const start = match.index + match[0].lastIndexOf(value)
  return { kind: 'label', value: value.trim(), start, end: start + value.length, before: '', after: '' }
}

/** Returns a fact's value, or a code from its row, if it matches the schemas' pattern. */
export function inPattern({ value, row }: Fact, schemas: readonly SchemaObject[]): string | undefined {
  const [source = ''] = schemas.flatMap((schema) => textAt(schema, 'pattern') ?? [])
  const text = String(value)
  const forms = [
    text,
    row?.['code'],
    row?.['airport'],
    row?.['countryCode'],
    row?.['currency'],
    text.replace(/[\s-]/g, ''),
  ]
  return forms
    .map((form) => String(form ?? ''))
    .find((form) => form !== '' && form.length <= 40 && isMatch(source, form))
}

export function isMatch(source: string, text: string): boolean {
  try {
    return readPattern(source, new Budget())?.test(text) === true
  } catch {
    return false
  }
}

/** Returns true if a fact has a leaf's type and is within its bounds. */
function fits(leaf: Leaf, fact: Fact): boolean {
  const { schemas, field, isMany, label } = leaf
  return schemas.some((schema) => {
    if (fact.kind === 'option') return isNumeric(leaf) === (typeof fact.value === 'number')
    if (listedValues(schema) || (textAt(schema, 'format') === 'email' && fact.kind !== 'email')) return false
    if (schema['pattern'] !== undefined) return inPattern(fact, schemas) !== undefined
    if (fact.kind === 'list') return isMany && typesOf(schema)?.includes('string')
    if (fact.values) return isMany && isArrayOf(fact.values, typesOf(schema))
    const types = typesOf(schema) ?? ['string']
    const isNumber = types.includes('number') || types.includes('integer')
    if (isNumber && fact.kind === 'time') return /\b(?:hours?|minutes?)$/.test(leaf.name)
    if (isNumber && fact.kind === 'id' && /^\d{1,15}$/.test(String(fact.value))) return true
    if (!isNumber)
      return (
        types.includes('string') &&
        (typeof fact.value === 'string' ||
          (/\b(?:season|year)$/.test(leaf.name) && isYear(fact)) ||
          (label?.test(fact.before) && !/^[a-z]/.test(fact.after)) ||
          field?.takes.some(([kind]) => kind === 'number'))
      )
    if (typeof fact.value !== 'number') return false
    const number = numberFor(leaf, fact)
    const [min = -Infinity] = numbersAt([schema], 'minimum')
    const [max = Infinity] = numbersAt([schema], 'maximum')
    return number >= min && number <= max && (types.includes('number') || Number.isInteger(number))
  })
}

function isArrayOf(values: readonly unknown[], types: readonly string[] | undefined): boolean {
  return values.every((value) =>
    Array.isArray(value)
      ? isArrayOf(value, types)
      : types?.some((type) => (type === 'integer' ? Number.isInteger(value) : type === typeof value)),
  )
}
