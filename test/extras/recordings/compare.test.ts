/**
 * Compares small documents: tests the findings for each change in a reply and in a request, in either direction.
 */
import { describe, expect, it } from 'vitest'
import { readDocument } from '../../../src/extras/recordings/documents.ts'
import { accept, type Drift, findDrift, nameOf } from '../../../src/extras/recordings/drift.ts'
import { grouped, toMarkdown, toSarif, toText } from '../../../src/extras/recordings/drift-report.ts'
import type { RecordedEvent } from '../../../src/extras/recordings/events.ts'
import { explain } from '../../../src/extras/recordings/known-differences.ts'
import { compareStreams, modelOf } from '../../../src/extras/recordings/observe.ts'
import { type Recording, toChunk } from '../../../src/extras/recordings/recording.ts'

type Schema = object | undefined

/** Understudy's streams, which are only compared if a stream was observed. */
const streams = modelOf([[{ data: '', event: undefined, value: { type: 'start' } }]])
const json = (schema: Schema) => ({ content: { 'application/json': { schema } } })
const documentOf = (operation: object, more: object = {}) => ({
  openapi: '3.1.0',
  paths: { '/things': { get: { operationId: 'ask', ...operation } } },
  ...more,
})
const ok = (schema: Schema) => ({ responses: { 200: json(schema) } })

function drift(ours: object, theirs?: object, recordings?: Record<string, Recording>): Drift {
  return findDrift({
    mock: { operations: readDocument(ours), streams },
    document: theirs && readDocument(theirs),
    observed: new Map(recordings ? [['recordings', new Map(Object.entries(recordings))]] : []),
  })
}

function lines({ findings }: Drift): string[] {
  return findings.length === 0
    ? ['  nothing']
    : findings.map((finding) => `  ${finding.severity} ${nameOf(finding)}: ${finding.message}`)
}

const text = { type: 'string' }
const whole = { type: 'integer' }
const object = (properties: object, required: string[] = [], more: object = {}) => ({
  type: 'object',
  properties,
  required,
  ...more,
})
const tagged = (tag: string, more: object = {}, name = 'type') =>
  object({ [name]: { const: tag }, ...more }, [name])

