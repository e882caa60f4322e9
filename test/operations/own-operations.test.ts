/**
 * `createGateway({ operations })`: operations of a person's own, also with a copy of zod of their own.
 */
import { cp, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import * as zod from 'zod'
import { apiDocument } from '../../src/control/documents.ts'
import { createGateway, defineOperation, ok } from '../../src/index.ts'
import { call, open } from '../call.ts'

function reportIn(z: typeof zod) {
  return defineOperation({
    id: 'makeReport',
    method: 'post',
    path: '/reports/{id}',
    summary: 'Makes a report',
    tag: 'Reports',
    params: z.object({ id: z.string().min(3) }),
    query: z.object({ pages: z.coerce.number().int().optional() }),
    body: z.object({ title: z.string() }),
    response: z.object({ data: z.object({ id: z.string(), title: z.string(), pages: z.int() }) }),
    resolve: ({ params, query, body }) =>
      ok({ data: { id: params.id, title: body.title, pages: query.pages ?? 1 } }),
  })
}

async function post(operation: ReturnType<typeof reportIn>, path: string, body: object) {
  const { status, body: reply } = await call(createGateway({ operations: [operation] }), `POST ${path}`, {
    body,
  })
  return { status, body: reply }
}

describe('Own operations', () => {
  const copies: [string, () => Promise<typeof zod>][] = [
    ['the zod of the package', async () => zod],
    ['another copy of zod', copyOfZod],
  ]

  it.each(copies)('are routed, checked and documented with %s', async (_, load) => {
    const operation = reportIn(await load())
    expect((await post(operation, '/reports/abc?pages=3', { title: 'Tides' })).body).toEqual({
      data: { id: 'abc', title: 'Tides', pages: 3 },
    })
    const refused = await post(operation, '/reports/ab', {})
    expect(refused.body.error.metadata.violations.map(({ path }: { path: string }) => path)).toEqual([
      'params.id',
      'body.title',
    ])
    const { paths } = apiDocument(createGateway({ operations: [operation] })) as { paths: object }
    expect(Reflect.get(paths, '/reports/{id}').post).toMatchObject({
      operationId: 'makeReport',
      parameters: [
        { name: 'id', in: 'path' },
        { name: 'pages', in: 'query' },
      ],
    })
  })

  const good = reportIn(zod)
  it.each([
    [{ ...good, response: undefined }, /operation 'makeReport': response is missing/],
    [{ ...good, body: { type: 'object' } }, /operation 'makeReport': body must be a schema of zod 4/],
    [{ ...good, query: { safeParse() {} } }, /operation 'makeReport': query must be a schema of zod 4/],
    [{ ...good, method: 'GET' }, /method 'GET' is none of get, post, .*did you mean 'get'/],
    [{ ...good, path: 'reports' }, /path 'reports' must begin with a slash/],
    [{ ...good, id: 'getPreset' }, /operation 'getPreset': there is an operation of this id already/],
    [
      { ...good, method: 'patch', path: '/workspaces/{key}' },
      /PATCH \/workspaces\/\{key\} is answered by 'updateWorkspace' already/,
    ],
    [{ ...good, resolve: undefined }, /resolve must be a function/],
  ])('are refused with one clear line: %#', (operation, message) => {
    expect(() => createGateway({ operations: [operation as typeof good] })).toThrow(message)
  })
})

it('An operation with every optional field keeps each of them', async () => {
  const running: string[] = []
  const sendNote = defineOperation({
    id: 'sendNote',
    method: 'post',
    path: '/notes',
    summary: 'Sends a note',
    tag: 'Notes',
    writes: true,
    streams: true,
    events: zod.object({ word: zod.string() }),
    refuses: [409],
    headers: zod.looseObject({ 'x-team': zod.string() }),
    body: zod.object({ text: zod.string() }).optional(),
    bodyIsOptional: true,
    response: zod.object({ data: zod.string() }),
    async resolve({ body }) {
      running.push('begin')
      await new Promise((resolve) => setImmediate(resolve))
      running.push('end')
      return ok({ data: body?.text ?? 'none' })
    },
  })
  const gateway = createGateway({ operations: [sendNote] })
  const send = (headers: Record<string, string>) => call(gateway, 'POST /notes', { headers })
  expect((await send({})).status).toBe(400)
  const replies = await Promise.all([send({ 'x-team': 'a' }), send({ 'x-team': 'b' })])
  expect(replies.map(({ body }) => body)).toEqual([{ data: 'none' }, { data: 'none' }])
  expect(running).toEqual(['begin', 'end', 'begin', 'end'])
  expect(() => gateway.use({ on: sendNote.id, fault: 'stream-cut' })).not.toThrow()

  const { paths } = JSON.parse(JSON.stringify(apiDocument(gateway)))
  const { responses } = paths['/notes'].post
  expect(responses['409']).toEqual({ $ref: '#/components/responses/Error409' })
  expect(responses['200'].content['text/event-stream']['x-event-schema'].properties).toEqual({
    word: { type: 'string' },
  })
})

it('A resolver cannot change a row, seeded or written, that it was shown', async () => {
  const refused: string[] = []
  const spoil = defineOperation({
    id: 'spoilWorkspaces',
    method: 'post',
    path: '/spoilt',
    summary: 'Spoils workspaces',
    tag: 'Spoilt',
    response: zod.object({ data: zod.null() }),
    async resolve({ sandbox }) {
      for (const row of await sandbox.tables.workspaces.list(() => true)) {
        if (!Reflect.set(row, 'name', 'Spoilt')) refused.push(row.slug)
      }
      return ok({ data: null })
    },
  })
  const { fetch, db } = createGateway({ operations: [spoil] })
  await db.workspaces.update('staging', { name: 'Mine' })
  const before = await db.workspaces.list()
  expect((await open({ fetch }, 'POST /spoilt')).status).toBe(200)
  expect(refused).toEqual(before.map(({ slug }) => slug))
  expect(await db.workspaces.list()).toEqual(before)
})

async function copyOfZod(): Promise<typeof zod> {
  const folder = await mkdtemp(join(tmpdir(), 'understudy-zod-'))
  const source = new URL('../../node_modules/zod', import.meta.url).pathname
  await cp(source, folder, {
    recursive: true,
    filter: (file) => !/\.[cm]?ts$|\/src$|locales\/.*\.cjs$/.test(file),
  })
  const copy = await import(/* @vite-ignore */ pathToFileURL(join(folder, 'index.js')).href)
  expect(copy.ZodObject).not.toBe(zod.ZodObject)
  return copy
}
