/** Tests operations mocked from an OpenAPI document. ajv validates their replies. */
import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { createGateway, type GatewayOptions } from '../../../src/index.ts'
import { handlers } from '../../../src/msw.ts'
import type { CustomOperationId } from '../../../src/scenarios/names.ts'
import { call } from '../../call.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const json = (schema: object, more: object = {}) => ({ content: { 'application/json': { schema, ...more } } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const get = (responses: object, more: object = {}) => ({ get: { responses, ...more } })
const document = (paths: Record<string, unknown>, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Vendor', version: '1' },
  paths,
  ...more,
})

const schemas = {
  File: {
    type: 'object',
    required: ['id', 'size', 'secret', 'note'],
    additionalProperties: false,
    properties: {
      id: { type: 'string', pattern: '^file-[a-z0-9]{6}$', readOnly: true },
      size: { type: 'integer', minimum: 1, exclusiveMaximum: 5000 },
      secret: { anyOf: [{ type: 'string', format: 'uuid' }, { type: 'null' }] },
      note: { type: ['string', 'null'], maxLength: 20, example: 'A note' },
      parent: ref('Node'),
    },
  },
  Job: {
    type: 'object',
    required: ['kind', 'label'],
    properties: { kind: { enum: ['fast', 'slow'] }, label: { type: 'string', minLength: 3 } },
  },
  Base: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  Circle: {
    allOf: [
      ref('Base'),
      { type: 'object', required: ['radius'], properties: { radius: { type: 'number' } } },
    ],
  },
  Node: {
    type: 'object',
    required: ['value', 'children'],
    properties: { value: { type: 'integer' }, children: { type: 'array', items: ref('Node') } },
  },
}
const vendor = document(
  {
    'x-later': get({ 200: json({}) }),
    '/files': {
      ...get({ 200: json({ type: 'array', items: ref('File'), minItems: 2 }) }, { operationId: 'listFiles' }),
      post: { operationId: 'startJob', responses: { 202: json(ref('Job')) } },
    },
    '/files/{id}': { ...get({ 200: json(ref('File')) }), delete: { responses: { 204: {} } } },
    '/circle': get({ 200: json(ref('Circle')) }),
    '/tree': get({ 200: json(ref('Node')) }, { operationId: 'getTree' }),
    '/map': get({ 200: json({ type: 'object', additionalProperties: ref('Job'), minProperties: 2 }) }),
    '/again': { $ref: '#/paths/~1tree' },
    '/example': get({ 200: json(ref('Job'), { example: { kind: 'fast', label: 'As documented' } }) }),
    '/events': {
      post: { responses: { 200: { content: { ...json(ref('Job')).content, 'text/event-stream': {} } } } },
    },
    '/providers': get({ 200: json({}) }),
    '/workspaces/{workspace_id}': { ...get({ 200: json(ref('File')) }), patch: { responses: {} } },
  },
  { components: { schemas } },
)

