/**
 * Tests each resource with the vendor's SDK, which validates every reply: in two sandboxes at once, after a
 * reset, and after restoring a snapshot. Resources that only a document describes use the document read from
 * the SDK.
 */
import { HTTPClient, OpenRouter } from '@openrouter/sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import type { GatewayCore } from '../../../src/gateway/gateway.ts'
import { createGateway, type GatewayOptions, type Sandbox } from '../../../src/index.ts'
import { sdkDocument } from './sdk-document.ts'
import { vendorOperations } from './vendor-operations.ts'

// biome-ignore lint/suspicious/noExplicitAny: the methods of a resource differ in their types
type Any = any

/** A resource's SDK methods, without those that the SDK lacks. */
interface Resource {
  readonly list: (sdk: OpenRouter) => Promise<Any>
  readonly create: (sdk: OpenRouter) => Promise<Any>
  readonly get: (sdk: OpenRouter, key: string) => Promise<Any>
  readonly update?: (sdk: OpenRouter, key: string) => Promise<Any>
  /** Fields that the record is expected to have after `update`. */
  readonly updated?: object
  readonly delete?: (sdk: OpenRouter, key: string) => Promise<Any>
  readonly keyOf: (record: Any) => string
}

const id = ({ id }: { id: string }) => id
const model = 'aurora/dawn-2'
const workspace = '11111111-1111-4111-8111-111111111111'

const resources: Readonly<Record<string, Resource>> = {
  workspaces: {
    list: (sdk) => sdk.workspaces.list({}),
    create: (sdk) => sdk.workspaces.create({ createWorkspaceRequest: { name: 'Tides', slug: 'tides' } }),
    get: (sdk, id) => sdk.workspaces.get({ id }),
    update: (sdk, id) => sdk.workspaces.update({ id, updateWorkspaceRequest: { description: 'Moon' } }),
    updated: { description: 'Moon' },
    delete: (sdk, id) => sdk.workspaces.delete({ id }),
    keyOf: id,
  },
  'API keys': {
    list: (sdk) => sdk.apiKeys.list({}),
    create: (sdk) => sdk.apiKeys.create({ requestBody: { name: 'Tides', limit: 3 } }),
    get: (sdk, hash) => sdk.apiKeys.get({ hash }),
    update: (sdk, hash) => sdk.apiKeys.update({ hash, requestBody: { limit: 5, limitReset: 'daily' } }),
    updated: { limit: 5, limitReset: 'daily', limitRemaining: 5 },
    delete: (sdk, hash) => sdk.apiKeys.delete({ hash }),
    keyOf: ({ hash }) => hash,
  },
  presets: {
    list: (sdk) => sdk.presets.list({}),
    create: (sdk) =>
      sdk.presets.createPresetsResponses({ slug: 'tides', responsesRequest: { model, input: 'Why tides?' } }),
    get: (sdk, slug) => sdk.presets.get({ slug }),
    update: (sdk, slug) =>
      sdk.presets.createPresetsChatCompletions({
        slug,
        chatRequest: { model, messages: [{ role: 'system', content: 'Be brief.' }] },
      }),
    updated: { designatedVersion: expect.objectContaining({ version: 2, systemPrompt: 'Be brief.' }) },
    keyOf: ({ slug }) => slug,
  },
  'BYOK keys': {
    list: (sdk) => sdk.byok.list({}),
    create: (sdk) =>
      sdk.byok.create({ createBYOKKeyRequest: { provider: 'openai', key: 'sk-secret', name: 'Tides' } }),
    get: (sdk, id) => sdk.byok.get({ id }),
    update: (sdk, id) => sdk.byok.update({ id, updateBYOKKeyRequest: { name: 'Moon', disabled: true } }),
    updated: { name: 'Moon', disabled: true },
    delete: (sdk, id) => sdk.byok.delete({ id }),
    keyOf: id,
  },
  guardrails: {
    list: (sdk) => sdk.guardrails.list({}),
    create: (sdk) => sdk.guardrails.create({ createGuardrailRequest: { name: 'Tides', limitUsd: 7 } }),
    get: (sdk, id) => sdk.guardrails.get({ id }),
    update: (sdk, id) => sdk.guardrails.update({ id, updateGuardrailRequest: { limitUsd: 9 } }),
    updated: { name: 'Tides', limitUsd: 9 },
    delete: (sdk, id) => sdk.guardrails.delete({ id }),
    keyOf: id,
  },
  'observability destinations': {
    list: (sdk) => sdk.observability.list({}),
    create: (sdk) =>
      sdk.observability.create({
        createObservabilityDestinationRequest: {
          name: 'Tides',
          type: 'webhook',
          config: { url: 'https://hooks.example/tides' },
        },
      }),
    get: (sdk, id) => sdk.observability.get({ id }),
    update: (sdk, id) =>
      sdk.observability.update({
        id,
        updateObservabilityDestinationRequest: { name: 'Moon', enabled: false },
      }),
    updated: { name: 'Moon', enabled: false },
    delete: (sdk, id) => sdk.observability.delete({ id }),
    keyOf: id,
  },
  'SCIM group mappings': {
    list: (sdk) => sdk.scim.listMappings({}),
    create: (sdk) =>
      sdk.scim.create({
        createScimGroupMappingRequest: { role: 'member', scimGroupId: workspace, workspaceId: workspace },
      }),
    get: (sdk, id) => sdk.scim.read({ id }),
    update: (sdk, id) => sdk.scim.update({ id, updateScimGroupMappingRequest: { role: 'admin' } }),
    updated: { role: 'admin' },
    delete: (sdk, id) => sdk.scim.delete({ id, keepMembers: 'false' }),
    keyOf: id,
  },
  'workspace budgets': {
    list: (sdk) => sdk.workspaces.listBudgets({ workspaceRef: 'production' }),
    create: (sdk) => budget(sdk, 20),
    get: (sdk, interval) => sdk.workspaces.getBudget({ workspaceRef: 'production', interval } as Any),
    update: (sdk) => budget(sdk, 30),
    updated: { limitUsd: 30 },
    delete: (sdk, interval) => sdk.workspaces.deleteBudget({ workspaceRef: 'production', interval } as Any),
    keyOf: ({ resetInterval }) => resetInterval ?? 'lifetime',
  },
  files: {
    list: (sdk) => sdk.files.list({}),
    create: (sdk) => sdk.files.upload({ requestBody: { file: new Blob(['Tides.']) } } as Any),
    get: (sdk, fileId) => sdk.files.retrieve({ fileId }),
    delete: (sdk, fileId) => sdk.files.delete({ fileId }),
    keyOf: id,
  },
}

