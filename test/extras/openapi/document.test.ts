/**
 * Tests operations mocked from an OpenAPI document. ajv validates their replies.
 */

import { mkdtemp, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { dump as stringify } from 'js-yaml'
import { describe, expect, it, vi } from 'vitest'
import { apiDocument } from '../../../src/control/documents.ts'
import { createGateway, type GatewayOptions } from '../../../src/index.ts'
import { Budget } from '../../../src/model/json-schema/budget.ts'
import { handlers } from '../../../src/msw.ts'
import type { CustomOperationId } from '../../../src/scenarios/names.ts'
import { call, open } from '../../call.ts'
import { describeAdapters } from '../../describe-adapters.ts'
import { hardDocument } from './hard-document.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(hardDocument, 'document')

function problemsOf(value: unknown, pointer: string): unknown {
  const validate = ajv.compile({ $ref: `document#${pointer}` })
  return validate(value) ? [] : validate.errors
}

const trace = '0b0e0f0a-1111-4222-8333-444455556666'
const document = 'x-understudy-assumptions'

/** Request line, status, JSON pointer to the reply's schema, and the request body if there is one. */
const answers: [`${string} /${string}`, number, string, object?][] = [
  ['GET /files', 200, '/paths/~1api~1v1~1files/get/responses/200/content/application~1json/schema'],
  ['GET /files/recent', 200, '/paths/~1files~1recent/get/responses/200/content/application~1json/schema'],
  ['POST /jobs', 202, '/components/schemas/Job', { kind: 'fast', label: 'Mine' }],
  ['GET /shapes', 200, '/paths/~1shapes/get/responses/200/content/application~1json/schema'],
  ['GET /tree', 200, '/components/schemas/Node'],
  ['GET /map', 200, '/paths/~1map/get/responses/200/content/application~1json/schema'],
  ['GET /formats', 200, '/components/schemas/Formats'],
  ['GET /bad-example', 200, '/components/schemas/Job'],
  ['GET /default', 200, '/components/schemas/File'],
  ['GET /workspaces/any', 200, '/components/schemas/File'],
  ['POST /events', 200, '/components/schemas/Job', {}],
]

describeAdapters('an OpenAPI document', { openapi: hardDocument }, (entrance) => {
  const { call } = entrance
  const headers = { 'x-trace': trace }

  it.each(answers)(
    'replies to %s with %i and a valid body, which is the same each time',
    async (line, status, pointer, body) => {
      const first = await call(line, { headers, ...(body && { body }) })
      expect(first.status).toBe(status)
      expect(problemsOf(first.body, pointer)).toEqual([])
      expect(first.headers.get(document)).toMatch(/^document(, documentSample)?$/)
      expect((await call(line, { headers, ...(body && { body }) })).text).toBe(first.text)
    },
  )

  it('replies with the documented status, and with an empty, binary, text or audio body', async () => {
    const files = (await call('GET /files', { headers })).body.data
    const gone = await call(`DELETE /files/${files[0].id}`)
    expect([gone.status, gone.text]).toEqual([204, ''])
    const bytes = await call('GET /files/abc/content')
    expect(bytes.headers.get('content-type')).toBe('application/octet-stream')
    expect(bytes.text.length).toBeGreaterThan(0)
    const note = await call('GET /files/abc/note.txt')
    expect(note.headers.get('content-type')).toBe('text/plain')
    expect(note.text.length).toBeGreaterThanOrEqual(4)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const sound = await call('POST /speech', { headers: form, body: 'text=Hi&speed=1.5' })
    expect([sound.status, sound.headers.get('content-type')]).toEqual([200, 'audio/mpeg'])
  })

  it('rejects unsupported body types and names the supported ones', async () => {
    const refused = await call('POST /files', { body: { file: 'a' } })
    expect(refused.status).toBe(415)
    expect(refused.body.error.message).toBe(
      "Unsupported media type 'application/json': send multipart/form-data",
    )
  })

  it('accepts a form without validation, reports it in the journal, and replies with the documented headers', async () => {
    const form = new FormData()
    form.set('other', new Blob([new Uint8Array([0xff, 0xfe, 0x00])]), 'a.bin')
    const { fetch, baseUrl, sandbox } = entrance
    const headers = { authorization: `Bearer ${sandbox.apiKey}` }
    const made = await fetch(`${baseUrl}/files`, { method: 'POST', headers, body: form })
    expect(made.status).toBe(201)
    expect(made.headers.get('location')).toMatch(/^https:/)
    expect(sandbox.journal.entries()[0]?.warnings).toEqual([
      'Not checked in uploadFile requests: multipart/form-data bodies',
    ])
  })

  it('reports every schema violation with its path in the error envelope', async () => {
    const refused = await call('POST /jobs', { body: { kind: 'none', steps: [{ at: 'x' }] } })
    expect(refused.status).toBe(400)
    expect(refused.headers.get(document)).toContain('document')
    const { code, metadata } = refused.body.error
    expect(code).toBe(400)
    expect(metadata.violations.map(({ path }: { path: string }) => path).sort()).toEqual([
      'body.kind',
      'body.label',
      'body.steps[0].at',
    ])
  })

  it.each([
    ['GET /files?limit=0', 'query.limit'],
    ['GET /files?limit=ten', 'query.limit'],
    ['GET /files?kind=text&kind=sound', 'query.kind[1]'],
    ['GET /files/ab', 'params.file-id'],
    ['GET /points/1,x/;matrix=1/.true', 'params.point[1]'],
  ] as const)('rejects %s with a violation at %s', async (line, path) => {
    const { status, body } = await call(line, { headers })
    expect([status, body.error?.metadata.violations.map((each: { path: string }) => each.path)]).toEqual([
      400,
      [path],
    ])
  })

  it('accepts parameters in other styles without validation, and reports them in the journal', async () => {
    const query = 'limit=10&kind=text&kind=image&ids=x&filter%5Bsize%5D=x'
    expect((await call(`GET /files?${query}`, { headers })).status).toBe(200)
    expect((await call('GET /points/1,2/;matrix=x/.maybe')).status).toBe(200)
    expect(entrance.sandbox.journal.entries().map(({ warnings }) => warnings)).toEqual([
      [
        "Not checked in listFiles requests: query parameter 'ids' (explode: false); query parameter 'filter' (style deepObject)",
      ],
      [
        "Not checked in getPoint requests: path parameter 'matrix' (style matrix); path parameter 'label' (style label)",
      ],
    ])
  })

  it('rejects a request without a required header', async () => {
    const { status, body } = await call('GET /files')
    expect([status, body.error.metadata.violations[0].path]).toEqual([400, 'header.x-trace'])
  })

  it('reports a discriminator whose values no alternative lists', async () => {
    await call('GET /shapes')
    expect(entrance.sandbox.journal.entries()[0]?.warnings).toEqual([
      "The reply of listShapes may not match its schema: 'discriminator' is not simulated",
    ])
  })

  it('replies with valid examples from the document and its schemas', async () => {
    expect((await call('GET /example')).body).toEqual({ kind: 'fast', label: 'As documented' })
    expect((await call('GET /default')).body.note).toBe('A note')
  })

  it('does not replace built-in operations', async () => {
    const { body } = await call('GET /providers')
    expect(body.data.length).toBeGreaterThan(0)
    expect((await call('PATCH /workspaces/nobody', { body: {} })).status).toBe(404)
    expect((await call('PUT /workspaces/nobody')).headers.get('allow')?.split(', ').sort()).toEqual([
      'GET',
      'HEAD',
      'PATCH',
    ])
  })

  it('rejects streaming requests, and names the alternative', async () => {
    const { status, body } = await call('POST /events', { body: { stream: true } })
    expect([status, body.error.message]).toEqual([501, expect.stringContaining('reply.frames')])
  })

  it('supports rules, faults and the journal by operation id, which is derived from method and path if absent', async () => {
    entrance.sandbox.fail(503, { on: 'getTree' as CustomOperationId, times: 1 })
    entrance.sandbox.use({
      on: 'postSpeech' as CustomOperationId,
      reply: { status: 207, body: { mine: true } },
    })
    expect((await call('GET /tree')).status).toBe(503)
    expect((await call('GET /tree')).status).toBe(200)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await call('POST /speech', { headers: form, body: 'text=Hi' })).status).toBe(207)
    expect(entrance.sandbox.journal.entries().map(({ operation }) => operation)).toEqual([
      'getTree',
      'getTree',
      'postSpeech',
    ])
  })
})

