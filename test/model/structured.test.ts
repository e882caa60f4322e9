/** Tests structured output: its words, its links, warnings and rejections. */
import { expect, it } from 'vitest'
import { fakeValue, inOneLine, wordsOf } from '../../src/model/structured.ts'
import type { JsonSchema } from '../../src/resources/json-schema.ts'

interface Asked {
  links?: string[]
}

/** Returns the generated value, warnings and violations. */
function outcome(schema: JsonSchema, asked: Asked = {}) {
  const warnings: string[] = []
  const request = { path: 'body.schema', subject: 'Plan three museums in Oslo', seed: '1', ...asked }
  try {
    return { value: fakeValue(schema, { ...request, warn: (message) => warnings.push(message) }), warnings }
  } catch (error) {
    return (error as { metadata: object }).metadata
  }
}

const text = { type: 'string' }
const object = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

it.each<[subject: string, phrases: string[]]>([
  ['…', ['something', 'plausible', 'something something', 'something plausible', 'plausible something']],
  ['Oslo', ['Oslo', 'something', 'plausible', 'Oslo Oslo', 'Oslo something', 'Oslo plausible']],
  [
    'Oslo Bergen',
    ['Oslo', 'Bergen', 'Oslo Oslo', 'Oslo Bergen', 'Bergen Oslo', 'Bergen Bergen', 'Oslo Oslo Oslo'],
  ],
  [
    'a1 b2 c3 d4 e5 f6 g7 h8 i9 j10 k11 l12 m13',
    ['a1', 'b2', 'c3', 'd4', 'e5', 'f6', 'g7', 'h8', 'i9', 'j10', 'k11', 'l12', 'a1 a1', 'a1 b2'],
  ],
])('wordsOf(%j) proposes single words, then pairs, then triples', (subject, phrases) => {
  const words = wordsOf(subject)
  expect(phrases.map(() => words({ path: [], type: 'string', schemas: [{}], random: () => 0 }))).toEqual(
    phrases,
  )
})

it('wordsOf proposes words only for strings without a format, pattern or list of values', () => {
  const words = wordsOf('Oslo Bergen')
  const propose = (type: 'string' | 'integer', ...schemas: object[]) =>
    words({ path: [], type, schemas: schemas as never, random: () => 0 })
  const constrained = [{ format: 'x' }, { pattern: '' }, { enum: [] }, { const: 1 }]
  expect(constrained.map((schema) => propose('string', {}, schema))).toEqual(constrained.map(() => undefined))
  expect(propose('integer')).toBeUndefined()
  expect(propose('string', { minLength: 1 }, text)).toBe('Oslo')
})

it.each<[doubts: string[], line: string]>([
  [[], ''],
  [['a'], 'a'],
  [[...'abcde'], 'a; b; c; d; e'],
  [[...'abcdef'], 'a; b; c; d; e; and 1 more'],
  [[...'abcdefg'], 'a; b; c; d; e; and 2 more'],
])('inOneLine(%j) returns %j', (doubts, line) => {
  expect(inOneLine(doubts)).toBe(line)
})

it.each<[name: string, schema: JsonSchema, links: string[], value: unknown]>([
  [
    'the longest string first, at any depth',
    object({
      a: { const: 'aaa' },
      b: text,
      c: { type: 'string', minLength: 9 },
      none: { type: 'null' },
      d: object({ e: text }),
      f: { type: 'integer' },
    }),
    ['[1](u)', '[2](u)', '[3](u)'],
    { a: 'aaa', b: 'Plan [3](u)', c: 'three ths [1](u)', none: null, d: { e: 'museums [2](u)' }, f: 65 },
  ],
  [
    'the next string if one allows no link',
    object({ a: { type: 'string', minLength: 12 }, b: { const: 'unchanged' }, c: text }),
    ['[1](u)', '[2](u)'],
    { a: 'Plan Plan Ps [1](u)', b: 'unchanged', c: 'three [2](u)' },
  ],
  [
    'no string if none has room',
    object({ a: { type: 'string', maxLength: 10 }, b: { type: 'string', maxLength: 4 } }),
    ['[1](u)', '[2](u)'],
    { a: 'Plan', b: 'thre' },
  ],
  ['a single string', text, ['[1](u)', '[2](u)'], 'Plan [1](u) [2](u)'],
  ['no number', { type: 'integer' }, ['[1](u)'], 64],
])('fakeValue adds links to %s', (_, schema, links, value) => {
  expect(outcome(schema, { links })).toEqual({ value, warnings: [] })
})

it.each<[schema: JsonSchema, message: string]>([
  [{ type: 'array', minItems: 10_001 }, 'This schema exceeds the limits: more than 10000 parts'],
  [
    { type: 'string', minLength: 2, maxLength: 1 },
    'No value can be generated for this schema: minLength is above maxLength',
  ],
])('fakeValue rejects %j', (schema, message) => {
  expect(outcome(schema)).toEqual({ violations: [{ path: 'body.schema', message, rule: 'json_schema' }] })
})

it('fakeValue warns of up to five keywords and patterns that are not simulated', () => {
  const pattern = (name: string) => `the pattern '^(${name})\\1$' is not simulated`
  const properties = Object.fromEntries(
    Array.from('abcdef', (name) => [name, { type: 'string', pattern: `^(${name})\\1$` }]),
  )
  expect(outcome({ type: 'object', properties })).toMatchObject({
    warnings: [
      `The value for body.schema may not match its schema: ${Array.from('abcde', pattern).join('; ')}; and 1 more`,
    ],
  })
})
