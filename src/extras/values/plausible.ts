/**
 * Proposes plausible values for schema fields: values from the prompt, then defaults and examples from the schema,
 * then values from fixtures/values.json by field name.
 */
import fixtures from '../../../fixtures/values.json' with { type: 'json' }
import { draw, uuid } from '../../lib/seed.ts'
import { Budget } from '../../model/json-schema/budget.ts'
import { readPattern } from '../../model/json-schema/pattern.ts'
import {
  listedValues,
  numbersAt,
  propertiesOf,
  References,
  schemaAt,
  schemasAt,
  textAt,
  typesOf,
} from '../../model/json-schema/schema.ts'
import { subjectWords } from '../../model/text/words.ts'
import type { JsonSchema, SchemaObject, ValuePlace, ValueSource } from '../../resources/json-schema.ts'
import { type Fact, type Facts, isCommon, isoDay, isTitle, price, type Row, readFacts } from './facts.ts'

interface Field {
  readonly is: RegExp
  /** Kinds of facts, best first, each with a column in the fact's row or a mode. */
  readonly takes: readonly (readonly string[])[]
  readonly give: unknown
  /** Texts before and after a value. */
  readonly near: RegExp | undefined
  readonly after: RegExp | undefined
}

/** A string, number or boolean in the schema. */
interface Leaf {
  readonly key: string
  readonly parent: string
  /** Normalised names, such as `customer email`. */
  readonly name: string
  readonly role: 'from' | 'to' | undefined
  field: Field | undefined
  readonly schemas: SchemaObject[]
  readonly isMany: boolean
  readonly hints: ReadonlySet<string>
  readonly words: readonly string[]
  readonly cues: readonly RegExp[]
  facts: readonly Fact[]
}

interface SourceOptions {
  readonly seed: string
  /** Sandbox time, as Unix time in milliseconds. */
  readonly now: number
}

/** Maximum number of fields to match with the prompt, and of names to classify. */
const maxLeaves = 150
const maxNames = 400
const maxItems = 12

/** Returns a source of plausible values for a schema and a prompt. */
export function plausibleValues(
  schema: JsonSchema,
  prompt: string,
  { seed, now }: SourceOptions,
): ValueSource {
  const facts = readFacts(prompt, now)
  const leaves = leavesOf(schema)
  assign(leaves, facts)
  const writer = new Writer(leaves, facts, seed, now)
  return (place) => writer.propose(place)
}

const fromRole =
  /^(?:from|origin|source|start|starting|begin|departure|depart|sender|src|old|head|pickup|in|checkin|outbound|since|after|min|minimum|low|lower)$/
const toRole =
  /^(?:to|destination|dest|target|end|ending|finish|arrival|recipient|dst|new|until|till|return|dropoff|out|checkout|inbound|before|due|into|max|maximum|high|upper)$/

function leavesOf(root: JsonSchema): Map<string, Leaf> {
  const references = new References(root)
  const leaves = new Map<string, Leaf>()
  const visit = (
    schema: JsonSchema,
    path: readonly string[],
    isMany: boolean,
    depth: number,
    hint = '',
  ): void => {
    if (typeof schema === 'boolean' || depth > 12 || leaves.size >= maxLeaves) return
    const description = `${hint} ${textAt(schema, 'description') ?? ''} ${textAt(schema, 'title') ?? ''}`
    let target: JsonSchema | undefined
    try {
      target = references.follow(schema)
    } catch {
      return
    }
    const inner = (next: JsonSchema) => visit(next, path, isMany, depth + 1, description)
    if (target !== undefined) inner(target)
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) schemasAt(schema, keyword).forEach(inner)
    for (const [name, property] of propertiesOf(schema)) visit(property, [...path, name], isMany, depth + 1)
    const items = schemaAt(schema, 'items')
    if (items !== undefined) visit(items, [...path, '*'], true, depth + 1, description)
    const types = typesOf(schema)
    const isLeaf = types
      ? types.some((type) => /string|number|integer|boolean/.test(type))
      : listedValues(schema)
    if (!isLeaf || path.length === 0) return
    const key = path.join('/')
    const known = leaves.get(key)
    if (known) known.schemas.push(schema)
    else leaves.set(key, leafOf(path, schema, isMany, description))
  }
  visit(root, [], false, 0)
  for (const leaf of leaves.values()) nameByParent(leaf, leaves)
  return leaves
}

/** Classifies `name` by its siblings: next to a `price`, it is a product name. */
function nameByParent(leaf: Leaf, leaves: ReadonlyMap<string, Leaf>): void {
  const own = split(
    leaf.key
      .replace(/(?:\/\*)+$/, '')
      .split('/')
      .at(-1) ?? '',
  )
  if (!/^(?:name|title|to|label|description|summary|code|genres?)$/.test(own)) return
  const names = [...leaves.keys()]
    .filter((key) => key !== leaf.key && key.startsWith(leaf.parent))
    .map((key) =>
      split(
        key
          .slice(leaf.parent.length)
          .replace(/^\/?(?:\*\/)?/, '')
          .split('/')[0] ?? '',
      ),
    )
  const kind = Object.entries(fixtures.kinds).find(([pattern]) =>
    names.some((name) => new RegExp(`^(?:${pattern})$`).test(name)),
  )?.[1]
  const field = kind && lookUp(`${kind} ${own}`)
  if (field) leaf.field = field
}

