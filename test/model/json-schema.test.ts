/**
 * Tests values generated for strict, large, unsatisfiable and malicious JSON schemas with independent
 * validators.
 */

import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { loadFakeValue } from '../../src/model/structured.ts'
import type { JsonSchema } from '../../src/resources/json-schema.ts'
import { cases } from '../suite-size.ts'
import { anySchema } from '../tools/soak/schemas.ts'

const fakeValue = await loadFakeValue()
const source = { path: 'body.text.format.schema', subject: 'Plan three museums in Oslo', seed: '1' }
const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)

interface Outcome {
  value?: unknown
  warnings?: string[]
  rejection?: string
}

/**
 * Returns the generated value with its warnings, or the reason for a 400. Without warnings, the value must be
 * valid.
 */
function outcome(schema: JsonSchema, seed = '1'): Outcome {
  try {
    const warnings: string[] = []
    const value = fakeValue(schema, { ...source, seed, warn: (message) => warnings.push(message) })
    if (warnings.length === 0) expect(ajv.validate(schema as object, value), ajv.errorsText()).toBe(true)
    return { value, warnings }
  } catch (error) {
    const { status, metadata } = error as {
      status?: number
      metadata?: { violations: [{ message: string }] }
    }
    if (status !== 400 || !metadata) throw error
    return { rejection: metadata.violations[0].message }
  }
}

const nested = (levels: number, wrap: (inner: object) => object) =>
  Array.from({ length: levels }).reduce<object>(wrap, { type: 'string' })
const tree = (more: object) => ({
  type: 'object',
  properties: Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { $ref: '#' }])),
  ...more,
})

describe('schemas that could hang the server', () => {
  it.each<[string, object]>([
    [
      'thousands of literals that repeat in each item',
      { type: 'array', minItems: 9000, items: { type: 'string', default: 'x'.repeat(1_000_000) } },
    ],
    [
      'many unique items to compare',
      { type: 'array', uniqueItems: true, default: Array.from({ length: 50_000 }, (_, index) => index) },
    ],
    [
      'many objects to compare with each item',
      {
        type: 'array',
        minItems: 9000,
        items: { enum: Array.from({ length: 1000 }, (_, index) => ({ index })) },
      },
    ],
    ['5,000 levels of items', nested(5000, (items) => ({ type: 'array', minItems: 1, items }))],
    ['5,000 levels of allOf', nested(5000, (inner) => ({ allOf: [inner] }))],
    ['a long text for a pattern', { type: 'string', pattern: 'a.*b.*c$', default: 'a'.repeat(1_000_000) }],
    ['a repetition of 1e8', { type: 'string', pattern: 'a{100000000}' }],
    ['a repetition of nothing', { type: 'string', pattern: '^(){1000000000}$' }],
    ['a long minimum for a pattern', { type: 'string', pattern: 'a.*b$', minLength: 100_000 }],
    ['a reference to itself', { $ref: '#' }],
    ['alternatives that lead back to the schema', { anyOf: [{ type: 'string' }, { $ref: '#' }] }],
    ['a minLength of 1e9', { type: 'string', minLength: 1e9 }],
    ['a minItems of 1e8', { type: 'array', minItems: 1e8 }],
    [
      'definitions that double forty times',
      {
        $ref: '#/$defs/d0',
        $defs: Object.fromEntries(
          Array.from({ length: 41 }, (_, level) => [
            `d${level}`,
            level === 40
              ? { type: 'null' }
              : { type: 'array', minItems: 2, items: { $ref: `#/$defs/d${level + 1}` } },
          ]),
        ),
      },
    ],
    [
      'alternatives that all fail, thirty levels deep',
      {
        $ref: '#/$defs/d0',
        $defs: Object.fromEntries(
          Array.from({ length: 31 }, (_, level) => {
            const next = level === 30 ? { const: 1 } : { $ref: `#/$defs/d${level + 1}` }
            return [`d${level}`, { type: 'string', anyOf: [next, next] }]
          }),
        ),
      },
    ],
    [
      'types repeated at each level',
      Array.from({ length: 8 }).reduce<object>(
        (inner) => ({ type: Array(9).fill('object'), properties: { a: inner }, required: ['a'] }),
        { type: 'string', minLength: 2, maxLength: 1 },
      ),
    ],
  ])('are rejected with a reason: %s', (_, schema) => {
    const { rejection } = outcome(schema as JsonSchema)
    expect(rejection).toMatch(/exceeds the limits: |No value can be generated for this schema: /)
  })

  it.each(['^(a+)+b$', `^${'a?'.repeat(600)}$`])(
    'yield a value and a warning if the pattern is too expensive: %s',
    (pattern) => {
      const { warnings } = outcome({ type: 'string', pattern })
      expect(warnings).toEqual([
        expect.stringMatching(/might not match its schema: the pattern '.*' is not simulated/),
      ])
    },
  )

  it('yield the smallest value if they reference themselves several times in optional places', () => {
    expect(JSON.stringify(outcome(tree({})).value).length).toBeLessThan(500)
    const next = { anyOf: [{ $ref: '#' }, { type: 'null' }] }
    const names = ['a', 'b', 'c', 'd', 'e']
    const strict = {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, next])),
      required: names,
      additionalProperties: false,
    }
    expect(JSON.stringify(outcome(strict).value).length).toBeLessThan(20_000)
    expect(JSON.stringify(outcome({ type: 'array', items: { $ref: '#' } }).value)).toMatch(/^[[\],]+$/)
  })

  it('are rejected if every value would be infinitely nested', () => {
    expect(outcome(tree({ required: ['a', 'b', 'c'] }))).toEqual({
      rejection: 'No value can be generated for this schema: /a/a: every value would be infinitely nested',
    })
  })
})

