/**
 * Tests JSON Schema validation: each keyword's boundary values, with the exact problems of invalid values.
 */

import { describe, expect, it } from 'vitest'
import { problemsOf } from '../../src/model/json-schema/check.ts'
import type { JsonSchema } from '../../src/resources/json-schema.ts'

/** Formats problems as `a.0: Required (required)`. */
const problemLines = (schema: unknown, value: unknown) =>
  problemsOf(schema as JsonSchema, value).map(
    ({ path, message, rule }) => `${path.join('.')}: ${message} (${rule})`,
  )

type InvalidValue = [value: unknown, ...problems: string[]]
type Row = [schema: unknown, valid: unknown[], ...invalid: InvalidValue[]]

const type = (expected: string, received: string) =>
  `: Invalid input: expected ${expected}, received ${received} (invalid_type)`

const keywords: Record<string, Row[]> = {
  types: [
    [true, [1, null]],
    [false, [], [1, ': Unknown field (unrecognized_keys)']],
    [{ type: 'null' }, [null], [0, type('null', 'number')], [{}, type('null', 'object')]],
    [{ type: 'integer' }, [0, -1, 2.0], [1.5, type('integer', 'number')], ['1', type('integer', 'string')]],
    [{ type: 'number' }, [1.5, 2], [null, type('number', 'null')]],
    [{ type: 'boolean' }, [true, false], [0, type('boolean', 'number')]],
    [{ type: 'array' }, [[], [1]], [{}, type('array', 'object')]],
    [{ type: 'object' }, [{}], [[], type('object', 'array')], [null, type('object', 'null')]],
    [{ type: ['string', 'null'] }, ['', null], [1, type('string or null', 'number')]],
    [{ type: 7 }, [1, 'a']],
  ],
  'enum and const': [
    [
      { const: { a: 1, b: [2] } },
      [{ b: [2], a: 1 }],
      [{ a: 1 }, ': Invalid input: expected {"a":1,"b":[2]} (invalid_value)'],
    ],
    [{ const: null }, [null], [0, ': Invalid input: expected null (invalid_value)']],
    [{ enum: ['a', 1] }, ['a', 1], ['1', ': Invalid input: expected one of "a"|1 (invalid_value)']],
    [
      { enum: Array.from({ length: 21 }, (_, index) => index) },
      [0, 20],
      [
        21,
        `: Invalid input: expected one of ${Array.from({ length: 20 }, (_, index) => index).join('|')} (invalid_value)`,
      ],
    ],
    [{ enum: 'a' }, ['b']],
  ],
  numbers: [
    [{ minimum: 2 }, [2, 3, 'a'], [1.9, ': Must be 2 or more (too_small)']],
    [{ maximum: 2 }, [2, 1], [2.1, ': Must be at most 2 (too_big)']],
    [
      { exclusiveMinimum: 2 },
      [2.1],
      [2, ': Must be more than 2 (too_small)'],
      [1, ': Must be more than 2 (too_small)'],
    ],
    [
      { exclusiveMaximum: 2 },
      [1.9],
      [2, ': Must be less than 2 (too_big)'],
      [3, ': Must be less than 2 (too_big)'],
    ],
    [{ minimum: 2, exclusiveMinimum: true }, [2.1], [2, ': Must be more than 2 (too_small)']],
    [{ maximum: 2, exclusiveMaximum: true }, [1.9], [2, ': Must be less than 2 (too_big)']],
    [{ minimum: 2, exclusiveMinimum: 2 }, [3], [2, ': Must be more than 2 (too_small)']],
    [{ minimum: 3, exclusiveMinimum: 2 }, [3], [2.5, ': Must be 3 or more (too_small)']],
    [{ maximum: 2, exclusiveMaximum: 2 }, [1], [2, ': Must be less than 2 (too_big)']],
    [{ maximum: 1, exclusiveMaximum: 2 }, [1], [1.5, ': Must be at most 1 (too_big)']],
    [{ minimum: 2, multipleOf: 3 }, [3], [2, ': Must be a multiple of 3 (not_multiple_of)']],
    [{ maximum: 2, multipleOf: 3 }, [0], [2, ': Must be a multiple of 3 (not_multiple_of)']],
    [{ multipleOf: 3 }, [0, -6, 9], [4, ': Must be a multiple of 3 (not_multiple_of)']],
  ],
  strings: [
    [{ minLength: 2 }, ['ab', '🌊🌊', 1], ['🌊', ': Must have at least 2 characters (too_small)']],
    [{ maxLength: 2 }, ['ab', '🌊🌊'], ['abc', ': Must have at most 2 characters (too_big)']],
    [{ pattern: '^a+$' }, ['aa', 1], ['ab', ': Must match the pattern ^a+$ (pattern)']],
    [
      { minLength: 3, pattern: 'x', format: 'date' },
      ['2025-01-01'].filter(() => false),
      [
        'a',
        ': Must have at least 3 characters (too_small)',
        ': Invalid date (date)',
        ': Must match the pattern x (pattern)',
      ],
    ],
    [{ format: 'date', maxLength: 9 }, [], ['2025-01-01', ': Must have at most 9 characters (too_big)']],
    [{ minLength: 2, maxLength: 1 }, [], ['ab', ': Must have at most 1 character (too_big)']],
    [{ minLength: 2, maxLength: 2, pattern: 'x' }, ['ax'], ['ab', ': Must match the pattern x (pattern)']],
    [
      { pattern: '^[a-c]{1,2}$' },
      ['a', 'bc'],
      ['', ': Must match the pattern ^[a-c]{1,2}$ (pattern)'],
      ['abc', ': Must match the pattern ^[a-c]{1,2}$ (pattern)'],
    ],
    [{ format: 'unheard-of' }, ['any', '']],
  ],
  lists: [
    [{ minItems: 1 }, [[1], {}], [[], ': Must have at least 1 item (too_small)']],
    [{ maxItems: 1 }, [[1], []], [[1, 2], ': Must have at most 1 item (too_big)']],
    [
      { uniqueItems: true },
      [[1, '1', [1]], []],
      [[{ a: 1, b: 2 }, 3, { a: 1, b: 2 }], ': Items must be unique (unique)'],
    ],
    [{ uniqueItems: true, minItems: 3 }, [[1, 2, 3]], [[1, 2], ': Must have at least 3 items (too_small)']],
    [{ uniqueItems: false }, [[1, 1]]],
    [
      { items: { type: 'integer' } },
      [[1, 2], []],
      [[1, 'a', 2, 'b'], `1${type('integer', 'string')}`, `3${type('integer', 'string')}`],
    ],
    [{ items: false }, [[]], [[1], '0: Unknown field (unrecognized_keys)']],
    [
      { prefixItems: [{ type: 'string' }], items: { type: 'integer' } },
      [['a'], ['a', 1]],
      [[1, 'a'], `0${type('string', 'number')}`, `1${type('integer', 'string')}`],
    ],
    [
      { items: [{ type: 'string' }, 7], additionalItems: { type: 'null' } },
      [['a', 1, null]],
      [['a', 1, 2], `2${type('null', 'number')}`],
    ],
  ],
  objects: [
    [{ minProperties: 1 }, [{ a: 1 }, []], [{}, ': Must have at least 1 field (too_small)']],
    [{ maxProperties: 1 }, [{ a: 1 }], [{ a: 1, b: 2 }, ': Must have at most 1 field (too_big)']],
    [
      { required: ['a', 'b', 7] },
      [{ a: 1, b: undefined }],
      [{ b: 1 }, 'a: Required (required)'],
      [{}, 'a: Required (required)', 'b: Required (required)'],
    ],
    [
      { properties: { a: { type: 'string' }, b: false }, additionalProperties: false },
      [{}, { a: '' }],
      [
        { a: 1, b: 2, c: 3 },
        `a${type('string', 'number')}`,
        'b: Unknown field (unrecognized_keys)',
        'c: Unknown field (unrecognized_keys)',
      ],
    ],
    [{ additionalProperties: { type: 'null' } }, [{ a: null }], [{ a: 0 }, `a${type('null', 'number')}`]],
    [
      { properties: { a: 7 }, additionalProperties: false },
      [{}],
      [{ a: 1 }, 'a: Unknown field (unrecognized_keys)'],
    ],
    [{ properties: 7, additionalProperties: [], required: 'a' }, [{ a: 1 }]],
  ],
  'allOf, anyOf, oneOf': [
    [
      { allOf: [{ minimum: 1 }, { maximum: 3 }] },
      [1, 3],
      [0, ': Must be 1 or more (too_small)'],
      [4, ': Must be at most 3 (too_big)'],
    ],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, ['a', null], [1, type('string or null', 'number')]],
    [{ anyOf: [{ type: 'string' }, { minimum: 3 }] }, ['a', 3], [1, ': Must be 3 or more (too_small)']],
    [
      { oneOf: [{ minimum: 3 }, { maximum: 5 }] },
      [2, 6],
      [4, ': Matches 2 alternatives instead of one (one_of)'],
    ],
    [
      { oneOf: [{ type: 'integer', minimum: 5 }, { type: 'integer', maximum: 1 }, { type: 'string' }] },
      [5, 1, 'a'],
      [3, ': Must be 5 or more (too_small)'],
    ],
    [
      {
        anyOf: [
          { properties: { kind: { const: 'a' }, n: { type: 'integer' } } },
          { properties: { kind: { const: 'b' }, m: { type: 'integer' }, o: { type: 'integer' } } },
        ],
      },
      [{ kind: 'a', n: 1 }, { kind: 'b' }],
      [{ kind: 'b', m: '', o: '' }, `m${type('integer', 'string')}`, `o${type('integer', 'string')}`],
      [{ kind: 'a', n: '', m: '' }, `n${type('integer', 'string')}`],
    ],
    [{ anyOf: [{ required: ['a', 'b'] }, { required: ['c'] }] }, [{ c: 1 }], [{}, 'c: Required (required)']],
    [{ anyOf: [{ required: ['a'] }] }, [{ a: 1 }, 1], [{}, 'a: Required (required)']],
    [{ oneOf: [{ type: 'string' }] }, ['a'], [1, type('string', 'number')]],
    [{ anyOf: [{ type: 'string' }, { required: ['a'] }] }, ['a', 1], [{}, 'a: Required (required)']],
    [{ anyOf: [], oneOf: 7, allOf: [7] }, [1]],
  ],
  'ignored keywords': [
    [{ not: { const: 1 }, contains: { const: 1 }, propertyNames: { maxLength: 1 } }, [1, [2], { abc: 1 }]],
    [
      { dependentRequired: { a: ['b'] }, dependentSchemas: { a: false }, dependencies: { a: false } },
      [{ a: 1 }],
    ],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    [{ if: true, then: false, else: false, unevaluatedProperties: false }, [{ a: 1 }]],
    [{ patternProperties: { '^a': false }, additionalProperties: false }, [{ a: 1 }, { b: 1 }]],
    [{ type: 'array', unevaluatedItems: false, $dynamicRef: '#none', $recursiveRef: '#none' }, [[1]]],
    [{ pattern: '^(.)\\1$' }, ['ab']],
  ],
  references: [
    [{ $ref: '#' }, [1]],
    [{ anyOf: [{ $ref: '#' }, { type: 'string' }] }, ['a']],
    [
      { $ref: '#/$defs/a~1b~0%20c', $defs: { 'a/b~ c': { type: 'null' } } },
      [null],
      [1, type('null', 'number')],
    ],
    [{ $ref: '#/$defs/%zz', $defs: { '%zz': { type: 'null' } } }, [null], [1, type('null', 'number')]],
    [
      { allOf: [1, { $ref: '#/allOf/2' }, { type: 'null' }] },
      [null],
      [1, type('null', 'number'), type('null', 'number')],
    ],
    [
      { properties: { next: { $ref: '#' } }, additionalProperties: false },
      [{}, { next: { next: {} } }],
      [{ next: { next: { a: 1 } } }, 'next.next.a: Unknown field (unrecognized_keys)'],
    ],
  ],
}

