/** Tests stateless HTTP helpers: error replies, JSON bodies, secrets, encoding and violations. */
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { collectBody, decodeBody, within } from '../../src/http/body.ts'
import { encodeFrame, encodeNamedEvent, toBytes } from '../../src/http/encode.ts'
import {
  envelope,
  errorMessageOf,
  GatewayError,
  invalidRequest,
  messageOf,
  toReply,
} from '../../src/http/errors.ts'
import { HeaderValue } from '../../src/http/header-record.ts'
import { assertJsonBody, parseJsonBody } from '../../src/http/json-body.ts'
import { eventStream, json } from '../../src/http/reply.ts'
import { hideInQuery, hideInString, hideInText, hideInValue } from '../../src/http/secrets.ts'
import { toViolations } from '../../src/http/violations.ts'
import { check } from '../../src/lib/check.ts'

/** Returns the error that a function throws. */
function thrown(run: () => unknown): GatewayError {
  try {
    run()
  } catch (error) {
    return error as GatewayError
  }
  throw new Error('Expected the function to throw')
}

describe('error replies', () => {
  it("have their status's default message", () => {
    expect([400, 404, 418, 499, 500, 501, 529].map(messageOf)).toEqual([
      'Invalid request parameters',
      'Resource not found',
      'Request refused',
      'Request refused',
      'Internal Server Error',
      'Server error',
      'Provider overloaded',
    ])
  })

  it('list up to 100 violations, count the rest, and use the first one as the message', () => {
    const violations = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        path: `body.a.b[${index}]`,
        message: 'Too BIG',
        rule: 'too_big',
      }))
    const rejection = (count: number) => invalidRequest(violations(count))
    expect(rejection(0)).toMatchObject({ status: 400, message: 'Invalid request parameters' })
    expect(rejection(1)).toMatchObject({ status: 400, message: 'a.b[0]: too BIG' })
    expect(rejection(100).metadata).toEqual({ violations: violations(100) })
    expect(rejection(101).metadata).toEqual({ violations: violations(100), more: 1 })
    expect(rejection(107).metadata).toEqual({ violations: violations(100), more: 7 })
    const saying = (path: string) => invalidRequest([{ path, message: '', rule: 'x' }]).message
    expect(['query.a', 'params.a', 'header.a', 'body', 'other.a'].map(saying)).toEqual([
      'a: ',
      'a: ',
      'a: ',
      'body: ',
      'other.a: ',
    ])
  })

  it('contain only the given fields in their envelope, including null', () => {
    const bodyOf = (reply: ReturnType<typeof envelope>) =>
      reply.body.kind === 'json' ? reply.body.value : undefined
    expect(bodyOf(envelope(418, 'No'))).toEqual({ error: { code: 418, message: 'No' } })
    expect(Object.keys(bodyOf(envelope(418, 'No')) as object)).toEqual(['error'])
    const all = { metadata: null, gateway_metadata: null, user_id: null }
    expect(bodyOf(envelope(418, 'No', all))).toEqual({
      error: { code: 418, message: 'No', metadata: null },
      gateway_metadata: null,
      user_id: null,
    })
    const reply = toReply(new GatewayError(429, undefined, { a: 1 }, { headers: { 'retry-after': '1' } }))
    expect(reply).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
    expect(bodyOf(reply)).toEqual({
      error: { code: 429, message: 'Rate limit exceeded', metadata: { a: 1 } },
    })
  })

  it('are recognised by their status and a message in their envelope', () => {
    expect(
      [
        json(400, { error: { message: 'no' } }),
        json(399, { error: { message: 'no' } }),
        json(400, { error: { message: 1 } }),
        json(400, { error: null }),
        json(400, {}),
        json(400, null),
        { ...eventStream([]), status: 500 },
      ].map(errorMessageOf),
    ).toEqual(['no', ...Array(6).fill(undefined)])
  })
})

describe('JSON bodies', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

  it('are parsed up to a depth of 500 levels', () => {
    expect(parseJsonBody(nested(500))).toBeInstanceOf(Array)
    expect(parseJsonBody(nested(501))).toBeUndefined()
    expect(parseJsonBody(`[1,${nested(499)},null]`)).toBeInstanceOf(Array)
    expect(parseJsonBody(`[1,${nested(500)},null]`)).toBeUndefined()
    const flat = JSON.stringify(Array(2000).fill({ a: [1] }))
    expect(parseJsonBody(flat)).toEqual(JSON.parse(flat))
  })

  it('are parsed without __proto__ keys, however the keys are escaped', () => {
    for (const key of ['__proto__', '\\u005f_proto__', '_\\u005Fproto__']) {
      const value = parseJsonBody(`{"${key}":{"isAdmin":true},"a":{"b":1}}`) as Record<string, unknown>
      expect(Object.keys(value)).toEqual(['a'])
      expect(value).toEqual({ a: { b: 1 } })
      expect(value['isAdmin']).toBeUndefined()
    }
    expect(parseJsonBody('"\\u005f__proto__"')).toBe('___proto__')
  })

  it('are rejected with a reason if missing or invalid', () => {
    const rejection = (body: string) => {
      const { metadata, assumption } = thrown(() => assertJsonBody(body, parseJsonBody(body)))
      expect(assumption).toBe('requestBody')
      return metadata?.['violations']
    }
    expect(rejection('')).toEqual([{ path: 'body', message: 'A JSON body is required', rule: 'required' }])
    expect(rejection(nested(501))).toEqual([
      { path: 'body', message: 'Nested deeper than 500 levels', rule: 'json' },
    ])
    expect(rejection('{')).toEqual([
      { path: 'body', message: expect.stringMatching(/^Malformed JSON: .+/), rule: 'json' },
    ])
    assertJsonBody('null', parseJsonBody('null'))
  })

  it('are decoded as UTF-8 without a byte order mark, and leniently unless text is required', () => {
    const marked = new Uint8Array([0xef, 0xbb, 0xbf, 0x61])
    const broken = new Uint8Array([0x61, 0xff])
    expect([decodeBody(marked), decodeBody(marked, false), decodeBody(broken, false)]).toEqual([
      'a',
      'a',
      'a\ufffd',
    ])
    expect(thrown(() => decodeBody(broken))).toMatchObject({
      status: 400,
      assumption: 'requestBody',
      metadata: { violations: [{ path: 'body', message: 'Must be UTF-8', rule: 'utf8' }] },
    })
  })
})

