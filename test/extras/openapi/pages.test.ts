/** Tests pages, keys and parameters of an OpenAPI document at their limits. */
import { beforeEach, describe, expect, it } from 'vitest'
import { createGateway, type Gateway } from '../../../src/index.ts'
import { call } from '../../call.ts'

const whole = { type: 'integer' }
const bodyOf = (schema: object) => ({ description: '', content: { 'application/json': { schema } } })
const listOf = (name: string, properties: object, more: object = {}) => {
  const items = { type: 'object', required: ['id'], properties }
  const list = { type: 'array', maxItems: 60, items }
  return bodyOf({
    type: 'object',
    required: [name, ...Object.keys(more)],
    properties: { [name]: list, ...more },
  })
}
const createdOf = (required: string[], properties: object) => bodyOf({ type: 'object', required, properties })
const query = (name: string, more: object = { schema: whole }) => ({ in: 'query', name, ...more })
const inPath = (name: string) => ({ in: 'path', name, required: true, schema: { type: 'string' } })
const done = { responses: { 200: bodyOf({ type: 'object' }) } }

const thing = {
  id: { type: 'string' },
  name: { type: 'string' },
  tags: { type: 'array', maxItems: 5, items: { enum: ['red', 'blue'] }, example: ['blue', 'red'] },
  size: { type: 'object', maxProperties: 1, example: { width: 1 } },
}
const slot = { id: { enum: ['a', 'b', 'c'] } }
const times = {
  id: { type: 'string' },
  created: { type: 'integer', example: 100_000_000_000 },
  created_at: { type: 'integer', example: 100_000_000_001 },
  updated_at: { type: ['integer', 'null'] },
}
const named = (id: string) => ({
  id: { type: 'string', example: id },
  link: { type: 'string', example: `/of/${id}` },
})
const facts = {
  page: whole,
  per_page: whole,
  total_pages: whole,
  total: whole,
  offset: whole,
  has_more: { type: 'boolean' },
  first_id: {},
  last_id: {},
}
const anyBody = { requestBody: { content: { 'application/json': { schema: {} } } } }
const document = {
  openapi: '3.1.0',
  info: { title: 'Pages', version: '1' },
  components: {
    schemas: {
      // Refers to itself.
      Nothing: { anyOf: [{ $ref: '#/components/schemas/Nothing' }, { const: 'none' }] },
      // Refers to itself, and allows an array only in its second alternative.
      Numbers: {
        allOf: [
          { $ref: '#/components/schemas/Numbers' },
          {
            anyOf: [
              { type: 'string', pattern: '^x' },
              { type: 'array', items: whole },
            ],
          },
        ],
      },
    },
  },
  paths: {
    '/things': {
      get: {
        parameters: [query('page'), query('per_page'), query('name', { schema: { type: 'string' } })],
        responses: { 200: listOf('things', thing, facts) },
      },
      post: { ...anyBody, responses: { 201: createdOf(['id', 'tags', 'size'], thing) } },
    },
    '/slots': {
      get: { responses: { 200: listOf('slots', slot) } },
      post: { responses: { 201: createdOf(['id'], slot) } },
    },
    // No operation returns a record that was created.
    '/notes': {
      get: { responses: { 200: listOf('notes', slot) } },
      post: { responses: { 204: { description: '' } } },
    },
    // Times as numbers: the largest in seconds, and the smallest in milliseconds. Records in a list have one more field.
    '/times': {
      get: {
        responses: {
          200: bodyOf({
            type: 'object',
            required: ['others', 'data'],
            properties: {
              others: { type: 'array', items: { type: 'object', properties: { id: {} } } },
              data: {
                type: 'array',
                minItems: 1,
                maxItems: 5,
                items: { type: 'object', properties: { ...times, listed: { const: 'yes' } } },
              },
            },
          }),
        },
      },
      post: {
        ...anyBody,
        responses: { 201: bodyOf({ type: 'object', required: ['id'], properties: times }) },
      },
    },
    '/times/{id}': {
      parameters: [inPath('id')],
      patch: {
        ...anyBody,
        responses: { 200: bodyOf({ type: 'object', required: ['id'], properties: times }) },
      },
    },
    // Records whose text contains keys of five and six characters.
    '/fives': {
      get: { responses: { 200: listOf('fives', named('abcde')) } },
      post: { responses: { 201: createdOf(['id', 'link'], named('abcde')) } },
    },
    '/sixes': {
      get: { responses: { 200: listOf('sixes', named('abcdef')) } },
      post: { responses: { 201: createdOf(['id', 'link'], named('abcdef')) } },
    },
    // Keys in a field whose name ends with the parameter's.
    '/limits': { get: { responses: { 200: listOf('limits', { reset_interval: { type: 'string' } }) } } },
    '/limits/{interval}': {
      parameters: [inPath('interval')],
      put: {
        ...anyBody,
        responses: { 200: createdOf(['reset_interval'], { reset_interval: { type: 'string' } }) },
      },
    },
    // Only the name of a whole field counts as a record's id.
    '/bills': {
      get: {
        responses: { 200: bodyOf({ type: 'array', items: { type: 'object', properties: { paid: whole } } }) },
      },
      post: { responses: { 201: createdOf(['paid'], { paid: whole }) } },
    },
    // The first alternative defines the key's type.
    '/either': {
      get: { responses: { 200: listOf('either', { id: whole }) } },
      post: {
        responses: {
          201: bodyOf({
            anyOf: [whole, { type: 'string' }].map((id) => ({ required: ['id'], properties: { id } })),
          }),
        },
      },
    },
    '/nulls/{id}': { get: { responses: { 200: bodyOf({ type: 'null' }) } } },
    '/lines/{number}': {
      get: {
        parameters: [
          { in: 'path', name: 'number', required: true, schema: whole, style: 'simple', explode: false },
        ],
        ...done,
      },
    },
    '/refused': { post: { requestBody: { content: { 'application/json': { schema: false } } }, ...done } },
    // The list operation returns no records, and the path has no words.
    '/2026': {
      get: { responses: { 200: bodyOf({ $ref: '#/components/schemas/Nothing' }) } },
      post: { responses: { 201: createdOf(['id'], thing) } },
    },
    '/a-b': { get: done },
    '/a/b': { get: done },
    '/a_b': { get: done },
    '/search': {
      get: {
        parameters: [
          query('numbers', { schema: { $ref: '#/components/schemas/Numbers' } }),
          query('one', { schema: whole, style: 'form', explode: true }),
          { in: 'header', name: 'X-Two', schema: whole, style: 'simple', explode: false },
          query('set', { schema: {}, style: 'deepObject' }),
          query('csv', { schema: { type: 'array' }, explode: false }),
          query('object', { schema: { type: 'object' } }),
          query('code', { schema: { allOf: [{ type: 'string', pattern: '^x' }] } }),
          query('other', { content: {} }),
          { in: 'cookie', name: 'crumb', schema: {} },
          // OpenAPI ignores this header parameter, but not a query parameter of the same name.
          { in: 'header', name: 'Authorization', schema: whole },
          query('authorization'),
          // Parameters without a name or a place are invalid, and are ignored.
          { in: 'header', required: true, schema: whole },
          { name: 'nowhere', required: true, schema: whole },
        ],
        ...done,
      },
    },
  },
}
let gateway: Gateway
beforeEach(() => {
  gateway = createGateway({ openapi: document })
})
const ask = (line: string, body?: object, headers = {}) => call(gateway, line, { body, headers })

