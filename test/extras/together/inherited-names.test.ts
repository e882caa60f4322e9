/** Names that every object inherits are treated like any other name, wherever a request can contain them. */
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createGateway, defineOperation, ok } from '../../../src/index.ts'
import { startServer } from '../../../src/serve.ts'
import { call, type Target } from '../../call.ts'

const inherited = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']

const object = { type: 'object', properties: { '§': { type: 'string' } }, required: ['§'] }
const schemas = [
  object,
  { type: 'object', required: ['§'] },
  { type: 'object', properties: { a: { const: 1 } }, required: ['a'], dependentRequired: { a: ['§'] } },
  { type: 'object', patternProperties: { '§': { const: 1 } }, required: ['§'] },
  { type: 'object', propertyNames: { enum: ['§'] }, minProperties: 1 },
  { type: 'string', format: '§' },
  { type: '§' },
  { $ref: '#/$defs/§', $defs: { '§': { type: 'string' } } },
  { $ref: '#/§' },
  { enum: ['§'] },
]
const responses = (fields: object) => ['POST /responses', { model: 'a/b', input: 'Hi', ...fields }] as const
const messages = [{ role: 'user', content: 'Hi' }]
const chat = (fields: object) => ['POST /chat/completions', { model: 'a/b', messages, ...fields }] as const
const message = (fields: object) =>
  ['POST /messages', { model: 'a/b', max_tokens: 99, messages, ...fields }] as const
const control = (path: string) => `POST /__understudy/sandboxes/default/${path}`

/** `§` stands for the name. */
const requests: (readonly [line: string, body?: unknown])[] = [
  ...schemas.flatMap((schema) => [
    responses({ text: { format: { type: 'json_schema', name: 'a', schema } } }),
    chat({ response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } }),
    message({ tools: [{ name: 'a', input_schema: schema }], tool_choice: { type: 'any' } }),
  ]),
  responses({ tools: [{ type: 'function', name: '§', parameters: object }], tool_choice: 'required' }),
  responses({ tools: [{ type: '§' }] }),
  responses({ tool_choice: '§' }),
  responses({ tool_choice: { type: '§' } }),
  responses({ tools: [{ type: 'gateway:web_search', parameters: { engine: '§', '§': 1 } }] }),
  responses({ input: [{ type: '§' }] }),
  responses({ input: [{ role: '§', content: 'Hi' }] }),
  responses({ input: [{ role: 'user', content: [{ type: '§', text: 'Hi' }] }] }),
  responses({ metadata: { '§': 'a' } }),
  responses({ '§': 1, input: undefined }),
  responses({ text: { verbosity: '§' }, reasoning: { effort: '§', summary: '§' }, service_tier: '§' }),
  responses({ text: { format: { type: '§' } } }),
  responses({ plugins: [{ id: '§' }] }),
  ...['§', '§/§', '@preset/§', 'fault/§', 'a/b:§'].map((model) => responses({ model })),
  chat({
    tools: [{ type: 'function', function: { name: '§', parameters: object } }],
    tool_choice: 'required',
  }),
  chat({ tools: [{ type: '§' }] }),
  chat({ messages: [{ role: '§', content: 'Hi' }] }),
  chat({ messages: [{ role: 'user', content: [{ type: '§', text: 'Hi' }] }] }),
  chat({ logit_bias: { '§': 1 }, reasoning_effort: '§', metadata: { '§': 'a' } }),
  message({ tools: [{ name: '§', input_schema: object }], tool_choice: { type: 'tool', name: '§' } }),
  message({ tools: [{ name: 'a', type: '§' }] }),
  message({ tool_choice: { type: '§' } }),
  message({ messages: [{ role: 'user', content: [{ type: '§' }] }] }),
  ['GET /benchmarks?source=§'],
  ['GET /providers?§=1'],
  ['GET /presets/§'],
  ['PATCH /workspaces/production', { default_provider_sort: '§', '§': 1 }],
]

async function answer(target: Target, [line, body]: readonly [string, unknown?], name: string) {
  const sent = JSON.stringify({ body }).replaceAll('§', name)
  const { status, text } = await call(target, line.replaceAll('§', name), JSON.parse(sent))
  // Sample text depends on the request. Field names, messages and all values with the name do not.
  const reply = JSON.parse(text.replaceAll(name, '§'), (_, value) =>
    typeof value === 'string'
      ? /§|must/i.exec(value) && value.replace(/^The .*|expected one of .*|did you mean .*/i, '')
      : (value ?? null),
  )
  return { status, reply: numberless(reply) }
}

const numberless = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (_, inner) => (typeof inner === 'number' ? 0 : inner))

const dialects = [undefined, 'openrouter'] as const
describe.each(dialects)('a name that every object has, dialect %s', (dialect) => {
  it.each(requests.map((request) => ({ request, title: JSON.stringify(request) })))(
    'gets the same kind of reply as any other name: $title',
    async ({ request }) => {
      const gateway = createGateway(dialect && { dialect })
      const usual = await answer(gateway, request, 'qwxzqwxz')
      expect(usual.status).toBeLessThan(500)
      for (const name of inherited)
        expect({ name, ...(await answer(gateway, request, name)) }).toEqual({ name, ...usual })
    },
  )

  it('can be the id of a custom operation', async () => {
    const output = z.object({ a: z.int() })
    const resolve = () => ok({ a: 1 })
    const operation = defineOperation({ id: 'valueOf', method: 'post', path: '/a', output, resolve })
    const gateway = createGateway({ operations: [operation], ...(dialect && { dialect }) })
    expect((await call(gateway, 'POST /a')).body).toEqual({ a: 1 })
  })
})

describe('a name that every object has, in the control API', () => {
  const rule = (fields: object) => [control('scenarios'), { reply: { text: 'Hi' }, ...fields }] as const
  const headers = { '§': 'a' }
  const controlRequests: (readonly [line: string, body?: unknown])[] = [
    rule({ on: '§' }),
    rule({ when: { headers, query: headers, params: headers, body: headers } }),
    rule({ when: { '§': 1 } }),
    rule({ fault: '§' }),
    rule({ fault: { name: '§' } }),
    rule({ fault: { name: 'latency', ms: 1, '§': 1 } }),
    rule({ reply: { headers, body: headers } }),
    rule({ reply: { output: [{ type: '§' }] } }),
    rule({ setState: headers }),
    ['PUT /__understudy/sandboxes/default/scenarios/§'],
    [control('journal/query'), { match: { body: { '§': 1 } } }],
    [control('journal/query'), { operation: '§' }],
    [control('database/§'), {}],
    ['GET /__understudy/sandboxes/§/journal'],
    ['GET /__understudy/§'],
    ['POST /__understudy/sandboxes', { '§': 1 }],
    ['POST /__understudy/sandboxes', { fixtures: { '§': 1 } }],
  ]

  it.each(controlRequests.map((request) => ({ request, title: JSON.stringify(request) })))(
    'gets the same kind of reply as any other name: $title',
    async ({ request }) => {
      const replyFor = async (name: string) => {
        await using server = await startServer()
        return await answer({ baseUrl: server.url }, request, name)
      }
      const usual = await replyFor('qwxzqwxz')
      expect(usual.status).toBeLessThan(500)
      for (const name of inherited) expect({ name, ...(await replyFor(name)) }).toEqual({ name, ...usual })
    },
  )
})