function budget(sdk: OpenRouter, limitUsd: number): Promise<unknown> {
  return sdk.workspaces.setBudget({
    workspaceRef: 'production',
    interval: 'weekly',
    upsertWorkspaceBudgetRequest: { limitUsd },
  })
}

// The gateway's public type hides the router.
let gateway: ReturnType<typeof createGateway> & Pick<GatewayCore, 'router'>
beforeAll(async () => {
  const { document } = await sdkDocument()
  // The options belong to different extras. The spread lets the file compile without one of them.
  const options: GatewayOptions = { timeScale: 0, ...{ dialect: 'openrouter', openapi: document } }
  gateway = createGateway(options) as typeof gateway & object
})

function clientOf(sandbox: Sandbox): OpenRouter {
  return new OpenRouter({
    apiKey: sandbox.apiKey,
    serverURL: 'https://gateway.example/api/v1',
    retryConfig: { strategy: 'none' },
    httpClient: new HTTPClient({
      async fetcher(input, init) {
        const request = new Request(input, init)
        const response = await gateway.fetch(request)
        const path = new URL(request.url).pathname.replace('/api/v1', '')
        const { operation } = gateway.router.find(request.method, path)
        if (response.ok) succeeded.add(shapeOf(`${request.method} ${operation?.path}`))
        return response
      },
    }),
  })
}

/** Request lines of successful calls, without parameter names. */
const succeeded = new Set<string>()
const shapeOf = (line: string) => line.replace(/\{[^}]*\}/g, '{}')

/** Returns the records on all pages. */
async function recordsIn(listed: Any): Promise<Any[]> {
  if (!listed[Symbol.asyncIterator]) return listed.data
  const records: Any[] = []
  for await (const { result } of listed) records.push(...result.data)
  return records
}

/** Returns a reply's record, which some operations wrap in `data`. */
const recordIn = (reply: Any) => reply.data ?? reply