describe('an operation of an OpenAPI document', () => {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(vendor, 'document')
  const gateway = createGateway({ openapi: vendor })

  it.each([
    ['GET /files', 200, '/paths/~1files/get/responses/200/content/application~1json/schema'],
    ['POST /files', 202, '/components/schemas/Job'],
    ['GET /files/7', 200, '/components/schemas/File'],
    ['GET /circle', 200, '/components/schemas/Circle'],
    ['GET /tree', 200, '/components/schemas/Node'],
    ['GET /again', 200, '/components/schemas/Node'],
    ['GET /map', 200, '/paths/~1map/get/responses/200/content/application~1json/schema'],
  ])('replies to %s with %i and the same valid sample each time', async (line, status, pointer) => {
    const first = await call(gateway, line)
    expect(first.status).toBe(status)
    const validate = ajv.compile({ $ref: `document#${pointer}` })
    expect(validate(first.body) ? [] : validate.errors).toEqual([])
    expect(first.headers.get('x-understudy-assumptions')).toBe('documentSample')
    expect((await call(gateway, line)).text).toBe(first.text)
  })

  it('replies with an example of the document or of a schema', async () => {
    expect((await call(gateway, 'GET /example')).body).toEqual({ kind: 'fast', label: 'As documented' })
    expect((await call(gateway, 'GET /files/7')).body.note).toBe('A note')
  })

  it('replies differently to another path parameter, and with another seed', async () => {
    const texts = [
      await call(gateway, 'GET /files/7'),
      await call(gateway, 'GET /files/8'),
      await call(createGateway({ openapi: vendor, seed: 2 }), 'GET /files/7'),
    ].map(({ text }) => text)
    expect(new Set(texts).size).toBe(3)
  })

  it('accepts any request, even with strict', async () => {
    const strict = createGateway({ openapi: vendor, strict: true })
    const form = { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: '--x--' }
    for (const options of [{}, { body: { kind: 'none', more: 1 } }, form])
      expect((await call(strict, 'POST /files?limit=many&limit=2', options)).status).toBe(202)
    expect(strict.journal.entries().flatMap(({ warnings }) => warnings)).toEqual([])
  })

  it('does not replace other operations', async () => {
    expect((await call(gateway, 'GET /providers')).body.data.length).toBeGreaterThan(0)
    expect((await call(gateway, 'PATCH /workspaces/none', { body: {} })).status).toBe(404)
    const { headers } = await call(gateway, 'PUT /workspaces/none')
    expect(headers.get('allow')?.split(', ').sort()).toEqual(['DELETE', 'GET', 'HEAD', 'PATCH'])
  })

  it('rejects streaming requests, and names the alternative', async () => {
    const { status, body } = await call(gateway, 'POST /events', { body: { stream: true } })
    expect([status, body.error.message]).toEqual([501, expect.stringContaining('reply.frames')])
  })

  it('has its operation id, or method and path, in rules, faults and the journal', async () => {
    const sandbox = gateway.createSandbox()
    sandbox.fail(503, { on: 'getTree' as CustomOperationId, times: 1 })
    sandbox.use({ on: 'postEvents' as CustomOperationId, reply: { status: 207, body: { mine: true } } })
    for (const [line, status] of [
      ['GET /tree', 503],
      ['GET /tree', 200],
      ['POST /events', 207],
    ] as const)
      expect((await call(Object.assign(sandbox, { fetch: gateway.fetch }), line)).status).toBe(status)
    const names = sandbox.journal.entries().map(({ operation }) => operation)
    expect(names).toEqual(['getTree', 'getTree', 'postEvents'])
  })

  it('is listed in the API document', () => {
    const added = gateway.operations.filter(({ doc }) => doc?.tag === 'Document')
    expect(added.map(({ method, path }) => `${method} ${path}`)).toContain('get /files/{id}')
  })
})

describe('the paths of an OpenAPI document', () => {
  const here = { 200: json({ const: 'here' }) }

  it.each([
    ['/files', undefined, '/files'],
    ['/files', [{ url: 'https://vendor.example/api/v1/' }], '/files'],
    ['/api/v1/files', [{ url: 'https://vendor.example/api/v1' }], '/files'],
    ['/api/v1/files', [{ url: 'https://vendor.example' }], '/files'],
    ['/files', [{ url: '/api/v1/beta' }], '/beta/files'],
    ['/files', [{ url: '{a}/v1{b}/beta', variables: { a: { default: '/api' }, b: {} } }], '/beta/files'],
    ['/v2/files', [{ url: 'https://vendor.example/v2' }], '/files'],
    ['/files', [{ url: 'https://vendor.example/v2' }], '/files'],
    ['/api/v10/files', [{ url: 'https://vendor.example' }], '/api/v10/files'],
  ])('%s with the servers %j is served at %s', async (path, servers, route) => {
    const openapi = document({ [path]: get(here) }, { servers })
    expect((await call(createGateway({ openapi }), `GET ${route}`)).body).toBe('here')
  })

  it('use the servers of the operation, then of the path, then of the document', () => {
    const at = (name: string) => ({ servers: [{ url: `/api/v1/${name}` }] })
    const put = { ...at('operation'), responses: here }
    const paths = { '/one': get(here), '/two': { ...at('path'), ...get(here), put }, '/three': null }
    const { operations } = createGateway({ openapi: document(paths, at('document')) })
    const added = operations.filter(({ doc }) => doc?.tag === 'Document')
    expect(added.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'get /document/one',
      'get /path/two',
      'put /operation/two',
    ])
  })

  it('may have a fragment or a query, which selects one of several operations', async () => {
    const of = (value: string) => get({ 200: json({ const: value }) })
    const openapi = document({
      '/things/{id}#id': of('thing'),
      '/users?action=list': of('list'),
      '/users?action=count': of('count'),
      '/talks#stream': of('stream'),
      '/talks': of('talks'),
    })
    const gateway = createGateway({ openapi })
    const read = async (path: string) => (await call(gateway, `GET ${path}`)).body
    expect(await read('/things/7')).toBe('thing')
    expect(await read('/users?action=count')).toBe('count')
    expect(await read('/users?action=other')).toBe('list')
    expect(await read('/talks')).toBe('talks')
  })
})