describe('large realistic schemas', () => {
  it('yield a value with 200 fields, an enum of 3,000 values, 300 items and 5,000 characters', () => {
    const fields = Array.from({ length: 200 }, (_, index) => `field_${index}`)
    const { value } = outcome({
      type: 'object',
      properties: {
        ...Object.fromEntries(fields.map((name) => [name, { type: 'string', minLength: 1 }])),
        code: { enum: Array.from({ length: 3000 }, (_, index) => `code-${index}`) },
        list: { type: 'array', minItems: 300, items: { type: 'integer' } },
        text: { type: 'string', minLength: 5000 },
      },
      required: fields,
    })
    expect(Object.keys(value as object)).toHaveLength(203)
  })
})

describe('anyOf', () => {
  const impossible = { type: 'string', minLength: 5, maxLength: 2 }

  it('uses another branch if no value matches the chosen or smallest branch', () => {
    const list = { type: 'array', minItems: 2, items: { const: 1 } }
    const properties = Object.fromEntries(
      Array.from('abcdefghij', (name) => [name, { anyOf: [impossible, list] }]),
    )
    const { value } = outcome({ type: 'object', properties, required: Object.keys(properties) })
    expect(Object.values(value as object).every(Array.isArray)).toBe(true)
  })
})

describe('arbitrary schemas', () => {
  it('yield a value that an independent validator accepts, a value with a warning, or a 400', () => {
    let validValues = 0
    fc.assert(
      fc.property(anySchema, (schema) => {
        try {
          if (outcome(schema).warnings?.length === 0) validValues++
        } catch (error) {
          // The validator overflows the stack if references never end.
          if (!(error instanceof RangeError)) throw error
        }
      }),
      { numRuns: cases(12, 2000), seed: 13 },
    )
    expect(validValues).toBeGreaterThan(2)
  })
})

const origin = { ...source, warn: (message: string) => expect.fail(message) }

