/**
 * The very values that are made for schemas, of seed 1 and one question: each keyword, what combines them, and why
 * there is no value where there is none.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { Budget, Exhausted } from '../../src/model/json-schema/budget.ts'
import { makeValue } from '../../src/model/json-schema/make-value.ts'
import type { JsonSchema } from '../../src/model/json-schema/schema.ts'
import { examplesOfSchema, wordsOf } from '../../src/model/structured.ts'

const options = () => ({ seed: '1', source: wordsOf('Plan three museums in Oslo') })
const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)

/** The value, or why there is none or only a doubtful one. */
function outcome(schema: unknown): unknown {
  try {
    const { value, doubts } = makeValue(schema as JsonSchema, options())
    return doubts.length === 0 ? value : `${JSON.stringify(value)}, doubtful: ${doubts.join('; ')}`
  } catch (error) {
    return `refused: ${(error as Error).message}`
  }
}

const never = { type: 'string', minLength: 5, maxLength: 2 }
const needs = (name: string, inner: unknown) => ({
  type: 'object',
  properties: { [name]: inner },
  required: [name],
})
const nested = (inner: unknown, levels: number): unknown =>
  levels === 0 ? inner : needs('a', nested(inner, levels - 1))
const endless = { $ref: '#/$defs/endless' }
const $defs = { endless: needs('again', endless) }
const text = { type: 'string' }
const one = { const: 1 }
const card = { type: 'object', properties: { a: text, b: { type: 'integer' } }, required: ['a'] }

/** Schemas that another validator reads otherwise, or not at all. */
const ours = /without a schema|step below zero|group of flags/

