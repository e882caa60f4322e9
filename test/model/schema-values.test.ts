/**
 * Pins the exact values generated for JSON schemas with seed 1 and a fixed question, or the reason why there
 * is no value.
 */

import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { Budget, Exhausted } from '../../src/model/json-schema/budget.ts'
import { generateValue } from '../../src/model/json-schema/generate-value.ts'
import { fitLength, textOfFormat } from '../../src/model/json-schema/scalars.ts'
import { examplesOfSchema, wordsOf } from '../../src/model/structured.ts'
import type { JsonSchema, ValueSource } from '../../src/resources/json-schema.ts'

const options = () => ({ seed: '1', source: wordsOf('Plan three museums in Oslo') })
const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)

/** Returns the value, or a string with the reason why there is none or why it may be invalid. */
function outcome(schema: unknown): unknown {
  try {
    const { value, doubts } = generateValue(schema as JsonSchema, options())
    return doubts.length === 0 ? value : `${JSON.stringify(value)}, doubtful: ${doubts.join('; ')}`
  } catch (error) {
    return `rejected: ${(error as Error).message}`
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
/** Returns alternatives of which only one is satisfiable. */
const nthOf = (count: number, place: number) =>
  Array.from({ length: count }, (_, index) => (index === place ? one : never))
const card = { type: 'object', properties: { a: text, b: { type: 'integer' } }, required: ['a'] }

/** Matches cases that the independent validator does not support or interprets differently. */
const unsupportedByAjv = /without a schema|step (?:below|of) zero|inline flags|inexact/

it.each<[name: string, schema: unknown, value: unknown]>([
  [
    'unsatisfiable, six levels deep',
    nested(never, 6),
    'rejected: /a/a/a/a/a/a: minLength is above maxLength',
  ],
  [
    'unsatisfiable, six levels deep, each the only alternative',
    Array.from({ length: 6 }).reduce((inner) => ({ anyOf: [needs('a', inner)] }), never),
    'rejected: /a/a/a/a/a/a: minLength is above maxLength',
  ],
  ['an alternative with an unsatisfiable property', { anyOf: [needs('a', never), { type: 'null' }] }, null],
  [
    'an infinitely recursive alternative',
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
    'the same reference twice in allOf',
    { allOf: [{ $ref: '#/$defs/n' }, { $ref: '#/$defs/n' }], $defs: { n: { type: 'integer' } } },
    64,
  ],
  [
    'several items with the same schema',
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
    'a pattern with backreferences',
    { type: 'object', properties: { a: { type: 'string', pattern: '^(\\w)(\\w)\\2\\1$' } } },
    `{"a":"Plan"}, doubtful: the pattern '^(\\w)(\\w)\\2\\1$' is not simulated`,
  ],
  [
    'an invalid pattern',
    { type: 'string', pattern: '(' },
    'rejected: Invalid regular expression: /(/: Unterminated group',
  ],
  [
    'a pattern with inline flags',
    { type: 'string', pattern: '^(?i:a)$' },
    `"Plan", doubtful: the pattern '^(?i:a)$' is not simulated`,
  ],
  ['a pattern that excludes printable ASCII', { type: 'string', pattern: '^[^ -~]{4}$' }, '\n\n\t\n'],
  [
    'a pattern with character escapes',
    { type: 'string', pattern: '^\\u00e9[\\xe8][\\u{1f600}]\\cJ\\t$' },
    'éè😀\n\t',
  ],
  [
    'an integer with the bounds of safe integers',
    { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    64,
  ],
  ['a single allowed number', { type: 'number', minimum: 5, maximum: 5 }, 5],
  ['a single allowed integer', { type: 'integer', minimum: 5, maximum: 5 }, 5],
  [
    'no allowed number',
    { type: 'number', minimum: 6, maximum: 5 },
    'rejected: no number is within the bounds',
  ],
  [
    'no allowed multiple',
    { type: 'number', minimum: 4, maximum: 5, multipleOf: 3 },
    'rejected: no number is within the bounds',
  ],
  ['a multiple at the lower bound', { type: 'number', minimum: 3, maximum: 5, multipleOf: 3 }, 3],
  ['a multiple at the upper bound', { type: 'number', minimum: 1, maximum: 3, multipleOf: 3 }, 3],
  [
    'no allowed multiple between exclusive bounds',
    { type: 'number', exclusiveMinimum: 3, exclusiveMaximum: 6, multipleOf: 3 },
    'rejected: no number is within the bounds',
  ],
  ['multiples of 1e-7', { type: 'number', minimum: 0, maximum: 0.000001, multipleOf: 0.0000001 }, 6e-7],
  [
    'multiples of 0.5 and 0.75',
    {
      allOf: [
        { type: 'number', multipleOf: 0.5, minimum: 1 },
        { multipleOf: 0.75, maximum: 4 },
      ],
    },
    3,
  ],
  ['small fractions', { type: 'number', minimum: 0.1, maximum: 0.2 }, 0.163],
  ['maximum only', { type: 'integer', maximum: 7 }, -30],
  ['minimum only', { type: 'integer', minimum: 7 }, 70],
  ['a wide range', { type: 'integer', minimum: 0, maximum: 1000 }, 631],
  ['a slightly wider range', { type: 'integer', minimum: 0, maximum: 1001 }, 631],
  ['a large maximum', { type: 'integer', maximum: 1_000_000 }, 999963],
  [
    'an infinitely recursive list',
    { type: 'array', minItems: 1, items: { $ref: '#' } },
    'rejected: /0/0/0: every value would be infinitely nested',
  ],
  [
    'an infinitely recursive map',
    { type: 'object', required: ['x'], additionalProperties: { $ref: '#' } },
    'rejected: /x/x/x: every value would be infinitely nested',
  ],
  ['a property without a schema', { type: 'object', properties: { a: 7 }, required: ['a'] }, { a: 'Plan' }],
  ['an item without a schema', { type: 'array', prefixItems: [7], minItems: 1 }, ['Plan', 'three']],
  [
    'an infinitely recursive item',
    { type: 'array', prefixItems: [endless], minItems: 1, $defs },
    'rejected: /0/again/again/again: every value would be infinitely nested',
  ],
  [
    'patternProperties without additional properties',
    {
      type: 'object',
      patternProperties: { '^x-[a-c]$': { type: 'boolean' } },
      additionalProperties: false,
      minProperties: 2,
    },
    `{"plan":"three","museums":"Oslo"}, doubtful: 'patternProperties' is not simulated`,
  ],
  ['arbitrary property names', { type: 'object', minProperties: 2 }, { plan: 'three', museums: 'Oslo' }],
  [
    'two patterns, the second more specific',
    { type: 'string', allOf: [{ pattern: '.' }, { pattern: '^ab+$' }] },
    'ab',
  ],
  [
    'a pattern with maxLength',
    { type: 'array', minItems: 4, items: { type: 'string', pattern: '^[a-z]{2,}$', maxLength: 2 } },
    ['lr', 'tr', 'xm', 'fn'],
  ],
  [
    'a pattern with a length range',
    { type: 'string', pattern: '^(ab)+$', minLength: 30, maxLength: 41 },
    'ababababababababababababababababababab',
  ],
  ['an unanchored pattern with minLength', { type: 'string', pattern: 'x', minLength: 12 }, 'xaaaaaaaaaaa'],
  ['two letters', { type: 'string', maxLength: 2 }, 'Pl'],
  ['four letters', { type: 'string', minLength: 4, maxLength: 4 }, 'Plan'],
  ['no letter', { type: 'string', maxLength: 0 }, ''],
  ['thirty letters', { type: 'string', minLength: 30, maxLength: 30 }, 'Plan Plan Plan Plan Plan Plans'],
  ['number, then integer', { allOf: [{ type: ['number', 'null'] }, { type: ['integer', 'string'] }] }, 64],
  ['integer, then number', { allOf: [{ type: ['integer', 'null'] }, { type: ['number', 'string'] }] }, 64],
  ['contradictory types', { allOf: [{ type: 'string' }, { type: 'number' }] }, 'rejected: no value matches'],
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
    'unique items with fewer values than minItems',
    { type: 'array', items: { enum: [1, 2] }, uniqueItems: true, minItems: 3 },
    'rejected: not enough different values for item 2',
  ],
  [
    'unique items with a single value',
    { type: 'array', prefixItems: [{ const: 1 }, { const: 1 }], items: { const: 1 }, uniqueItems: true },
    [1],
  ],
  ['a list with items: false', { type: 'array', items: false }, []],
  [
    'a list with minItems above maxItems',
    { type: 'array', minItems: 3, maxItems: 2 },
    'rejected: minItems is above maxItems',
  ],
  [
    'more required properties than maxProperties',
    { ...needs('a', text), required: ['a', 'b'], maxProperties: 1 },
    'rejected: more fields are required than allowed',
  ],
  ['a map', { type: 'object', additionalProperties: { type: 'integer' } }, { plan: 61, three: 90 }],
  [
    'a map with one entry',
    { type: 'object', additionalProperties: { type: 'integer' }, maxProperties: 1 },
    { plan: 61 },
  ],
  [
    'an unsatisfiable optional property',
    { type: 'object', properties: { a: never, b: { const: 1 } } },
    { b: 1 },
  ],
  [
    'an infinitely recursive optional property',
    { type: 'object', properties: { a: endless, b: { const: 1 } }, $defs },
    { b: 1 },
  ],
  [
    'an enum with matching values',
    { allOf: [{ enum: [1, 'a', 'bc', null] }, { type: 'string', minLength: 2 }] },
    'bc',
  ],
  [
    'an enum without matching values',
    { enum: [1, 2], type: 'string' },
    'rejected: none of the listed values is allowed',
  ],
  ['an enum in allOf', { allOf: [{ type: 'string' }, { enum: ['a', 'b', 1] }] }, 'b'],
  [
    'a recursive tree',
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
    'a linked list with several types',
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
    'a linked list with alternatives',
    {
      type: 'object',
      properties: { next: { anyOf: [{ $ref: '#' }, needs('x', text), text] } },
      required: ['next'],
    },
    { next: 'Plan' },
  ],
  [
    'an unsatisfiable optional second item',
    { type: 'array', prefixItems: [text, never], minItems: 1 },
    ['Plan'],
  ],
  ['as many required properties as maxProperties', { ...needs('a', text), maxProperties: 1 }, { a: 'Plan' }],
  [
    'one of two optional properties within maxProperties',
    {
      type: 'object',
      properties: { a: text, b: { const: 1 }, c: { const: 2 } },
      required: ['b'],
      maxProperties: 2,
    },
    { a: 'Plan', b: 1 },
  ],
  [
    'minProperties with unsatisfiable additional properties',
    { type: 'object', minProperties: 1, additionalProperties: never },
    '{}, doubtful: Must have at least 1 field',
  ],
  [
    'minProperties without additional properties',
    { type: 'object', minProperties: 1, additionalProperties: false },
    '{}, doubtful: Must have at least 1 field',
  ],
  [
    'multiples of 4 and 6',
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
    'exclusive bounds in one part of allOf',
    {
      allOf: [
        { type: 'integer', minimum: 3, maximum: 5 },
        { exclusiveMinimum: 3, exclusiveMaximum: 5 },
      ],
    },
    4,
  ],
  [
    'exclusive bounds outside those of another part of allOf',
    {
      allOf: [
        { type: 'integer', minimum: 3, maximum: 3 },
        { exclusiveMinimum: 1, exclusiveMaximum: 9 },
      ],
    },
    3,
  ],
  [
    'a pattern with a repeated group',
    { type: 'string', pattern: '^([ab]){3}c{2,3}?d?$', minLength: 7 },
    'abacccd',
  ],
  [
    'alternatives with one unsatisfiable branch',
    needs('a', { type: 'array', minItems: 6, items: { anyOf: [needs('b', never), needs('b', one)] } }),
    { a: Array(6).fill({ b: 1 }) },
  ],
  [
    'a backreference before its group',
    { type: 'string', pattern: '^\\1(a)$' },
    `"Plan", doubtful: the pattern '^\\1(a)$' is not simulated`,
  ],
  ['a range below one millionth', { type: 'number', minimum: 1e-7, maximum: 9e-7 }, 6.04e-7],
  [
    'a narrow range of small fractions',
    { type: 'number', minimum: 1.2345e-7, maximum: 1.2399e-7 },
    1.23791e-7,
  ],
  [
    'a single number that exclusiveMinimum excludes',
    { type: 'number', minimum: 5, maximum: 5, exclusiveMinimum: 5 },
    'rejected: no number is within the bounds',
  ],
  [
    'a single number that exclusiveMaximum excludes',
    { type: 'number', minimum: 5, maximum: 5, exclusiveMaximum: 5 },
    'rejected: no number is within the bounds',
  ],
  ['a narrow range above 100', { type: 'number', minimum: 100, maximum: 101 }, 100.63],
  [
    'an email address of exactly maxLength characters',
    { type: 'string', format: 'email', maxLength: 16 },
    'plan@example.com',
  ],
  [
    'an email address shortened to maxLength',
    { type: 'string', format: 'email', maxLength: 15 },
    'x@example.com',
  ],
  ['a duration', { type: 'array', minItems: 2, items: { format: 'duration' } }, ['PT18M', 'PT23M']],
  [
    'an IPv6 address',
    { type: 'array', minItems: 2, items: { format: 'ipv6' } },
    ['2001:db8::4c53', '2001:db8::60ab'],
  ],
  ['a step of zero', { type: 'integer', multipleOf: 0 }, 64],
  [
    'a single, inexact multiple of 0.1',
    { type: 'number', multipleOf: 0.1, minimum: 0.25, maximum: 0.35 },
    0.3,
  ],
  ['an exact multiple of 0.1', { type: 'number', multipleOf: 0.1, minimum: 0.55, maximum: 0.85 }, 0.8],
  ['multiples of 1e-100', { type: 'number', multipleOf: 1e-100, minimum: 1e-100, maximum: 5e-100 }, 4e-100],
  [
    'multiples with more than 100 decimals',
    { type: 'number', multipleOf: 1e-101, minimum: 1e-101, maximum: 5e-101 },
    '0, doubtful: Must be 1e-101 or more',
  ],
  ['a sixth alternative after five unsatisfiable ones', { anyOf: nthOf(6, 2) }, 1],
  [
    'a seventh alternative after six unsatisfiable ones',
    { anyOf: nthOf(7, 2) },
    'rejected: no value found in 12 attempts; the last one failed: minLength is above maxLength',
  ],
  [
    'a number that matches both alternatives of oneOf',
    { type: 'integer', oneOf: Array(2).fill({ minimum: 0, maximum: 50 }) },
    '32, doubtful: Matches 2 alternatives instead of one',
  ],
  [
    'optional fields that exclude each other',
    {
      type: 'object',
      properties: { a: { const: 1 }, b: { const: 2 } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    { b: 2 },
  ],
  [
    'nullable fields',
    {
      type: 'object',
      properties: Object.fromEntries(
        Array.from('abcdefgh', (name, index) => [
          name,
          { anyOf: [index % 2 ? { type: 'null' } : { const: null }, one] },
        ]),
      ),
    },
    { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1 },
  ],
  ['a wide range of numbers', { type: 'number', minimum: 0, maximum: 1002 }, 632],
  [
    'unique items',
    { type: 'array', items: { enum: [1, 2, 3, 4, 5, 6, 7] }, uniqueItems: true, minItems: 7 },
    [3, 2, 4, 7, 6, 1, 5],
  ],
  [
    'an optional property that exceeds a limit',
    { type: 'object', properties: { a: { type: 'string', minLength: 200_001 } } },
    {},
  ],
  [
    'a tree with two nullable branches',
    {
      type: 'object',
      properties: Object.fromEntries(
        Array.from('ab', (name) => [name, { anyOf: [{ $ref: '#' }, { type: 'null' }] }]),
      ),
      required: ['a', 'b'],
    },
    {
      a: { a: { a: null, b: null }, b: { a: null, b: null } },
      b: { a: { a: null, b: null }, b: { a: null, b: null } },
    },
  ],
  ['an empty pattern', { type: 'string', pattern: '' }, ''],
  [
    'a class without characters',
    { type: 'string', pattern: '[^\\s\\S]{2}' },
    '"", doubtful: Must match the pattern [^\\s\\S]{2}',
  ],
  [
    'an escape above the last character',
    { type: 'string', pattern: '^\\u{110000}$' },
    '"", doubtful: Must match the pattern ^\\u{110000}$',
  ],
  [
    'a long pattern with a lookahead',
    { type: 'string', pattern: `(?=${'a'.repeat(100)})` },
    `"Plan", doubtful: the pattern '(?=${'a'.repeat(97)}' is not simulated`,
  ],
  ['a type whose strings cannot match', { type: ['string', 'integer'], pattern: '^a$', minLength: 2 }, 67],
  [
    'more characters than the limit',
    { type: 'string', minLength: 200_001 },
    'rejected: more than 200000 characters',
  ],
])('generateValue: returns the expected value or error for %s', (name, schema, value) => {
  expect(outcome(schema)).toEqual(value)
  if (!/^rejected: |, doubtful: /.test(String(value)) && !unsupportedByAjv.test(name))
    expect(ajv.validate(schema as object, value), ajv.errorsText()).toBe(true)
})

it('generateValue: prefers letters and digits where a pattern allows punctuation, but uses both', () => {
  const text = String(outcome({ type: 'string', pattern: '^[a-z!?#]{200}$' }))
  const punctuation = text.replace(/[a-z]/g, '').length
  expect(punctuation).toBeGreaterThan(0)
  expect(punctuation).toBeLessThan(60)
})

it('generateValue: uses the smallest values once the value has a thousand parts', () => {
  const schema = {
    type: 'object',
    properties: {
      many: { type: 'array', minItems: 1000, items: { type: 'null' } },
      any: {},
      nothing: { type: ['string', 'null'] },
      word: { type: ['object', 'array', 'string'] },
      list: { type: ['integer', 'array'], minItems: 1 },
      branch: { anyOf: [{ type: 'array', minItems: 3 }, needs('a', text), { type: 'boolean' }] },
      first: { anyOf: [{ const: 1 }, { const: 2 }] },
      plain: { anyOf: [true, { allOf: [text] }, { type: ['object', 'boolean'] }] },
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
    first: 1,
    plain: false,
    object: { a: 'three' },
    map: {},
  })
})

it('generateValue: counts the whole value as a part, and each field and item', () => {
  const anyAfter = (minItems: number) => {
    const many = { type: 'array', minItems, items: { type: 'null' } }
    return (outcome({ type: 'object', properties: { many, any: {} } }) as { any: unknown }).any
  }
  expect([997, 998].map(anyAfter)).toEqual(['Plan', null])
})

it('generateValue: limits the total length of paths', () => {
  const withItems = (minItems: number) =>
    outcome(needs('a'.repeat(100_000), { type: 'array', minItems, items: { type: 'null' } }))
  expect(Object.values(withItems(48) as object)).toEqual([Array(48).fill(null)])
  expect(withItems(50)).toBe('rejected: more than 500000 steps to find a value')
})

it('generateValue: uses proposed lists, proposed numbers of items, and proposed property names', () => {
  const lists: Record<string, unknown> = { count: 3, list: [1, 2], invalid: ['x'], none: 0 }
  const items = { type: 'array', items: { type: 'integer' }, maxItems: 4 }
  const source: ValueSource = ({ path, type }) =>
    type === 'array' ? lists[String(path[0])] : type === 'string' ? 'Ab C ' : undefined
  const proposed = (schema: JsonSchema) => generateValue(schema, { seed: '1', source }).value
  expect(
    proposed({
      type: 'object',
      properties: Object.fromEntries(Object.keys(lists).map((name) => [name, items])),
    }),
  ).toEqual({ count: [43, 5, 17], list: [1, 2], invalid: [8], none: [] })
  expect(proposed({ type: 'object', minProperties: 3, additionalProperties: true })).toEqual({
    ab_c_: 'Ab C ',
    ab_c__2: 'Ab C ',
    ab_c__3: 'Ab C ',
  })
  expect([4, 5, 6].map((maxLength) => proposed({ type: 'string', maxLength }))).toEqual([
    'Ab C',
    'Ab C ',
    'Ab C ',
  ])
})

it.each<[format: string, least: string, greatest: string]>([
  ['date-time', '2025-01-01T00:00:00Z', '2025-12-28T23:59:59Z'],
  ['date', '2025-01-01', '2025-12-28'],
  ['time', '00:00:00Z', '23:59:59Z'],
  ['duration', 'PT1M', 'PT59M'],
  ['ipv4', '192.0.2.1', '192.0.2.254'],
  ['ipv6', '2001:db8::1', '2001:db8::fffe'],
])('textOfFormat: returns any %s from %s to %s', (format, least, greatest) => {
  const at = (drawn: number) => textOfFormat([{}, { format }], Infinity, '', () => drawn)
  expect([at(0), at(1 - 2 ** -32)]).toEqual([least, greatest])
})

it.each<[format: string, words: string, text: string | undefined]>([
  ['email', 'Plan three museums', 'plan-three-museums@example.com'],
  ['idn-email', '日本', 'something@example.com'],
  ['hostname', 'Zoë 2', 'zo-2.example.com'],
  ['idn-hostname', 'a', 'a.example.com'],
  ['uri', 'a'.repeat(41), `https://example.com/${'a'.repeat(40)}`],
  ['iri', 'a', 'https://example.com/a'],
  ['url', 'a', 'https://example.com/a'],
  ['uri-reference', 'a', '/a'],
  ['iri-reference', 'a', '/a'],
  ['json-pointer', 'a b', '/a-b'],
  ['byte', 'a', 'YQ=='],
  ['toString', 'a', undefined],
])('textOfFormat: returns a text of format %s with the words %j', (format, words, text) => {
  expect(textOfFormat([{ format }], Infinity, words, () => 0)).toBe(text)
})

it.each<[text: string, minLength: number, maxLength: number, fitted: string]>([
  ['ab ', 0, 3, 'ab '],
  ['ab c', 0, 3, 'ab'],
  ['ab c', 3, 3, 'abs'],
  ['abc', 3, 3, 'abc'],
  ['abc', 4, 9, 'abcs'],
  ['abc', 5, 9, 'abc s'],
  ['abc', 8, 9, 'abc abcs'],
  ['🌊🌊', 0, 1, '🌊'],
])('fitLength(%j, %i, %i) returns %j', (text, minLength, maxLength, fitted) => {
  expect(fitLength(text, minLength, maxLength)).toBe(fitted)
})

it("generateValue: uses the schema's examples if the source proposes them and they are valid", () => {
  const { seed, source } = options()
  const examples = (schema: unknown) =>
    generateValue(schema as JsonSchema, { seed, source: (place) => examplesOfSchema(place) ?? source(place) })
      .value
  const usual = generateValue({ type: 'integer', default: 7, example: 8 }, options()).value
  expect(usual).toBe(64)
  expect(
    [
      { type: 'integer', default: 7 },
      { type: 'integer', default: 7, example: 8 },
      { type: 'integer', default: 7, example: 8, examples: [9, 10] },
      { type: 'integer', examples: [] },
      { type: 'integer', default: '7' },
      { allOf: [{ type: 'integer' }, { default: 7 }] },
      { allOf: [{ type: 'integer' }, { example: 8 }] },
      { type: 'object', properties: { a: { const: 1, default: 2 }, b: { type: 'null', example: null } } },
    ].map(examples),
  ).toEqual([7, 8, 9, usual, usual, 7, 8, { a: 1, b: null }])
})

it('generateValue: calls the source once per value, with path, type and schemas', () => {
  const schema = {
    type: 'object',
    properties: {
      from: { type: 'string', maxLength: 3 },
      legs: { type: 'array', items: { type: 'integer', minimum: 7 } },
    },
    required: ['from', 'legs'],
  }
  const places: unknown[] = []
  const { value } = generateValue(schema, {
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

describe('budget of a generated value', () => {
  it.each<[message: string, most: number, spend: (budget: Budget, count: number) => void]>([
    ['more than 10000 parts', 10_000, (budget, count) => budget.spend('parts', count)],
    ['more than 200000 characters', 200_000, (budget, count) => budget.spend('characters', count)],
    ['more than 500000 steps to find a value', 500_000, (budget, count) => budget.step(count)],
    ['more than 400 levels', 400, deeper],
  ])('rejects %s', (message, most, spend) => {
    expect(() => spend(new Budget(), most)).not.toThrow()
    expect(() => spend(new Budget(), most + 1)).toThrow(new Exhausted(message))
  })

  it('counts only the current nesting depth', () => {
    const budget = new Budget()
    for (let time = 0; time < 3; time++) deeper(budget, 400)
  })
})

function deeper(budget: Budget, count: number): void {
  if (count > 0) budget.deeper(() => deeper(budget, count - 1))
}
