/** Assigns a prompt's values to a schema's fields, and converts numbers to the units that fields ask for. */
import fixtures from '../../../fixtures/values.json' with { type: 'json' }
import { Budget } from '../../model/json-schema/budget.ts'
import { readPattern } from '../../model/json-schema/pattern.ts'
import { listedValues, numbersAt, textAt, typesOf } from '../../model/json-schema/schema.ts'
import type { SchemaObject } from '../../resources/json-schema.ts'
import { type Fact, type Facts, isTitle, price } from './facts.ts'
import { escaped, type Leaf, stem } from './fields.ts'

/** Assigns facts to leaves, the clearest pairs first. Each fact is assigned only once. */
export function assign(leaves: ReadonlyMap<string, Leaf>, { list, text }: Facts): void {
  // A direction counts only between fields, such as `from` and `to`.
  const isOneWay = ({ role, field, parent }: Leaf) =>
    ![...leaves.values()].some(
      (other) =>
        other.role && role && other.role !== role && other.field === field && other.parent === parent,
    )
  const pairs = [...leaves.values()].flatMap((leaf, place) =>
    list.flatMap((fact) => {
      const score = fits(leaf, fact) ? scoreOf(leaf, fact, isOneWay(leaf)) - place / 1000 : 0
      return score >= 3 ? [{ leaf, fact, score }] : []
    }),
  )
  pairs.sort((left, right) => right.score - left.score || left.fact.start - right.fact.start)
  const used: Fact[] = []
  const lists: Fact[] = []
  const best = new Map<Leaf, number>()
  const overlaps = (fact: Fact) => used.some((other) => fact.start < other.end && other.start < fact.end)
  // Twice, because a name can be linked to one that is found later.
  for (const { leaf, fact, score } of [...pairs, ...pairs]) {
    const [kept] = leaf.facts
    const isLinked = isNext(leaf.facts, fact, text)
    const range = /^(?:name|noun|object)$/.test(fact.kind) ? 1 : 3
    if (kept && !isLinked && score < (best.get(leaf) ?? 0) - range) continue
    if (!kept) best.set(leaf, score)
    if (kept && (!leaf.isMany || kept.kind === 'list' || (kept.kind !== fact.kind && !isLinked))) continue
    const isPart = /^(?:first|last|owner|repo)$/.test(
      leaf.field?.takes.find(([kind]) => kind === fact.kind)?.[1] ?? '',
    )
    const isLanguage = fact.kind === 'language' && !leaf.role
    const isUsed = (fact.kind === 'list' ? lists : used).some(
      (other) => fact.start < other.end && other.start < fact.end,
    )
    if (isUsed && !isPart && !isLanguage) continue
    if (fact.kind === 'list') lists.push(fact)
    if (leaf.key.endsWith('/*') && leaf.facts.some(({ value }) => value === fact.value)) continue
    if (!isPart && (isRows(leaf, fact) || !/^(?:list|passage)$/.test(fact.kind))) used.push(fact)
    leaf.facts = [...leaf.facts, fact].sort((left, right) => left.start - right.start)
  }
  for (const leaf of leaves.values()) {
    if (leaf.facts.length > 0) continue
    const other =
      leaf.role &&
      [...leaves.values()].find(
        ({ parent, role, facts }) => parent === leaf.parent && role !== leaf.role && role && facts.length > 0,
      )
    const rest =
      other && list.find((fact) => fact.kind === other.facts[0]?.kind && fits(leaf, fact) && !overlaps(fact))
    const found = rest && other.field === leaf.field ? rest : labelled(leaf, text)
    if (!found || (found !== rest && overlaps(found))) continue
    used.push(found)
    leaf.facts = [found]
  }
  assignRest(leaves, list, used)
}

