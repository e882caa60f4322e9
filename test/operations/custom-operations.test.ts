/** Tests custom operations: `createGateway({ operations })` with any Standard Schema. */
import { describe, expect, it } from 'vitest'
import * as zod from 'zod'
import { createGateway, defineOperation, GatewayError, json, ok, type Reply } from '../../src/index.ts'
import type { Schema } from '../../src/operation.ts'
import { startServer } from '../../src/serve.ts'
import { call, open } from '../call.ts'
import { hasExtra } from '../has-extra.ts'

const makeReport = defineOperation({
  id: 'makeReport',
  method: 'post',
  path: '/reports/{id}',
  doc: { summary: 'Makes a report', tag: 'Reports' },
  input: {
    params: zod.object({ id: zod.string().min(3) }),
    query: zod.object({ pages: zod.coerce.number().int().optional() }),
    body: zod.object({ title: zod.string() }),
  },
  output: zod.object({ data: zod.object({ id: zod.string(), title: zod.string(), pages: zod.int() }) }),
  resolve: ({ params, query, body }) =>
    ok({ data: { id: params.id, title: body.title, pages: query.pages ?? 1 } }),
})

/** Returns the operation as the served OpenAPI document describes it. */
// biome-ignore lint/suspicious/noExplicitAny: tests read any part of the document
async function documented(operation: typeof makeReport | object, path: string): Promise<any> {
  await using server = await startServer({ operations: [operation as typeof makeReport] })
  return (await call({ baseUrl: server.url }, 'GET /openapi.json')).body.paths[path].post
}

describe('custom operations', () => {
  it('are routed and validated', async () => {
    const gateway = createGateway({ operations: [makeReport] })
    const reply = await call(gateway, 'POST /reports/abc?pages=3', { body: { title: 'Tides', size: 1 } })
    expect(reply.body).toEqual({ data: { id: 'abc', title: 'Tides', pages: 3 } })
    expect(gateway.journal.last(makeReport.id)?.warnings).toEqual([
      'body.size is unknown to makeReport and was ignored',
    ])
    const rejected = await call(gateway, 'POST /reports/ab', { body: {} })
    expect(rejected.body.error.metadata.violations).toEqual([
      { path: 'params.id', message: "Must have at least 3 characters, got 'ab'", rule: 'too_small' },
      { path: 'body.title', message: 'Is required', rule: 'invalid_type' },
    ])
  })

  it.runIf(hasExtra('exports'))('are in the OpenAPI document', async () => {
    expect(await documented(makeReport, '/reports/{id}')).toMatchObject({
      operationId: 'makeReport',
      parameters: [
        { name: 'id', in: 'path' },
        { name: 'pages', in: 'query' },
      ],
    })
  })

  const valid = makeReport
  it.each([
    [{ ...valid, output: undefined }, /operation 'makeReport': output must be a Standard Schema/],
    [{ ...valid, input: { body: { type: 'object' } } }, /: input.body must be a Standard Schema/],
    [{ ...valid, input: { query: { safeParse() {} } } }, /: input.query must be a Standard Schema/],
    [{ ...valid, streams: {} }, /: streams must be true, or a Standard Schema of the events/],
    [{ ...valid, method: 'POST' }, /method must be 'get', 'post', .*did you mean 'post'/],
    [{ ...valid, path: 'reports' }, /path must start with a slash/],
    [{ ...valid, path: '/reports/:id/pages/:page' }, /write \/reports\/\{id\}\/pages\/\{page\}/],
    [{ ...valid, id: 'getPreset' }, /operation 'getPreset': another operation has the same id/],
    [
      { ...valid, method: 'patch', path: '/workspaces/{key}' },
      /PATCH \/workspaces\/\{key\} is already defined by 'updateWorkspace'/,
    ],
    [{ ...valid, resolve: undefined }, /resolve must be a function/],
    [{ ...valid, id: '' }, /an operation: id must not be empty/],
  ])('are rejected with a one-line error if invalid: $1', (operation, message) => {
    expect(() => createGateway({ operations: [operation as typeof valid] })).toThrow(message)
  })
})

