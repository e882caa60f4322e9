/** Control operations for the server, sandboxes, their clocks and databases. */
import * as z from 'zod'
import type { Records } from '../database/database.ts'
import { Fixtures } from '../database/seed-data.ts'
import { GatewayError, invalidRequest } from '../http/errors.ts'
import { sandboxBaseUrl } from '../lib/address.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { isObject, parseJson } from '../lib/json.ts'
import { Duration } from '../lib/numbers.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { noSnapshot } from '../sandbox/sandbox.ts'
import { maxSandboxName, type SandboxSnapshot } from '../sandbox/sandbox-options.ts'
import { type ControlContext, gatewayOperation, sandboxOperation } from './operation.ts'

export const SandboxAddress = z
  .strictObject({
    id: z.string(),
    name: z.string().optional().describe('Default: none.'),
    apiKey: z.string().describe('Requests with this key use this sandbox.'),
    baseUrl: z
      .string()
      .describe('Requests under this URL use this sandbox, regardless of their key. Ends in /api/v1.'),
  })
  .meta({ id: 'Sandbox', description: 'Isolated state: data, scenarios, journal and clock.' })
export type SandboxAddress = z.output<typeof SandboxAddress>
const OneSandbox = z.object({ data: SandboxAddress })

const SandboxOptions = z.strictObject({
  name: z.string().max(maxSandboxName).optional().describe('Name to show next to the id. Default: none.'),
  fork: z.string().optional().describe('Id of the sandbox to fork. Default: none.'),
  seed: z
    .union([z.int(), z.string().min(1)])
    .optional()
    .describe("Seed for all generated data. Default: the gateway's seed."),
  fixtures: Fixtures.optional().describe('Custom records by collection.'),
})

const Snapshot = z.strictObject({ id: z.string() })

const snapshots = new WeakMap<Sandbox, Map<string, SandboxSnapshot>>()
/** Maximum number of snapshots per sandbox. The oldest are evicted first. */
const maxSnapshots = 1000

export function infoOf(
  { id, name, apiKey }: Sandbox,
  { origin }: Pick<ControlContext, 'origin'>,
): SandboxAddress {
  const baseUrl = `${origin}/api/v1`
  return { id, name, apiKey, baseUrl: id === 'default' ? baseUrl : sandboxBaseUrl(baseUrl, id) }
}

export const serverOperations = [
  gatewayOperation('getHealth', 'GET /health', {
    doc: { summary: 'Health check. Does not require the token' },
    output: z.object({ data: z.strictObject({ status: z.literal('ok') }) }),
    resolve: () => ({ data: { status: 'ok' } }),
  }),
]

export const sandboxOperations = [
  gatewayOperation('listSandboxes', 'GET /sandboxes', {
    doc: { summary: 'List live sandboxes, the default one first' },
    output: z.object({ data: z.array(SandboxAddress) }),
    resolve: ({ gateway: { sandboxes }, ...origins }) => ({
      data: [sandboxes.default, ...sandboxes.listLive()].map((sandbox) => infoOf(sandbox, origins)),
    }),
  }),
  gatewayOperation('createSandbox', 'POST /sandboxes', {
    doc: { summary: 'Create a sandbox from the seed, or as a fork', status: 201 },
    input: { body: SandboxOptions.optional(), bodyIsOptional: true },
    output: OneSandbox,
    resolve: ({ gateway, body, ...origins }) => ({ data: infoOf(gateway.sandboxes.create(body), origins) }),
  }),
  gatewayOperation('putSandbox', 'PUT /sandboxes/{sandbox}', {
    doc: { summary: 'Create a sandbox with the given id, or return the existing sandbox' },
    input: {
      params: z.object({
        sandbox: z.string().min(1).describe('1 to 64 lowercase letters, digits and single hyphens.'),
      }),
      body: SandboxOptions.optional(),
      bodyIsOptional: true,
    },
    output: OneSandbox,
    resolve: ({ gateway, params, body, ...origins }) => ({
      data: infoOf(gateway.sandboxes.create({ ...body, id: params.sandbox }), origins),
    }),
  }),
  sandboxOperation('getSandbox', 'GET /sandboxes/{sandbox}', {
    doc: { summary: "Read a sandbox's addresses and key" },
    output: OneSandbox,
    resolve: (sandbox, origins) => ({ data: infoOf(sandbox, origins) }),
  }),
  sandboxOperation('deleteSandbox', 'DELETE /sandboxes/{sandbox}', {
    doc: { summary: 'Delete a sandbox. Later requests with its key or path get a 410' },
    resolve: (sandbox) => sandbox.dispose(),
  }),
  sandboxOperation('resetSandbox', 'POST /sandboxes/{sandbox}/reset', {
    remote: 'reset',
    doc: { summary: 'Reset a sandbox: data, scenarios, journal, clock and counters' },
    resolve: (sandbox) => sandbox.reset(),
  }),
  sandboxOperation('createSnapshot', 'POST /sandboxes/{sandbox}/snapshots', {
    remote: 'snapshot',
    doc: { summary: 'Take a snapshot', status: 201 },
    output: z.object({ data: Snapshot }),
    resolve(sandbox) {
      const snapshot = sandbox.snapshot()
      const byId = snapshots.get(sandbox) ?? new Map<string, SandboxSnapshot>()
      snapshots.set(sandbox, byId)
      byId.set(snapshot.id, snapshot)
      const [oldest] = byId.size > maxSnapshots ? byId.keys() : []
      if (oldest !== undefined) byId.delete(oldest)
      return { data: snapshot }
    },
  }),
  sandboxOperation('restoreSnapshot', 'POST /sandboxes/{sandbox}/restore', {
    doc: { summary: 'Restore a snapshot, which remains usable. The journal is unchanged' },
    input: { body: Snapshot },
    resolve(sandbox, { body: { id } }) {
      const snapshot = snapshots.get(sandbox)?.get(id)
      if (!snapshot) throw new GatewayError(409, noSnapshot(sandbox.id, id))
      sandbox.restore(snapshot)
    },
  }),
]

