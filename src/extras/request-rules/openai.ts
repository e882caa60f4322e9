/** Rules that OpenAI's formats share: for the names of tools, and for JSON Schemas. */
import { fieldsOf, isObject, listOf, textOf } from '../../lib/json.ts'
import { readPointer } from '../../lib/value-path.ts'
import { breach, type Fields, type RequestFacts } from './rule.ts'

const structuredOutputs = 'https://platform.openai.com/docs/guides/structured-outputs'

export const definitionSources = {
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
type Rule = keyof typeof definitionSources

/** A tool's name, schema and `strict`, or those of the reply's format. */
interface Definition extends Fields {
  /** Path in the body, such as `tools[0]`. */
  readonly path: string
}

export function unsupported(param: string) {
  const message = `Unsupported parameter: '${param}' is not supported with this model.`
  return breach('parameter-unsupported', param, message)
}

export function duplicateItem(param: string, id: string) {
  const message = `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`
  return breach('duplicate-item-id', param, message)
}

/** @param format Has the path of its schema. */
export function* checkDefinitions(
  tools: readonly Definition[],
  format: Definition,
  maxName: number,
  { model }: Fields,
  { isVendor }: RequestFacts,
) {
  for (const { path, name: sent } of tools) {
    const [param, name] = [`${path}.name`, textOf(sent)]
    const pattern = "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
    const mismatch = `Invalid '${param}': string does not match pattern. ${pattern}`
    // Some models accept dots.
    yield /[^\w.-]/.test(name) && breach('tool-name-pattern', param, mismatch)
    const limit = `Expected a string with maximum length ${maxName}`
    const tooLong = `string too long. ${limit}, but got a string with length ${name.length} instead.`
    yield name.length > maxName && breach('tool-name-length', param, `Invalid '${param}': ${tooLong}`)
  }
  // OpenRouter adapts schemas for other vendors' models.
  const isOpenAi = !isVendor || textOf(model).startsWith('openai/')
  for (const { path, type, parameters: schema, ...tool } of tools)
    if (type === 'function')
      yield* checkSchema('function', { ...tool, schema, path: `${path}.parameters` }, isOpenAi)
  yield* checkSchema('response_format', format, isOpenAi)
}

/** For each rule, yields only the first problem in a schema. */
function* checkSchema(kind: 'function' | 'response_format', definition: Definition, isOpenAi: boolean) {
  const { schema: root, strict, name, path: param } = definition
  if (!isObject(root)) return
  const found = new Map<Rule, string>()
  const add = (problems: readonly Problem[], context = '') => {
    for (const [rule, problem] of problems)
      if (problem && !found.has(rule))
        found.set(rule, `Invalid schema for ${kind} '${name}': ${context}${problem}`)
  }
  const isStrict = isOpenAi && strict === true
  const nodes = [...nodesIn(root)]
  // The root of a function's parameters is checked even if they are not strict, unless they are empty.
  if (isStrict || (isOpenAi && kind === 'function' && Object.keys(root).length > 0)) add(rootProblems(root))
  for (const { node, path } of nodes) {
    const context = `In context=(${path.map((key) => `'${key}'`).join(', ')}), `
    const reference = textOf(node['$ref'])
    const missing = `reference to component '${reference}' which was not found in the schema.`
    add([['ref-unresolved', isBroken(reference, root) && missing]], context)
    const lacksItems = isOfType(node, 'array') && !('items' in node) && !('prefixItems' in node)
    if (isOpenAi) add([['array-items', lacksItems && 'array schema missing items.']], context)
    if (isStrict) add(strictProblems(node), context)
  }
  if (isStrict) add(totalProblems(nodes))
  for (const [rule, message] of found) yield breach(rule, param, message)
}

type Problem = readonly [rule: Rule, text: string | false]

function rootProblems(root: Fields): Problem[] {
  const { type } = root
  const mustBeObject = `schema must be a JSON Schema of 'type: "object"'`
  const sent = Object(type) === type ? JSON.stringify(type) : (type ?? 'None')
  const isUnion = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'].some((keyword) => keyword in root)
  const mustHaveType =
    "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
  return [
    ['strict-root', type !== 'object' && `${mustBeObject}, got 'type: "${sent}"'.`],
    ['strict-root-union', isUnion && mustHaveType],
  ]
}

function strictProblems(node: Fields): Problem[] {
  const { properties, required, additionalProperties } = node
  const isObjectSchema = isOfType(node, 'object')
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

function isOfType({ type }: Fields, name: string): boolean {
  return type === name || listOf(type).includes(name)
}

/** Returns true for a reference into a schema that leads to nothing. */
export function isBroken(reference: string, root: Fields): boolean {
  return reference.startsWith('#/') && readPointer(root, reference) === undefined
}

interface SchemaNode {
  readonly node: Fields
  readonly path: readonly string[]
  /** Number of objects and lists around it. */
  readonly depth: number
}

/** Yields the schemas inside a schema, in the order in which they are written, down to a hundred levels. */
export function* nodesIn(schema: Fields): Generator<SchemaNode> {
  const stack: SchemaNode[] = [{ node: schema, path: [], depth: 0 }]
  for (let next = stack.pop(); next; next = stack.pop()) {
    yield next
    if (next.path.length < 200) for (const inner of partsOf(next).reverse()) stack.push(inner)
  }
}

function partsOf({ node, path, depth }: SchemaNode): SchemaNode[] {
  return Object.entries(node).flatMap(([keyword, value]) => {
    const inner = schemaKeywords.has(keyword)
      ? [{ node: value, path: [...path, keyword] }]
      : Object.entries(fieldsOf(mapKeywords.has(keyword) && value)).map(([key, each]) => {
          return { node: each, path: [...path, keyword, key] }
        })
    const deeper = levelKeywords.has(keyword) ? depth + 1 : depth
    return inner.flatMap(({ node, path }) => (isObject(node) ? { node, path, depth: deeper } : []))
  })
}

const levelKeywords = new Set(['properties', 'items', 'additionalProperties'])
const schemaKeywords = new Set(['items', 'not', 'if', 'then', 'else', 'additionalProperties', 'contains'])
const mapKeywords = new Set('properties $defs definitions anyOf oneOf allOf prefixItems'.split(' '))
