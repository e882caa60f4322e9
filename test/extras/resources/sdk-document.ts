/**
 * Creates an OpenAPI document for the vendor's API from its published SDK's code: each operation's method and
 * path, and the schema with which the SDK checks replies.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { OpenRouter } from '@openrouter/sdk'
import * as z from 'zod'

const esm = new URL('../../../node_modules/@openrouter/sdk/esm/', import.meta.url)

/** A request line, such as `GET /keys/{hash}`. */
export type Line = `${string} /${string}`

/** A function of the SDK, with the schema of its argument. */
export interface SdkRequest {
  readonly send: (sdk: OpenRouter, request: unknown) => Promise<{ ok: boolean; error?: Error }>
  readonly schema: z.ZodType | undefined
}

/** Returns the SDK's operations, with the content of their successful replies. */
export async function sdkDocument(): Promise<{
  lines: Line[]
  document: object
  requests: ReadonlyMap<Line, SdkRequest>
}> {
  const modules: Readonly<Record<string, Record<string, unknown>>> = {
    operations: await import(new URL('models/operations/index.js', esm).href),
    models: await import(new URL('models/index.js', esm).href),
  }
  const paths: Record<string, Record<string, object>> = {}
  const lines: Line[] = []
  const requests = new Map<Line, SdkRequest>()
  for (const file of readdirSync(new URL('funcs/', esm)).filter((name) => name.endsWith('.js'))) {
    const code = readFileSync(new URL(`funcs/${file}`, esm), 'utf8')
    const path = /pathToFunc\("([^"]*)"\)/.exec(code)?.[1]
    const method = /method: "([A-Z]+)"/.exec(code)?.[1]
    const operationId = /operationID: "([^"]*)"/.exec(code)?.[1]
    if (path === undefined || method === undefined) continue
    const line: Line = `${method} ${path as `/${string}`}`
    if (lines.includes(line)) continue
    lines.push(line)
    const [, group = '', name = ''] = /(operations|models)\.([\w$]+\$outboundSchema)/.exec(code) ?? []
    const functions = await import(new URL(`funcs/${file}`, esm).href)
    requests.set(line, {
      send: functions[file.replace('.js', '')],
      schema: modules[group]?.[name] as z.ZodType | undefined,
    })
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        operationId,
        parameters: [...pathParameters(path), ...queryParameters(code)],
        ...(/encodeJSON\("body"|new FormData/.test(code) && { requestBody: { content: { '*/*': {} } } }),
        responses: responsesIn(code, modules),
      },
    }
  }
  return { lines, requests, document: { openapi: '3.1.0', info: { title: 'SDK', version: '1' }, paths } }
}

function pathParameters(path: string): object[] {
  return Array.from(path.matchAll(/\{([^}]*)\}/g), ([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: {},
  }))
}

function queryParameters(code: string): object[] {
  const [, list = ''] = /encodeFormQuery\(\{([^}]*)\}/.exec(code) ?? []
  return Array.from(list.matchAll(/"([^"]+)":/g), ([, name]) => ({ name, in: 'query', schema: {} }))
}

/** Reads `M.json(200, operations.Name$inboundSchema)`, `M.stream(200, …, { ctype: "audio/*" })` and `M.nil(204, …)`. */
function responsesIn(code: string, modules: Readonly<Record<string, Record<string, unknown>>>): object {
  const [, json, group = '', name = ''] = /M\.json\(\[?(\d+)[^a-z]*(\w+)\.([\w$]+)/.exec(code) ?? []
  const isKeyed = /M\.json\([^)]*key: "Result"/.test(code)
  if (json !== undefined) {
    const whole = schemaOf(modules[group]?.[name] as z.ZodType, modules['models'] ?? {})
    const schema = isKeyed ? Object(whole).properties.Result : whole
    return { [json]: { content: { 'application/json': { schema } } } }
  }
  const [, stream] = /M\.stream\((\d+)/.exec(code) ?? []
  const [, type = 'application/octet-stream'] = /ctype: "([^"]*)"/.exec(code) ?? []
  return stream === undefined ? { 204: {} } : { [stream]: { content: { [type]: {} } } }
}

/** Unions that the SDK checks in code, each with the member that replies use. */
const members: Readonly<Record<string, string>> = {
  FileResponse: 'OpenRouterFile',
  FileListResponse: 'OpenRouterFileList',
  FileDeleteResponse: 'OpenRouterFileDeleted',
  ObservabilityDestination: 'ObservabilityWebhookDestination',
}

function schemaOf(root: z.ZodType, models: Readonly<Record<string, unknown>>): unknown {
  const memberOf = new Map(
    Object.entries(members).map(([union, member]) => [
      models[`${union}$inboundSchema`],
      models[`${member}$inboundSchema`] as z.ZodType,
    ]),
  )
  const schema = z.toJSONSchema(root, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const member = memberOf.get(zodSchema)
      if (member) Object.assign(jsonSchema, schemaOf(member, models))
    },
  })
  return inlined(schema)
}

/** Replaces references to `$defs` with the definitions, because references in a document are relative to its root. */
function inlined(root: object): unknown {
  const definitions = Object(Reflect.get(root, '$defs'))
  const inline = (value: unknown, depth: number): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((each) => inline(each, depth))
    const reference = Reflect.get(value, '$ref')
    if (typeof reference === 'string')
      return depth > 5 ? true : inline(definitions[reference.replace('#/$defs/', '')] ?? true, depth + 1)
    const { $defs: _, ...rest } = value as Record<string, unknown>
    return Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, inline(each, depth)]))
  }
  return inline(root, 0)
}
