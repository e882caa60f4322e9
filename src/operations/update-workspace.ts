/** Workspaces: containers for defaults and logging settings. Spec: PATCH /workspaces/{id}. */
import * as z from 'zod'
import { GatewayError } from '../http/errors.ts'
import { ok } from '../http/reply.ts'
import { defineOperation, type RequestContext } from '../operation.ts'
import { unknownSlug } from '../resources/unknown-slug.ts'
import { PROVIDER_SORTS, Workspace, WorkspaceUpdate } from '../resources/workspace.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'

type Updatable = Pick<Workspace, keyof typeof WorkspaceUpdate._zod.innerType.shape>

/** Updates a workspace's fields. Null clears a nullable field, and missing fields are unchanged. */
export const updateWorkspace = defineOperation({
  id: 'updateWorkspace',
  method: 'patch',
  path: '/workspaces/{id}',
  doc: { summary: 'Update a workspace', tag: 'Workspaces' },
  input: {
    params: z.lazy(() =>
      z.object({ id: z.string().min(1).describe('A workspace UUID or a workspace slug.') }),
    ),
    body: WorkspaceUpdate,
  },
  output: z.lazy(() => z.object({ data: Workspace })),
  errors: [404, 409],
  writes: true,
  async resolve(context) {
    const { body, sandbox, now, assume, warn } = context
    const workspace = await findWorkspace(context)
    const changes = updatableFields(body)
    if (Object.keys(changes).length === 0) {
      assume('emptyUpdate')
      return ok({ data: workspace })
    }
    if (changes.slug !== undefined && (await isTaken(sandbox, changes.slug, workspace.id))) {
      assume('slugConflict')
      throw new GatewayError(409, `The slug '${changes.slug}' is already used by another workspace`)
    }
    const sort = changes.default_provider_sort
    if (sort != null && !PROVIDER_SORTS.some((described) => described === sort)) {
      assume('providerSort')
      warn(
        `default_provider_sort '${sort}' is not one of the documented values: ${PROVIDER_SORTS.join(', ')}`,
      )
    }
    // A test may have set the time of the last update to a future date.
    const updated_at = new Date(Math.max(now, Date.parse(workspace.updated_at) + 1)).toISOString()
    return ok({ data: await sandbox.tables.workspaces.update(workspace.id, { ...changes, updated_at }) })
  },
})

/** Finds a workspace by id, case-insensitively, then by slug, because a UUID is also a valid slug. */
export async function findWorkspace(context: RequestContext<{ id: string }>): Promise<Workspace> {
  const { id } = context.params
  const { workspaces } = context.sandbox.tables
  const byId = (await workspaces.findBy('id', id)) ?? (await workspaces.findBy('id', id.toLowerCase()))
  const bySlug = await workspaces.findBy('slug', id)
  if (byId && bySlug && byId !== bySlug) context.assume('workspaceLookup')
  const workspace = byId ?? bySlug
  if (workspace) return workspace
  context.assume('notFound')
  throw unknownSlug('no workspace has the id or slug', id, await workspaces.rows())
}

export async function isTaken({ tables }: SandboxState, slug: string, id: string): Promise<boolean> {
  const keys = ['slug', 'id'] as const
  const matches = await Promise.all(keys.map((key) => tables.workspaces.findBy(key, slug)))
  return matches.some((match) => match !== undefined && match.id !== id)
}

function updatableFields(body: z.infer<typeof WorkspaceUpdate>): Partial<Updatable> {
  const { shape } = WorkspaceUpdate._zod.innerType
  const fields = Object.entries(body).filter(([field]) => Object.hasOwn(shape, field))
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}
