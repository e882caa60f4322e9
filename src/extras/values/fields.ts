/** Reads a schema's fields: names, roles such as `from` and `to`, and their entries in fixtures/values.json. */
import fixtures from '../../../fixtures/values.json' with { type: 'json' }
import {
  listedValues,
  propertiesOf,
  References,
  schemaAt,
  schemasAt,
  textAt,
  textsAt,
  typesOf,
} from '../../model/json-schema/schema.ts'
import { subjectWords } from '../../model/text/words.ts'
import type { JsonSchema, SchemaObject } from '../../resources/json-schema.ts'
import { dateFormatIn } from './dates.ts'
import type { Fact } from './facts.ts'
import { isVerbForm } from './phrases.ts'

export interface Field {
  readonly is: RegExp
  /** Kinds of facts, best first, each with a column in the fact's row or a mode. */
  readonly takes: readonly (readonly string[])[]
  readonly give: unknown
  /** Texts before and after a value. */
  readonly near: RegExp | undefined
  readonly after: RegExp | undefined
}

/** A string, number or boolean in the schema. */
export interface Leaf {
  readonly key: string
  readonly parent: string
  /** Normalised names, such as `customer email`. */
  readonly name: string
  readonly role: 'from' | 'to' | undefined
  field: Field | undefined
  readonly schemas: SchemaObject[]
  readonly isMany: boolean
  /** Keys of optional values that contain this one, itself included. */
  readonly optional: readonly string[]
  /** The descriptions of the field and of the schemas around it. */
  readonly description: string
  readonly hints: ReadonlySet<string>
  /** Stems of the name's and the description's words with their weights. */
  readonly weights: ReadonlyMap<string, number>
  /** Values that the description lists, such as `'small'`. */
  readonly options: readonly string[]
  /** If true, the description lists all values. */
  readonly isClosed: boolean
  readonly words: readonly string[]
  readonly stems: readonly string[]
  readonly cues: readonly RegExp[]
  /** The field's name as a label before a value, as in `branch main` or `tag it urgent`. */
  readonly label: RegExp | undefined
  /** The field's name after a value, as in `main branch`. */
  readonly suffix: RegExp | undefined
  facts: readonly Fact[]
}

/** Maximum number of fields to match with the prompt, and of names to classify. */
const maxLeaves = 150
const maxNames = 400

const fromRole =
  /^(?:from|origin|source|start|starting|begin|departure|depart|sender|src|old|head|pickup|in|checkin|outbound|since|after|min|minimum|low|lower)$/
const toRole =
  /^(?:to|destination|dest|target|end|ending|finish|arrival|recipient|dst|new|until|till|return|dropoff|out|checkout|inbound|before|due|into|max|maximum|high|upper)$/

export function leavesOf(root: JsonSchema): Map<string, Leaf> {
  const references = new References(root)
  const leaves = new Map<string, Leaf>()
  const visit = (
    schema: JsonSchema,
    path: readonly string[],
    isMany: boolean,
    optional: readonly string[],
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
    const inner = (next: JsonSchema) => visit(next, path, isMany, optional, depth + 1, description)
    if (target !== undefined) inner(target)
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) schemasAt(schema, keyword).forEach(inner)
    const required = textsAt(schema, 'required')
    for (const [name, property] of propertiesOf(schema)) {
      const next = [...path, name]
      const isOptional = !required.includes(name) || isNullable(property)
      visit(property, next, isMany, isOptional ? [...optional, next.join('/')] : optional, depth + 1)
    }
    const items = schemaAt(schema, 'items')
    if (items !== undefined) visit(items, [...path, '*'], true, optional, depth + 1, description)
    const types = typesOf(schema)
    const isLeaf = types
      ? types.some((type) => /string|number|integer|boolean/.test(type))
      : listedValues(schema)
    if (!isLeaf || path.length === 0) return
    const key = path.join('/')
    const known = leaves.get(key)
    if (known) known.schemas.push(schema)
    else leaves.set(key, { ...leafOf(path, schema, isMany, description), optional })
  }
  visit(root, [], false, [], 0)
  for (const leaf of leaves.values()) nameByParent(leaf, leaves)
  return leaves
}

