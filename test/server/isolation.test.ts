/** Tests concurrent clients on one server: data, rules and journals are isolated, and no update is lost. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectGateway, type RemoteSandbox } from '../../src/remote.ts'
import { type RunningServer as Server, startServer } from '../../src/serve.ts'
import { call } from '../call.ts'
import { cases } from '../suite-size.ts'

/** Number of rounds per worker, each with five calls. */
const rounds = cases(2, 40)

let server: Server
beforeAll(async () => {
  server = await startServer({ timeScale: 0 })
})
afterAll(() => server.close())

describe(`16 concurrent workers with a sandbox and ${rounds * 5} mixed calls each`, () => {
  const workers = Array.from({ length: 16 }, (_, index) => `worker-${index}`)

  /**
   * Makes five calls: a write, a read of the written row, a stream, a fault, and a path that only the worker's rule
   * matches.
   */
  async function round(name: string, index: number, sandbox: RemoteSandbox): Promise<void> {
    // Alternates between key and path: both select the same sandbox.
    const byKey = { apiKey: sandbox.apiKey, baseUrl: server.baseUrl }
    const byPath = { apiKey: 'any', baseUrl: sandbox.baseUrl }
    const [one, other] = index % 2 === 0 ? [byKey, byPath] : [byPath, byKey]
    const written = await call(one, 'PATCH /workspaces/production', { body: { name: `${name} ${index}` } })
    expect(written.body.data.name).toBe(`${name} ${index}`)
    const body = { model: 'aurora/dawn-2', input: `${name} ${index}` }
    const [read, streamed, failed, scripted] = await Promise.all([
      call(other, 'PATCH /workspaces/production', { body: {} }),
      call(one, 'POST /responses', { body: { ...body, stream: true } }),
      call(other, 'GET /benchmarks'),
      call(one, `GET /${name}`),
    ])
    expect(read.body.data.name).toBe(`${name} ${index}`)
    expect(streamed.text).toContain(`${name} ${index}`)
    expect(streamed.text.endsWith('data: [DONE]\n\n')).toBe(true)
    expect([failed.status, failed.headers.get('x-understudy-scenario')]).toEqual([503, `${name}#1`])
    expect(scripted.body).toEqual({ mine: name })
  }

  it('are isolated from each other', { timeout: 30_000 }, async () => {
    const gateway = await connectGateway(server.url)
    const sandboxes = await Promise.all(
      workers.map(async (name) => {
        const sandbox = await gateway.createSandbox()
        await sandbox.use({
          name,
          rules: [
            { on: 'listBenchmarks', fault: { name: 'status', status: 503 } },
            { on: `GET /${name}`, reply: { body: { mine: name } } },
          ],
        })
        for (let index = 0; index < rounds; index++) await round(name, index, sandbox)
        return { name, sandbox }
      }),
    )
    for (const { name, sandbox } of sandboxes) {
      const entries = await sandbox.journal.entries()
      expect(entries).toHaveLength(rounds * 5)
      expect(new Set(entries.map(({ rules }) => rules[0]?.scenario))).toEqual(new Set([undefined, name]))
      const texts = entries
        .map(({ requestText }) => requestText.text)
        .filter((text) => text.includes('worker-'))
      expect(texts.every((text) => text.includes(`"${name} `))).toBe(true)
      expect(entries.every(({ delivery }) => delivery === 'complete')).toBe(true)
    }
    expect((await gateway.db.workspaces.get('production'))?.name).toBe('Production')
    expect(await gateway.journal.entries()).toEqual([])
  })
})

describe('100 concurrent PATCH requests for one workspace', () => {
  it('lose no change if they set different fields', async () => {
    await using sandbox = await (await connectGateway(server.url)).createSandbox()
    const fields = [
      { name: 'New name' },
      { description: 'New description' },
      { default_text_model: 'kestrel/new' },
      { default_image_model: 'kestrel/image' },
      { default_provider_sort: 'latency' },
      { io_logging_api_key_ids: [7] },
      { io_logging_sampling_rate: 0.5 },
      { is_data_discount_logging_enabled: true },
      { is_observability_broadcast_enabled: false },
      { is_observability_io_logging_enabled: false },
    ]
    const patches = Array.from({ length: 100 }, (_, index) =>
      call(sandbox, 'PATCH /workspaces/production', { body: fields[index % fields.length] }),
    )
    expect((await Promise.all(patches)).every(({ status }) => status === 200)).toBe(true)
    expect(await sandbox.db.workspaces.get('production')).toMatchObject(Object.assign({}, ...fields))
  })

  it('appear in the journal in the order in which they were applied', async () => {
    await using sandbox = await (await connectGateway(server.url)).createSandbox()
    await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        call(sandbox, 'PATCH /workspaces/production', { body: { name: `Name ${index}` } }),
      ),
    )
    const entries = await sandbox.journal.calls('updateWorkspace')
    const replies = entries.map(({ responseBody }) => JSON.parse(responseBody.text).data)
    expect(new Set(replies.map(({ name }) => name)).size).toBe(100)
    expect(replies.map(({ name }) => name)).toEqual(entries.map(({ body }) => body.name))
    const moments = replies.map(({ updated_at }) => updated_at)
    expect(moments).toEqual(moments.toSorted())
    expect(await sandbox.db.workspaces.get('production')).toEqual(replies.at(-1))
  })
})