describe('references in a document', () => {
  const out = { $ref: './common.yaml#/components/schemas/File' }
  const json = (schema: object) => ({ 'application/json': { schema } })
  const answer = (schema: object) => ({ 200: { description: 'Done', content: json(schema) } })
  const openapi = {
    openapi: '3.1.0',
    paths: {
      '/reply': { get: { responses: answer(out) } },
      '/inside': { get: { responses: answer({ type: 'object', required: ['a'], properties: { a: out } }) } },
      '/response': { get: { responses: { 200: out } } },
      '/parameter': { get: { parameters: [out], responses: answer({}) } },
      '/query': { get: { parameters: [{ name: 'a', in: 'query', schema: out }], responses: answer({}) } },
      '/body': { post: { requestBody: { content: json(out) }, responses: answer({}) } },
      '/lost': { get: { responses: answer({ $ref: '#/components/schemas/None' }) } },
      '/whole': { get: { responses: answer({ const: 1 }) } },
    },
  }
  const ask = async (method: string, path: string) => {
    const body = method === 'POST' ? {} : undefined
    const {
      status,
      body: value,
      headers,
    } = await call(createGateway({ openapi }), `${method} ${path}`, { body })
    return [status, value.error?.message ?? value, headers.get(document)]
  }

  it.each([
    ['GET', '/reply'],
    ['GET', '/inside'],
    ['GET', '/response'],
    ['GET', '/parameter'],
    ['GET', '/query?a=1'],
    ['POST', '/body'],
  ])('are rejected with a suggested fix if they point to other files: %s %s', async (method, path) => {
    const message = `Unsupported reference '${out.$ref}' to another file: bundle the OpenAPI document into one file`
    expect(await ask(method, path)).toEqual([501, message, 'document'])
  })

  it('are reported if they are unresolved, without affecting other operations', async () => {
    const message = "Unresolved reference '#/components/schemas/None' in the OpenAPI document"
    expect(await ask('GET', '/lost')).toEqual([501, message, 'document'])
    expect(await ask('GET', '/whole')).toEqual([200, 1, 'document, documentSample'])
  })

  it('are left as they are in the API document, even if they are unresolved', () => {
    const { paths } = apiDocument(createGateway({ openapi })) as { paths: Record<string, object> }
    expect(paths['/body']).toMatchObject({ post: { requestBody: { content: json(out) } } })
    expect(paths['/lost']).toMatchObject({ get: { responses: openapi.paths['/lost'].get.responses } })
  })

  it('are rejected when the gateway is created if they replace a path with another file', () => {
    const paths = { '/files': { $ref: './files.yaml' } }
    expect(() => createGateway({ openapi: { openapi: '3.1.0', paths } })).toThrow(
      "createGateway: options.openapi: has an external reference './files.yaml' at '/files': bundle the document into one file",
    )
  })
})

