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
const done = { responses: { 200: bodyOf({ type: 'object' }) } }

const thing = {
  id: { type: 'string' },
  name: { type: 'string' },
  tags: { type: 'array', maxItems: 5, items: { enum: ['red', 'blue'] }, example: ['blue', 'red'] },
  size: { type: 'object', maxProperties: 1, example: { width: 1 } },
}
const slot = { id: { enum: ['a', 'b', 'c'] } }
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
  expect(await rejected('one=a', { 'x-two': 'b' })).toEqual(['query.one', 'header.x-two'])
  expect(await rejected('authorization=a')).toEqual(['query.authorization'])
  expect(gateway.journal.entries().find(({ path }) => path.endsWith('/search'))?.warnings).toEqual([
    "Not checked in getSearch requests: query parameter 'set' (style deepObject); query parameter 'csv' (explode: false); query parameter 'object' (object); query parameter 'other' (content); cookie parameter 'crumb'",
  ])
})
