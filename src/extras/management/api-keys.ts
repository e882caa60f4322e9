/** API keys. A sandbox accepts any key until one is created or deleted, and only existing keys from then on. */
import * as z from 'zod'
import type { Table } from '../../database/table.ts'
import { json, ok } from '../../http/reply.ts'
import { dollars } from '../../journal/ledger.ts'
import { hash } from '../../lib/seed.ts'
import { defineOperation, type RequestContext } from '../../operation.ts'
import { defineCollection } from '../../resources/collection.ts'
import type { SandboxState } from '../../sandbox/sandbox-state.ts'
import { Deleted, defaultWorkspaceId, notFound, offset, userId } from './lists.ts'

const usages = () => ({
  usage: z.number(),
  usage_daily: z.number(),
  usage_weekly: z.number(),
  usage_monthly: z.number(),
  byok_usage: z.number(),
  byok_usage_daily: z.number(),
  byok_usage_weekly: z.number(),
  byok_usage_monthly: z.number(),
})

const settings = () => ({
  name: z.string().min(1).describe('Name of the key.'),
  limit: z.number().nullable().describe('Spending limit in US dollars.'),
  limit_reset: z.enum(['daily', 'weekly', 'monthly']).nullable(),
  include_byok_in_limit: z.boolean(),
})

