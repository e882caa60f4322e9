/** Tests the descriptions of invalid values, and the limits of numbers and durations. */
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { between, count, Duration, PositiveDuration } from '../../src/lib/numbers.ts'
import { check } from '../../src/lib/schema-messages.ts'

function problemOf(schema: z.ZodType, value: unknown): string {
  const result = check(schema, value)
  return result.success ? 'valid' : result.error.issues.map(({ message }) => message).join(', ')
}

describe('an invalid value', () => {
  const text = z.string()
  const either = z.union([text, z.int(), z.enum(['a', 'b']), z.literal('a')])
  const kinds = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('a') }),
    z.object({ kind: z.literal('b') }),
  ])
  const words = (size: number) => z.enum(['a1', 'b1', 'c1', 'd1', 'e1', 'f1'].slice(0, size))

  it.each<[schema: z.ZodType, value: unknown, problem: string]>([
    [text, undefined, 'Is required'],
    [text, null, 'Must be a string, got null'],
    [text, [], 'Must be a string, got []'],
    [text, [1], 'Must be a string, got a list'],
    [text, {}, 'Must be a string, got {}'],
    [text, { a: 1 }, 'Must be a string, got an object'],
    [text, /a/, 'Must be a string, got /a/'],
    [text, () => 1, 'Must be a string, got a function'],
    [z.int(), 'x'.repeat(60), `Must be a number, got '${'x'.repeat(60)}'`],
    [z.int(), 'x'.repeat(61), `Must be a number, got '${'x'.repeat(60)}…'`],
    [z.int(), 1.5, 'Must be a whole number, got 1.5'],
    [z.boolean(), '', "Must be true or false, got ''"],
    [z.array(text), 1, 'Must be a list, got 1'],
    [z.record(text, text), 1, 'Must be an object, got 1'],
    [z.number().min(2), 1, 'Must be 2 or more, got 1'],
    [z.number().max(3), 4, 'Must be at most 3, got 4'],
    [z.number().gt(2), 2, 'Must be more than 2, got 2'],
    [z.number().lt(3), 3, 'Must be less than 3, got 3'],
    [z.number().multipleOf(2), 3, 'Must be a multiple of 2, got 3'],
    [between(2, 3), 1.5, 'Must be 2 to 3, got 1.5'],
    [text.min(1), '', 'Must not be empty'],
    [text.max(1), 'ab', "Must have at most 1 character, got 'ab'"],
    [text.min(2), 'a', "Must have at least 2 characters, got 'a'"],
    [z.array(text).min(1), [], 'Must not be empty'],
    [z.array(text).min(2), [], 'Must have at least 2 items, got 0'],
    [z.array(text).max(1), ['a', 'b'], 'Must have at most 1 item, got 2'],
    [text.max(60), 'a'.repeat(61), 'Must have at most 60 characters, got 61'],
    [z.url(), 'a', 'Must be a URL'],
    [z.uuid(), 'a', "Must be a valid uuid, got 'a'"],
    [text.regex(/^a$/), 'b', "Must be a string that matches /^a$/, got 'b'"],
    [text.startsWith('/'), 'a', "Must be a string that starts with '/', got 'a'"],
    [words(1), 'zzz9', "Must be 'a1', got 'zzz9'"],
    [words(2), 7, "Must be 'a1' or 'b1', got 7"],
    [words(3), 'b2', "Must be 'a1', 'b1' or 'c1', got 'b2'; did you mean 'b1'?"],
    [words(5), 'zz9', "Must be 'a1', 'b1', 'c1', 'd1' or 'e1', got 'zz9'"],
    [words(6), 'zz9', "Must be one of 'a1', 'b1', 'c1', 'd1', 'e1' and 1 more, got 'zz9'"],
    [either, true, "Must be a string, a number, 'a' or 'b', got true"],
    [z.union([z.object({ a: text }), text]), {}, 'Must be a string, got {}'],
    [z.union([z.object({ a: text }), z.object({ b: text })]), {}, 'Invalid input'],
    [kinds, { kind: 'c' }, "Must be 'a' or 'b', got 'c'"],
    [kinds, {}, 'Is required'],
    [z.strictObject({ times: text }), { times: 'a', tims: 1 }, "Unknown field; did you mean 'times'?"],
    [z.strictObject({ times: text }), { times: 'a', tims: 1, timers: 2 }, 'Unknown field'],
    [z.record(z.enum(['times']), text), { times: 'a', tims: 'b' }, 'Unknown field'],
  ])('is described in words: $2', (schema, value, problem) => {
    expect(problemOf(schema, value)).toBe(problem)
  })
})

describe('numbers and durations', () => {
  it.each<[schema: z.ZodType, valid: unknown[], invalid: unknown[]]>([
    [count(), [0, 1e12], [-1, 1e12 + 1, 0.5]],
    [count(2), [2], [1]],
    [Duration, [0, '0ms', 1e12, '11574d'], [-1, 1e12 + 1, '11575d', '1000000000d', '5w', '', '1 s']],
    [PositiveDuration, [1, '1ms', 1e12], [0, '0s', 0.9, 1e12 + 1]],
  ])('have limits: $1 are valid, $2 are not', (schema, valid, invalid) => {
    const isValid = (value: unknown) => check(schema, value).success
    expect(valid.filter((value) => !isValid(value))).toEqual([])
    expect(invalid.filter(isValid)).toEqual([])
  })

  it('are converted from any unit to milliseconds', () => {
    const units = ['5ms', '1.5s', '2m', '3h', '4d'].map((value) => check(Duration, value).data)
    expect(units).toEqual([5, 1500, 120_000, 10_800_000, 345_600_000])
    expect(problemOf(Duration, -1)).toMatch(/^Must be milliseconds, or a duration/)
    expect(problemOf(PositiveDuration, 0)).toMatch(/^Must be at least 1 millisecond, or a duration/)
  })
})
