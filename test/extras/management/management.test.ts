/** Tests the `management` extension: workspaces, presets, API keys, and a sandbox's activity. */
import { describe, expect, it } from 'vitest'
import { createGateway, type GatewayOptions } from '../../../src/index.ts'
import { startServer } from '../../../src/serve.ts'
import { type Answer, call } from '../../call.ts'
import { hasExtra } from '../../has-extra.ts'

const model = 'aurora/dawn-2'

/** Returns a sandbox, and a function that sends it requests with its own key or another one. */
function start(options: GatewayOptions = {}) {
  const gateway = createGateway({ timeScale: 0, ...options })
  const sandbox = gateway.createSandbox()
  const ask = (line: string, body?: unknown, apiKey: string = sandbox.apiKey): Promise<Answer> =>
    sandbox.run(() => call({ fetch: gateway.fetch, apiKey }, line, body === undefined ? {} : { body }))
  return { gateway, sandbox, ask }
}

describe('workspaces', () => {
  it('can be found, changed, listed and deleted after being created by POST', async () => {
    const { sandbox, ask } = start()
    const made = await ask('POST /workspaces', { name: 'Tides', slug: 'tides' })
    expect([made.status, made.body.data]).toMatchObject([201, { slug: 'tides', description: null }])
    expect((await ask('PATCH /workspaces/tides', { description: 'Moon' })).status).toBe(200)
    expect((await ask(`GET /workspaces/${made.body.data.id}`)).body.data.description).toBe('Moon')
    expect((await ask('GET /workspaces?limit=1&offset=2')).body).toMatchObject({
      data: [{ slug: 'tides' }],
      total_count: 3,
    })
    expect(await sandbox.db.workspaces.get('tides')).toMatchObject({ description: 'Moon' })
    expect((await ask('DELETE /workspaces/tides')).body).toEqual({ deleted: true })
    expect((await ask('GET /workspaces/tides')).status).toBe(404)
  })

  it("are read over the control API like the specification's collections", async () => {
    await using server = await startServer()
    const control = { baseUrl: `${server.url}/__understudy/sandboxes/default` }
    expect((await call(control, 'GET /database/apiKeys')).body).toEqual({ data: [] })
    expect((await call(control, 'GET /database/apiKey')).body.error.message).toBe(
      "collection: unknown collection 'apiKey'; did you mean 'apiKeys'?",
    )
  })

  it('are listed by 50', async () => {
    const { ask } = start()
    for (let count = 3; count <= 51; count++)
      await ask('POST /workspaces', { name: 'Tides', slug: `tides-${count}` })
    const { data, total_count } = (await ask('GET /workspaces')).body
    expect([data.length, total_count]).toEqual([50, 51])
  })

  it('cannot be deleted if they have API keys', async () => {
    const { ask } = start()
    const { id } = (await ask('POST /workspaces', { name: 'Tides', slug: 'tides' })).body.data
    const { hash } = (await ask('POST /keys', { name: 'One', workspace_id: id })).body.data
    expect((await ask('DELETE /workspaces/tides')).status).toBe(400)
    await ask(`DELETE /keys/${hash}`)
    expect((await ask('DELETE /workspaces/tides')).status).toBe(200)
  })
})