describe.each(Object.entries(keywords))('problemsOf: %s', (_, rows) => {
  it.each(rows)('validates %j', (schema, valid, ...invalid) => {
    for (const value of valid) expect(problemLines(schema, value), JSON.stringify(value)).toEqual([])
    for (const [value, ...problems] of invalid)
      expect(problemLines(schema, value), JSON.stringify(value)).toEqual(problems)
  })
})

describe('problemsOf: unresolvable references', () => {
  it.each([
    '#/$defs/none',
    '#/$defs/a/b',
    '#/$defs/a/type',
    '#none',
    'other',
    '#/$defs/toString',
    '#/__proto__',
    '#/$defs/nothing/at/all',
  ])('throws for %s', ($ref) => {
    const schema = { $ref, $defs: { a: { type: 'null' }, nothing: null } }
    expect(() => problemsOf(schema, 1)).toThrow(
      expect.objectContaining({
        name: 'LostReference',
        reference: $ref,
        message: `the reference '${$ref}' cannot be resolved`,
      }),
    )
  })
})

describe('problemsOf: running time', () => {
  const problems = (schema: unknown, value: unknown) => problemLines(schema, value).length

  it('is linear for patterns and references that would otherwise take exponential time', () => {
    expect(problems({ pattern: '^(a+)+b$' }, 'a'.repeat(40))).toBe(1)
    const levels = Array.from({ length: 30 }, (_, level) => {
      const next = level === 29 ? { const: 1 } : { $ref: `#/$defs/d${level + 1}` }
      return [`d${level}`, { anyOf: [next, next], allOf: [next, next], oneOf: [next, false] }]
    })
    const schema = { $ref: '#/$defs/d0', $defs: Object.fromEntries(levels) }
    expect(problems(schema, 1)).toBe(0)
    expect(problems(schema, 2)).toBe(20)
  })

  it('is linear for patterns and enums used by many values', () => {
    const pattern = `^${'[a-z]?'.repeat(60)}$`
    expect(problems({ items: { pattern } }, [...Array(500).fill('abc'), '1'])).toBe(1)
    const listed = Array.from({ length: 3000 }, (_, index) => `code-${index}`)
    expect(problems({ items: { enum: listed } }, [...Array(300).fill('code-7'), '1'])).toBe(1)
  })

  it('is limited by a budget, after which no problems are reported', () => {
    const branches = Array(1000).fill(false)
    expect(problems({ items: { anyOf: branches } }, Array(300).fill({}))).toBe(20)
    expect(problems({ items: { anyOf: branches } }, Array(600).fill({}))).toBe(0)
    const listed = Array.from({ length: 4000 }, (_, index) => ({ index }))
    expect(problems({ items: { enum: listed } }, Array(1300).fill({}))).toBe(0)
    const many = Array.from({ length: 60_000 }, (_, index) => index)
    expect(problems({ enum: many }, -1)).toBe(1)
    expect(problems({ pattern: `${'a'.repeat(101)}b` }, 'a'.repeat(5000))).toBe(0)
  })
})