describe('a list with page numbers from an OpenAPI document', () => {
  it('is returned whole unless a page or size is requested, has pages of 20 by default, and reports positions and totals', async () => {
    for (let number = 1; number < 23; number++) await ask('POST /things', { id: `t${number}` })
    const shown = async (search: string) => {
      const { things, ...page } = (await ask(`GET /things?${search}`)).body
      return [things.length, ...Object.values(page)].join(' ')
    }
    for (const [search, expected] of [
      ['', '23 1 23 1 23 0 false getThings t22'],
      ['page=-1', '23 1 23 1 23 0 false getThings t22'],
      ['per_page=0', '23 1 23 1 23 0 false getThings t22'],
      ['per_page=23', '23 1 23 1 23 0 false getThings t22'],
      ['per_page=22', '22 1 22 2 23 0 true getThings t21'],
      ['page=0', '20 1 20 2 23 0 true getThings t19'],
      ['page=1', '20 1 20 2 23 0 true getThings t19'],
      ['page=2', '3 2 20 2 23 20 false t20 t22'],
      ['page=3', '0 3 20 2 23 40 false  '],
      ['page=2&per_page=9', '9 2 9 3 23 9 true t9 t17'],
      ['name=nobody', '0 1 0 1 0 0 false  '],
      ['name=nobody&page=1', '0 1 20 1 0 0 false  '],
    ] as const)
      expect(await shown(search), search).toBe(expected)
  })
})