describe.each(Object.entries(resources))('%s', (_, resource) => {
  const { keyOf, updated } = resource
  const keysIn = async (sdk: OpenRouter) => (await recordsIn(await resource.list(sdk))).map(keyOf)

  it('are listed, created, found, changed and deleted, in two sandboxes at once', async () => {
    const other = gateway.createSandbox()
    const before = await keysIn(clientOf(other))
    await Promise.all([gateway.createSandbox(), gateway.createSandbox()].map(travel))
    expect(await keysIn(clientOf(other))).toEqual(before)

    async function travel(sandbox: Sandbox): Promise<void> {
      const sdk = clientOf(sandbox)
      expect(await keysIn(sdk)).toEqual(before)
      const made = recordIn(await resource.create(sdk))
      const key = keyOf(made)
      expect(before).not.toContain(key)
      expect(recordIn(await resource.get(sdk, key))).toMatchObject(commonIn(made))
      if (resource.update) {
        expect(recordIn(await resource.update(sdk, key))).toMatchObject(updated ?? {})
        expect(recordIn(await resource.get(sdk, key))).toMatchObject(updated ?? {})
      }
      expect((await keysIn(sdk)).toSorted()).toEqual([...before, key].toSorted())
      if (!resource.delete) return
      await resource.delete(sdk, key)
      await expect(resource.get(sdk, key)).rejects.toMatchObject({ statusCode: 404 })
      expect(await keysIn(sdk)).toEqual(before)
    }

    /**
     * Returns the fields to expect in later replies: only the id for files, because their replies differ in
     * format.
     */
    function commonIn(made: Any): object {
      return typeof made.sizeBytes === 'number' ? { id: made.id } : made
    }
  })

  it('are removed by a reset, and restored from a snapshot, a fork and a file', async () => {
    const sandbox = gateway.createSandbox()
    const sdk = clientOf(sandbox)
    const before = await keysIn(sdk)
    const key = keyOf(recordIn(await resource.create(sdk)))
    const snapshot = sandbox.snapshot()
    const fork = sandbox.fork()
    const opened = await gateway.openSandbox(JSON.parse(JSON.stringify(sandbox.save())))
    sandbox.reset()
    expect(await keysIn(sdk)).toEqual(before)
    await expect(resource.get(sdk, key)).rejects.toMatchObject({ statusCode: 404 })
    sandbox.restore(snapshot)
    for (const each of [sdk, clientOf(fork), clientOf(opened)]) {
      expect(keyOf(recordIn(await resource.get(each, key)))).toBe(key)
      expect((await keysIn(each)).toSorted()).toEqual([...before, key].toSorted())
    }
  })
})

it('preset versions are listed and found, and belong to their sandbox', async () => {
  const [sdk, other] = [clientOf(gateway.createSandbox()), clientOf(gateway.createSandbox())]
  const messages = [{ role: 'user' as const, content: 'Why tides?' }]
  const preset = { slug: 'tides', messagesRequest: { model, messages, maxTokens: 9 } }
  await sdk.presets.createPresetsMessages(preset)
  await sdk.presets.createPresetsMessages(preset)
  const versions = await recordsIn(await sdk.presets.listVersions({ slug: 'tides' }))
  expect(versions.map(({ version }) => version)).toEqual([1, 2])
  expect((await sdk.presets.getVersion({ slug: 'tides', version: '2' })).data).toEqual(versions[1])
  await expect(other.presets.getVersion({ slug: 'tides', version: '2' })).rejects.toMatchObject({
    statusCode: 404,
  })
})

it('video jobs are found only in their sandbox, removed by a reset, and restored from a snapshot', async () => {
  const sandbox = gateway.createSandbox()
  const [sdk, other] = [clientOf(sandbox), clientOf(gateway.createSandbox())]
  const { id } = await sdk.videoGeneration.generate({ videoGenerationRequest: { model, prompt: 'Tides' } })
  const snapshot = sandbox.snapshot()
  expect((await sdk.videoGeneration.getGeneration({ jobId: id })).id).toBe(id)
  await expect(other.videoGeneration.getGeneration({ jobId: id })).rejects.toMatchObject({ statusCode: 404 })
  sandbox.reset()
  await expect(sdk.videoGeneration.getGeneration({ jobId: id })).rejects.toMatchObject({ statusCode: 404 })
  sandbox.restore(snapshot)
  expect((await sdk.videoGeneration.getGeneration({ jobId: id })).id).toBe(id)
})

it('these tests call every stateful operation in the table', () => {
  const stateful = vendorOperations.filter(([, kind]) => kind === 'stateful').map(([line]) => shapeOf(line))
  expect(stateful.filter((line) => !succeeded.has(line))).toEqual([])
})
