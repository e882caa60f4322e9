import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { JsonSchema } from '../../src/model/json-schema/schema.ts'
import { fakeValue } from '../../src/model/structured.ts'

const origin = {
  path: 'body.text.format.schema',
  subject: 'Plan three museums in Oslo',
  seed: '1',
  warn: (message: string) => expect.fail(message),
}

/** A schema as `strict` demands it: every property required, no others allowed. */
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

describe('a value for a schema', () => {
  it('is accepted by the schema, whatever strict schema it is', async () => {
    await fc.assert(
      fc.asyncProperty(node.object, fc.string(), async (root, seed) => {
        const schema = { ...root, $defs } as JsonSchema
        const value = fakeValue(schema, { ...origin, seed })
        // An independent validator: zod reads the schema itself.
        const result = z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema).safeParse(value)
        expect(result.error?.issues ?? []).toEqual([])
      }),
      { numRuns: 100 },
    )
  })

  it('has numbers that people believe, also where a client spells out what an integer is', async () => {
    const schema = z.toJSONSchema(z.object({ minutes: z.int().nonnegative() })) as JsonSchema
    const { minutes } = fakeValue(schema, origin) as { minutes: number }
    expect(minutes).toBeGreaterThanOrEqual(0)
    expect(minutes).toBeLessThan(10_000)
  })

  const step = strict({ text: { type: 'string' }, parts: { type: 'array', items: { $ref: '#/$defs/part' } } })
  const folder = strict({ files: { $ref: '#/$defs/files' } })
  it.each<[string, object]>([
    [
      'a list that contains itself',
      strict({ value: { type: 'number' }, next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }),
    ],
    [
      'a tree that contains itself',
      strict({ label: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } }),
    ],
    [
      'definitions that contain each other',
      {
        $ref: '#/$defs/folder',
        $defs: { folder, files: strict({ all: { type: 'array', items: { $ref: '#/$defs/folder' } } }) },
      },
    ],
    [
      'a chain of definitions',
      {
        $ref: '#/$defs/plan',
        $defs: {
          plan: strict({ first: { $ref: '#/$defs/step' } }),
          step,
          part: { $ref: '#/$defs/end' },
          end: strict({ n: { type: 'integer' } }),
        },
      },
    ],
    [
      'a union told apart by a constant',
      { anyOf: ['x', 'y'].map((kind) => strict({ kind: { const: kind }, [kind]: { type: 'string' } })) },
    ],
    [
      'parts that all hold',
      { allOf: [strict({ a: { type: 'integer' } }), { type: 'object', required: ['a'] }] },
    ],
    ['a duration', { type: 'string', format: 'duration' }],
  ])('is accepted by %s', async (_, schema) => {
    for (let seed = 0; seed < 20; seed++) {
      const value = fakeValue(schema as JsonSchema, { ...origin, seed: String(seed) })
      expect(
        z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema).safeParse(value).error?.issues ?? [],
      ).toEqual([])
    }
  })

  it('is the same for the same seed and another for another', async () => {
    const schema = { type: 'array', items: { type: 'integer' }, minItems: 3 }
    const value = fakeValue(schema, origin)
    expect(fakeValue(schema, origin)).toEqual(value)
    expect(fakeValue(schema, { ...origin, seed: '2' })).not.toEqual(value)
  })

  it('takes up the words of the question where any string will do', async () => {
    expect(
      fakeValue(
        strict({ title: { type: 'string' }, code: { type: 'string', pattern: '^x$' } }) as JsonSchema,
        origin,
      ),
    ).toEqual({
      title: 'Plan',
      code: 'x',
    })
  })

  it('leaves the schema of the request as it was', async () => {
    const schema = { $ref: '#/definitions/a', definitions: { a: { type: 'string' } } }
    const before = structuredClone(schema)
    fakeValue(schema, origin)
    expect(schema).toEqual(before)
  })

  it('is refused with 400 and the path where a schema points nowhere', () => {
    expect(() => fakeValue({ $ref: '#/$defs/none' }, origin)).toThrow(
      expect.objectContaining({
        status: 400,
        metadata: {
          violations: [expect.objectContaining({ path: 'body.text.format.schema', rule: 'json_schema' })],
        },
      }),
    )
  })
})