describe('problemsOf: formats', () => {
  it.each<[format: string, valid: string[], invalid: string[]]>([
    [
      'date',
      ['2025-01-01', '2025-12-31'],
      ['2025-13-01', '2025-00-01', '2025-01-32', '2025-1-1', '2025-01-01T', 'x2025-01-01'],
    ],
    ['time', ['00:00:00Z', '23:59:59.5+02:00'], ['24:00:00Z', '23:60:00Z', '23:59:59', 'x00:00:00Z']],
    [
      'date-time',
      ['2025-01-01T00:00:00Z', '2025-01-01t00:00:00z', '2025-01-01T00:00:00+01:00'],
      ['2025-01-01', '2025-01-01 00:00:00Z'],
    ],
    ['duration', ['P1Y', 'PT5M', 'P1DT1S'], ['P', 'PT', '1D']],
    ['email', ['a@b', 'a@b.c', 'a.b@c-d.example'], ['a@', 'a b@c.d', '@b.c']],
    ['hostname', ['a', 'a-b.c'], ['-a', 'a-', 'a..b', '']],
    ['ipv4', ['0.0.0.0', '255.255.255.255'], ['256.0.0.1', '1.2.3', '1.2.3.4.5']],
    ['ipv6', ['::1', '2001:db8::ff'], ['1', 'g::1']],
    ['uri', ['https://a.b', 'urn:x'], ['a', '/a', 'https://a b']],
    [
      'uuid',
      ['0b0e0f0a-1111-4222-8333-444455556666'],
      ['0b0e0f0a-1111-4222-8333-44445555666', '0b0e0f0a11114222833344445555666'],
    ],
    ['uri', [`a:${'b'.repeat(498)}`], [`a:${'b'.repeat(499)}`]],
  ])('validates %s', (format, valid, invalid) => {
    for (const text of valid) expect(problemLines({ format }, text), text).toEqual([])
    for (const text of invalid)
      expect(problemLines({ format }, text), text).toEqual([`: Invalid ${format} (${format})`])
  })
})