function leafOf(path: readonly string[], schema: SchemaObject, isMany: boolean, description: string): Leaf {
  const names = path.filter((name) => name !== '*').map(split)
  const own = names.at(-1) ?? ''
  const name = `${names.at(-2) ?? ''} ${own}`.trim()
  const words = own.split(' ').filter((word) => !/^(?:name|id|value|number|of|the|is|in|text|a)$/.test(word))
  const first = own.split(' ').find((word) => fromRole.test(word) || toRole.test(word)) ?? own
  const parentRole =
    names
      .at(-2)
      ?.split(' ')
      .find((word) => fromRole.test(word) || toRole.test(word)) ?? ''
  const role = [first, parentRole]
    .map((word) => (fromRole.test(word) ? 'from' : toRole.test(word) ? 'to' : undefined))
    .find(Boolean)
  return {
    key: path.join('/'),
    parent: path
      .slice(
        0,
        path.findLastIndex((step) => step !== '*'),
      )
      .join('/'),
    name,
    role,
    field: fieldNamed(name, schema, description),
    schemas: [schema],
    isMany,
    hints: new Set([...subjectWords(description.slice(0, 300))].map((word) => word.toLowerCase())),
    words,
    cues: words.map((word) => new RegExp(`(?<![\\p{L}\\d])${escaped(stem(word))}`, 'iu')),
    facts: [],
  }
}

/** Splits `departureCity` and `departure_city` into words. */
function split(name: string): string {
  return name
    .slice(0, 80)
    .replace(/(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Ll})(?=\d)/gu, ' ')
    .toLowerCase()
    .replace(/[^\p{L}\d]+/gu, ' ')
    .trim()
}

const named = new Map<string, Field | undefined>()
let table: readonly Field[] | undefined

/** Returns the table entry for a name or, without one, for its format or description. */
function fieldNamed(name: string, schema: SchemaObject, description = ''): Field | undefined {
  const format = textAt(schema, 'format')
  if (format) {
    const byFormat = {
      email: 'email',
      uri: 'url',
      url: 'url',
      date: 'date',
      'date-time': 'date time',
      time: 'time',
      uuid: 'uuid',
      ipv4: 'ip',
      hostname: 'hostname',
    }[format]
    const own = lookUp(name)
    if (byFormat) return own?.takes[0]?.[0] === byFormat ? own : lookUp(byFormat)
  }
  if (/\b(?:ISO.?4217|currency code)/i.test(description)) return lookUp('currency')
  if (/\b(?:ISO.?639|language code)/i.test(description)) return lookUp('language code')
  if (/\b(?:IATA|airport code)/i.test(description)) return lookUp('airport code')
  if (/\bISO.?3166|country code/i.test(description)) return lookUp('country code')
  const shape = textAt(schema, 'pattern')
  if (shape === '^[a-z]{2}$' && !/country/.test(name)) return lookUp('language code')
  if (shape === '^\\d{2}:\\d{2}$') return lookUp('time')
  if (/\bSQL\b/.test(description) && /\bquery$/.test(name)) return lookUp('sql query')
  const types = typesOf(schema)
  return lookUp(name, types?.includes('string') && !types.includes('number'))
}

function lookUp(name: string, isText = false): Field | undefined {
  const label = isText ? `${name} text` : name
  if (named.has(label)) return named.get(label)
  table ??= fixtures.fields.map(({ is, take, give, near, after }) => ({
    is: new RegExp(is),
    takes: take.split(' ').map((kind) => kind.split(':')),
    give,
    near: near
      ? new RegExp(
          `(?<![\\p{L}\\d])(?:${near})[\\s:#=]*(?:(?:the|a|an|about|around|exactly|is|of|named|called)\\s)?[$€£]?$`,
          'u',
        )
      : undefined,
    after: after ? new RegExp(`^[\\s)]*(?:${after})`, 'u') : undefined,
  }))
  const singular = name.replace(/ies$/, 'y').replace(/(?<=[a-z]{3})(?<![su])s$/, '')
  const isNumbered = /\b(?:number|num|count|no|id)\b/.test(name)
  const candidates = new Set([
    name,
    singular,
    ...(isNumbered ? [] : [name.replace(/ (?:\d+|name|value|string|str|field|list|text|info|details)$/, '')]),
  ])
  const field = [...candidates]
    .map((candidate) =>
      table?.find(
        ({ is, takes }) =>
          is.test(candidate) && !(isText && takes[0]?.[0] === 'number' && takes[0][1] !== 'money'),
      ),
    )
    .find(Boolean)
  if (named.size < maxNames) named.set(label, field)
  return field
}

/** Assigns facts to leaves, the clearest pairs first. Each fact is assigned only once. */
function assign(leaves: ReadonlyMap<string, Leaf>, { list, text }: Facts): void {
  const pairs = [...leaves.values()].flatMap((leaf, place) =>
    list.flatMap((fact) => {
      const score = fits(leaf, fact) ? scoreOf(leaf, fact) - place / 1000 : 0
      return score >= 3 ? [{ leaf, fact, score }] : []
    }),
  )
  pairs.sort((left, right) => right.score - left.score || left.fact.start - right.fact.start)
  const used: Fact[] = []
  const best = new Map<Leaf, number>()
  const overlaps = (fact: Fact) => used.some((other) => fact.start < other.end && other.start < fact.end)
  for (const { leaf, fact, score } of pairs) {
    const [kept] = leaf.facts
    if (kept && score < (best.get(leaf) ?? 0) - 3) continue
    if (!kept) best.set(leaf, score)
    if (kept && (!leaf.isMany || kept.kind !== fact.kind || kept.kind === 'list')) continue
    const isPart = /^(?:first|last|owner|repo)$/.test(
      leaf.field?.takes.find(([kind]) => kind === fact.kind)?.[1] ?? '',
    )
    if (overlaps(fact) && !isPart && fact.kind !== 'list') continue
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
    `(?<![\\p{L}\\d])${label}(?: name| id)?(?:\\s*[:=]\\s*["']?([^\\n,;"']{1,60}?)(?=["',;\\n]|\\.(?:\\s|$)|$)| (?:is |of |called )?["']?(?!(?:${[...fixtures.stops, ...fixtures.verbs].join('|')})\\b)([\\p{L}\\d][\\p{L}\\d_.@/-]*[\\p{L}\\d])(?=["',;.]|\\s(?:and|with|in|on|for|to|at|from)\\b|$))`,
    'iu',
  ).exec(text)
  const value = match?.[1] ?? match?.[2]
  if (!match || !value) return undefined
  const start = match.index + match[0].lastIndexOf(value)
  return { kind: 'label', value: value.trim(), start, end: start + value.length, before: '', after: '' }
}