describe('presets', () => {
  it.each([
    ['chat/completions', { messages: [{ role: 'system', content: 'Be brief.' }] }],
    ['messages', { messages: [], system: [{ type: 'text', text: 'Be brief.' }] }],
    ['responses', { instructions: 'Be brief.' }],
  ])('created from the body of POST /%s are used by @preset models', async (path, body) => {
    const { ask } = start()
    const made = await ask(`POST /presets/brief/${path}`, { model, temperature: 0.2, ...body })
    expect(made.body.data).toMatchObject({
      slug: 'brief',
      designated_version: { version: 1, config: { model, temperature: 0.2 }, system_prompt: 'Be brief.' },
    })
    const reply = await ask('POST /responses', { model: '@preset/brief', input: 'Why tides?' })
    expect(reply.body).toMatchObject({ instructions: 'Be brief.', temperature: 0.2 })
  })

  it('keep their versions, and use the latest one', async () => {
    const { ask } = start()
    await ask('POST /presets/brief/responses', { model, instructions: 'Be brief.' })
    await ask('POST /presets/brief/responses', { model, instructions: 'Be long.' })
    expect((await ask('GET /presets/brief/versions')).body).toMatchObject({
      data: [{ version: 1, system_prompt: 'Be brief.' }, { version: 2 }],
      total_count: 2,
    })
    expect((await ask('GET /presets/brief/versions/1')).body.data.system_prompt).toBe('Be brief.')
    expect((await ask('GET /presets/brief/versions/3')).status).toBe(404)
    expect((await ask('GET /presets/none/versions')).status).toBe(404)
    expect((await ask('GET /presets/brief')).body.data.designated_version.version).toBe(2)
    expect((await ask('GET /presets')).body.data[0].slug).toBe('brief')
  })

  it('list their versions by number', async () => {
    const { sandbox, ask } = start()
    const { id, designated_version } = (await ask('POST /presets/brief/responses', { model })).body.data
    for (const version of [3, 2])
      await sandbox.db.presetVersions.create({
        ...designated_version,
        id: id.replace(/.$/, version),
        version,
      })
    const { data } = (await ask('GET /presets/brief/versions')).body
    expect(data.map(({ version }: { version: number }) => version)).toEqual([1, 2, 3])
  })

  it('omit fields that replies cannot use, and add a warning', async () => {
    const { sandbox, ask } = start()
    const body = { model, messages: [], max_tokens: 5, tools: [{ type: 'function', function: {} }] }
    const { designated_version } = (await ask('POST /presets/odd/chat/completions', body)).body.data
    expect(designated_version.config).toEqual({ model, max_tokens: 5 })
    expect(sandbox.journal.entries().at(-1)?.warnings).toEqual([
      'The preset omits fields that POST /responses does not accept: tools',
      'These preset fields have no effect on replies: max_tokens',
    ])
    expect((await ask('POST /presets/odd/chat/completions', {})).status).toBe(400)
  })
})