describe('a reference in an OpenAPI document', () => {
  const elsewhere = { $ref: './common.yaml#/File' }
  const read = async (response: object) => {
    const openapi = document({ '/whole': get({ 200: json({ const: 1 }) }), '/part': get({ 200: response }) })
    const gateway = createGateway({ openapi })
    expect((await call(gateway, 'GET /whole')).body).toBe(1)
    const { status, body } = await call(gateway, 'GET /part')
    return `${status} ${body.error.message}`
  }

  it.each([elsewhere, json(elsewhere), json({ type: 'array', items: elsewhere })])(
    'to another file is a 501 that names the fix: %j',
    async (response) => {
      expect(await read(response)).toBe(
        `501 getPart has no sample in the OpenAPI document: reference '${elsewhere.$ref}' to another file: bundle the document into one file`,
      )
    },
  )

  it('that cannot be resolved is a 501 that names it', async () => {
    expect(await read(json(ref('None')))).toContain(`501 getPart has no sample`)
    expect(await read(json(ref('None')))).toContain(`unresolved reference '#/components/schemas/None'`)
  })

  it('to a path in another file is rejected when the gateway is created', () => {
    expect(() => createGateway({ openapi: document({ '/files': elsewhere }) })).toThrow(
      "createGateway: options.openapi: reference './common.yaml#/File' to another file: bundle the document into one file",
    )
  })
})

describe('the schema of a reply in an OpenAPI document', () => {
  const sampleOf = async (schema: object, more?: object) =>
    (await call(createGateway({ openapi: document({ '/a': get({ 200: json(schema) }) }, more) }), 'GET /a'))
      .body

  it('may use the keywords of OpenAPI 3.0', async () => {
    const schema = {
      type: 'object',
      required: ['a', 'b', 'c'],
      properties: {
        a: { type: 'string', nullable: true, enum: ['x'] },
        b: { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 1.5 },
        c: { nullable: true, allOf: [{ const: 3 }] },
      },
    }
    const { a, b, c } = await sampleOf(schema, { openapi: '3.0.3' })
    expect(['x', null]).toContain(a)
    expect(b).toBeGreaterThan(1)
    expect([3, null]).toContain(c)
  })

  it('hides writeOnly properties', async () => {
    const text = { type: 'string' }
    const properties = { id: text, secret: { ...text, writeOnly: true } }
    expect(Object.keys(await sampleOf({ type: 'object', required: ['id', 'secret'], properties }))).toEqual([
      'id',
    ])
  })

  it('may be recursive in a document without references', async () => {
    const node: Record<string, unknown> = { type: 'object', required: ['value'] }
    node['properties'] = { value: { const: 1 }, next: node }
    expect(await sampleOf(node)).toMatchObject({ value: 1 })
  })

  it('is a 501 if its sample would be too large', async () => {
    const doubled = Array.from({ length: 30 }, (_, level) => {
      const next = level < 29 ? ref(`Level${level + 1}`) : { type: 'string' }
      return [`Level${level}`, { type: 'object', required: ['a', 'b'], properties: { a: next, b: next } }]
    })
    const { error } = await sampleOf(ref('Level0'), { components: { schemas: Object.fromEntries(doubled) } })
    expect([error.code, error.message]).toEqual([501, expect.stringContaining('getA has no sample')])
  })
})

