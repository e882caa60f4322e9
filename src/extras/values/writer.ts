/** Writes a field's value: what the prompt states, otherwise a default, an example or a sample. */
import fixtures from '../../../fixtures/values.json' with { type: 'json' }
import { draw, uuid } from '../../lib/seed.ts'
import { Unsatisfiable } from '../../model/json-schema/generate-value.ts'
import { listedValues, numbersAt, textAt, typesOf } from '../../model/json-schema/schema.ts'
import { subjectWords } from '../../model/text/words.ts'
import type { SchemaObject, ValuePlace } from '../../resources/json-schema.ts'
import { dateFormatIn, inDateFormat, isoDay } from './dates.ts'
import { type Fact, type Facts, isCommon, price, type Row } from './facts.ts'
import { escaped, type Leaf, sentenceCase, split, stem } from './fields.ts'
import { inPattern, isMatch } from './matching.ts'
import { numberFor } from './units.ts'

const maxItems = 12

type Scalar = string | number | boolean

export class Writer {
  readonly #leaves: ReadonlyMap<string, Leaf>
  readonly #facts: Facts
  readonly #seed: string
  readonly #now: number
  readonly #lower: string
  /** Keys of optional values that the prompt does not state. */
  #omitted: ReadonlySet<string> | undefined
  /** Indexes of the value to propose, outermost first. */
  #steps: readonly number[] = []

  /** @param isComplete If true, optional values that the prompt does not state are not omitted. */
  constructor(
    leaves: ReadonlyMap<string, Leaf>,
    facts: Facts,
    seed: string,
    now: number,
    isComplete = false,
  ) {
    if (isComplete) this.#omitted = new Set()
    this.#leaves = leaves
    this.#facts = facts
    this.#seed = seed
    this.#now = now
    this.#lower = facts.text.toLowerCase()
  }

  /**
   * Proposes a value or, for an array, only its number of items. Returns undefined if there is nothing to propose.
   * Throws `Unsatisfiable` to omit an optional value that the prompt does not state.
   */
  propose({ path, type, schemas, random }: ValuePlace): unknown {
    const key = path.map((step) => (typeof step === 'number' ? '*' : step)).join('/')
    this.#steps = path.filter((step) => typeof step === 'number')
    if (type !== 'null' && this.#isOmitted(key)) throw new Unsatisfiable(`${key} is not stated`)
    if (type === 'array') return this.#arrayOf(key) ?? this.#countOf(key)
    if (type === 'object' || type === 'null') return undefined
    const index = this.#steps.at(-1) ?? 0
    const leaf = this.#leaves.get(key)
    if (!leaf) return undefined
    return this.#stated(leaf, type, schemas, index) ?? this.#assumed(leaf, type, schemas, index, random)
  }

  /** Returns true for an optional value that is not in a prompt that states other values. */
  #isOmitted(key: string): boolean {
    this.#omitted ??= this.#findOmitted()
    return this.#omitted.has(key)
  }

  #findOmitted(): Set<string> {
    const leaves = [...this.#leaves.values()]
    const stated = leaves.filter((leaf) => {
      const type = leaf.schemas.flatMap((schema) => typesOf(schema) ?? [])[0] ?? 'string'
      return (
        /\{(?:query|Topic|Sentence)\}/.test(String(leaf.field?.give)) ||
        this.#stated(leaf, type, leaf.schemas, 0) !== undefined
      )
    })
    const kept = new Set(stated.flatMap(({ optional }) => optional))
    const all = leaves.flatMap(({ optional }) => optional)
    return new Set(stated.length > 0 ? all.filter((key) => !kept.has(key)) : [])
  }

