/**
 * Tests that every control API route has a method in the remote client. Each test calls the method and
 * validates the reply against the OpenAPI document with an independent validator.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import type { RouteId } from '../../src/control/client.ts'
import { controlOperations } from '../../src/control/control.ts'
import type { ExportFormat } from '../../src/control/remote-sandbox.ts'
import { routePaths } from '../../src/control/route-paths.ts'
import { createGateway } from '../../src/index.ts'
import { connectGateway, type RemoteGateway, type RemoteSandbox } from '../../src/remote.ts'
import { type RunningServer, startServer } from '../../src/serve.ts'

let server: RunningServer
let gateway: RemoteGateway
let sandbox: RemoteSandbox
/** Id of a call in the sandbox's journal. */
let entry: string
beforeAll(async () => {
  server = await startServer({ timeScale: 0 })
  gateway = await connectGateway(server.url)
  sandbox = await gateway.createSandbox()
  const headers = { authorization: 'Bearer any' }
  entry = (await fetch(`${sandbox.baseUrl}/providers`, { headers })).headers.get('x-request-id') as string
})
afterAll(() => server.close())

/** Export formats of the extras. */
const formats = createGateway().extras.flatMap((extra) => Object.keys(extra.exports ?? {}))
const tidewater = { name: 'Tidewater', slug: 'tidewater', privacy_policy_url: null }
const fresh = () => gateway.createSandbox()

/** Calls the client method for each route. A missing route is a type error. */
const methods: Record<RouteId, () => Promise<unknown>> = {
  getHealth: () => gateway.health(),

  listSandboxes: () => gateway.sandboxes(),
  createSandbox: () => gateway.createSandbox({ seed: 3 }),
  putSandbox: () => gateway.createSandbox({ id: 'mine' }),
  getSandbox: () => connectGateway(server.url),
  deleteSandbox: async () => (await fresh()).dispose(),
  resetSandbox: async () => (await fresh()).reset(),
  createSnapshot: () => sandbox.snapshot(),
  restoreSnapshot: async () => sandbox.restore(await sandbox.snapshot()),

  listBundledScenarios: () => gateway.bundledScenarios(),
  getBundledScenario: () => gateway.bundledScenario('chaos'),
  getBundledScenarioText: () => gateway.bundledScenarioText('chaos'),
  checkScenario: () => gateway.checkScenario('on: createResponse\nfault: stream-cut\n'),
  listScenarios: () => sandbox.scenarioNames(),
  useScenario: () => sandbox.use('flaky'),
  putScenario: () => sandbox.putScenario('mine', { rules: [{ on: '*', fault: 'timeout', times: 1 }] }),
  deleteScenario: async () => (await sandbox.use('flaky'))[Symbol.asyncDispose](),
  resetScenarios: () => sandbox.resetScenarios(),
  dryRunScenario: () => sandbox.dryRun('flaky'),
  listActiveScenarios: () => sandbox.activeScenarios(),
  listUnusedRules: () => sandbox.unusedRules(),
  readUsage: () => sandbox.usage(),
  listScripts: () => sandbox.scripts(),

  listJournal: () => sandbox.journal.entries(),
  listTrace: () => sandbox.journal.trace('0af7651916cd43dd8448eb211c80319c'),
  queryJournal: () => sandbox.journal.calls('listProviders'),
  waitForCalls: () => sandbox.journal.waitFor('listProviders'),
  listUnmatched: () => sandbox.journal.unmatched(),
  listNearMisses: () => sandbox.journal.nearMisses(),
  explainCall: () => sandbox.journal.explain(entry),
  exportJournal: () => sandbox.journal.har(),
  clearJournal: async () => (await fresh()).journal.clear(),
  followEvents: () => firstEvent(),
  listCalls: () => sandbox.journal.summaries(),
  getCall: () => sandbox.journal.entry(entry),
  exportCall: () => sandbox.journal.exportAs(entry, formats[0] as ExportFormat),
  resendCall: () => sandbox.journal.resend(entry),

  listCollections: () => sandbox.collections(),
  listChanges: async () => {
    await sandbox.db.providers.create({ ...tidewater, slug: 'changed' })
    return sandbox.changes()
  },
  listRecords: () => sandbox.db.providers.list({ headquarters: null }),
  createRecord: () => sandbox.db.providers.create(tidewater),
  getRecord: () => sandbox.db.presets.get('code-review'),
  updateRecord: () => sandbox.db.workspaces.update('production', { name: 'Newer' }),
  deleteRecord: async () => {
    const other = await fresh()
    await other.db.posts.delete((await other.db.posts.list())[0]?.id as string)
  },

  readClock: () => sandbox.clock.read(),
  advanceClock: () => sandbox.clock.advance(1),
}

