/** Completes names in the text of a scenario, from the JSON Schema of scenario files. */
import { parseDataText } from '../../lib/data-file.ts'
import { fieldsOf, isObject } from '../../lib/json.ts'
import type { KnownOperation } from '../../scenarios/check-scenario.ts'
import { scenarioJsonSchema } from '../../scenarios/scenario-json-schema.ts'

export interface Completions {
  /** Start of the text that a completion replaces. The text ends at the caret. */
  from: number
  options: { name: string; insert: string }[]
}

interface Schema {
  $ref?: string
  anyOf?: Schema[]
  oneOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  items?: Schema
  properties?: Record<string, Schema>
  $defs?: Record<string, Schema>
}

const maxOptions = 12
/** Maximum length of the text in characters. Limited because the text is parsed up to four times. */
const maxText = 20_000
/** Inserted at the caret, so that the parsed text shows which value or key is being typed. */
const mark = 'completed-here'
const forms = [mark, `${mark}:`, `"${mark}"`, `"${mark}": 0`]
const schemas = new WeakMap<readonly KnownOperation[], Schema>()

export function completionsAt(
  text: string,
  position: number,
  operations: readonly KnownOperation[],
): Completions {
  const before = text.slice(0, position).replace(/[\w.$*-]*$/, '')
  const word = text.slice(before.length, position)
  const after = text.slice(position)
  const schema = schemas.get(operations) ?? scenarioJsonSchema(operations)
  schemas.set(operations, schema)
  const isQuoted = /["']$/.test(before)
  const quote = isQuoted ? '' : /^\s*[{[]/.test(text) ? '"' : ''
  for (const form of text.length > maxText ? [] : forms) {
    const place = placeOf(parsed(before + form + after))
    const names = place ? namesAt(schema, place) : []
    const fitting = names.filter((name) => name.startsWith(word) && name !== word).slice(0, maxOptions)
    const colon = place?.isKey && !isQuoted && !/^\s*:/.test(after) ? ': ' : ''
    // YAML reads an unquoted * as an alias.
    const written = (name: string) => (name === '*' && !isQuoted && !quote ? "'*'" : quote + name + quote)
    const options = fitting.map((name) => ({ name, insert: written(name) + colon }))
    if (options.length > 0) return { from: before.length, options }
  }
  return { from: before.length, options: [] }
}

function parsed(text: string): unknown {
  try {
    return parseDataText('scenario', text).value
  } catch {
    return undefined
  }
}

interface Place {
  /** Path to the mark, outermost first: each value with the key of the next value. */
  steps: { value: unknown; key: string }[]
  isKey: boolean
}

function placeOf(value: unknown): Place | undefined {
  if (typeof value === 'string') return value === mark ? { steps: [], isKey: false } : undefined
  for (const [key, inner] of Object.entries(fieldsOf(value))) {
    if (key === mark) return { steps: [{ value, key }], isKey: true }
    const place = placeOf(inner)
    if (place) return { ...place, steps: [{ value, key }, ...place.steps] }
  }
  return undefined
}

function namesAt(root: Schema, { steps, isKey }: Place): string[] {
  const flat = (schema: Schema): Schema[] => {
    const { $ref = '', anyOf, oneOf } = schema
    const target = root.$defs?.[$ref.replace('#/$defs/', '')]
    if (target) return flat(target)
    return [...(anyOf ?? []), ...(oneOf ?? [])].flatMap(flat).concat(anyOf || oneOf ? [] : [schema])
  }
  let found = flat(root)
  for (const { value, key } of steps) {
    // A fault's parameters depend on its name.
    const { name } = fieldsOf(value)
    const named = found.filter(({ properties }) => {
      const [{ const: only } = {}] = properties?.['name'] ? flat(properties['name']) : []
      return only === undefined || typeof name !== 'string' || name === mark || name === only
    })
    if (isKey && key === mark)
      return named
        .flatMap(({ properties = {} }) => Object.keys(properties))
        .filter((each) => each !== '$schema' && !(each in Object(value)))
    found = named.flatMap(({ properties, items }) =>
      flat((isObject(value) ? properties?.[key] : items) ?? {}),
    )
  }
  return [...new Set(found.flatMap((each) => each.enum ?? each.const ?? []).map(String))]
}