describe('a record of an OpenAPI document', () => {
  it('is rejected with 409 if its key is taken, or if the schema allows no other key', async () => {
    await ask('POST /things', { id: 't1' })
    const taken = await ask('POST /things', { id: 't1' })
    expect([taken.status, taken.body.error.message]).toEqual([
      409,
      "A record with the id 't1' already exists",
    ])
    const slots = []
    for (let round = 0; round < 4; round++) slots.push(await ask('POST /slots'))
    const rejected = slots.filter(({ status }) => status === 409)
    expect(rejected.map(({ body }) => body.error.message)).toContain(
      'Every id that the schema allows is taken',
    )
    expect(new Set((await ask('GET /slots')).body.slots.map(({ id }: { id: string }) => id)).size).toBe(3)
  })

  it.each([
    { tags: ['red', 'green', 'red'], same: 'red,?,red' },
    { tags: ['green', 'green', 'green', 'green', 'blue'], same: '?,?,?,?,blue' },
    { tags: ['green', 'red', 'red', 'red', 'red', 'red'], same: undefined },
    { tags: 'red', same: undefined },
  ])('replaces values that the schema forbids in the field tags: $tags', async ({ tags, same }) => {
    const kept: string[] = (await ask('POST /things', { tags })).body.tags
    expect(kept.filter((tag) => tag !== 'red' && tag !== 'blue')).toEqual([])
    if (same === undefined) expect(kept).not.toEqual(tags)
    else expect(kept.map((tag, index) => (tag === tags[index] ? tag : '?')).join()).toBe(same)
  })
})

it('an OpenAPI document whose replies have no created records, or no list of them, gets samples', async () => {
  const assumed = async (line: string) => {
    const { status, headers } = await ask(line)
    return [status, headers.get('x-understudy-assumptions')]
  }
  for (const [line, status, assumptions] of [
    ['POST /notes', 204, 'document, documentSample'],
    ['GET /notes', 200, 'document, documentSample'],
    ['POST /2026', 201, 'document'],
    ['GET /2026', 200, 'document, documentSample'],
  ] as const)
    expect(await assumed(line), line).toEqual([status, assumptions])
})

it('a record of an OpenAPI document keeps valid values next to those that its schema forbids', async () => {
  const sent = { name: 'Moon', size: { width: 2, height: 3 } }
  expect((await ask('POST /things', sent)).body).toMatchObject({
    name: 'Moon',
    size: { width: 1 },
  })
})

it('operations of an OpenAPI document get numbered ids if their paths have the same words', async () => {
  for (const path of ['/a-b', '/a/b', '/a_b']) await ask(`GET ${path}`)
  const ids = gateway.journal.entries().map(({ operation }) => operation)
  expect(ids.slice(-3)).toEqual(['getAB', 'getAB2', 'getAB3'])
})