function isNullable(schema: JsonSchema): boolean {
  return (
    typeof schema === 'object' &&
    (typesOf(schema)?.includes('null') === true ||
      [...schemasAt(schema, 'anyOf'), ...schemasAt(schema, 'oneOf')].some(isNullable))
  )
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

export function leafOf(
  path: readonly string[],
  schema: SchemaObject,
  isMany: boolean,
  description: string,
): Leaf {
  const names = path.filter((name) => name !== '*').map(split)
  const own = names.at(-1) ?? ''
  const name = `${names.at(-2) ?? ''} ${own}`.trim()
  const words = own
    .split(' ')
    .filter(
      (word, place) =>
        !/^(?:name|id|value|number|of|the|is|in|text|a)$/.test(word) || (word === 'a' && place > 0),
    )
  const first =
    own
      .replace(/^base (?=currency)/, 'from ')
      .split(' ')
      .find((word) => fromRole.test(word) || toRole.test(word)) ?? own
  const parentRole =
    names
      .at(-2)
      ?.split(' ')
      .find((word) => fromRole.test(word) || toRole.test(word)) ?? ''
  const role = [first, parentRole]
    .map((word) => (fromRole.test(word) ? 'from' : toRole.test(word) ? 'to' : undefined))
    .find(Boolean)
  const hints = new Set(
    [...subjectWords(description.slice(0, 300).replace(/\bper \p{L}+/gu, ''))].map((word) =>
      word.toLowerCase(),
    ),
  )
  const options = optionsIn(description)
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
    field: fieldNamed(name, own, schema, description),
    schemas: [schema],
    isMany,
    optional: [],
    description,
    hints,
    weights: weightsOf(words, hints),
    options,
    isClosed:
      options.length > 1 &&
      /\b(?:options?|either|valid|possible values|can be|one of|choose|supports?|supported)\b|['"] or ['"]/i.test(
        description,
      ),
    words,
    stems: words.map(stem),
    cues: words
      .filter((word) => !isVerbForm(word))
      .map((word) => new RegExp(`(?<![a-zà-ÿ\\d])${escaped(stem(word))}`)),
    ...labelsOf(words),
    facts: [],
  }
}

function weightsOf(words: readonly string[], hints: ReadonlySet<string>): ReadonlyMap<string, number> {
  const generic = new Set(fixtures.genericHints.split(' '))
  const akin = words.flatMap(
    (word) => (fixtures.akin as Record<string, string>)[stem(word)]?.split(' ') ?? [],
  )
  return new Map([
    ...akin.map((word) => [stem(word), 0.8] as const),
    ...[...hints].flatMap((hint) =>
      generic.has(hint) || /^\d/.test(hint) ? [] : [[stem(hint), 0.3] as const],
    ),
    ...words.flatMap((word, place) =>
      /^\d|^(?:num|total|count|of|per)$/.test(word) || words[place - 1] === 'per'
        ? []
        : [[stem(word), 1] as const],
    ),
  ])
}

