/**
 * Tests the control API for individual calls (following, listing, resending), and for checking and
 * dry-running scenarios.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createGateway, defineOperation, ok } from '../../src/index.ts'
import { connectGateway, type RemoteGateway, type RemoteSandbox } from '../../src/remote.ts'
import { type RunningServer, startServer } from '../../src/serve.ts'
import { call, open } from '../call.ts'

let server: RunningServer
let gateway: RemoteGateway
let sandbox: RemoteSandbox
beforeAll(async () => {
  server = await startServer({ timeScale: 0 })
  gateway = await connectGateway(server.url)
})
beforeEach(async () => {
  sandbox = await gateway.createSandbox()
})
afterAll(() => server.close())

const ask = (input: string, more: object = {}) =>
  call(sandbox, 'POST /responses', { body: { model: 'aurora/dawn-2', input, ...more } })
const get = (path: string) => open(sandbox, `GET ${path}`)

it('journal queries add a warning only for unknown fields', async () => {
  await get('/providers')
  const query = (body: object) =>
    call({ baseUrl: `${server.url}/__understudy` }, `POST /sandboxes/${sandbox.id}/journal/query`, { body })
  const found = (await query({ operation: 'listProviders', match: { status: 200 } })).body
  expect([Object.keys(found), found.data.length]).toEqual([['data'], 1])
  const none = (await query({ operation: 'listProviders', match: { status: 404 } })).body
  expect(none).toEqual({ data: [] })
  const mistaken = (await query({ operation: 'listProviders', match: { body: { nothing: 1 } } })).body
  expect(mistaken).toMatchObject({ data: [], meta: { warnings: [expect.stringContaining('nothing')] } })
})

describe('events()', () => {
  /** Returns the paths of this sandbox's next completed calls, and the id of the last event. */
  async function callsOf(events: ReturnType<RemoteGateway['events']>, count: number) {
    const calls: string[] = []
    for await (const each of events) {
      if (each.event !== 'calls') continue
      for (const call of each.calls)
        if (call.sandbox === sandbox.id && call.delivery === 'complete') calls.push(call.path)
      if (calls.length >= count) return { calls, id: each.id }
    }
    throw new Error('the stream has ended')
  }

  it('starts with resync and emits each completed call', async () => {
    const events = gateway.events()
    expect((await events.next()).value).toEqual({ event: 'resync', id: expect.stringMatching(/^\w+\.\d+$/) })
    await get('/providers')
    const { calls } = await callsOf(events, 1)
    expect(calls).toEqual([`/sandboxes/${sandbox.id}/api/v1/providers`])
  })

  it('resumes after a known event id, and starts with resync if the id is unknown', async () => {
    const first = gateway.events()
    await first.next()
    await get('/providers')
    const { id } = await callsOf(first, 1)
    await get('/embeddings/models')
    const { calls } = await callsOf(gateway.events({ after: id }), 1)
    expect(calls).toEqual([`/sandboxes/${sandbox.id}/api/v1/embeddings/models`])
    expect((await gateway.events({ after: 'other.3' }).next()).value).toMatchObject({ event: 'resync' })
  })

  it('registers no listener while no client is connected', async () => {
    await using quiet = await startServer({ timeScale: 0 })
    const before = quiet.gateway.sandboxes.listeners.size
    const leave = new AbortController()
    const events = (await connectGateway(quiet.url)).events({ signal: leave.signal })
    await events.next()
    expect(quiet.gateway.sandboxes.listeners.size).toBe(before + 1)
    leave.abort()
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })

  it('ends when the server closes, without delaying the close', async () => {
    const ending = await startServer()
    const events = (await connectGateway(ending.url)).events()
    await events.next()
    await ending.close(60_000)
    expect((await events.next()).done).toBe(true)
  })
})

describe('recorded calls', () => {
  it('are summarised, all of them or only the newest n', async () => {
    await get('/providers')
    await ask('Hello', { stream: true })
    const [call, ...others] = await sandbox.journal.summaries(1)
    expect(others).toEqual([])
    expect(call).toMatchObject({
      operation: 'createResponse',
      model: 'aurora/dawn-2',
      stream: true,
      status: 200,
    })
    expect(await sandbox.journal.summaries()).toHaveLength(2)
  })

  it('can be read by id, with secrets hidden', async () => {
    await ask('Hello')
    const [{ id } = { id: '' }] = await sandbox.journal.summaries(1)
    const entry = await sandbox.journal.entry(id)
    expect(entry).toMatchObject({ id, headers: { authorization: '(hidden)' }, body: { input: 'Hello' } })
    await expect(sandbox.journal.entry('req_none')).rejects.toMatchObject({ status: 404 })
  })

  it("have a timeline of a paced stream's chunks", async () => {
    await using paced = await startServer({ latency: { perToken: 5 } })
    const remote = await connectGateway(paced.url)
    await call(paced, 'POST /responses', { body: { model: 'aurora/dawn-2', input: 'Hello', stream: true } })
    const entry = await remote.journal.last('createResponse')
    expect(entry?.timeline.length).toBeGreaterThan(5)
    const times = entry?.timeline.map(({ ms }) => ms) ?? []
    expect(times).toEqual([...times].sort((left, right) => left - right))
    for (const { offset } of entry?.timeline.slice(1) ?? [])
      expect(entry?.responseBody.text.slice(0, offset)).toMatch(/\n\n$/)
  })

  it('can be resent unchanged', async () => {
    await ask('Hello')
    const before = await sandbox.journal.last('createResponse')
    const again = await sandbox.journal.resend(before ?? '')
    expect(again).toMatchObject({ status: 200, body: { input: 'Hello' } })
    expect(again.id).not.toBe(before?.id)
    expect(await sandbox.journal.calls('createResponse')).toHaveLength(2)
  })

  it('can be resent without reading the stream, which still completes', async () => {
    await ask('Hello', { stream: true })
    const before = await sandbox.journal.last('createResponse')
    await sandbox.journal.resend(before ?? '')
    const deliveries = async () => (await sandbox.journal.entries()).map(({ delivery }) => delivery)
    await expect.poll(deliveries).toEqual(['complete', 'complete'])
  })
})