it.each([
  ['/files', undefined, '/files'],
  ['/files', [{ url: 'https://vendor.example/api/v1' }], '/files'],
  ['/files', [{ url: 'https://vendor.example/api/v1/' }], '/files'],
  ['/api/v1/files', [{ url: 'https://vendor.example/api/v1' }], '/files'],
  ['/api/v1/files', [{ url: 'https://vendor.example' }], '/files'],
  ['/files', [{ url: '/api/v1/beta' }], '/beta/files'],
  ['/files', [{ url: '{a}/v1{b}/beta', variables: { a: { default: '/api' }, b: {} } }], '/beta/files'],
  ['/v2/files', [{ url: 'https://vendor.example/v2' }], '/files'],
  ['/files', [{ url: 'https://vendor.example/v2' }], '/files'],
  ['/api/v10/files', [{ url: 'https://vendor.example' }], '/api/v10/files'],
])(
  'an OpenAPI document with the path %s and the servers %j is served at %s',
  async (path, servers, route) => {
    const reply = { description: 'Done', content: { 'application/json': { schema: { const: 'here' } } } }
    const openapi = { openapi: '3.1.0', servers, paths: { [path]: { get: { responses: { 200: reply } } } } }
    const response = await call(createGateway({ openapi }), `GET ${route}`)
    expect(response.body).toBe('here')
  },
)