/** Pairs of schemas with a description of their difference. */
const pairs: [string, Schema, Schema][] = [
  ['string, integer', text, whole],
  ['integer, number', whole, { type: 'number' }],
  ['string, nullable string', text, { type: ['string', 'null'] }],
  ['string, null', text, { type: 'null' }],
  ['string, string or boolean', text, { type: ['string', 'boolean'] }],
  ['nullable string, nullable number', { type: ['string', 'null'] }, { type: ['number', 'null'] }],
  ['string or array, string or object', { type: ['string', 'array'] }, { type: ['string', 'object'] }],
  ['empty schema, string', {}, text],
  ['no schema, string', undefined, text],
  ['enum of two strings, enum of three', { enum: ['a', 'b'] }, { enum: ['a', 'b', 'c'] }],
  ['enum of two strings, enum with one other string', { enum: ['a', 'b'] }, { enum: ['b', 'c'] }],
  ['enum of two strings, any string', { enum: ['a', 'b'] }, text],
  ['const, enum of two strings', { const: 'a' }, { enum: ['a', 'b'] }],
  ['enum of one string, nullable enum', { enum: ['a'] }, { enum: ['a', null] }],
  ['const string, const integer', { const: 'a' }, { const: 1 }],
  ['const integer, const fraction', { const: 1 }, { const: 1.5 }],
  ['const boolean, const null', { const: true }, { const: null }],
  ['string, nullable string of OpenAPI 3.0', text, { type: 'string', nullable: true }],
  ['array of strings, array of integers', { type: 'array', items: text }, { type: 'array', items: whole }],
  ['array without items, array of strings', { type: 'array' }, { items: text }],
  ['nested arrays with different items', { items: { items: text } }, { items: { items: whole } }],
  [
    'array of objects, with an additional field',
    { type: 'array', items: object({ a: text }) },
    { type: 'array', items: object({ a: text, b: text }) },
  ],
  ['optional field, required field', object({ a: text }), object({ a: text }, ['a'])],
  ['no field, optional field', object({}), object({ a: text })],
  ['no field, required field', object({}), object({ a: text }, ['a'])],
  [
    'open object, with an additional field',
    object({}, [], { additionalProperties: true }),
    object({ a: text }),
  ],
  [
    'open object of strings, with an additional required field',
    object({}, [], { additionalProperties: text }),
    object({ a: text }, ['a']),
  ],
  [
    'closed object, with an additional field',
    object({}, [], { additionalProperties: false }),
    object({ a: text }),
  ],
  ['object without type, by its properties', { properties: { a: text } }, { properties: { a: whole } }],
  ['object without type, by additionalProperties', { additionalProperties: true }, text],
  [
    'nested field of different types',
    object({ a: object({ b: text }) }),
    object({ a: object({ b: whole }) }),
  ],
  [
    'union of two tags, union of three',
    { anyOf: [tagged('x'), tagged('y')] },
    { oneOf: ['x', 'y', 'z'].map((tag) => tagged(tag)) },
  ],
  ['one tag, union of two', tagged('x'), { anyOf: [tagged('x'), tagged('y')] }],
  ['one tag, another tag', tagged('x'), tagged('y')],
  [
    'union tagged by source',
    { anyOf: [tagged('x', {}, 'source'), tagged('y', {}, 'source')] },
    tagged('x', {}, 'source'),
  ],
  [
    'field of one member of a union',
    { anyOf: [tagged('x', { a: text }), tagged('y')] },
    { anyOf: [tagged('x', { a: whole }), tagged('y')] },
  ],
  [
    'field of one member of a union in an array',
    { items: { anyOf: [tagged('x', { a: text }), tagged('y')] } },
    { items: { anyOf: [tagged('x', { a: whole }), tagged('y')] } },
  ],
  ['tagged object, untagged object', tagged('x', { a: text }), object({ type: text, a: whole }, ['type'])],
  [
    'union of two tags, untagged object',
    { anyOf: [tagged('x', { a: text }), tagged('y', { a: text })] },
    object({ type: text, a: whole }, ['type']),
  ],
  ['optional tag, which is ignored', object({ type: { const: 'x' } }), object({ type: { const: 'y' } })],
  [
    'field required in one member of a union',
    { anyOf: [object({ a: text }, ['a']), object({ a: text, b: text })] },
    object({ a: text, b: text }, ['a', 'b']),
  ],
  [
    'union of an open and a closed object',
    { anyOf: [object({}, [], { additionalProperties: true }), object({})] },
    object({ a: text }),
  ],
  [
    'allOf two objects, one object',
    { allOf: [object({ a: text }, ['a']), object({ b: text }, ['b'])] },
    object({ a: text, b: whole }, ['a', 'b']),
  ],
  [
    'allOf an open and a closed object',
    { allOf: [object({}, [], { additionalProperties: true }), object({ a: text })] },
    object({ a: text, b: text }),
  ],
  [
    'allOf a tagged object and common fields',
    { anyOf: [tagged('x'), tagged('y')], allOf: [object({ a: text })] },
    { anyOf: [tagged('x', { a: whole }), tagged('y', { a: text })] },
  ],
  [
    'allOf a string and its limit',
    { allOf: [text, { type: 'string', maxLength: 3 }] },
    { type: 'string', maxLength: 4 },
  ],
  ['allOf a nullable and a non-nullable string', { allOf: [{ type: ['string', 'null'] }, text] }, text],
  ['allOf an array and its items', { allOf: [{ type: 'array' }, { items: text }] }, { items: whole }],
  ['allOf a string and an enum', { allOf: [text, { enum: ['a', 'b'] }] }, { enum: ['a'] }],
  [
    'union of strings with one common limit',
    {
      anyOf: [
        { type: 'string', maxLength: 3, minLength: 1 },
        { type: 'string', maxLength: 3 },
      ],
    },
    text,
  ],
  ['union of arrays', { anyOf: [{ items: text }, { items: whole }] }, { items: text }],
  ['union of a string and an array', { anyOf: [text, { items: text }] }, { items: whole }],
  ['union of a const and any string', { anyOf: [{ const: 'a' }, text] }, { const: 'a' }],
  ['union of two consts', { anyOf: [{ const: 'a' }, { const: 'b' }] }, { const: 'a' }],
  ['union of a const and null', { anyOf: [{ const: 'a' }, { type: 'null' }] }, { const: 'a' }],
  ...[
    'minLength',
    'maxLength',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'minItems',
    'maxItems',
  ].map((limit): [string, Schema, Schema] => [
    limit,
    { type: 'number', [limit]: 3 },
    { type: 'number', [limit]: 4 },
  ]),
  ['limit, no limit', { type: 'string', maxLength: 3 }, text],
  ['pattern, another pattern', { type: 'string', pattern: 'a' }, { type: 'string', pattern: 'b' }],
  ['nullable schema without a type', { nullable: true }, text],
  ['string, tagged object', text, tagged('x')],
  ['allOf contradictory types', { allOf: [text, whole] }, { type: 'boolean' }],
  [
    'allOf an object with one tag and common fields',
    { allOf: [tagged('x', { b: text }), object({ a: text })] },
    tagged('x', { a: whole, b: text }),
  ],
  [
    'tag with two values, union of two tags',
    object({ type: { enum: ['x', 'y'] }, a: text }, ['type']),
    { anyOf: [tagged('x', { a: whole }), tagged('y', { a: text })] },
  ],
  [
    'object whose tag is null',
    object({ type: { const: null }, a: text }, ['type']),
    object({ type: { const: null }, a: whole }, ['type']),
  ],
  [
    'open object, union of two tags',
    object({ a: whole }, [], { additionalProperties: true }),
    { anyOf: [tagged('x', { a: text }), tagged('y')] },
  ],
  [
    'union of an open object and a tag, union of two tags',
    { anyOf: [object({}, [], { additionalProperties: true }), tagged('x', { a: whole })] },
    { anyOf: [tagged('x', { a: text }), tagged('y')] },
  ],
  [
    'field of both members of a union',
    { anyOf: [tagged('x', { a: text }), tagged('y', { a: text })] },
    { anyOf: [tagged('x', { a: whole }), tagged('y', { a: whole })] },
  ],
  ['keywords that limit nothing', { type: 'string', format: 'uri' }, { type: 'string', title: 'x' }],
]

describe('two schemas', () => {
  it('differ in replies and requests as in the snapshot, in either direction', async () => {
    const report = pairs.flatMap(([what, left, right]) =>
      [['', left, right] as const, [', reversed', right, left] as const].flatMap(([way, ours, theirs]) => [
        `${what}${way}`,
        ...lines(drift(documentOf(ok(ours)), documentOf(ok(theirs)))),
        ...lines(drift(documentOf({ requestBody: json(ours) }), documentOf({ requestBody: json(theirs) }))),
      ]),
    )
    await expect(`${report.join('\n')}\n`).toMatchFileSnapshot('drift/schemas.txt')
  })

  it('are equal if one refers to the other or a schema refers to itself', () => {
    const components = {
      schemas: {
        Thing: object({ name: text, inner: { $ref: '#/components/schemas/Thing' } }, ['name']),
        Name: { $ref: '#/components/schemas/Text' },
        Text: text,
      },
    }
    const referring = documentOf(ok({ $ref: '#/components/schemas/Thing' }), { components })
    const plain = documentOf(ok(object({ name: text, inner: {} }, ['name'])))
    expect(lines(drift(referring, plain))).toEqual(['  nothing'])
    expect(lines(drift(plain, referring))).toEqual(['  nothing'])
    const twice = (name: object) => documentOf(ok(object({ a: name, b: name })), { components })
    expect(lines(drift(twice({ $ref: '#/components/schemas/Name' }), twice(whole)))).toEqual([
      '  breaking ask reply 200 a type-changed: is integer, but Understudy has string',
      '  breaking ask reply 200 b type-changed: is integer, but Understudy has string',
    ])
    expect(lines(drift(twice({ $ref: '#/components/schemas/Nowhere' }), twice(whole)))).toEqual(['  nothing'])
  })
})

const parameter = (name: string, more: object = {}) => ({ name, in: 'query', schema: text, ...more })
const media = (...types: string[]) => ({
  content: Object.fromEntries(types.map((type) => [type, { schema: text }])),
})
const envelope = (code: object) => json(object({ error: code }, ['error']))
const refuses = (error: object) => ({ responses: { 200: json(text), default: envelope(error) } })

