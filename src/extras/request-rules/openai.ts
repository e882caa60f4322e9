/** Rules shared by OpenAI's formats: ids, tool names and JSON Schemas. */
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
  'temperature-range': 'https://platform.openai.com/docs/api-reference/responses/create',
}

/** Name, schema and `strict` of a tool or a format. For a format, `path` is the path of its schema. */
type Definition = Fields & { readonly path: string }

export function unsupported(param: string, successor?: string) {
  const advice = successor ? ` Use '${successor}' instead.` : ''
  const message = `Unsupported parameter: '${param}' is not supported with this model.${advice}`
  return breach('parameter-unsupported', param, message)
}

export function* checkTemperature({ temperature }: Fields, { isVendor }: Facts) {
  const value = Number(temperature)
  const [kind, limit] = value < 0 ? ['below minimum', '>= 0'] : ['above maximum', '<= 2']
  const found = `Expected a value ${limit}, but got ${temperature} instead.`
  const isOutside = !isVendor && (value < 0 || value > 2)
  const message = `Invalid 'temperature': decimal ${kind} value. ${found}`
  yield isOutside && breach('temperature-range', 'temperature', message)
}

/** OpenAI's reasoning models, recognised by name, have no record. Gateways adapt requests for `openai/…`. */
export function isOpenAiReasoner({ model }: Fields, { isVendor }: Facts): boolean {
  return !isVendor && /^(o\d|gpt-5(?!-chat))/.test(textOf(model))
}

/** Since GPT-5.1, models accept other temperatures when they do not reason. */
export function hasFixedTemperature(body: Fields, facts: Facts): boolean {
  const isEarly = isOpenAiReasoner(body, facts) && !textOf(body['model']).startsWith('gpt-5.')
  return isEarly && (body['temperature'] ?? 1) !== 1
}

export function* checkIds(param: string, items: readonly Fields[]) {
  const ids = new Set<unknown>()
  for (const { id } of items) {
    const advice = 'Remove duplicate items from your input and try again.'
    yield ids.has(id) && breach('duplicate-item-id', param, `Duplicate item found with id ${id}. ${advice}`)
    if (textOf(id)) ids.add(id)
  }
}

export function* checkDefinitions(
  tools: readonly Definition[],
  format: Definition,
  { max, forced }: { readonly max: number; readonly forced: unknown },
  { model }: Fields,
  { isVendor }: Facts,
) {
  const unknown = `Tool choice '${forced}' not found in 'tools' parameter.`
  if (forced && tools.every(({ name }) => name !== forced))
    yield breach('tool-choice-unknown', 'tool_choice', unknown)
  // OpenRouter adapts schemas for other vendors' models.
  const isOpenAi = !isVendor || textOf(model).startsWith('openai/')
  for (const { path, type, name: sent, parameters: schema, strict } of tools) {
    const param = `${path}.name`
    const name = textOf(sent)
    const pattern = "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
    const mismatch = `Invalid '${param}': string does not match pattern. ${pattern}`
    // Some models accept dots.
    yield /[^\w.-]/.test(name) && breach('tool-name-pattern', param, mismatch)
    const limit = `string too long. Expected a string with maximum length ${max}`
    const tooLong = `Invalid '${param}': ${limit}, but got a string with length ${name.length} instead.`
    yield name.length > max && breach('tool-name-length', param, tooLong)
    const definition = { schema, strict, name, path: `${path}.parameters` }
    if (type === 'function') yield* checkSchema('function', definition, isOpenAi)
  }
  yield* checkSchema('response_format', format, isOpenAi)
}

