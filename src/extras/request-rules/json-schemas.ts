/** OpenAI's rules for JSON Schemas in requests: their references and, if strict, the supported subset. */
import { fieldsOf, isObject, listOf, textOf } from '../../lib/json.ts'
import { readAt } from '../../lib/value-path.ts'
import type { RequestRule, RequestRules } from './rule.ts'

export interface SentSchema {
  readonly schema: unknown
  readonly isStrict: boolean
  readonly kind: 'function' | 'response_format'
  readonly name: unknown
  /** Path in the body, such as `tools[0].parameters`. */
  readonly param: string
}

/** Returns the rules for the schemas that a function finds in a body. */
export function schemaRules(schemasIn: (body: unknown) => readonly SentSchema[]): RequestRules {
  const toRule = ({ source, isGeneral, problem }: SchemaRule): RequestRule => ({
    source,
    *find(body, { isVendor }) {
      // OpenRouter adapts schemas for other vendors' models.
      const isOpenAi = !isVendor || textOf(fieldsOf(body)['model']).startsWith('openai/')
      for (const sent of isGeneral || isOpenAi ? schemasIn(body) : []) {
        const found = isObject(sent.schema) && problem(sent.schema, sent)
        if (found)
          yield { param: sent.param, message: `Invalid schema for ${sent.kind} '${sent.name}': ${found}` }
      }
    },
  })
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, toRule(rule)]))
}

type Fields = Readonly<Record<string, unknown>>
type Problem = string | false

interface SchemaRule {
  readonly source: string
  /** If true, the schema is invalid for all vendors. Default: false. */
  readonly isGeneral?: boolean
  problem(root: Fields, sent: SentSchema): Problem
}

const structuredOutputs = 'https://platform.openai.com/docs/guides/structured-outputs'

const rules: Readonly<Record<string, SchemaRule>> = {
  'strict-root': {
    source: 'https://github.com/browserbase/stagehand/issues/1159',
    problem: ({ type }, sent) =>
      hasCheckedRoot(sent) &&
      type !== 'object' &&
      `schema must be a JSON Schema of 'type: "object"', got 'type: "${type ?? 'None'}"'.`,
  },
  'strict-root-union': {
    source: 'https://github.com/cecli-dev/cecli/issues/281',
    problem: (root, sent) =>
      hasCheckedRoot(sent) &&
      rootKeywords.some((keyword) => keyword in root) &&
      "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
  },
  'strict-additional-properties': strict('https://github.com/camel-ai/camel/issues/2231', (node) => {
    const isOpen = isOfType(node, 'object') && node['additionalProperties'] !== false
    return isOpen && "'additionalProperties' is required to be supplied and to be false."
  }),
  'object-properties': strict('https://github.com/spring-projects/spring-ai/issues/4776', (node) => {
    return isOfType(node, 'object') && !('properties' in node) && 'object schema missing properties.'
  }),
  'strict-required': strict('https://github.com/vercel/ai/issues/6484', ({ properties, required }) => {
    if (properties === undefined) return false
    const names = new Set(listOf(required))
    const missing = Object.keys(fieldsOf(properties)).find((name) => !names.has(name))
    return missing !== undefined && `${everyKey} Missing '${missing}'.`
  }),
  'required-unknown': strict('https://github.com/camel-ai/camel/issues/2629', ({ properties, required }) => {
    const extra = listOf(required).find((name) => !Object.hasOwn(fieldsOf(properties), String(name)))
    return extra !== undefined && `${everyKey} Extra required key '${extra}' supplied.`
  }),
  'strict-keyword': strict(structuredOutputs, (node) => {
    const keyword = unsupportedKeywords.find((name) => name in node)
    return keyword !== undefined && `'${keyword}' is not permitted.`
  }),
  'strict-type-key': strict('https://github.com/CopilotKit/CopilotKit/issues/5672', (node) => {
    const hasKind = kindKeywords.some((name) => name in node)
    return !hasKind && "schema must have a 'type' key."
  }),
  'ref-siblings': strict('https://github.com/defog-ai/defog/pull/244', (node) => {
    if (!('$ref' in node)) return false
    const others = Object.keys(node).filter((name) => name !== '$ref')
    const listed = others.map((name) => `'${name}'`).join(', ')
    return listed !== '' && `$ref cannot have keywords {${listed}}.`
  }),
  'ref-unresolved': {
    isGeneral: true,
    ...anywhere('https://github.com/open-webui/computer/issues/87', ({ $ref }, root) => {
      const isBroken = typeof $ref === 'string' && $ref.startsWith('#/') && targetOf($ref, root) === undefined
      return isBroken && `reference to component '${$ref}' which was not found in the schema.`
    }),
  },
  'array-items': anywhere('https://github.com/sigoden/aichat/issues/1049', (node) => {
    const hasItems = 'items' in node || 'prefixItems' in node
    return isOfType(node, 'array') && !hasItems && 'array schema missing items.'
  }),
  // Reports of the limit differ by a level.
  'strict-depth': strictTotal('levels of nesting', 10, 1, (most, { depth }) => Math.max(most, depth)),
  'strict-properties': strictTotal('parameters', 5000, 0, (sum, { node }) => {
    return sum + Object.keys(fieldsOf(node['properties'])).length
  }),
  'strict-enum': strictTotal('enum values', 1000, 0, (sum, { node }) => sum + listOf(node['enum']).length),
}