/** Returns the part of a noun phrase that follows the facts in use, such as `backpack` in `Osprey backpack`. */
function unusedPart(fact: Fact, used: readonly Fact[]): Fact | undefined {
  const start = Math.max(
    fact.start,
    ...used.map((other) => (other.start < fact.end && other.end > fact.start ? other.end + 1 : 0)),
  )
  const value = String(fact.value).slice(start - fact.start)
  return value ? { ...fact, start, value } : undefined
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

/** Assigns facts that nothing else needs to fields that accept them, such as a lone name to `city`. */
function assignRest(leaves: ReadonlyMap<string, Leaf>, list: readonly Fact[], used: Fact[]): void {
  for (const leaf of leaves.values()) {
    if (leaf.facts.length > 0) continue
    const rest = list.filter(
      (fact) =>
        /^(?:name|quote|company|symbol|id|number|percent|money)$/.test(fact.kind) &&
        (leaf.field?.takes.some(([kind]) => kind === fact.kind) ??
          !/\b(?:with|by|for|from)\s$/.test(fact.before)) &&
        fits(leaf, fact) &&
        !used.some((other) => fact.start < other.end && other.start < fact.end),
    )
    const isTaken = ({ kind }: Fact) =>
      leaf.field?.takes.some(([taken, mode]) => taken === kind && mode !== 'near') ?? true
    const things =
      leaf.isMany || leaf.optional.length > 0
        ? []
        : list.filter((fact) => /^(?:object|noun)$/.test(fact.kind))
    const [thing] = things.filter(isTaken).flatMap((fact) => unusedPart(fact, used) ?? [])
    const found = rest.length === 1 ? rest[0] : thing
    if (!found) continue
    leaf.facts = [found]
    used.push(found)
  }
}

/**
 * Returns true if the fact is a list of priced items, such as `2 x Mug at $9 and 1 x Pot at $20`, and the
 * field holds item names.
 */
function isRows({ key, isMany }: Leaf, { items }: Fact): boolean {
  return (
    isMany &&
    /\/\*\/(?:name|title|product|item|description)\w*$/i.test(key) &&
    items?.every((item) => new RegExp(price).test(item)) === true
  )
}

/** Finds `jdoe` for the `username` field in `username jdoe` or `Username: jdoe`. */
function labelled({ words, schemas, field }: Leaf, text: string): Fact | undefined {
  const isText = schemas.some(
    (schema) =>
      typesOf(schema)?.includes('string') &&
      !listedValues(schema) &&
      !('format' in schema || 'pattern' in schema),
  )
  if (!isText || words.length === 0 || /^\{[A-Z]/.test(String(field?.give))) return undefined
  const label = words.map(escaped).join('[\\s_-]?')
  const match = new RegExp(
    `(?<![\\p{L}\\d])${label}(?: name| id)?(?:\\s*[:=]\\s*["']?([^\\n,;"']{1,60}?)(?=["',;\\n]|\\s\\w+=|\\.(?:\\s|$)|$)| (?:is |of |called )?["']?(?!(?:${[...fixtures.stops, ...fixtures.verbs].join('|')})\\b)([\\p{L}\\d][\\p{L}\\d_.@/-]*[\\p{L}\\d])(?=["',;.]|\\s(?:and|with|in|on|for|to|at|from)\\b|$))`,
    'iu',
  ).exec(text)
  const value = match?.[1] ?? match?.[2]
  if (!match || !value) return undefined
  const start = match.index + match[0].lastIndexOf(value)
  return { kind: 'label', value: value.trim(), start, end: start + value.length, before: '', after: '' }
}

/** Returns a fact's value, its row's code or its time in the form of a schema's pattern. */
export function inPattern({ value, row }: Fact, schemas: readonly SchemaObject[]): string | undefined {
  const source = schemas.map((schema) => textAt(schema, 'pattern')).find(Boolean) ?? ''
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
    return readPattern(source, new Budget())?.test(text) ?? false
  } catch {
    return false
  }
}

/** Returns true if a fact has a leaf's type and is within its bounds. */
function fits({ schemas, field, isMany, name, label }: Leaf, fact: Fact): boolean {
  return schemas.some((schema) => {
    if (listedValues(schema) || (textAt(schema, 'format') === 'email' && fact.kind !== 'email')) return false
    if (schema['pattern'] !== undefined) return inPattern(fact, schemas) !== undefined
    if (fact.kind === 'list') return isMany && typesOf(schema)?.includes('string')
    const types = typesOf(schema) ?? ['string']
    const isNumber = types.includes('number') || types.includes('integer')
    if (isNumber && fact.kind === 'id' && /^\d{1,15}$/.test(String(fact.value))) return true
    if (!isNumber)
      return (
        types.includes('string') &&
        (typeof fact.value === 'string' ||
          (label?.test(fact.before) && !/^[a-z]/.test(fact.after)) ||
          field?.takes.some(([kind]) => kind === 'number'))
      )
    if (
      (field?.takes.some(([, mode]) => mode === 'coordinate') && fact.kind === 'number') ||
      typeof fact.value !== 'number'
    )
      return false
    const number = numberFor(name, schemas, fact)
    const [min = -Infinity] = numbersAt([schema], 'minimum')
    const [max = Infinity] = numbersAt([schema], 'maximum')
    return number >= min && number <= max && (types.includes('number') || Number.isInteger(number))
  })
}

/** Kinds that a list of plain words does not replace. */
const typedKinds =
  /^(?:email|url|date|time|city|country|person|number|money|phone|file|id|language|currency)$/

/** Rates how well a fact matches a leaf. A rating of 3 is sufficient. */
function scoreOf(leaf: Leaf, fact: Fact, isOneWay: boolean): number {
  const { field, role, words, hints, isMany } = leaf
  if (fact.kind === 'span') return isSameMeasure(leaf, fact) ? 3.5 : 0
  const isIn = (text: string) => leaf.stems.some((each) => text.includes(each))
  const isLabelled = isIn(fact.before) && leaf.label?.test(fact.before) === true
  if (fact.kind === 'rest') return isLabelled && !words.includes(String(fact.value)) ? 4.5 : 0
  if (fact.kind === 'modifier')
    return words.length > 0 &&
      stem(String(fact.row?.['head']).toLowerCase()) === stem(words.at(-1) ?? '') &&
      !words.includes(String(fact.value).toLowerCase())
      ? 5
      : 0
  const place = field?.takes.findIndex(([kind]) => kind === fact.kind) ?? -1
  const isNumber = typeof fact.value === 'number'
  const isBefore = isIn(fact.after) && leaf.suffix?.test(fact.after) === true
  const isNamed = isLabelled || isBefore
  const isText = /^(?:quote|name|id|person|company|slug)$/.test(fact.kind)
  if (place < 0 && !isNumber && !isNamed && !(isMany && fact.kind === 'list') && (field || !isText)) return 0
  const mode = field?.takes[place]?.[1]
  let score = place < 0 ? 0 : 4 - place * (isNumber ? 0.4 : 0.25)
  if (
    isNumber &&
    place >= 0 &&
    !/loose|money/.test(mode ?? '') &&
    !/^(?:money|latitude|longitude)$/.test(fact.kind)
  )
    score = 0.5
  if (isMany && !isNumber && place > 0) score -= place / 2
  if (mode === 'loose') score = 3.2
  if (mode === 'weak' || mode === 'near') score = 1
  if (isMany && fact.kind === 'object') score -= 2
  if (mode === 'year') score = Number(fact.value) > 1500 && Number(fact.value) < 2200 ? 4 : -9
  if (mode === 'titled') score = isTitle(fact) ? 3.8 : 2.5
  if (isNumber && isSameMeasure(leaf, fact)) score += 3.2
  else if (isNumber && [...hints].some((hint) => hint.length > 4 && fact.after.slice(0, 16).includes(hint)))
    score += 3
  if (field?.near?.test(fact.before)) score += fact.kind === 'list' ? 0.5 : 2.6
  if (field?.after?.test(fact.after)) score += 3.2
  if (isNamed) score += isBefore ? 4 : place < 0 ? 3.5 : 2.5
  const before = fact.before.slice(-24)
  const next = fact.after.slice(0, 16)
  for (const cue of leaf.cues) {
    if (!isNamed && cue.test(before)) score += 2.5
    if (isNumber && cue.test(next)) score += 3.5
  }
  if (score < 4) for (const hint of hints) if (hint.length > 3 && before.includes(hint)) score += 1
  if (role && fact.kind !== 'email') score += Math.max(roleScore(role, fact, words), isOneWay ? 0 : -9)
  if (isMany && fact.kind === 'list' && place >= 0) score += 2.5
  const kinds = fact.items ? String(fact.row?.['kinds']).split(' ') : []
  if (field?.takes.some(([kind = '']) => kinds.includes(kind))) score += 1.2
  else if (kinds.some((kind) => /^(?:city|country|person|date|email)$/.test(kind))) score -= 1
  if (fact.kind === 'name' && fact.row?.['first'] && field?.takes[0]?.[0] === 'city') score -= 0.8
  if (fact.kind === 'name' && fact.row?.['first'] && field?.takes[0]?.[0] === 'person') score += 0.8
  if (isMany && fact.kind === 'list' && place < 0)
    score =
      field?.takes.some(([kind = '']) => typedKinds.test(kind)) &&
      !/\bname\b/.test(String(fact.row?.['kinds']))
        ? -1
        : 3.2
  if (fact.items?.some((item) => /\d.*\d|(?:\S+\s){3}/.test(item))) score -= 0.3
  if (isRows(leaf, fact)) score = 9
  return score
}

/** Rates the words around a value by a field's direction, as in `from Paris to Rome`. */
function roleScore(role: 'from' | 'to', { before, after, kind }: Fact, words: readonly string[]): number {
  const isFrom =
    /\b(?:from|between|since|depart(?:s|ing)?|starting(?: on| at)?|leaving|out of|of)\s+(?:the )?(?:[a-z]+ ){0,2}$/.test(
      before,
    ) || /^\s*(?:to|->|→|until|till|through|–|-|and back to)\s/.test(after)
  const isTo =
    /\b(?:to|into|until|till|through|and|for|returning(?: on)?|back(?: on)?|by|arriving(?: in| at)?|->|→|–|-|visit|in)\s+(?:the )?$/.test(
      before,
    )
  const isSure =
    /\b(?:to|into|until|till|through|arriv(?:es|ing)(?: in| at)?|returning(?: on)?|->|→|–)\s+(?:the )?$/.test(
      before,
    )
  if (role === 'from') return isFrom ? 3.5 : isSure ? -6 : /date|time|number/.test(kind) ? 0.5 : -2
  if (isFrom && !isTo) return -6
  const isPlainDate = /date|time/.test(kind) && !isSure && !words.includes('due')
  return isSure ? 3 : isTo ? 1 : isPlainDate ? -1.5 : -0.5
}

const units: readonly (readonly [RegExp, string, number])[] = [
  [/^(?:ms|millisec)/, 'time', 0.001],
  [/^(?:s$|sec)/, 'time', 1],
  [/^min/, 'time', 60],
  [/^(?:h$|hr|hour)/, 'time', 3600],
  [/^days?/, 'time', 86_400],
  [/^weeks?$/, 'time', 604_800],
  [/^months?$/, 'time', 2_592_000],
  [/^(?:cents?|pence|minor)$/, 'money', 0.01],
  [/^(?:usd|eur|gbp|dollars?|euros?|pounds?|[$€£])/, 'money', 1],
  [/^(?:cm|centimet)/, 'length', 0.01],
  [/^(?:m$|met(?:er|re))/, 'length', 1],
  [/^(?:km|kilomet)/, 'length', 1000],
  [/^(?:mi|miles?)$/, 'length', 1609.344],
  [/^(?:g$|grams?)/, 'mass', 1],
  [/^(?:kg|kilo)/, 'mass', 1000],
]

function unitOf(word: string): (typeof units)[number] | undefined {
  return units.find(([pattern]) => pattern.test(word))
}

/** Returns the first unit in a field's name. */
function unitIn(name: string): (typeof units)[number] | undefined {
  return name.split(' ').map(unitOf).find(Boolean)
}

/** Returns a number in the unit that the field's name or description asks for. */
export function numberFor(name: string, schemas: readonly SchemaObject[], fact: Fact): number {
  const [, described = ''] = /\b(?:in|as) (\p{L}+)/u.exec(textAt(schemas[0] ?? {}, 'description') ?? '') ?? []
  return inUnit(fact, unitIn(name) ? name : described.toLowerCase())
}

/** Returns true if a number has a unit that can be converted to the field's. */
function isSameMeasure({ name }: Leaf, { after }: Fact): boolean {
  const to = unitIn(name)
  const from = unitOf(/^[\s-]*([\p{L}]+)/u.exec(after)?.[1] ?? '')
  return to !== undefined && from !== undefined && to !== from && to[1] === from[1]
}

/** Converts a number to the unit that a field names. Money without a unit is in whole units. */
function inUnit({ kind, value, after }: Fact, name: string): number {
  const to = unitIn(name)
  const from =
    unitOf(/^[\s-]*([\p{L}€£$]+)/u.exec(after)?.[1] ?? '') ?? (kind === 'money' ? unitOf('usd') : undefined)
  const number = Number(value)
  return from && to && from[1] === to[1] && from[2] !== to[2]
    ? Math.round((number * from[2] * 100) / to[2]) / 100
    : number
}