it("an operation's servers override those of its path, which override the document's", async () => {
  const at = (name: string) => [{ url: `/api/v1/${name}` }]
  const operation = { responses: { 204: {} } }
  const openapi = {
    openapi: '3.1.0',
    servers: at('document'),
    paths: {
      'x-extension': { get: operation },
      '/one': { get: operation },
      '/two': { servers: at('path'), get: operation, put: { servers: at('operation'), ...operation } },
      '/three': { $ref: '#/paths/~1one' },
      // Has the same form as the next path, which is therefore omitted.
      '/five/{a}': { get: operation },
      '/five/{b}': { get: operation },
      '/four': null,
    },
  }
  const { operations } = createGateway({ openapi })
  const added = operations.filter(({ doc }) => doc?.tag === 'Document')
  expect(added.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'get /document/one',
    'get /path/two',
    'put /operation/two',
    'get /document/three',
    'get /document/five/{a}',
  ])
})

describe('createGateway with openapi', () => {
  const ask = async (options: GatewayOptions, path: string) =>
    (await call(createGateway(options), `GET ${path}`)).text

  it('replies differently with a different seed', async () => {
    const [one, two] = await Promise.all(
      [1, 2].map((seed) => ask({ openapi: hardDocument, seed }, '/formats')),
    )
    expect(one).not.toBe(two)
  })

  it('reads YAML and JSON files', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'understudy-'))
    const expected = await ask({ openapi: hardDocument }, '/tree')
    for (const [name, text] of [
      ['vendor.yaml', stringify(hardDocument)],
      ['vendor.json', JSON.stringify(hardDocument)],
    ] as const) {
      await writeFile(join(folder, name), text)
      expect(await ask({ openapi: join(folder, name) }, '/tree')).toBe(expected)
    }
  })

  it('supports OpenAPI 3.0: nullable, and exclusive bounds as booleans', async () => {
    const schema = {
      type: 'object',
      required: ['a', 'b', 'c'],
      properties: {
        a: { type: 'string', nullable: true, enum: ['x'] },
        b: { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 1.5 },
        c: { nullable: true, allOf: [{ type: 'integer' }] },
      },
    }
    const media = { 'application/json': { schema } }
    const openapi = {
      openapi: '3.0.3',
      paths: {
        '/old': {
          post: {
            requestBody: { content: media },
            responses: { 200: { description: 'Same', content: media } },
          },
        },
      },
    }
    const gateway = createGateway({ openapi })
    const post = (body: object) => call(gateway, 'POST /old', { body })
    const { b } = (await post({ a: null, b: 1.2, c: null })).body
    expect(b).toBeGreaterThan(1)
    expect((await post({ a: 'x', b: 1, c: 1 })).status).toBe(400)
  })

  it.each([
    [{ openapi: './nowhere.yaml' }, 'createGateway: options.openapi: ./nowhere.yaml: no such file'],
    [
      { openapi: null as never },
      'createGateway: options.openapi must be the path of a file, or a parsed OpenAPI document',
    ],
    [
      { openapi: 7 as never },
      'createGateway: options.openapi must be the path of a file, or a parsed OpenAPI document',
    ],
    [{ openapi: '' }, 'createGateway: options.openapi must not be empty'],
    [{ openapi: {} }, 'createGateway: options.openapi: is not an OpenAPI document: it has no paths'],
    [
      { openapi: { swagger: '2.0', paths: {} } },
      'createGateway: options.openapi: is not an OpenAPI 3 document: it has swagger: 2.0',
    ],
  ])('rejects %j with a one-line error', (options, message) => {
    expect(() => createGateway(options)).toThrow(message)
  })

  it('reports the line and column of a mistake in a file', async () => {
    const openapi = join(await mkdtemp(join(tmpdir(), 'understudy-')), 'api.json')
    await writeFile(openapi, '{"openapi": "3.1.0",}')
    expect(() => createGateway({ openapi })).toThrow('api.json:1:21: not JSON: remove the comma before }')
    await writeFile(openapi, 'a:\n  b: [')
    expect(() => createGateway({ openapi })).toThrow('api.json:2:7: not YAML: a bracket is not closed')
    await writeFile(openapi, 'null')
    expect(() => createGateway({ openapi })).toThrow('api.json: is not an OpenAPI document: it has no paths')
    expect(() => createGateway({ openapi: tmpdir() })).toThrow(/: cannot be read: EISDIR$/)
  })

  it('reads a file again after it has changed, and does not confuse files with the same time', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'understudy-'))
    const read = async (name: string, value: number, seconds: number) => {
      const file = join(folder, name)
      const responses = { 200: { content: { 'application/json': { schema: { const: value } } } } }
      await writeFile(file, JSON.stringify({ openapi: '3.1.0', paths: { '/value': { get: { responses } } } }))
      await utimes(file, seconds, seconds)
      return ask({ openapi: file }, '/value')
    }
    expect([await read('a.json', 1, 1000), await read('a.json', 2, 2000)]).toEqual(['1', '2'])
    expect(await read('b.json', 3, 2000)).toBe('3')
  })

  it('does not read schemas before the first request', async () => {
    const schemas = Object.defineProperty({ Good: { type: 'integer' } }, 'Bad', {
      enumerable: true,
      get: () => expect.fail('was read'),
    })
    const openapi = {
      ...hardDocument,
      components: { schemas },
      paths: { '/one': hardDocument.paths['/tree'] },
    }
    expect(handlers(createGateway({ openapi })).length).toBeGreaterThan(6)
  })
})