describe('API keys', () => {
  it.runIf(hasExtra('chat'))(
    'are all accepted until one is created; from then on, only existing keys are',
    async () => {
      const { ask } = start()
      expect((await ask('GET /providers', undefined, 'mine')).status).toBe(200)
      const made = await ask('POST /keys', { name: 'One', limit: 2 }, 'mine')
      const { key, data } = made.body
      expect([made.status, data.name, data.limit_remaining]).toEqual([201, 'One', 2])
      const statusOf = async (apiKey: string) => (await ask('GET /providers', undefined, apiKey)).status
      expect(await Promise.all(['mine', key, 'other'].map(statusOf))).toEqual([200, 200, 401])
      await ask('POST /chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }] }, key)
      expect((await ask(`GET /keys/${data.hash}`)).body.data.usage).toBeGreaterThan(0)
      await ask(`PATCH /keys/${data.hash}`, { disabled: true })
      expect(await statusOf(key)).toBe(401)
      expect((await ask('GET /keys')).body.data).toEqual([])
      expect((await ask('GET /keys?include_disabled=true')).body.data).toHaveLength(1)
      await ask(`PATCH /keys/${data.hash}`, { disabled: false, name: 'Two' })
      expect(await statusOf(key)).toBe(200)
      expect((await ask(`DELETE /keys/${data.hash}`)).body).toEqual({ deleted: true })
      expect([await statusOf(key), await statusOf('mine')]).toEqual([401, 200])
      expect((await ask(`GET /keys/${data.hash}`)).status).toBe(404)
    },
  )

  it('are described alike by GET /key and GET /keys/{hash}', async () => {
    const { ask } = start()
    const made = await ask('POST /keys', { name: 'CI', limit: 5, limit_reset: 'daily' })
    const { key, data } = made.body
    await ask('POST /responses', { model, input: 'Hi' }, key)
    await ask('POST /responses', { model, input: 'Hi' })
    const current = (await ask('GET /key', undefined, key)).body.data
    const { is_free_tier, is_management_key, is_provisioning_key, rate_limit, ...shared } = current
    expect((await ask(`GET /keys/${data.hash}`)).body.data).toMatchObject(shared)
    expect(shared).toMatchObject({ limit: 5, limit_reset: 'daily', usage: expect.any(Number) })
    expect((await ask('GET /key')).body.data.usage).toBeCloseTo(shared.usage * 2, 9)
  })

  it('select their sandbox, unless it is the default one', async () => {
    const { gateway, sandbox, ask } = start()
    const { key } = (await ask('POST /keys', { name: 'One' })).body
    expect((await call({ fetch: gateway.fetch, apiKey: key }, 'GET /keys')).body.data).toHaveLength(1)
    expect(sandbox.journal.entries()).toHaveLength(2)
    const { body } = await call(gateway, 'POST /keys', { body: { name: 'One' } })
    expect(body.key).toMatch(/^sk-or-v1-[0-9a-f]{64}$/)
  })

  it('expire by the sandbox clock', async () => {
    const { sandbox, ask } = start()
    const expires_at = '2026-01-01T01:00:00.000Z'
    const { key } = (await ask('POST /keys', { name: 'One', expires_at })).body
    sandbox.clock.advance(Date.parse(expires_at) - Date.parse(sandbox.clock.read().now) - 2)
    await ask('GET /providers', undefined, key)
    await ask('GET /providers', undefined, key)
    expect(sandbox.journal.entries().map(({ timestamp, status }) => [timestamp, status])).toEqual([
      ['2026-01-01T00:00:00.001Z', 201],
      ['2026-01-01T00:59:59.999Z', 200],
      [expires_at, 401],
    ])
  })

  it('are listed and can be deleted if they are in the apiKeys option', async () => {
    const { ask } = start({ apiKeys: ['first-key', 'second-key', 'x'.repeat(20), 'a'.repeat(21)] })
    expect((await ask('GET /providers', undefined, 'other')).status).toBe(401)
    const [first, ...others] = (await ask('GET /keys', undefined, 'first-key')).body.data
    expect(first).toMatchObject({
      name: 'apiKeys[0]',
      label: 'fir...',
      disabled: false,
      include_byok_in_limit: false,
      created_at: '2026-01-01T00:00:00.000Z',
    })
    expect(others.map(({ label }: { label: string }) => label)).toEqual([
      'sec...',
      'xxx...',
      'aaaaaaaaaaaa...aaa',
    ])
    await ask(`DELETE /keys/${first.hash}`, undefined, 'second-key')
    const statuses = ['first-key', 'second-key', 'other'].map((key) => ask('GET /providers', undefined, key))
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([401, 200, 401])
  })

  it('in the apiKeys option are still listed after they have been used to create a key', async () => {
    const { ask } = start({ apiKeys: ['first-key'] })
    await ask('POST /keys', { name: 'One' }, 'first-key')
    const { data } = (await ask('GET /keys', undefined, 'first-key')).body
    expect(data.map(({ name }: { name: string }) => name)).toEqual(['apiKeys[0]', 'One'])
  })

  it('are listed up to a hundred', async () => {
    const { ask } = start({ apiKeys: Array.from({ length: 101 }, (_, index) => `key-${index}`) })
    expect((await ask('GET /keys', undefined, 'key-0')).body.data).toHaveLength(100)
    expect((await ask('GET /keys?offset=99', undefined, 'key-0')).body.data).toHaveLength(2)
  })

  it('have the cost of their calls in total, of today, and since Monday', async () => {
    const { sandbox, ask } = start()
    const { key, data } = (await ask('POST /keys', { name: 'One' })).body
    await ask('GET /providers', undefined, key)
    // The sandbox time advances by a millisecond per call: the second call is at midnight.
    sandbox.clock.advance(Date.parse('2026-01-04T23:59:59.998Z') - Date.parse(sandbox.clock.read().now))
    for (const content of ['Sunday', 'Why tides on Monday?'])
      await ask('POST /chat/completions', { model, messages: [{ role: 'user', content }] }, key)
    const calls = sandbox.journal.entries().slice(-2)
    expect(calls.map(({ timestamp }) => timestamp)).toEqual([
      '2026-01-04T23:59:59.999Z',
      '2026-01-05T00:00:00.000Z',
    ])
    const [sunday = 0, monday = 0] = calls.map((each) => each.usage?.cost ?? 0)
    const usage = async () => {
      const { usage, usage_daily, usage_weekly } = (await ask(`GET /keys/${data.hash}`)).body.data
      return [usage, usage_daily, usage_weekly]
    }
    const total = expect.closeTo(sunday + monday, 9)
    expect(await usage()).toEqual([total, monday, monday])
    sandbox.clock.advance('2d')
    expect(await usage()).toEqual([total, 0, monday])
  })

  it.runIf(hasExtra('messages'))('are read from x-api-key as well', async () => {
    const { gateway, ask } = start()
    const { key, data } = (await ask('POST /keys', { name: 'One' })).body
    await call(gateway, 'POST /messages', {
      headers: { authorization: null, 'x-api-key': key },
      body: { model, max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] },
    })
    expect((await ask(`GET /keys/${data.hash}`)).body.data.usage).toBeGreaterThan(0)
  })

  it('belong to their sandbox, are removed by a reset, and are part of snapshots and forks', async () => {
    const { gateway, sandbox, ask } = start()
    const { key } = (await ask('POST /keys', { name: 'One' })).body
    const snapshot = sandbox.snapshot()
    const statusIn = async (id: string, apiKey: string) => {
      const baseUrl = `https://gateway.example/sandboxes/${id}/api/v1`
      return (await call({ fetch: gateway.fetch, apiKey, baseUrl }, 'GET /providers')).status
    }
    const fork = sandbox.fork()
    const ids = [sandbox.id, fork.id]
    expect(await Promise.all(ids.map((id) => statusIn(id, key)))).toEqual([200, 200])
    expect(await Promise.all(ids.map((id) => statusIn(id, 'other')))).toEqual([401, 401])
    expect(await statusIn(gateway.createSandbox().id, 'other')).toBe(200)
    sandbox.reset()
    expect(await statusIn(sandbox.id, 'other')).toBe(200)
    sandbox.restore(snapshot)
    expect(await statusIn(sandbox.id, 'other')).toBe(401)
  })
})

