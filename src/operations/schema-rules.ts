/** Rules of OpenAI for the JSON Schemas in requests: their references and, if strict, the supported subset. */
import { fieldsOf, isObject, listOf } from '../lib/json.ts'
import { readAt } from '../lib/value-path.ts'
import type { RequestRule, RequestRules } from '../resources/request-rule.ts'

export interface SentSchema {
  readonly schema: unknown
  readonly isStrict: boolean
  readonly kind: 'function' | 'response_format'
  readonly name: unknown
  /** Path in the body, such as `tools[0].parameters`. */
  readonly param: string
}

/** Returns the rules for the schemas that a function finds in a body. */
export function schemaRules(schemasIn: (body: unknown) => readonly SentSchema[]): RequestRules<unknown> {
  const toRule = ({ source, problem }: SchemaRule): RequestRule<unknown> => ({
    source,
    *find(body) {
      for (const sent of schemasIn(body)) {
        const found = isObject(sent.schema) ? problem(sent, sent.schema) : undefined
        if (found !== undefined)
          yield { param: sent.param, message: `Invalid schema for ${sent.kind} '${sent.name}': ${found}` }
      }
    },
  })
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, toRule(rule)]))
}

interface SchemaRule {
  readonly source: string
  problem(sent: SentSchema, root: Fields): string | undefined
}

type Fields = Readonly<Record<string, unknown>>

const structuredOutputs = 'https://platform.openai.com/docs/guides/structured-outputs'

const rules: Record<string, SchemaRule> = {
  'strict-root': {
    source: 'https://github.com/browserbase/stagehand/issues/1159',
    problem: (sent, { type }) =>
      type === 'object' || !hasCheckedRoot(sent)
        ? undefined
        : `schema must be a JSON Schema of 'type: "object"', got 'type: "${type ?? 'None'}"'.`,
  },
  'strict-root-union': {
    source: 'https://github.com/cecli-dev/cecli/issues/281',
    problem: (sent, root) =>
      hasCheckedRoot(sent) && rootKeywords.some((keyword) => keyword in root)
        ? "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
        : undefined,
  },
  'strict-additional-properties': {
    source: 'https://github.com/camel-ai/camel/issues/2231',
    problem: strictNodes((node) =>
      isOfType(node, 'object') && node['additionalProperties'] !== false
        ? "'additionalProperties' is required to be supplied and to be false."
        : undefined,
    ),
  },
  'object-properties': {
    source: 'https://github.com/spring-projects/spring-ai/issues/4776',
    problem: strictNodes((node) =>
      isOfType(node, 'object') && !('properties' in node) ? 'object schema missing properties.' : undefined,
    ),
  },
  'strict-required': {
    source: 'https://github.com/vercel/ai/issues/6484',
    problem: strictNodes(({ properties, required }) => {
      const names = new Set(listOf(required))
      const missing = Object.keys(fieldsOf(properties)).find((name) => !names.has(name))
      return missing === undefined ? undefined : `${everyKey} Missing '${missing}'.`
    }),
  },
  'required-unknown': {
    source: 'https://github.com/dotnet/extensions/issues/6302',
    problem: strictNodes(({ properties, required }) => {
      const extra = listOf(required).find((name) => !Object.hasOwn(fieldsOf(properties), String(name)))
      return extra === undefined ? undefined : `${everyKey} Extra required key '${extra}' supplied.`
    }),
  },
  'strict-keyword': {
    source: structuredOutputs,
    problem: strictNodes((node) => {
      const keyword = unsupportedKeywords.find((name) => name in node)
      return keyword === undefined ? undefined : `'${keyword}' is not permitted.`
    }),
  },
  'strict-type-key': {
    source: 'https://github.com/CopilotKit/CopilotKit/issues/5672',
    problem: strictNodes((node) =>
      [...kindKeywords, ...unsupportedKeywords].some((name) => name in node)
        ? undefined
        : "schema must have a 'type' key.",
    ),
  },
  'array-items': {
    source: 'https://github.com/sigoden/aichat/issues/1049',
    problem: nodes((node) =>
      isOfType(node, 'array') && !('items' in node) && !('prefixItems' in node)
        ? 'array schema missing items.'
        : undefined,
    ),
  },
  'ref-siblings': {
    source: structuredOutputs,
    problem: strictNodes((node) => {
      const others = Object.keys(node).filter((name) => name !== '$ref')
      if (!('$ref' in node) || others.length === 0) return undefined
      return `$ref cannot have keywords {${others.map((name) => `'${name}'`).join(', ')}}.`
    }),
  },
  'ref-unresolved': {
    source: 'https://json-schema.org/draft/2020-12/json-schema-core#name-schema-references',
    problem: nodes(({ $ref }, root) =>
      typeof $ref === 'string' && $ref.startsWith('#/') && targetOf($ref, root) === undefined
        ? `reference to component '${$ref}' which was not found in the schema.`
        : undefined,
    ),
  },
  'strict-depth': {
    source: structuredOutputs,
    problem: strictTotal('levels of nesting', 10, (found) => Math.max(...found.map(({ depth }) => depth)), 1),
  },
  'strict-properties': {
    source: structuredOutputs,
    problem: strictTotal('parameters', 5000, (found) =>
      sum(found, ({ node }) => Object.keys(fieldsOf(node['properties'])).length),
    ),
  },
  'strict-enum': {
    source: structuredOutputs,
    problem: strictTotal('enum values', 1000, (found) =>
      sum(found, ({ node }) => listOf(node['enum']).length),
    ),
  },
}

