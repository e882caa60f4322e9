/**
 * Writes `openrouter-document.json`: the vendor's OpenAPI document (`.speakeasy/in.openapi.yaml` in
 * OpenRouterTeam/typescript-sdk, Apache-2.0) without its descriptions and examples, and without the bodies of
 * operations that Understudy does not have. Usage:
 * `node test/extras/dialects/reduce-document.ts in.openapi.yaml 2026-08-22`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { OpenApiDocument } from '../../../src/extras/documents/openapi-document.ts'
import { createGateway } from '../../../src/index.ts'
import { shapeOf } from '../../../src/operation.ts'

type Json = Record<string, unknown>

const keywords =
  'type required enum const $ref additionalProperties nullable deprecated minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems pattern properties items anyOf oneOf allOf'.split(
    ' ',
  )

function reduced(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(reduced)
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(([keyword]) => keywords.includes(keyword))
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (['enum', 'const', 'required', 'type'].includes(keyword)) return [keyword, value]
      return [keyword, keyword === 'properties' ? mapped(value, reduced) : reduced(value)]
    }),
  )
}

function mapped(object: unknown, change: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(Object(object)).map(([name, value]) => [name, change(value)]))
}

const contentOf = (content: unknown) =>
  mapped(content, (media) => ({ schema: reduced(Object(media).schema) }))

const [path = '', date] = process.argv.slice(2)
const source = load(readFileSync(path, 'utf8')) as Json
const document = new OpenApiDocument(source)
// The gateway's public type hides the operations.
const { operations } = createGateway({ dialect: 'openrouter' }) as unknown as {
  operations: readonly { method: string; path: string }[]
}
const modelled = new Set(operations.map((each) => `${each.method} ${shapeOf(each.path)}`))

const paths: Record<string, Json> = {}
for (const { method, path, operation, item } of document.operations()) {
  const { operationId, deprecated, security, requestBody, responses } = operation
  const parameters = [item['parameters'], operation['parameters']].flatMap((list) => (list ?? []) as Json[])
  paths[path] ??= {}
  paths[path][method] = modelled.has(`${method} ${shapeOf(path)}`)
    ? {
        operationId,
        deprecated,
        security,
        parameters: parameters.map((each) => ({
          ...each,
          description: undefined,
          schema: reduced(each['schema']),
        })),
        requestBody: requestBody && {
          required: Object(requestBody).required,
          content: contentOf(Object(requestBody).content),
        },
        responses: mapped(responses, (reply) => ({
          content: contentOf(Object(document.resolve(reply)).content),
        })),
      }
    : { operationId }
}

const components = Object(source['components'])
const schemas: Json = {}
function addSchemas(json: string): void {
  for (const [, name = ''] of json.matchAll(/"#\/components\/schemas\/([^"]*)"/g)) {
    if (name in schemas) continue
    schemas[name] = reduced(components.schemas[name])
    addSchemas(JSON.stringify(schemas[name]))
  }
}
addSchemas(JSON.stringify(paths))

/** One line for each entry, so that changes are readable. */
const lines = (object: Json) =>
  `{\n${Object.entries(object)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(',\n')}\n}`

const file = new URL('openrouter-document.json', import.meta.url)
const whole = lines({
  openapi: source['openapi'],
  info: {
    title: `OpenRouter API, ${date}, without texts`,
    version: Object(source['info']).version,
    license: { name: 'Apache-2.0' },
  },
  servers: (source['servers'] as Json[]).map(({ url }) => ({ url })),
  security: source['security'],
  paths: 'PATHS',
  components: 'COMPONENTS',
})
const sorted = Object.fromEntries(Object.entries(schemas).sort(([left], [right]) => (left < right ? -1 : 1)))
const securitySchemes = JSON.stringify(components.securitySchemes)
writeFileSync(
  file,
  `${whole
    .replace('"PATHS"', () => lines(paths))
    .replace(
      '"COMPONENTS"',
      () => `{ "securitySchemes": ${securitySchemes}, "schemas": ${lines(sorted)} }`,
    )}\n`,
)