describe('scenarios', () => {
  it('report how often each active rule has been applied and can still be applied', async () => {
    const { id } = await sandbox.use({
      name: 'mine',
      rules: [
        { on: 'listProviders', times: 3, fault: { name: 'status', status: 500 } },
        { on: '*', fault: { name: 'status', status: 501 } },
      ],
    })
    await get('/providers')
    expect(await sandbox.activeScenarios()).toMatchObject([
      {
        id,
        name: 'mine',
        description: null,
        rules: [
          { rule: 1, happened: 1, left: 2 },
          { rule: 2, happened: 0, left: null },
        ],
      },
    ])
  })

  it('are dry-run against recorded calls without changing anything', async () => {
    await ask('Hello')
    await ask('Goodbye')
    await get('/providers')
    const rule = {
      on: 'createResponse',
      when: { input: 'Goodbye' },
      fault: { name: 'status', status: 500 },
    } as const
    const run = await sandbox.dryRun(rule)
    expect(run).toMatchObject({ looked: 3, met: 1, rules: [{ rule: 1, met: 1 }] })
    expect(run.calls).toEqual([{ id: (await sandbox.journal.entries())[1]?.id, rule: 1 }])
    expect(await sandbox.dryRun(rule, 1)).toMatchObject({ looked: 1, met: 0 })
    expect(await sandbox.activeScenarios()).toEqual([])
  })

  it('are dry-run against at most the newest 1,000 calls', async () => {
    const own = createGateway()
    await using served = await startServer({ gateway: own })
    const busy = await (await connectGateway(served.url)).createSandbox()
    const here = { fetch: own.fetch, apiKey: busy.apiKey }
    for (let turn = 0; turn < 1001; turn++) await (await open(here, 'GET /unknown')).text()
    expect(await busy.dryRun('flaky')).toMatchObject({ looked: 1000 })
  })

  it('are validated against custom operations everywhere', async () => {
    const listReports = defineOperation({
      id: 'listReports',
      method: 'get',
      path: '/reports',
      doc: { summary: 'List reports', tag: 'Reports' },
      output: z.object({}),
      resolve: () => ok({}),
    })
    const own = await startServer({ operations: [listReports] })
    const remote = await connectGateway(own.url)
    const box = await remote.createSandbox()
    const rules = [{ on: 'listReports' as '*', fault: 'status' as const }]
    const scenario = { name: 'mine', rules }
    expect(createGateway({ operations: [listReports] }).use(scenario).name).toBe('mine')
    expect((await box.use(scenario)).name).toBe('mine')
    expect((await box.putScenario('mine', scenario)).name).toBe('mine')
    expect((await box.dryRun(scenario)).rules).toHaveLength(1)
    expect(await remote.checkScenario(JSON.stringify(scenario))).toMatchObject({ problems: [] })
    expect(await remote.checkScenario('on: listReport\nfault: status')).toMatchObject({
      problems: [{ message: expect.stringContaining("did you mean 'listReports'") }],
    })
    await own.close()
  })

  it('are validated as text, with line and column for each problem', async () => {
    const wrong = 'name: mine\nrules:\n  - on: listProvider\n    fault: rate-limit\n'
    expect(await gateway.checkScenario(wrong)).toEqual({
      scenario: null,
      problems: [{ line: 3, column: 5, message: expect.stringContaining("did you mean 'listProviders'") }],
    })
    expect(await gateway.checkScenario('name: [')).toMatchObject({ scenario: null, problems: [{ line: 1 }] })
    expect(await gateway.checkScenario('on: listProviders\nfault: rate-limit')).toMatchObject({
      problems: [],
    })
    expect(await gateway.checkScenario('3')).toMatchObject({ problems: [{ line: 1, column: 1 }] })
  })

  it('are available as valid YAML if bundled', async () => {
    const text = await (await fetch(`${server.url}/__understudy/scenarios/flaky/yaml`)).text()
    expect(text).toMatch(/^name: flaky$/m)
    expect(await gateway.checkScenario(text)).toMatchObject({ problems: [], scenario: { name: 'flaky' } })
  })
})