describe('secrets', () => {
  it('are hidden in JSON text and in values', () => {
    expect(hideInText('"api_key":"abc" rest')).toBe('"api_key":"(hidden)" rest')
    const escaped = String.raw`{"a\\":"x","b\"":1,"api_key":"a\\","c":"d"}`
    expect(hideInText(escaped)).toBe(escaped.replace(String.raw`"a\\","c"`, '"(hidden)","c"'))
    expect(hideInText('{"api_key":{"a":["}"]},"b":1}')).toBe('{"api_key":"(hidden)","b":1}')
    expect(hideInValue(Object.assign(Object.create(null), { api_key: 'abc', b: [1] }))).toEqual({
      api_key: '(hidden)',
      b: [1],
    })
  })
})

describe('HeaderValue', () => {
  it.each([
    ['', false],
    ['1', true],
    ['a\tb é', true],
    ['a\nb', false],
    ['€', false],
  ])('accepts %j: %s', (value, isValid) => {
    expect(HeaderValue.safeParse(value).success).toBe(isValid)
  })
})

describe('eventStream', () => {
  it('returns a 200 with caching disabled', () => {
    expect(eventStream([])).toEqual({
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
      body: { kind: 'frames', frames: [] },
    })
  })
})

describe('encodeFrame', () => {
  it("encodes events, [DONE] and bytes, and prefers a frame's wire text", () => {
    const event = { type: 'error', sequence_number: 0 } as never
    expect(encodeFrame({ kind: 'event', event })).toBe('data: {"type":"error","sequence_number":0}\n\n')
    expect(encodeFrame({ kind: 'event', event, wire: 'custom' })).toBe('custom')
    expect(encodeFrame({ kind: 'done' })).toBe('data: [DONE]\n\n')
    expect(encodeFrame({ kind: 'done', wire: 'custom' })).toBe('custom')
    const bytes = new Uint8Array([1])
    expect(encodeFrame({ kind: 'bytes', bytes })).toBe(bytes)
    expect(encodeNamedEvent(event)).toBe('event: error\ndata: {"type":"error","sequence_number":0}\n\n')
    expect(toBytes(bytes)).toBe(bytes)
    expect(toBytes('ü')).toEqual(new Uint8Array([0xc3, 0xbc]))
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
    [
      'a rule without a name',
      z.string().refine(() => false, { params: { rule: 1 } }),
      'b',
      ['body custom: '],
    ],
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
      'a type that no branch of a nested union accepts',
      z.object({ a: z.union([z.string(), needs('b')]) }),
      { a: 1 },
      ['body.a invalid_type: Must be a string or an object'],
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

describe('bodies with a size limit', () => {
  const chunks = (...sizes: number[]) =>
    (async function* () {
      for (const [index, size] of sizes.entries()) yield new Uint8Array(size).fill(index + 1)
    })()

  it('are accepted up to exactly the maximum, in one chunk or several', async () => {
    expect(within(new Uint8Array(4), 4)).toHaveLength(4)
    expect(thrown(() => within(new Uint8Array(5), 4)).status).toBe(413)
    expect([...(await collectBody(chunks(), 4))]).toEqual([])
    expect([...(await collectBody(chunks(4), 4))]).toEqual([1, 1, 1, 1])
    expect([...(await collectBody(chunks(1, 3), 4))]).toEqual([1, 2, 2, 2])
    await expect(collectBody(chunks(1, 4), 4)).rejects.toMatchObject({ status: 413 })
  })

  it('are not copied if they arrive in one chunk', async () => {
    const [only] = [new Uint8Array([7])]
    const one = (async function* () {
      yield only
    })()
    expect(await collectBody(one, 4)).toBe(only)
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
    expect(hideInText('"password":12345, 1')).toBe('"password":"(hidden)", 1')
    expect(
      hideInString('a sk-abcdefghijklmnopqrstuvwx1234567890 b', (secret) => `<${String(secret).length}>`),
    ).toMatch(/^a <\d+> b$/)
  })
})
