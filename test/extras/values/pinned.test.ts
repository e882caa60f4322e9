/**
 * Compares values generated from JSON schemas with a stored file. `vitest run -u test/extras/values` rewrites
 * it.
 */
import { expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { call } from '../../call.ts'

const string = (more: object) => ({ type: 'string', ...more })
const number = (more: object) => ({ type: 'number', ...more })
const formats = [
  'date',
  'time',
  'date-time',
  'duration',
  'email',
  'idn-email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
  'uuid',
  'json-pointer',
  'regex',
  'unheard-of',
]
const schemas: Record<string, object> = {
  ...Object.fromEntries(formats.map((format) => [`format ${format}`, string({ format })])),
  'a name and a title': {
    type: 'object',
    properties: Object.fromEntries(
      ['name', 'title', 'city', 'country', 'price', 'count', 'email', 'summary', 'id', 'url', 'isOpen'].map(
        (each) => [each, string({})],
      ),
    ),
  },
  'short text': string({ maxLength: 5 }),
  'long text': string({ minLength: 200, maxLength: 210 }),
  'text of one length': string({ minLength: 40, maxLength: 40 }),
  'pattern of digits': string({ pattern: '^[A-Z]{2}-\\d{4,6}$' }),
  'pattern with a choice': string({ pattern: '^(red|green|blue)+[^a-z]?$' }),
  'pattern that is not anchored': string({ pattern: 'x{3}\\w*\\s' }),
  'pattern with a length': string({ pattern: '^[a-f]+$', minLength: 7, maxLength: 9 }),
  'pattern of any text': string({ pattern: '.' }),
  'pattern over all letters': string({ pattern: '^\\p{L}{2}[\\u{1F600}-\\u{1F64F}]$' }),
  integer: { type: 'integer' },
  'integer between': { type: 'integer', minimum: 3, maximum: 9 },
  'integer above': { type: 'integer', exclusiveMinimum: 3, exclusiveMaximum: 5 },
  'integer of steps': { type: 'integer', multipleOf: 7, minimum: 20 },
  'integer of broken steps': { type: 'integer', multipleOf: 0.25, minimum: 1.5, maximum: 7 },
  number: number({}),
  'number between': number({ minimum: 0.5, maximum: 0.75 }),
  'number between fractions': number({ minimum: 0.3713, maximum: 0.4031 }),
  'number of steps': number({ multipleOf: 0.05, minimum: 1, maximum: 2 }),
  'number as draft 4': number({ minimum: 3, exclusiveMinimum: true, maximum: 4, exclusiveMaximum: true }),
  'number below zero': number({ maximum: -100 }),
  'number of size': number({ minimum: 1e9, maximum: 1e12 }),
  boolean: { type: 'boolean' },
  null: { type: 'null' },
  'one of types': { type: ['string', 'null'] },
  constant: { const: { a: [1] } },
  choice: { enum: ['a', 'b', 'c'] },
  list: { type: 'array', items: string({}) },
  'list of few': { type: 'array', items: { type: 'integer' }, minItems: 4, maxItems: 6 },
  'list of different': { type: 'array', items: { enum: [1, 2, 3, 4] }, uniqueItems: true, minItems: 3 },
  'list with a prefix': { type: 'array', prefixItems: [string({}), number({})], items: false },
  'list that contains': {
    type: 'array',
    items: number({}),
    contains: { const: 7 },
    minContains: 2,
    maxItems: 5,
  },
  'any of': { anyOf: [string({ format: 'uuid' }), number({})] },
  'one of': { oneOf: [{ type: 'integer' }, string({ maxLength: 3 })] },
  'all of': { allOf: [{ type: 'integer', minimum: 4 }, { maximum: 6 }] },
  not: { type: 'integer', minimum: 1, maximum: 3, not: { const: 2 } },
  'if and else': {
    type: 'object',
    properties: { a: { const: 1 } },
    required: ['a'],
    if: { not: { required: ['a'] } },
    else: { required: ['b'] },
  },
  'some required': {
    type: 'object',
    properties: { a: number({}), b: number({}) },
    required: ['a'],
    additionalProperties: false,
  },
  'many properties': {
    type: 'object',
    minProperties: 3,
    additionalProperties: number({ minimum: 0, maximum: 1 }),
  },
  'named by pattern': {
    type: 'object',
    patternProperties: { '^x-': string({ maxLength: 8 }) },
    required: ['x-one'],
  },
  tree: {
    type: 'object',
    properties: { name: string({ maxLength: 12 }), next: { $ref: '#/properties/tree' } },
  },
}

it('values generated from JSON schemas are unchanged', async () => {
  const gateway = createGateway()
  const values: unknown[] = []
  for (const [name, schema] of Object.entries(schemas)) {
    const format = {
      type: 'json_schema',
      name: 'pinned',
      schema: { type: 'object', properties: { [name]: schema }, required: [name] },
    }
    for (const input of ['Plan three museums in Oslo', 'Tides']) {
      const reply = JSON.parse(
        (
          await call(gateway, 'POST /responses', {
            body: { model: 'aurora/dawn-2', input, text: { format } },
          })
        ).text,
      )
      values.push(reply.error ? { [name]: reply.error.message } : JSON.parse(reply.output[0].content[0].text))
    }
  }
  const lines = values.map((value) => JSON.stringify(value))
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('./pinned.txt')
})
