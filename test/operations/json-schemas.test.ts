/**
 * Tests JSON Schemas for structured output and forced functions in every operation that accepts them:
 * generated values, warnings and rejections.
 */
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createGateway } from '../../src/index.ts'
import { call } from '../call.ts'

const model = 'aurora/dawn-2'
const input = 'Plan three museums in Oslo'
const messages = [{ role: 'user', content: input }]

/** A request that accepts a schema: functions build its body, and find the generated JSON in the reply. */
type Form = [
  name: string,
  path: string,
  body: (schema: object) => object,
  // biome-ignore lint/suspicious/noExplicitAny: replies of six request forms
  json: (reply: any) => string | object,
]

const forms: Form[] = [
  [
    'structured output of POST /responses',
    '/responses',
    (schema) => ({
      model,
      input,
      text: { format: { type: 'json_schema', name: 'x', strict: true, schema } },
    }),
    (reply) => reply.output[0].content[0].text,
  ],
  [
    'a forced function of POST /responses',
    '/responses',
    (parameters) => ({
      model,
      input,
      tools: [{ type: 'function', name: 'x', parameters }],
      tool_choice: 'required',
    }),
    (reply) => reply.output[0].arguments,
  ],
  [
    'structured output of POST /chat/completions',
    '/chat/completions',
    (schema) => ({
      model,
      messages,
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
    }),
    (reply) => reply.choices[0].message.content,
  ],
  [
    'a forced function of POST /chat/completions',
    '/chat/completions',
    (parameters) => ({
      model,
      messages,
      tools: [{ type: 'function', function: { name: 'x', parameters } }],
      tool_choice: 'required',
    }),
    (reply) => reply.choices[0].message.tool_calls[0].function.arguments,
  ],
  [
    'structured output of POST /messages',
    '/messages',
    (schema) => ({
      model,
      max_tokens: 1000,
      messages,
      output_config: { format: { type: 'json_schema', schema } },
    }),
    (reply) => reply.content[0].text,
  ],
  [
    'a forced function of POST /messages',
    '/messages',
    (input_schema) => ({
      model,
      max_tokens: 1000,
      messages,
      tools: [{ name: 'x', input_schema }],
      tool_choice: { type: 'any' },
    }),
    (reply) => reply.content[0].input,
  ],
]

const strict = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
})

describe.each(forms)('JSON Schema of %s', (_, path, bodyWith, jsonIn) => {
  const gateway = createGateway({ extensions: ['chat', 'messages'] })
  const send = async (schema: object) => {
    const reply = await call(gateway, `POST ${path}`, { body: bodyWith(schema) })
    return {
      status: reply.status,
      body: reply.body,
      warnings: gateway.journal.entries().at(-1)?.warnings ?? [],
    }
  }
  const valueFor = async (schema: object) => {
    const { body, warnings } = await send(schema)
    const json = jsonIn(body)
    return { value: typeof json === 'string' ? JSON.parse(json) : json, warnings }
  }

  it('yields a valid value', async () => {
    const schema = strict(
      {
        kind: { enum: ['a', 'b'] },
        version: { const: 2 },
        rating: { type: 'number', minimum: 0, maximum: 5, multipleOf: 0.5 },
        legs: {
          type: 'array',
          minItems: 2,
          maxItems: 3,
          items: strict({
            from: { type: 'string', maxLength: 6 },
            when: { type: 'string', format: 'date-time' },
          }),
        },
        point: {
          type: 'array',
          prefixItems: [{ type: 'integer' }, { type: 'integer' }],
          minItems: 2,
          maxItems: 2,
        },
        code: { type: 'string', pattern: '^[A-Z]{3}-\\d{2,4}(-[a-z]+)*$' },
        note: { type: ['string', 'null'] },
        next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
      },
      {
        $defs: {
          node: strict({
            name: { type: 'string' },
            next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
          }),
        },
      },
    )
    const { value, warnings } = await valueFor(schema)
    expect(z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema).safeParse(value).error).toBeUndefined()
    expect(value).toMatchObject({ version: 2 })
    let depth = 0
    for (let node = value.next; node; node = node.next) depth++
    expect(depth).toBeLessThanOrEqual(3)
    expect(warnings).toEqual([])
  })

  it('yields the closest value and a warning for unsupported patterns and conditions', async () => {
    const { value, warnings } = await valueFor({
      type: 'object',
      properties: { a: { const: 1 }, b: { type: 'string', pattern: '^(?!x)\\w+$' }, c: { type: 'integer' } },
      required: ['a', 'b', 'c'],
      if: { required: ['d'] },
      else: { required: ['e'] },
      not: { required: ['f'] },
    })
    expect(value).toEqual({ a: 1, b: expect.stringMatching(/^\w+$/), c: expect.any(Number) })
    expect(warnings).toEqual([
      expect.stringMatching(
        /^The value for body\.\S+ may not match its schema: the pattern '\^\(\?!x\)\\w\+\$' is not simulated; Instance does not have required property "e"\.$/,
      ),
    ])
  })

  it('yields the closest value and a warning if no valid value was found', async () => {
    const { value, warnings } = await valueFor(
      strict({ mail: { type: 'string', format: 'email', maxLength: 5 }, n: { type: 'integer' } }),
    )
    expect(value).toEqual({ mail: expect.stringMatching(/^[a-z@]{5}$/), n: expect.any(Number) })
    expect(warnings).toEqual([expect.stringMatching(/schema: mail: String does not match format "email"\.$/)])
  })

  it.each<[string, object, string]>([
    [
      'an unresolvable reference',
      { a: { $ref: '#/$defs/none' } },
      "the reference '#/$defs/none' cannot be resolved",
    ],
    [
      'contradictory bounds',
      { a: { type: 'integer', minimum: 2, maximum: 1 } },
      '/a: no number is within the bounds',
    ],
    ['an unknown type', { a: { type: 'text' } }, "/a: type 'text' is unknown"],
    ['an invalid pattern', { a: { type: 'string', pattern: '(' } }, 'Invalid regular expression: /(/'],
    ['infinite recursion', { a: { $ref: '#' } }, '/a/a/a: every value would be infinitely nested'],
    ['too many items', { a: { type: 'array', minItems: 1e8 } }, 'more than 10000 parts'],
  ])('gets a 400 for %s', async (_, properties, reason) => {
    const { status, body } = await send(strict(properties))
    expect(status).toBe(400)
    expect(JSON.stringify(body.error)).toContain(JSON.stringify(reason).slice(1, -1))
  })
})