describe('a body that matches none of several schemas', () => {
  const kind = (name: string, fields: object) => ({
    type: 'object',
    required: ['kind', ...Object.keys(fields)],
    properties: { kind: { const: name }, ...fields },
  })
  const schema = {
    oneOf: [
      {
        ...kind('circle', { radius: { type: 'number' } }),
        patternProperties: { tags: { type: 'array', prefixItems: [{ type: 'string' }] } },
      },
      kind('square', { side: { type: 'number' }, corner: { type: 'object', required: ['x', 'y'] } }),
      { type: 'string' },
    ],
  }
  const openapi = {
    openapi: '3.1.0',
    paths: {
      '/shapes': {
        post: { requestBody: { content: { 'application/json': { schema } } }, responses: { 204: {} } },
      },
    },
  }
  const { fetch } = createGateway({ openapi })

  it.each([
    [{ kind: 'square', side: 1, corner: {} }, ['body.corner.x', 'body.corner.y']],
    [{ kind: 'square', side: 'long', corner: { x: 0, y: 0 } }, ['body.side']],
    [{ kind: 'circle' }, ['body.radius']],
    [7, ['body']],
  ])('is checked against the closest schema: %j', async (shape, paths) => {
    const reply = await call({ fetch }, 'POST /shapes', { body: shape })
    const { error } = reply.body
    expect(error.metadata.violations.map(({ path }: { path: string }) => path)).toEqual(paths)
    if (shape === 7) expect(error.message).toContain('expected object or string, received number')
  })
})