/** Pairs of operations with a description of their difference. */
const operations: [string, object, object][] = [
  ['additional parameter', {}, { parameters: [parameter('q')] }],
  ['additional required parameter', {}, { parameters: [parameter('q', { required: true })] }],
  [
    'required parameter, optional parameter',
    { parameters: [parameter('q', { required: true })] },
    { parameters: [parameter('q', { required: false })] },
  ],
  [
    'parameter of a different type',
    { parameters: [parameter('q')] },
    { parameters: [parameter('q', { schema: whole })] },
  ],
  [
    'header and cookie parameters',
    {},
    { parameters: [parameter('q', { in: 'header' }), parameter('r', { in: 'cookie' })] },
  ],
  ['no body, optional body', {}, { requestBody: json(text) }],
  ['no body, required body', {}, { requestBody: { ...json(text), required: true } }],
  [
    'optional body, required body',
    { requestBody: json(text) },
    { requestBody: { ...json(text), required: true } },
  ],
  ['body with a different media type', { requestBody: json(text) }, { requestBody: media('text/plain') }],
  ['reply with a different status', { responses: { 200: json(text) } }, { responses: { 201: json(text) } }],
  [
    'error with a different status',
    { responses: { 200: json(text), 404: json(text) } },
    { responses: { 200: json(text), 410: json(text) } },
  ],
  ['status, class of statuses', { responses: { 404: json(text) } }, { responses: { '4XX': json(whole) } }],
  [
    'default error, error of one status',
    refuses(text),
    { responses: { 200: json(text), 404: envelope(whole) } },
  ],
  [
    'default error, with an additional success status',
    refuses(text),
    { responses: { 200: json(text), 202: json(text), default: envelope(whole) } },
  ],
  [
    'error with a different media type',
    refuses(text),
    { responses: { 200: json(text), 404: media('text/plain') } },
  ],
  [
    'reply with an additional media type',
    { responses: { 200: media('application/json') } },
    { responses: { 200: media('application/json; charset=utf-8', 'application/xml') } },
  ],
  [
    'reply that can also be a stream',
    { responses: { 200: media('application/json') } },
    { responses: { 200: media('application/json', 'text/event-stream') } },
  ],
  ['reply without content', { responses: { 204: {} } }, { responses: { 204: media('text/plain') } }],
  [
    'schema of stream events',
    { responses: { 200: { content: { 'text/event-stream': { schema: text } } } } },
    { responses: { 200: { content: { 'text/event-stream': { schema: whole } } } } },
  ],
]

const schemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  key: { type: 'apiKey', in: 'header', name: 'x-key' },
  basic: { $ref: '#/components/basic' },
}
const [bearer, key, basic] = [{ bearer: [] }, { key: [] }, { basic: [] }]
const components = { securitySchemes: schemes, basic: { type: 'http', scheme: 'basic' } }
const secured = (...security: object[]) => documentOf(ok(text), { components, security })
/** Returns a document with a path for each operation. */
const several = (...list: object[]) => ({
  openapi: '3.1.0',
  components,
  paths: Object.fromEntries(
    list.map((operation, index) => [`/${index}`, { get: { ...ok(text), ...operation } }]),
  ),
})
const servedAt = (...urls: (string | undefined)[]) => {
  const [document, item, operation] = urls.map((url) => url && [{ url: `https://a.example${url}` }])
  const path = { get: { operationId: 'ask', ...ok(text), servers: operation }, servers: item }
  return { openapi: '3.1.0', paths: { '/things': path }, servers: document }
}
const withHeaders = (headers: object, more: object = {}) =>
  documentOf({ responses: { 200: { ...json(text), headers }, ...more } })
const header = (more: object = {}) => ({ schema: text, ...more })
const streaming = (media: object, reply?: Schema) =>
  documentOf({
    responses: { 200: { content: { 'application/json': { schema: reply }, 'text/event-stream': media } } },
  })
const events = (...list: object[]) => streaming({ 'x-event-schema': { oneOf: list } })
const [completed, failed, itemAdded, itemDone, partAdded, partDone] = [
  ['response.completed', 'response'],
  ['response.failed', 'response'],
  ['response.output_item.added', 'item'],
  ['response.output_item.done', 'item'],
  ['response.content_part.added', 'part'],
  ['response.content_part.done', 'part'],
].map(
  ([type = '', name = '']) =>
    (fields: object) =>
      tagged(type, { [name]: object(fields) }),
) as [Event, Event, Event, Event, Event, Event]
type Event = (fields: object) => object