  /** Returns the value that the prompt states. */
  #stated(leaf: Leaf, type: string, schemas: readonly SchemaObject[], index: number): unknown {
    const listed = schemas.map(listedValues).find((values) => values !== undefined)
    if (listed) return this.#statedMember(leaf, listed, index)
    if (type === 'boolean') return this.#statedFlag(leaf)
    if (
      type === 'string' &&
      /\b(?:question posed|user(?:['’]s)? (?:message|question|query)|user input)\b/i.test(leaf.description)
    )
      return this.#facts.text.trim()
    if (isPlaceInList(leaf, type)) return undefined
    return this.#partOf(leaf, index, type) ?? this.#valueOf(leaf, index, type) ?? this.#matching(schemas)
  }

  /**
   * Returns the first word of the prompt that matches the schema's pattern, if the pattern is specific
   * enough.
   */
  #matching(schemas: readonly SchemaObject[]): string | undefined {
    const source = schemas.map((schema) => textAt(schema, 'pattern')).find(Boolean)
    return source && /\{|\d|\\d|[A-Z]-/.test(source)
      ? this.#facts.words.find((word) => /\d|_/.test(word) && isMatch(source, word))
      : undefined
  }

  /** Returns a default, an example or a sample. */
  #assumed(
    leaf: Leaf,
    type: string,
    schemas: readonly SchemaObject[],
    index: number,
    random: () => number,
  ): unknown {
    const listed = schemas.map(listedValues).find((values) => values !== undefined)
    const sample = schemas.map(sampleOf).find((value) => value !== undefined)
    if (listed) return this.#assumedMember(listed, sample, random)
    if (isPlaceInList(leaf, type)) return index + 1
    if (sample !== undefined) return sample
    const usual = defaultIn(leaf.description, type)
    if (usual !== undefined && !leaf.isMany) return usual
    if (type === 'boolean') return this.#assumedFlag(leaf, schemas)
    if (schemas.some(({ pattern }) => pattern !== undefined && leaf.field === undefined)) return undefined
    return this.#given(leaf, index, type, schemas)
  }

  /** Returns the prompt's list in brackets. */
  #arrayOf(key: string): unknown {
    return [...this.#leaves.values()].find(
      (leaf) => leaf.key.startsWith(`${key}/*`) && /^[/*]+$/.test(leaf.key.slice(key.length)),
    )?.facts[0]?.values
  }

  /** Returns an array with one place per value found, which the generator fills. */
  #countOf(key: string): number | undefined {
    let count = 0
    for (const leaf of this.#leaves.values()) {
      if (!leaf.key.startsWith(`${key}/*`) || leaf.key.includes('*', key.length + 2)) continue
      const listed = leaf.schemas.map(listedValues).find((values) => values !== undefined)
      const matched =
        listed && leaf.key === `${key}/*` ? listed.filter((value) => this.#position(value) >= 0) : []
      count = Math.max(count, matched.length, leaf.facts[0]?.items?.length ?? leaf.facts.length)
    }
    const own = key.replace(/^.*\//, '')
    const item = this.#leaves.get(`${key}/*`)
    const isNone = new RegExp(
      `(?<!\\p{L})(?:no|without|any) (?:known )?${escaped(stem(split(own)))}`,
      'u',
    ).test(this.#lower)
    if (count === 0 && item && (isNone || (item.field === undefined && !item.schemas.some(listedValues))))
      return 0
    const noun = stem(split(own))
    const isGeneric = /^(?:items|results|data|values|entries|response|output)$/.test(own)
    const asked = new RegExp(
      `(\\d+|two|three|four|five|six|seven|eight|nine|ten) (?:(?!per )[\\p{L}-]+ ){0,2}${isGeneric ? '\\p{L}+s\\b' : escaped(noun)}`,
      'u',
    ).exec(this.#lower)?.[1]
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
    const [first] = leaf.facts
    const fact = first?.items || !leaf.isMany ? first : leaf.facts[index]
    if (!fact) return undefined
    const coded = leaf.schemas.some(({ pattern }) => pattern !== undefined)
      ? inPattern(fact, leaf.schemas)
      : undefined
    if (coded !== undefined) return coded
    if (fact.row?.['code'] && /abbreviation|'[A-Z]{2}'/.test(leaf.description)) return fact.row['code']
    const label = new RegExp(`^${escaped(leaf.words.join(' '))}s? (?=\\S)`, 'i')
    if (fact.items) return itemOf(fact.items[index]?.replace(label, '') ?? '').name || undefined
    const mode = leaf.field?.takes.find(([kind]) => kind === fact.kind)?.[1]
    const column = mode && fact.row?.[mode]
    if (fact.kind === 'time' && type !== 'string')
      return Number(String(fact.value).split(':')[/minutes?$/.test(leaf.name) ? 1 : 0])
    if (fact.kind === 'date' || fact.kind === 'time' || fact.kind === 'datetime')
      return this.#isSameMoment(leaf, fact) ? undefined : this.#moment(leaf, fact)
    if (mode === 'owner' || mode === 'repo') {
      const [owner, repo = owner] = String(fact.value).split('/')
      const isSplit = [...this.#leaves.values()].some(
        ({ parent, key }) => parent === leaf.parent && /owner$/i.test(key),
      )
      return mode === 'owner' ? owner : isSplit ? repo : fact.value
    }
    if (
      /^(?:city|country|region|name)$/.test(fact.kind) &&
      (mode === 'place' ||
        /\b[Cc]ity,? (?:and )?(?:[Ss]tate|[Cc]ountry)|, [A-Z]{2}\b/.test(leaf.description)) &&
      type === 'string'
    )
      return this.#placeOf(leaf, fact)
    if (column !== undefined && column !== '') return column
    const isSentence =
      /^(?:object|task|title|about|message|reason)$/.test(fact.kind) && !/["'“‘]$/.test(fact.before)
    if (isSentence && !/\b(?:item|product|query|search)/.test(leaf.name))
      return sentenceCase(String(fact.value))
    if (type !== 'string' && fact.kind === 'id') return Number(fact.value)
    if (typeof fact.value === 'number') {
      const number = numberFor(leaf, fact)
      return type === 'string' ? String(number) : number
    }
    return fact.value
  }

  /** Returns a place with the state or country that follows it, or that the description asks for. */
  #placeOf({ description }: Leaf, { value, row, end }: Fact): string {
    const isSplit = [...this.#leaves.values()].some(({ name }) =>
      /\b(?:country|state|province|region)$/.test(name),
    )
    const [rest = ''] =
      /^,? (?:\p{Lu}\.){2}|^, (?:[A-Z]{2,3}\b|\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)?)(?!\p{L}|['’])/u.exec(
        this.#facts.text.slice(end),
      ) ?? []
    if (isSplit) return String(value)
    if (rest) return `${value}${rest.startsWith(',') ? '' : ','}${rest}`.replace(', ,', ',')
    const known =
      row?.['countryCode'] === 'US'
        ? row['region']
        : row?.['state'] || (/country/i.test(description) ? row?.['country'] : '')
    return known &&
      /\b[Ss]tate\b|, [A-Z]{2}\b|country/i.test(description) &&
      /\b(?:city|e\.g|such as|like)\b/i.test(description)
      ? `${value}, ${known}`
      : String(value)
  }

  /** Returns a listed item's number or unit, such as 200 for `200g flour`. */
  #partOf(leaf: Leaf, index: number, type: string): Scalar | undefined {
    const [name = ''] = /\b(?:quantity|amount|count|qty|units?|price|cost|rate)$/.exec(leaf.name) ?? []
    const list =
      name &&
      [...this.#leaves.values()].find(({ parent, facts }) => parent === leaf.parent && facts[0]?.items)
        ?.facts[0]?.items
    const { count, unit, cost } = itemOf((list || [])[index] ?? '')
    if (cost !== undefined && /price|cost|rate/.test(name)) return type === 'string' ? String(cost) : cost
    if (count === undefined) return undefined
    if (type !== 'string') return count
    return /unit/.test(name) ? unit || 'pieces' : `${count}${unit}`
  }

  /** Returns true for the end of a range if the prompt has only its start. */
  #isSameMoment(leaf: Leaf, fact: Fact): boolean {
    return (
      leaf.role === 'to' &&
      this.#lengthOf() > 0 &&
      this.#facts.list.filter(({ kind }) => kind === fact.kind).length === 1 &&
      [...this.#leaves.values()].some(
        (other) => other.role !== 'to' && other.field === leaf.field && other.facts.length > 0,
      )
    )
  }

  /** Returns a date or time in the format that a field expects. */
  #moment({ schemas, field, role, name, parent, description }: Leaf, fact: Fact): string {
    const { list } = this.#facts
    const near = (kind: string) =>
      list
        .filter((other) => other.kind === kind)
        .sort((a, b) => Math.abs(a.start - fact.start) - Math.abs(b.start - fact.start))[0]
    const format = schemas.map((schema) => textAt(schema, 'format')).find(Boolean)
    const today = isoDay(new Date(this.#now))
    const written = format ? undefined : dateFormatIn(description)
    if (written && fact.kind !== 'datetime') {
      const time = near('time')
      return inDateFormat(written, String(near('date')?.value ?? today), time && String(time.value))
    }
    const form = format ?? (field?.give as { date?: string } | undefined)?.date ?? 'date'
    const value = String(fact.value)
    if (fact.kind === 'datetime')
      return form === 'date'
        ? value.replace(/[ T].*/, '')
        : value.replace(' ', 'T').replace(/(T\d\d:\d\d)$/, '$1:00') +
            (format && /:[\d.]+$/.test(value) ? 'Z' : '')
    const suffix = format === 'date-time' ? 'Z' : ''
    if (form === 'date' || (!format && !list.some(({ kind }) => kind === 'time'))) return value
    const isWhole = /\b(?:start|end|event|meeting)\b/.test(name) && list.some(({ kind }) => kind === 'date')
    const hasDay = [...this.#leaves.values()].some(
      (leaf) => leaf.parent === parent && /\b(?:date|day)$/.test(leaf.name),
    )
    if (form === 'time' && (format || !isWhole || hasDay)) return format === 'time' ? `${value}:00Z` : value
    const times = list.filter(({ kind }) => kind === 'time')
    const day = fact.kind === 'date' ? value : String(near('date')?.value ?? today)
    const late = role === 'to' ? times[1] : undefined
    const time = fact.kind === 'time' ? value : String((late ?? near('time'))?.value ?? '09:00')
    return `${day}T${time}:00${suffix}`
  }

  /** Returns the enum member that the prompt names or implies. */
  #statedMember(leaf: Leaf, listed: readonly unknown[], index: number): unknown {
    const mentioned = listed
      .map((value) => ({ value, at: leaf.isMany ? this.#position(value) : this.#mention(value) }))
      .filter(({ at }) => at >= 0)
      .sort(
        (left, right) =>
          (leaf.isMany ? 0 : this.#exactness(right.value) - this.#exactness(left.value)) ||
          left.at - right.at,
      )
    if (mentioned.length > 0) {
      const isTarget = (at: number) => /\b(?:to|into|in|as)\s+(?:the\s)?$/.test(this.#lower.slice(0, at))
      const byRole =
        leaf.role === 'to'
          ? mentioned.findLast(({ at }) => isTarget(at))
          : leaf.role === 'from'
            ? mentioned.find(({ at }) => !isTarget(at))
            : undefined
      return (byRole ?? mentioned[leaf.isMany ? index % mentioned.length : 0])?.value
    }
    const rated = listed
      .map((value) => ({ value, score: this.#implied(value) + this.#overlap(value) }))
      .sort((left, right) => right.score - left.score)
    const [best, next] = rated
    return best && best.score >= 0.5 && best.score !== next?.score ? best.value : undefined
  }

  /** Returns the default member, null, or a common one. */
  #assumedMember(listed: readonly unknown[], sample: unknown, random: () => number): unknown {
    if (listed.includes(sample)) return sample
    if (listed.includes(null)) return null
    const usual = listed.filter(
      (value) => !/^(?:other|unknown|none|n\/?a|error|failed|undefined|mixed|)$/i.test(String(value)),
    )
    const neutral = usual.find((value) =>
      /^(?:neutral|medium|normal|standard|relevance|default|auto|english|en)$/i.test(String(value)),
    )
    return neutral ?? usual[Math.floor(random() * usual.length)]
  }

  /** Returns a member's position in the prompt; without one, a negative number or NaN. */
  #mention(value: unknown): number {
    if (typeof value === 'number') return this.#lower.search(new RegExp(`(?<![\\d.])${value}(?![\\d.])`))
    if (typeof value !== 'string') return Number.NaN
    const short = value.replace(/^([a-z]{2})-[A-Z]{2}$/, '$1').toLowerCase()
    const known = this.#facts.list.find(({ value: text, row }) =>
      [text, row?.['code']].some((each) => String(each).toLowerCase() === short),
    )
    if (known) return known.start
    const words = split(value).split(' ').map(stem)
    if (/^.?$/.test(words.join(''))) return Number.NaN
    return this.#lower.search(
      new RegExp(
        `(?<![a-zà-ÿ\\d.])${words.map(escaped).join('[a-zà-ÿ]{0,3}[\\s_-]*')}[a-zà-ÿ]{0,3}(?![a-zà-ÿ\\d])`,
      ),
    )
  }

  /** Returns 1 if the prompt has a member as a whole word, otherwise 0. */
  #exactness(value: unknown): number {
    const words = split(String(value)).replaceAll(' ', '[ _-]')
    return new RegExp(`(?<![a-zà-ÿ\\d])${words}(?![a-zà-ÿ\\d])`).test(this.#lower) ? 1 : 0
  }

  /** Returns the position of a member or of a word that implies it; without one, a negative number or NaN. */
  #position(value: unknown): number {
    const at = this.#mention(value)
    const source = this.#synonymsOf(String(value))
    return at >= 0 || !source ? at : this.#lower.search(new RegExp(`(?<![a-zà-ÿ])(?:${source})(?![a-zà-ÿ])`))
  }

  #synonymsOf(value: string): string | undefined {
    const key = split(value).replaceAll(' ', '_')
    return Object.hasOwn(fixtures.synonyms, key)
      ? (fixtures.synonyms as Record<string, string>)[key]
      : undefined
  }

  /** Returns the share of a member's words that the prompt contains or implies, in any order. */
  #overlap(value: unknown): number {
    const words = split(String(value))
      .split(' ')
      .filter((word) => word.length > 2)
    const hits = words.filter(
      (word) => this.#mention(word) >= 0 || this.#implied(word) > 0 || this.#hasRelated(word),
    )
    return words.length > 0 ? hits.length / words.length : 0
  }

  /** Returns true if the prompt has a word with the same root, such as `dermatologist` for `dermatology`. */
  #hasRelated(word: string): boolean {
    const [, root] = /^(.{5,}).{3}$/.exec(word) ?? []
    return root !== undefined && this.#has(escaped(root))
  }

  /** Returns true if a word of the prompt starts with a pattern. */
  #has(source: string): boolean {
    return new RegExp(`(?<![a-zà-ÿ])(?:${source})`).test(this.#lower)
  }

  /** Counts words that suggest a member: `asap` suggests `urgent`. */
  #implied(value: unknown): number {
    const source = this.#synonymsOf(String(value)) ?? '(?!)'
    return [...this.#lower.matchAll(new RegExp(`(?<![a-zà-ÿ])(?:${source})(?![a-zà-ÿ])`, 'g'))].length
  }

  /** Returns true if the prompt names a boolean field, false if it does so with a negation. */
  #statedFlag({ words }: Leaf): boolean | undefined {
    const own = words.filter((word) => !new RegExp(`^(?:${fixtures.auxiliaries})$`).test(word))
    const source = own.map((word) => this.#wordSource(word)).join('[a-zà-ÿ]{0,4}[\\s_-]*')
    if (own.length > 0 && this.#has(source))
      return !this.#has(`(?:${fixtures.negations})[\\s-](?:\\S+\\s){0,3}${source}`)
    const isEach = own.length > 1 && own.every((word) => this.#has(this.#wordSource(word)))
    if (isEach || (own.length > 0 && this.#lower.replaceAll('-', '').includes(own.join('')))) return true
    if (/\b(?:turn|switch)(?:ed)? (?:\S+ ){0,4}off\b|\bdisable|\bdeactivate|\bstop\b/.test(this.#lower))
      return false
    return (
      /\b(?:turn|switch)(?:ed)? (?:\S+ ){0,4}on\b|\b(?:en|act)(?:able|ivate)/.test(this.#lower) || undefined
    )
  }

  /** Returns a pattern for a word and its synonyms. */
  #wordSource(word: string): string {
    const synonyms = this.#synonymsOf(word)
    return `(?:${escaped(stem(word))}${synonyms ? `|${synonyms}` : ''})`
  }

  #assumedFlag({ name }: Leaf, schemas: readonly SchemaObject[]): boolean {
    const description = schemas.map((schema) => textAt(schema, 'description')).join(' ')
    return new RegExp(fixtures.yes).test(`${name} ${description.toLowerCase()}`)
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
    const { statement } = this.#facts
    if (!isNumber && statement && !leaf.isMany) {
      const own = leaf.name.replace(/^.* /, '')
      if (/^(?:title|subject|headline)$/.test(own)) return sentenceCase(this.#facts.topic)
      if (
        /^(?:description|details|issue|problem|summary|body|note|notes|content|reason|reasoning|explanation|message|comment)$/.test(
          own,
        ) ||
        /^\{(?:Summary|Explanation|Sentence|Message)\}$/.test(String(give))
      )
        return sentenceCase(statement)
    }
    const example = exampleIn(schemas)
    if (example && !isNumber && !leaf.isMany) return example
    if (give === undefined || give === '')
      return isNumber ? withinBounds(Number.NaN, schemas, type) : this.#idea(leaf, index)
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
    if (isNumber) {
      const number = typeof value === 'number' ? value : Number.NaN
      const inside = withinBounds(type === 'integer' ? Math.round(number) : number, schemas, type)
      const isBelowZero = numbersAt(schemas, 'minimum').some((min) => min < 0)
      const isNegative = isBelowZero && this.#implied('negative') > this.#implied('positive')
      return inside !== undefined && isNegative ? -inside : inside
    }
    return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : undefined
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
    return ideas[(place + index) % ideas.length] as string
  }

  #hasObject(): boolean {
    return this.#facts.list.some(({ kind }) => kind === 'object')
  }

  /** Returns the prompt's subject words. */
  #keywords(): string[] {
    const { topic, text } = this.#facts
    return [...subjectWords(`${topic} ${text}`)].filter((word) => !isCommon(word) && /^\p{L}{3,}/u.test(word))
  }

  /** Returns a column of the object's table row, which is that of a value in the prompt or a random one. */
  #cell({ parent, role, field, key }: Leaf, index: number, cell: string): string | number | undefined {
    const [table = '', column = ''] = cell.split('.')
    const rows = (fixtures.tables as Record<string, readonly Row[]>)[table] as readonly Row[]
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
    const base = /^(?:ingredients|tasks)$/.test(table)
      ? 0
      : Math.floor(draw(this.#seed, table, `${parent}/${role ?? ''}`) * rows.length)
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
    const [keyword = topic] = keywords
    const slots: Record<string, () => string> = {
      topic: () => topic,
      Category: () => (this.#hasObject() ? sentenceCase(keyword) : cell('products.category')),
      Parent: () => `${sentenceCase(leaf.name.replace(/s? \S+$/, ''))} ${index + 1}`,
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
        `${leaf.name.replace(/[^a-z]|(?<=[a-z]{3}).*/g, '').toUpperCase()}-${String(draw(this.#seed, leaf.key, index)).slice(-4)}`,
      uuid: () => uuid(this.#seed, leaf.key, index),
      index: () => String(index + 1),
      slug: () => slug(topic).replaceAll('.', '-'),
      keyword: () => (keywords[index % keywords.length] ?? keyword).toLowerCase(),
      table: () => (keywords.find((word) => /s$/.test(word)) ?? keyword).toLowerCase(),
    }
    for (const [name, sentences] of Object.entries(fixtures.sentences))
      slots[name] = () =>
        this.#fill(
          sentences[Math.floor(draw(this.#seed, leaf.key) * sentences.length)] as string,
          leaf,
          index,
        )
    return template.replace(/\{(\w+)\}/g, (slot, name: string) => slots[name]?.() ?? slot)
  }

  /** Returns the person that a leaf's object describes. */
  #personOf(leaf: Leaf, index: number): string {
    const near = [...this.#leaves.values()].find(
      (other) =>
        other.parent === leaf.parent && other.facts.some(({ kind }) => /^(?:person|name)$/.test(kind)),
    )
    const fact = near?.facts[Math.min(index, near.facts.length - 1)]
    if (fact) return String(fact.value)
    const names = [this.#cell(leaf, index, 'people.first'), this.#cell(leaf, index, 'people.last')]
    return [...new Set(names)].join(' ')
  }

  /** Returns a date. A range ends after the prompt's duration or, without one, three days or an hour after its start. */
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
    const isPast =
      /\b(?:created|updated|published|order|invoice|sent|received|completed|issued|hire|last|purchase|timestamp)\b/.test(
        leaf.name,
      )
    const days = 3 + index + Math.floor(draw(this.#seed, leaf.parent, 'date') * 20)
    const drawn = Date.parse(`${isoDay(new Date(this.#now + (isPast ? -days : days) * units.day))}T09:00Z`)
    const parsed = Date.parse(
      `${/^\d\d:/.test(known ?? '') ? `${isoDay(new Date(this.#now))}T` : ''}${known}`.replace(
        /(T[\d:.]+)$/,
        '$1Z',
      ),
    )
    const base = Number.isNaN(parsed) ? drawn : parsed
    const usual = form === 'date' ? 3 * units.day : units.hour
    const iso = new Date(isEnd ? base + (length || usual) : base).toISOString()
    if (form === 'date') return iso.slice(0, 10)
    if (form === 'time') return format === 'time' ? `${iso.slice(11, 19)}Z` : iso.slice(11, 16)
    return format === 'date-time' ? `${iso.slice(0, 19)}Z` : iso.slice(0, 19)
  }

  /** Returns the duration in the prompt in milliseconds, or 0 if there is none. */
  #lengthOf(): number {
    const [, count = '', unit = 'min'] =
      /\b(\d+|an?|one|two|three)[\s-](min|hour|hr|night|day|week)/.exec(this.#lower) ?? []
    const number = (fixtures.numbers as Record<string, number>)[count.replace(/^an?$/, 'one')]
    return (number ?? Number(count)) * units[unit as keyof typeof units]
  }
}

/** Milliseconds. */
const units = {
  min: 60_000,
  hour: 3_600_000,
  hr: 3_600_000,
  night: 86_400_000,
  day: 86_400_000,
  week: 604_800_000,
}

/** Returns true for the number of an item, such as `day` in a plan. */
function isPlaceInList({ isMany, name }: Leaf, type: string): boolean {
  return isMany && /number|integer/.test(type) && /\b(?:day|week|step)$/.test(name)
}

/** Returns the number or, if it is outside the schema's bounds, a number in the upper half of them. */
function withinBounds(number: number, schemas: readonly SchemaObject[], type: string): number | undefined {
  const [min = -Infinity] = numbersAt(schemas, 'minimum')
  const [max = Infinity] = numbersAt(schemas, 'maximum')
  if (number >= min && number <= max) return number
  if (!Number.isFinite(max - min)) return Number.isNaN(number) ? undefined : number
  const inside = min + (max - min) * 0.8
  return type === 'integer' ? Math.round(inside) : Number(inside.toFixed(2))
}

/** Returns a schema's default or, without one, its first example. */
function sampleOf(schema: SchemaObject): unknown {
  const { examples, example } = schema
  return schema['default'] ?? (Array.isArray(examples) ? examples[0] : undefined) ?? example
}

/** Returns the default that a description states, such as `Default is 10`. */
function defaultIn(description: string, type: string): Scalar | undefined {
  const [, text = ''] =
    /\bdefault(?:s|ed)?(?: value)?(?: is| to|:|=| as)*\s+(['"]?[\w.%/ -]{1,40}['"]|-?[\w.%/-]{1,30})/i.exec(
      description,
    ) ?? []
  const word = text.replace(/\.$|['"]/g, '')
  if (type === 'boolean') return /^(?:true|false)$/i.test(word) ? /^true$/i.test(word) : undefined
  if (type !== 'string') return /^-?\d+(?:\.\d+)?$/.test(word) ? Number(word) : undefined
  return /['"]/.test(description) &&
    /\p{L}{2}/u.test(word) &&
    !/^(?:the|all|null|none|not|to|use|empty|no|current)$/i.test(word)
    ? word
    : undefined
}

/** Returns the first example in a description, such as `e.g. San Francisco, CA`. */
function exampleIn(schemas: readonly SchemaObject[]): string | undefined {
  for (const schema of schemas) {
    const [, found] =
      /(?:e\.g\.?,?|for example,?|such as|example:|like)\s+["'“‘`]?([^"'”’`();]{2,60}?)["'”’`]?(?=\s(?:or|and)\s|[);"'`]|\.\s|\.?$)/i.exec(
        textAt(schema, 'description') ?? '',
      ) ?? []
    // A list, or a place such as `San Francisco, CA`.
    if (found) return found.split(/,\s*(?=\p{Ll})/u)[0]
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
