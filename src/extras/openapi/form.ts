/**
 * The fields of a form as values: `application/x-www-form-urlencoded`, or the parts of a multipart body. The bytes of a
 * file are a text here, as far as they are one.
 */
import {
  itemSchema,
  type JsonSchema,
  propertiesOf,
  type SchemaObject,
} from '../../model/json-schema/schema.ts'
import { kindOf, parsed, toValue } from './parameters.ts'

interface Field {
  readonly name: string
  readonly text: string
  /** Whether its own content type is JSON. */
  readonly isJson: boolean
  readonly isFile: boolean
}

/**
 * Values by name, as a schema wants them; undefined for a body of another type.
 *
 * @param type The content type as sent.
 */
export function fieldsIn(
  text: string,
  type: string,
  schema: SchemaObject,
): Record<string, unknown> | 'malformed' | undefined {
  if (/^application\/x-www-form-urlencoded/i.test(type)) {
    const plain = { isJson: false, isFile: false }
    return toValues(
      [...new URLSearchParams(text)].map(([name, value]) => ({ name, text: value, ...plain })),
      schema,
    )
  }
  if (!/^multipart\//i.test(type)) return undefined
  const [, quoted, bare] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type) ?? []
  const fields = partsOf(text, quoted ?? bare ?? '')
  return fields ? toValues(fields, schema) : 'malformed'
}

/** RFC 7578; undefined where there is no part, or no end of the last one. */
function partsOf(text: string, boundary: string): Field[] | undefined {
  const [, ...pieces] = `\r\n${text}`.split(`\r\n--${boundary}`)
  const end = pieces.findIndex((piece) => piece.startsWith('--'))
  if (boundary === '' || end < 0) return undefined
  return pieces.slice(0, end).flatMap((piece) => {
    const headEnd = piece.indexOf('\r\n\r\n')
    const head = piece.slice(0, Math.min(headEnd, maxHead))
    const [, quoted, bare] =
      /^content-disposition:[^\r\n]*?[;\s]name=(?:"([^"]*)"|([^;\s]+))/im.exec(head) ?? []
    const name = quoted ?? bare
    if (name === undefined) return []
    return {
      name,
      text: piece.slice(headEnd + 4),
      isJson: /^content-type:[^\r\n]*[/+]json/im.test(head),
      isFile: /^content-disposition:[^\r\n]*?[;\s]filename/im.test(head),
    }
  })
}

/** Characters of the headers of one part. */
const maxHead = 8192

function toValues(fields: readonly Field[], schema: SchemaObject): Record<string, unknown> {
  const properties = propertiesOf(kindOf(schema)?.schema ?? {})
  const sent = new Map<string, Field[]>()
  for (const field of fields) {
    // `ids[]` is `ids` where the document does not know the brackets.
    const name = properties.has(field.name) ? field.name : field.name.replace(/\[\]$/, '')
    const same = sent.get(name)
    if (same) same.push(field)
    else sent.set(name, [field])
  }
  return Object.fromEntries(
    [...sent].map(([name, each]) => [name, valuesOf(each, properties.get(name) ?? true, schema)]),
  )
}

/** A list where one is wanted, or where a name came more than once. */
function valuesOf(fields: readonly Field[], property: JsonSchema, root: SchemaObject): unknown {
  const kind = typeof property === 'boolean' ? undefined : kindOf(rootedIn(property, root))
  const [first] = fields as [Field]
  if (kind?.type === 'array') {
    const isWhole = fields.length === 1 && (first.isJson || /^\s*\[/.test(first.text))
    if (isWhole) return parsed(first.text)
    return fields.map((field, index) => readField(field, itemSchema(kind.schema, index), root))
  }
  if (fields.length > 1) return fields.map((field) => readField(field, true, root))
  return readField(first, property, root)
}

/** A file is a text, except where JSON is wanted that came as one. */
function readField({ text, isJson, isFile }: Field, schema: JsonSchema, root: SchemaObject): unknown {
  const type = typeof schema === 'boolean' ? undefined : kindOf(rootedIn(schema, root))?.type
  if (type !== 'string' && (isJson || type === 'object')) return parsed(text)
  return isFile ? text : toValue(text, schema, root)
}

function rootedIn(schema: SchemaObject, { components, paths }: SchemaObject): SchemaObject {
  return { ...schema, components, paths }
}
