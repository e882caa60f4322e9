/** Rules that OpenAI's formats share: for ids, the names of tools, and JSON Schemas. */
import { fieldsOf, isObject, listOf, textOf } from '../../lib/json.ts'
import { readPointer } from '../../lib/value-path.ts'
import { breach, type Facts, type Fields } from './rule.ts'

const structuredOutputs = 'https://platform.openai.com/docs/guides/structured-outputs'

export const definitionSources = {
  'tool-choice-unknown': 'https://developers.openai.com/api/docs/guides/function-calling#tool-choice',
  'tool-name-pattern': 'https://github.com/run-llama/llama_index/issues/16093',
  'tool-name-length': 'https://github.com/PipedreamHQ/pipedream/issues/17092',
  'strict-root': 'https://github.com/browserbase/stagehand/issues/1159',
  'strict-root-union': 'https://github.com/cecli-dev/cecli/issues/281',
  'strict-additional-properties': 'https://github.com/camel-ai/camel/issues/2231',
  'object-properties': 'https://github.com/spring-projects/spring-ai/issues/4776',
  'strict-required': 'https://github.com/vercel/ai/issues/6484',
  'required-unknown': 'https://github.com/camel-ai/camel/issues/2629',
  'strict-keyword': structuredOutputs,
  'strict-type-key': 'https://github.com/CopilotKit/CopilotKit/issues/5672',
  'ref-siblings': 'https://github.com/defog-ai/defog/pull/244',
  'ref-unresolved': 'https://github.com/open-webui/computer/issues/87',
  'array-items': 'https://github.com/sigoden/aichat/issues/1049',
  'strict-depth': structuredOutputs,
  'strict-properties': structuredOutputs,
  'strict-enum': structuredOutputs,
}

/** A tool's name, schema and `strict`, or those of the reply's format. */
interface Definition extends Fields {
  /** Path in the body, such as `tools[0]`. A format has the path of its schema. */
  readonly path: string
}

interface Definitions {
  readonly tools: readonly Definition[]
  readonly format: Definition
  readonly maxName: number
  /** Name in `tool_choice`. */
  readonly forced: unknown
}

export function unsupported(param: string) {
  const message = `Unsupported parameter: '${param}' is not supported with this model.`
  return breach('parameter-unsupported', param, message)
}

export function* checkIds(param: string, items: readonly Fields[]) {
  const ids = new Set<unknown>()
  for (const { id } of items) {
    const message = `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`
    yield ids.has(id) && breach('duplicate-item-id', param, message)
    if (textOf(id)) ids.add(id)
  }
}

export function* checkDefinitions(all: Definitions, { model }: Fields, { isVendor }: Facts) {
  const { tools, format, maxName, forced } = all
  const isUnknown = forced && tools.every(({ name }) => name !== forced)
  const unknown = `Tool choice '${forced}' not found in 'tools' parameter.`
  if (isUnknown) yield breach('tool-choice-unknown', 'tool_choice', unknown)
  // OpenRouter adapts schemas for other vendors' models.
  const isOpenAi = !isVendor || textOf(model).startsWith('openai/')
  for (const { path, type, parameters, ...tool } of tools) {
    const [param, name] = [`${path}.name`, textOf(tool['name'])]
    const pattern =
      "string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
    // Some models accept dots.
    yield /[^\w.-]/.test(name) && breach('tool-name-pattern', param, `Invalid '${param}': ${pattern}`)
    const limit = `string too long. Expected a string with maximum length ${maxName}`
    const tooLong = `Invalid '${param}': ${limit}, but got a string with length ${name.length} instead.`
    yield name.length > maxName && breach('tool-name-length', param, tooLong)
    const definition = { ...tool, schema: parameters, path: `${path}.parameters` }
    if (type === 'function') yield* checkSchema('function', definition, isOpenAi)
  }
  yield* checkSchema('response_format', format, isOpenAi)
}

/** For each rule, yields only the first problem in a schema. */
function* checkSchema(kind: 'function' | 'response_format', definition: Definition, isOpenAi: boolean) {
  const { schema: root, strict, name, path: param } = definition
  if (!isObject(root)) return
  const isStrict = isOpenAi && strict === true
  // The root of a function's parameters is checked even if they are not strict, unless they are empty.
  const mustBeObject = isStrict || (isOpenAi && kind === 'function' && Object.keys(root).length > 0)
  const nodes = [...nodesIn(root)]
  const problems = [
    ...(mustBeObject ? rootProblems(root) : []),
    ...nodes.flatMap(({ node, path }) => {
      const context = `In context=(${path.map((key) => `'${key}'`).join(', ')}), `
      const found = nodeProblems(node, root, isOpenAi, isStrict)
      return found.map(([rule, text]) => [rule, text && context + text] as const)
    }),
    ...(isStrict ? totalProblems(nodes) : []),
  ].filter(([, text]) => text)
  // Of equal keys, a map keeps the last value.
  for (const [rule, text] of new Map(problems.reverse()))
    yield breach(rule, param, `Invalid schema for ${kind} '${name}': ${text}`)
}

type Problem = readonly [rule: keyof typeof definitionSources, text: string | false]

