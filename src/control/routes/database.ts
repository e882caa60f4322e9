/**
 * The database over HTTP: list, create, read, update, delete, in each collection, checked by its own schema.
 */
import * as z from 'zod'
import type { Records } from '../../database/database.ts'
import { GatewayError, invalidRequest } from '../../http/errors.ts'
import { collectionNames } from '../../resources/collections.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { sandboxOperation } from '../operation.ts'

const collection = z.enum(collectionNames)
const key = z.string().min(1).describe('The id of a record, or else its slug; percent-encoded.')
const Row = z.looseObject({}).describe('A record, as the fixture files have it.')
const OneRow = z.object({ data: Row })

const Equals = z
  .string()
  .optional()
  .describe(
    'A condition as JSON: only records with these fields, for example {"status":"active"}, {"architecture":{"input_modalities":{"some":"image"}}}.',
  )

export const TableChanges = z.strictObject({
  created: z.array(Row).describe('Rows that the seed does not have, in their order.'),
  changed: z
    .array(z.strictObject({ key: z.string(), row: Row }))
    .describe('Rows of the seed, by their first key there, as they are now.'),
  deleted: z.array(z.string()).describe('First keys of seed rows that are gone.'),
})

export const databaseOperations = [
  sandboxOperation({
    id: 'listCollections',
    route: 'GET /sandboxes/{sandbox}/collections',
    remote: 'collections',
    doc: { summary: 'List the collections, and how many records each has', tag: 'Database' },
    output: z.object({ data: z.array(z.strictObject({ name: z.string(), count: z.int() })) }),
    resolve: async ({ db }) => ({
      data: await Promise.all(
        Object.entries(db).map(async ([name, records]) => ({ name, count: (await records.list()).length })),
      ),
    }),
  }),
  sandboxOperation({
    id: 'listChanges',
    route: 'GET /sandboxes/{sandbox}/changes',
    remote: 'changes',
    doc: { summary: 'List what differs from the seed, by collection', tag: 'Database' },
    output: z.object({ data: z.array(TableChanges.extend({ collection: z.string() })) }),
    resolve: ({ state }) => ({
      data: state.database.differences().map(({ collection, difference }) => ({ collection, ...difference })),
    }),
  }),
  sandboxOperation({
    id: 'listRecords',
    route: 'GET /sandboxes/{sandbox}/database/{collection}',
    doc: { summary: 'List the records of a collection', tag: 'Database' },
    input: { params: { collection }, query: z.strictObject({ equals: Equals }) },
    output: z.object({ data: z.array(Row) }),
    resolve: async (sandbox, { params, query }) => ({
      data: await recordsOf(sandbox, params).list(fieldsOf(query.equals)),
    }),
  }),
  sandboxOperation({
    id: 'createRecord',
    route: 'POST /sandboxes/{sandbox}/database/{collection}',
    doc: { summary: 'Add a record', tag: 'Database', status: 201 },
    input: { params: { collection }, body: Row },
    output: OneRow,
    resolve: async (sandbox, { params, body }) => ({ data: await recordsOf(sandbox, params).create(body) }),
  }),
  sandboxOperation({
    id: 'getRecord',
    route: 'GET /sandboxes/{sandbox}/database/{collection}/{key}',
    doc: { summary: 'Read a record', tag: 'Database' },
    input: { params: { collection, key } },
    output: OneRow,
    async resolve(sandbox, { params }) {
      const data = await recordsOf(sandbox, params).get(params.key)
      if (data) return { data }
      throw new GatewayError(404, `${params.collection} has no record '${params.key}'`)
    },
  }),
  sandboxOperation({
    id: 'updateRecord',
    route: 'PATCH /sandboxes/{sandbox}/database/{collection}/{key}',
    doc: { summary: 'Change the named fields of a record', tag: 'Database' },
    input: { params: { collection, key }, body: Row },
    output: OneRow,
    resolve: async (sandbox, { params, body }) => ({
      data: await recordsOf(sandbox, params).update(params.key, body),
    }),
  }),
  sandboxOperation({
    id: 'deleteRecord',
    route: 'DELETE /sandboxes/{sandbox}/database/{collection}/{key}',
    doc: { summary: 'Remove a record, and read it for the last time', tag: 'Database' },
    input: { params: { collection, key } },
    output: OneRow,
    resolve: async (sandbox, { params }) => ({ data: await recordsOf(sandbox, params).delete(params.key) }),
  }),
]

function recordsOf(sandbox: Sandbox, params: { collection: z.infer<typeof collection> }): Records<object> {
  // Every collection takes its own records; which ones these are, its schema checks.
  return sandbox.db[params.collection] as unknown as Records<object>
}

function fieldsOf(text: string | undefined): object {
  if (text === undefined) return {}
  try {
    return z.looseObject({}).parse(JSON.parse(text))
  } catch {
    throw invalidRequest([{ path: 'query.equals', message: 'Must be a JSON object', rule: 'json' }])
  }
}