/** Returns the quoted or listed values in a description, such as `'small', 'large'` or `e.g. red, blue`. */
function optionsIn(description: string): string[] {
  const text = description.slice(0, 600)
  const quoted = [...text.matchAll(/(?<![\p{L}\d])['"‘“`]([^'"’”`,]{1,30})['"’”`](?![\p{L}\d])/gu)].map(
    ([, option = '']) => option,
  )
  const [, list = ''] =
    /(?:e\.g\.?,?|such as|like|options?:?|values?:|either|i\.e\.?,?)\s([^.;:()'"]{3,120})/i.exec(text) ?? []
  const listed = list.split(/,\s*(?:or |and )?|\s(?:or|and)\s/).map((option) => option.trim())
  return [...new Set([...quoted, ...(listed.length > 1 ? listed : [])])].filter(
    (option) =>
      option.length > 1 && option.split(' ').length < 4 && !/^(?:etc|default|true|false|not)\b/i.test(option),
  )
}

/** English endings of a stem. */
const ending = '(?:l?ed|l?ing|s|es|d|e|y|ies)?'

function labelsOf(words: readonly string[]): Pick<Leaf, 'label' | 'suffix'> {
  const specific = words.filter((word) => !/^(?:key|code|label|title|ref|reference|type)$/.test(word))
  const last = specific.at(-1) ?? words.at(-1)
  if (!last) return { label: undefined, suffix: undefined }
  const names = [...new Set([words, [last]])]
    .map((each) => each.map((word) => escaped(stem(word))).join(`${ending}[\\s_-]`))
    .join('|')
  const link = '(?:\\s*[:=#]\\s*|\\s+(?:(?:is|it|them|as|of|to|called|named)\\s+)?(?:(?:the|a|an|my)\\s+)?)'
  return {
    label: new RegExp(
      `(?<![a-zà-ÿ\\d])(?:${names})${ending}\\.?(?:\\s(?:name|id|no\\.?|number|code|key))?${link}["'“(#@]?$`,
    ),
    suffix: new RegExp(
      `^["”']?\\s\\(?(?:is |was |will be )?(?:${[
        names,
        ...words
          .filter((word) => word.length > 5)
          .map(stem)
          .map(escaped),
      ].join('|')})(?![a-zà-ÿ]{5})`,
    ),
  }
}

/** Splits `departureCity` and `departure_city` into words. */
export function split(name: string): string {
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
function fieldNamed(name: string, own: string, schema: SchemaObject, description = ''): Field | undefined {
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
    const known = lookUp(name)
    if (byFormat) return known?.takes[0]?.[0] === byFormat ? known : lookUp(byFormat)
  }
  if (/\b(?:ISO.?4217|currency code)/i.test(description)) return lookUp('currency')
  if (/\b(?:ISO.?639|language code)/i.test(description)) return lookUp('language code')
  if (/\b(?:IATA|airport code)/i.test(description)) return lookUp('airport code')
  if (/\bISO.?3166|country code/i.test(description)) return lookUp('country code')
  if (/\be-?mail address\b/i.test(description) && !/\b(?:cc|bcc|e ?mails?)\b/.test(name))
    return lookUp('email')
  if (/^(?:start|end|from|to)$/.test(own) && /\blocation\b/i.test(description)) return lookUp('location')
  if (/(?:^|\s)key$/.test(own) && /\b(?:musical|scale|chord|melody)\b/i.test(description))
    return lookUp('musical key')
  if (/ per year$/.test(own) && lookUp(own)?.takes[0]?.[0] === 'year') return undefined
  if (/\btime (?:frame|period|span)$/.test(own)) return undefined
  const shape = textAt(schema, 'pattern')
  if (shape === '^[a-z]{2}$' && !/country/.test(name)) return lookUp('language code')
  if (shape === '^\\d{2}:\\d{2}$') return lookUp('time')
  if (
    /name$/.test(own) &&
    /\bfirst (?:name )?and (?:last|sur) ?name|\bfull name\b|\bperson\b/i.test(description)
  )
    return lookUp('full name')
  if (/\bSQL\b/.test(description) && /\bquery$/.test(name)) return lookUp('sql query')
  const types = typesOf(schema)
  const isText = types?.includes('string') && !types.includes('number')
  const isNumber = types?.every((type) => /^(?:number|integer|null)$/.test(type)) === true
  const numeric = isNumber ? lookUp(name, 'number') : undefined
  const field =
    numeric ??
    lookUp(name, isText ? 'text' : '') ??
    (/ (?:type|kind)$/.test(own) ? undefined : lookUpWord(own, isText ? 'text' : ''))
  if (types?.includes('integer') && /^date/.test(field?.takes[0]?.[0] ?? '')) return lookUp('year')
  const isDate = /^date/.test(field?.takes[0]?.[0] ?? '')
  if (isDate && /\b(?:queries|strings|sentences|requests|token|questions)\b/i.test(description))
    return undefined
  if (field?.takes[0]?.[0] === 'time' && isText && /YYYY/i.test(dateFormatIn(description) ?? ''))
    return lookUp('date time')
  const isWords = field && typeof [field.give].flat()[0] === 'string' && !String(field.give).startsWith('@')
  return isNumber && !numeric && isWords ? undefined : field
}

/** Looks up single words for a name such as `location lost`, the last word first. */
function lookUpWord(name: string, type: FieldType): Field | undefined {
  return name
    .split(' ')
    .reverse()
    .map((word) => (word.length > 3 && !isRole(word) ? lookUp(word, type) : undefined))
    .find(Boolean)
}

function isRole(word: string): boolean {
  return fromRole.test(word) || toRole.test(word)
}

const numericKinds = /^(?:number|money|percent|minutes|temperature|latitude|longitude|year)$/

type FieldType = 'text' | 'number' | ''

function lookUp(name: string, type: FieldType = ''): Field | undefined {
  const label = `${name} ${type}`
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
    after: after ? new RegExp(`^[\\s)-]*(?:${after})`, 'u') : undefined,
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
          is.test(candidate) &&
          !(type === 'text' && takes[0]?.[0] === 'number' && takes[0][1] !== 'money') &&
          !(type === 'number' && !takes.some(([kind = '']) => numericKinds.test(kind))),
      ),
    )
    .find(Boolean)
  if (named.size < maxNames) named.set(label, field)
  return field
}

export function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

export function stem(word: string): string {
  return word.replace(/[^\p{L}\d]/gu, '').replace(/(?:ies|es|s|ing|ed|e|y)$/, '') || word
}