it('unsupported keywords of an OpenAPI document are reported in the journal', async () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'integer', not: { const: 1 } } },
    required: ['a'],
  }
  const content = { 'application/json': { schema } }
  const openapi = {
    openapi: '3.1.0',
    paths: {
      '/notes': { post: { operationId: 'note', requestBody: { content }, responses: { 200: { content } } } },
    },
  }
  const gateway = createGateway({ openapi })
  const reply = await call(gateway, 'POST /notes', { body: { a: 1 } })
  expect(reply.body).toEqual({ a: expect.any(Number) })
  expect(gateway.journal.entries()[0]?.warnings).toEqual([
    "Not checked in note requests: 'not'",
    "The reply of note may not match its schema: 'not' is not simulated",
  ])
})

it('readOnly fields are not required in requests, and writeOnly fields are omitted from replies', async () => {
  const schema = {
    type: 'object',
    required: ['id', 'name', 'secret'],
    properties: {
      id: { type: 'string', readOnly: true },
      name: { type: 'string' },
      secret: { type: 'string', writeOnly: true },
    },
  }
  const content = { 'application/json': { schema } }
  const openapi = {
    openapi: '3.1.0',
    paths: { '/keys': { post: { requestBody: { content }, responses: { 200: { content } } } } },
  }
  const { fetch } = createGateway({ openapi })
  const post = async (body: object) => {
    return (await call({ fetch }, 'POST /keys', { body })).body
  }
  expect(Object.keys(await post({ name: 'a', secret: 'b' })).sort()).toEqual(['id', 'name'])
  const { error } = await post({ id: 'a' })
  const paths = error.metadata.violations.map(({ path }: { path: string }) => path)
  expect(paths.sort()).toEqual(['body.name', 'body.secret'])
})

it('object and cookie parameters are accepted without validation, and reported in the journal', async () => {
  const schema = { type: 'object', properties: { limit: { type: 'integer' } } }
  const parameters = [
    { name: 'filter', in: 'query', required: true, schema },
    { name: 'json', in: 'query', content: { 'application/json': { schema } } },
    { name: 'token', in: 'cookie', schema: { type: 'integer' } },
  ]
  const openapi = {
    openapi: '3.1.0',
    paths: { '/open': { get: { operationId: 'open', parameters, responses: { 204: {} } } } },
  }
  const gateway = createGateway({ openapi })
  const reply = await open(gateway, 'GET /open?limit=many&json={')
  expect(reply.status).toBe(204)
  expect(gateway.journal.entries()[0]?.warnings).toEqual([
    "Not checked in open requests: query parameter 'filter' (object); query parameter 'json' (content); cookie parameter 'token'",
  ])
})

it('strings in requests are validated against their format', async () => {
  const key = { anyOf: [{ type: 'string', format: 'uuid' }, { type: 'null' }] }
  const requestBody = { content: { 'application/json': { schema: { type: 'object', properties: { key } } } } }
  const openapi = { openapi: '3.1.0', paths: { '/keys': { post: { requestBody, responses: { 204: {} } } } } }
  const { fetch } = createGateway({ openapi })
  const post = (given: object) => call({ fetch }, 'POST /keys', { body: given })
  expect((await post({ key: '0b0e0f0a-1111-4222-8333-444455556666' })).status).toBe(204)
  expect((await post({ key: 'none' })).body.error.message).toContain('invalid uuid')
})

it('parameters and bodies without a schema accept anything', async () => {
  const openapi = {
    openapi: '3.1.0',
    info: { title: 'Notes', version: '1' },
    paths: {
      '/notes': {
        put: {
          operationId: 'putNote',
          parameters: [{ name: 'any', in: 'query' }],
          requestBody: { content: { 'application/json': {} } },
          responses: { 204: { description: 'Kept' } },
        },
      },
    },
  }
  const { fetch } = createGateway({ openapi })
  for (const body of ['3', '"text"', '{"a":[null]}']) {
    const response = await open({ fetch }, 'PUT /notes?any=thing', { body })
    expect([body, response.status]).toEqual([body, 204])
  }
})

