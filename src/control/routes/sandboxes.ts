/**
 * Sandboxes over HTTP: create, fork, list, snapshot, restore, reset, delete.
 */
import * as z from 'zod'
import { Fixtures } from '../../database/seed-data.ts'
import { sandboxBaseUrl } from '../../gateway/locate.ts'
import { GatewayError } from '../../http/errors.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { SandboxSnapshot } from '../../sandbox/sandbox-host.ts'
import { type ControlContext, gatewayOperation, sandboxOperation } from '../operation.ts'

const SandboxInfo = z
  .strictObject({
    id: z.string(),
    apiKey: z.string().describe('Requests with this key see this sandbox.'),
    baseUrl: z.string().describe('Requests below it see this sandbox, whatever their key; ends in /api/v1.'),
    directUrl: z
      .string()
      .optional()
      .describe(
        'The same past the balancer, where the server was started with --advertise: for resets and half-sent bodies.',
      ),
  })
  .meta({ id: 'Sandbox', description: 'An isolated world of one client.' })
const OneSandbox = z.object({ data: SandboxInfo })

const NewSandbox = z.strictObject({
  fork: z.string().optional().describe('The id of a sandbox to begin like. Default: begin from the seed.'),
  seed: z
    .union([z.int(), z.string().min(1)])
    .optional()
    .describe('Default: the seed of the gateway.'),
  fixtures: Fixtures.optional().describe('Own records, for the collections named.'),
})

const Snapshot = z.strictObject({ id: z.string() })

/** Snapshots that remote callers know by id. */
const snapshots = new WeakMap<Sandbox, Map<string, SandboxSnapshot>>()
/** Maximum number per sandbox; the oldest is evicted first. */
const maxSnapshots = 1000

type Origins = Pick<ControlContext, 'origin' | 'directOrigin'>

/** Where a sandbox is reached. */
export function infoOf(
  { id, apiKey }: Sandbox,
  { origin, directOrigin }: Origins,
): z.infer<typeof SandboxInfo> {
  const below = (address: string) => {
    const baseUrl = `${address}/api/v1`
    return id === 'default' ? baseUrl : sandboxBaseUrl(baseUrl, id)
  }
  const info = { id, apiKey, baseUrl: below(origin) }
  return directOrigin === undefined ? info : { ...info, directUrl: below(directOrigin) }
}

export const sandboxOperations = [
  gatewayOperation({
    id: 'listSandboxes',
    route: 'GET /sandboxes',
    doc: { summary: 'List the living sandboxes, the default one first', tag: 'Sandboxes' },
    output: z.object({ data: z.array(SandboxInfo) }),
    resolve: ({ gateway: { sandboxes }, ...origins }) => ({
      data: [sandboxes.default, ...sandboxes.list()].map((sandbox) => infoOf(sandbox, origins)),
    }),
  }),
  gatewayOperation({
    id: 'createSandbox',
    route: 'POST /sandboxes',
    doc: { summary: 'Create a sandbox, from the seed or as a fork', tag: 'Sandboxes', status: 201 },
    input: { body: NewSandbox.optional(), bodyIsOptional: true },
    output: OneSandbox,
    resolve: ({ gateway, body, ...origins }) => ({ data: infoOf(gateway.sandboxes.create(body), origins) }),
  }),
  gatewayOperation({
    id: 'putSandbox',
    route: 'PUT /sandboxes/{sandbox}',
    doc: {
      summary: 'Create a sandbox under a name of your own, or find the one that has it',
      tag: 'Sandboxes',
    },
    input: {
      params: z.object({
        sandbox: z
          .string()
          .min(1)
          .describe('1 to 64 small letters and digits, with single hyphens between them.'),
      }),
      body: NewSandbox.optional(),
      bodyIsOptional: true,
    },
    output: OneSandbox,
    resolve: ({ gateway, params, body, ...origins }) => ({
      data: infoOf(gateway.sandboxes.create({ ...body, id: params.sandbox }), origins),
    }),
  }),
  sandboxOperation({
    id: 'getSandbox',
    route: 'GET /sandboxes/{sandbox}',
    doc: { summary: 'Read where a sandbox is reached', tag: 'Sandboxes' },
    output: OneSandbox,
    resolve: (sandbox, origins) => ({ data: infoOf(sandbox, origins) }),
  }),
  sandboxOperation({
    id: 'deleteSandbox',
    route: 'DELETE /sandboxes/{sandbox}',
    doc: { summary: 'End a sandbox: its key and path are answered with 410 from then on', tag: 'Sandboxes' },
    resolve: (sandbox) => sandbox.dispose(),
  }),
  sandboxOperation({
    id: 'resetSandbox',
    route: 'POST /sandboxes/{sandbox}/reset',
    remote: 'reset',
    doc: { summary: 'Go back to the seed: data, scenarios, journal, clock and counters', tag: 'Sandboxes' },
    resolve: (sandbox) => sandbox.reset(),
  }),
  sandboxOperation({
    id: 'saveSandbox',
    route: 'GET /sandboxes/{sandbox}/file',
    doc: {
      summary:
        'Save a whole sandbox as a file: rows that differ from the seed, scenarios, clock, counters, calls',
      tag: 'Sandboxes',
    },
    input: {
      query: z.strictObject({
        calls: z
          .enum(['true', 'false'])
          .optional()
          .describe('Whether the journal goes along. Default: true.'),
      }),
    },
    output: z.looseObject({ format: z.literal('understudy-sandbox'), version: z.literal(1) }),
    resolve: (sandbox, { query: { calls } }) => sandbox.save({ calls: calls !== 'false' }),
  }),
  gatewayOperation({
    id: 'openSandbox',
    route: 'POST /sandbox-files',
    doc: {
      summary: 'Create a sandbox that goes on where the one of a file was',
      tag: 'Sandboxes',
      status: 201,
    },
    input: { body: z.looseObject({ format: z.literal('understudy-sandbox'), version: z.literal(1) }) },
    output: OneSandbox,
    resolve: async ({ gateway, body, ...origins }) => ({
      data: infoOf(await gateway.sandboxes.open(body), origins),
    }),
  }),
  sandboxOperation({
    id: 'createSnapshot',
    route: 'POST /sandboxes/{sandbox}/snapshots',
    remote: 'snapshot',
    doc: { summary: 'Keep this moment, to go back to', tag: 'Sandboxes', status: 201 },
    output: z.object({ data: Snapshot }),
    resolve(sandbox) {
      const snapshot = sandbox.snapshot()
      const kept = snapshots.get(sandbox) ?? new Map<string, SandboxSnapshot>()
      snapshots.set(sandbox, kept)
      kept.set(snapshot.id, snapshot)
      const [oldest] = kept.size > maxSnapshots ? kept.keys() : []
      if (oldest !== undefined) kept.delete(oldest)
      return { data: snapshot }
    },
  }),
  sandboxOperation({
    id: 'restoreSnapshot',
    route: 'POST /sandboxes/{sandbox}/restore',
    doc: {
      summary: 'Go back to a moment, as often as needed; the journal is not wound back',
      tag: 'Sandboxes',
    },
    input: { body: Snapshot },
    resolve(sandbox, { body: { id } }) {
      const snapshot = snapshots.get(sandbox)?.get(id)
      if (!snapshot) throw new GatewayError(409, `Sandbox '${sandbox.id}' has no snapshot '${id}'`)
      sandbox.restore(snapshot)
    },
  }),
]
