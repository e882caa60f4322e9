/** Tests that the OpenAPI documents of the API and the control API are valid OpenAPI 3.1 and match the server. */
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { controlOperations } from '../../../src/control/control.ts'
import { createGateway } from '../../../src/index.ts'
import { operations } from '../../../src/operations/index.ts'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { call } from '../../call.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read documents of all shapes
type Document = any

let server: RunningServer
let api: Document
let control: Document
beforeAll(async () => {
  server = await startServer({ onlySpecified: true })
  api = await read('/openapi.json')
  control = await read('/__understudy/openapi.json')
})
afterAll(() => server.close())

async function read(path: string, method = 'GET', body?: unknown): Promise<Document> {
  return (await call({ baseUrl: server.url }, `${method} ${path}`, { body })).body
}

/** Returns a function that checks values against a schema in the document with an independent validator. */
function checker(document: Document) {
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }))
  ajv.addFormat('base64', true)
  ajv.addSchema(document, 'document')
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>()
  return (pointer: string, value: unknown) => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `document#${pointer}` })
    compiled.set(pointer, validate)
    validate(value)
    return validate.errors ?? []
  }
}

const pointerOf = (path: string, method: string, status: string) =>
  `/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')}/${method}/responses/${status}/content/application~1json/schema`

describe.each([
  ['the API document', () => api],
  ['the control API document', () => control],
])('%s', (_, document) => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const result = await validator.validate(structuredClone(document()))
    expect(result.errors ?? []).toEqual([])
    expect([result.valid, validator.version]).toEqual([true, '3.1'])
  })

  it('defines every schema that it references, and no others', () => {
    const text = JSON.stringify(document())
    const referred = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name)
    expect(new Set(referred)).toEqual(new Set(Object.keys(document().components.schemas)))
  })

  it('requires a bearer token and describes errors as envelopes', () => {
    const { security, components, paths } = document()
    expect(security).toEqual([{ bearer: [] }])
    expect(components.securitySchemes.bearer).toMatchObject({ type: 'http', scheme: 'bearer' })
    const [first] = Object.values<Document>(paths).flatMap((path) => Object.values<Document>(path))
    expect(first.responses['500']).toEqual({ $ref: '#/components/responses/Error' })
    expect(components.responses.Error.content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/ErrorEnvelope',
    })
  })
})