const Reading = z.object({
  data: z.strictObject({
    now: z.string().describe('Current sandbox time, ISO 8601.'),
    elapsedMs: z.number().describe('Elapsed time in milliseconds since the sandbox was created or reset.'),
  }),
})

export const clockOperations = [
  sandboxOperation('readClock', 'GET /sandboxes/{sandbox}/clock', {
    doc: { summary: 'Read sandbox time' },
    output: Reading,
    resolve: ({ clock }) => ({ data: clock.read() }),
  }),
  sandboxOperation('advanceClock', 'POST /sandboxes/{sandbox}/clock/advance', {
    doc: { summary: 'Advance sandbox time: rate limits refill, outages end, timestamps increase' },
    input: {
      body: z.strictObject({
        ms: Duration.describe("Milliseconds, or a duration such as '1m'."),
      }),
    },
    output: Reading,
    resolve({ clock }, { body }) {
      try {
        return { data: clock.advance(body.ms) }
      } catch (error) {
        throw error instanceof RangeError ? new GatewayError(400, error.message) : error
      }
    },
  }),
]

const collection = z.string().describe('Name of a collection, such as `workspaces`.')
const key = z.string().min(1).describe("One of the record's keys, such as its id, slug or URL.")
const Row = z.looseObject({}).describe('A record, as in the fixture files.')
const OneRow = z.object({ data: Row })

const Equals = z.string().optional().describe('Required fields, as a JSON object: {"status":"active"}.')

export const databaseOperations = [
  sandboxOperation('listRecords', 'GET /sandboxes/{sandbox}/database/{collection}', {
    doc: { summary: "List a collection's records" },
    input: { params: { collection }, query: z.strictObject({ equals: Equals }) },
    output: z.object({ data: z.array(Row) }),
    async resolve(sandbox, { params, query: { equals } }) {
      const fields = equals === undefined ? {} : parseJson(equals)
      if (!isObject(fields))
        throw invalidRequest([{ path: 'query.equals', message: 'Must be a JSON object', rule: 'json' }])
      return { data: await recordsOf(sandbox, params).list(fields) }
    },
  }),
  sandboxOperation('createRecord', 'POST /sandboxes/{sandbox}/database/{collection}', {
    doc: { summary: 'Add a record', status: 201 },
    input: { params: { collection }, body: Row },
    output: OneRow,
    resolve: async (sandbox, { params, body }) => ({ data: await recordsOf(sandbox, params).create(body) }),
  }),
  sandboxOperation('getRecord', 'GET /sandboxes/{sandbox}/database/{collection}/{key}', {
    doc: { summary: 'Read a record' },
    input: { params: { collection, key } },
    output: OneRow,
    async resolve(sandbox, { params }) {
      const data = await recordsOf(sandbox, params).get(params.key)
      if (data) return { data }
      throw new GatewayError(404, `${params.collection} has no record '${params.key}'`)
    },
  }),
  sandboxOperation('updateRecord', 'PATCH /sandboxes/{sandbox}/database/{collection}/{key}', {
    doc: { summary: "Update a record's fields" },
    input: { params: { collection, key }, body: Row },
    output: OneRow,
    resolve: async (sandbox, { params, body }) => ({
      data: await recordsOf(sandbox, params).update(params.key, body),
    }),
  }),
  sandboxOperation('deleteRecord', 'DELETE /sandboxes/{sandbox}/database/{collection}/{key}', {
    doc: { summary: 'Delete a record and return it' },
    input: { params: { collection, key } },
    output: OneRow,
    resolve: async (sandbox, { params }) => ({ data: await recordsOf(sandbox, params).delete(params.key) }),
  }),
]

/** The collection's schema validates the records. */
function recordsOf({ db, state }: Sandbox, params: { collection: string }): Records<object> {
  const names = Object.keys(state.tables)
  if (names.includes(params.collection)) return Reflect.get(db, params.collection)
  const message = `Unknown collection '${params.collection}'${didYouMean(params.collection, names)}`
  throw invalidRequest([{ path: 'params.collection', message, rule: 'invalid_value' }])
}