/** Pairs of documents with a description of their difference. */
const documents: [string, object, object][] = [
  ['one key, another key', secured(bearer), secured(key)],
  ['one key, two keys together', secured(bearer), secured({ key: [], bearer: [] })],
  ['one key, one of three', secured(bearer), secured(basic, bearer, key)],
  ['one key, optional key', secured(bearer), secured({}, bearer)],
  ['one key, no security', secured(bearer), secured()],
  ['undeclared scheme', secured(bearer), secured({ unknown: [] })],
  [
    'security of one operation',
    secured(bearer),
    documentOf({ ...ok(text), security: [bearer] }, { components, security: [key] }),
  ],
  [
    'another key for all operations',
    several({ security: [bearer] }, { security: [bearer] }),
    several({ security: [key] }, { security: [key] }),
  ],
  [
    'another key for two of three operations',
    several({ security: [bearer] }, { security: [bearer] }, { security: [bearer] }),
    several({ security: [key] }, { security: [key] }, { security: [bearer] }),
  ],
  [
    'different keys for all operations',
    several({ security: [bearer] }, { security: [bearer] }),
    several({ security: [key] }, { security: [basic] }),
  ],
  ['path of the server', servedAt('/api/v1'), servedAt('/v2')],
  ['server, no server', servedAt('/api/v1'), servedAt(undefined)],
  ['server of the path', servedAt('/v1'), servedAt('/v3', '/v2')],
  ['server of the operation', servedAt('/v1'), servedAt('/v3', '/v2', '/v1')],
  [
    'reply header of a different type',
    withHeaders({ 'X-A': header() }),
    withHeaders({ 'x-a': { schema: whole } }),
  ],
  [
    'required and optional reply headers, and one of Understudy',
    withHeaders({ a: header(), b: header({ required: true }), c: header(), 'x-understudy-d': header() }),
    withHeaders({ a: header(), e: header() }),
  ],
  ['reply headers, no reply headers', withHeaders({ a: header({ required: true }) }), documentOf(ok(text))],
  [
    'reply headers of an additional status',
    withHeaders({ a: header() }),
    withHeaders({ a: header() }, { 404: { headers: { b: header() } } }),
  ],
  ['deprecated reply header', withHeaders({ a: header() }), withHeaders({ a: header({ deprecated: true }) })],
  ['deprecated operation', documentOf(ok(text)), documentOf({ ...ok(text), deprecated: true })],
  [
    'deprecated parameter',
    documentOf({ parameters: [parameter('q'), parameter('r')] }),
    documentOf({
      parameters: [
        parameter('q', { deprecated: true }),
        parameter('r', { schema: { type: 'string', deprecated: true } }),
      ],
    }),
  ],
  [
    'deprecated field, by reference',
    documentOf(ok(object({ a: { $ref: '#/text' }, b: { $ref: '#/text' } })), { text }),
    documentOf(ok(object({ a: { $ref: '#/text', deprecated: true }, b: { $ref: '#/text' } })), { text }),
  ],
  [
    'parameters that are broken, or not compared',
    documentOf(ok(text)),
    documentOf({
      ...ok(text),
      parameters: [
        { $ref: '#/nowhere' },
        ...['Accept', 'authorization', 'content-type', 'accept-language'].map((name) =>
          parameter(name, { in: 'header' }),
        ),
      ],
    }),
  ],
  ['x-event-schema, itemSchema', events(tagged('x'), tagged('y')), streaming({ itemSchema: tagged('x') })],
  [
    'itemSchema, schema of data',
    streaming({ itemSchema: { oneOf: [tagged('x'), tagged('y')] } }),
    streaming({ schema: object({ data: tagged('x') }) }),
  ],
  [
    'schema of a stream without data',
    streaming({ schema: object({ a: text }) }),
    streaming({ schema: object({ a: whole }) }),
  ],
  ['stream without a schema', streaming({}), streaming({ itemSchema: tagged('x') })],
  [
    'field that the reply and two events share',
    streaming({ itemSchema: { oneOf: [completed({ a: text }), failed({ a: text })] } }, object({ a: text })),
    streaming(
      { itemSchema: { oneOf: [completed({ a: whole }), failed({ a: whole })] } },
      object({ a: whole }),
    ),
  ],
  [
    'fields that events share',
    events(itemAdded({ a: text }), itemDone({ a: text }), partAdded({ a: text }), partDone({ a: text })),
    events(itemAdded({ a: whole }), itemDone({ a: whole }), partAdded({ a: whole }), partDone({ a: whole })),
  ],
  [
    'part of the output that the reply and events share',
    ...([text, whole].map((schema) => {
      const part = { anyOf: [tagged('text', { a: schema }), tagged('image')] }
      const item = { anyOf: [tagged('message', { content: { items: part }, b: schema }), tagged('call')] }
      const shared = [
        tagged('response.output_item.added', { item }),
        tagged('response.content_part.added', { part }),
      ]
      return streaming({ itemSchema: { oneOf: shared } }, object({ output: { items: item } }))
    }) as [object, object]),
  ],
  [
    'field of the reply, and of the same name in an event',
    streaming({ itemSchema: { oneOf: [tagged('x', { a: text }), tagged('y')] } }, object({ a: text })),
    streaming({ itemSchema: { oneOf: [tagged('x', { a: whole }), tagged('y')] } }, object({ a: whole })),
  ],
  [
    'fields of events with equal and with different changes',
    events(tagged('x', { a: text, b: text }), tagged('y', { a: text, b: text })),
    events(tagged('x', { a: whole, b: whole }), tagged('y', { a: whole, b: { type: 'boolean' } })),
  ],
]

/** Lists the findings for each pair of documents, in either direction. */
function reportOf(given: typeof documents): string {
  const report = given.flatMap(([what, left, right]) => [
    what,
    ...lines(drift(left, right)),
    `${what}, reversed`,
    ...lines(drift(right, left)),
  ])
  return `${report.join('\n')}\n`
}

describe('two documents', () => {
  it('differ as in the snapshot, in either direction', async () => {
    await expect(reportOf(documents)).toMatchFileSnapshot('drift/documents.txt')
  })
})

describe('two operations', () => {
  it('differ as in the snapshot, in either direction', async () => {
    await expect(
      reportOf(operations.map(([what, left, right]) => [what, documentOf(left), documentOf(right)])),
    ).toMatchFileSnapshot('drift/operations.txt')
  })

  it('are matched by method and path, independent of parameter names', () => {
    const at = (path: string, ...methods: string[]) => ({
      openapi: '3.1.0',
      paths: {
        [path]: {
          parameters: [parameter('shared')],
          ...Object.fromEntries(methods.map((method) => [method, { parameters: [parameter(method)] }])),
        },
      },
    })
    expect(lines(drift(at('/a/{id}', 'get'), at('/a/{name}', 'get')))).toEqual(['  nothing'])
    expect(lines(drift(at('/a/{id}', 'get', 'put'), at('/b/{id}', 'get')))).toEqual([
      '  breaking GET /a/{} operation operation-removed: GET /a/{} is not documented',
      '  breaking PUT /a/{} operation operation-removed: PUT /a/{} is not documented',
      '  additive GET /b/{} operation operation-added: GET /b/{} is documented but not supported',
    ])
    expect(
      [...readDocument(at('/a', 'get')).values()].map(({ parameters }) => [...parameters.keys()]),
    ).toEqual([['query shared', 'query get']])
  })
})

const recordingOf = (
  body: string,
  more: { status?: number; path?: string; type?: string; end?: string } = {},
): Recording =>
  ({
    head: { recording: 1, operation: 'ask', dialect: 'neutral', key: '', redacted: [] },
    request: { method: 'GET', path: more.path ?? '/things', query: '', headers: {} },
    reply: {
      ms: 1,
      status: more.status ?? 200,
      headers: { 'content-type': more.type ?? 'application/json', date: 'today', 'x-request-id': 'a' },
    },
    chunks: [toChunk(2, new TextEncoder().encode(body))],
    end: { end: more.end ?? 'fin', ms: 3, bytes: 0 },
  }) as Recording