it.each<[name: string, schema: unknown, value: unknown]>([
  ['impossible, six levels deep', nested(never, 6), 'refused: /a/a/a/a/a/a: minLength is above maxLength'],
  [
    'impossible, six levels deep, each the only alternative',
    Array.from({ length: 6 }).reduce((inner) => ({ anyOf: [needs('a', inner)] }), never),
    'refused: /a/a/a/a/a/a: minLength is above maxLength',
  ],
  ['an alternative whose part is impossible', { anyOf: [needs('a', never), { type: 'null' }] }, null],
  [
    'an alternative that never ends',
    {
      type: 'object',
      properties: Object.fromEntries(
        Array.from('abcdefgh', (n) => [n, { anyOf: [endless, { type: 'boolean' }, endless] }]),
      ),
      required: Array.from('abcdefg'),
      $defs,
    },
    { a: true, b: true, c: true, d: true, e: false, f: true, g: true, h: true },
  ],
  ['alternatives that are all null', { anyOf: [{ type: 'null' }, { const: null }] }, null],
  [
    'the same part twice',
    { allOf: [{ $ref: '#/$defs/n' }, { $ref: '#/$defs/n' }], $defs: { n: { type: 'integer' } } },
    64,
  ],
  [
    'many of one kind',
    { type: 'array', minItems: 5, items: { $ref: '#/$defs/card' }, $defs: { card } },
    [
      { a: 'Plan', b: 2 },
      { a: 'three', b: 25 },
      { a: 'museums', b: 9 },
      { a: 'Oslo', b: 73 },
      { a: 'Plan Plan', b: 45 },
    ],
  ],
  [
    'a group that is referred to',
    { type: 'object', properties: { a: { type: 'string', pattern: '^(\\w)(\\w)\\2\\1$' } } },
    `{"a":"Plan"}, doubtful: the pattern '^(\\w)(\\w)\\2\\1$' is not simulated`,
  ],
  [
    'no pattern',
    { type: 'string', pattern: '(' },
    'refused: Invalid regular expression: /(/: Unterminated group',
  ],
  [
    'a pattern with a group of flags',
    { type: 'string', pattern: '^(?i:a)$' },
    `"Plan", doubtful: the pattern '^(?i:a)$' is not simulated`,
  ],
  ['letters that are not on a keyboard', { type: 'string', pattern: '^[^ -~]{4}$' }, '\n\n\t\n'],
  ['codes of characters', { type: 'string', pattern: '^\\u00e9[\\xe8][\\u{1f600}]\\cJ\\t$' }, 'éè😀\n\t'],
  [
    'integers as clients spell them out',
    { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    64,
  ],
  ['one number', { type: 'number', minimum: 5, maximum: 5 }, 5],
  ['one integer', { type: 'integer', minimum: 5, maximum: 5 }, 5],
  ['no number', { type: 'number', minimum: 6, maximum: 5 }, 'refused: no number is within the bounds'],
  [
    'no multiple',
    { type: 'number', minimum: 4, maximum: 5, multipleOf: 3 },
    'refused: no number is within the bounds',
  ],
  ['the multiple at the lower bound', { type: 'number', minimum: 3, maximum: 5, multipleOf: 3 }, 3],
  ['the multiple at the upper bound', { type: 'number', minimum: 1, maximum: 3, multipleOf: 3 }, 3],
  [
    'no multiple inside open bounds',
    { type: 'number', exclusiveMinimum: 3, exclusiveMaximum: 6, multipleOf: 3 },
    'refused: no number is within the bounds',
  ],
  ['tiny steps', { type: 'number', minimum: 0, maximum: 0.000001, multipleOf: 0.0000001 }, 6e-7],
  [
    'steps of two kinds',
    {
      allOf: [
        { type: 'number', multipleOf: 0.5, minimum: 1 },
        { multipleOf: 0.75, maximum: 4 },
      ],
    },
    3,
  ],
  ['small fractions', { type: 'number', minimum: 0.1, maximum: 0.2 }, 0.163],
  ['at most', { type: 'integer', maximum: 7 }, -30],
  ['at least', { type: 'integer', minimum: 7 }, 70],
  ['a wide range', { type: 'integer', minimum: 0, maximum: 1000 }, 631],
  ['a wider range', { type: 'integer', minimum: 0, maximum: 1001 }, 631],
  ['far above zero', { type: 'integer', maximum: 1_000_000 }, 999963],
  [
    'a list that never ends',
    { type: 'array', minItems: 1, items: { $ref: '#' } },
    'refused: /0/0/0: no value ever ends',
  ],
  [
    'a map that never ends',
    { type: 'object', required: ['x'], additionalProperties: { $ref: '#' } },
    'refused: /x/x/x: no value ever ends',
  ],
  ['a property without a schema', { type: 'object', properties: { a: 7 }, required: ['a'] }, { a: 'Plan' }],
  ['an item without a schema', { type: 'array', prefixItems: [7], minItems: 1 }, ['Plan', 'three']],
  [
    'an item that never ends',
    { type: 'array', prefixItems: [endless], minItems: 1, $defs },
    'refused: /0/again/again/again: no value ever ends',
  ],
  [
    'a name by a pattern, and no others',
    {
      type: 'object',
      patternProperties: { '^x-[a-c]$': { type: 'boolean' } },
      additionalProperties: false,
      minProperties: 2,
    },
    `{"plan":"three","museums":"Oslo"}, doubtful: 'patternProperties' is not simulated`,
  ],
  ['names that are free', { type: 'object', minProperties: 2 }, { plan: 'three', museums: 'Oslo' }],
  [
    'two patterns, the second the narrower',
    { type: 'string', allOf: [{ pattern: '.' }, { pattern: '^ab+$' }] },
    'ab',
  ],
  [
    'a pattern and the shortest text',
    { type: 'array', minItems: 4, items: { type: 'string', pattern: '^[a-z]{2,}$', maxLength: 2 } },
    ['lr', 'tr', 'xm', 'fn'],
  ],
  [
    'a pattern and a long text',
    { type: 'string', pattern: '^(ab)+$', minLength: 30, maxLength: 41 },
    'ababababababababababababababababababab',
  ],
  [
    'a pattern that finds a part, and a length',
    { type: 'string', pattern: 'x', minLength: 12 },
    'xaaaaaaaaaaa',
  ],
  ['two letters', { type: 'string', maxLength: 2 }, 'Pl'],
  ['four letters', { type: 'string', minLength: 4, maxLength: 4 }, 'Plan'],
  ['no letter', { type: 'string', maxLength: 0 }, ''],
  ['thirty letters', { type: 'string', minLength: 30, maxLength: 30 }, 'Plan Plan Plan Plan Plan Plans'],
  ['number or integer', { allOf: [{ type: ['number', 'null'] }, { type: ['integer', 'string'] }] }, 64],
  ['integer or number', { allOf: [{ type: ['integer', 'null'] }, { type: ['number', 'string'] }] }, 64],
  [
    'types that exclude each other',
    { allOf: [{ type: 'string' }, { type: 'number' }] },
    'refused: nothing fits',
  ],
  ['null before another type', { type: ['null', 'boolean'] }, false],
  ['no type: an object', { properties: {} }, {}],
  ['no type: an object', { required: [] }, {}],
  ['no type: an object', { additionalProperties: true }, {}],
  ['no type: an object', { minProperties: 0 }, {}],
  ['no type: a list', { items: text }, ['Plan', 'three']],
  ['no type: a list', { prefixItems: [text] }, ['Plan', 'three']],
  ['no type: a list', { minItems: 1 }, ['Plan', 'three']],
  ['no type: a list', { uniqueItems: true }, ['Plan', 'three']],
  ['no type: a number', { minimum: 1 }, 64],
  ['no type: a number', { maximum: 1 }, -36],
  ['no type: a number', { exclusiveMinimum: 1 }, 65],
  ['no type: a number', { exclusiveMaximum: 1 }, -36],
  ['no type: a number', { multipleOf: 2 }, 128],
  ['no type: a string', {}, 'Plan'],
  ['no type: a string', true, 'Plan'],
  ['no type: a string', { maxLength: 4 }, 'Plan'],
  ['no type: a string', { format: 'date' }, '2025-08-08'],
  [
    'a list with fewer different values than it wants',
    { type: 'array', items: { enum: [1, 2] }, uniqueItems: true, minItems: 3 },
    'refused: not enough different values for item 2',
  ],
  [
    'a list with as many different values as it may',
    { type: 'array', prefixItems: [{ const: 1 }, { const: 1 }], items: { const: 1 }, uniqueItems: true },
    [1],
  ],
  ['a list of no kind', { type: 'array', items: false }, []],
  [
    'a list of at least more than at most',
    { type: 'array', minItems: 3, maxItems: 2 },
    'refused: minItems is above maxItems',
  ],
  [
    'too many required',
    { ...needs('a', text), required: ['a', 'b'], maxProperties: 1 },
    'refused: more fields are required than allowed',
  ],
  ['a map', { type: 'object', additionalProperties: { type: 'integer' } }, { plan: 61, three: 90 }],
  [
    'a map of one',
    { type: 'object', additionalProperties: { type: 'integer' }, maxProperties: 1 },
    { plan: 61 },
  ],
  [
    'what may lack and is impossible',
    { type: 'object', properties: { a: never, b: { const: 1 } } },
    { b: 1 },
  ],
  [
    'what may lack and never ends',
    { type: 'object', properties: { a: endless, b: { const: 1 } }, $defs },
    { b: 1 },
  ],
  [
    'values that are listed and fit',
    { allOf: [{ enum: [1, 'a', 'bc', null] }, { type: 'string', minLength: 2 }] },
    'bc',
  ],
  [
    'values that are listed and do not fit',
    { enum: [1, 2], type: 'string' },
    'refused: none of the listed values fits',
  ],
  ['listed values of a part', { allOf: [{ type: 'string' }, { enum: ['a', 'b', 1] }] }, 'b'],
  [
    'a tree of three levels',
    {
      type: 'object',
      properties: { name: text, left: { $ref: '#' }, right: { $ref: '#' } },
      required: ['name'],
    },
    {
      name: 'Plan',
      left: { name: 'three', left: { name: 'museums' }, right: { name: 'Oslo' } },
      right: { name: 'Plan Plan', left: { name: 'Plan three' }, right: { name: 'Plan museums' } },
    },
  ],
  [
    'a chain with types',
    {
      type: 'object',
      properties: {
        name: { type: ['string', 'null'] },
        tags: { type: ['array', 'string'], items: text },
        next: { $ref: '#' },
      },
      required: ['name', 'tags'],
    },
    {
      name: 'Plan',
      tags: ['three'],
      next: {
        name: 'museums',
        tags: ['Oslo', 'Plan Plan'],
        next: { name: 'Plan three', tags: ['Plan museums', 'Plan Oslo'] },
      },
    },
  ],
  [
    'a chain of alternatives',
    {
      type: 'object',
      properties: { next: { anyOf: [{ $ref: '#' }, needs('x', text), text] } },
      required: ['next'],
    },
    { next: 'Plan' },
  ],
  ['a second item that is impossible', { type: 'array', prefixItems: [text, never], minItems: 1 }, ['Plan']],
  ['as many required as there may be', { ...needs('a', text), maxProperties: 1 }, { a: 'Plan' }],
  [
    'room for one more of two',
    {
      type: 'object',
      properties: { a: text, b: { const: 1 }, c: { const: 2 } },
      required: ['b'],
      maxProperties: 2,
    },
    { a: 'Plan', b: 1 },
  ],
  [
    'more properties, all impossible',
    { type: 'object', minProperties: 1, additionalProperties: never },
    '{}, doubtful: Too small: must have >=1 fields',
  ],
  [
    'more properties, and none allowed',
    { type: 'object', minProperties: 1, additionalProperties: false },
    '{}, doubtful: Too small: must have >=1 fields',
  ],
  [
    'steps of two sizes',
    {
      allOf: [
        { type: 'integer', multipleOf: 4, minimum: 1 },
        { multipleOf: 6, maximum: 30 },
      ],
    },
    24,
  ],
  ['a step below zero', { type: 'integer', multipleOf: -1 }, 64],
  [
    'an exclusive bound of one part alone',
    {
      allOf: [
        { type: 'integer', minimum: 3, maximum: 5 },
        { exclusiveMinimum: 3, exclusiveMaximum: 5 },
      ],
    },
    4,
  ],
  [
    'an exclusive bound that another part is within',
    {
      allOf: [
        { type: 'integer', minimum: 3, maximum: 3 },
        { exclusiveMinimum: 1, exclusiveMaximum: 9 },
      ],
    },
    3,
  ],
  [
    'a pattern that repeats a group as often',
    { type: 'string', pattern: '^([ab]){3}c{2,3}?d?$', minLength: 7 },
    'abacccd',
  ],
  [
    'alternatives of which one is impossible',
    needs('a', { type: 'array', minItems: 6, items: { anyOf: [needs('b', never), needs('b', one)] } }),
    { a: Array(6).fill({ b: 1 }) },
  ],
  [
    'a group that is repeated before it is there',
    { type: 'string', pattern: '^\\1(a)$' },
    `"Plan", doubtful: the pattern '^\\1(a)$' is not simulated`,
  ],
  ['millionths', { type: 'number', minimum: 1e-7, maximum: 9e-7 }, 6.04e-7],
  ['fractions of twelve digits', { type: 'number', minimum: 1.2345e-7, maximum: 1.2399e-7 }, 1.23791e-7],
  [
    'more characters than there may be',
    { type: 'string', minLength: 200_001 },
    'refused: more than 200000 characters',
  ],
])('%s', (name, schema, value) => {
  expect(outcome(schema)).toEqual(value)
  if (!/^refused: |, doubtful: /.test(String(value)) && !ours.test(name))
    expect(ajv.validate(schema as object, value), ajv.errorsText()).toBe(true)
})

it('makes what follows a thousand parts as small as it can be', () => {
  const schema = {
    type: 'object',
    properties: {
      many: { type: 'array', minItems: 1000, items: { type: 'null' } },
      any: {},
      nothing: { type: ['string', 'null'] },
      word: { type: ['object', 'array', 'string'] },
      list: { type: ['integer', 'array'], minItems: 1 },
      branch: { anyOf: [{ type: 'array', minItems: 3 }, needs('a', text), { type: 'boolean' }] },
      object: { type: 'object', properties: { a: text, b: text, c: text }, required: ['a'] },
      map: { type: 'object', additionalProperties: text },
    },
  }
  const { many: _, ...rest } = outcome(schema) as Record<string, unknown>
  expect(rest).toEqual({
    any: null,
    nothing: null,
    word: 'Plan',
    list: 13,
    branch: false,
    object: { a: 'three' },
    map: {},
  })
})

it('takes the examples of a schema from a source that proposes them, if they fit', () => {
  const { seed, source } = options()
  const examples = (schema: unknown) =>
    makeValue(schema as JsonSchema, { seed, source: (place) => examplesOfSchema(place) ?? source(place) })
      .value
  const usual = makeValue({ type: 'integer', default: 7, example: 8 }, options()).value
  expect(usual).toBe(64)
  expect(
    [
      { type: 'integer', default: 7 },
      { type: 'integer', default: 7, example: 8 },
      { type: 'integer', default: 7, example: 8, examples: [9, 10] },
      { type: 'integer', examples: [] },
      { type: 'integer', default: '7' },
      { allOf: [{ type: 'integer' }, { default: 7 }] },
      { type: 'object', properties: { a: { const: 1, default: 2 }, b: { type: 'null', example: null } } },
    ].map(examples),
  ).toEqual([7, 8, 9, usual, usual, 7, { a: 1, b: null }])
})

it('asks the source once per place, with its path, type and schemas', () => {
  const schema = {
    type: 'object',
    properties: {
      from: { type: 'string', maxLength: 3 },
      legs: { type: 'array', items: { type: 'integer', minimum: 7 } },
    },
    required: ['from', 'legs'],
  }
  const places: unknown[] = []
  const { value } = makeValue(schema, {
    seed: '1',
    source: ({ path, type, schemas }) => {
      places.push([path.join('.'), type, schemas])
      return type === 'integer' ? 9 : type === 'string' ? 'Paris' : undefined
    },
  })
  expect(value).toEqual({ from: 'Par', legs: [9, 9] })
  expect(places).toEqual([
    ['', 'object', [schema]],
    ['from', 'string', [schema.properties.from]],
    ['legs', 'array', [schema.properties.legs]],
    ['legs.0', 'integer', [schema.properties.legs.items]],
    ['legs.1', 'integer', [schema.properties.legs.items]],
  ])
})

describe('The budget of a value', () => {
  it.each<[message: string, most: number, spend: (budget: Budget, count: number) => void]>([
    ['more than 10000 parts', 10_000, (budget, count) => budget.spend('parts', count)],
    ['more than 200000 characters', 200_000, (budget, count) => budget.spend('characters', count)],
    ['more than 500000 steps to find a value', 500_000, (budget, count) => budget.step(count)],
    ['more than 400 levels', 400, deeper],
  ])('allows no %s', (message, most, spend) => {
    expect(() => spend(new Budget(), most)).not.toThrow()
    expect(() => spend(new Budget(), most + 1)).toThrow(new Exhausted(message))
  })

  it('does not count levels that were left', () => {
    const budget = new Budget()
    for (let time = 0; time < 3; time++) deeper(budget, 400)
  })
})

function deeper(budget: Budget, count: number): void {
  if (count > 0) budget.deeper(() => deeper(budget, count - 1))
}
