/** Tests the control API for calls, and for checking scenarios. */
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { createGateway, defineOperation, ok } from '../../src/index.ts'
import { connectGateway, type RemoteSandbox } from '../../src/remote.ts'
import { type RunningServer, startServer } from '../../src/serve.ts'
import { call, open } from '../call.ts'

let server: RunningServer
let sandbox: RemoteSandbox
beforeAll(async () => {
  server = await startServer({ timeScale: 0 })
})
beforeEach(async () => {
  sandbox = await (await connectGateway(server.url)).createSandbox()
})
afterAll(() => server.close())

const get = (path: string) => open(sandbox, `GET ${path}`)

it("a recorded call has a timeline of a paced stream's chunks", async () => {
  await using paced = await startServer({ latency: { perToken: 5 } })
  const remote = await connectGateway(paced.url)
  // Every reading is 5 ms later, so that no chunks are merged when a busy machine sends them in the same millisecond.
  let now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 5))
  onTestFinished(() => clock.mockRestore())
  await call(paced, 'POST /responses', { body: { model: 'aurora/dawn-2', input: 'Hello', stream: true } })
  const entry = await remote.journal.last('createResponse')
  expect(entry?.timeline.length).toBeGreaterThan(5)
  const times = entry?.timeline.map(({ ms }) => ms) ?? []
  expect(times).toEqual([...times].sort((left, right) => left - right))
  for (const { offset } of entry?.timeline.slice(1) ?? [])
    expect(entry?.responseBody.text.slice(0, offset)).toMatch(/\n\n$/)
})

it('activeScenarios() reports how often each active rule has been applied and can still be applied', async () => {
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
        { rule: 1, applied: 1, remaining: 2 },
        { rule: 2, applied: 0, remaining: null },
      ],
    },
  ])
})

it('scenarios are validated against custom operations everywhere', async () => {
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
  await expect(box.use({ on: 'listReport' as '*', fault: 'status' })).rejects.toThrow(
    "did you mean 'listReports'",
  )
  await own.close()
})