/** Yields, for each rule, the first problem in a schema. */
function* checkSchema(kind: 'function' | 'response_format', definition: Definition, isOpenAi: boolean) {
  const { schema: root, strict, name, path: param } = definition
  if (!isObject(root)) return
  let context = ''
  const found = new Map<keyof typeof definitionSources, string>()
  const add = (rule: keyof typeof definitionSources, isBroken: unknown, text: string) => {
    const message = `Invalid schema for ${kind} '${name}': ${context}${text}`
    if (isBroken && !found.has(rule)) found.set(rule, message)
  }
  const isStrict = isOpenAi && strict === true
  // The root of a function's parameters is checked even if they are not strict, unless they are empty.
  if (isStrict || (isOpenAi && kind === 'function' && Object.keys(root).length > 0)) {
    const { type = 'None' } = root
    const sent = Object(type) === type ? JSON.stringify(type) : type
    const mustBeObject = `schema must be a JSON Schema of 'type: "object"', got 'type: "${sent}"'.`
    add('strict-root', type !== 'object', mustBeObject)
    const isUnion = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'].some((keyword) => keyword in root)
    const noUnion = "not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
    add('strict-root-union', isUnion, `schema must have type 'object' and ${noUnion}`)
  }
  let [levels, total, values] = [0, 0, 0]
  for (const { node, path, depth } of nodesIn(root)) {
    context = `In context=(${path.map((key) => `'${key}'`).join(', ')}), `
    const { type, $ref, properties: sent, required, additionalProperties } = node
    const isOfType = (name: string) => type === name || listOf(type).includes(name)
    const unresolved = `reference to component '${$ref}' which was not found in the schema.`
    add('ref-unresolved', isBroken($ref, root), unresolved)
    const lacksItems = isOpenAi && isOfType('array') && !('items' in node) && !('prefixItems' in node)
    add('array-items', lacksItems, 'array schema missing items.')
    if (!isStrict) continue
    const properties = Object.keys(fieldsOf(sent))
    const mustBeFalse = "'additionalProperties' is required to be supplied and to be false."
    add('strict-additional-properties', isOfType('object') && additionalProperties !== false, mustBeFalse)
    add('object-properties', isOfType('object') && !sent, 'object schema missing properties.')
    const all = "'required' is required to be supplied and to be an array including every key in properties."
    const names = new Set(listOf(required).filter((name) => typeof name === 'string'))
    const missing = properties.filter((name) => !names.delete(name))
    add('strict-required', missing[0] !== undefined, `${all} Missing '${missing[0]}'.`)
    add('required-unknown', names.size > 0, `${all} Extra required key '${[...names][0]}' supplied.`)
    const keyword = Object.keys(node).find((name) => unsupportedKeywords.test(name))
    add('strict-keyword', keyword, `'${keyword}' is not permitted.`)
    const hasKind = keyword || Object.keys(node).some((name) => /^(type|anyOf|\$ref|enum|const)$/.test(name))
    add('strict-type-key', !hasKind, "schema must have a 'type' key.")
    const others = Object.keys(node).filter((name) => name !== '$ref')
    const siblings = `$ref cannot have keywords {${others.map((name) => `'${name}'`).join(', ')}}.`
    add('ref-siblings', '$ref' in node && others.length > 0, siblings)
    levels = Math.max(levels, depth)
    total += properties.length
    values += listOf(node['enum']).length
  }
  context = ''
  // Reports of the limit differ by a level.
  add('strict-depth', levels > 11, `${levels} levels of nesting exceeds limit of 10.`)
  add('strict-properties', total > 5000, `${total} parameters exceeds limit of 5000.`)
  add('strict-enum', values > 1000, `${values} enum values exceeds limit of 1000.`)
  for (const [rule, message] of found) yield breach(rule, param, message)
}

const unsupportedKeywords =
  /^(oneOf|allOf|not|if|then|else|default|dependent.*|minLength|maxLength|uniqueItems|patternProperties)$/

/** Returns true for a reference within a schema that cannot be resolved. */
export function isBroken(reference: unknown, root: Fields): boolean {
  return textOf(reference).startsWith('#/') && readPointer(root, textOf(reference)) === undefined
}

interface SchemaNode {
  readonly node: Fields
  readonly path: readonly string[]
  /** Number of enclosing objects and lists. */
  readonly depth: number
}

/** Yields the schemas inside a schema, in source order, down to a hundred levels. */
export function* nodesIn(node: unknown, path: readonly string[] = [], depth = 0): Generator<SchemaNode> {
  if (!isObject(node) || path.length > 200) return
  yield { node, path, depth }
  for (const [keyword, value] of Object.entries(node)) {
    const inner = /^(properties|items|additionalProperties)$/.test(keyword) ? depth + 1 : depth
    if (schemaKeywords.test(keyword)) yield* nodesIn(value, [...path, keyword], inner)
    for (const [key, each] of Object.entries(fieldsOf(mapKeywords.test(keyword) && value)))
      yield* nodesIn(each, [...path, keyword, key], inner)
  }
}

const schemaKeywords = /^(items|not|if|then|else|additionalProperties|contains)$/
const mapKeywords = /^(properties|\$defs|definitions|anyOf|oneOf|allOf|prefixItems)$/
