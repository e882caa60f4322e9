/** A sandbox's activity by day and model, derived from the calls in the journal. */
import * as z from 'zod'
import { ok } from '../../http/reply.ts'
import { dollars } from '../../journal/ledger.ts'
import { uuid } from '../../lib/seed.ts'
import { providersOf } from '../../model/catalogue.ts'
import { defineOperation } from '../../operation.ts'
import type { SandboxState } from '../../sandbox/sandbox-state.ts'
import { apiKeysOf, keyIn, longHash } from './api-keys.ts'
import { defaultWorkspaceId } from './lists.ts'

const ActivityItem = z.lazy(() =>
  z.strictObject({
    date: z.string(),
    model: z.string(),
    model_permaslug: z.string(),
    endpoint_id: z.string(),
    provider_name: z.string(),
    usage: z.number(),
    byok_usage_inference: z.number(),
    requests: z.int(),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    reasoning_tokens: z.int(),
    workspace_id: z.string().optional(),
  }),
)
type ActivityItem = z.infer<typeof ActivityItem>

const day = 86_400_000
const maxDays = 30

/** Sums up requests, tokens and cost by day, model and, if requested, workspace. Includes the current day. */
export const getActivity = defineOperation({
  id: 'getActivity',
  method: 'get',
  path: '/activity',
  doc: { summary: 'Get activity by day and model', tag: 'Analytics' },
  input: {
    query: z.lazy(() =>
      z.looseObject({
        date: z.iso.date('Must be a date, such as 2026-01-01').optional(),
        api_key_hash: z.string().optional(),
        user_id: z.string().optional(),
        group_by: z.enum(['workspace']).optional(),
        workspace_id: z.string().optional(),
      }),
    ),
  },
  output: z.lazy(() => z.object({ data: z.array(ActivityItem._zod.innerType) })),
  async resolve({ query, sandbox, now }) {
    const workspaces = new Map((await apiKeysOf(sandbox)).map((row) => [row.hash, row.workspace_id]))
    const otherWorkspace = await defaultWorkspaceId(sandbox)
    const items = new Map<string, ActivityItem>()
    for (const call of sandbox.journal.records()) {
      const { usage, at, headers } = call
      const key = longHash(keyIn(headers))
      const workspace_id = workspaces.get(key) ?? otherWorkspace
      const date = new Date(at).toISOString().slice(0, 10)
      const isWanted =
        now - at < maxDays * day &&
        (query.date ?? date) === date &&
        (query.api_key_hash ?? key) === key &&
        (query.workspace_id ?? workspace_id) === workspace_id
      if (!usage || !isWanted) continue
      const more = query.group_by ? { workspace_id } : {}
      const group = JSON.stringify([date, usage.model, more])
      const before = items.get(group) ?? (await emptyItem(date, usage.model, sandbox, more))
      items.set(group, {
        ...before,
        requests: before.requests + 1,
        usage: dollars(before.usage + (usage.cost ?? 0)),
        prompt_tokens: before.prompt_tokens + usage.inputTokens,
        completion_tokens: before.completion_tokens + usage.outputTokens,
        reasoning_tokens: before.reasoning_tokens + usage.reasoningTokens,
      })
    }
    return ok({ data: [...items.values()] })
  },
})

async function emptyItem(
  date: string,
  model: string,
  { seed, tables }: SandboxState,
  more: { workspace_id?: string },
): Promise<ActivityItem> {
  const [provider] = await providersOf(model, tables)
  const listed = await tables.models.find(model)
  return {
    date,
    model,
    model_permaslug: listed?.canonical_slug ?? model,
    endpoint_id: uuid(seed, 'endpoint', model),
    provider_name: provider?.name ?? '',
    usage: 0,
    byok_usage_inference: 0,
    requests: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    reasoning_tokens: 0,
    ...more,
  }
}