const everyKey = "'required' is required to be supplied and to be an array including every key in properties."
const rootKeywords = ['oneOf', 'anyOf', 'allOf', 'enum', 'not']
const kindKeywords = ['type', 'anyOf', '$ref', 'enum', 'const']
const unsupportedKeywords = [
  ...['oneOf', 'allOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas'],
  ...['default', 'minLength', 'maxLength', 'uniqueItems', 'patternProperties'],
]

/** The root of a function's parameters is checked even if they are not strict. */
function hasCheckedRoot({ kind, isStrict }: SentSchema): boolean {
  return isStrict || kind === 'function'
}

function nodes(check: (node: Fields, root: Fields) => string | undefined): SchemaRule['problem'] {
  return (_sent, root) => {
    for (const { node, path } of nodesIn(root)) {
      const problem = check(node, root)
      if (problem !== undefined) return `In context=(${path.map((key) => `'${key}'`).join(', ')}), ${problem}`
    }
    return undefined
  }
}

function strictNodes(check: (node: Fields, root: Fields) => string | undefined): SchemaRule['problem'] {
  const problem = nodes(check)
  return (sent, root) => (sent.isStrict ? problem(sent, root) : undefined)
}

/** @param tolerance Number by which the limit may be exceeded, because reports of it differ. */
function strictTotal(
  noun: string,
  limit: number,
  count: (found: readonly SchemaNode[]) => number,
  tolerance = 0,
): SchemaRule['problem'] {
  return ({ isStrict }, root) => {
    const total = isStrict ? count([...nodesIn(root)]) : 0
    return total > limit + tolerance ? `${total} ${noun} exceeds limit of ${limit}.` : undefined
  }
}

function sum(found: readonly SchemaNode[], count: (each: SchemaNode) => number): number {
  return found.reduce((total, each) => total + count(each), 0)
}

function isOfType({ type }: Fields, name: string): boolean {
  return [type].flat().includes(name)
}

export interface SchemaNode {
  readonly node: Fields
  readonly path: readonly string[]
  /** Number of objects and lists around it. */
  readonly depth: number
}

/** Yields the schemas inside a schema, in the order in which they are written, down to a hundred levels. */
export function* nodesIn(schema: unknown, path: readonly string[] = [], depth = 0): Generator<SchemaNode> {
  if (!isObject(schema) || path.length > 200) return
  yield { node: schema, path, depth }
  for (const [keyword, value] of Object.entries(schema)) {
    if (isMapOfSchemas.test(keyword)) {
      const deeper = keyword === 'properties' ? depth + 1 : depth
      for (const [key, each] of Object.entries(fieldsOf(value)))
        yield* nodesIn(each, [...path, keyword, key], deeper)
    } else if (isSchema.test(keyword)) yield* nodesIn(value, [...path, keyword], depth + 1)
  }
}

const isMapOfSchemas = /^(properties|\$defs|definitions|anyOf|oneOf|allOf|prefixItems)$/
const isSchema = /^(items|not|if|then|else|additionalProperties|contains)$/

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
