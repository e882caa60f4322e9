/**
 * Values for schemas that are large, impossible, or meant to do harm: bounded by what is counted, and valid by an
 * independent validator.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { Budget } from '../../src/model/json-schema/budget.ts'
import { matchesPattern, parsePattern } from '../../src/model/json-schema/pattern.ts'
import type { JsonSchema } from '../../src/model/json-schema/schema.ts'
import { fakeValue } from '../../src/model/structured.ts'
import { anySchema } from '../abuse/any-schema.ts'
import { cases } from '../whole.ts'

const source = { path: 'body.text.format.schema', subject: 'Plan three museums in Oslo', seed: '1' }
const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)

/** The value, which the schema accepts, or the reason why there is none. */
function outcome(schema: JsonSchema): { value?: unknown; refusal?: string } {
  try {
    const value = fakeValue(schema, source)
    expect(ajv.validate(schema as object, value), ajv.errorsText()).toBe(true)
    return { value }
  } catch (error) {
    const { status, metadata } = error as {
      status?: number
      metadata?: { violations: [{ message: string }] }
    }
    if (status !== 400 || !metadata) throw error
    return { refusal: metadata.violations[0].message }
  }
}

const tooMuch = expect.stringContaining('This schema asks for more than the double gives')
const tree = (more: object) => ({
  type: 'object',
  properties: Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { $ref: '#' }])),
  ...more,
})

describe('a schema that would hang the server', () => {
  it.each<[string, object]>([
    ['a pattern of 100,000,000 characters', { type: 'string', pattern: 'a{100000000}' }],
    ['rounds within rounds', { type: 'string', pattern: '^((a{1000}){1000}){1000}$' }],
    ['empty rounds', { type: 'string', pattern: '^(){1000000000}$' }],
    ['a minLength of 1e9', { type: 'string', minLength: 1e9 }],
    ['a minItems of 1e8', { type: 'array', minItems: 1e8 }],
    ['a minProperties of 1e8', { type: 'object', minProperties: 1e8 }],
    ['a minContains of 1e9', { type: 'array', contains: { const: 1 }, minContains: 1e9 }],
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
      'a pattern that backtracks',
      { allOf: [{ pattern: '^a{40}$' }, { pattern: '^(a+)+b$' }], type: 'string' },
    ],
  ])('is refused with a reason: %s', (_, schema) => {
    const { refusal } = outcome(schema as JsonSchema)
    expect(refusal).toMatch(/asks for more than the double gives: |No value can be made for this schema: /)
  })

  it('is answered with the smallest value where it contains itself three times, and need not', () => {
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

  it('is refused where it contains itself without an end', () => {
    expect(outcome(tree({ required: ['a', 'b', 'c'] }))).toEqual({
      refusal: 'No value can be made for this schema: no value of it ever ends',
    })
  })

  it('is refused in the envelope, through the gateway', async () => {
    const gateway = createGateway()
    const schema = { type: 'array', minItems: 1e8 }
    const reply = await gateway.fetch('https://gateway.example/api/v1/responses', {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'aurora/dawn-2',
        input: 'Hello',
        text: { format: { type: 'json_schema', name: 'much', schema } },
      }),
    })
    expect(reply.status).toBe(400)
    const { error } = (await reply.json()) as { error: { metadata: { violations: unknown[] } } }
    expect(error.metadata.violations).toMatchObject([{ path: 'body.text.format.schema', message: tooMuch }])
  })
})

describe('a large schema of real life', () => {
  it('has its value: 300 fields, an enum of 3,000, 500 items, 5,000 characters', () => {
    const fields = Array.from({ length: 300 }, (_, index) => `field_${index}`)
    const { value } = outcome({
      type: 'object',
      properties: {
        ...Object.fromEntries(fields.map((name) => [name, { type: 'string', minLength: 1 }])),
        code: { enum: Array.from({ length: 3000 }, (_, index) => `code-${index}`) },
        list: { type: 'array', minItems: 500, items: { type: 'integer' } },
        text: { type: 'string', minLength: 5000 },
      },
      required: fields,
    })
    expect(Object.keys(value as object)).toHaveLength(303)
  })

  it('has its value: a password, a range of halves, a map, different items, a choice by a condition', () => {
    const { value } = outcome({
      type: 'object',
      properties: {
        password: { type: 'string', pattern: '^(?=.*[A-Z])(?=.*\\d)[A-Za-z\\d]{12,20}$' },
        half: { type: 'number', multipleOf: 0.5, exclusiveMinimum: 1, maximum: 2 },
        map: { type: 'object', additionalProperties: { type: 'integer' } },
        levels: { type: 'array', items: { enum: [1, 2, 3] }, minItems: 3, uniqueItems: true },
        kind: { enum: ['x', 'y'] },
      },
      required: ['kind'],
      if: { properties: { kind: { const: 'x' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['x'] },
      else: { required: ['y'] },
    })
    expect(Object.keys((value as { map: object }).map)).toHaveLength(2)
  })
})

describe('alternatives', () => {
  const impossible = { type: 'string', minLength: 5, maxLength: 2 }

  it('take another branch where the one that was drawn, or the smallest, has no value', () => {
    const list = { type: 'array', minItems: 2, items: { const: 1 } }
    const properties = Object.fromEntries(
      Array.from('abcdefghij', (name) => [name, { anyOf: [impossible, list] }]),
    )
    const { value } = outcome({ type: 'object', properties, required: Object.keys(properties) })
    expect(Object.values(value as object).every(Array.isArray)).toBe(true)
  })
})

describe('any schema', () => {
  it('has a value that an independent validator accepts, or a reason why it has none', () => {
    let valued = 0
    fc.assert(
      fc.property(anySchema, (schema) => {
        try {
          if ('value' in outcome(schema)) valued++
        } catch (error) {
          // The validator follows references without an end.
          if (!(error instanceof RangeError)) throw error
        }
      }),
      { numRuns: cases(40, 2000), seed: 13 },
    )
    expect(valued).toBeGreaterThan(10)
  })
})

describe('a pattern', () => {
  const atom = fc.constantFrom(
    'a',
    'b',
    '.',
    '\\d',
    '[ab]',
    '[^a]',
    '\\w',
    '^',
    '$',
    '\\b',
    '(?=a)',
    '(?!b)',
    '(?<=a)',
  )
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 4 },
      atom,
      fc
        .tuple(fc.constantFrom('(', '(?:'), tie('pattern'), fc.constantFrom(')', ')?', ')*', '){1,2}', ')+?'))
        .map((parts) => parts.join('')),
      fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('')),
      fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('|')),
      fc.constantFrom('a*', 'b+', '.{2}', '[ab]{0,2}', '(a|b)\\1'),
    ),
  }))

  it('finds what the engine of JavaScript finds', () => {
    fc.assert(
      fc.property(
        pattern,
        fc.string({ unit: fc.constantFrom('a', 'b', '1', ' '), maxLength: 6 }),
        (source, text) => {
          let expected: boolean
          try {
            expected = new RegExp(source, 'u').test(text)
          } catch {
            return
          }
          const budget = new Budget()
          expect(matchesPattern(parsePattern(source, budget), text, budget)).toBe(expected)
        },
      ),
      { numRuns: 2000, seed: 13 },
    )
  })
})