/** Returns a fact's value, its row's code or its time in the form of a schema's pattern. */
function inPattern({ value, row }: Fact, schemas: readonly SchemaObject[]): string | undefined {
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

function isMatch(source: string, text: string): boolean {
  try {
    return readPattern(source, new Budget())?.test(text) ?? false
  } catch {
    return false
  }
}

/** Returns true if a fact has a leaf's type and is within its bounds. */
function fits({ schemas, field, isMany, name }: Leaf, fact: Fact): boolean {
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
        (typeof fact.value === 'string' || field?.takes.some(([kind]) => kind === 'number'))
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

/** Rates how well a fact matches a leaf. A rating of 3 is sufficient. */
function scoreOf(leaf: Leaf, fact: Fact): number {
  const { field, role, words, hints, isMany } = leaf
  const place = field?.takes.findIndex(([kind]) => kind === fact.kind) ?? -1
  const isNumber = typeof fact.value === 'number'
  if (
    place < 0 &&
    !isNumber &&
    !(isMany && fact.kind === 'list') &&
    !/^(?:quote|name|id|person|company)$/.test(fact.kind)
  )
    return 0
  const mode = field?.takes[place]?.[1]
  let score = place < 0 ? 0 : 4 - place * (isNumber ? 0.4 : 0.25)
  if (
    isNumber &&
    place >= 0 &&
    !/loose|money/.test(mode ?? '') &&
    !/^(?:money|latitude|longitude)$/.test(fact.kind)
  )
    score = 0.5
  if (mode === 'loose') score = 3.2
  if (mode === 'weak') score = 1
  if (isMany && fact.kind === 'object') score -= 2
  if (mode === 'year') score = Number(fact.value) > 1500 && Number(fact.value) < 2200 ? 4 : -9
  if (mode === 'titled') score = isTitle(fact) ? 3.8 : 2.5
  if (field?.near?.test(fact.before)) score += fact.kind === 'list' ? 0.5 : 2.6
  if (field?.after?.test(fact.after)) score += 3.2
  const before = fact.before.slice(-24)
  const next = fact.after.slice(0, 16)
  for (const cue of leaf.cues) {
    if (cue.test(before)) score += 2.5
    if (isNumber && cue.test(next)) score += 3.5
  }
  if (score < 4) for (const hint of hints) if (hint.length > 3 && before.includes(hint)) score += 1
  if (role && fact.kind !== 'email') score += roleScore(role, fact, words)
  if (isMany && fact.kind === 'list' && place >= 0) score += 2.5
  if (isMany && fact.kind === 'list' && place < 0) score = field ? -1 : 3
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

function stem(word: string): string {
  return word.replace(/[^\p{L}\d]/gu, '').replace(/(?:ies|es|s|ing|ed|e|y)$/, '') || word
}

type Scalar = string | number | boolean

class Writer {
  readonly #leaves: ReadonlyMap<string, Leaf>
  readonly #facts: Facts
  readonly #seed: string
  readonly #now: number
  readonly #lower: string
  /** Values given per array. */
  readonly #listed = new Map<string, Map<number, unknown>>()

  constructor(leaves: ReadonlyMap<string, Leaf>, facts: Facts, seed: string, now: number) {
    this.#leaves = leaves
    this.#facts = facts
    this.#seed = seed
    this.#now = now
    this.#lower = facts.text.toLowerCase()
  }

  /**
   * Proposes a value or, for an array, only its number of items. Returns undefined if there is nothing to propose.
   */
  propose({ path, type, schemas, random }: ValuePlace): unknown {
    const key = path.map((step) => (typeof step === 'number' ? '*' : step)).join('/')
    if (type === 'array') return this.#countOf(key)
    if (type === 'object' || type === 'null' || path.length === 0 || schemas.length === 0) return undefined
    const steps = path.filter((step) => typeof step === 'string')
    const index = path.findLast((step) => typeof step === 'number') ?? 0
    const leaf =
      this.#leaves.get(key) ??
      leafOf(steps.length > 0 ? key.split('/') : ['value'], schemas[0] ?? {}, false, '')
    const listed = schemas.map(listedValues).find((values) => values !== undefined)
    if (listed) return this.#member(leaf, listed, schemas, index, random)
    const part = this.#partOf(leaf, index, type)
    if (part !== undefined) return part
    const isPlaceInList = leaf.isMany && /number|integer/.test(type) && /\b(?:day|week|step)$/.test(leaf.name)
    if (isPlaceInList && leaf.facts.length < 2) return index + 1
    const found = leaf.facts.length > 0 ? this.#valueOf(leaf, index, type) : undefined
    if (found !== undefined) return found
    const sample = schemas.map(sampleOf).find((value) => value !== undefined)
    if (sample !== undefined && sample !== null && sample !== '') return sample
    if (type === 'boolean') return this.#flag(leaf, schemas)
    if (schemas.some(({ pattern }) => (pattern === undefined ? false : leaf.field === undefined)))
      return undefined
    if (!leaf.isMany || type !== 'string') return this.#given(leaf, index, type, schemas)
    // Within an array, values differ if there are enough.
    const earlier = this.#listed.get(key) ?? new Map<number, unknown>()
    this.#listed.set(key, earlier)
    const others = [...earlier].filter(([place]) => place !== index).map(([, value]) => value)
    let value = this.#given(leaf, index, type, schemas)
    for (let next = 1; next < 9 && key.endsWith('/*') && others.includes(value); next++)
      value = this.#given(leaf, index + next, type, schemas)
    earlier.set(index, value)
    return value
  }

  /** Returns an array with one place per value found, which the generator fills. */
  #countOf(key: string): number | undefined {
    let count = 0
    for (const leaf of this.#leaves.values()) {
      if (!leaf.key.startsWith(`${key}/*`) || leaf.key.indexOf('*', key.length + 2) >= 0) continue
      const listed = leaf.schemas.map(listedValues).find((values) => values !== undefined)
      const matched =
        listed && leaf.key === `${key}/*` ? listed.filter((value) => this.#mention(value) >= 0).length : 0
      count = Math.max(count, matched, leaf.facts[0]?.items?.length ?? leaf.facts.length)
    }
    const own = key.split('/').at(-1) ?? ''
    const asked = new RegExp(
      `(\\d+|two|three|four|five|six|seven|eight|nine|ten) (?:[\\p{L}-]+ ){0,2}${escaped(stem(split(own)))}`,
      'u',
    ).exec(this.#lower)?.[1]
    if (count === 0 && /\bpoints?$|highlights|takeaways/.test(split(own)))
      count = this.#facts.sentences.length
    if (asked && (count === 0 || /day|week|step|question|option|name/.test(split(own))))
      count = (fixtures.numbers as Record<string, number>)[asked] ?? Number(asked)
    if (count === 0 && /option|choice/i.test(own)) count = 4
    if (
      count === 0 &&
      /step|instruction|direction|ingredient|point|tag|keyword|highlight|pros|cons|task/i.test(own)
    )
      count = 3
    return count > 0 ? Math.min(count, maxItems) : undefined
  }

  #valueOf(leaf: Leaf, index: number, type: string): unknown {
    const fact = leaf.facts[0]?.items ? leaf.facts[0] : leaf.facts[Math.min(index, leaf.facts.length - 1)]
    if (!fact || (index > 0 && leaf.isMany && !fact.items && index >= leaf.facts.length)) return undefined
    const coded = leaf.schemas.some(({ pattern }) => pattern !== undefined)
      ? inPattern(fact, leaf.schemas)
      : undefined
    if (coded !== undefined) return coded
    const label = new RegExp(`^${escaped(leaf.words.join(' '))}s? (?=\\S)`, 'i')
    if (fact.items) return itemOf(fact.items[index]?.replace(label, '') ?? '').name || undefined
    const mode = leaf.field?.takes.find(([kind]) => kind === fact.kind)?.[1]
    const column = mode && fact.row?.[mode]
    if (fact.kind === 'date' || fact.kind === 'time' || fact.kind === 'datetime')
      return this.#moment(leaf, fact)
    if (/^(?:owner|repo)$/.test(mode ?? '') && /^[^/]+\/[^/]+$/.test(String(fact.value))) {
      const [owner, repo] = String(fact.value).split('/')
      const isSplit = [...this.#leaves.values()].some(
        ({ parent, key }) => parent === leaf.parent && /owner$/i.test(key),
      )
      return mode === 'owner' ? owner : isSplit ? repo : fact.value
    }
    if (fact.kind === 'country' && /code/.test(leaf.name)) return fact.row?.['countryCode'] ?? fact.value
    if (column !== undefined && column !== '') return column
    const isSentence =
      /^(?:object|task|title|about|message|reason)$/.test(fact.kind) && !/["'“‘]$/.test(fact.before)
    if (isSentence && !/\b(?:item|product|query|search)/.test(leaf.name))
      return sentenceCase(String(fact.value))
    if (type !== 'string' && fact.kind === 'id') return Number(fact.value)
    if (typeof fact.value === 'number') {
      const number = numberFor(leaf.name, leaf.schemas, fact)
      return type === 'string' ? String(number) : number
    }
    if (type === 'string' && typeof fact.value === 'number') return String(fact.value)
    return fact.value
  }

  /** Returns a listed item's number or unit, such as 200 for `200g flour`. */
  #partOf(leaf: Leaf, index: number, type: string): Scalar | undefined {
    const [name = ''] = /\b(?:quantity|amount|count|qty|units?|price|cost|rate)$/.exec(leaf.name) ?? []
    const list =
      name &&
      [...this.#leaves.values()].find(({ parent, facts }) => parent === leaf.parent && facts[0]?.items)
        ?.facts[0]?.items
    const { count, unit, cost } = itemOf((list || [])[index] ?? '')
    if (cost !== undefined && (/price|cost|rate/.test(name) || (name === 'amount' && !count)))
      return type === 'string' ? String(cost) : cost
    if (/price|cost|rate/.test(name)) return undefined
    if (list && cost !== undefined && type !== 'string') return count ?? 1
    if (count === undefined) return undefined
    if (type !== 'string') return count
    return /unit/.test(name) ? unit || 'pieces' : `${count}${unit}`
  }

  /** Returns a date or time in the format that a field expects. */
  #moment({ schemas, field, role, name, parent }: Leaf, fact: Fact): string {
    const { list } = this.#facts
    const format = schemas.map((schema) => textAt(schema, 'format')).find(Boolean)
    const form = format ?? (field?.give as { date?: string } | undefined)?.date ?? 'date'
    const value = String(fact.value)
    if (fact.kind === 'datetime')
      return form === 'date'
        ? value.slice(0, 10)
        : form === 'time'
          ? value.slice(11)
          : value.replace(' ', 'T')
    const suffix = format === 'date-time' ? 'Z' : ''
    if (form === 'date' || (!format && fact.kind === 'date' && !list.some(({ kind }) => kind === 'time')))
      return value
    const isWhole = /\b(?:start|end|event|meeting)\b/.test(name) && list.some(({ kind }) => kind === 'date')
    const hasDay = [...this.#leaves.values()].some(
      (leaf) => leaf.parent === parent && /\b(?:date|day)$/.test(leaf.name),
    )
    if (form === 'time' && (format || !isWhole || hasDay)) return format === 'time' ? `${value}:00Z` : value
    const times = list.filter(({ kind }) => kind === 'time')
    const near = (kind: string) =>
      list
        .filter((other) => other.kind === kind)
        .sort((a, b) => Math.abs(a.start - fact.start) - Math.abs(b.start - fact.start))[0]
    const day = fact.kind === 'date' ? value : String(near('date')?.value ?? isoDay(new Date(this.#now)))
    const late = role === 'to' || /\bend/.test(name) ? times[1] : undefined
    const time = fact.kind === 'time' ? value : String((late ?? near('time'))?.value ?? '09:00')
    return `${day}T${time}:00${suffix}`
  }

  /** Chooses the enum member that the prompt names or implies, otherwise the default or any common member. */
  #member(
    leaf: Leaf,
    listed: readonly unknown[],
    schemas: readonly SchemaObject[],
    index: number,
    random: () => number,
  ): unknown {
    if (listed.length === 1) return listed[0]
    const mentioned = listed
      .map((value) => ({ value, at: this.#mention(value) }))
      .filter(({ at }) => at >= 0)
      .sort((left, right) => left.at - right.at)
    if (mentioned.length > 0) {
      const isTarget = (at: number) =>
        /\b(?:to|into|in|as)\s+(?:the\s)?$/.test(this.#lower.slice(Math.max(0, at - 12), at))
      const byRole =
        leaf.role === 'to'
          ? mentioned.findLast(({ at }) => isTarget(at))
          : leaf.role === 'from'
            ? mentioned.find(({ at }) => !isTarget(at))
            : undefined
      return (byRole ?? mentioned[leaf.isMany ? index % mentioned.length : 0])?.value
    }
    const implied = listed
      .map((value) => ({ value, count: this.#implied(value) }))
      .sort((left, right) => right.count - left.count)[0]
    if (implied && implied.count > 0) return implied.value
    const sample = schemas.map(sampleOf).find((value) => value !== undefined && listed.includes(value))
    if (sample !== undefined) return sample
    const related = listed
      .map((value) => ({ value, share: this.#overlap(value) }))
      .sort((left, right) => right.share - left.share)
    if (related[0] && related[0].share >= 0.5 && related[0].share > (related[1]?.share ?? 0))
      return related[0].value
    const isOptional = schemas.some((schema) => /\bnull if\b/i.test(textAt(schema, 'description') ?? ''))
    if (isOptional && listed.includes(null)) return null
    const usual = listed.filter(
      (value) =>
        value !== null &&
        !/^(?:other|unknown|none|n\/?a|null|error|failed|undefined|mixed|)$/i.test(String(value)),
    )
    const neutral = usual.find((value) =>
      /^(?:neutral|medium|normal|standard|relevance|default|auto)$/i.test(String(value)),
    )
    return neutral ?? usual[Math.floor(random() * usual.length)]
  }

  /** Returns a member's position in the prompt, or -1. */
  #mention(value: unknown): number {
    if (typeof value !== 'string' || value === '')
      return typeof value === 'number' ? this.#lower.search(new RegExp(`(?<![\\d.])${value}(?![\\d.])`)) : -1
    const known = this.#facts.list.find(({ value: text, row }) =>
      [text, row?.['code']].some((each) => String(each ?? '').toLowerCase() === value.toLowerCase()),
    )
    if (known) return known.start
    const words = split(value).split(' ').map(stem)
    if (words.join('').length < 2) return -1
    return this.#lower.search(
      new RegExp(
        `(?<![\\p{L}\\d])${words.map(escaped).join('\\p{L}{0,3}[\\s_-]*')}(?:\\p{L}{0,3})(?![\\p{L}\\d])`,
        'u',
      ),
    )
  }

  /** Returns the share of a member's words that the prompt contains or implies, in any order. */
  #overlap(value: unknown): number {
    const words = split(String(value))
      .split(' ')
      .filter((word) => word.length > 2)
    const hits = words.filter((word) => this.#mention(word) >= 0 || this.#implied(word) > 0)
    return words.length > 1 ? hits.length / words.length : 0
  }

  /** Counts words that suggest a member: `asap` suggests `urgent`. */
  #implied(value: unknown): number {
    const key = split(String(value)).replaceAll(' ', '_')
    const source = (fixtures.synonyms as Record<string, string>)[key]
    return source && Object.hasOwn(fixtures.synonyms, key)
      ? (this.#lower.match(new RegExp(`(?<![\\p{L}])(?:${source})(?![\\p{L}])`, 'gu'))?.length ?? 0)
      : 0
  }

  #flag({ words, name }: Leaf, schemas: readonly SchemaObject[]): boolean {
    const own = words.filter(
      (word) =>
        !/^(?:has|should|include|with|allow|enable|enabled|needs?|use|do|was|are|requires?|required|wants?)$/.test(
          word,
        ),
    )
    const at =
      own.length > 0
        ? this.#lower.search(
            new RegExp(
              `(?<!\\p{L})${own.map((word) => escaped(stem(word))).join('\\p{L}{0,4}[\\s_-]*')}`,
              'u',
            ),
          )
        : -1
    if (at >= 0)
      return !/\b(?:no|not|without|don['’]t|do not|never|non|except|disable|turn off|isn['’]t)[\s-](?:\S+\s){0,2}$/.test(
        this.#lower.slice(Math.max(0, at - 30), at),
      )
    if (/\b(?:on|enabled?|active|power|state)\b/.test(name))
      return !/\b(?:turn|switch)(?:ed)? (?:\S+ ){0,4}off\b|\bdisable|\bdeactivate|\bstop\b/.test(this.#lower)
    const description = schemas.map((schema) => textAt(schema, 'description') ?? '').join(' ')
    return new RegExp(fixtures.yes).test(`${name} ${description.toLowerCase().slice(0, 100)}`)
  }

  /** Returns a value from the tables. An object's related fields get values from the same row. */
  #given(leaf: Leaf, index: number, type: string, schemas: readonly SchemaObject[]): Scalar | undefined {
    const isNumber = type === 'number' || type === 'integer'
    const give = leaf.field?.give
    if (
      isNumber &&
      leaf.isMany &&
      /\b(?:day|week|step|index|order|position|rank|number|no|line|chapter|id)$/.test(leaf.name)
    )
      return index + 1
    const { statement, sentences } = this.#facts
    if (leaf.isMany && /\bpoints?$|highlights|takeaways/.test(leaf.name) && sentences[index])
      return sentences[index]
    if (!isNumber && statement && !leaf.isMany) {
      const own = leaf.name.split(' ').at(-1) ?? ''
      if (/^(?:title|subject|headline)$/.test(own) || (own === 'name' && /^@products/.test(String(give))))
        return sentenceCase(this.#facts.topic)
      if (
        /^(?:description|details|issue|problem|summary|body|note|notes|content)$/.test(own) ||
        /^\{(?:Summary|Explanation|Sentence|Message)\}$/.test(String(give))
      )
        return sentenceCase(statement)
    }
    const example = isNumber ? undefined : exampleIn(schemas)
    if (example !== undefined && !leaf.isMany) return this.#likeExample(example) ?? example
    if ((give === undefined || give === '') && !isNumber) return this.#idea(leaf, index)
    if (give === undefined || give === '') return undefined
    let value: unknown = give
    if (Array.isArray(give))
      value = give[Math.floor(draw(this.#seed, leaf.key) * give.length + index) % give.length]
    else if (typeof give === 'object' && give !== null) {
      const { min, max, step = 1, date } = give as { min: number; max: number; step?: number; date?: string }
      if (date) return isNumber ? undefined : this.#date(leaf, index, date)
      const steps = Math.floor((max - min) / step)
      value = Number((min + step * Math.floor(draw(this.#seed, leaf.key, index) * (steps + 1))).toFixed(4))
    }
    if (typeof value === 'string' && value.startsWith('@')) value = this.#cell(leaf, index, value.slice(1))
    if (typeof value === 'string') value = this.#fill(value, leaf, index)
    const [, low, high] =
      /\b(?:between|from)?\s*(\d+(?:\.\d+)?)\s*(?:and|to|-|–)\s*(\d+(?:\.\d+)?)/i.exec(
        schemas
          .map((schema) => textAt(schema, 'description') ?? '')
          .join(' ')
          .slice(0, 200),
      ) ?? []
    if (
      isNumber &&
      low &&
      high &&
      typeof value === 'number' &&
      (value < Number(low) || value > Number(high))
    ) {
      const drawn =
        Number(low) + (Number(high) - Number(low)) * (0.6 + 0.3 * draw(this.#seed, leaf.key, index))
      return type === 'integer' ? Math.round(drawn) : Number(drawn.toFixed(2))
    }
    if (isNumber) return this.#ordered(leaf, index, typeof value === 'number' ? value : Number.NaN, type)
    return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : undefined
  }

  /** Returns text from the prompt in the form of an example, such as `LH 441` for `UA123`. */
  #likeExample(example: string): string | undefined {
    if (!/\d/.test(example) || example.length > 30) return undefined
    const shape = (example.match(/[A-Z]+|[a-z]+|\d+|[^A-Za-z\d]+/g) ?? [])
      .map((part) =>
        /[A-Z]/.test(part)
          ? '[A-Z]{1,8}'
          : /[a-z]/.test(part)
            ? '[a-z]{1,20}'
            : /\d/.test(part)
              ? '\\d{1,12}'
              : escaped(part),
      )
      .join('[ -]?')
    return new RegExp(`(?<![\\p{L}\\d])${shape}(?![\\p{L}\\d])`, 'u').exec(this.#facts.text)?.[0]
  }

  /** Returns a name or a few words from the prompt, for fields without an entry. */
  #idea(leaf: Leaf, index: number): string {
    const taken = [...this.#leaves.values()].flatMap(({ facts }) => facts)
    const free = this.#facts.list.filter(
      (fact) => /^(?:quote|name|person|company|city)$/.test(fact.kind) && !taken.includes(fact),
    )
    const ideas = [
      ...free.map(({ value }) => String(value)),
      sentenceCase(this.#facts.topic),
      ...this.#keywords().map(sentenceCase),
    ]
    const place = Math.max(
      0,
      [...this.#leaves.values()]
        .filter(({ field, facts, schemas }) => !field && facts.length === 0 && !schemas.some(listedValues))
        .indexOf(leaf),
    )
    return ideas[(place + index) % ideas.length] ?? 'Sample'
  }

  #hasObject(): boolean {
    return this.#facts.list.some(({ kind }) => kind === 'object')
  }

  /** Returns the prompt's subject words. */
  #keywords(): string[] {
    const { topic, text } = this.#facts
    return [...subjectWords(`${topic} ${text.slice(0, 500)}`)].filter(
      (word) => !isCommon(word) && /^\p{L}{3,}/u.test(word),
    )
  }

  /** Returns the number, or for a range's upper end such as `max_price`, one that exceeds the matching `min_price`. */
  #ordered(leaf: Leaf, index: number, value: number, type: string): number | undefined {
    const [upper] = /\b(?:max|maximum|end|high|upper|to)\b/.exec(leaf.name) ?? []
    const other =
      upper &&
      this.#leaves.get(
        leaf.key.replace(
          new RegExp(`${upper}(?=[^/]*$)`, 'i'),
          { max: 'min', maximum: 'minimum', end: 'start', high: 'low', upper: 'lower', to: 'from' }[upper] ??
            upper,
        ),
      )
    const low =
      other && other !== leaf
        ? (this.#valueOf(other, index, type) ?? this.#given(other, index, type, other.schemas))
        : undefined
    const result = typeof low === 'number' ? low * 2 || 10 : value
    if (Number.isNaN(result)) return undefined
    return type === 'integer' ? Math.round(result) : result
  }

  /** Returns a column of the object's table row, which is that of a value in the prompt or a random one. */
  #cell({ parent, role, field, key }: Leaf, index: number, cell: string): string | number | undefined {
    const [table = '', column = ''] = cell.split('.')
    const rows = (fixtures.tables as Record<string, readonly Row[]>)[table] ?? []
    const siblings = [...this.#leaves.values()].filter((leaf) =>
      leaf.facts.some(({ row }) => row?.[column] !== undefined),
    )
    const sibling =
      siblings.find((leaf) => leaf.parent === parent && leaf.role === role) ??
      (role
        ? undefined
        : siblings.find((leaf) => leaf.parent.startsWith(parent) || parent.startsWith(leaf.parent)))
    const known =
      sibling?.facts[Math.min(index, sibling.facts.length - 1)] ??
      (column === 'city'
        ? undefined
        : this.#facts.list.find(({ row }) => table === 'places' && row?.[column] !== undefined))
    if (known?.row?.[column] !== undefined && sibling?.key !== key && !(index > 0 && key.endsWith('*')))
      return known.row[column]
    const group = `${parent}/${role ?? ''}`
    const base = /^(?:ingredients|tasks)$/.test(table)
      ? 0
      : Math.floor(draw(this.#seed, table, group) * rows.length)
    return field && rows[(base + index) % rows.length]?.[column]
  }

  #fill(template: string, leaf: Leaf, index: number): string {
    const { topic, query } = this.#facts
    const cell = (name: string) => String(this.#cell(leaf, index, name) ?? '')
    const person = () => this.#personOf(leaf, index)
    const slug = (words: string) =>
      words
        .normalize('NFKD')
        .replace(/\p{M}/gu, '')
        .toLowerCase()
        .replace(/[^a-z\d]+/g, '.')
        .replace(/^\.|\.$/g, '')
    const keywords = this.#keywords()
    const slots: Record<string, () => string> = {
      topic: () => topic,
      Category: () => (this.#hasObject() ? sentenceCase(keywords[0] ?? topic) : cell('products.category')),
      Product: () =>
        this.#hasObject()
          ? `A well-made ${topic.toLowerCase().replace(/^(?:an?|the) /, '')} for everyday use.`
          : cell('products.description'),
      Parent: () =>
        `${sentenceCase((leaf.name.split(' ').at(-2) ?? 'sample').replace(/s$/, ''))} ${index + 1}`,
      Topic: () => sentenceCase(topic),
      query: () => query,
      person,
      Name: () =>
        new RegExp(
          `${fixtures.generic}|\\b(?:user|person|customer|contact|character|employee|profile)\\b`,
          'i',
        ).test(topic)
          ? person()
          : sentenceCase(topic),
      email: () => `${slug(person()) || 'hello'}@example.com`,
      username: () => slug(person()).replace('.', '_'),
      address: () => `${cell('places.street')}, ${cell('places.city')}`,
      id: () =>
        `${(leaf.name.match(/[a-z]+/)?.[0] ?? 'id').slice(0, 3).toUpperCase()}-${1000 + Math.floor(draw(this.#seed, leaf.key, index) * 9000)}`,
      uuid: () => uuid(this.#seed, leaf.key, index),
      index: () => String(index + 1),
      keyword: () => (keywords[index % Math.max(1, keywords.length)] ?? 'general').toLowerCase(),
      tag: () => (keywords[index % Math.max(1, keywords.length)] ?? 'general').toLowerCase(),
      table: () => (keywords.find((word) => /s$/.test(word)) ?? keywords[0] ?? 'items').toLowerCase(),
    }
    for (const [name, sentences] of Object.entries(fixtures.sentences))
      slots[name] = () =>
        this.#fill(sentences[Math.floor(draw(this.#seed, leaf.key) * sentences.length)] ?? '', leaf, index)
    return template.replace(/\{(\w+)\}/g, (slot, name: string) => slots[name]?.() ?? slot)
  }

  /** Returns the person that a leaf's object describes. */
  #personOf(leaf: Leaf, index: number): string {
    const near = [...this.#leaves.values()].find(
      (other) =>
        other.parent === leaf.parent &&
        other.key !== leaf.key &&
        other.facts.some(({ kind }) => kind === 'person' || kind === 'name'),
    )
    const fact = near?.facts[Math.min(index, near.facts.length - 1)]
    if (fact) return String(fact.value)
    return `${this.#cell(leaf, index, 'people.first')} ${this.#cell(leaf, index, 'people.last')}`
  }

  /** Returns a date, which is a day or an hour later for the end of a range. */
  #date(leaf: Leaf, index: number, form: string): string {
    const start = [...this.#leaves.values()].find(
      (other) =>
        other !== leaf &&
        other.parent === leaf.parent &&
        other.role !== 'to' &&
        other.field?.give === leaf.field?.give &&
        other.facts.length > 0,
    )
    const isEnd = leaf.role === 'to' || /\b(?:updated|end|return|completed)\b/.test(leaf.name)
    const known = start && String(this.#valueOf(start, index, 'string'))
    const format = leaf.schemas.map((schema) => textAt(schema, 'format')).find(Boolean)
    const length = this.#lengthOf()
    const day = 86_400_000
    const isPast =
      /\b(?:created|updated|published|order|invoice|sent|received|completed|issued|hire|last|purchase|timestamp)\b/.test(
        leaf.name,
      )
    const drawn =
      this.#now +
      (isPast ? -1 : 1) * (3 + index + Math.floor(draw(this.#seed, leaf.parent, 'date') * 20)) * day +
      9 * 3_600_000
    const parsed = known
      ? Date.parse(
          /^\d\d:\d\d/.test(known)
            ? `${isoDay(new Date(this.#now))}T${known.slice(0, 5)}Z`
            : known.replace(/(T[\d:.]+)$/, '$1Z'),
        )
      : Number.NaN
    const base = Number.isNaN(parsed) ? drawn : parsed
    const later = form === 'date' ? Math.max(day, Math.ceil(length / day) * day) : length || 3_600_000
    const moment = new Date(isEnd ? base + (form === 'date' && !length ? 3 * day : later) : base)
    const iso = Number.isNaN(moment.getTime()) ? new Date(drawn).toISOString() : moment.toISOString()
    if (form === 'date') return iso.slice(0, 10)
    if (form === 'time') return format === 'time' ? `${iso.slice(11, 19)}Z` : iso.slice(11, 16)
    return format === 'date-time'
      ? `${iso.slice(0, 19)}Z`
      : known && /^\d\d:\d\d$/.test(known)
        ? iso.slice(11, 16)
        : iso.slice(0, 19)
  }

  /** Returns the duration in the prompt in milliseconds, or 0 if there is none. */
  #lengthOf(): number {
    const [, count = '0', unit = ''] =
      /\b(\d+|an?|one|two|three)[\s-](min|hour|hr|night|day|week)/.exec(this.#lower) ?? []
    const words: Record<string, number> = { a: 1, an: 1, one: 1, two: 2, three: 3 }
    const units: Record<string, number> = {
      min: 60_000,
      hour: 3_600_000,
      hr: 3_600_000,
      night: 86_400_000,
      day: 86_400_000,
      week: 604_800_000,
    }
    return (words[count] ?? Number(count)) * (units[unit] ?? 0)
  }
}

/** Returns a schema's default or, without one, its first example. */
function sampleOf(schema: SchemaObject): unknown {
  const { examples, example } = schema
  return schema['default'] ?? (Array.isArray(examples) ? examples[0] : undefined) ?? example
}

/** Returns the first example in a description, such as `e.g. San Francisco, CA`. */
function exampleIn(schemas: readonly SchemaObject[]): string | undefined {
  for (const schema of schemas) {
    const [, found] =
      /(?:e\.g\.?,?|for example,?|such as|example:|like)\s+["'“‘`]?([^"'”’`();]{2,60}?)["'”’`]?(?=\s(?:or|and)\s|[);"'`]|\.\s|\.?$)/i.exec(
        textAt(schema, 'description')?.slice(0, 400) ?? '',
      ) ?? []
    if (found) return found
  }
  return undefined
}

/** Splits text such as `200g flour` or `2 x Mug $9` into number, unit, name and price. */
function itemOf(item: string): { count?: number; unit: string; name: string; cost?: number } {
  const [paid = ''] = new RegExp(`\\s*${price}(?: each| per \\w+)?$`, 'i').exec(item) ?? []
  const cost = paid ? { cost: Number(paid.replace(/[^\d.]/g, '')) } : {}
  const rest = item.slice(0, item.length - paid.length)
  const pattern =
    /^(\d+(?:\.\d+)?|two|three|four|five|six|an?|one)\s*(g|kg|ml|l|oz|lbs?|cups?|tbsp|tsp|tablespoons?|teaspoons?|x)?\s+(?:of )?(.+)$/i
  const [, number, unit = '', name] = pattern.exec(rest) ?? []
  if (!number || !name) return { unit: '', name: rest.replace(/(?<=\p{L}.*)\s[\d.,]+$/u, ''), ...cost }
  const count = (fixtures.numbers as Record<string, number>)[number.toLowerCase()] ?? (Number(number) || 1)
  return {
    count,
    unit: unit.replace('x', ''),
    name: name.replace(/\s[\d.,]+\s*(?:[€$£]|eur|usd)?$/i, ''),
    ...cost,
  }
}

const units: readonly (readonly [RegExp, string, number])[] = [
  [/^(?:ms|millisec)/, 'time', 0.001],
  [/^(?:s$|sec)/, 'time', 1],
  [/^min/, 'time', 60],
  [/^(?:h$|hr|hour)/, 'time', 3600],
  [/^days?$/, 'time', 86_400],
  [/^(?:cents?|pence|minor)$/, 'money', 0.01],
  [/^(?:usd|eur|gbp|dollars?|euros?|pounds?|[$€£])/, 'money', 1],
  [/^(?:cm|centimet)/, 'length', 0.01],
  [/^(?:m$|met(?:er|re))/, 'length', 1],
  [/^(?:km|kilomet)/, 'length', 1000],
  [/^(?:mi$|miles?)/, 'length', 1609.344],
  [/^(?:g$|grams?)/, 'mass', 1],
  [/^(?:kg|kilo)/, 'mass', 1000],
]

function unitOf(word: string): (typeof units)[number] | undefined {
  return units.find(([pattern]) => pattern.test(word))
}

/** Returns a number in the unit that the field's name or description asks for. */
function numberFor(name: string, schemas: readonly SchemaObject[], fact: Fact): number {
  const [, described = ''] = /\b(?:in|as) (\p{L}+)/u.exec(textAt(schemas[0] ?? {}, 'description') ?? '') ?? []
  return inUnit(fact, unitOf(name.split(' ').at(-1) ?? '') ? name : described.toLowerCase())
}

/** Converts a number to the unit that a field names. Money without a unit is in whole units. */
function inUnit({ kind, value, after }: Fact, name: string): number {
  const to = unitOf(name.split(' ').at(-1) ?? '')
  const from =
    unitOf(/^[\s-]*([\p{L}€£$]+)/u.exec(after)?.[1] ?? '') ?? (kind === 'money' ? unitOf('usd') : undefined)
  const number = Number(value)
  return from && to && from[1] === to[1] && from[2] !== to[2]
    ? Math.round((number * from[2] * 100) / to[2]) / 100
    : number
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