describe("a sandbox's activity", () => {
  it.runIf(hasExtra('chat'))('is summed by day, model and workspace', async () => {
    const { sandbox, ask } = start()
    const body = { model, messages: [{ role: 'user', content: 'Hi' }] }
    await ask('POST /chat/completions', body)
    await ask('POST /chat/completions', body)
    sandbox.clock.advance('24h')
    await ask('POST /chat/completions', body)
    const { data } = (await ask('GET /activity')).body
    expect(data).toMatchObject([
      { date: '2026-01-01', model, model_permaslug: 'aurora/dawn-2-2025-03', requests: 2 },
      { date: '2026-01-02', model, requests: 1 },
    ])
    expect(data[0].usage).toBeCloseTo(2 * data[1].usage, 9)
    expect((await ask('GET /activity?date=2026-01-02&group_by=workspace')).body.data).toEqual([
      { ...data[1], workspace_id: '11111111-1111-4111-8111-111111111111' },
    ])
    expect((await ask('GET /activity?api_key_hash=none')).body.data).toEqual([])
    expect((await ask('GET /activity?date=today')).status).toBe(400)
  })

  it.runIf(hasExtra('chat'))('includes calls of the last 30 days', async () => {
    const { sandbox, ask } = start()
    await ask('POST /chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }] })
    const daysLater = 30 * 24 * 60 * 60 * 1000
    // Each call advances the time by a millisecond.
    sandbox.clock.advance(daysLater - 2)
    expect((await ask('GET /activity')).body.data).toHaveLength(1)
    expect((await ask('GET /activity')).body.data).toEqual([])
  })

  it('includes reasoning tokens', async () => {
    const { ask } = start()
    const { body } = await ask('POST /responses', { model, input: 'Why?', reasoning: { effort: 'high' } })
    const { reasoning_tokens } = body.usage.output_tokens_details
    expect(reasoning_tokens).toBeGreaterThan(0)
    expect((await ask('GET /activity')).body.data).toMatchObject([{ reasoning_tokens }])
  })

  it('names no provider if there is none', async () => {
    const { sandbox, ask } = start()
    for (const { slug } of await sandbox.db.providers.list()) await sandbox.db.providers.delete(slug)
    await ask('POST /responses', { model, input: 'Why?' })
    expect((await ask('GET /activity')).body.data).toMatchObject([{ provider_name: '' }])
  })
})

it.each<[line: string, body: object | undefined, status: number]>([
  ['POST /keys', { name: '' }, 400],
  ['POST /keys', { name: 'x' }, 201],
  ['POST /keys', { name: 'x', creator_user_id: '' }, 400],
  ['POST /keys', { name: 'x', creator_user_id: 'x' }, 201],
  ['GET /keys/x', undefined, 404],
  ['GET /presets/x/versions', undefined, 404],
  ['GET /presets/code-review/versions/9', undefined, 404],
  ['POST /workspaces', { name: 'Tides' }, 400],
  ['POST /workspaces', { slug: 'tides' }, 400],
  ['POST /workspaces', { name: 'Tides', slug: 'production' }, 400],
  ['DELETE /workspaces/production', undefined, 403],
  ['DELETE /workspaces/nobody', undefined, 404],
  ['GET /workspaces/x', undefined, 404],
  ['GET /workspaces?limit=0', undefined, 400],
  ['GET /workspaces?limit=1', undefined, 200],
  ['GET /workspaces?limit=100', undefined, 200],
  ['GET /workspaces?limit=101', undefined, 400],
])('%s with %j returns %i', async (line, body, status) => {
  expect((await start().ask(line, body)).status).toBe(status)
})

it('with onlySpecified, a gateway has none of the operations, and ignores their keys', async () => {
  const gateway = createGateway({ onlySpecified: true })
  expect((await call(gateway, 'POST /keys', { body: { name: 'One' } })).status).toBe(404)
  expect(gateway.extras.find(({ isValidKey }) => isValidKey)).toBeUndefined()
})