/** Returns a strict schema: every property is required, and no others are allowed. */
const strict = (properties: Record<string, unknown>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

const leaf = fc.constantFrom<object>(
  { type: 'string' },
  { type: 'string', description: 'A name.' },
  { type: 'string', enum: ['low', 'high'] },
  { type: 'string', minLength: 3, maxLength: 9 },
  { type: 'string', pattern: '^[A-Z]{2}-[0-9]{4}$' },
  { type: 'string', format: 'date-time' },
  { type: 'string', format: 'date' },
  { type: 'string', format: 'email' },
  { type: 'string', format: 'uuid' },
  { type: 'string', format: 'ipv4' },
  { type: 'string', format: 'duration' },
  { type: 'string', format: 'uri' },
  { type: 'string', const: 'fixed' },
  { type: 'integer', minimum: 1, maximum: 5 },
  { type: 'number', exclusiveMinimum: 0, maximum: 1 },
  { type: 'boolean' },
  { type: ['string', 'null'] },
  { anyOf: [{ type: 'integer' }, { type: 'null' }] },
  { $ref: '#/$defs/money' },
)
const node = fc.letrec<{ any: object; object: object; array: object }>((tie) => ({
  any: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, tie('object'), tie('array')),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('any'), { minKeys: 1 }).map(strict),
  array: fc
    .tuple(tie('any'), fc.constantFrom({}, { minItems: 2 }, { minItems: 1, maxItems: 3 }))
    .map(([items, limits]) => ({ type: 'array', items, ...limits })),
}))
const $defs = {
  money: strict({
    amount: { type: 'number', minimum: 0 },
    currency: { type: 'string', enum: ['EUR', 'SEK'] },
  }),
}

describe('fakeValue', () => {
  it('returns a valid value for arbitrary strict schemas', async () => {
    await fc.assert(
      fc.asyncProperty(node.object, fc.string(), async (root, seed) => {
        const schema = { ...root, $defs } as JsonSchema
        const value = fakeValue(schema, { ...origin, seed })
        // Validates with zod, independently of the code under test.
        const result = z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema).safeParse(value)
        expect(result.error?.issues ?? []).toEqual([])
      }),
      { numRuns: cases(12, 1000) },
    )
  })

  it('returns plausible numbers, even if the schema allows all safe integers', async () => {
    const schema = z.toJSONSchema(z.object({ minutes: z.int().nonnegative() })) as JsonSchema
    const { minutes } = fakeValue(schema, origin) as { minutes: number }
    expect(minutes).toBeGreaterThanOrEqual(0)
    expect(minutes).toBeLessThan(10_000)
  })

  it('returns small integers without bounds, and larger ones only if the schema rejects those', () => {
    const counts = { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 50 }
    const distinct = { type: 'array', items: { type: 'integer' }, uniqueItems: true, minItems: 8 }
    const values = Object.values(fakeValue(counts, origin) as object)
    expect([...new Set(values)].sort()).toEqual([1, 2, 3, 4, 5])
    expect(new Set(fakeValue(distinct, origin) as number[]).size).toBe(8)
  })

  it.each<[string, days: string, stops: string, contact: string]>([
    ["Anthropic's SDK", 'Long.\n\n{minimum: 60, maximum: 62}', '{minItems: 4}', '{format: "email"}'],
    ['the AI SDK', 'Long.\nminimum: 60; exclusive maximum: 63.', 'min items: 4.', 'format: email.'],
    [
      'Mastra',
      'greater than 59, lower than or equal to 62',
      'minimum length 4',
      'constraints: a valid email',
    ],
  ])('follows constraints that %s moves to descriptions', (_, days, stops, contact) => {
    const schema = strict({
      days: { type: 'integer', description: days },
      stops: { type: 'array', items: { type: 'string' }, description: stops },
      contact: { type: 'string', description: contact },
      // Descriptions that the schema contradicts, or that are not about the value.
      seats: { type: 'integer', maximum: 5, description: 'minimum: 9, a valid number, not greater than 3' },
    })
    const value = fakeValue(schema, origin) as { days: number; stops: string[]; contact: string }
    expect([60, 61, 62]).toContain(value.days)
    expect(value.stops.length).toBeGreaterThan(3)
    expect(value.contact).toMatch(/@example\.com$/)
    expect(ajv.validate(schema, value)).toBe(true)
  })

  it('returns the same value for the same seed, and a different value for a different seed', async () => {
    const schema = { type: 'array', items: { type: 'integer' }, minItems: 3 }
    const value = fakeValue(schema, origin)
    expect(fakeValue(schema, origin)).toEqual(value)
    expect(fakeValue(schema, { ...origin, seed: '2' })).not.toEqual(value)
  })

  it('uses words from the question for unconstrained strings', async () => {
    const schema = strict({ title: { type: 'string' }, code: { type: 'string', pattern: '^x$' } })
    expect(fakeValue(schema, origin)).toEqual({ title: 'Plan', code: 'x' })
  })

  it('does not modify the schema', async () => {
    const schema = { $ref: '#/definitions/a', definitions: { a: { type: 'string' } } }
    const before = structuredClone(schema)
    fakeValue(schema, origin)
    expect(schema).toEqual(before)
  })
})

