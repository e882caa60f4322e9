/**
 * The very values that are made for schemas, of seed 1 and one question: each keyword, what combines them, and why
 * there is no value where there is none.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { Budget, Exhausted } from '../../src/model/json-schema/budget.ts'
import type { JsonSchema } from '../../src/model/json-schema/schema.ts'
import { fakeValue, makeValue } from '../../src/model/structured.ts'

const source = { subject: 'Plan three museums in Oslo', seed: '1' }
const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)

/** The value, or why there is none. */
function outcome(schema: unknown): unknown {
  try {
    return fakeValue(schema as JsonSchema, { ...source, path: 'schema' })
  } catch (error) {
    const { violations } = (error as { metadata: { violations: [{ message: string }] } }).metadata
    return `refused: ${violations[0].message.replace('No value can be made for this schema: ', '')}`
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
const ours = /without a schema|step below zero|flags|beyond the last/

it.each<[name: string, schema: unknown, value: unknown]>([
  [
    'impossible, six levels deep',
    nested(never, 6),
    'refused: nothing was found that fits its part /a/a/a/a/a/a',
  ],
  [
    'impossible, six levels deep, each the only alternative',
    Array.from({ length: 6 }).reduce((inner) => ({ anyOf: [needs('a', inner)] }), never),
    'refused: nothing was found that fits its part /a/a/a/a/a/a',
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
    { a: true, b: true, c: true, d: false, e: false, f: false, g: true, h: true },
  ],
  ['alternatives that are all null', { anyOf: [{ type: 'null' }, { const: null }] }, null],
  [
    'a consequence whose alternatives never end',
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    { if: true, then: { anyOf: [endless] }, else: { anyOf: [endless] }, type: 'object', $defs },
    'refused: nothing was found that fits it',
  ],
  [
    'the same part twice',
    { allOf: [{ $ref: '#/$defs/n' }, { $ref: '#/$defs/n' }], $defs: { n: { type: 'integer' } } },
    64,
  ],
  [
    'a dependent schema',
    {
      type: 'object',
      properties: { a: text },
      required: ['a'],
      dependentSchemas: { a: needs('b', { const: 1 }), c: needs('d', { const: 1 }) },
    },
    { a: 'Plan', b: 1, d: 1 },
  ],
  [
    'a condition with an impossible alternative',
    {
      type: 'object',
      properties: { a: { enum: [1, 2] } },
      required: ['a'],
      if: { properties: { a: { const: 1 } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: needs('b', { const: 3 }),
      else: needs('b', never),
    },
    { a: 1, b: 3 },
  ],
  [
    'conditions of which some hold',
    {
      type: 'array',
      minItems: 8,
      items: {
        type: 'object',
        properties: { k: { enum: ['x', 'y'] } },
        required: ['k'],
        if: { properties: { k: { const: 'x' } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { required: ['x'], properties: { x: { const: 1 } } },
        else: { required: ['y'], properties: { y: { const: 2 } } },
      },
    },
    [
      { k: 'y', y: 2 },
      { k: 'x', x: 1 },
      { k: 'x', x: 1 },
      { k: 'x', x: 1 },
      { k: 'x', x: 1 },
      { k: 'x', x: 1 },
      { k: 'y', y: 2 },
      { k: 'y', y: 2 },
    ],
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
    'groups that are repeated',
    {
      type: 'object',
      properties: {
        a: { type: 'string', pattern: '^(\\w)(\\w)\\2\\1$' },
        b: { type: 'string', pattern: '^(?<tag>ab|cd|ef)-\\k<tag>$' },
        c: { type: 'string', pattern: '^[a-c]{3}\\B[a-c]$' },
      },
    },
    { a: 'OCCO', b: 'ab-ab', c: 'acab' },
  ],
  [
    'no pattern',
    { type: 'string', pattern: '(' },
    'refused: Invalid regular expression: /(/: Unterminated group',
  ],
  [
    'a pattern with a group of flags',
    { type: 'string', pattern: '^(?i:a)$' },
    'refused: groups with flags are not known here',
  ],
  ['letters that are not on a keyboard', { type: 'string', pattern: '^[^ -~]{4}$' }, '\t\n\n\t'],
  ['a code point beyond the last', { type: 'string', pattern: '^[\\u{110000}]{6}$' }, 'u10111'],
  ['codes of characters', { type: 'string', pattern: '^\\u00e9[\\xe8][\\u{1f600}]\\cJ\\t$' }, 'éè😀\n\t'],
  [
    'integers as clients spell them out',
    { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    64,
  ],
  ['one number', { type: 'number', minimum: 5, maximum: 5 }, 5],
  ['one integer', { type: 'integer', minimum: 5, maximum: 5 }, 5],
  ['no number', { type: 'number', minimum: 6, maximum: 5 }, 'refused: nothing was found that fits it'],
  [
    'no multiple',
    { type: 'number', minimum: 4, maximum: 5, multipleOf: 3 },
    'refused: nothing was found that fits it',
  ],
  ['the multiple at the lower bound', { type: 'number', minimum: 3, maximum: 5, multipleOf: 3 }, 3],
  ['the multiple at the upper bound', { type: 'number', minimum: 1, maximum: 3, multipleOf: 3 }, 3],
  [
    'no multiple inside open bounds',
    { type: 'number', exclusiveMinimum: 3, exclusiveMaximum: 6, multipleOf: 3 },
    'refused: nothing was found that fits it',
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
    'refused: no value of it ever ends',
  ],
  [
    'a map that never ends',
    { type: 'object', required: ['x'], additionalProperties: { $ref: '#' } },
    'refused: no value of it ever ends',
  ],
  ['a property without a schema', { type: 'object', properties: { a: 7 }, required: ['a'] }, { a: 'Plan' }],
  ['an item without a schema', { type: 'array', prefixItems: [7], minItems: 1 }, ['Plan', 'three']],
  [
    'an item that never ends',
    { type: 'array', prefixItems: [endless], minItems: 1, $defs },
    'refused: no value of it ever ends',
  ],
  [
    'a name by a pattern, and no others',
    {
      type: 'object',
      patternProperties: { '^x-[a-c]$': { type: 'boolean' } },
      additionalProperties: false,
      minProperties: 2,
    },
    { 'x-c': false, 'x-b': true },
  ],
  [
    'names by a rule',
    { type: 'object', propertyNames: { pattern: '^[A-Z]{3}$' }, minProperties: 2 },
    { ENL: 'Plan', JYO: 'three' },
  ],
  ['names that are free', { type: 'object', minProperties: 2 }, { plan: 'three', museums: 'Oslo' }],
  [
    'two patterns, the second the narrower',
    { type: 'string', allOf: [{ pattern: '.' }, { pattern: '^ab+$' }] },
    'abbb',
  ],
  [
    'a pattern and the shortest text',
    { type: 'array', minItems: 4, items: { type: 'string', pattern: '^[a-z]{2,}$', maxLength: 2 } },
    ['tl', 'eq', 'oq', 'tf'],
  ],
  [
    'a pattern and a long text',
    { type: 'string', pattern: '^(ab)+$', minLength: 30, maxLength: 41 },
    'abababababababababababababababab',
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
    'refused: nothing was found that fits it',
  ],
  ['null before another type', { type: ['null', 'boolean'] }, false],
  ['no type: an object', { properties: {} }, {}],
  ['no type: an object', { required: [] }, {}],
  ['no type: an object', { patternProperties: {} }, {}],
  ['no type: an object', { additionalProperties: true }, {}],
  ['no type: an object', { minProperties: 0 }, {}],
  ['no type: a list', { items: text }, ['Plan', 'three']],
  ['no type: a list', { prefixItems: [text] }, ['Plan', 'three']],
  ['no type: a list', { minItems: 1 }, ['Plan', 'three']],
  ['no type: a list', { contains: text }, ['Plan', 'three']],
  ['no type: a list', { uniqueItems: true }, ['Plan', 'three']],
  ['no type: a number', { minimum: 1 }, 64],
  ['no type: a number', { maximum: 1 }, -36],
  ['no type: a number', { exclusiveMinimum: 1 }, 65],
  ['no type: a number', { exclusiveMaximum: 1 }, -36],
  ['no type: a number', { multipleOf: 2 }, 64],
  ['no type: a string', {}, 'Plan'],
  ['no type: a string', true, 'Plan'],
  ['no type: a string', { maxLength: 4 }, 'Plan'],
  ['no type: a string', { format: 'date' }, '2025-08-08'],
  [
    'a list that must contain',
    { type: 'array', prefixItems: [text, { type: 'integer' }], contains: { const: 'x' }, minContains: 2 },
    ['Plan', 39, 'x', 'x'],
  ],
  [
    'a list that must contain within its prefix',
    { type: 'array', prefixItems: [text, { enum: ['x', 'y'] }], contains: { const: 'x' }, maxItems: 2 },
    ['x', 'x'],
  ],
  [
    'a list that cannot contain',
    { type: 'array', contains: { const: 'x' }, maxItems: 0 },
    'refused: nothing was found that fits it',
  ],
  [
    'a list that may contain',
    { type: 'array', items: { const: 1 }, contains: { const: 'x' }, minContains: 0 },
    [1, 1],
  ],
  [
    'a list with fewer different values than it wants',
    { type: 'array', items: { enum: [1, 2] }, uniqueItems: true, minItems: 3 },
    'refused: there are not enough different values for /2',
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
    'refused: nothing was found that fits it',
  ],
  [
    'too many required',
    { ...needs('a', text), required: ['a', 'b'], maxProperties: 1 },
    'refused: nothing was found that fits it',
  ],
  ['a map', { type: 'object', additionalProperties: { type: 'integer' } }, { plan: 61, three: 90 }],
  [
    'a map of one',
    { type: 'object', additionalProperties: { type: 'integer' }, maxProperties: 1 },
    { plan: 61 },
  ],
  [
    'required by another',
    {
      type: 'object',
      properties: { a: text, b: { const: 1 } },
      required: ['a'],
      dependentRequired: { a: ['b', 'c'], c: ['d'] },
    },
    { a: 'Plan', b: 1, c: 'three', d: 'museums' },
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
    'what cannot be together',
    {
      type: 'object',
      properties: { a: { const: 1 }, b: { const: 2 } },
      required: ['a'],
      not: { required: ['b'] },
    },
    { a: 1 },
  ],
  [
    'values that are listed and fit',
    { allOf: [{ enum: [1, 'a', 'bc', null] }, { type: 'string', minLength: 2 }] },
    'bc',
  ],
  [
    'values that are listed and do not fit',
    { enum: [1, 2], type: 'string' },
    'refused: nothing was found that fits it',
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
    'refused: nothing was found that fits it',
  ],
  [
    'more properties, and none allowed',
    { type: 'object', minProperties: 1, additionalProperties: false },
    'refused: nothing was found that fits it',
  ],
  [
    'names by a pattern, and others',
    { type: 'object', patternProperties: { '^x': text }, additionalProperties: true, minProperties: 2 },
    { plan: 'three', museums: 'Oslo' },
  ],
  [
    'names by one of two patterns',
    {
      type: 'object',
      patternProperties: { '^x-[a-z]+$': text, '^y-[a-z]+$': text },
      additionalProperties: false,
      minProperties: 4,
    },
    { 'y-jp': 'Plan', 'x-p': 'three', 'y-wg': 'museums', 'x-yj': 'Oslo' },
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
    'babcccd',
  ],
  [
    'alternatives of which one is impossible',
    needs('a', { type: 'array', minItems: 6, items: { anyOf: [needs('b', never), needs('b', one)] } }),
    { a: Array(6).fill({ b: 1 }) },
  ],
  [
    'a condition without an alternative',
    {
      type: 'array',
      minItems: 4,
      items: {
        type: 'object',
        properties: { k: { enum: ['x', 'y'] } },
        required: ['k'],
        if: { properties: { k: { const: 'x' } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: needs('x', one),
      },
    },
    [{ k: 'y' }, { k: 'x', x: 1 }, { k: 'x', x: 1 }, { k: 'x', x: 1 }],
  ],
  ['a group that is repeated before it is there', { type: 'string', pattern: '^\\1(a)$' }, 'a'],
  ['millionths', { type: 'number', minimum: 1e-7, maximum: 9e-7 }, 6.04e-7],
  ['fractions of twelve digits', { type: 'number', minimum: 1.2345e-7, maximum: 1.2399e-7 }, 1.2379e-7],
  [
    'more characters than there may be',
    { type: 'string', minLength: 200_001 },
    'refused: This schema asks for more than the double gives: more than 200000 characters',
  ],
  ['a list with one number', { type: 'array', contains: one, maxItems: 1 }, [1]],
])('%s', (name, schema, value) => {
  expect(outcome(schema)).toEqual(value)
  if (!String(value).startsWith('refused: ') && !ours.test(name))
    expect(ajv.validate(schema as object, value), ajv.errorsText()).toBe(true)
})

it('what follows a thousand parts is as small as it can be', () => {
  const schema = {
    type: 'object',
    properties: {
      many: { type: 'array', minItems: 1000, items: { type: 'null' } },
      any: {},
      nothing: { type: ['string', 'null'] },
      word: { type: ['object', 'array', 'string'] },
      list: { type: ['integer', 'array'], minItems: 1 },
      branch: { anyOf: [{ type: 'array', minItems: 3 }, { type: 'array', minItems: 2 }, needs('a', text)] },
      object: {
        type: 'object',
        properties: { a: text, b: text, c: text },
        required: ['a'],
        dependentSchemas: { a: { required: ['b'] }, c: { required: ['d'] } },
      },
      map: { type: 'object', additionalProperties: text },
    },
  }
  const { many: _, ...rest } = outcome(schema) as Record<string, unknown>
  expect(rest).toEqual({
    any: null,
    nothing: null,
    word: 'Plan',
    list: 13,
    branch: { a: 'three' },
    object: { a: 'museums', b: 'Oslo' },
    map: {},
  })
})

it('examples are taken where they are asked for, and fit', () => {
  const examples = (schema: unknown) => makeValue(schema as JsonSchema, { ...source, examples: true })
  const usual = makeValue({ type: 'integer', default: 7, example: 8 }, source)
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

describe('What a value may cost', () => {
  it.each<[what: string, most: number, spend: (budget: Budget, count: number) => void]>([
    ['a value of more than 10000 parts', 10_000, (budget, count) => range(count, () => budget.node())],
    ['more than 200000 characters', 200_000, (budget, count) => range(2, () => budget.characters(count / 2))],
    ['more than 500000 steps to find a value', 500_000, (budget, count) => range(count, () => budget.step())],
    ['more than 500000 steps to find a value', 500_000, (budget, count) => budget.step(count)],
    ['more than 400 levels', 400, deeper],
  ])('%s', (message, most, spend) => {
    expect(() => spend(new Budget(), most)).not.toThrow()
    expect(() => spend(new Budget(), most + 1)).toThrow(new Exhausted(message))
  })

  it('levels that were left count no more', () => {
    const budget = new Budget()
    for (let time = 0; time < 3; time++) deeper(budget, 400)
  })
})

function range(count: number, run: () => void): void {
  for (let done = 0; done < count; done++) run()
}

function deeper(budget: Budget, count: number): void {
  if (count > 0) budget.deeper(() => deeper(budget, count - 1))
}