describe('the API document', () => {
  it('contains every operation and version 1.0.0', () => {
    const documented = Object.entries<Document>(api.paths).flatMap(([path, methods]) =>
      Object.entries<Document>(methods).map(([method, { operationId }]) => ({
        id: operationId,
        method,
        path,
      })),
    )
    expect(documented).toEqual(operations.map(({ id, method, path }) => ({ id, method, path })))
    expect(api.info.version).toBe('1.0.0')
    expect(api.servers).toEqual([{ url: '/api/v1' }])
  })

  it('marks only the Responses operation as beta', () => {
    const beta = Object.entries<Document>(api.paths).filter(([, methods]) =>
      JSON.stringify(methods).includes('"x-beta":true'),
    )
    expect(beta.map(([path]) => path)).toEqual(['/responses'])
    expect(api.paths['/responses'].post.tags).toEqual(['beta.responses'])
  })

  it('describes the search tool, exclusive handles and integer limits', () => {
    const { WebSearchTool, FunctionTool, CreateResponseBody } = api.components.schemas
    expect(WebSearchTool.properties.type.const).toBe('gateway:web_search')
    expect(WebSearchTool.properties.parameters.anyOf[0].properties.max_results).toMatchObject({ maximum: 25 })
    expect(FunctionTool.required).toContain('name')
    expect(CreateResponseBody.properties.max_output_tokens.anyOf[0].maximum).toBe(Number.MAX_SAFE_INTEGER)
    const errorsOf = checker(api)
    const body = (fields: object) => ({ model: 'a/b', input: 'x', ...fields })
    const both = { x_search_filter: { allowed_x_handles: ['a'], excluded_x_handles: ['b'] } }
    const one = { x_search_filter: { allowed_x_handles: ['a'], excluded_x_handles: [] } }
    expect(errorsOf('/components/schemas/CreateResponseBody', body(both))).not.toEqual([])
    expect(errorsOf('/components/schemas/CreateResponseBody', body(one))).toEqual([])
  })

  it('describes every stream event as it is sent', async () => {
    const stream = api.paths['/responses'].post.responses['200'].content['text/event-stream']
    expect(stream['x-event-schema']).toEqual({ $ref: '#/components/schemas/ResponseStreamEvent' })
    const errorsOf = checker(api)
    const events = async (fields: object) => {
      const body = { model: 'aurora/dawn-2', input: 'Hi', stream: true, ...fields }
      const { text } = await call(server, 'POST /responses', { body })
      return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json as string))
    }
    const tools = [{ type: 'function', name: 'f' }]
    const all = [
      ...(await events({ model: 'aurora/dawn-2:online' })),
      ...(await events({ tools, tool_choice: 'required' })),
      ...(await events({ max_output_tokens: 3 })),
    ]
    for (const event of all)
      expect(errorsOf('/components/schemas/ResponseStreamEvent', event), event.type).toEqual([])
    expect(new Set(all.map(({ type }) => type)).size).toBeGreaterThanOrEqual(16)
    expect(
      errorsOf('/components/schemas/ResponseStreamEvent', { ...all[0], type: 'response.odd' }),
    ).not.toEqual([])
  })

  it("describes reply headers, and each operation's errors", () => {
    const statusesOf = (path: string, method: string) =>
      Object.keys(api.paths[path][method].responses).filter((status) => status.startsWith('4'))
    expect(statusesOf('/providers', 'get')).toEqual(['401', '410', '429'])
    expect(statusesOf('/benchmarks', 'get')).toEqual(['400', '401', '410', '429'])
    expect(statusesOf('/workspaces/{id}', 'patch')).toEqual([
      '400',
      '401',
      '404',
      '409',
      '410',
      '413',
      '415',
      '429',
    ])
    const { Error401, Error429 } = api.components.responses
    expect(Object.keys(Error401.headers)).toEqual([
      'x-request-id',
      'x-understudy-assumptions',
      'x-understudy-scenario',
      'www-authenticate',
    ])
    expect(Object.keys(Error429.headers)).toContain('retry-after')
    expect(api.paths['/providers'].get.responses['200'].headers).toHaveProperty('x-request-id')
  })

  it('describes query parameter types', () => {
    const parameters = Object.fromEntries(
      api.paths['/benchmarks'].get.parameters.map((parameter: Document) => [parameter.name, parameter]),
    )
    expect(parameters.max_results).toMatchObject({
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1 },
    })
    expect(parameters.task_type.schema.enum).toEqual(['coding', 'intelligence', 'agentic'])
    expect(api.paths['/workspaces/{id}'].patch.parameters).toMatchObject([
      { name: 'id', in: 'path', required: true, schema: { type: 'string', minLength: 1 } },
    ])
  })

  it("contains the specification's limits", () => {
    const { name, slug, description, io_logging_sampling_rate } =
      api.components.schemas.WorkspaceUpdate.properties
    expect(name).toMatchObject({ minLength: 1, maxLength: 100 })
    expect(slug).toMatchObject({ maxLength: 50, pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$' })
    expect(description.anyOf).toContainEqual({ type: 'string', maxLength: 500 })
    expect(io_logging_sampling_rate).toMatchObject({ minimum: 0.0001, maximum: 1, format: 'double' })
  })

  it("matches the server's replies", async () => {
    const errorsOf = checker(api)
    const question = { model: 'aurora/dawn-2', input: 'Hello?', tools: [{ type: 'gateway:web_search' }] }
    const calls: [string, string, string, object?][] = [
      ['/providers', 'get', '/providers'],
      ['/embeddings/models', 'get', '/embeddings/models'],
      ['/benchmarks', 'get', '/benchmarks'],
      ['/presets/{slug}', 'get', '/presets/code-review'],
      ['/workspaces/{id}', 'patch', '/workspaces/production', { name: 'Newer' }],
      ['/responses', 'post', '/responses', question],
    ]
    for (const [path, method, asked, body] of calls) {
      const reply = await read(`/api/v1${asked}`, method.toUpperCase(), body)
      expect(errorsOf(pointerOf(path, method, '200'), reply), path).toEqual([])
    }
    expect(errorsOf(pointerOf('/providers', 'get', '200'), { data: [{ name: 'x' }] })).not.toEqual([])
    expect(errorsOf('/components/schemas/ErrorEnvelope', await read('/api/v1/nowhere'))).toEqual([])
  })
})

describe('the control API document', () => {
  it('contains every route', async () => {
    const documented = Object.entries<Document>(control.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    )
    expect(documented.toSorted()).toEqual(
      (await controlOperations(createGateway())).map(({ method, path }) => `${method} ${path}`).toSorted(),
    )
    expect(control.servers).toEqual([{ url: '/__understudy' }])
  })
})