const record = () => ({
  ...settings(),
  hash: z.string(),
  label: z.string(),
  disabled: z.boolean(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  expires_at: z.string().nullable(),
  creator_user_id: z.string().nullable(),
  external_user: z.string().nullable(),
  workspace_id: z.string(),
})

/** A key that a request has created, changed, deleted, or used to create keys. Only its hash is stored. */
const ApiKeyRow = z.lazy(() =>
  z.strictObject({
    ...record(),
    state: z
      .enum(['listed', 'unlisted', 'deleted'])
      .describe('`unlisted`: keys that were used to create other keys.'),
  }),
)
type ApiKeyRow = z.infer<typeof ApiKeyRow>

export const apiKeys = defineCollection({
  name: 'apiKeys',
  schema: ApiKeyRow,
  keys: { hash: ({ hash }) => hash },
  fixtures: async () => ({ default: [] }),
  fake: ({ field }) => keyRow(`key-${field('hash').string.uuid()}`, '2026-01-01T00:00:00.000Z', 'listed'),
})

const ApiKey = z.lazy(() =>
  z.strictObject({
    ...record(),
    limit_remaining: z.number().nullable(),
    ...usages(),
  }),
)
const Reply = z.lazy(() => z.object({ data: ApiKey._zod.innerType }))
const params = z.lazy(() => z.object({ hash: z.string().min(1).describe('Hash that identifies the key.') }))

/** Lists a workspace's keys. Disabled keys are omitted unless the query includes them. */
const listApiKeys = defineOperation({
  id: 'listApiKeys',
  method: 'get',
  path: '/keys',
  doc: { summary: 'List API keys', tag: 'API Keys' },
  input: {
    query: z.lazy(() =>
      z.looseObject({
        offset: offset(),
        include_disabled: z.string().optional(),
        workspace_id: z.uuid().optional().describe('Default: the default workspace.'),
      }),
    ),
  },
  output: z.lazy(() => z.object({ data: z.array(ApiKey._zod.innerType) })),
  async resolve({ query, sandbox, now }) {
    const { offset = 0, include_disabled, workspace_id } = query
    const workspace = workspace_id ?? (await defaultWorkspaceId(sandbox))
    const withDisabled = include_disabled === 'true' || include_disabled === '1'
    const rows = (await apiKeysOf(sandbox)).filter(
      (row) => row.workspace_id === workspace && (withDisabled || !row.disabled),
    )
    return ok({ data: rows.slice(offset, offset + maxListed).map((row) => shown(row, sandbox, now)) })
  },
})

const maxListed = 100

/** Creates a key. No other reply contains the key itself. */
const createApiKey = defineOperation({
  id: 'createApiKey',
  method: 'post',
  path: '/keys',
  doc: { summary: 'Create an API key', tag: 'API Keys', status: 201 },
  input: {
    body: z.lazy(() =>
      z.looseObject({
        ...z.object(settings()).partial({ limit: true, limit_reset: true, include_byok_in_limit: true })
          .shape,
        expires_at: z.iso.datetime('Must be an ISO 8601 time in UTC').nullish(),
        creator_user_id: z.string().min(1).nullish(),
        workspace_id: z.uuid().optional(),
        external: z.looseObject({ user: z.string(), api_key: z.string().optional() }).optional(),
      }),
    ),
  },
  output: z.lazy(() => z.object({ data: ApiKey._zod.innerType, key: z.string() })),
  errors: [404],
  writes: true,
  async resolve(context) {
    const { body, sandbox, now, requestKey, warn } = context
    const workspace_id = body.workspace_id ?? (await defaultWorkspaceId(sandbox))
    if (body.workspace_id && !(await sandbox.tables.workspaces.findBy('id', body.workspace_id)))
      throw notFound(`no workspace has the id '${body.workspace_id}'`)
    if (body.limit != null) warn('body.limit is not enforced: use a rule with rateLimit')
    // A named sandbox's key is enough to route requests to the sandbox.
    const prefix = sandbox.id === 'default' ? 'sk-or-v1' : `us-${sandbox.id}`
    const key = `${prefix}-${longHash(requestKey)}`
    await acceptOnlyLivingKeys(context)
    const row = await tableOf(sandbox).create({
      ...keyRow(key, new Date(now).toISOString(), 'listed'),
      name: body.name,
      limit: body.limit ?? null,
      limit_reset: body.limit_reset ?? null,
      include_byok_in_limit: body.include_byok_in_limit ?? false,
      expires_at: body.expires_at ?? null,
      creator_user_id: body.creator_user_id ?? userId(sandbox.seed),
      external_user: body.external?.user ?? null,
      workspace_id,
    })
    return json(201, { data: shown(row, sandbox, now), key })
  },
})

const getApiKey = defineOperation({
  id: 'getApiKey',
  method: 'get',
  path: '/keys/{hash}',
  doc: { summary: 'Get an API key', tag: 'API Keys' },
  input: { params },
  output: Reply,
  errors: [404],
  resolve: async (context) => ok({ data: shown(await find(context), context.sandbox, context.now) }),
})

const CurrentKey = z.lazy(() => {
  const { label, limit, include_byok_in_limit, creator_user_id, expires_at } = record()
  return z.strictObject({
    ...{ label, limit, include_byok_in_limit, creator_user_id, expires_at },
    ...usages(),
    limit_remaining: z.number().nullable(),
    limit_reset: z.string().nullable(),
    is_free_tier: z.boolean(),
    is_management_key: z.boolean(),
    is_provisioning_key: z.boolean(),
    rate_limit: z.strictObject({ requests: z.int(), interval: z.string(), note: z.string() }),
  })
})

/** Reads the request's API key. Keys not created by a request have no limit, and their usage is the sandbox's. */
const getKey = defineOperation({
  id: 'getKey',
  method: 'get',
  path: '/key',
  doc: { summary: 'Get the current API key', tag: 'API Keys' },
  output: z.lazy(() => z.object({ data: CurrentKey })),
  async resolve({ sandbox, headers, now }) {
    const hash = longHash(keyIn(headers))
    const listed = (await apiKeysOf(sandbox)).find((row) => row.hash === hash)
    const row = listed ?? { ...keyRow('', '', 'unlisted'), label: `sandbox ${sandbox.id}` }
    const { label, limit, limit_reset, include_byok_in_limit, creator_user_id, expires_at } = row
    const usage = sandbox.ledger.read().cost
    const ofSandbox = { usage, usage_daily: usage, usage_weekly: usage, usage_monthly: usage }
    return ok({
      data: {
        ...{ label, limit, limit_reset, include_byok_in_limit, creator_user_id, expires_at },
        ...spending(row, sandbox, now),
        ...(!listed && ofSandbox),
        is_free_tier: false,
        is_management_key: false,
        is_provisioning_key: false,
        rate_limit: { requests: -1, interval: '10s', note: 'No limit unless a rule sets rateLimit.' },
      },
    })
  },
})

const updateApiKey = defineOperation({
  id: 'updateApiKey',
  method: 'patch',
  path: '/keys/{hash}',
  doc: { summary: 'Update an API key', tag: 'API Keys' },
  input: {
    params,
    body: z.lazy(() => z.looseObject({ ...settings(), disabled: z.boolean() }).partial()),
  },
  output: Reply,
  errors: [404],
  writes: true,
  async resolve(context) {
    const { body, sandbox, now } = context
    const { name, limit, limit_reset, include_byok_in_limit, disabled } = body
    const changes = { name, limit, limit_reset, include_byok_in_limit, disabled }
    const sent = Object.entries(changes).filter(([, value]) => value !== undefined)
    const row = await keep(sandbox, {
      ...(await find(context)),
      ...Object.fromEntries(sent),
      updated_at: new Date(now).toISOString(),
    })
    return ok({ data: shown(row, sandbox, now) })
  },
})

/** Deletes a key. Later requests with the key get a 401. */
const deleteApiKey = defineOperation({
  id: 'deleteApiKey',
  method: 'delete',
  path: '/keys/{hash}',
  doc: { summary: 'Delete an API key', tag: 'API Keys' },
  input: { params },
  output: Deleted,
  errors: [404],
  writes: true,
  async resolve(context) {
    const row = await find(context)
    await keep(context.sandbox, { ...row, state: 'deleted' })
    return ok({ deleted: true as const })
  },
})

export const apiKeyOperations = [getKey, listApiKeys, createApiKey, getApiKey, updateApiKey, deleteApiKey]

/** Returns undefined if the sandbox has neither created nor deleted a key. */
export function isLivingKey(key: string, sandbox: SandboxState): boolean | undefined {
  const rows = tableOf(sandbox).snapshot()
  if (!rows || rows.rows.length === 0) return undefined
  const row = rows.find('hash', longHash(key))
  if (!row) return sandbox.options.apiKeys?.includes(key) ?? false
  const isExpired = row.expires_at !== null && Date.parse(row.expires_at) <= sandbox.clock.now()
  return row.state !== 'deleted' && !row.disabled && !isExpired
}

/** Returns the keys that requests have created and those in the `apiKeys` option, except deleted ones. */
export async function apiKeysOf(sandbox: SandboxState): Promise<ApiKeyRow[]> {
  const rows = await tableOf(sandbox).rows()
  const hashes = new Set(rows.map(({ hash }) => hash))
  const workspace_id = await defaultWorkspaceId(sandbox)
  const fromOptions = (sandbox.options.apiKeys ?? []).map((key, index) => ({
    ...keyRow(key, '2026-01-01T00:00:00.000Z', 'listed'),
    name: `apiKeys[${index}]`,
    creator_user_id: userId(sandbox.seed),
    workspace_id,
  }))
  return [...fromOptions.filter((row) => !hashes.has(row.hash)), ...rows].filter(
    ({ state }) => state === 'listed',
  )
}

function tableOf({ database }: SandboxState): Table<ApiKeyRow> {
  return database.table(apiKeys.name) as object as Table<ApiKeyRow>
}

async function find({ params, sandbox }: RequestContext<{ hash: string }>): Promise<ApiKeyRow> {
  const row = (await apiKeysOf(sandbox)).find((each) => each.hash === params.hash)
  if (row) return row
  throw notFound(`no API key has the hash '${params.hash}'`)
}

/** Stores a row, which replaces any earlier row with the same hash. */
async function keep(sandbox: SandboxState, row: ApiKeyRow): Promise<ApiKeyRow> {
  const table = tableOf(sandbox)
  return (await table.find(row.hash)) ? table.update(row.hash, row) : table.create(row)
}

/** Registers the caller's key unless it is in the `apiKeys` option, because unknown keys are rejected from then on. */
async function acceptOnlyLivingKeys({ sandbox, headers, now }: RequestContext): Promise<void> {
  const key = keyIn(headers)
  if (key === undefined || sandbox.options.apiKeys) return
  if (!(await tableOf(sandbox).find(longHash(key))))
    await keep(sandbox, keyRow(key, new Date(now).toISOString(), 'unlisted'))
}

/** Returns a request's API key, from `Authorization: Bearer` or `x-api-key`. */
export function keyIn(headers: Readonly<Record<string, string>>): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(headers['authorization'] ?? '')?.[1] ?? headers['x-api-key']
}