it('parameters of an OpenAPI document are checked unless their style is unsupported', async () => {
  const rejected = async (search: string, headers = {}) => {
    const { status, body } = await ask(`GET /search?${search}`, undefined, headers)
    return status === 200 ? [] : body.error.metadata.violations.map(({ path }: { path: string }) => path)
  }
  expect(await rejected('numbers=1&numbers=2&one=1')).toEqual([])
  expect(await rejected('numbers=1&numbers=a')).toEqual(['query.numbers[1]'])
  expect(await rejected('numbers=1')).toEqual([])
  const { metadata } = (await ask('GET /search?code=7')).body.error
  expect(metadata.violations).toEqual([
    { path: 'query.code', message: 'Must match the pattern ^x', rule: 'pattern' },
  ])
  expect((await ask('GET /lines/a')).body.error.metadata.violations[0].path).toBe('params.number')
  expect((await ask('GET /lines/7')).status).toBe(200)
  expect(await rejected('one=a', { 'x-two': 'b' })).toEqual(['query.one', 'header.x-two'])
  expect(await rejected('authorization=a')).toEqual(['query.authorization'])
  expect(gateway.journal.entries().find(({ path }) => path.endsWith('/search'))?.warnings).toEqual([
    "Not checked in getSearch requests: query parameter 'set' (style deepObject); query parameter 'csv' (explode: false); query parameter 'object' (object); query parameter 'other' (content); cookie parameter 'crumb'",
  ])
})

describe("the times of an OpenAPI document's records", () => {
  it('have the format of the sampled times, and are in all fields that a list shows', async () => {
    const made = (await ask('POST /times', { id: 't1', updated_at: null })).body
    expect(made).toEqual({
      id: 't1',
      created: 1_767_225_600,
      created_at: expect.any(Number),
      updated_at: null,
    })
    expect(String(made.created_at)).toMatch(/^17672256000\d\d$/)
    const changed = (await ask('PATCH /times/t1', {})).body
    expect(changed).toEqual({ ...made, updated_at: 1_767_225_600 })
    const listed = (await ask('GET /times?listed=yes')).body.data
    expect(listed.at(-1)).toEqual({ ...changed, listed: 'yes' })
  })
})

it("text in an OpenAPI document's records refers to their new keys, unless the sampled keys are short", async () => {
  const five = (await ask('POST /fives')).body
  expect(five).toEqual({ id: expect.stringMatching(/^five_/), link: '/of/abcde' })
  const six = (await ask('POST /sixes')).body
  expect(six).toEqual({ id: expect.stringMatching(/^six/), link: `/of/${six.id}` })
})

describe("the key of an OpenAPI document's records", () => {
  it('is in a field whose name ends with the name of the path parameter', async () => {
    expect((await ask('PUT /limits/hourly', {})).body).toEqual({ reset_interval: 'hourly' })
    expect((await ask('GET /limits')).body.limits.at(-1)).toMatchObject({ reset_interval: 'hourly' })
  })

  it('is not in a field whose name only ends with id', async () => {
    const { headers } = await ask('POST /bills')
    expect(headers.get('x-understudy-assumptions')).toBe('document, documentSample')
  })

  it('has the type of its first schema', async () => {
    expect(String((await ask('POST /either')).body.id)).toMatch(/^\d+$/)
  })
})

it('replies of an OpenAPI document can be null, and a schema can reject every body', async () => {
  expect((await ask('GET /nulls/a')).text).toBe('null')
  expect((await ask('POST /refused', {})).status).toBe(400)
})

it('operations of an OpenAPI document that change records are marked as writes', () => {
  const writing = gateway.operations.filter(({ doc, marks }) => doc?.tag === 'Document' && marks?.writes)
  expect(writing.map(({ id }) => id)).toEqual([
    'postThings',
    'postSlots',
    'postNotes',
    'postTimes',
    'patchTimesId',
    'postFives',
    'postSixes',
    'putLimitsInterval',
    'postBills',
    'postEither',
    'post2026',
  ])
})

it('an OpenAPI document can refer to itself as an object', async () => {
  const node: Record<string, unknown> = { type: 'object', required: ['name'] }
  node['properties'] = { name: { const: 'root' }, child: node }
  const paths = { '/node': { get: { responses: { 200: bodyOf(node) } } } }
  const { status, body } = await call(createGateway({ openapi: { openapi: '3.1.0', paths } }), 'GET /node')
  expect([status, body.name]).toEqual([200, 'root'])
})