async function firstEvent(): Promise<void> {
  const controller = new AbortController()
  for await (const _ of gateway.events({ signal: controller.signal })) return controller.abort()
}

const operations = (await controlOperations(createGateway())).filter(({ doc }) => doc?.tag !== 'Internal')

describe('control routes', () => {
  const ids = operations.map(({ id }) => id as RouteId)
  const routeOf = (id: RouteId) => operations.find((route) => route.id === id)
  const requests: { line: string; status: number; type: string; text: string }[] = []
  let check: (route: RouteId, status: number, value: unknown) => unknown[]

  beforeAll(async () => {
    const document = await (await fetch(`${server.url}/__understudy/openapi.json`)).json()
    const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }))
    ajv.addFormat('base64', true)
    ajv.addSchema(document, 'document')
    const escaped = (text: string) => text.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')
    check = (id, status, value) => {
      const { path, method } = routeOf(id) as NonNullable<ReturnType<typeof routeOf>>
      const place = `/paths/${escaped(path)}/${method}/responses/${status}/content/application~1json/schema`
      const validate = ajv.compile({ $ref: `document#${place}` })
      validate(value)
      return validate.errors ?? []
    }
    const real = globalThis.fetch
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      // Connections are not reused: on a busy machine, compiling a schema can take longer than the
      // keep-alive timeout.
      const headers = { ...init?.headers, connection: 'close' }
      const response = await real(input, { ...init, headers })
      const { pathname } = new URL(String(input))
      const type = response.headers.get('content-type')?.split(';', 1)[0] ?? ''
      const text = type === 'text/event-stream' ? '' : await response.clone().text()
      requests.push({ line: `${init?.method ?? 'GET'} ${pathname}`, status: response.status, type, text })
      return response
    })
  })
  afterEach(() => void requests.splice(0))
  afterAll(() => void vi.restoreAllMocks())

  it.each(ids)('%s has a client method and a reply that matches the document', async (id) => {
    await methods[id]()
    const [method, path = ''] = routePaths[id].split(' ')
    const expression = new RegExp(`^${method} /__understudy${path.replace(/\{\w+\}/g, '[^/]+')}$`)
    const calls = requests.filter(({ line }) => expression.test(line))
    expect(calls.map(({ line }) => line)).not.toEqual([])
    for (const { status, type, text } of calls) {
      expect(status).toBeLessThan(300)
      const { doc, output } = routeOf(id) ?? {}
      const { type: declared = 'application/json', status: expected = 200 } = doc ?? {}
      const hasBody = !(output instanceof z.ZodUndefined)
      expect([status, type]).toEqual(hasBody ? [expected, declared.split(';')[0]] : [204, ''])
      if (type === 'application/json') expect(check(id, status, JSON.parse(text))).toEqual([])
    }
  })
})

describe('remoteSandbox.dispose() with a call in flight', () => {
  it('rejects if the call fails', async () => {
    const other = await fresh()
    const seen = other.use('flakey').catch(() => {})
    await expect(other.dispose()).rejects.toThrow(
      `A call in sandbox '${other.id}' was still in flight at dispose() and failed: Unknown scenario 'flakey'; did you mean 'flaky'? (await the call)`,
    )
    await seen
    await expect(other.usage()).rejects.toMatchObject({ status: 410 })
  })

  it('waits for the call', async () => {
    const other = await fresh()
    const use = other.use('flaky')
    await other.dispose()
    expect((await use).name).toBe('flaky')
  })

  it('does not wait for journal.waitFor()', async () => {
    const other = await fresh()
    other.journal.waitFor('listProviders', { timeoutMs: 600_000 }).catch(() => {})
    await other.dispose()
    await expect(other.usage()).rejects.toMatchObject({ status: 410 })
  })
})