describe("a custom operation's reply", () => {
  const resultOf = async (resolve: () => unknown) => {
    const operation = defineOperation({
      id: 'x',
      method: 'get',
      path: '/x',
      output: zod.object({ data: zod.null() }),
      resolve: resolve as () => Reply<{ data: null }>,
    })
    const { status, body } = await call(createGateway({ operations: [operation] }), 'GET /x')
    return [status, body?.error?.message ?? body]
  }
  const threw = (what: string) => `resolve() of the 'x' operation threw ${what}`
  const throwing = (error: Error) => () => {
    throw error
  }

  it.each<[name: string, resolve: () => unknown, expected: unknown]>([
    ['a valid value', () => ok({ data: null }), [200, { data: null }]],
    ['an invalid value with status 299', () => json(299, {}), [500, expect.stringContaining('violates')]],
    ['any value with status 300', () => json(300, {}), [300, {}]],
    ['no body', () => ({ status: 204, headers: {}, body: { kind: 'none' } }), [204, undefined]],
    ...[400, 404, 599].map((status): [string, () => unknown, unknown] => [
      `an error with status ${status}`,
      throwing(new GatewayError(status, 'No')),
      [status, 'No'],
    ]),
    ...[399, 600, 450.5].map((status): [string, () => unknown, unknown] => [
      `an error with status ${status}`,
      throwing(new GatewayError(status, 'No')),
      [500, threw(`a GatewayError with the status ${status}; it must be 400 to 599`)],
    ]),
    [
      'an error of another class with a status',
      throwing(Object.assign(new Error('No'), { status: 404 })),
      [500, threw('Error: No')],
    ],
  ])('may or may not be %s', async (_, resolve, expected) => {
    expect(await resultOf(resolve)).toEqual(expected)
  })
})

/** Standard Schema for an object with one string, from a library without JSON Schema support. */
function textField(name: string, isAsync = false): Schema<Record<string, string>, Record<string, string>> {
  const validate = (value: unknown) => {
    const text: unknown = Object(value)[name]
    if (typeof text !== 'string') return { issues: [{ message: 'Expected a text', path: [{ key: name }] }] }
    return { value: { [name]: text.toUpperCase() } }
  }
  return {
    '~standard': {
      version: 1,
      vendor: 'of-this-test',
      validate: isAsync ? async (value) => validate(value) : validate,
    },
  }
}