describe('the responses of an OpenAPI document', () => {
  const replyTo = (responses: object) =>
    call(createGateway({ openapi: document({ '/a': get(responses) }) }), 'GET /a')

  it.each([
    [[], 204],
    [['404'], 204],
    [['302'], 302],
    [['default', '400'], 200],
    [['302', 'default'], 200],
    [['2XX'], 200],
    [['default', '204', '201', '302'], 201],
  ])('for %j have the status %i', async (statuses, status) => {
    expect((await replyTo(Object.fromEntries(statuses.map((each) => [each, {}])))).status).toBe(status)
  })

  it.each([
    ['text/plain', { example: 'High tide' }, 'High tide'],
    ['text/csv', { example: { a: 1 } }, '{"a":1}'],
    ['application/json', { example: [1, 2] }, '[1,2]'],
    ['*/*', { examples: { first: { value: 'a' }, second: { value: 'b' } } }, '"a"'],
  ])('with the type %s and %j have the body $2', async (type, media, text) => {
    expect((await replyTo({ 200: { content: { [type]: media } } })).text).toBe(text)
  })

  it('have some bytes for a binary type, and a 501 for a type that is none', async () => {
    const image = await replyTo({ 200: { content: { 'image/png': {} } } })
    expect(image.headers.get('content-type')).toBe('image/png')
    expect(image.headers.get('content-length')).toBe(String(image.text.length))
    for (const type of ['', 'text', 'text/plain\r\n', 'a/b; c=\u2028'])
      expect((await replyTo({ 200: { content: { [type]: {} } } })).status).toBe(501)
  })
})

describe('createGateway with openapi', () => {
  const ask = async (options: GatewayOptions, path: string) =>
    (await call(createGateway(options), `GET ${path}`)).text
  const folder = temporaryFolder()

  it('reads YAML and JSON files, and reads them again after a change', async () => {
    const file = join(folder, 'vendor')
    const read = async (name: string, text: string, seconds: number) => {
      await writeFile(file + name, text)
      await utimes(file + name, seconds, seconds)
      return ask({ openapi: file + name }, '/value')
    }
    const openapi = (value: number) =>
      JSON.stringify(document({ '/value': get({ 200: json({ const: value }) }) }))
    expect(await read('.json', openapi(1), 1000)).toBe('1')
    expect(await read('.json', openapi(2), 2000)).toBe('2')
    const yaml = 'openapi: 3.1.0\npaths:\n  /value: { get: { responses: { 204: {} } } }\n'
    expect(await read('.yaml', yaml, 2000)).toBe('')
  })

  it.each([
    [{ openapi: './nowhere.yaml' }, './nowhere.yaml: no such file'],
    [{ openapi: null as never }, 'must be the path of a file, or a parsed OpenAPI document'],
    [{ openapi: '' }, 'must not be empty'],
    [{ openapi: {} }, 'is not an OpenAPI document: it has no paths'],
    [{ openapi: { swagger: '2.0', paths: {} } }, 'is not an OpenAPI 3 document: it has swagger: 2.0'],
  ])('rejects %j with a one-line error', (options, message) => {
    expect(() => createGateway(options)).toThrow(message)
  })

  it('reports the line and column of a mistake in a file', async () => {
    const openapi = join(folder, 'api.json')
    await writeFile(openapi, '{"openapi": "3.1.0"')
    expect(() => createGateway({ openapi })).toThrow('api.json:1:20: not JSON')
    await writeFile(openapi, 'a:\n  b: [')
    expect(() => createGateway({ openapi })).toThrow(/api.json:2:\d+: not JSON/)
    await writeFile(openapi, 'null')
    expect(() => createGateway({ openapi })).toThrow('api.json: is not an OpenAPI document: it has no paths')
  })

  it('does not read schemas before the first request', () => {
    const components = Object.defineProperty({}, 'schemas', { get: () => expect.fail('was read') })
    const openapi = document({ '/one': vendor.paths['/tree'] }, { components })
    expect(handlers(createGateway({ openapi })).length).toBeGreaterThan(6)
  })
})