function keyRow(key: string, created_at: string, state: ApiKeyRow['state']): ApiKeyRow {
  return {
    hash: longHash(key),
    name: 'Key',
    label: key.length > 20 ? `${key.slice(0, 12)}...${key.slice(-3)}` : `${key.slice(0, 3)}...`,
    disabled: false,
    limit: null,
    limit_reset: null,
    include_byok_in_limit: false,
    created_at,
    updated_at: null,
    expires_at: null,
    creator_user_id: null,
    external_user: null,
    workspace_id: '',
    state,
  }
}

export function longHash(text = ''): string {
  return ['a', 'b', 'c', 'd'].map((part) => hash('api key', part, text)).join('')
}

function shown({ state: _, ...row }: ApiKeyRow, sandbox: SandboxState, now: number): z.infer<typeof ApiKey> {
  return { ...row, ...spending(row, sandbox, now) }
}

/** Derives a key's usage from the calls in the journal. */
function spending(row: Pick<ApiKeyRow, 'hash' | 'limit'>, sandbox: SandboxState, now: number) {
  const calls = sandbox.journal.records().filter(({ headers }) => longHash(keyIn(headers)) === row.hash)
  const since = (start: number) =>
    dollars(calls.reduce((sum, { at, usage }) => sum + (at >= start ? (usage?.cost ?? 0) : 0), 0))
  const day = new Date(now)
  const midnight = Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate())
  const monday = midnight - ((day.getUTCDay() + 6) % 7) * 86_400_000
  const usage = since(-Infinity)
  return {
    byok_usage: 0,
    byok_usage_daily: 0,
    byok_usage_weekly: 0,
    byok_usage_monthly: 0,
    usage,
    usage_daily: since(midnight),
    usage_weekly: since(monday),
    usage_monthly: since(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1)),
    limit_remaining: row.limit === null ? null : Math.max(0, dollars(row.limit - usage)),
  }
}
