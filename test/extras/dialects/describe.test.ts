/** Tests how a dialect's fields are added to the replies in an OpenAPI document. */
import { expect, it } from 'vitest'
import { apiDocument } from '../../../src/control/documents.ts'
import { addReplyFields } from '../../../src/extras/dialects/describe.ts'
import { createGateway } from '../../../src/index.ts'

const reply = (schema: object) => ({ content: { 'application/json': { schema } } })
const object = (properties: object, required?: string[]) => ({
  type: 'object',
  properties,
  ...(required && { required }),
})

it('addReplyFields derives schemas from sample values, and keeps existing fields', () => {
  const whole = object({ id: { type: 'string' }, data: { type: 'array', items: object({}) } }, ['id'])
  const document = {
    openapi: '3.1.0',
    paths: {
      '/tides': {
        get: {
          operationId: 'getTides',
          responses: { 404: reply(object({})), 200: { $ref: '#/components/responses/Tides' } },
        },
        post: { operationId: 'other', responses: { 200: reply(object({})) } },
        put: { operationId: 'none' },
      },
    },
    components: {
      responses: { Tides: reply({ anyOf: [whole, { type: 'string' }], oneOf: [object({})] }) },
    },
  }
  const added = { cost: 0.5, count: 1, none: null, list: [true], empty: [], inner: { name: '' } }
  addReplyFields(
    document,
    (operation): Record<string, object> => (operation === 'getTides' ? { '': { id: 1, cost: 0.5 } } : {}),
    (operation): Record<string, object> =>
      operation === 'getTides'
        ? { '': { id: 1, ...added }, 'data.*': { count: 1 }, 'data.*.lost.x': {} }
        : {},
  )
  const fields = {
    cost: { type: 'number' },
    count: { type: 'integer' },
    none: { type: 'null' },
    list: { type: 'array', items: { type: 'boolean' } },
    empty: { type: 'array', items: {} },
    inner: object({ name: { type: 'string' } }, ['name']),
  }
  const item = object({ count: { type: 'integer' } }, [])
  const { anyOf, oneOf } = document.components.responses.Tides.content['application/json'].schema as never
  expect(anyOf).toEqual([
    object({ id: { type: 'string' }, ...fields, data: { type: 'array', items: item } }, ['id', 'cost']),
    { type: 'string' },
  ])
  expect(oneOf).toEqual([object({ id: { type: 'integer' }, ...fields }, ['id', 'cost'])])
  expect(document.paths['/tides'].get.responses[404]).toEqual(reply(object({})))
  expect(document.paths['/tides'].post.responses[200]).toEqual(reply(object({})))
})

it('a dialect that describes no changes leaves the API document unchanged', () => {
  expect(apiDocument(createGateway({ dialect: { name: 'mine' } }))).toEqual(apiDocument(createGateway()))
})

it("the API document describes the openrouter dialect's fields", () => {
  // biome-ignore lint/suspicious/noExplicitAny: the document's schemas have many forms
  const { components }: any = apiDocument(createGateway({ dialect: 'openrouter' }))
  const { ResponseUsage, ChatCompletion, Message } = components.schemas
  const [string, number, integer, none] = ['string', 'number', 'integer', 'null'].map((type) => ({ type }))
  expect(ResponseUsage.properties.cost_details.properties).toEqual({
    upstream_inference_cost: none,
    upstream_inference_input_cost: number,
    upstream_inference_output_cost: number,
  })
  for (const { properties } of [ChatCompletion, Message])
    expect(properties.usage.properties.cost_details.properties).toEqual({
      upstream_inference_cost: none,
      upstream_inference_prompt_cost: number,
      upstream_inference_completions_cost: number,
    })
  const { message } = ChatCompletion.properties.choices.items.properties
  expect(message.properties.reasoning_details.items.properties).toEqual({
    type: string,
    text: string,
    signature: none,
    format: string,
    index: integer,
  })
})