it.each([
  [true, 400],
  [false, 204],
  [undefined, 204],
])(
  'a body with required: %j in an OpenAPI document can have any declared type, and gets %i if it is absent',
  async (required, absent) => {
    const openapi = (...types: string[]) => {
      const requestBody = { required, content: Object.fromEntries(types.map((type) => [type, {}])) }
      return { openapi: '3.1.0', paths: { '/notes': { post: { requestBody, responses: { 204: {} } } } } }
    }
    const statuses = async (...types: string[]) => {
      const gateway = createGateway({ openapi: openapi(...types) })
      const statusOf = async (options: object) => (await call(gateway, 'POST /notes', options)).status
      const typed = ['application/json', 'text/plain', 'a/b'].map((type) =>
        statusOf({ headers: { 'content-type': type }, body: '1' }),
      )
      return Promise.all([statusOf({}), ...typed])
    }
    expect(await statuses('application/json')).toEqual([absent, 204, 415, 415])
    expect(await statuses('application/json', 'text/plain')).toEqual([absent, 204, 204, 415])
    expect(await statuses('text/plain')).toEqual([absent, 415, 204, 415])
  },
)

it.each(['', 'text', 'te xt/plain', 'text/plain\r\n', 'text/pl–n', 'text/\u0000json', 'a/b; c=\u2028'])(
  'an invalid media type in the document causes a 500 that names it: %j',
  async (type) => {
    const responses = { 200: { content: { [type]: { schema: { type: 'string' } } } } }
    const openapi = {
      openapi: '3.1.0',
      paths: { '/notes': { get: { operationId: 'listNotes', responses } } },
    }
    const { status, body } = await call(createGateway({ openapi }), 'GET /notes')
    expect([status, body.error.message]).toEqual([
      500,
      `The content type ${JSON.stringify(type)} of listNotes is not a media type`,
    ])
  },
)

describe('the reply of an operation', () => {
  const replyOf = async (responses: object) => {
    const openapi = { openapi: '3.1.0', paths: { '/tides': { get: { responses } } } }
    return call(createGateway({ openapi }), 'GET /tides')
  }

  it.each([
    [[], 204],
    [['404'], 204],
    [['302'], 302],
    [['default', '400'], 200],
    [['302', 'default'], 200],
    [['2XX'], 200],
    [['default', '204', '201', '302'], 201],
  ])('with responses for %j has the status %i', async (statuses, status) => {
    const responses = Object.fromEntries(statuses.map((each) => [each, { description: '' }]))
    expect((await replyOf(responses)).status).toBe(status)
  })

  it.each([
    ['text/plain', { example: 'High tide' }, 'High tide'],
    ['text/csv', { schema: { type: 'object' }, example: { a: 1 } }, '{"a":1}'],
    ['application/json', { example: [1, 2] }, '[1,2]'],
    ['application/*', { schema: { const: 3 } }, '3'],
    ['*/*', { examples: { first: { value: 'a' }, second: { value: 'b' } } }, '"a"'],
  ])('with the type %s and %j has the body $2', async (type, media, text) => {
    expect((await replyOf({ 200: { content: { [type]: media } } })).text).toBe(text)
  })

  it('has text even without a schema', async () => {
    expect((await replyOf({ 200: { content: { 'text/plain': {} } } })).text).toBe('getTides')
  })

  it('has the headers that are required or have an example', async () => {
    const text = { schema: { type: 'string' } }
    const headers = {
      'X-Plain': text,
      'X-Example': { ...text, example: 'é 1' },
      'X-List': { example: [1, 2], schema: {} },
      'X-Required': { ...text, required: true },
    }
    const reply = await replyOf({ 204: { headers } })
    expect(['x-plain', 'x-example', 'x-list'].map((name) => reply.headers.get(name))).toEqual([
      null,
      '? 1',
      '[1,2]',
    ])
    expect(reply.headers.get('x-required')).toMatch(/^\w/)
  })
})