describe('a custom operation with Standard Schemas', () => {
  const copyText = defineOperation({
    id: 'copyText',
    method: 'post',
    path: '/copies/{id}',
    input: {
      params: textField('id'),
      query: textField('lang'),
      headers: textField('x-team'),
      body: textField('text', true),
    },
    output: textField('copy', true),
    resolve: ({ params, query, body }) =>
      ok<Record<string, string>>(
        body['text'] === 'WRONG' ? {} : { copy: `${params['id']} ${query['lang']} ${body['text']}` },
      ),
  })
  const gateway = createGateway({ operations: [copyText], strict: true })
  const copy = (path: string, body: object, headers = { 'x-team': 'a' }) =>
    call(gateway, `POST ${path}`, { body, headers })

  it("receives its schemas' output, including that of asynchronous ones", async () => {
    const { status, body } = await copy('/copies/a?lang=en', { text: 'tides', more: 1 })
    expect([status, body]).toEqual([200, { copy: 'A EN TIDES' }])
  })

  it('rejects an invalid request with the path of every issue', async () => {
    const { status, body } = await call(gateway, 'POST /copies/a', { body: { text: 1 } })
    expect(status).toBe(400)
    expect(gateway.journal.entries().at(-1)?.assumptions).toEqual(['violations'])
    expect(body.error.metadata.violations).toEqual([
      { path: 'query.lang', message: 'Expected a text', rule: 'schema' },
      { path: 'header.x-team', message: 'Expected a text', rule: 'schema' },
      { path: 'body.text', message: 'Expected a text', rule: 'schema' },
    ])
  })

  it('responds with 500 if the reply violates its schema', async () => {
    const { status, body } = await copy('/copies/a?lang=en', { text: 'wrong' })
    expect(status).toBe(500)
    expect(body.error.message).toBe(
      "the reply from resolve() of the 'copyText' operation violates its schema: reply.copy: Expected a text",
    )
  })

  it.runIf(hasExtra('exports'))(
    'is in the OpenAPI document with empty schemas and without a tag',
    async () => {
      const { tags, parameters, requestBody, responses } = await documented(copyText, '/copies/{id}')
      expect(tags).toBeUndefined()
      expect(parameters).toEqual([{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }])
      expect(requestBody).toEqual({ required: true, content: { 'application/json': { schema: {} } } })
      expect(responses['200'].content['application/json'].schema).toEqual({})
    },
  )

  it('accepts a zod schema with an asynchronous refinement', async () => {
    const findText = defineOperation({
      id: 'findText',
      method: 'get',
      path: '/texts/{id}',
      input: { params: zod.object({ id: zod.string().refine(async (id) => id !== 'none', 'No text') }) },
      output: zod.object({ id: zod.string() }),
      resolve: ({ params }) => ok(params),
    })
    const target = createGateway({ operations: [findText] })
    expect((await call(target, 'GET /texts/a')).body).toEqual({ id: 'a' })
    expect((await call(target, 'GET /texts/none')).body.error.metadata.violations).toMatchObject([
      { path: 'params.id', message: 'No text' },
    ])
  })
})

it.runIf(hasExtra('exports'))(
  "a custom operation is documented with its library's JSON Schemas, unless they fail or have references",
  async () => {
    const documentedAs = (name: string, schema: () => Record<string, unknown>): Schema => ({
      '~standard': { ...textField(name)['~standard'], jsonSchema: { input: schema, output: schema } },
    })
    const objectOf = (name: string) => () => ({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { [name]: { type: 'string', minLength: 2 } },
      required: [name],
    })
    const findNote = defineOperation({
      id: 'findNote',
      method: 'post',
      path: '/notes/{id}/{part}',
      input: {
        params: documentedAs('id', objectOf('id')),
        query: documentedAs('lang', objectOf('lang')),
        body: documentedAs('text', () => ({ $ref: '#/$defs/Text' })),
      },
      output: documentedAs('copy', () => {
        throw new Error('not supported')
      }),
      resolve: () => ok({ copy: 'a' }),
    })
    const { parameters, requestBody, responses } = await documented(findNote, '/notes/{id}/{part}')
    expect(parameters).toEqual([
      { name: 'id', in: 'path', required: true, schema: { type: 'string', minLength: 2 } },
      { name: 'part', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'lang', in: 'query', required: true, schema: { type: 'string', minLength: 2 } },
    ])
    expect(requestBody.content['application/json'].schema).toEqual({})
    expect(responses['200'].content['application/json'].schema).toEqual({})
  },
)

const running: string[] = []
const sendNote = defineOperation({
  id: 'sendNote',
  method: 'post',
  path: '/notes',
  writes: true,
  streams: zod.object({ word: zod.string() }),
  errors: [409],
  input: {
    headers: zod.looseObject({ 'x-team': zod.string() }),
    body: zod.object({ text: zod.string() }).optional(),
    bodyIsOptional: true,
  },
  output: zod.object({ data: zod.string() }),
  async resolve({ body, headers }) {
    running.push('begin')
    await new Promise((resolve) => setImmediate(resolve))
    running.push('end')
    return ok({ data: body?.text ?? `none of ${headers['x-team']}` })
  },
})

