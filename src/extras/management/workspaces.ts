/** Workspaces: lists, creates, reads and deletes them. `PATCH /workspaces/{id}` is a core operation. */
import * as z from 'zod'
import { GatewayError, invalidRequest } from '../../http/errors.ts'
import { json, ok } from '../../http/reply.ts'
import { uuid } from '../../lib/seed.ts'
import { defineOperation } from '../../operation.ts'
import { findWorkspace, isTaken } from '../../operations/update-workspace.ts'
import { list } from '../../resources/list.ts'
import { Workspace, WorkspaceUpdate } from '../../resources/workspace.ts'
import { apiKeysOf } from './api-keys.ts'
import { Deleted, defaultWorkspaceId, Page, page, userId } from './lists.ts'

const ShownWorkspace = z.lazy(() =>
  Workspace.unwrap().extend({
    default_guardrail_id: z.uuid(),
    disabled_server_tools: list(z.string()),
    include_byok_in_budgets: z.boolean(),
  }),
)
const Reply = z.lazy(() => z.object({ data: ShownWorkspace._zod.innerType }))
const params = z.lazy(() =>
  z.object({ id: z.string().min(1).describe('A workspace UUID or a workspace slug.') }),
)

/** Adds the same fields that a dialect adds to the reply to PATCH /workspaces/{id}. */
function shown(workspace: Workspace, seed: string | number): z.infer<typeof ShownWorkspace> {
  return {
    ...workspace,
    default_guardrail_id: uuid(seed, 'dialect', workspace.id),
    disabled_server_tools: [],
    include_byok_in_budgets: false,
  }
}

const listWorkspaces = defineOperation({
  id: 'listWorkspaces',
  method: 'get',
  path: '/workspaces',
  doc: { summary: 'List workspaces', tag: 'Workspaces' },
  input: { query: Page },
  output: z.lazy(() => z.object({ data: z.array(ShownWorkspace._zod.innerType), total_count: z.int() })),
  async resolve({ query, sandbox }) {
    const { data, total_count } = page(await sandbox.tables.workspaces.rows(), query)
    return ok({ data: data.map((row) => shown(row, sandbox.seed)), total_count })
  },
})

/** Creates a workspace. Throws 400 if the slug is taken. */
const createWorkspace = defineOperation({
  id: 'createWorkspace',
  method: 'post',
  path: '/workspaces',
  doc: { summary: 'Create a workspace', tag: 'Workspaces', status: 201 },
  input: { body: z.lazy(() => WorkspaceUpdate.unwrap().required({ name: true, slug: true })) },
  output: Reply,
  writes: true,
  async resolve({ body, sandbox, now, requestKey }) {
    const { tables, seed } = sandbox
    const id = uuid(requestKey, 'workspace')
    if (await isTaken(sandbox, body.slug, id))
      throw invalidRequest([
        { path: 'body.slug', message: `'${body.slug}' is already used by another workspace`, rule: 'taken' },
      ])
    const created_at = new Date(now).toISOString()
    const row = await tables.workspaces.create({
      id,
      name: body.name,
      slug: body.slug,
      description: body.description ?? null,
      default_text_model: body.default_text_model ?? null,
      default_image_model: body.default_image_model ?? null,
      default_provider_sort: body.default_provider_sort ?? null,
      io_logging_api_key_ids: body.io_logging_api_key_ids ?? null,
      io_logging_sampling_rate: body.io_logging_sampling_rate ?? 1,
      is_data_discount_logging_enabled: body.is_data_discount_logging_enabled ?? false,
      is_observability_broadcast_enabled: body.is_observability_broadcast_enabled ?? false,
      is_observability_io_logging_enabled: body.is_observability_io_logging_enabled ?? false,
      created_at,
      updated_at: created_at,
      created_by: userId(seed),
    })
    return json(201, { data: shown(row, seed) })
  },
})

const getWorkspace = defineOperation({
  id: 'getWorkspace',
  method: 'get',
  path: '/workspaces/{id}',
  doc: { summary: 'Get a workspace', tag: 'Workspaces' },
  input: { params },
  output: Reply,
  errors: [404],
  async resolve(context) {
    return ok({ data: shown(await findWorkspace(context), context.sandbox.seed) })
  },
})

/** Deletes a workspace. Throws 403 for the default workspace, and 400 for a workspace with API keys. */
const deleteWorkspace = defineOperation({
  id: 'deleteWorkspace',
  method: 'delete',
  path: '/workspaces/{id}',
  doc: { summary: 'Delete a workspace', tag: 'Workspaces' },
  input: { params },
  output: Deleted,
  errors: [403, 404],
  writes: true,
  async resolve(context) {
    const { sandbox } = context
    const { id, slug } = await findWorkspace(context)
    if (id === (await defaultWorkspaceId(sandbox)))
      throw new GatewayError(403, `The default workspace '${slug}' cannot be deleted`)
    if ((await apiKeysOf(sandbox)).some((key) => key.workspace_id === id))
      throw new GatewayError(400, `The workspace '${slug}' has API keys: delete them first`)
    await sandbox.tables.workspaces.delete(id)
    return ok({ deleted: true as const })
  },
})

export const workspaceOperations = [listWorkspaces, createWorkspace, getWorkspace, deleteWorkspace]