/** Schemas, each with the values observed in recordings. */
const samples: [string, Schema, unknown[]][] = [
  ['integers and fractions, number expected', { type: 'number' }, [1, 2.5]],
  ['integers and fractions, integer expected', whole, [1, 2.5]],
  ['null and boolean, string expected', text, [null, true]],
  ['strings outside an enum', { enum: ['a'] }, ['a', 'b', 'c']],
  ['string of 64 characters outside an enum', { enum: ['a'] }, ['x'.repeat(64)]],
  ['string of 65 characters outside an enum', { enum: ['a'] }, ['x'.repeat(65)]],
  ['empty and filled arrays', { type: 'array', items: text }, [[], ['a', 1]]],
  ['optional field of one sample', object({ a: text }), [{ a: 'x' }, {}]],
  ['required field missing from one sample', object({ a: text }, ['a']), [{ a: 'x' }, {}]],
  ['required field missing from all samples', object({ a: text }, ['a']), [{}, {}]],
  ['undocumented fields', object({ a: text }), [{ a: 'x', b: 1 }, { c: 1 }]],
  [
    'tagged objects',
    { items: { anyOf: [tagged('x'), tagged('y', {}, 'source')] } },
    [[{ type: 'x' }, { source: 'y' }, { type: 'z', source: 'x' }]],
  ],
  ['untagged object, tagged object expected', tagged('x', { a: text }), [{ a: 1 }]],
  ['values without a schema', undefined, [1, 'a']],
]