it('a custom operation supports every optional field of defineOperation', async () => {
  const gateway = createGateway({ operations: [sendNote] })
  const send = (headers: Record<string, string>) => call(gateway, 'POST /notes', { headers })
  expect((await send({})).status).toBe(400)
  const replies = await Promise.all([send({ 'x-team': 'a' }), send({ 'x-team': 'b' })])
  expect(replies.map(({ body }) => body)).toEqual([{ data: 'none of a' }, { data: 'none of b' }])
  expect(running).toEqual(['begin', 'end', 'begin', 'end'])
  expect(() => gateway.use({ on: sendNote.id, fault: 'stream-cut' })).not.toThrow()
})

it.runIf(hasExtra('exports'))('a custom operation is documented with every optional field', async () => {
  const { responses } = await documented(sendNote, '/notes')
  expect(responses['409']).toEqual({ $ref: '#/components/responses/Error409' })
  expect(responses['200'].content['text/event-stream']['x-event-schema'].properties).toEqual({
    word: { type: 'string' },
  })
})

it('a custom operation cannot modify database rows passed to its resolver', async () => {
  const spoil = defineOperation({
    id: 'spoilWorkspaces',
    method: 'post',
    path: '/spoilt',
    output: zod.object({ data: zod.null() }),
    async resolve({ sandbox }) {
      for (const row of await sandbox.db.workspaces.list()) {
        Reflect.set(row, 'name', 'Spoilt')
      }
      return ok({ data: null })
    },
  })
  const { fetch, db } = createGateway({ operations: [spoil] })
  await db.workspaces.update('staging', { name: 'Mine' })
  const before = await db.workspaces.list()
  expect((await open({ fetch }, 'POST /spoilt')).status).toBe(200)
  expect(await db.workspaces.list()).toEqual(before)
})

it('a custom operation that writes can change records, one operation at a time, while a test waits', async () => {
  const addWorkspaces = defineOperation({
    id: 'addWorkspaces',
    method: 'post',
    path: '/added/{slug}',
    writes: true,
    input: { params: zod.object({ slug: zod.string() }) },
    output: zod.object({ data: zod.array(zod.string()) }),
    async resolve({ params: { slug }, sandbox: { db } }) {
      const existing = await db.workspaces.list()
      const [created] = await Promise.all([
        db.workspaces.create({ name: slug, slug }),
        db.workspaces.create({ name: `${slug} 2`, slug: `${slug}-2` }),
      ])
      await db.workspaces.update(created.id, { description: `After ${existing.length}` })
      await db.workspaces.delete(`${slug}-2`)
      return ok({ data: existing.map(({ name }) => name) })
    },
  })
  const gateway = createGateway({ operations: [addWorkspaces] })
  const before = (await gateway.db.workspaces.list()).length
  const replies = [call(gateway, 'POST /added/a'), call(gateway, 'POST /added/b')]
  await gateway.db.workspaces.create({ name: 'c', slug: 'c' })
  expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 200])
  const added = (await gateway.db.workspaces.list()).slice(before)
  expect(added.map(({ slug }) => slug).sort()).toEqual(['a', 'b', 'c'])
  expect(new Set(added.map(({ description }) => description)).size).toBe(3)
})

it('a custom operation that writes changes nothing if it throws', async () => {
  const failing = defineOperation({
    id: 'failToWrite',
    method: 'post',
    path: '/failing',
    writes: true,
    output: zod.object({}),
    async resolve({ sandbox: { db } }) {
      await db.workspaces.create({ name: 'b', slug: 'b' })
      await db.workspaces.update('a', { name: 'Changed' })
      await db.providers.delete('borealis')
      void db.presets.update('code-review', { name: 'Not awaited' })
      throw new GatewayError(418)
    },
  })
  const gateway = createGateway({ operations: [failing] })
  const { db } = gateway
  await db.workspaces.create({ name: 'a', slug: 'a' })
  const rows = () => Promise.all([db.workspaces.list(), db.providers.list(), db.presets.list()])
  const before = await rows()
  expect((await call(gateway, 'POST /failing')).status).toBe(418)
  expect(await rows()).toEqual(before)
  await db.workspaces.create({ name: 'b', slug: 'b' })
})
