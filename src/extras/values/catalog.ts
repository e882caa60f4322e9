/** Fills objects such as books, countries and recipes from the rows of fixtures/catalog.json. */
import catalog from '../../../fixtures/catalog.json' with { type: 'json' }
import { draw } from '../../lib/seed.ts'
import { listedValues } from '../../model/json-schema/schema.ts'
import type { ValuePlace } from '../../resources/json-schema.ts'
import { isCommon } from './facts.ts'
import { type Leaf, split } from './fields.ts'

type Row = readonly string[]

interface Table {
  /** Names of objects and fields, and words in prompts. */
  readonly is: RegExp
  /** Field names per column. Further cells of a row are only compared with the prompt. */
  readonly columns: readonly RegExp[]
  readonly rows: readonly Row[]
}

const tables: readonly Table[] = catalog.tables.map(({ is, columns, rows }) => ({
  is: new RegExp(`(?<![\\p{L}\\d])(?:${is})(?![\\p{L}\\d])`, 'u'),
  columns: columns.map((names) => new RegExp(`^(?:${names})$`)),
  rows: rows.map((row) => row.split('|')),
}))

interface Choice {
  readonly table: Table
  /** Best match first. */
  readonly rows: readonly Row[]
  /** If true, the rows belong to a place in the prompt, and do not repeat. */
  readonly isLocal: boolean
  /** If true, the prompt names the first row. */
  readonly isNamed: boolean
}

export class Catalog {
  readonly #leaves: ReadonlyMap<string, Leaf>
  readonly #lower: string
  readonly #seed: string
  /** Objects and lists per table, which get different rows. */
  readonly #roots = new Map<RegExp, string[]>()
  readonly #choices = new Map<string, Choice | undefined>()

  constructor(leaves: ReadonlyMap<string, Leaf>, prompt: string, seed: string) {
    this.#leaves = leaves
    this.#lower = prompt.toLowerCase()
    this.#seed = seed
  }