function rootProblems(root: Fields): Problem[] {
  const { type = 'None' } = root
  const sent = Object(type) === type ? JSON.stringify(type) : type
  const isUnion = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'].some((keyword) => keyword in root)
  const noUnion = "not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
  const mustBeObject = `schema must be a JSON Schema of 'type: "object"', got 'type: "${sent}"'.`
  return [
    ['strict-root', type !== 'object' && mustBeObject],
    ['strict-root-union', isUnion && `schema must have type 'object' and ${noUnion}`],
  ]
}

function nodeProblems(node: Fields, root: Fields, isOpenAi: boolean, isStrict: boolean): Problem[] {
  const { properties, required, additionalProperties, type, $ref } = node
  const isOfType = (name: string) => type === name || listOf(type).includes(name)
  const unresolved = `reference to component '${$ref}' which was not found in the schema.`
  const lacksItems = isOpenAi && isOfType('array') && !('items' in node) && !('prefixItems' in node)
  const problems: Problem[] = [
    ['ref-unresolved', isBroken($ref, root) && unresolved],
    ['array-items', lacksItems && 'array schema missing items.'],
  ]
  if (!isStrict) return problems
  const isObjectSchema = isOfType('object')
  const names = new Set(listOf(required).filter((name) => typeof name === 'string'))
  const missing = Object.keys(fieldsOf(properties)).find((name) => !names.has(name))
  const extra = [...names].find((name) => !Object.hasOwn(fieldsOf(properties), name))
  const everyKey =
    "'required' is required to be supplied and to be an array including every key in properties."
  const keyword = unsupportedKeywords.find((name) => name in node)
  const others = Object.keys(node).filter((name) => name !== '$ref')
  const siblings = `$ref cannot have keywords {${others.map((name) => `'${name}'`).join(', ')}}.`
  const mustBeFalse = "'additionalProperties' is required to be supplied and to be false."
  return [
    ...problems,
    ['strict-additional-properties', isObjectSchema && additionalProperties !== false && mustBeFalse],
    ['object-properties', isObjectSchema && !('properties' in node) && 'object schema missing properties.'],
    ['strict-required', missing !== undefined && `${everyKey} Missing '${missing}'.`],
    ['required-unknown', extra !== undefined && `${everyKey} Extra required key '${extra}' supplied.`],
    ['strict-keyword', keyword !== undefined && `'${keyword}' is not permitted.`],
    ['strict-type-key', !kindKeywords.some((name) => name in node) && "schema must have a 'type' key."],
    ['ref-siblings', '$ref' in node && others.length > 0 && siblings],
  ]
}

const unsupportedKeywords = [
  ...['oneOf', 'allOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas'],
  ...['default', 'minLength', 'maxLength', 'uniqueItems', 'patternProperties'],
]
/** Keywords of which a schema has one, or breaks another rule. */
const kindKeywords = ['type', 'anyOf', '$ref', 'enum', 'const', ...unsupportedKeywords]

function totalProblems(nodes: readonly SchemaNode[]): Problem[] {
  const total = (count: (node: Fields) => number) => nodes.reduce((sum, { node }) => sum + count(node), 0)
  const levels = nodes.reduce((most, { depth }) => Math.max(most, depth), 0)
  const properties = total((node) => Object.keys(fieldsOf(node['properties'])).length)
  const values = total((node) => listOf(node['enum']).length)
  return [
    // Reports of the limit differ by a level.
    ['strict-depth', levels > 11 && `${levels} levels of nesting exceeds limit of 10.`],
    ['strict-properties', properties > 5000 && `${properties} parameters exceeds limit of 5000.`],
    ['strict-enum', values > 1000 && `${values} enum values exceeds limit of 1000.`],
  ]
}

/** Returns true for a reference into a schema that leads to nothing. */
export function isBroken(reference: unknown, root: Fields): boolean {
  return textOf(reference).startsWith('#/') && readPointer(root, textOf(reference)) === undefined
}

interface SchemaNode {
  readonly node: Fields
  readonly path: readonly string[]
  /** Number of objects and lists around it. */
  readonly depth: number
}

/** Yields the schemas inside a schema, in the order in which they are written, down to a hundred levels. */
export function* nodesIn(node: unknown, path: readonly string[] = [], depth = 0): Generator<SchemaNode> {
  if (!isObject(node) || path.length > 200) return
  yield { node, path, depth }
  for (const [keyword, value] of Object.entries(node)) {
    const inner = levelKeywords.has(keyword) ? depth + 1 : depth
    if (schemaKeywords.has(keyword)) yield* nodesIn(value, [...path, keyword], inner)
    for (const [key, each] of Object.entries(fieldsOf(mapKeywords.has(keyword) && value)))
      yield* nodesIn(each, [...path, keyword, key], inner)
  }
}

const levelKeywords = new Set(['properties', 'items', 'additionalProperties'])
const schemaKeywords = new Set(['items', 'not', 'if', 'then', 'else', 'additionalProperties', 'contains'])
const mapKeywords = new Set('properties $defs definitions anyOf oneOf allOf prefixItems'.split(' '))
