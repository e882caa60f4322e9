/** Tests stateless HTTP helpers: error replies, JSON bodies, secrets, encoding and violations. */
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { decodeBody } from '../../src/http/body.ts'
import { parseJsonBody } from '../../src/http/json-body.ts'
import { eventStream, json } from '../../src/http/reply.ts'
import { hideInQuery, hideInString, hideInText } from '../../src/http/secrets.ts'
import { toViolations } from '../../src/http/violations.ts'
import { check } from '../../src/lib/schema-messages.ts'

describe('JSON bodies', () => {
  it('keep a key called __proto__ as data', () => {
    const value = parseJsonBody('{"__proto__":{"isAdmin":true},"a":{"b":1}}') as Record<string, unknown>
    expect(Object.keys(value)).toEqual(['__proto__', 'a'])
    expect(value['isAdmin']).toBeUndefined()
  })

  it('are decoded as UTF-8 without a byte order mark, and leniently unless text is required', () => {
    const marked = new Uint8Array([0xef, 0xbb, 0xbf, 0x61])
    const broken = new Uint8Array([0x61, 0xff])
    expect([decodeBody(marked), decodeBody(marked, false), decodeBody(broken, false)]).toEqual([
      'a',
      'a',
      'a\ufffd',
    ])
    const violations = [{ path: 'body', message: 'Must be UTF-8', rule: 'utf8' }]
    const refusal = { status: 400, assumption: 'requestBody', metadata: { violations } }
    expect(() => decodeBody(broken)).toThrow(expect.objectContaining(refusal))
  })
})

describe('toViolations', () => {
  const lines = (schema: z.ZodType, value: unknown) => {
    const { error } = check(schema, value)
    return toViolations(error as z.ZodError, 'body').map(
      ({ path, rule, message }) => `${path} ${rule}: ${message}`,
    )
  }
  const needs = (...names: string[]) => z.object(Object.fromEntries(names.map((name) => [name, z.number()])))

  it.each<[name: string, schema: z.ZodType, value: unknown, lines: string[]]>([
    ['a path', z.object({ a: z.array(needs('b')) }), { a: [{}] }, ['body.a[0].b invalid_type: ']],
    [
      'names that need quotes',
      z.object({ 'a b': needs('c-$') }),
      { 'a b': {} },
      ['body["a b"].c-$ invalid_type: '],
    ],
    [
      'unknown fields',
      z.strictObject({}),
      { a: 1, 'b c': 2 },
      ['body.a unrecognized_keys: Unknown field', 'body["b c"] unrecognized_keys: Unknown field'],
    ],
    ['a pattern', z.string().regex(/^a$/), 'b', ['body pattern: ']],
    ['a format', z.email(), 'b', ['body email: ']],
    ['a rule by name', z.string().refine(() => false, { params: { rule: 'odd' } }), 'b', ['body odd: ']],
    ['a bound', z.string().max(1), 'bb', ['body too_big: ']],
    [
      'a type that no branch of a union accepts',
      z.union([z.string(), z.number(), z.string()]),
      null,
      ['body invalid_type: Must be a string or a number'],
    ],
    [
      'a value that is close to one branch of a union',
      z.union([z.string(), needs('a', 'b'), needs('a')]),
      {},
      ['body.a invalid_type: '],
    ],
    ['a union of literals', z.union([z.literal('a'), z.literal('b')]), 'c', ['body invalid_value: ']],
    [
      'an unknown discriminator',
      z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })]),
      { kind: 'c' },
      ['body.kind invalid_union: Must be'],
    ],
    [
      'a nested union',
      z.object({ a: z.union([z.string(), needs('b')]) }),
      { a: {} },
      ['body.a.b invalid_type: '],
    ],
    [
      'a union with no close branch',
      z.union([z.never(), z.undefined()]),
      1,
      ['body invalid_type: Must be a never or a undefined'],
    ],
  ])('describes %s', (_, schema, value, expected) => {
    const actual = lines(schema, value)
    expect(actual).toHaveLength(expected.length)
    for (const [index, line] of expected.entries())
      expect(actual[index]?.startsWith(line), actual[index]).toBe(true)
  })
})

describe('json() and eventStream()', () => {
  it.each([200, 201, 404, 599])('json() accepts status %d', (status) => {
    expect(json(status, { a: 1 }).status).toBe(status)
  })

  it.each([199, 600, 0, Number.NaN, '200', { a: 1 }])('json() rejects status %j', (status) => {
    expect(() => json(status as number, {})).toThrow('json() expects a status and a value')
  })

  it.each(['text', 7, null, {}])('eventStream() rejects %j', (frames) => {
    expect(() => eventStream(frames as never)).toThrow('eventStream() expects frames')
  })

  it.each([undefined, 1, {}, { kind: 'event' }])('eventStream() rejects a generated %j', (frame) => {
    const { body } = eventStream([frame].values() as never)
    expect(() => body.kind === 'frames' && [...body.frames]).toThrow('eventStream() expects frames')
  })
})

describe('secrets in text', () => {
  // `key` and `token` also name things that are not secret, so the value decides.
  it.each([
    ['"key":"abcdefghijk1"', true],
    ['"key":"abcdefghij1"', false],
    ['"key":"abcdefghijkl"', false],
    ['"key":"0123456789abcdef"', false],
    ['"key":"0123456789abcdef0"', true],
    ['"key":"two words 12345"', false],
    ['"token":"12345678"', true],
    ['"token":"1234567"', false],
    ['"token":"two words"', false],
    ['"token":"12345678","logprob":1', false],
    ['"token":"12345678" , "bytes":[1]', false],
    ['"token":"12345678","other":1', true],
    ['"password":"a b"', true],
    ['"x_key_y":"abcdefghijk1"', false],
    ['a=1&password=hunter', true],
    ['{"name":"Password","value":"hunter"}', true],
    ['{\\"password\\":\\"hunter\\"}', true],
    ['password', false],
  ])('are hidden in %s: %s', (text, isHidden) => {
    expect(hideInString(text).includes('(hidden)')).toBe(isHidden)
  })

  it('are found from the first character to the last', () => {
    expect(hideInText('"password":"hunter"')).toBe('"password":"(hidden)"')
    expect(hideInString('pwd=abcd')).toBe('pwd=(hidden)')
    expect(hideInString('pwd=abc')).toBe('pwd=abc')
    expect(hideInString('password=a&n=1&password=b')).toBe('password=(hidden)&n=1&password=(hidden)')
    expect(hideInQuery('=1&password=2')).toBe('=1&password=(hidden)')
    expect(hideInQuery('=password&=password=1')).toBe('=password&=password=1')
    expect(
      hideInString('a sk-abcdefghijklmnopqrstuvwx1234567890 b', (secret) => `<${String(secret).length}>`),
    ).toMatch(/^a <\d+> b$/)
  })
})