  /** Returns a table's value for a field that the prompt leaves open, or undefined if no table has one. */
  valueOf(leaf: Leaf, { path, type, schemas }: ValuePlace): string | number | undefined {
    const choice = this.#choiceFor(leaf)
    const column = choice ? columnOf(leaf, choice.table) : -1
    if (!choice) return undefined
    const { table, rows } = choice
    const siblings = [...this.#leaves.values()].filter(({ parent }) => parent === leaf.parent)
    if (siblings.some(({ facts: [first] }) => first?.items)) return undefined
    const places = path.filter((step) => typeof step === 'number')
    const part = this.#partOf(leaf, places, choice)
    if (part !== undefined) return type === 'string' ? part : /^[\d.]+$/.test(part) ? Number(part) : undefined
    const item = leaf.key.endsWith('/*') ? (places.pop() ?? 0) : 0
    const isRow = leaf.key.endsWith('/*') && isListOfRows(leaf, table)
    const outer = places.at(-1) ?? 0
    const nested = outer + (places.at(-2) ?? 0) * 3
    const place = nested * (isRow ? 3 : 1) + (isRow ? item : 0)
    const text = rows[choice.isLocal ? place : place % rows.length]?.[column]
    const cell = leaf.key.endsWith('/*') && !isRow ? itemsOf(text)[item] : text
    const isStated = leaf.facts.length > 0 && !(choice.isNamed && column > 0)
    if (!cell || (isStated && !cell.includes(String((leaf.facts[outer] ?? leaf.facts[0])?.value))))
      return undefined
    const listed = schemas.map(listedValues).find(Boolean)
    const named = siblings.find((each) => each.facts.length > 0 && columnOf(each, table) === 0)?.facts[0]
    const [name = ''] = rows[place % rows.length]?.[0]?.split(' ') ?? []
    if (named && /[.!]$/.test(cell)) return cell.replaceAll(name, String(named.value))
    if (listed) return listed.find((each) => split(String(each)) === split(cell)) as string | undefined
    if (type === 'string') return inScale(leaf, cell, type)
    return Number(inScale(leaf, cell, type))
  }

  /** Returns a part of an item in a row's list, such as the amount of an ingredient. */
  #partOf(leaf: Leaf, places: readonly number[], { table, rows }: Choice): string | undefined {
    const [, list = ''] = /([^/*]+)\/\*\/[^/*]+$/.exec(leaf.key) ?? []
    const column = table.columns.findIndex((names) => names.test(split(list)))
    if (column < 1) return undefined
    const item = itemsOf(rows[0]?.[column])[places.at(-1) ?? 0]
    const own = ownName(leaf)
    const [, amount = '1', unit = '', name] =
      /^(?:([\d.]+)\s(?:(g|ml|cans|tbsp|tsp|sprigs)\s)?)?(.+)$/.exec(item ?? '') ?? []
    const hasUnit = [...this.#leaves.values()].some(
      (other) => other.parent === leaf.parent && /unit/.test(other.name),
    )
    if (/^(?:amount|quantity|qty|measurement)$/.test(own))
      return hasUnit ? amount : `${amount} ${unit}`.trim()
    if (/unit/.test(own)) return unit || 'pieces'
    return /^(?:name|title|heading|item|ingredient|step|instruction|description|text)s?$/.test(own)
      ? name
      : undefined
  }

  /** Returns true if a table has values for a field. */
  has(key: string): boolean {
    const leaf = this.#leaves.get(key)
    const table = leaf && this.#choiceFor(leaf)?.table
    return leaf !== undefined && table !== undefined && columnOf(leaf, table) >= 0
  }

  /** Returns the number of items in a row's list, such as a recipe's steps. */
  countOf(key: string): number | undefined {
    const leaf = [...this.#leaves.values()].find((each) => each.key.startsWith(`${key}/*`))
    const choice = leaf && this.#choiceFor(leaf)
    const name = split(key.replace(/^.*\//, ''))
    const column = choice
      ? choice.table.columns.findIndex((names, place) => names.test(name) && place > 0)
      : -1
    if (!leaf || !choice || column < 0 || isListOfRows(leaf, choice.table)) return undefined
    return itemsOf(choice.rows[0]?.[column]).length || undefined
  }

  #choiceFor(leaf: Leaf): Choice | undefined {
    const group = groupOf(leaf)
    if (!this.#choices.has(group)) this.#choices.set(group, this.#choose(group))
    return this.#choices.get(group)
  }

  #choose(group: string): Choice | undefined {
    const members = [...this.#leaves.values()].filter((leaf) => groupOf(leaf) === group)
    const path = split(group.replaceAll('*', ''))
    const [best] = tables
      .map((table) => {
        const fitting = members.filter((leaf) => columnOf(leaf, table) >= 0).length
        const isNamed = members.some((leaf) => table.is.test(ownName(leaf)) && columnOf(leaf, table) !== 0)
        const named = (table.is.test(path) ? 3 : 0) + (isNamed ? 2 : 0) + (table.is.test(this.#lower) ? 2 : 0)
        return { table, rating: fitting > 0 && named > 0 ? fitting / members.length + named : 0 }
      })
      .sort((left, right) => right.rating - left.rating)
    if (!best?.rating) return undefined
    const { is, rows } = best.table
    const root = group.replace(/\/\*.*$/, '')
    const roots = this.#roots.get(is) ?? []
    if (!roots.includes(root)) this.#roots.set(is, [...roots, root])
    const first = /\b(?:all|the planets|top|best|greatest|famous|popular)\b/.test(this.#lower)
      ? 0
      : draw(this.#seed, is.source)
    const start = Math.floor(first * rows.length)
    const rated = [...rows.slice(start), ...rows.slice(0, start)]
      .map((row) => ({ row, rating: this.#ratingOf(row, best.table.columns.length) }))
      .sort((left, right) => right.rating - left.rating)
    const isLocal = is.source.includes('itinerary')
    const isNamed = (rated[0]?.rating ?? 0) >= 10
    const shift = roots.filter((each) => !root.startsWith(each)).length * 3
    const fitting = isLocal
      ? rated.filter(({ rating }) => rating > 0)
      : [...rated.slice(shift), ...rated.slice(0, shift)]
    return { table: best.table, rows: fitting.map(({ row }) => row), isLocal, isNamed }
  }

  /** Counts the words of a row that the prompt contains. The row's first cell counts most. */
  #ratingOf(row: Row, columns: number): number {
    const [name = '', ...cells] = row
    const isHit = (word: string) => word.length > 2 && !isCommon(word) && this.#has(word)
    const hitsIn = (texts: readonly string[]) =>
      new Set(texts.flatMap((text) => split(text).split(' ')).filter(isHit)).size
    const short = cells.slice(0, columns - 1).filter((cell) => !/[.!?]$/.test(cell))
    const tags = row.slice(columns)
    return (this.#has(split(name)) ? 10 : 0) + hitsIn([name, ...short]) + 2 * hitsIn(tags)
  }

  #has(words: string): boolean {
    const source = words.split(' ').join('[^\\p{L}\\d]+') + (words.length > 4 ? '\\p{L}{0,4}' : '')
    return words.length > 1 && new RegExp(`(?<![\\p{L}\\d])${source}(?![\\p{L}\\d])`, 'u').test(this.#lower)
  }
}

/** Returns the key of the object that contains a leaf, or of the list if it contains only text. */
function groupOf({ key }: Leaf): string {
  return key.replace(/(?:\/\*)+$/, '').replace(/\/?[^/]*$/, '')
}

export function ownName({ key }: Leaf): string {
  return split(key.replace(/(?:\/\*)+$/, '').replace(/^.*\//, ''))
}

/** Returns a field's column, or -1. The `name` of an `author` is in the column `author name`, if there is one. */
function columnOf(leaf: Leaf, { columns }: Table): number {
  const [, parent = ''] = /([^/*]+)\/[^/]+$/.exec(leaf.key.replace(/(?:\/\*)+$/, '')) ?? []
  const qualified = columns.findIndex((column) => column.test(`${split(parent)} ${ownName(leaf)}`))
  return qualified >= 0 ? qualified : columns.findIndex((column) => column.test(ownName(leaf)))
}

/** Returns true for a list of titles or names, such as `movies`. */
function isListOfRows(leaf: Leaf, table: Table): boolean {
  return columnOf(leaf, table) === 0 && table.is.test(ownName(leaf))
}

function itemsOf(text = ''): string[] {
  return text.split(text.includes('.;') ? ';' : ',').filter(Boolean)
}

/** Converts a rating out of 5 to the scale in the field's description. */
function inScale({ name, description }: Leaf, cell: string, type: string): string {
  if (!/\b(?:rating|score|stars)$/.test(name)) return cell
  const [, scale = '5'] = /(?:out of|\/|\b[01] ?(?:-|–|to|and)) ?(\d+)/.exec(description) ?? []
  const value = (Number(cell) * Number(scale)) / 5
  if (type === 'integer') return String(Math.round(value))
  const short = Number(value.toFixed(1))
  return type === 'string' ? `${short} out of ${scale} stars` : String(short)
}