const everyKey = "'required' is required to be supplied and to be an array including every key in properties."
const rootKeywords = ['oneOf', 'anyOf', 'allOf', 'enum', 'not']
const unsupportedKeywords = [
  ...['oneOf', 'allOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas'],
  ...['default', 'minLength', 'maxLength', 'uniqueItems', 'patternProperties'],
]
/** Keywords of which a schema has one, or breaks another rule. */
const kindKeywords = ['type', 'anyOf', '$ref', 'enum', 'const', ...unsupportedKeywords]

/** The root of a function's parameters is checked even if they are not strict, unless they are empty. */
function hasCheckedRoot({ kind, isStrict, schema }: SentSchema): boolean {
  return isStrict || (kind === 'function' && Object.keys(fieldsOf(schema)).length > 0)
}

/** Returns a rule for the schemas inside a schema, whose first problem is reported with its place. */
function anywhere(source: string, check: (node: Fields, root: Fields) => Problem): SchemaRule {
  return {
    source,
    problem(root) {
      for (const { node, path } of nodesOf(root)) {
        const problem = check(node, root)
        if (problem) return `In context=(${path.map((key) => `'${key}'`).join(', ')}), ${problem}`
      }
      return false
    },
  }
}

function strict(source: string, check: (node: Fields) => Problem): SchemaRule {
  const { problem } = anywhere(source, check)
  return { source, problem: (root, sent) => sent.isStrict && problem(root, sent) }
}

/** @param tolerance Number by which the limit may be exceeded. */
function strictTotal(
  noun: string,
  limit: number,
  tolerance: number,
  add: (total: number, node: SchemaNode) => number,
): SchemaRule {
  return {
    source: structuredOutputs,
    problem(root, { isStrict }) {
      let total = 0
      if (isStrict) for (const node of nodesOf(root)) total = add(total, node)
      return total > limit + tolerance && `${total} ${noun} exceeds limit of ${limit}.`
    },
  }
}

function isOfType({ type }: Fields, name: string): boolean {
  return type === name || listOf(type).includes(name)
}

export interface SchemaNode {
  readonly node: Fields
  readonly path: readonly string[]
  /** Number of objects and lists around it. */
  readonly depth: number
}

/** Yields the schemas inside a schema, in the order in which they are written, down to a hundred levels. */
export function* nodesIn(schema: unknown): Generator<SchemaNode> {
  const stack: SchemaNode[] = isObject(schema) ? [{ node: schema, path: [], depth: 0 }] : []
  for (let next = stack.pop(); next; next = stack.pop()) {
    yield next
    if (next.path.length < 200) for (const inner of partsOf(next).reverse()) stack.push(inner)
  }
}

function partsOf({ node, path, depth }: SchemaNode): SchemaNode[] {
  return Object.entries(node).flatMap(([keyword, value]) => {
    const deeper = levelKeywords.has(keyword) ? depth + 1 : depth
    if (schemaKeywords.has(keyword))
      return isObject(value) ? [{ node: value, path: [...path, keyword], depth: deeper }] : []
    if (!mapKeywords.has(keyword)) return []
    return Object.entries(fieldsOf(value)).flatMap(([key, inner]) =>
      isObject(inner) ? [{ node: inner, path: [...path, keyword, key], depth: deeper }] : [],
    )
  })
}

const levelKeywords = new Set(['properties', 'items', 'additionalProperties'])
const schemaKeywords = new Set(['items', 'not', 'if', 'then', 'else', 'additionalProperties', 'contains'])
const mapKeywords = new Set('properties $defs definitions anyOf oneOf allOf prefixItems'.split(' '))

/** Schemas inside the schemas of the current requests, because each rule reads them. */
const walked = new WeakMap<object, readonly SchemaNode[]>()

function nodesOf(root: Fields): readonly SchemaNode[] {
  const nodes = walked.get(root) ?? [...nodesIn(root)]
  walked.set(root, nodes)
  return nodes
}

/** Returns the schema to which a reference such as `#/$defs/Place` leads, or undefined. */
export function targetOf(reference: string, root: unknown): unknown {
  const steps = reference.split('/').slice(1)
  return readAt(
    root,
    steps.map((step) => decode(step).replaceAll('~1', '/').replaceAll('~0', '~')),
  )
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