describe('recordings compared with a document', () => {
  const seen = (schema: Schema, bodies: unknown[]) =>
    drift(
      documentOf(ok(schema)),
      undefined,
      Object.fromEntries(bodies.map((body, index) => [`${index}`, recordingOf(JSON.stringify(body))])),
    )

  it('differ as in the snapshot', async () => {
    const report = samples.flatMap(([what, schema, bodies]) => [what, ...lines(seen(schema, bodies))])
    await expect(`${report.join('\n')}\n`).toMatchFileSnapshot('drift/samples.txt')
  })

  it('report no added values for a field with more than 200 distinct values', () => {
    const values = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`)
    expect(seen({ enum: ['a'] }, values(200)).findings).toHaveLength(1)
    expect(seen({ enum: ['a'] }, values(201)).findings).toEqual([])
  })

  it('are used only if they are complete and belong to a known operation', () => {
    const ours = documentOf({ responses: { 200: json(text), default: envelope(text) } })
    const recordings = {
      whole: recordingOf('"a"'),
      other: recordingOf('1', { path: '/elsewhere' }),
      broken: recordingOf('1', { end: 'reset' }),
      unasked: { ...recordingOf('1'), request: undefined },
      'not JSON': recordingOf('<p>'),
      refusal: recordingOf('{"error":1}', { status: 404 }),
      'bad request': recordingOf('{"error":1}', { status: 400 }),
      'of the class 3': recordingOf('{"error":1}', { status: 399 }),
      'of another type': recordingOf('"a"', { type: 'Text/Plain; charset=utf-8' }),
      'of no type': recordingOf('"a"', { type: '' }),
    }
    const found = drift(ours, undefined, recordings)
    expect(found.checked).toEqual({ 'recorded replies': 7 })
    expect(found.unchecked).toEqual([])
    expect(lines(found)).toEqual([
      '  breaking ask reply 200 media-type-added: is text/plain, but Understudy has application/json',
      '  breaking ask reply 400 error type-added: may be integer, but Understudy has string',
      '  breaking ask reply 404 error type-added: may be integer, but Understudy has string',
      '  additive ask reply 399 status-added: the status was returned',
    ])
  })

  it('are matched to an operation by method and path template, and streams to its documented streams', () => {
    const get = (schema: object) => ({ get: ok(schema) })
    const ours = {
      openapi: '3.1.0',
      paths: {
        '/a/{}/b': get(text),
        '/a/{}': { ...get(whole), put: ok({ type: 'boolean' }) },
        '/a/b': get({ type: 'null' }),
        '/responses': { post: { responses: { 200: media('text/event-stream') } } },
      },
    }
    const names = (recording: Recording) => drift(ours, undefined, { one: recording }).findings.map(nameOf)
    const sent = (path: string, method = 'GET') => {
      const recording = recordingOf('{}', { path })
      return names({ ...recording, request: { ...recording.request, method } as Recording['request'] })
    }
    expect(sent('/a/1')).toEqual(['GET /a/{} reply 200 type-added'])
    expect(sent('/a/1', 'PUT')).toEqual(['PUT /a/{} reply 200 type-added'])
    expect(sent('/a/b')).toEqual(['GET /a/b reply 200 type-added'])
    expect(sent('/a/1/b')).toEqual(['GET /a/{}/b reply 200 type-added'])
    expect([sent('/b/1'), sent('/a/1/c'), sent('/a'), sent('/a/1', 'POST')].flat()).toEqual([])
    const stream = (status: number, path = '/responses') => {
      const type = 'text/event-stream'
      const recording = recordingOf('data: {"type":"start"}\n\ndata: {"type":"end"}\n\n', {
        path,
        type,
        status,
      })
      const reply = { ...recording.reply, headers: { 'content-type': type, 'x-extra': '1', date: 'today' } }
      const request = { ...recording.request, method: 'POST' }
      return names({ ...recording, request, reply } as Recording)
    }
    expect(stream(200)).toEqual([
      'createResponse stream end last-event',
      'createResponse stream end event-added',
      '* headers x-extra header-added',
    ])
    expect(stream(201)).toEqual(['* headers x-extra header-added'])
  })

  it('show that a documented field is missing from replies', () => {
    const deep = (fields: object) =>
      object({ rows: { type: 'array', items: object({ of: object(fields) }) } })
    const ours = documentOf(ok(deep({ a: text })))
    const theirs = documentOf(ok(deep({ a: text, b: text })))
    const verdict = (body: unknown, document = theirs) =>
      drift(ours, document, { one: recordingOf(JSON.stringify(body)) }).findings.map(
        ({ path, verdict, severity, source }) => `${path}: ${verdict}, ${severity}, ${source}`,
      )
    expect(verdict({ rows: [{ of: { a: 'x' } }] })).toEqual(['rows[].of.b: not-shipped, info, document'])
    // The object was never observed.
    expect(verdict({ rows: [] })).toEqual(['rows[].of.b: ours-is-wrong, additive, document'])
    expect(verdict({ rows: [{ of: { a: 'x', b: 'y' } }] })).toEqual([
      'rows[].of.b: ours-is-wrong, additive, recordings',
    ])
    expect(verdict({ rows: [{ b: 'y', of: { a: 'x' } }] })).toContain(
      'rows[].of.b: not-shipped, info, document',
    )
    // A field that only Understudy has may be absent from replies.
    expect(
      drift(documentOf(ok(object({ a: text }))), documentOf(ok(object({}))), { one: recordingOf('{}') })
        .findings,
    ).toMatchObject([{ path: 'a', kind: 'field-removed', verdict: 'ours-is-wrong' }])
    const top = documentOf(ok(object({ rows: deep({}), total: whole })))
    expect(
      drift(documentOf(ok(object({ rows: deep({}) }))), top, { one: recordingOf('{}') }).findings,
    ).toMatchObject([{ path: 'total', verdict: 'not-shipped' }])
  })

  it('show that a field is undocumented, even if Understudy also has it', () => {
    const ours = documentOf(ok(object({ a: text, b: text })))
    const theirs = documentOf(ok(object({ a: text })))
    const found = drift(ours, theirs, { one: recordingOf('{"a":"x","b":"y"}') })
    expect(
      found.findings.map(({ path, kind, verdict, severity }) => [path, kind, verdict, severity]),
    ).toEqual([
      ['b', 'field-added', 'undocumented', 'info'],
      ['b', 'field-removed', 'ours-is-wrong', 'info'],
    ])
    expect(found.checked).toEqual({ 'document operations': 1, 'recorded replies': 1 })
  })

  it('are reported as unchecked if they contain no reply', () => {
    expect(drift(documentOf(ok(text)), undefined, {})).toEqual({
      findings: [],
      unchecked: ['recordings: no complete reply to a known operation'],
      checked: { 'recorded replies': 0 },
    })
  })
})

const delta = (text: unknown, number = 2, of = 'm') => ({
  type: 'response.output_text.delta',
  sequence_number: number,
  item_id: of,
  content_index: 0,
  delta: text,
})
const done = (text: string, number = 9, of = 'm') => ({
  ...delta('', number, of),
  type: 'response.output_text.done',
  text,
})
const part = (text: unknown, ...annotations: object[]) => ({ type: 'part', part: { text, annotations } })
const span = (start_index: unknown, end_index: unknown) => ({ start_index, end_index })

/** Event sequences and their flaws. */
const flaws: [unknown[], string[]][] = [
  [[delta('a', 1), delta('b', 2), done('ab')], []],
  [[delta('a', 2), delta('b', 2)], ['sequence numbers do not increase']],
  [[delta('a', 2), delta('b', 1)], ['sequence numbers do not increase']],
  [[delta('a', 0)], []],
  [[delta('a', 1), delta('b', 2, 'n'), done('a', 3), done('b', 4, 'n')], []],
  [[delta('a', 1), delta('b', 2), done('a', 3)], ['deltas do not add up to the text']],
  // Without deltas, there is nothing to add up.
  [[done('a', 3)], []],
  [[part('abc', span(0, 3), span(1, 2))], []],
  [[part('abc', span(0, 4))], ['annotations do not match the text']],
  [[part('abc', span(-1, 3))], ['annotations do not match the text']],
  [[part('abc', span(1, 1))], ['annotations do not match the text']],
  [[part('abc', span(undefined, 1))], ['annotations do not match the text']],
  [[part('', span(0, 3))], []],
  [[{ type: 'part', part: null }, { type: 'part', part: 'x' }, part(1, span(0, 9))], []],
  [[{ type: 'part', part: { text: 'abc', annotations: 'none' } }], []],
  [[{ no: 'type' }, null, 'text', { type: 1 }], []],
]

describe('streams', () => {
  const toEvents = (stream: unknown[]): RecordedEvent[] =>
    stream.map((value) => ({
      data: typeof value === 'string' ? value : JSON.stringify(value),
      event: undefined,
      value,
    }))
  const model = (...streams: unknown[][]) => modelOf(streams.map(toEvents))
  const named = (...names: string[]) =>
    names.map((name) => (name === '[DONE]' ? name : { type: name, place: name }))
  const compared = (ours: unknown[][], ...theirs: unknown[][]) =>
    [...compareStreams(model(...ours), model(...theirs))].map(
      ({ severity, path, kind, message }) => `${severity} ${path} ${kind}: ${message}`,
    )

  it.each(flaws)('with the events %j have the flaws %j', (events, expected) => {
    expect([...model(events).flaws]).toEqual(expected)
  })

  it('are modelled by first events, last events, common events and successors', () => {
    expect(
      model(named('a', 'b', 'c', '[DONE]'), named('b', 'a', 'c'), [{ no: 'type' }, ...named('b', 'c')]),
    ).toMatchObject({
      streams: 3,
      successors: new Set(['a > b', 'b > c', 'b > a', 'a > c']),
      first: new Set(['a', 'b']),
      last: new Set(['c']),
      always: new Set(['b', 'c']),
      done: 1,
      flaws: new Set(),
    })
    expect(model(named('a'))).toMatchObject({ first: new Set(['a']), last: new Set(['a']) })
    expect(model()).toMatchObject({ streams: 0, always: new Set() })
    expect(model([])).toMatchObject({ streams: 1, first: new Set(), last: new Set(), always: new Set() })
    expect(model(named('[DONE]'))).toMatchObject({ done: 1, flaws: new Set() })
    expect(model(named('[DONE]', 'a')).flaws).toEqual(new Set(['events come after [DONE]']))
    expect(model(named('a', '[DONE]', 'b')).flaws).toEqual(new Set(['events come after [DONE]']))
  })

  it('differ in their events, order and end', () => {
    const ours = [named('a', 'b', 'c', '[DONE]')]
    expect(compared(ours, named('a', 'b', 'c', '[DONE]'))).toEqual([])
    expect(compared(ours, named('a', 'x', 'b', 'c', '[DONE]'))).toEqual([
      'additive x event-added: is not sent by Understudy',
    ])
    expect(compared([...ours, named('a', 'b')], named('a', 'b'))).toEqual([])
    expect(
      compared([...ours, named('a', 'b', '[DONE]')], named('b', 'a'), named('a', 'b', '[DONE]')),
    ).toEqual([
      "breaking b first-event: comes first, but Understudy's streams start with a",
      "breaking a last-event: comes last, but Understudy's streams end with c or b",
      'breaking  done-missing: some streams do not end with [DONE]',
      "breaking b > a order-changed: does not occur in Understudy's streams",
    ])
    expect(compared(ours, named('a', 'c', '[DONE]'))).toEqual([
      'breaking b event-removed: is missing from some streams',
      "breaking a > c order-changed: does not occur in Understudy's streams",
    ])
    expect(compared(ours, named('a', 'b', 'c', '[DONE]', 'c'))).toEqual([
      "breaking c > c order-changed: does not occur in Understudy's streams",
      'breaking  events come after [DONE]: events come after [DONE]',
    ])
    expect(compared([[{ type: 'a', n: 1 }]], [{ type: 'a', n: '1', m: 1 }])).toEqual([
      'breaking a.n type-added: may be string, but Understudy has integer',
      'additive a.m field-added: is new',
    ])
  })
})

describe('the drift report', () => {
  const ours = documentOf({ responses: { 200: json(object({ a: text }, ['a'])) } })
  const theirs = documentOf({ responses: { 200: json(object({ a: { enum: ['x|y'] }, b: text })) } })
  const differences = drift(ours, theirs)
  const found = { ...differences, findings: grouped(differences.findings), accepted: 0, notes: [] }
  const nothing = { findings: [], accepted: 0, notes: [], unchecked: [], checked: {} }
  const remarkable = {
    ...nothing,
    accepted: 2,
    checked: { 'document operations': 3, 'recorded replies': 4 },
    unchecked: ['live: no key'],
    notes: ["'x' was accepted until 2026-01-01"],
  }

  it('contains a line for each finding and note, and a summary', () => {
    expect(toText(found).split('\n')).toEqual([
      'breaking  ask reply 200 a field-optional: may be absent (document; Understudy is wrong)',
      'additive  ask reply 200 b field-added: is new (document; Understudy is wrong)',
      'info      ask reply 200 a values-closed: is one of "x|y" (document; Understudy is wrong)',
      '1 breaking, 1 additive, 1 info in 1 document operations',
    ])
    expect(toText(nothing)).toBe('Nothing was checked')
    const explained = [{ reason: 'known', findings: ['a'] }]
    const checked = { 'document operations': 1, 'recorded replies': 0 }
    expect(toText({ ...nothing, accepted: 1, explained, checked })).toBe(
      'explained (1): known\nNo drift in 1 document operations; 1 explained; 1 accepted',
    )
    expect(toText(remarkable).split('\n')).toEqual([
      'could not check: live: no key',
      "baseline: 'x' was accepted until 2026-01-01",
      'No drift in 3 document operations, 4 recorded replies; 2 accepted; 1 not checked',
    ])
  })

  it('prints one line per shared schema and one per group of operations', () => {
    const documentWith = (fields: object, paths: object = {}) => ({
      openapi: '3.1.0',
      paths: {
        ...Object.fromEntries(
          ['/a', '/b', '/c'].map((path) => [path, { get: ok({ $ref: '#/components/schemas/Thing' }) }]),
        ),
        ...paths,
      },
      components: { schemas: { Thing: object(fields) } },
    })
    const more = { '/files': { get: {}, post: {} }, '/files/{id}': { get: {} }, '/jobs': { get: {} } }
    const { findings } = drift(documentWith({}), documentWith({ size: whole }, more))
    expect(
      toText({ ...nothing, findings: grouped(findings), checked: {} })
        .split('\n')
        .slice(0, -1),
    ).toEqual([
      'additive  Thing.size field-added: is new, in GET /a reply 200 size and 2 other places (document; Understudy is wrong)',
      'additive  files operation operation-added: GET /files and 2 other operations are documented but not supported (document; Understudy is wrong)',
      'additive  GET /jobs operation operation-added: GET /jobs is documented but not supported (document; Understudy is wrong)',
    ])
  })

  it('prints one line for the same change of a schema, or of the same field in several operations', () => {
    const $ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
    const member = (more: object) => ({ anyOf: [tagged('x', more), tagged('y')] })
    /** Returns a document whose schemas contain the fields, with an operation for each reply. */
    const documentWith = (fields: object, replies: (fields: object) => object[]) => ({
      openapi: '3.1.0',
      paths: Object.fromEntries(replies(fields).map((schema, index) => [`/${index}`, { get: ok(schema) }])),
      components: {
        schemas: {
          Thing: object(fields),
          Other: object(fields),
          Outer: object({ inner: object(fields), list: { items: member(fields) } }),
        },
      },
    })
    const report = (replies: (fields: object) => object[], more: object = { a: text }) => {
      const { findings } = drift(documentWith({}, replies), documentWith(more, replies))
      return toText({ ...nothing, findings: grouped(findings), checked: {} })
        .replaceAll(' (document; Understudy is wrong)', '')
        .split('\n')
        .slice(0, -1)
    }
    const nested = (schema: object) => object({ inner: schema })
    expect(report(() => [$ref('Thing'), nested($ref('Thing'))])).toEqual([
      'additive  Thing.a field-added: is new, in GET /0 reply 200 a and 1 other place',
    ])
    expect(report(() => [$ref('Outer'), nested($ref('Outer'))])).toEqual([
      'additive  Outer.inner.a field-added: is new, in GET /0 reply 200 inner.a and 1 other place',
      'additive  Outer.list[][x].a field-added: is new, in GET /0 reply 200 list[x].a and 1 other place',
    ])
    expect(report(() => [$ref('Thing'), $ref('Other')])).toEqual([
      'additive  * reply 200 a field-added: is new, in GET /0 reply 200 a and 1 other place',
    ])
    // A union of two schemas has no name.
    const both = { anyOf: [$ref('Thing'), $ref('Other')] }
    expect(report(() => [both, nested(both)])).toEqual([
      'additive  GET /0 reply 200 a field-added: is new',
      'additive  GET /1 reply 200 inner.a field-added: is new',
    ])
    const inline = (fields: object) => [object({ list: { items: object(fields) } })]
    expect(report((fields) => [...inline(fields), ...inline(fields)], { a: text, b: text })).toEqual([
      'additive  * reply 200 list[].a field-added: is new, in GET /0 reply 200 list[].a and 1 other place',
      'additive  * reply 200 list[].b field-added: is new, in GET /0 reply 200 list[].b and 1 other place',
    ])
    const one = grouped(drift(several({}), several(ok(whole))).findings)
    expect(
      toMarkdown({ ...nothing, findings: one })
        .split('\n')
        .slice(-2),
    ).toEqual([
      '| breaking | `GET /0 reply 200 type-changed` | is integer, but Understudy has string | document | Understudy is wrong |',
      '',
    ])
  })

  it('has one line for each known reason, and lists only unknown values', () => {
    const { findings } = drift(
      documentOf(ok(object({ a: { enum: ['x'] }, b: text }))),
      documentOf(ok(object({ a: { enum: ['x', 'y', 'z'] }, b: text, c: text, d: text, e: text }))),
    )
    const known = [
      {
        reason: 'not simulated',
        findings: ['ask reply 200 a value-added: y', 'ask reply 200 gone field-added'],
      },
      { reason: 'ignored', findings: ['ask reply 200 {c,d} field-added', 'ask*200 d*', 'other*'] },
    ]
    const { findings: left, explained, unused } = explain(findings, known)
    expect(
      toText({ ...nothing, findings: grouped(left), explained, checked: {} })
        .split('\n')
        .slice(0, -1),
    ).toEqual([
      'additive  ask reply 200 a value-added: may be "z" (document; Understudy is wrong)',
      'additive  ask reply 200 e field-added: is new (document; Understudy is wrong)',
      'explained (2): ignored',
    ])
    expect(unused).toEqual(['ask reply 200 gone field-added', 'other*'])
    expect(explain(findings, [{ reason: 'all', findings: ['ask*'] }]).findings).toEqual([])
    const unlimited = drift(documentOf(ok({ ...text, maxLength: 3 })), documentOf(ok(text))).findings
    const limit = { reason: 'none', findings: ['ask reply 200 limit-changed: maxLength none'] }
    expect(explain(unlimited, [limit]).findings).toEqual([])
  })

  it('is a table in Markdown', () => {
    expect(toMarkdown(found).split('\n')).toEqual([
      '## Drift',
      '',
      '1 breaking, 1 additive, 1 info in 1 document operations',
      '',
      '| Severity | Finding | Difference | Source | Verdict |',
      '| --- | --- | --- | --- | --- |',
      '| breaking | `ask reply 200 a field-optional` | may be absent | document | Understudy is wrong |',
      '| additive | `ask reply 200 b field-added` | is new | document | Understudy is wrong |',
      '| info | `ask reply 200 a values-closed` | is one of "x\\|y" | document | Understudy is wrong |',
      '',
    ])
    expect(toMarkdown(remarkable).split('\n')).toEqual([
      '## Drift',
      '',
      'No drift in 3 document operations, 4 recorded replies; 2 accepted; 1 not checked',
      '',
      '- could not check: live: no key',
      "- baseline: 'x' was accepted until 2026-01-01",
    ])
  })

  it('declares a rule for each kind in SARIF', () => {
    const location = [{ physicalLocation: { artifactLocation: { uri: 'a.json' }, region: { startLine: 1 } } }]
    const sarif = toSarif({ ...found, unchecked: ['live: no key'] }, '1.2.3', 'a.json')
    expect(sarif).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          tool: {
            driver: {
              version: '1.2.3',
              rules: [{ id: 'field-optional' }, { id: 'field-added' }, { id: 'values-closed' }],
            },
          },
          invocations: [
            {
              executionSuccessful: false,
              toolExecutionNotifications: [{ level: 'error', message: { text: 'live: no key' } }],
            },
          ],
          results: [
            {
              ruleId: 'field-optional',
              level: 'error',
              message: { text: 'ask reply 200 a field-optional: may be absent (Understudy is wrong)' },
              locations: location,
              partialFingerprints: { finding: 'ask reply 200 a field-optional' },
            },
            { ruleId: 'field-added', level: 'warning', locations: location },
            { ruleId: 'values-closed', level: 'note', locations: location },
          ],
        },
      ],
    })
    expect(toSarif(nothing, '1', 'a')).toMatchObject({
      runs: [{ invocations: [{ executionSuccessful: true, toolExecutionNotifications: [] }], results: [] }],
    })
  })
})

describe('baseline entries', () => {
  const found = drift(
    documentOf(ok(object({ a: text, b: text, c: text }, ['a', 'b', 'c']))),
    documentOf(ok(object({}))),
  ).findings
  const entry = (finding: string, expires = '2026-02-01') => ({ finding, reason: 'known', expires })
  const names = (entries: ReturnType<typeof entry>[], today = '2026-02-01') => {
    const { findings, accepted, notes } = accept(found, { accept: entries }, today)
    return [findings.map(({ path }) => path).join(''), accepted, ...notes]
  }

  it('accept findings by name or pattern, ignoring case, until the end of their expiry date', () => {
    expect(names([])).toEqual(['abc', 0])
    expect(names([entry('ask reply 200 a field-removed')])).toEqual(['bc', 1])
    expect(names([entry('ASK * a field-removed'), entry('ask*b*')])).toEqual(['c', 2])
    expect(names([entry('ask*')])).toEqual(['', 3])
    expect(names([entry('ask*', '2026-01-31')])).toEqual(['abc', 0, "'ask*' was accepted until 2026-01-31"])
    expect(names([entry('other'), entry('ask*b*')])).toEqual([
      'ac',
      1,
      "'other' is accepted, but was not found",
    ])
    // Only the first matching entry is used.
    expect(names([entry('ask*'), entry('ask*b*')])).toEqual([
      '',
      3,
      "'ask*b*' is accepted, but was not found",
    ])
  })
})
