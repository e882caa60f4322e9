/**
 * Sandboxes over HTTP: create, fork, list, snapshot, restore, reset, delete.
 */
import * as z from 'zod'
import { Fixtures } from '../../database/seed-data.ts'
import { sandboxBaseUrl } from '../../gateway/locate.ts'
import { GatewayError } from '../../http/errors.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { type ControlContext, gatewayRoute, sandboxRoute } from '../route.ts'

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

export const sandboxRoutes = [
  gatewayRoute({
    id: 'listSandboxes',
    summary: 'List the living sandboxes, the default one first',
    tag: 'Sandboxes',
    response: z.object({ data: z.array(SandboxInfo) }),
    run: ({ gateway: { sandboxes }, ...origins }) => ({
      data: [sandboxes.default, ...sandboxes.list()].map((sandbox) => infoOf(sandbox, origins)),
    }),
  }),
  gatewayRoute({
    id: 'createSandbox',
    summary: 'Create a sandbox, from the seed or as a fork',
    tag: 'Sandboxes',
    status: 201,
    body: NewSandbox.optional(),
    response: OneSandbox,
    run: ({ gateway, body, ...origins }) => ({ data: infoOf(gateway.sandboxes.create(body), origins) }),
  }),
  gatewayRoute({
    id: 'putSandbox',
    summary: 'Create a sandbox under a name of your own, or find the one that has it',
    tag: 'Sandboxes',
    params: z.object({
      sandbox: z
        .string()
        .min(1)
        .describe('1 to 64 small letters and digits, with single hyphens between them.'),
    }),
    body: NewSandbox.optional(),
    response: OneSandbox,
    run: ({ gateway, params, body, ...origins }) => ({
      data: infoOf(gateway.sandboxes.create({ ...body, id: params.sandbox }), origins),
    }),
  }),
  sandboxRoute({
    id: 'getSandbox',
    summary: 'Read where a sandbox is reached',
    tag: 'Sandboxes',
    response: OneSandbox,
    run: (sandbox, origins) => ({ data: infoOf(sandbox, origins) }),
  }),
  sandboxRoute({
    id: 'deleteSandbox',
    summary: 'End a sandbox: its key and path are answered with 410 from then on',
    tag: 'Sandboxes',
    run: (sandbox) => sandbox.dispose(),
  }),
  sandboxRoute({
    id: 'resetSandbox',
    summary: 'Go back to the seed: data, scenarios, journal, clock and counters',
    tag: 'Sandboxes',
    run: (sandbox) => sandbox.reset(),
  }),
  sandboxRoute({
    id: 'saveSandbox',
    summary:
      'Save a whole sandbox as a file: rows that differ from the seed, scenarios, clock, counters, calls',
    tag: 'Sandboxes',
    query: z.strictObject({
      calls: z.enum(['true', 'false']).optional().describe('Whether the journal goes along. Default: true.'),
    }),
    response: z.looseObject({ format: z.literal('understudy-sandbox'), version: z.literal(1) }),
    run: (sandbox, { query: { calls } }) => sandbox.save({ calls: calls !== 'false' }),
  }),
  gatewayRoute({
    id: 'openSandbox',
    summary: 'Create a sandbox that goes on where the one of a file was',
    tag: 'Sandboxes',
    status: 201,
    body: z.looseObject({ format: z.literal('understudy-sandbox'), version: z.literal(1) }),
    response: OneSandbox,
    run: async ({ gateway, body, ...origins }) => ({
      data: infoOf(await gateway.sandboxes.open(body), origins),
    }),
  }),
  sandboxRoute({
    id: 'createSnapshot',
    summary: 'Keep this moment, to go back to',
    tag: 'Sandboxes',
    status: 201,
    response: z.object({ data: Snapshot }),
    run(sandbox, { snapshots }) {
      const snapshot = sandbox.snapshot()
      snapshots.keep(sandbox, snapshot.id, snapshot)
      return { data: snapshot }
    },
  }),
  sandboxRoute({
    id: 'restoreSnapshot',
    summary: 'Go back to a moment, as often as needed; the journal is not wound back',
    tag: 'Sandboxes',
    body: Snapshot,
    run(sandbox, { snapshots, body: { id } }) {
      const snapshot = snapshots.find(sandbox, id)
      if (!snapshot) throw new GatewayError(409, `Sandbox '${sandbox.id}' has no snapshot '${id}'`)
      sandbox.restore(snapshot)
    },
  }),
]