it('documented headers that replies cannot have are omitted', async () => {
  const header = { required: true, schema: { type: 'string' }, example: 'chunked' }
  const names = ['bad name', 'bäd', 'Transfer-Encoding', 'Connection', 'X-Good']
  const headers = Object.fromEntries(names.map((name) => [name, header]))
  const responses = { 200: { headers, content: { 'application/json': { schema: { type: 'string' } } } } }
  const openapi = { openapi: '3.1.0', paths: { '/notes': { get: { responses } } } }
  const reply = await call(createGateway({ openapi }), 'GET /notes')
  expect(reply.status).toBe(200)
  expect([reply.headers.get('x-good'), reply.headers.get('transfer-encoding')]).toEqual(['chunked', null])
})

it('a pattern with catastrophic backtracking is evaluated within limits, or reported in the journal', async () => {
  const schema = { type: 'object', properties: { key: { type: 'string', pattern: '^(a+)+$' } } }
  const requestBody = { content: { 'application/json': { schema } } }
  const post = { operationId: 'addKey', requestBody, responses: { 204: {} } }
  const gateway = createGateway({ openapi: { openapi: '3.1.0', paths: { '/keys': { post } } } })
  const statusOf = async (key: string) => (await call(gateway, 'POST /keys', { body: { key } })).status
  expect(await statusOf('a'.repeat(40))).toBe(204)
  expect(await statusOf(`${'a'.repeat(40)}!`)).toBe(400)
  expect(gateway.journal.entries().flatMap(({ warnings }) => warnings)).toEqual([])
  await statusOf(`${'a'.repeat(100_000)}!`)
  expect(gateway.journal.entries().at(-1)?.warnings).toEqual([
    'Not checked in addKey requests: values that need more than 500000 steps to find a value',
  ])
})

describe('30 levels of references that double at each level', () => {
  const documentOf = (level: (next: object) => object) => {
    const names = Array.from({ length: 30 }, (_, index) => `Level${index}`)
    const schemas = names.map((name, index) => {
      const next = names[index + 1]
      return [name, next ? level({ $ref: `#/components/schemas/${next}` }) : { type: 'string' }]
    })
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Level0' } } }
    return {
      openapi: '3.1.0',
      components: { schemas: Object.fromEntries(schemas) },
      paths: {
        '/notes': {
          get: { operationId: 'getNote', responses: { 200: { content } } },
          post: { requestBody: { content }, responses: { 204: {} } },
        },
      },
    }
  }

  it.each(['anyOf', 'oneOf'])('are checked once each in %s', async (keyword) => {
    const openapi = documentOf((next) => ({ [keyword]: [next, next] }))
    const { status, body } = await call(createGateway({ openapi }), 'POST /notes', { body: {} })
    expect([status, body.error.message]).toEqual([
      400,
      'body: invalid input: expected string, received object',
    ])
  })

  it('make a reply too large, which is detected only once', async () => {
    const openapi = documentOf((next) => ({
      type: 'object',
      required: ['a', 'b'],
      properties: { a: next, b: next },
    }))
    const gateway = createGateway({ openapi })
    const spend = vi.spyOn(Budget.prototype, 'spend')
    const steps = []
    for (let round = 0; round < 2; round++) {
      spend.mockClear()
      const { status, body } = await call(gateway, 'GET /notes')
      expect([status, body.error.message]).toEqual([
        500,
        'Cannot generate the reply of getNote from the document: more than 10000 parts',
      ])
      steps.push(spend.mock.calls.length)
    }
    expect(steps[0]).toBeGreaterThan(10_000)
    expect(steps[1]).toBe(0)
  })
})