describe('fakeValue: unusual and invalid schemas', () => {
  it.each<[name: string, schema: object, value: unknown]>([
    [
      'required in another part of allOf',
      {
        $defs: { base: { type: 'object', properties: { unit: { enum: ['c'] } } } },
        allOf: [{ $ref: '#/$defs/base' }, { type: 'object', required: ['city', 'unit'], maxProperties: 2 }],
      },
      { unit: 'c', city: expect.any(String) },
    ],
    [
      'names that every object has',
      strict({ constructor: { type: 'string' }, toString: { const: 1 }, hasOwnProperty: { type: 'null' } }),
      { constructor: 'Plan', toString: 1, hasOwnProperty: null },
    ],
    [
      'a property named __proto__',
      JSON.parse('{"type":"object","properties":{"__proto__":{"const":1}},"required":["__proto__"]}'),
      JSON.parse('{"__proto__":1}'),
    ],
    ['unique items', { items: { enum: [1, 2, 3] }, uniqueItems: true, minItems: 3 }, [1, 2, 3]],
    ['contains', { items: { type: 'string' }, contains: { const: 'z' }, minItems: 2 }, ['z', 'Plan']],
    ['not', { oneOf: [{ type: 'string' }, { type: 'null' }], not: { type: 'string' } }, null],
    [
      'pattern properties only',
      { patternProperties: { '^x{2}$': { const: 1 } }, additionalProperties: false, minProperties: 1 },
      { xx: 1 },
    ],
    [
      'optional fields that exclude each other',
      { properties: { a: { const: 1 }, b: { const: 2 } }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      { b: 2 },
    ],
    ['a default', { type: 'integer', default: 7 }, 7],
    ['an example before a default', { type: 'integer', default: 7, examples: [9, 10] }, 9],
    ['a default that the schema rejects', { type: 'integer', default: 'x', maximum: 5, minimum: 5 }, 5],
    ['items of older drafts', { items: [{ const: 1 }], additionalItems: false }, [1]],
    ['keywords of the wrong type', { type: 'boolean', required: 'a', properties: 7, enum: 'x' }, true],
    [
      'multiples',
      {
        allOf: [
          { type: 'integer', multipleOf: 4, minimum: 1 },
          { multipleOf: 6, maximum: 20 },
        ],
      },
      12,
    ],
    ['a hyphen after a class', { type: 'string', pattern: '^[\\w-.]{0}$' }, ''],
    [
      'an email address',
      { type: 'string', pattern: z.regexes.email.source, minLength: 20, maxLength: 99 },
      expect.any(String),
    ],
    ['a pattern with a length', { type: 'string', pattern: '^(ab)+$', minLength: 5, maxLength: 6 }, 'ababab'],
  ])('satisfies %s', (_, schema, value) => {
    const warnings: string[] = []
    expect(fakeValue(schema as JsonSchema, { ...source, warn: (message) => warnings.push(message) })).toEqual(
      value,
    )
    expect(warnings).toEqual([])
  })

  const integer = { type: 'integer' }
  const when = (test: object, then: object, otherwise = {}) => ({ if: test, then, else: otherwise })
  const kind = { kind: { enum: ['a', 'b', 'c'] } }
  const forKind = (value: string) =>
    when({ properties: { kind: { const: value } } }, { properties: { [value]: integer }, required: [value] })
  const step = strict({ text: { type: 'string' }, parts: { type: 'array', items: { $ref: '#/$defs/part' } } })
  const folder = strict({ files: { $ref: '#/$defs/files' } })
  it.each<object>([
    strict({ value: { type: 'number' }, next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }),
    {
      $ref: '#/$defs/folder',
      $defs: { folder, files: strict({ all: { type: 'array', items: { $ref: '#/$defs/folder' } } }) },
    },
    {
      $ref: '#/$defs/plan',
      $defs: {
        plan: strict({ first: { $ref: '#/$defs/step' } }),
        step,
        part: { $ref: '#/$defs/end' },
        end: strict({ n: integer }),
      },
    },
    { anyOf: ['x', 'y'].map((kind) => strict({ kind: { const: kind }, [kind]: { type: 'string' } })) },
    { allOf: [strict({ a: integer }), { type: 'object', required: ['a'] }] },
    { type: 'string', format: 'duration' },
    { uniqueItems: true, minItems: 100, items: { ...integer, minimum: 1, maximum: 100 } },
    { uniqueItems: true, minItems: 3, items: { type: 'string', default: 'x' } },
    { uniqueItems: true, minItems: 4, items: strict({ a: { enum: [1, 2] }, b: { enum: [1, 2] } }) },
    { type: 'object', properties: kind, required: ['kind'], allOf: ['a', 'b', 'c'].map(forKind) },
    { ...integer, ...when({ minimum: 20 }, { multipleOf: 7 }, { multipleOf: 3 }) },
    { required: ['a'], dependentRequired: { a: ['b'], b: ['c'] } },
    { required: ['a'], dependentSchemas: { a: strict({ a: integer, b: integer }) } },
    { required: ['a'], dependencies: { a: ['b'], b: { required: ['c'] } } },
    { type: 'array', prefixItems: [integer, { type: 'string' }], items: { type: 'null' }, minItems: 4 },
    { type: 'array', prefixItems: [integer], contains: { const: 'x' } },
    { type: 'array', items: integer, contains: { const: 5 }, minContains: 3 },
    { items: { enum: [5, 6] }, contains: { const: 5 }, maxContains: 1, minItems: 4 },
    { allOf: [{ contains: { const: 1 } }, { contains: { const: 2 } }] },
    { not: { type: 'string' } },
    { ...integer, minimum: 0, maximum: 3, not: { multipleOf: 2 } },
    { ...strict({ a: integer, b: integer }), required: [], not: { required: ['a', 'b'] } },
    {
      type: 'object',
      patternProperties: { '^[ab]$': integer },
      additionalProperties: false,
      minProperties: 2,
    },
    { type: 'object', propertyNames: { enum: ['a', 'b', 'c'] }, minProperties: 3 },
    { type: 'string', format: 'json-pointer' },
  ])('gets a valid value: %j', (schema) => {
    for (let seed = 0; seed < 8; seed++)
      expect(outcome(schema as JsonSchema, String(seed))).toMatchObject({ warnings: [] })
  })

  it.each<[schema: object, reason: string]>([
    [strict({ a: { type: 'string', minLength: 5, maxLength: 2 } }), '/a: minLength is above maxLength'],
    [{ type: 'string', pattern: '(' }, 'Invalid regular expression: /(/: Unterminated group'],
    [{ $ref: '#/$defs/none' }, "the reference '#/$defs/none' cannot be resolved"],
    [{ $ref: '#/$defs/toString', $defs: {} }, "the reference '#/$defs/toString' cannot be resolved"],
    [{ $ref: '#/$defs/%ff' }, "the reference '#/$defs/%ff' cannot be resolved"],
    [
      { $ref: '#name', $defs: { text: { $anchor: 'name' } } },
      "the reference '#name' cannot be resolved, because $anchor and $id are not supported: refer to '#/$defs/…'",
    ],
    [{ items: { $dynamicRef: '#node' } }, '$dynamicRef is not supported: use $ref'],
    [{ enum: [1, 2], type: 'string' }, 'enum: no value is allowed'],
    [
      { type: 'integer', minimum: 4, maximum: 5, multipleOf: 3 },
      'minimum, maximum, multipleOf: no number is within the bounds',
    ],
    [
      { items: { enum: [1, 2] }, uniqueItems: true, minItems: 3 },
      'uniqueItems: not enough different values for item 2',
    ],
    [{ allOf: [{ type: 'string' }, { type: 'number' }] }, 'type: the schemas allow different types'],
    [
      { ...strict({ a: {} }), minProperties: 2 },
      'minProperties: Instance does not have at least 2 properties.',
    ],
    [{ ...strict({ a: {} }), required: ['b'] }, '/b: a schema is false, such as additionalProperties'],
    [
      { contains: {}, maxItems: 0 },
      'contains: Array is empty. It must contain at least one item matching the schema.',
    ],
    [{ not: {} }, 'not: Instance matched "not" schema.'],
    [{ oneOf: [{}, true] }, 'oneOf: Instance does not match exactly one subschema (2 matches).'],
    [strict({ a: { format: 'uuid', maxLength: 9 } }), 'a: format: String does not match format "uuid".'],
  ])('rejects %j', (schema, reason) => {
    expect(outcome(schema as JsonSchema)).toEqual({
      rejection: `No value can be generated for this schema: ${reason}`,
    })
  })

  it.each([new TypeError('a bug'), new RangeError('a bug')])(
    'throws other errors, which are bugs: %s',
    (bug) => {
      const warn = () => {
        throw bug
      }
      expect(() => fakeValue({ pattern: '(a)\\1' }, { ...origin, warn })).toThrow(bug)
    },
  )
})

describe('fakeValue: links', () => {
  const text = { type: 'string' }
  it.each<[name: string, schema: JsonSchema, links: string[], value: unknown]>([
    [
      'the first free-form string with room, at any depth',
      strict({ a: { const: 'aaa' }, b: { type: 'string', maxLength: 9 }, d: strict({ e: text }), f: text }),
      ['[1](u)', '[2](u)'],
      { a: 'aaa', b: 'Plan', d: { e: 'three [1](u) [2](u)' }, f: 'museums' },
    ],
    [
      'no string if none has room',
      strict({ a: { type: 'string', maxLength: 9 } }),
      ['[1](u)'],
      { a: 'Plan' },
    ],
    ['a single string', text, ['[1](u)', '[2](u)'], 'Plan [1](u) [2](u)'],
    [
      'no name',
      { type: 'object', propertyNames: { maxLength: 9 }, minProperties: 1 },
      ['(u)'],
      { Plan: 'three (u)' },
    ],
  ])('are added to %s', (_, schema, links, value) => {
    expect(fakeValue(schema, { ...origin, links })).toEqual(value)
  })
})

describe('fields with well-known names', () => {
  it('get values that suit their name, format and limits', () => {
    const text = { type: 'string' }
    const schema = strict({
      title: text,
      candidate: { type: 'string', description: 'not a date' },
      departureCity: text,
      contact_email: text,
      created_at: text,
      when: { type: 'string', format: 'date' },
      age: { type: 'integer' },
      rating: { type: 'integer', minimum: 9 },
      website: { type: 'string', maxLength: 8 },
    })
    const value = fakeValue(schema, origin) as Record<string, string>
    expect(value).toMatchObject({
      title: 'Plan',
      candidate: 'three',
      departureCity: expect.stringMatching(/^[A-Z][a-z]+/),
      contact_email: expect.stringMatching(/^\w+@example\.com$/),
      when: expect.stringMatching(/^2025-\d\d-\d\d$/),
      website: 'https://',
    })
    expect(Date.parse(value['created_at'] ?? '')).toBeGreaterThan(Date.UTC(2025))
    expect(Number(value['age'])).toBeLessThan(81)
    expect(Number(value['rating'])).toBeGreaterThan(8)
    expect(fakeValue(schema, origin)).toEqual(value)
  })
})
